"""The conversations of one episode, told apart: an agent may have others work for it, and name what it does.

A request continues the conversation whose last request it begins with. One that keeps only the beginning of it, the
prompt, has rewritten its history, as agents do when it gets long: it continues that conversation, too. Every message is
kept once, under its hash, and an answer that comes back in a later request is the answer as the model gave it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gitgoodbench.models.messages import Aside, Message

_TASK: Final = 20
"""Characters of an argument that can be the task of a sub-agent."""

_CALLS: Final = 500
"""Arguments of calls that are looked through for a task, the latest."""

Digests = tuple[str, ...]


@dataclass(frozen=True)
class Spoken:
    """All that was said in an episode. name: of the main conversation, in the records of requests; None without one."""

    name: str | None = None
    messages: tuple[Message, ...] = ()
    asides: tuple[Aside, ...] = ()


@dataclass
class _Thread:
    """One conversation. asked: its last request. said: all that was said in it, in order. opening: messages before the
    first answer. busy: requests without an answer yet. call: that it works on."""

    asked: Digests
    said: list[str]
    opening: int
    call: str | None
    busy: int = 1
    last: str | None = field(default=None)

    def shares(self, digests: Digests) -> int:
        """How many messages a request has in common with the last one, from the beginning."""
        return next((at for at, (a, b) in enumerate(zip(self.asked, digests, strict=False)) if a != b),
                    min(len(self.asked), len(digests)))  # fmt: skip

    def go_on(self, digests: Digests) -> None:
        """Take in a request that continues it."""
        if digests == self.asked and self.last is not None and self.said[-1:] == [self.last]:
            self.said.pop()  # the client asks once more: it has not got that answer
        else:
            shared = self.shares(digests)
            known = Counter(self.said) - Counter(digests[:shared])
            for digest in digests[shared:]:
                if known[digest] > 0:
                    known[digest] -= 1
                else:
                    self.said.append(digest)
        self.asked, self.last = digests, None
        self.busy += 1


class Conversations:
    """For one thread at a time."""

    def __init__(self) -> None:
        self._kept: dict[str, Message] = {}
        self._given: dict[tuple[Any, ...], str] = {}
        self._tasks: dict[str, str] = {}
        self._threads: list[_Thread] = []

    def __len__(self) -> int:
        return len(self._threads)

    def place(self, messages: Sequence[Message]) -> tuple[int, tuple[Message, ...]]:
        """The number of the conversation that a request belongs to, from 0, and its messages as they are kept."""
        digests = tuple(map(self._digest, messages))
        number = self._continued(digests)
        if number is None:
            number = len(self._threads)
            recorded = [self._kept[digest] for digest in digests]
            opening = recorded[: _opening(recorded)]
            self._threads.append(_Thread(digests, list(digests), len(opening), self._call_of(opening)))
        else:
            self._threads[number].go_on(digests)
        return number, tuple(self._kept[digest] for digest in digests)

    def answered(self, number: int, message: Message) -> None:
        """The model said this to the last request."""
        digest = self._keep(message)
        self._given.setdefault(_gist(message), digest)
        for call in _calls(message):
            self._note_tasks(call)
        thread = self._threads[number]
        thread.said.append(digest)
        thread.last = digest

    def ended(self, number: int) -> None:
        """A request is over, answered or not."""
        self._threads[number].busy -= 1

    def messages(self, number: int) -> list[Message]:
        """The whole conversation, as far as it went: each message once, what was left out of later requests, too."""
        return [self._kept[digest] for digest in self._threads[number].said]

    def spoken(self) -> Spoken:
        """All of them. The main one is the longest of those that no call asked for."""
        if not self._threads:
            return Spoken()
        numbers = range(len(self._threads))
        own = [number for number in numbers if self._threads[number].call is None] or list(numbers)
        main = max(own, key=lambda number: len(self._threads[number].said))
        asides = (
            Aside(str(number), tuple(self.messages(number)), self._threads[number].call)
            for number in numbers
            if number != main
        )
        return Spoken(str(main), tuple(self.messages(main)), tuple(asides))

    def _continued(self, digests: Digests) -> int | None:
        """The conversation that a request continues. One that waits for an answer is continued by none."""
        best: tuple[bool, int] | None = None
        found = None
        for number, thread in enumerate(self._threads):
            shared = thread.shares(digests)
            whole = shared == len(thread.asked)
            rewritten = 0 < thread.opening <= shared and len(digests) > thread.opening
            if thread.busy == 0 and (whole or rewritten) and (best is None or (whole, shared) > best):
                best, found = (whole, shared), number
        return found

    def _digest(self, message: Message) -> str:
        given = self._given.get(_gist(message)) if message.get("role") == "assistant" else None
        return given or self._keep(message)

    def _keep(self, message: Message) -> str:
        hashed = hashlib.sha256()
        _feed(hashed, message)
        digest = hashed.hexdigest()
        self._kept.setdefault(digest, message)
        return digest

    def _note_tasks(self, call: Any) -> None:
        """Remember long texts in a call: one may be what a sub-agent is told."""
        for text in _texts_in(_arguments_of(call)):
            if len(text) >= _TASK:
                self._tasks[text] = str(call.get("id"))
        while len(self._tasks) > _CALLS:
            del self._tasks[next(iter(self._tasks))]

    def _call_of(self, opening: Iterable[Message]) -> str | None:
        """The call that asked for a conversation: one of whose arguments is its prompt, or the end of it."""
        for message in opening:
            said = _text(message).strip() if message.get("role") == "user" else ""
            for text, call in self._tasks.items():
                if said.endswith(text):
                    return call
        return None


def _feed(hashed: Any, value: Any) -> None:
    """Hash a JSON value: in a tenth of the time of writing it as JSON where texts are long."""
    if isinstance(value, str):
        data = value.encode("utf-8", "surrogatepass")
        hashed.update(b"s%d:" % len(data))
        hashed.update(data)
    elif isinstance(value, dict):
        hashed.update(b"d%d:" % len(value))
        for name in sorted(value):
            _feed(hashed, name)
            _feed(hashed, value[name])
    elif isinstance(value, list):
        hashed.update(b"l%d:" % len(value))
        for entry in value:
            _feed(hashed, entry)
    else:
        hashed.update(repr(value).encode() + b";")


def _opening(messages: Sequence[Message]) -> int:
    return next((at for at, message in enumerate(messages) if message.get("role") == "assistant"), len(messages))


def _gist(message: Message) -> tuple[Any, ...]:
    """What clients send back of an answer: its text and its calls, however they are written."""
    calls = tuple(
        (call.get("id"), (call.get("function") or {}).get("name"), json.dumps(_arguments_of(call), sort_keys=True))
        for call in _calls(message)
    )
    return _text(message).strip(), calls


def _calls(message: Message) -> list[dict[str, Any]]:
    calls = message.get("tool_calls")
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def _arguments_of(call: dict[str, Any]) -> Any:
    function = call.get("function")
    written = function.get("arguments") if isinstance(function, dict) else None
    try:
        return json.loads(written) if isinstance(written, str) else written
    except (ValueError, RecursionError):
        return written


def _text(message: Message) -> str:
    content = message.get("content")
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _texts_in(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value.strip()]
    if isinstance(value, dict):
        return [text for entry in value.values() for text in _texts_in(entry)]
    return []
