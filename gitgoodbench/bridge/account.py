"""What an episode's requests through the bridge may use, and what they used: reserved before, told after.

Several requests may be under way at once; each is reserved as if it became as dear as the dearest so far.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gitgoodbench.bridge.conversations import Conversations, Spoken
from gitgoodbench.errors import InfrastructureFailed, LimitReached
from gitgoodbench.models.messages import Message
from gitgoodbench.models.meter import Meter, TimeIsUp, Tokens
from gitgoodbench.models.recording import Exchange, Fate, Recorder, Request


@dataclass(frozen=True)
class Call:
    """One request of a client, and what came of it.

    conversation: its number, from 0. client: what the program calls itself. size: bytes of the request. status: of
    the reply to the client; 0 where the client got none, or half of one.
    """

    conversation: int
    api: str
    streamed: bool
    client: str
    size: int
    status: int
    seconds: float
    tokens: Tokens = field(default_factory=Tokens)


class Account:
    """See the module's docstring. For any thread.

    meter: nobody else's while the bridge stands. recorder: hears of each request in Chat Completions form.
    """

    def __init__(self, meter: Meter, recorder: Recorder) -> None:
        self._meter, self._recorder = meter, recorder
        self._changed = threading.Condition(threading.RLock())
        self._under_way = self._open = 0
        self._closed = False
        self._calls: list[Call] = []
        self._conversations = Conversations()

    @property
    def calls(self) -> list[Call]:
        """Requests that have ended, in the order of their ends."""
        with self._changed:
            return list(self._calls)

    def conversations(self) -> list[list[Message]]:
        """What was said, conversation by conversation, in Chat Completions form."""
        with self._changed:
            return [self._conversations.messages(number) for number in range(len(self._conversations))]

    @contextlib.contextmanager
    def reserve(self) -> Iterator[None]:
        """Reserve what one answer may use; where only answers under way are in its way, wait for them.

        Raises:
            LimitReached: a limit is used up.
        """
        with self._changed:
            while not self._is_free():
                self._changed.wait(self._patience())
            self._under_way += 1
        try:
            yield
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    def spoken(self) -> Spoken:
        """What was said, as a trajectory has it."""
        with self._changed:
            return self._conversations.spoken()

    def place(self, messages: Sequence[Message]) -> tuple[int, tuple[Message, ...]]:
        """A request has come: see `Conversations.place`. `ended` tells of its end."""
        with self._changed:
            placed = self._conversations.place(messages)
            self._open += 1
            return placed

    def ended(self, call: Call) -> None:
        """A request has ended."""
        with self._changed:
            self._conversations.ended(call.conversation)
            self._calls.append(call)
            self._open -= 1
            self._changed.notify_all()

    def close(self, wait_s: float) -> None:
        """Wait for requests that have not ended, so long at most; then nothing more is recorded or counted."""
        with self._changed:
            self._changed.wait_for(lambda: self._open == 0, wait_s)
            self._closed = True

    def entry(self, conversation: int) -> Entry:
        """For one request of a conversation."""
        return Entry(self, conversation)

    def seconds_left(self) -> float:
        """See `Meter.seconds_left`."""
        with self._changed:
            return self._meter.seconds_left()

    def excuse(self, seconds: float) -> None:
        """See `Meter.excuse`."""
        with self._changed:
            self._meter.excuse(seconds)

    def note(self, text: str) -> None:
        """See `Meter.note`."""
        with self._changed:
            self._meter.note(text)

    def cost(self, tokens: Tokens) -> float | None:
        """See `Meter.cost`."""
        return self._meter.cost(tokens)

    def _is_free(self) -> bool:
        self._meter.check()
        try:
            self._meter.check(self._under_way)
        except TimeIsUp:
            raise
        except LimitReached:
            return False
        return True

    def _patience(self) -> float | None:
        left = self._meter.seconds_left()
        return None if left == float("inf") else left


class Entry:
    """One request in the books, from its reservation to its reply."""

    def __init__(self, account: Account, conversation: int) -> None:
        self._account, self._conversation = account, conversation
        self._books = account._recorder.conversation(str(conversation), 1)
        self.tokens = Tokens()

    def asking(self, request: Request) -> None:
        """See `Recorder.asking`."""
        with self._account._changed:
            if self._account._closed:
                raise InfrastructureFailed("the bridge is closed")
            self._books.asking(request)
            self._account._meter.requests += 1

    def sent(self, request: Request) -> None:
        """See `Recorder.sent`."""
        with self._account._changed:
            if not self._account._closed:
                self._books.sent(request)

    def received(self, exchange: Exchange) -> None:
        """See `Recorder.received`. An answer is counted, too."""
        with self._account._changed:
            if self._account._closed:  # its books may be, too
                return
            self.tokens = exchange.tokens
            if exchange.fate is Fate.ANSWERED:
                self._account._meter.count(exchange.tokens)
                self._account._conversations.answered(self._conversation, _message(exchange.message))
            self._books.received(exchange)


def _message(message: Any) -> Message:
    return message or {"role": "assistant", "content": ""}
