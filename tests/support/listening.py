"""A recorder that remembers what it is told, and does what a test sets."""

from __future__ import annotations

from gitgoodbench.errors import CostLimitReached
from gitgoodbench.models.messages import Message
from gitgoodbench.models.recording import Exchange, Recorder, Request, ToolRun


class Listener:
    """Remembers all, and does what a test sets."""

    def __init__(self, *, known: dict[int, bytes] | None = None, allowed: int = 1000) -> None:
        self.told: list[Exchange] = []
        self.heard: list[Message] = []
        self.asked = 0
        self._known = known or {}
        self._allowed = allowed

    def recall(self, request: Request) -> bytes | None:
        return self._known.get(sum(message["role"] == "assistant" for message in request.messages))

    def asking(self, request: Request) -> None:  # noqa: ARG002
        if self.asked == self._allowed:
            raise CostLimitReached("the money is spent")
        self.asked += 1

    def sent(self, request: Request) -> None: ...

    def received(self, exchange: Exchange) -> None:
        self.told.append(exchange)

    def said(self, message: Message) -> None:
        self.heard.append(message)

    def called(self, run: ToolRun) -> None: ...

    def discard(self) -> None: ...

    def conversation(self, name: str, epoch: int) -> Recorder:  # noqa: ARG002
        return self
