"""The tools of one episode as an MCP server, which verifiers starts as a process for each rollout.

The process holds the sandbox, and removes it when it ends. There is no hook at the end of a rollout that could still
tell anything, so the outcome goes into the state with the call that finishes the work; with a shell, whose calls do not
leave the same twice, with each.
"""

from __future__ import annotations

import asyncio
from typing import Any

import verifiers.v1 as vf
from mcp.types import CallToolResult, TextContent, Tool

from gitgoodbench.api.session import Session
from gitgoodbench.frameworks.verifiers.records import EpisodeData, EpisodeState


class EpisodeTools(vf.Toolset[vf.ToolsetConfig, EpisodeState]):
    """See the module."""

    TOOL_PREFIX = None
    session: Session
    has_shell: bool

    async def setup_task(self, task: EpisodeData) -> None:
        """Open the episode."""
        bench = await asyncio.to_thread(task.bench.bench)
        self._exit_stack.callback(bench.close)
        self.has_shell = task.bench.tools == "shell"
        self.session = await asyncio.to_thread(bench.open, bench.task(task.task_id))

    def register(self, mcp: Any) -> None:
        """Answer MCP's two questions about tools; the schemas are ours, not made of signatures."""
        mcp.list_tools = self._with_state(self.list_tools)
        mcp.call_tool = self._with_state(self.call_tool)

    async def list_tools(self) -> list[Tool]:
        functions = [schema["function"] for schema in self.session.tools]
        return [
            Tool(name=each["name"], description=each["description"], input_schema=each["parameters"])
            for each in functions
        ]

    async def call_tool(self, name: str, arguments: dict[str, Any], context: object = None) -> CallToolResult:  # noqa: ARG002
        session, state = self.session, self.state
        was_finished = session.finished
        result = await asyncio.to_thread(session.call, name, arguments)
        state.calls = (*state.calls, (name, arguments))
        if session.finished and not was_finished:
            state.outcome = (await asyncio.to_thread(session.finish)).to_json()
            state.finished = True
        elif self.has_shell and not was_finished:
            state.outcome = (await asyncio.to_thread(session.left_so_far)).to_json()
        return CallToolResult(content=[TextContent(type="text", text=result.text)], is_error=result.is_error)


if __name__ == "__main__":
    EpisodeTools.run()
