"""Events that hooks wrote: one file each, in the common Git directory, until what they say is in the database."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, cast

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.feedback.store import folder_of
from gitgoodbench.files import write_atomically

MOST_ATTEMPTS: Final = 5
"""Then an event is put aside: it is counted, and tried again when `gitgoodbench feedback run` asks."""

_HEAD: Final = b"gitgoodbench event 1"
_ABANDONED: Final = 3600.0
"""Seconds after which a file that is not complete will never be."""

EventKind = Literal["post-commit", "post-rewrite"]


class BrokenEvent(GitGoodBenchError):
    """A file in the queue is no event."""


@dataclass(frozen=True)
class Event:
    """What a hook saw.

    commit: HEAD. root: the working tree. time: when the file was written. command: of post-rewrite (`amend`,
    `rebase`). rewritten: the pairs that post-rewrite was given, old commit and new one. rebasing: a rebase was going
    on. branch: its short name; None where HEAD was detached. hints: the variables that the sources name.
    """

    kind: EventKind
    commit: str
    root: Path
    time: float
    command: str = ""
    rewritten: tuple[tuple[str, str], ...] = ()
    rebasing: bool = False
    branch: str | None = None
    hints: tuple[tuple[str, str], ...] = ()


def queue_of(common: Path) -> Path:
    """The folder of the events."""
    return folder_of(common) / "queue"


def waiting(common: Path, *, aside: bool = False) -> list[Path]:
    """The files of events, the oldest first. aside: those as well that failed too often."""
    files = []
    with contextlib.suppress(FileNotFoundError):
        for entry in os.scandir(queue_of(common)):
            path = Path(entry.path)
            if path.suffix == ".partial":
                _sweep(path)
            elif not path.suffix and (aside or failures_of(path) < MOST_ATTEMPTS):
                files.append((path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(files)]


def read_event(path: Path) -> Event:
    """Read an event.

    Raises:
        BrokenEvent: it is damaged, or of another version.
    """
    fields = path.read_bytes().split(b"\0")
    if fields[0] != _HEAD or fields[-2:] != [b"end", b""]:
        raise BrokenEvent(f"{path.name} is no event, or not all of one")
    values = dict(os.fsdecode(field).partition("=")[::2] for field in fields[1:-2])
    kind, commit = values.get("kind", ""), values.get("commit", "")
    if kind not in ("post-commit", "post-rewrite") or not _is_id(commit):
        raise BrokenEvent(f"{path.name} is no event of a commit")
    return Event(
        cast(EventKind, kind),
        commit,
        Path(os.path.realpath(values.get("root", "/"))),
        path.stat().st_mtime,
        command=values.get("command", ""),
        rewritten=tuple(_pairs(values.get("rewritten", ""))),
        rebasing=bool(values.get("rebasing")),
        branch=_branch(values.get("head", "")),
        hints=tuple((name[5:], value) for name, value in sorted(values.items()) if name.startswith("hint.")),
    )


def done(path: Path) -> None:
    """Remove an event: the database has all of it."""
    for file in (path, _problem_of(path)):
        file.unlink(missing_ok=True)


def failed(path: Path, problem: str) -> None:
    """Keep an event that could not be worked on, and why."""
    record = {"attempts": failures_of(path) + 1, "problem": problem, "time": time.time()}
    write_atomically(_problem_of(path), json.dumps(record).encode())


def failures_of(path: Path) -> int:
    """How often an event failed."""
    return int(_failure(path).get("attempts", 0))


def problems_of(common: Path) -> dict[str, str]:
    """Events that failed, with why."""
    return {path.name: str(_failure(path).get("problem")) for path in waiting(common, aside=True) if failures_of(path)}


def _failure(path: Path) -> dict[str, int | str]:
    try:
        found = json.loads(_problem_of(path).read_bytes())
        return found if isinstance(found, dict) else {}
    except (OSError, ValueError):
        return {}


def _problem_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.problem")


def _sweep(partial: Path) -> None:
    with contextlib.suppress(OSError):
        if time.time() - partial.stat().st_mtime > _ABANDONED:
            partial.unlink()


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for line in text.split("\n"):
        words = line.split(" ")
        if len(words) >= 2 and _is_id(words[0]) and _is_id(words[1]):
            yield words[0], words[1]


def _branch(head: str) -> str | None:
    start = "ref: refs/heads/"
    found = head.removeprefix(start) if head.startswith(start) else None
    return None if found == ".invalid" else found  # so HEAD reads where refs are a reftable


def _is_id(text: str) -> bool:
    return len(text) in (40, 64) and all(character in "0123456789abcdef" for character in text)
