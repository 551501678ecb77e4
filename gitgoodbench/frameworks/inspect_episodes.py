"""Episodes within samples of Inspect AI: opened by a setup solver, played by any solver or agent, kept in the log.

A session is a live object, so the process holds it; the store, which the log keeps, has what the agent left, from which
`inspect score` works later.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from gitgoodbench.api.bench import Bench
from gitgoodbench.api.session import Session
from gitgoodbench.errors import GitGoodBenchError, Status
from gitgoodbench.extras import needed

with needed("inspect", "anyio", "inspect_ai"):
    import anyio.to_thread
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser
    from inspect_ai.solver import Generate, Solver, TaskState, solver
    from inspect_ai.tool import Tool, ToolDef, ToolParams
    from inspect_ai.util import StoreModel, store_as

R = TypeVar("R")

_MOST_OPEN: Final = 1024
"""Inspect limits how many samples run at once (--max-samples)."""

_SESSIONS: Final[dict[str, Session]] = {}
"""By the uuid of a sample's state."""


class BenchArguments(BaseModel):
    """Which tasks, and where they are played: arguments of `Bench`, as tasks and scorers of Inspect take them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    scenario: str
    suite: str = "mini"
    tools: Literal["published", "extended", "shell"] = "published"
    sandbox: str = "auto"
    repos: str | None = None
    offline: bool = False
    history: int | None = None

    @classmethod
    def of(cls, state: TaskState) -> BenchArguments:
        """Those of the task that a sample is of; a sample has them, so that its log says enough."""
        return cls(**state.metadata["bench"])

    def bench(self) -> Bench:
        """The bench; one for all that ask with the same arguments.

        Raises:
            UserError: as `Bench`.
        """
        return _bench(self)

    def scoring_bench(self) -> Bench:
        """A bench that scores: it needs no Docker, but where the agent had a shell."""
        return _bench(self if self.tools == "shell" else self.model_copy(update={"sandbox": "local"}))


@lru_cache(maxsize=8)
def _bench(arguments: BenchArguments) -> Bench:
    fields: dict[str, Any] = arguments.model_dump()
    return Bench(**fields, max_open=_MOST_OPEN)


class Left(StoreModel):
    """What the log keeps of a sample's episode.

    session: the key of the live session. status, error: how the agent ended, where the solver knows more than the
    session. working: a solver of ours works, so whatever cuts it off is a limit. outcome: `Outcome.to_json`.
    judge: what the grader said, as result.json has it.
    """

    session: str | None = None
    working: bool = False
    status: str | None = None
    error: str | None = None
    outcome: str | None = None
    judge: dict[str, Any] | None = None

    def end(self, status: Status, error: str) -> None:
        """Note how the agent's work ended."""
        self.status, self.error = status.value, error


async def in_thread(function: Callable[..., R], *args: Any) -> R:
    """Run what waits for Git, Docker or a score beside the event loop."""
    return await anyio.to_thread.run_sync(partial(function, *args))


@solver(name="open_episode")
def open_episode() -> Solver:
    """Set a sample up in a sandbox: prompt and tools are in the state afterwards. For `setup=` of a Task."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        def begin() -> Session:
            bench = BenchArguments.of(state).bench()
            task = bench.task(state.metadata["task"])
            _SESSIONS[state.uuid] = session = bench.open(task, state.epoch - 1)
            return session

        session = await in_thread(begin)
        store_as(Left).session = state.uuid
        kinds = {"system": ChatMessageSystem, "user": ChatMessageUser}
        state.messages = [kinds[message["role"]](content=message["content"]) for message in session.prompt]
        state.tools = tools_of(session)
        return state

    return solve


async def close_episode(state: TaskState) -> None:
    """Keep what the agent left, where no scorer has, and remove the sandbox. For `cleanup=` of a Task."""
    session = _SESSIONS.get(state.uuid)
    if session is None:
        return
    try:
        await keep_outcome(state.store_as(Left), session)
    finally:
        del _SESSIONS[state.uuid]
        await in_thread(session.close)


async def keep_outcome(left: Left, session: Session) -> None:
    """End the session and put its outcome into the store, unless it is there."""
    if left.outcome is not None:
        return
    status, error = left.status, left.error
    if status is None and left.working and not session.finished:
        status, error = Status.LIMIT_REACHED.value, "a limit of Inspect's ended the work"
    outcome = await in_thread(session.finish, status, error)
    left.outcome = outcome.to_json()


def session_of(left: Left) -> Session:
    """The live session of a sample.

    Raises:
        GitGoodBenchError: there is none: the task is not one of ours.
    """
    session = _SESSIONS.get(left.session or "")
    if session is None:
        raise GitGoodBenchError(
            "this sample has no episode: its task needs setup=open_episode(), as gitgoodbench/mcr has it"
        )
    return session


def live_session(state: TaskState) -> Session | None:
    """The session of a sample that is being run; None where its log is scored later."""
    return _SESSIONS.get(state.uuid)


def tools_of(session: Session) -> list[Tool]:
    """The tools of a session, as Inspect's agents take them."""
    return [_tool(session, schema["function"]) for schema in session.tools]


def _tool(session: Session, schema: dict[str, Any]) -> Tool:
    name = schema["name"]

    async def execute(**arguments: Any) -> str:
        result = await in_thread(session.call, name, arguments)
        return result.text

    parameters = ToolParams.model_validate(schema["parameters"])
    definition = ToolDef(
        execute, name=name, description=schema["description"], parameters=parameters, parallel=False, max_output=0
    )
    return definition.as_tool()


class EpisodeTools:
    """A ToolSource: the tools of the sample that asks, for agents that are made before any sample is known."""

    async def tools(self) -> list[Tool]:
        return tools_of(session_of(store_as(Left)))


def episode_tools() -> EpisodeTools:
    """`react(tools=[episode_tools()])` gives any agent the tools of the sample that it works on."""
    return EpisodeTools()
