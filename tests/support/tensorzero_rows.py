"""What a TensorZero gateway says of every kind of feedback and of every way of listing.

The real one (2026.6.0 on Postgres) said this on 2026-11-30; `tests/tensorzero` asks it again, and the tests of every
day ask `TensorZeroServer` the same.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

TOOL: Final = {
    "name": "write_file",
    "description": "Write a file",
    "parameters": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"],
        "additionalProperties": False,
    },
}
ARGUMENTS: Final = {"path": "a.py", "content": "x = 1\n"}

LISTING: Final = "/v1/inferences/list_inferences"
FEEDBACK: Final = "/feedback"


@dataclass(frozen=True)
class Target:
    """An inference of the function `coder` that was offered `TOOL`, tagged n=1; its episode."""

    inference: str
    episode: str


@dataclass(frozen=True)
class Row:
    """A request and the answer. says: a part of the text of an error; finds: whether the target is listed."""

    name: str
    path: str
    body: Callable[[Target], Mapping[str, Any]]
    status: int
    says: str = ""
    finds: bool | None = None


def version7(age: float) -> str:
    """The id of an inference that nobody made, as old as that."""
    number = int((time.time() - age) * 1000) << 80 | 7 << 76 | 2 << 62 | uuid.uuid4().int & ((1 << 62) - 1)
    return str(uuid.UUID(int=number))


def _gives(name: str, metric: str, value: Any, status: int, says: str = "", **others: Any) -> Row:
    return Row(
        name,
        FEEDBACK,
        lambda target: {"inference_id": target.inference, "metric_name": metric, "value": value, **others},
        status,
        says,
    )


def _demonstrates(name: str, value: Any, status: int, says: str = "") -> Row:
    return _gives(f"demonstration: {name}", "demonstration", value, status, says)


def _lists(name: str, status: int, says: str = "", *, finds: bool | None = None, **body: Any) -> Row:
    return Row(f"list: {name}", LISTING, lambda _: body, status, says, finds)


def _is(metric: str, value: float, sign: str = "=") -> dict[str, Any]:
    return {"type": "float_metric", "metric_name": metric, "value": value, "comparison_operator": sign}


def _tagged(value: str, sign: str = "=", key: str = "n") -> dict[str, Any]:
    return {"type": "tag", "key": key, "value": value, "comparison_operator": sign}


def _call(**block: Any) -> list[dict[str, Any]]:
    return [{"type": "tool_call", "name": "write_file", "arguments": ARGUMENTS, "id": "1", **block}]


_NUMBER: Final = "Feedback value for metric `ted_reward` must be a number"
_WRONG_LEVEL: Final = 'Correct ID was not provided for feedback level "{}".'

GIVEN: Final = (
    _gives("a float", "ted_reward", 0.75, 200),
    _gives("a float again: it is appended", "ted_reward", 0.5, 200),
    _gives("an integer", "ted_reward", 1, 200),
    _gives("a number below 0", "ted_reward", -3.5, 200),
    _gives("text for a float", "ted_reward", "0.5", 400, _NUMBER),
    _gives("true for a float", "ted_reward", True, 400, _NUMBER),
    _gives("null for a float", "ted_reward", None, 400, _NUMBER),
    _gives("1 for a boolean", "kept", 1, 400, "Feedback value for metric `kept` must be a boolean"),
    _gives("a boolean", "kept", True, 200),
    _gives("an inference for a metric of episodes", "episode_reward", 0.5, 400, _WRONG_LEVEL.format("episode")),
    Row(
        "an episode for a metric of inferences",
        FEEDBACK,
        lambda target: {"episode_id": target.episode, "metric_name": "ted_reward", "value": 0.5},
        400,
        _WRONG_LEVEL.format("inference"),
    ),
    Row(
        "no id",
        FEEDBACK,
        lambda _: {"metric_name": "ted_reward", "value": 0.5},
        400,
        _WRONG_LEVEL.format("inference"),
    ),
    Row(
        "both ids",
        FEEDBACK,
        lambda target: {
            "episode_id": target.episode,
            "inference_id": target.inference,
            "metric_name": "ted_reward",
            "value": 0.5,
        },
        400,
        "Both episode_id and inference_id cannot be provided",
    ),
    _gives("a comment that is no text", "comment", 1, 400, "Feedback value for a comment must be a string"),
    _gives("a comment", "comment", "fine", 200),
    Row(
        "a comment on an episode",
        FEEDBACK,
        lambda target: {"episode_id": target.episode, "metric_name": "comment", "value": "fine"},
        200,
    ),
    _gives("a metric that is not configured", "nope", 0.5, 404, "Unknown metric: nope"),
    Row(
        "an id of version 4",
        FEEDBACK,
        lambda _: {"inference_id": str(uuid.uuid4()), "metric_name": "ted_reward", "value": 0.5},
        400,
        "Failed to parse UUID as v7",
    ),
    _gives("a tag of its own", "ted_reward", 0.5, 400, "cannot start with", tags={"tensorzero::x": "y"}),
    _gives("the same, internal", "ted_reward", 0.25, 200, tags={"tensorzero::x": "y"}, internal=True),
    _gives("a tag that is a number", "ted_reward", 0.5, 400, "tags", tags={"x": 1}),
    _gives("tags", "ted_reward", 0.125, 200, tags={"x": "1", "ä": "ö"}),
    _gives("an unknown field", "ted_reward", 0.5, 400, "unknown field `nope`", nope=1),
    _gives("a dry run", "ted_reward", 0.0625, 200, dryrun=True),
    _gives("a dry run that is wrong", "ted_reward", "x", 400, _NUMBER, dryrun=True),
    _demonstrates("a string", "x = 1", 200),
    _demonstrates("a text block", [{"type": "text", "text": "x = 1"}], 200),
    _demonstrates("nothing", [], 200),
    _demonstrates("a call of a tool that was offered", _call(), 200),
    _demonstrates("a call again: it is appended", _call(), 200),
    _demonstrates("a number", 5, 400, "Demonstration must be a string or an array of content blocks"),
    _demonstrates(
        "a call without id",
        [{"type": "tool_call", "name": "write_file", "arguments": ARGUMENTS}],
        400,
        "missing field `id`",
    ),
    _demonstrates("a call of another tool", _call(name="rm"), 400, "Demonstration contains invalid tool name"),
    _demonstrates(
        "arguments that do not fit",
        _call(arguments={"path": 1}),
        400,
        "Demonstration contains invalid tool call arguments",
    ),
    _demonstrates(
        "arguments as text",
        _call(arguments='{"path": "a.py", "content": ""}'),
        400,
        "Demonstration contains invalid tool call arguments",
    ),
    _demonstrates("a thought", [{"type": "thought", "text": "hm"}], 400, "unknown variant `thought`"),
)
"""In this order: what is listed afterwards depends on it."""

LISTED: Final = (
    _lists("all of a function", 200, function_name="coder", finds=True),
    _lists("none of another", 200, function_name="other", finds=False),
    _lists("a function that is unknown", 404, "Unknown function: nope", function_name="nope"),
    _lists("none at all", 200, limit=0, finds=False),
    _lists("by its first value", 200, filters=_is("ted_reward", 0.75), finds=True),
    _lists("by its second value", 200, filters=_is("ted_reward", 0.5), finds=True),
    _lists("by its third value", 200, filters=_is("ted_reward", 1), finds=True),
    _lists("a dry run left nothing", 200, filters=_is("ted_reward", 0.0625), finds=False),
    _lists("a metric of episodes", 200, filters=_is("episode_reward", 0.5), finds=False),
    _lists("an unknown metric", 400, "Invalid metric name: nope", filters=_is("nope", 1)),
    _lists("a metric that is no float", 400, "Metric `kept` is not a float metric", filters=_is("kept", 1)),
    _lists("a tag", 200, filters=_tagged("1"), finds=True),
    _lists("a tag with another value", 200, filters=_tagged("2", "!="), finds=True),
    _lists("without the tag it is not listed as other", 200, filters=_tagged("2", "!=", "m"), finds=False),
    _lists(
        "with a demonstration",
        200,
        filters={"type": "demonstration_feedback", "has_demonstration": True},
        finds=True,
    ),
    _lists(
        "what was demonstrated",
        200,
        function_name="coder",
        output_source="demonstration",
        finds=True,
    ),
    _lists(
        "not below",
        200,
        function_name="coder",
        filters={"type": "not", "child": _is("ted_reward", 99, ">")},
        finds=True,
    ),
    _lists(
        "either",
        200,
        filters={"type": "or", "children": [_is("ted_reward", 99), _tagged("1")]},
        finds=True,
    ),
    _lists(
        "both",
        200,
        filters={"type": "and", "children": [_is("ted_reward", 99), _tagged("1")]},
        finds=False,
    ),
    _lists(
        "since",
        200,
        finds=True,
        filters={"type": "time", "time": "2020-01-01T00:00:00Z", "comparison_operator": ">="},
    ),
    _lists(
        "a time without its zone",
        400,
        "time",
        filters={"type": "time", "time": "2020-01-01T00:00:00", "comparison_operator": ">="},
    ),
    _lists(
        "a time that is a number",
        400,
        "time",
        filters={"type": "time", "time": 1577836800, "comparison_operator": ">="},
    ),
    Row(
        "list: before and after",
        LISTING,
        lambda target: {"before": target.inference, "after": target.inference},
        400,
        "Cannot specify both 'before' and 'after' parameters",
    ),
    Row(
        "list: after and offset",
        LISTING,
        lambda target: {"after": target.inference, "offset": 1},
        400,
        "Cannot use 'offset' with cursor pagination",
    ),
    Row("list: before it", LISTING, lambda target: {"before": target.inference}, 200, finds=False),
    Row("list: its episode", LISTING, lambda target: {"episode_id": target.episode}, 200, finds=True),
    _lists(
        "by a metric, of all functions",
        400,
        "is not supported when querying without function_name",
        order_by=[{"by": "metric", "name": "ted_reward", "direction": "descending"}],
    ),
)
