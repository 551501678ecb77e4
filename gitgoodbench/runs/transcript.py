"""trajectory.jsonl and judging.jsonl: what is said, written line by line as it happens.

Each line is one write, so a kill costs nothing that was said before it. The end is synced; a power failure before it
costs the last words of an episode that is played anew, and no money: the ledger is synced at every reply.
A message is written once, with a number; what was asked is told by the numbers of its messages. Text is UTF-8; lone
surrogates are escaped.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from gitgoodbench.errors import RunAborted
from gitgoodbench.models.messages import Aside, Message
from gitgoodbench.models.meter import Tokens
from gitgoodbench.models.recording import Exchange, Fate, Request
from gitgoodbench.runs.events import utc_now
from gitgoodbench.runs.result import finite, one_line

FORMAT: Final = 2
"""Of trajectories that are written turn by turn; those before are one object in trajectory.json."""

PARTIAL_LIMIT: Final = 1024 * 1024
"""Bytes kept of a reply that is no answer."""

Copy = Callable[[str, bytes, bool], None]
"""Gets what is appended to a file, too: the file's name, the bytes, and whether they are to be synced."""

Ranges = list[list[int]]
"""Numbers in order, as [first, last] of those that follow one another."""


class Transcript:
    """The file of one episode, open for appending. For one thread at a time that speaks, and any that closes it."""

    def __init__(self, path: Path, *, copy: Copy | None = None, **head: Any) -> None:
        """
        Args:
            copy: gets every line, too.
            head: whose conversation it is; the first line that this object writes says it. Numbers count from there.
        """
        self._path = path
        self._copy = copy
        self._head: dict[str, Any] | None = head
        self._lock = threading.Lock()
        self._descriptor: int | None = None
        self._numbers: dict[int, tuple[Message, int]] = {}
        self._known: dict[str, int] = {}
        self._settings: dict[str, int] = {}
        self._next = 0

    def message(self, message: Message) -> int:
        """A message entered the conversation; its number."""
        return self._enter(message)

    def asked(self, request: Request, conversation: str | None = None) -> None:
        """A request is on its way: write down what it is asked with, which `exchange` does else."""
        self._setting(request)
        self._numbers_of(request.messages, conversation)

    def exchange(self, exchange: Exchange, conversation: str | None = None) -> None:
        """What was asked, and what came back.

        Args:
            conversation: which one, where a file has several.
        """
        request = exchange.request
        asked: dict[str, Any] = {
            "conversation": conversation,
            "request": self._setting(request),
            "messages": self._numbers_of(request.messages, conversation),
            "started": exchange.started,
            "seconds": round(exchange.seconds, 3),
            "attempt": exchange.attempt,
            "tokens": _known(exchange.tokens),
            "cost_usd": 0.0 if exchange.fate is Fate.CACHED else exchange.cost_usd,
            "response_id": exchange.response_id,
            "model": exchange.model,
        }
        if exchange.message is not None:
            number = self._new(exchange.message)
            fields = {"cached": exchange.fate is Fate.CACHED, "finish_reason": exchange.finish_reason, **asked}
            self.write("answer", number=number, message=exchange.message, **fields)
        else:
            self.write(
                "fault", fate=exchange.fate.value, status=exchange.status,
                cause=one_line(exchange.cause or ""), partial=_partial(exchange.body), **asked,
            )  # fmt: skip

    def end(
        self,
        messages: Sequence[Message],
        *,
        conversation: str | None = None,
        asides: Sequence[Aside] = (),
        **ending: Any,
    ) -> None:
        """The conversation is over. messages: all of it, some of which may not have been told before.

        Args:
            conversation: its name, where the file has several.
            asides: the others.
        """
        if conversation is not None:
            others = [
                {"name": one.name, "call": one.call, "messages": self._numbers_of(one.messages, one.name)}
                for one in asides
            ]
            ending |= {"conversation": conversation, "asides": others}
        self.write("end", messages=self._numbers_of(messages, conversation), sync=True, **ending)

    def write(self, kind: str, *, sync: bool = False, **details: Any) -> None:
        """Append one line.

        Raises:
            RunAborted: it cannot be written.
        """
        data = _line({"kind": kind, "time": utc_now(), **details})
        if self._head is not None:
            head, self._head = self._head, None
            data = _line({"kind": "episode", "time": utc_now(), "format": FORMAT, **head}) + data
        try:
            with self._lock:
                if self._descriptor is None:
                    self._descriptor = open_lines(self._path)
                if os.write(self._descriptor, data) != len(data):
                    raise OSError(28, "only a part of a line was written")
                if sync:
                    os.fsync(self._descriptor)
        except OSError as problem:
            raise RunAborted(f"{self._path} cannot be written: {problem.strerror}") from problem
        if self._copy is not None:
            self._copy(self._path.name, data, sync)

    def close(self) -> None:
        with self._lock:
            descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def _numbers_of(self, messages: Sequence[Message], conversation: str | None) -> Ranges:
        return ranges([self._number(message, conversation) for message in messages])

    def _number(self, message: Message, conversation: str | None = None) -> int:
        """The number of a message that is asked with: the one it has, or that of an equal one, or a new one."""
        held = self._numbers.get(id(message))
        if held is not None:
            return held[1]
        known = self._known.get(_digest(message))
        return self._enter(message, conversation) if known is None else self._hold(message, known)

    def _enter(self, message: Message, conversation: str | None = None) -> int:
        number = self._new(message)
        whose: dict[str, Any] = {} if conversation is None else {"conversation": conversation}
        self.write("message", number=number, message=message, **whose)
        return number

    def _new(self, message: Message) -> int:
        number, self._next = self._next, self._next + 1
        self._known.setdefault(_digest(message), number)
        return self._hold(message, number)

    def _hold(self, message: Message, number: int) -> int:
        self._numbers[id(message)] = message, number  # holding it keeps its id its own
        return number

    def _setting(self, request: Request) -> int:
        """The number of what is the same in many requests: model, tools, parameters."""
        setting = {
            "api": request.api,
            "model": request.model,
            "parameters": dict(request.parameters),
            "tools": list(request.tools),
        }
        digest = _digest(setting)
        if digest not in self._settings:
            self._settings[digest] = len(self._settings)
            self.write("request", number=self._settings[digest], asked=setting)
        return self._settings[digest]


def open_lines(path: Path) -> int:
    """Open for appending; a line that a power failure cut short is ended."""
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    size = os.fstat(descriptor).st_size
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        os.write(descriptor, b"\n")
    return descriptor


def _line(value: Mapping[str, Any]) -> bytes:
    """One line of JSON. As UTF-8 text is as long as it came; only lone surrogates, which UTF-8 has not, are escaped."""
    text = json.dumps(finite(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(finite(value), allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("ascii")).hexdigest()


def _known(tokens: Tokens) -> dict[str, int] | None:
    return {name: count for name, count in vars(tokens).items() if count is not None} or None


def _partial(body: bytes) -> str | None:
    if not body:
        return None
    kept = body[:PARTIAL_LIMIT].decode("utf-8", "backslashreplace")
    return kept if len(body) <= PARTIAL_LIMIT else f"{kept}\n[cut: {len(body)} bytes arrived]"


def ranges(numbers: Sequence[int]) -> Ranges:
    """Numbers as [first, last] of each row of numbers that follow one another."""
    found: Ranges = []
    for number in numbers:
        if found and found[-1][1] + 1 == number:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found
