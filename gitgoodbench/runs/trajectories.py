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
class Conversation:
    """What was said. lines: everything as written (none in format 1, which has only what follows).

    head: whose conversation it is. messages: the whole conversation, as far as it went. ending: `status`, `error`,
    `turns`, `usage`, `notes`; None while it goes on, and where a kill ended it.
    """

    head: Mapping[str, Any]
    messages: tuple[Message, ...]
    lines: tuple[Mapping[str, Any], ...] = ()
    ending: Mapping[str, Any] | None = None

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
    numbers = list(numbered) if ending is None else numbers_in(ending["messages"])
    return Conversation(
        {name: read[0].get(name) for name in _HEAD},
        tuple(numbered[number] for number in numbers if number in numbered),
        read,
        None if ending is None else {name: ending.get(name) for name in _ENDING},
    )


def numbers_in(ranges: Sequence[Sequence[int]]) -> list[int]:
    """The numbers of messages that [first, last] pairs stand for."""
    return [number for first, last in ranges for number in range(first, last + 1)]
