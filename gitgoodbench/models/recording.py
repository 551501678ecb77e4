"""Who hears of every request to a model: the one seam for ledgers, trajectories and whatever else keeps books.

An answer is paid, so it is told here before it is used: `ChatModel` calls the recorder with each reply as soon as it
is there, be it the answer, an error, unreadable, or nothing at all.

    with recording(ledger.enter):
        agent.run(episode, budget)

holds for what this thread asks within the block; blocks nest, and each recorder hears.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from gitgoodbench.models.apis.base import Glance


@dataclass(frozen=True)
class Exchange:
    """One request, and what came of it.

    request: its body as sent. attempt: 1 for the first of an answer. started: UTC, ISO 8601. seconds: until the last
    byte, or until it failed. status: HTTP's; None where nothing came. reply: the body as it came, without the key.
    problem: why it is no answer. glance: what could be read of it for the books.
    """

    api: str
    model: str
    address: str
    request: Mapping[str, Any]
    attempt: int
    started: str
    seconds: float
    status: int | None
    reply: bytes | None
    problem: str | None
    glance: Glance


Recorder = Callable[[Exchange], None]

_RECORDERS: ContextVar[tuple[Recorder, ...]] = ContextVar("recorders", default=())


@contextlib.contextmanager
def recording(recorder: Recorder) -> Iterator[None]:
    """Tell the recorder of every request of this thread within the block. What it raises ends the asking."""
    token = _RECORDERS.set((*_RECORDERS.get(), recorder))
    try:
        yield
    finally:
        _RECORDERS.reset(token)


def record(exchange: Exchange) -> None:
    """Tell everybody who listens."""
    for recorder in _RECORDERS.get():
        recorder(exchange)
