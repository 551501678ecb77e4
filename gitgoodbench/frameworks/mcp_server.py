"""One episode's tools over the Model Context Protocol, so that any MCP client is an agent.

The server is the agent of an ordinary run: set-up, limits, outcome, scores and files are those of `gitgoodbench eval`.
It ends when the client calls `finish_task`, when it goes away, or when nothing is left to do.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gitgoodbench.api.session import Session
from gitgoodbench.errors import UserError
from gitgoodbench.tools import ToolResult

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

READ_TASK: Final = "read_task"
FINISH_TASK: Final = "finish_task"

_OWN: Final[Mapping[str, str]] = {
    READ_TASK: "What is to be done. Call it first.",
    FINISH_TASK: "Say that the work is done. Nothing can be called after it.",
}
_GRACE_S: Final = 2.0
"""How long a client that has finished may take to read the last result and go away."""


@dataclass
class McpAgent:
    """The agent that a client is: a callable of a session, for `gitgoodbench.evaluate`.

    name: of the agent in results. port: serve over HTTP on loopback; None: over standard input and output. announce:
    told the address when HTTP answers.
    """

    name: str
    port: int | None = None
    announce: Callable[[str], None] = lambda _: None

    def __post_init__(self) -> None:
        self.__name__ = self.name

    def __call__(self, session: Session) -> None:
        """Serve one session until it is over.

        Raises:
            UserError: the package mcp is not installed, or the port is taken.
        """
        import anyio

        served = Served(session)
        server = served.server()
        if self.port is None:
            anyio.run(_over_stdio, server, served)
        else:
            anyio.run(_over_http, server, served, self.port, self.announce)


class Served:
    """A session as an MCP server sees it. done: set when the client has finished, or nothing is left to do."""

    def __init__(self, session: Session) -> None:
        import anyio

        self._session = session
        self._tools = {tool["function"]["name"]: tool["function"] for tool in session.tools}
        taken = self._tools.keys() & _OWN
        if taken:
            raise UserError(f"the scenario has a tool {sorted(taken)[0]!r}, which the MCP server needs for itself")
        self._lock = anyio.Lock()
        self.done = anyio.Event()

    @property
    def task(self) -> str:
        """The prompt as one text."""
        return "\n\n".join(str(message["content"]) for message in self._session.prompt)

    def server(self) -> Server[Any]:
        """The server: the session's tools and two of its own; the task also as instructions and as a prompt."""
        import mcp_types as types
        from mcp.server.lowlevel import Server

        import gitgoodbench

        async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
            own = [
                types.Tool(name=name, description=text, input_schema={"type": "object", "properties": {}})
                for name, text in _OWN.items()
            ]
            theirs = [
                types.Tool(name=name, description=tool["description"], input_schema=tool["parameters"])
                for name, tool in self._tools.items()
            ]
            return types.ListToolsResult(tools=[*own, *theirs])

        async def call_tool(_: Any, called: types.CallToolRequestParams) -> types.CallToolResult:
            result = await self.call(called.name, called.arguments or {})
            return types.CallToolResult(
                content=[types.TextContent(type="text", text=result.text)], is_error=result.is_error
            )

        async def list_prompts(_: Any, __: Any) -> types.ListPromptsResult:
            return types.ListPromptsResult(prompts=[types.Prompt(name="task", description=_OWN[READ_TASK])])

        async def get_prompt(_: Any, asked: types.GetPromptRequestParams) -> types.GetPromptResult:
            if asked.name != "task":
                raise ValueError(f"there is no prompt {asked.name!r}, only: task")
            text = types.TextContent(type="text", text=self.task)
            return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])

        return Server(
            "gitgoodbench",
            version=gitgoodbench.__version__,
            instructions=self.task,
            on_list_tools=list_tools,
            on_call_tool=call_tool,
            on_list_prompts=list_prompts,
            on_get_prompt=get_prompt,
        )

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """One call, after those before it: a session has one user at a time."""
        async with self._lock:
            if name == READ_TASK:
                return ToolResult(self.task)
            if name == FINISH_TASK:
                self.done.set()
                return ToolResult("The work is finished." if self._session.finished else "Finished as it is.")
            if self.done.is_set():
                return ToolResult("error: not run: the work is finished", is_error=True)
            result = await self._session.acall(name, arguments)
            if self._session.finished:
                self.done.set()
            return result


async def _over_stdio(server: Server[Any], served: Served) -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_when_done, served, tasks.cancel_scope.cancel)
        await server.run(incoming, outgoing, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _over_http(server: Server[Any], served: Served, port: int, announce: Callable[[str], None]) -> None:
    import anyio
    import uvicorn

    application = server.streamable_http_app(host="127.0.0.1")
    http = uvicorn.Server(uvicorn.Config(application, host="127.0.0.1", port=port, log_level="error"))
    http.install_signal_handlers = lambda: None  # type: ignore[attr-defined]

    def stop() -> None:
        http.should_exit = True

    async def tell() -> None:
        while not http.started:
            await anyio.sleep(0.01)
        announce(f"http://127.0.0.1:{http.servers[0].sockets[0].getsockname()[1]}/mcp")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_when_done, served, stop)
        tasks.start_soon(tell)
        try:
            await http.serve()
        except SystemExit:
            raise UserError(f"port {port} cannot be listened on: another program has it; give another --http") from None
        tasks.cancel_scope.cancel()


async def _stop_when_done(served: Served, stop: Callable[[], None]) -> None:
    """A client that has finished gets a moment to read the last result."""
    import anyio

    await served.done.wait()
    with contextlib.suppress(TimeoutError):
        await anyio.sleep(_GRACE_S)
    stop()
