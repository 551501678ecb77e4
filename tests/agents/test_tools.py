"""Tool schemas, exactly, and what validation says to a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, NotRequired

import pytest
from pydantic import BaseModel, ConfigDict
from typing_extensions import TypedDict

from gitgoodbench.errors import ToolError
from gitgoodbench.tools import Tool, ToolResult


class Item(TypedDict):
    """One line of the plan."""

    commit_index: int
    command: Literal["pick", "drop"]
    title: NotRequired[str]


class Range(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    first: int
    last: int = 9


class Bench:
    def show(
        self, path: str, reason: str, context_window_size: int = 5, side: Literal["ours", "theirs"] = "ours"
    ) -> str:
        """Show a file.

        Only the working tree is looked at,
        never the index.

        Args:
            path: path of the file,
                from the project's root: no leading slash.
            reason: why you call this tool now.
            context_window_size: lines around it.
            side: which side.

        Returns:
            The text.

        Raises:
            ToolError: no such file.
        """
        return f"{path!r} {reason!r} {context_window_size!r} {side!r}"

    def plan(self, items: list[Item], range: Range | None = None) -> str:
        """Replace the plan.

        Args:
            items: all lines.
            range: which of them.
        """
        return f"{items!r} {range!r}"

    def ping(self) -> str:
        """Answer."""
        return "pong"

    def encode(self, text: str) -> str:
        """Encode.

        Args:
            text: the text.
        """
        return text.encode("utf-8").decode("ascii")


SHOW, PLAN, PING, ENCODE = (Tool.of(f) for f in (Bench().show, Bench().plan, Bench().ping, Bench().encode))


def test_schema_is_exactly_signature_and_docstring() -> None:
    assert SHOW.schema == {
        "type": "function",
        "function": {
            "name": "show",
            "description": "Show a file.\n\nOnly the working tree is looked at,\nnever the index.",
            "parameters": {
                "type": "object",
                "properties": {
                    "path": {
                        "type": "string",
                        "description": "path of the file, from the project's root: no leading slash.",
                    },
                    "reason": {"type": "string", "description": "why you call this tool now."},
                    "context_window_size": {"type": "integer", "default": 5, "description": "lines around it."},
                    "side": {
                        "type": "string",
                        "enum": ["ours", "theirs"],
                        "default": "ours",
                        "description": "which side.",
                    },
                },
                "required": ["path", "reason"],
                "additionalProperties": False,
            },
        },
    }


def test_parameters_keep_the_order_of_the_signature() -> None:
    assert list(SHOW.schema["function"]["parameters"]["properties"]) == [
        "path",
        "reason",
        "context_window_size",
        "side",
    ]


def test_nested_objects_stand_where_they_are_used_and_keep_properties_called_title() -> None:
    assert PLAN.schema["function"]["parameters"] == {
        "type": "object",
        "properties": {
            "items": {
                "type": "array",
                "description": "all lines.",
                "items": {
                    "type": "object",
                    "description": "One line of the plan.",
                    "properties": {
                        "commit_index": {"type": "integer"},
                        "command": {"type": "string", "enum": ["pick", "drop"]},
                        "title": {"type": "string"},
                    },
                    "required": ["commit_index", "command"],
                    "additionalProperties": False,
                },
            },
            "range": {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {"first": {"type": "integer"}, "last": {"type": "integer", "default": 9}},
                        "required": ["first"],
                        "additionalProperties": False,
                    },
                    {"type": "null"},
                ],
                "default": None,
                "description": "which of them.",
            },
        },
        "required": ["items"],
        "additionalProperties": False,
    }


def test_a_tool_without_parameters_has_an_empty_object() -> None:
    assert PING.schema["function"] == {
        "name": "ping",
        "description": "Answer.",
        "parameters": {"type": "object", "properties": {}, "additionalProperties": False},
    }
    assert PING.call({}) == "pong"


def test_call_passes_values_and_defaults() -> None:
    assert SHOW.call({"path": "a", "reason": "r"}) == "'a' 'r' 5 'ours'"
    assert SHOW.call({"side": "theirs", "path": "a", "reason": "", "context_window_size": 0}) == "'a' '' 0 'theirs'"
    items = [{"commit_index": 1, "command": "drop", "title": "t"}]
    assert PLAN.call({"items": items, "range": {"first": 2}}) == f"{items!r} Range(first=2, last=9)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"path": "a"}, "show: argument reason: it is required"),
        ({"path": "a", "reason": "r", "file": 1}, "show: argument file: there is no such argument"),
        ({"path": 1, "reason": "r"}, "show: argument path: Input should be a valid string"),
        ({"path": None, "reason": "r"}, "show: argument path: Input should be a valid string"),
        (
            {"path": "a", "reason": "r", "context_window_size": "five"},
            "show: argument context_window_size: Input should be a valid integer",
        ),
        (
            {"path": "a", "reason": "r", "context_window_size": 5.5},
            "show: argument context_window_size: Input should be a valid integer",
        ),
        (
            {"path": "a", "reason": "r", "context_window_size": True},
            "show: argument context_window_size: Input should be a valid integer",
        ),
        ({"path": "a", "reason": "r", "side": "both"}, "show: argument side: Input should be 'ours' or 'theirs'"),
        ({}, "show: argument path: it is required; argument reason: it is required"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ToolError) as raised:
        SHOW.call(arguments)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("arguments", "reading"),
    [
        ({"path": "a", "reason": "r", "context_window_size": "7"}, 'context_window_size: "7" read as 7'),
        ({"path": "a", "reason": "r", "context_window_size": 7.0}, "context_window_size: 7.0 read as 7"),
        ({"path": "a", "reason": "r", "context_window_size": None}, "context_window_size: null read as left out"),
        ({"path": "a", "reason": "r", "side": " OURS"}, 'side: " OURS" read as "ours"'),
    ],
)
def test_harmless_dialects_are_read_and_noted_and_a_strict_tool_reads_none(
    arguments: dict[str, object], reading: str
) -> None:
    result = SHOW.run(arguments)
    size = 5 if arguments.get("context_window_size", 5) in (5, None) else 7
    assert result == ToolResult(f"'a' 'r' {size} 'ours'", readings=(reading,))
    strict = replace(SHOW, strict=True).run(arguments)
    assert strict.is_error
    assert strict.readings == ()


def test_a_list_as_a_string_of_json_is_read() -> None:
    items = [{"commit_index": 1, "command": "drop"}]
    result = PLAN.run({"items": json.dumps(items)})
    assert not result.is_error
    assert result.readings == (f"items: {json.dumps(json.dumps(items))} read as {json.dumps(items)}",)


def test_an_error_shows_the_example_of_the_docstring() -> None:
    def greet(name: str) -> str:
        """Greet somebody.

        Args:
            name: who it is.

        Example:
            greet(name="a name that is long enough to need
            a second line")
        """
        return name

    tool = Tool.of(greet)
    assert tool.schema["function"]["description"] == "Greet somebody."
    assert tool.run({}).text == (
        "error: greet: argument name: it is required\n"
        'A right call: greet(name="a name that is long enough to need a second line")'
    )


def test_wrong_arguments_deep_inside_are_named_by_their_place() -> None:
    with pytest.raises(ToolError, match=r"^plan: argument items\.1\.command: Input should be 'pick' or 'drop'$"):
        PLAN.call({"items": [{"commit_index": 0, "command": "pick"}, {"commit_index": 1, "command": "x"}]})


def test_many_or_huge_unknown_arguments_make_a_short_message() -> None:
    with pytest.raises(ToolError) as raised:
        PING.call({f"{i}-{'x' * 1_000_000}": 1 for i in range(8)})
    assert len(str(raised.value)) < 1000
    assert str(raised.value).endswith("; and 3 more")


def test_a_surrogate_that_stands_for_a_byte_passes() -> None:
    assert SHOW.call({"path": "caf\udce9", "reason": ""}) == "'caf\\udce9' '' 5 'ours'"


@pytest.mark.parametrize("where", ["path", "reason"])
def test_any_other_lone_surrogate_is_refused(where: str) -> None:
    with pytest.raises(ToolError, match=r"^show: an argument holds the lone surrogate U\+D800, which is no character$"):
        SHOW.call({"path": "a", "reason": "r", where: "x\ud800"})


def test_surrogates_are_refused_in_keys_lists_and_names_of_arguments() -> None:
    with pytest.raises(ToolError):
        PLAN.call({"items": [{"commit_index": 0, "command": "pick", "title": "\udfff"}]})
    with pytest.raises(ToolError):
        PLAN.call({"items": [], "\ud800": 1})


def test_a_function_that_cannot_use_a_byte_answers_with_a_tool_error() -> None:
    with pytest.raises(ToolError, match=r"^encode: an argument holds a lone surrogate, which is no character$"):
        ENCODE.call({"text": "\udce9"})


def test_nul_and_megabytes_reach_the_function() -> None:
    assert ENCODE.call({"text": "\0"}) == "\0"
    assert len(ENCODE.call({"text": "x" * 3_000_000})) == 3_000_000


def test_an_undocumented_tool_is_refused_when_it_is_built() -> None:
    def no_docstring() -> str:
        return ""

    def no_line(a: str) -> str:
        """Do."""
        return a

    def extra_line(a: str) -> str:
        """Do.

        Args:
            a: one.
            b: two.
        """
        return a

    def no_annotation(a) -> str:  # type: ignore[no-untyped-def]
        """Do.

        Args:
            a: one.
        """
        return str(a)

    def any_number(*a: str) -> str:
        """Do.

        Args:
            a: all.
        """
        return str(a)

    cases: list[tuple[Callable[..., str], str]] = [
        (no_docstring, "tool no_docstring: no docstring says what it does"),
        (no_line, "tool no_line: `Args` and the signature differ in a"),
        (extra_line, "tool extra_line: `Args` and the signature differ in b"),
        (no_annotation, "tool no_annotation: parameter a has no annotation"),
        (any_number, "tool any_number: parameter *a: 'str' cannot be passed by its name"),
    ]
    for function, message in cases:
        with pytest.raises(TypeError) as raised:
            Tool.of(function)
        assert str(raised.value) == message
