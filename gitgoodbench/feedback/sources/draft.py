"""A session while its log is being read: each edit and message once, the last record of an id wins."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from gitgoodbench.feedback.records import Edit, Key, MadeCommit, Message, Reading, Session
from gitgoodbench.feedback.sources.roots import Roots

WHOLE: Final = 1024 * 1024
"""Bytes of the largest file that an edit keeps as a whole; of larger ones it keeps the pieces that changed."""
_ALL: Final = 64 * 1024 * 1024
"""Bytes of whole files that one session keeps; after that, of each edit only pieces."""
_MAX_PROBLEMS: Final = 20
_WORD: Final = re.compile(r"[\w.:/ -]{1,60}")


class Problems:
    """What of a log was understood, and what some of the rest is: never its contents."""

    def __init__(self) -> None:
        self.understood = 0
        self.not_understood = 0
        self.kinds: dict[str, None] = {}

    def count(self, problem: str | None = None) -> None:
        """Count one record; problem: why it was not understood."""
        if problem is None:
            self.understood += 1
            return
        self.not_understood += 1
        if len(self.kinds) < _MAX_PROBLEMS:
            self.kinds[problem] = None

    def unknown(self, kind: str, value: object) -> None:
        """Count a record of a kind that is not known."""
        fits = isinstance(value, str) and _WORD.fullmatch(value)
        self.count(f"{kind} {value!r}" if fits else f"{kind} of another form")


class Budget:
    """How many bytes of whole files may still be kept; equal contents are kept once."""

    def __init__(self) -> None:
        self._left = _ALL
        self._seen: dict[bytes, bytes] = {}

    def keep(self, *contents: bytes | None) -> tuple[bytes | None, ...] | None:
        """The contents, each shared with an equal one from before; None where it would be too much."""
        known = [None if content is None else self._seen.get(content, content) for content in contents]
        new = sum(len(one) for one in known if one is not None and one not in self._seen)
        if new > self._left or any(one is not None and len(one) > WHOLE for one in known):
            return None
        self._left -= new
        self._seen.update((one, one) for one in known if one is not None)
        return tuple(known)


class Draft:
    """One session. What is said first about it holds (its folder, its branch); of edits and messages, what is last."""

    def __init__(self, source: str, session: str, roots: Roots, parent: str | None = None) -> None:
        self.session = Session(source, session, parent=parent)
        self.roots = roots
        self.edits: dict[str, Edit] = {}
        self.messages: dict[str, Message] = {}
        self.commits: dict[str, MadeCommit] = {}
        self.budget = Budget()
        self._here = False

    def note(self, **known: Any) -> None:
        """Note fields of the session that are not known yet; `started` becomes the earliest, `version` the latest."""
        new = {
            name: value
            for name, value in known.items()
            if value is not None
            and (
                (old := getattr(self.session, name)) in (None, ())
                or (name == "version" and value != old)
                or (name == "started" and value < old)
            )
        }
        if new:
            self.session = dataclasses.replace(self.session, **new)

    def works_in(self, folder: str | None) -> bool:
        """Note a folder that the session works in; whether it lies in the repository."""
        self.note(folder=folder)
        here = self.roots.locate(folder) is not None
        self._here |= here
        return here

    def key(self, edit: str) -> Key:
        """The key of one of its edits."""
        return Key(self.session.source, self.session.id, edit)

    def add(self, edit: Edit, folder: str | None) -> None:
        """Add an edit, where it lies in the repository. One without a path is where its session was at work."""
        if edit.path is not None:
            path = self.roots.locate(edit.path, folder)
            if path is None:
                return
            edit = dataclasses.replace(edit, path=path)
        elif self.roots.locate(folder) is None:
            return
        self._here = True
        self.edits.pop(edit.key.edit, None)
        self.edits[edit.key.edit] = edit

    def made(self, commits: Iterable[MadeCommit], folder: str | None) -> None:
        """Add commits that the assistant made in this folder."""
        if self.roots.locate(folder) is not None:
            self.commits.update((commit.id, commit) for commit in commits)

    def reading(self, problems: Problems) -> Reading | None:
        """What was read; None where the session has nothing to do with the repository."""
        if not self._here:
            return None
        return Reading(
            dataclasses.replace(self.session, commits=tuple(self.commits.values())),
            tuple(self.edits.values()),
            tuple(self.messages.values()),
            problems.understood,
            problems.not_understood,
            tuple(problems.kinds),
        )


def readings_of(drafts: Iterable[Draft], problems: Problems, unknown: Session) -> Iterator[Reading]:
    """The sessions of one log that worked in the repository; what was understood of it is counted with the first.

    unknown: stands for a log in which no session could be found at all, so that its problems are seen.
    """
    found = list(drafts)
    if not found and problems.not_understood:
        yield Reading(unknown, (), (), problems.understood, problems.not_understood, tuple(problems.kinds))
    for draft in found:
        reading = draft.reading(problems)
        if reading is not None:
            problems = Problems()
            yield reading
