"""Reading what was said in an episode, in whatever format it was written, finished or not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitgoodbench.models.messages import Message
from gitgoodbench.runs.paths import EpisodePaths


@dataclass(frozen=True)
class AsideConversation:
    """A conversation beside the main one (`models.messages.Aside`). lines: of the file, those that are its own."""

    name: str
    messages: tuple[Message, ...]
    lines: tuple[Mapping[str, Any], ...] = ()
    call: str | None = None

    @property
    def answers(self) -> tuple[Mapping[str, Any], ...]:
        """See `Conversation.answers`."""
        return tuple(line for line in self.lines if line["kind"] == "answer")


@dataclass(frozen=True)
class Conversation:
    """What was said. lines: those of the main conversation as written (none in format 1, which has only what follows).

    head: whose conversation it is. messages: the whole conversation, as far as it went. ending: `status`, `error`,
    `turns`, `usage`, `notes`; None while it goes on, and where a kill ended it. asides: conversations of sub-agents;
    name: tells its lines from theirs, None where there are none.
    """

    head: Mapping[str, Any]
    messages: tuple[Message, ...]
    lines: tuple[Mapping[str, Any], ...] = ()
    ending: Mapping[str, Any] | None = None
    asides: tuple[AsideConversation, ...] = ()
    name: str | None = None

    @property
    def answers(self) -> tuple[Mapping[str, Any], ...]:
        """The lines of the model's answers, each with its time, tokens, cost and finish reason."""
        return tuple(line for line in self.lines if line["kind"] == "answer")


_HEAD = ("sample_id", "scenario", "epoch", "agent", "model")
_ENDING = ("status", "error", "turns", "usage", "notes")


def read_conversation(files: EpisodePaths) -> Conversation | None:
    """The conversation of an episode's last attempt; None where nothing was said, or nothing can be read."""
    if files.trajectory.exists():
        return _of_lines(read_lines(files.trajectory))
    try:
        former = json.loads(files.former_trajectory.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(former, dict) or not isinstance(former.get("messages"), list):
        return None
    parts = ({name: former.get(name) for name in names} for names in (_HEAD, _ENDING))
    head, ending = parts
    return Conversation(head, tuple(former["messages"]), (), ending)


def earlier_conversations(files: EpisodePaths) -> tuple[Conversation, ...]:
    """The conversations of attempts before the last one, the oldest first."""
    read = (_of_lines(read_lines(path)) for path in files.earlier_trajectories())
    return tuple(conversation for conversation in read if conversation is not None)


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a transcript, without one that a power failure cut short, since its writer last began."""
    lines: list[dict[str, Any]] = []
    try:
        data = path.read_bytes()
    except OSError:
        return
    for text in data.split(b"\n"):
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(line, dict) and isinstance(line.get("kind"), str):
            if line["kind"] == "episode":
                lines.clear()
            lines.append(line)
    yield from lines


def _of_lines(lines: Iterable[dict[str, Any]]) -> Conversation | None:
    read = tuple(lines)
    if not read or read[0]["kind"] != "episode":
        return None
    numbered = {line["number"]: line["message"] for line in read if line["kind"] in ("message", "answer")}
    ending = next((line for line in reversed(read) if line["kind"] == "end"), None)
    head = {name: read[0].get(name) for name in _HEAD}
    end = None if ending is None else {name: ending.get(name) for name in _ENDING}
    names = conversations_in(read)
    if len(names) < 2:
        numbers = list(numbered) if ending is None else numbers_in(ending["messages"])
        return Conversation(head, _messages(numbers, numbered), read, end)
    main = main_conversation(read)
    told = {} if ending is None else {one["name"]: one for one in ending.get("asides") or ()}
    asides = []
    for name in names:
        if name != main:
            known = told.get(name, {})
            own = tuple(_own_lines(read, name, numbered, main=False))
            numbers = numbers_in(known["messages"]) if known else _numbers_of(own)
            asides.append(AsideConversation(name, _messages(numbers, numbered), own, known.get("call")))
    own = tuple(_own_lines(read, main, numbered, main=True))
    numbers = _numbers_of(own) if ending is None else numbers_in(ending["messages"])
    return Conversation(head, _messages(numbers, numbered), own, end, tuple(asides), main)


def conversations_in(lines: Iterable[Mapping[str, Any]]) -> list[str]:
    """The names of the conversations in which a model was asked, in the order of their first requests."""
    asked = (line.get("conversation") for line in lines if line["kind"] in ("answer", "fault"))
    return list(dict.fromkeys(name for name in asked if isinstance(name, str)))


def main_conversation(lines: Iterable[Mapping[str, Any]]) -> str | None:
    """The name of the main one of several: as the end says; before that, the first in which tools were offered."""
    first, with_tools, tools = None, None, set()
    for line in lines:
        if line["kind"] == "end" and isinstance(line.get("conversation"), str):
            return str(line["conversation"])
        if line["kind"] == "request" and line["asked"].get("tools"):
            tools.add(line["number"])
        if line["kind"] in ("answer", "fault") and isinstance(line.get("conversation"), str):
            first = first or line["conversation"]
            with_tools = with_tools or (line["conversation"] if line.get("request") in tools else None)
    return with_tools or first


def _own_lines(
    lines: Sequence[Mapping[str, Any]], name: str | None, numbered: Mapping[int, Message], *, main: bool
) -> Iterator[Mapping[str, Any]]:
    """The lines of one of several conversations: what it was asked with, each message once, before it was asked.

    Messages that are of no conversation by name are of the main one.
    """
    exchanges = [line for line in lines if line["kind"] in ("answer", "fault") and line.get("conversation") == name]
    settings = {line.get("request") for line in exchanges}
    seen: set[int] = set()
    for line in lines:
        if line["kind"] in ("answer", "fault"):
            if line.get("conversation") != name:
                continue
            for number in numbers_in(line["messages"]):
                if number not in seen and number in numbered:
                    yield {"kind": "message", "time": line["started"], "number": number, "message": numbered[number]}
                seen.add(number)
            seen.add(line.get("number", -1))
            yield line
        elif line["kind"] == "message":
            if main and line.get("conversation") is None and line["number"] not in seen:
                seen.add(line["number"])
                yield line
        elif line["kind"] != "request" or line["number"] in settings:
            yield line


def _numbers_of(lines: Iterable[Mapping[str, Any]]) -> list[int]:
    return [line["number"] for line in lines if line["kind"] in ("message", "answer")]


def _messages(numbers: Iterable[int], numbered: Mapping[int, Message]) -> tuple[Message, ...]:
    return tuple(numbered[number] for number in numbers if number in numbered)


def numbers_in(ranges: Sequence[Sequence[int]]) -> list[int]:
    """The numbers of messages that [first, last] pairs stand for."""
    return [number for first, last in ranges for number in range(first, last + 1)]
