"""Who hears of every request to a model: the one seam for ledgers, trajectories and caches.

An answer is paid, so it is told here before it is used. The recorder may have the answer already, it may refuse to pay
for another, and it is told of every reply, whatever becomes of it.

    with recording(recorder):
        agent.run(episode, budget)

holds for what this thread asks within the block.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Protocol

from gitgoodbench.models.messages import Message
from gitgoodbench.models.meter import Tokens


class Fate(StrEnum):
    """What became of a request.

    answered: the model's answer arrived. cached: it was known, and nobody was asked. refused: the server answered with
    an error, or could not be reached; that costs nothing. unreadable: a reply that is not what the API promises. lost:
    none, or half of one. A provider may bill the last two.
    """

    ANSWERED = "answered"
    CACHED = "cached"
    REFUSED = "refused"
    UNREADABLE = "unreadable"
    LOST = "lost"


@dataclass(frozen=True)
class Request:
    """One question to a model. messages, tools: in Chat Completions form. parameters: all else that is sent.

    wanted: the parameters before anything that the server refuses was left out; None: the same. server: its address.
    """

    model: str
    messages: Sequence[Message]
    tools: Sequence[dict[str, Any]] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    api: str = "chat"
    wanted: Mapping[str, Any] | None = None
    server: str | None = None

    def digest(self, *more: object) -> str:
        """The hash of the question; `more` tells apart what asks the same on purpose (the epoch)."""
        parameters = self.parameters if self.wanted is None else self.wanted
        parts = [self.api, self.model, parameters, list(self.messages), list(self.tools), *more]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Exchange:
    """A request and what came of it.

    started: UTC, ISO 8601. seconds: until the last byte, or until it failed. body: of the reply, without the key, as
    far as it arrived. cost_usd: None is unknown. message, finish_reason, response_id, model: of the answer, as the
    server has them. status: HTTP's; None where nothing came. cause: why there is no answer, on one line.
    attempt: 1 for the first try of an answer.
    """

    request: Request
    fate: Fate
    started: str
    seconds: float
    body: bytes = b""
    tokens: Tokens = field(default_factory=Tokens)
    cost_usd: float | None = None
    message: Message | None = None
    finish_reason: str | None = None
    response_id: str | None = None
    model: str | None = None
    status: int | None = None
    cause: str | None = None
    attempt: int = 1


@dataclass(frozen=True)
class ToolRun:
    """A tool call that was run. id, name: as the caller wrote them. error: the kind of failure; None: it worked."""

    id: str
    name: str
    seconds: float
    error: str | None = None


class Recorder(Protocol):
    """Keeps what is asked and answered, in the order in which it happens. One for each episode and judge."""

    def recall(self, request: Request) -> bytes | None:
        """The body of the reply that this question had before; None where it must be asked."""
        ...

    def asking(self, request: Request) -> None:
        """A request is about to be sent.

        Raises:
            CostLimitReached: the money is spent; it must not be sent.
            RunAborted: the account cannot be kept.
        """
        ...

    def sent(self, request: Request) -> None:
        """The request is on its way: time for work that need not wait for the reply. Not told by everybody who asks.

        Raises:
            RunAborted: what is kept cannot be written.
        """
        ...

    def received(self, exchange: Exchange) -> None:
        """A reply arrived, or will not. It is kept when this returns, before anything is done with it.

        Raises:
            RunAborted: it cannot be kept, or a limit cannot be watched.
        """
        ...

    def said(self, message: Message) -> None:
        """A message that is not the model's entered the conversation: a prompt, the result of a tool."""
        ...

    def called(self, run: ToolRun) -> None:
        """A tool call was run; its result is `said` next, unless the call ended the episode by an exception."""
        ...

    def discard(self) -> None:
        """The answers of this conversation were of no use: they are not to be recalled."""
        ...

    def conversation(self, name: str, epoch: int) -> Recorder:
        """The recorder of one of several conversations. epoch: tells apart what asks the same on purpose."""
        ...


class _Nobody:
    """Keeps nothing, allows everything: for models that are asked outside of runs."""

    def recall(self, request: Request) -> bytes | None:  # noqa: ARG002
        return None

    def asking(self, request: Request) -> None: ...

    def sent(self, request: Request) -> None: ...

    def received(self, exchange: Exchange) -> None: ...

    def said(self, message: Message) -> None: ...

    def called(self, run: ToolRun) -> None: ...

    def discard(self) -> None: ...

    def conversation(self, name: str, epoch: int) -> Recorder:  # noqa: ARG002
        return self


_NOBODY: Final = _Nobody()
_CURRENT: ContextVar[Recorder] = ContextVar("recorder", default=_NOBODY)


@contextlib.contextmanager
def recording(recorder: Recorder) -> Iterator[None]:
    """Tell this recorder of what this thread asks within the block. What it raises ends the asking."""
    token = _CURRENT.set(recorder)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def recorder() -> Recorder:
    """Who hears of what this thread asks."""
    return _CURRENT.get()


def say(messages: list[Message], message: Message) -> None:
    """Put a message that is no answer of a `ChatModel` into a conversation, and on record."""
    recorder().said(message)
    messages.append(message)
