"""What the real gateway (TensorZero 2026.6.0) says of feedback that is not valid."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

import jsonschema

FIELDS: Final = {"episode_id", "inference_id", "metric_name", "value", "internal", "tags", "dryrun"}


class Invalid(Exception):
    """What is wrong, and the status."""

    def __init__(self, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


def check_feedback(body: Mapping[str, Any], metrics: Mapping[str, tuple[str, str]]) -> None:
    """Check what the gateway does before it looks for the inference, in its order."""
    unknown = set(body) - FIELDS
    if unknown:
        raise Invalid(f"unknown field `{unknown.pop()}`")
    for key, value in body.get("tags", {}).items():
        if not isinstance(value, str):
            raise Invalid(f"tags.{key}: invalid type: expected a string")
        if key.startswith("tensorzero::") and not body.get("internal"):
            raise Invalid(f"Tag name cannot start with 'tensorzero::': {key}")
    episode, inference = body.get("episode_id"), body.get("inference_id")
    if episode and inference:
        raise Invalid("Both episode_id and inference_id cannot be provided")
    name = body["metric_name"]
    if name not in metrics and name not in ("comment", "demonstration"):
        raise Invalid(f"Unknown metric: {name}", 404)
    if name == "comment" and not (episode or inference):
        raise Invalid("Exactly one of inference_id or episode_id must be provided")
    level = metrics[name][1] if name in metrics else "inference" if name == "demonstration" or inference else "episode"
    target = inference if level == "inference" else episode
    if not target:
        raise Invalid(f'Correct ID was not provided for feedback level "{level}".')
    _check_version(target)


def _check_version(target: str) -> None:
    try:
        version = uuid.UUID(target).version
    except ValueError as problem:
        raise Invalid(f"Failed to parse inference_id as UUID: {problem}") from problem
    if version != 7:
        raise Invalid(f"Failed to parse UUID as v7: {target}")


def check_demonstration(value: Any, tools: Sequence[Mapping[str, Any]]) -> None:
    """Check a demonstration of a chat function against the tools that its inference was offered."""
    if isinstance(value, str):
        return
    if not isinstance(value, list):
        raise Invalid("Demonstration must be a string or an array of content blocks")
    for block in value:
        _check_block(block)
    for block in value:
        if block["type"] == "tool_call":
            _check_call(block, tools)


def _check_block(block: Any) -> None:
    problem = "Invalid demonstration content block: "
    kind = block.get("type") if isinstance(block, dict) else None
    needed = {"text": ("text",), "tool_call": ("name", "arguments", "id")}.get(str(kind))
    if needed is None:
        raise Invalid(f"{problem}unknown variant `{kind}`, expected `text` or `tool_call`")
    for name in needed:
        if name not in block:
            raise Invalid(f"{problem}missing field `{name}`")


def _check_call(block: Mapping[str, Any], tools: Sequence[Mapping[str, Any]]) -> None:
    schemas = {tool["name"]: tool["parameters"] for tool in tools}
    if block["name"] not in schemas:
        raise Invalid("Demonstration contains invalid tool name")
    try:
        jsonschema.validate(block["arguments"], schemas[block["name"]])
    except jsonschema.ValidationError as problem:
        raise Invalid("Demonstration contains invalid tool call arguments") from problem
