"""Running a model's tool calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gitgoodbench.errors import ToolError
from gitgoodbench.models.messages import ToolCall, read_arguments
from gitgoodbench.text import one_line
from gitgoodbench.tools import Tool, ToolResult


def run_call(tools: Sequence[Tool], call: ToolCall) -> ToolResult:
    """Run a model's call. What the model did wrong comes back as text, `error: ...`."""
    try:
        return call_tool(tools, call.name, read_arguments(call.arguments))
    except ToolError as problem:
        return ToolResult(f"error: {problem}", is_error=True)


def call_tool(tools: Sequence[Tool], name: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Run the tool of that name; an error says that there is none, or what is wrong with the call."""
    for tool in tools:
        if tool.name == name:
            return tool.run(arguments)
    offered = ", ".join(tool.name for tool in tools) or "none"
    return ToolResult(f"error: there is no tool {one_line(name, 80)!r}; the tools are: {offered}", is_error=True)
