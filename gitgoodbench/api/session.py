"""A session: one episode, open for anybody who calls its tools."""

from __future__ import annotations

import asyncio
import copy
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from gitgoodbench.agents.calls import run_answer
from gitgoodbench.errors import AgentFailed, EpisodeError, GaveUp, GitGoodBenchError, Status
from gitgoodbench.jsontypes import Json
from gitgoodbench.models.messages import Message, ToolCall, recorded_call, tool_result
from gitgoodbench.models.meter import Budget, Meter, Tokens
from gitgoodbench.models.recording import recorder
from gitgoodbench.runs.play import collect_outcome
from gitgoodbench.sandbox.base import Sandbox, SandboxDied, SandboxTaken
from gitgoodbench.scenario import Episode, Outcome, ToolSet
from gitgoodbench.text import clean_json
from gitgoodbench.tools import ToolResult

P = ParamSpec("P")
R = TypeVar("R")

Arguments = Mapping[str, Any] | str
"""Arguments of a call: a mapping, or the JSON text that a model wrote."""

_UNLIMITED = Budget(max_turns=None, timeout_s=None)


class SessionError(GitGoodBenchError):
    """A session that is closed, or that somebody else is using at this moment."""


class Session:
    """One open episode: read `prompt`, call `tools` until `finished`, then `finish`.

    A session has one user at a time: a second one gets a SessionError, at once. `close`, which leaving the `with` block
    calls, removes the sandbox; any thread may call it at any moment. Methods with an `a` before their names are the
    same for asyncio and block nobody.
    """

    def __init__(
        self,
        episode: Episode,
        session_id: str,
        tool_set: ToolSet,
        *,
        meter: Meter | None = None,
        executor: Executor | None = None,
        closing: Callable[[], None] = lambda: None,
    ) -> None:
        """For the harness; see `Bench.open`.

        Args:
            closing: called once, when the session is closed.
            executor: where asyncio's variants run; None: in the event loop's own.
        """
        self._tool_set = tool_set
        self._meter = Meter(_UNLIMITED) if meter is None else meter
        self._executor = executor
        self._closing = closing
        self._closed = False
        self._closing_lock = threading.Lock()
        self._lock = threading.Lock()
        self._recorder = recorder()
        self._begin(episode, session_id)

    def _begin(self, episode: Episode, session_id: str) -> None:
        self.id = session_id
        self._episode: Episode | None = episode
        self._sandbox = episode.sandbox
        self._tools = [tool.schema for tool in episode.tools]
        self._ending: EpisodeError | None = None
        self._outcome: Outcome | None = None
        self._messages: list[Message] = []
        for message in episode.prompt:
            self._say(clean_json(dict(message)))
        self._opening = len(self._messages)
        self._answers = 0

    def begin_anew(self, session_id: str, renewed: Callable[[Sandbox], Episode]) -> None:
        """For the harness; see `Bench.reset`.

        Args:
            renewed: begins another episode, in this sandbox or another one.
        """
        with self._used():
            self._episode = None
            episode = renewed(self._sandbox)
            with self._closing_lock:
                if not self._closed:
                    self._begin(episode, session_id)
                    return
            episode.sandbox.close()
            raise SessionError(f"session {self.id} is closed")

    def __repr__(self) -> str:
        state = "closed" if self._closed else "finished" if self.finished else "open"
        return f"<Session {self.id}, {state}>"

    @property
    def prompt(self) -> list[Message]:
        """The system and user messages that open the conversation, in Chat Completions form."""
        return [dict(message) for message in self._messages[: self._opening]]

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The schemas of the tools, in Chat Completions form."""
        return copy.deepcopy(self._tools)

    @property
    def facts(self) -> dict[str, Json]:
        """What is known of the sample, such as `attainable`; not for the agent."""
        return dict(self._live.facts)

    @property
    def finished(self) -> bool:
        """Whether no call can do anything any more."""
        episode = self._episode
        return self._ending is not None or self._outcome is not None or episode is None or episode.finished

    @property
    def reminder(self) -> str:
        """What to tell an agent that answers without a tool call although the work is not finished."""
        return self._live.reminder

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox, for agents that work in it themselves. Without isolation (`local`) it is this machine."""
        return self._sandbox

    @property
    def messages(self) -> tuple[Message, ...]:
        """The prompt, every answer's calls, and their results, in Chat Completions form."""
        return tuple(self._messages)

    @property
    def answers(self) -> int:
        """How many answers have called tools."""
        return self._answers

    def call(self, name: str, arguments: Arguments) -> ToolResult:
        """Call one tool: an answer with a single call. What is wrong with it comes back as text, `error: ...`.

        Raises:
            SessionError: the session is closed, or in use.
            SandboxDied: the sandbox is gone, through no fault of the agent's.
        """
        return self.calls([(name, arguments)])[0]

    def calls(self, calls: Iterable[tuple[str, Arguments]]) -> list[ToolResult]:
        """The calls of one answer, in order. Numbers in them mean what they mean now; after one that fails, or that
        finishes the work, the later ones are not run.

        Raises:
            SessionError, SandboxDied: as for `call`.
        """
        texts = [(str(name), _written(value)) for name, value in calls]
        with self._used():
            self._answers += 1
            written = [ToolCall(f"call_{self._answers}_{n}", *call) for n, call in enumerate(texts, 1)]
            self._say({"role": "assistant", "content": None, "tool_calls": [recorded_call(call) for call in written]})
            results = list(self._results(written))
            for call, result in zip(written, results, strict=True):
                self._say(tool_result(call.id, result.text))
            return results

    def _say(self, message: Message) -> None:
        """Put a message into the conversation, and on the record of the run that this session belongs to, if any."""
        self._recorder.said(message)
        self._messages.append(message)

    def _results(self, calls: Sequence[ToolCall]) -> Iterator[ToolResult]:
        """A result for each call, also where the episode ends by one of them."""
        done = 0
        if self._ending is None and self._outcome is None:
            try:
                self._meter.check()
                self._meter.count(Tokens())
                for result in run_answer(self._live, calls, self._meter.seconds_left):
                    yield result
                    done += 1
            except EpisodeError as ending:
                self._ending = ending
            except SandboxDied as death:
                if not self._tool_set.has_shell or isinstance(death, SandboxTaken):
                    raise
                self._ending = AgentFailed(str(death))
        why = "the work is finished" if self._ending is None else str(self._ending)
        yield from [ToolResult(f"error: not run: {why}", is_error=True)] * (len(calls) - done)

    def finish(self, status: Status | str | None = None, error: str | None = None) -> Outcome:
        """End the work and take out what the agent left. A second time gives the same outcome.

        Args:
            status: how the agent ended, if you know better than the session: `completed`, `gave_up`, `limit_reached`,
                `agent_failed`, or `infrastructure_failed`, with which nothing is scored.
            error: why.

        Raises:
            SessionError: the session was closed before, or is in use.
            ValueError: there is no such status.
            GitGoodBenchError: the outcome cannot be taken out, through no fault of the agent's.
        """
        if self._outcome is None:
            with self._used():
                self._outcome = self._left(*(self.ending if status is None else (Status(status), error)))
        return self._outcome

    def left_so_far(self) -> Outcome:
        """The outcome if the work ended now; it goes on.

        Raises:
            SessionError, GitGoodBenchError: as for `finish`.
        """
        with self._used():
            return self._outcome or self._left(*self.ending)

    def _left(self, ended: Status, why: str | None) -> Outcome:
        left = collect_outcome(self._live, self._tool_set) if ended.is_answer else Outcome(None, None)
        return replace(left, agent_status=ended, agent_error=why)

    @property
    def ending(self) -> tuple[Status, str | None]:
        """How the agent's work ended, if it ends now, and why."""
        if self._outcome is not None:
            return self._outcome.agent_status, self._outcome.agent_error
        if self._ending is not None:
            return self._ending.status, str(self._ending)
        if self._live.finished:
            return Status.COMPLETED, None
        return GaveUp.status, "stopped with work left"

    def close(self) -> None:
        """Remove the sandbox with everything in it. May be called twice.

        Raises:
            InfrastructureFailed: it cannot be removed; `gitgoodbench clean` can, later.
        """
        with self._closing_lock:
            if self._closed:
                return
            self._closed = True
            self._episode = None  # with the repositories that it has borrowed
        self._closing()

    async def acall(self, name: str, arguments: Arguments) -> ToolResult:
        """See `call`."""
        return await self._in_thread(self.call, name, arguments)

    async def acalls(self, calls: Iterable[tuple[str, Arguments]]) -> list[ToolResult]:
        """See `calls`."""
        return await self._in_thread(self.calls, list(calls))

    async def afinish(self, status: Status | str | None = None, error: str | None = None) -> Outcome:
        """See `finish`."""
        return await self._in_thread(self.finish, status, error)

    async def aclose(self) -> None:
        """See `close`. Also where the task is cancelled meanwhile, the sandbox goes."""
        await asyncio.shield(asyncio.ensure_future(self._in_thread(self.close)))

    async def _in_thread(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._executor, partial(function, *args, **kwargs))

    @property
    def _live(self) -> Episode:
        episode = self._episode
        if episode is None:
            raise SessionError(f"session {self.id} is closed")
        return episode

    @contextmanager
    def _used(self) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            raise SessionError(
                f"session {self.id} is in use: it has one user at a time; wait for the call that is under way, send "
                "the calls of one answer together (calls), or open another session"
            )
        try:
            _ = self._live
            yield
        finally:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _written(arguments: Arguments) -> str:
    """The arguments as a model would have written them; what JSON has not appears as Python shows it, and is refused
    as other text that is no JSON.
    """
    if isinstance(arguments, str):
        return arguments
    try:
        return json.dumps(dict(arguments) if isinstance(arguments, Mapping) else arguments)
    except (TypeError, ValueError, RecursionError):
        return repr(arguments)
