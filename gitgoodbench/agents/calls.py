"""Running tool calls, one by one or those of an answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gitgoodbench.errors import ToolError
from gitgoodbench.models.messages import ToolCall, read_arguments
from gitgoodbench.models.recording import ToolRun, recorder
from gitgoodbench.scenario import Episode
from gitgoodbench.text import one_line
from gitgoodbench.tools import Tool, ToolResult


def run_call(tools: Sequence[Tool], call: ToolCall) -> ToolResult:
    """Run a model's call. What the model did wrong comes back as text, `error: ...`."""

    def run() -> ToolResult:
        try:
            return call_tool(tools, call.name, read_arguments(call.arguments))
        except ToolError as problem:
            return ToolResult(f"error: {problem}", is_error=True)

    return on_record(call, run)


def on_record(call: ToolCall, run: Callable[[], ToolResult]) -> ToolResult:
    """Run a call, and tell the recorder how long it took and whether it worked."""
    begun, error = time.monotonic(), None
    try:
        result = run()
        error = _TOOL_ERROR if result.is_error else None
        return result
    except BaseException as problem:
        error = type(problem).__name__
        raise
    finally:
        recorder().called(ToolRun(call.id, call.name, time.monotonic() - begun, error))


def call_tool(tools: Sequence[Tool], name: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Run the tool of that name; an error says that there is none, or what is wrong with the call."""
    for tool in tools:
        if tool.name == name:
            return tool.run(arguments)
    offered = ", ".join(tool.name for tool in tools) or "none"
    return ToolResult(f"error: there is no tool {one_line(name, 80)!r}; the tools are: {offered}", is_error=True)


_TOOL_ERROR = "tool_error"
_NOTHING_LEFT = "error: not run: the work is finished"
_AFTER_THE_END = "error: not run: an earlier call of this answer finished the work"
_AFTER_A_FAILURE = (
    "error: not run: an earlier call of this answer failed. "
    "Mend that one first, then send this one again if it still fits."
)


def run_answer(episode: Episode, calls: Sequence[ToolCall], before: Callable[[], object]) -> Iterator[ToolResult]:
    """Run the calls of one answer in order, up to one that fails or finishes; each gets a result of its own.

    They were all written before any result was seen, so what a number in them means is settled when the answer begins.

    Args:
        before: called before each; what it raises ends the answer.
    """
    refusal = _NOTHING_LEFT if episode.finished else None
    episode.begin_answer()
    for call in calls:
        before()
        if refusal is not None:
            yield ToolResult(refusal, is_error=True)
            continue
        result = run_call(episode.tools, call)
        if result.is_error:
            refusal = _AFTER_A_FAILURE
        elif episode.finished:
            refusal = _AFTER_THE_END
        yield result
