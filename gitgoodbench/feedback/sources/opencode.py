"""opencode: sessions in a database, or in JSON files of versions before 1.2 (see `opencode_store`).

What a person takes back (`/undo`) is marked in the session, and removed at the next prompt; its events remain.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import Committer, Log, Place
from gitgoodbench.feedback.records import Edit, Message, Reading
from gitgoodbench.feedback.sources.answers import add_answers
from gitgoodbench.feedback.sources.draft import Draft, Problems, readings_of
from gitgoodbench.feedback.sources.jsonl import parse
from gitgoodbench.feedback.sources.made_commits import CommitWatch
from gitgoodbench.feedback.sources.opencode_changes import EDITING, READING, Known, changes_of, outcome_of, paths_of
from gitgoodbench.feedback.sources.opencode_snapshots import Snapshots
from gitgoodbench.feedback.sources.opencode_store import (
    Row,
    Stored,
    from_database,
    from_folder,
    rows_in_database,
    rows_in_folder,
)
from gitgoodbench.feedback.sources.roots import Roots
from gitgoodbench.feedback.sources.values import added, at, count, name, number, seconds, table, text
from gitgoodbench.text import one_line

NAME: Final = "opencode"
_PARTS: Final = frozenset(
    ["agent", "compaction", "file", "patch", "reasoning", "retry", "snapshot", "step-finish", "step-start", "subtask",
     "text", "tool"]
)  # fmt: skip


class OpenCode:
    """The sessions of opencode."""

    name = NAME
    title = "opencode"
    variables: tuple[str, ...] = ("OPENCODE", "OPENCODE_PID")

    def committer(self, hints: Mapping[str, str]) -> Committer | None:
        """Opencode marks the environment of its commands, without the session."""
        return Committer(None) if hints.get("OPENCODE") == "1" or hints.get("OPENCODE_PID") else None

    def logs(self, place: Place) -> Iterator[Log]:
        """The sessions whose folder lies in the repository, or around it.

        Raises:
            UserError: a database cannot be read; it comes after all that can.
        """
        roots, problems = Roots(place), []
        data = _data_folder(place)
        for path in sorted(data.glob("opencode*.db")):
            try:
                found = [(f"{path}#{row.session}", row) for row in rows_in_database(path)]
            except sqlite3.Error as problem:
                problems.append(
                    f"{path} cannot be read ({one_line(str(problem), 100)}): close opencode, then try again"
                )
                continue
            yield from _logs(found, place, roots)
        yield from _logs(((str(path), row) for path, row in rows_in_folder(data / "storage")), place, roots)
        if problems:
            raise UserError("; ".join(problems))

    def read(self, log: Log, place: Place) -> Iterable[Reading]:
        """One session.

        Raises:
            OSError: its database cannot be read.
        """
        path, _, session = log.name.partition("#") if "#ses" in log.name else (log.name, "", "")
        try:
            stored = from_database(Path(path), session) if session else from_folder(Path(path))
        except sqlite3.Error as problem:
            raise OSError(f"the database: {one_line(str(problem), 100)}") from problem
        if stored is None:
            return
        worktree, snapshots = _snapshots_of(stored, _data_folder(place))
        with Snapshots(snapshots, worktree) as kept:
            reader = _Reader(stored, Roots(place), kept)
            yield from readings_of([reader.draft], reader.problems, reader.draft.session)


def _data_folder(place: Place) -> Path:
    chosen = place.options.get("folder")
    if chosen:
        return Path(chosen).expanduser()
    return Path(place.environment.get("XDG_DATA_HOME") or place.home / ".local" / "share") / "opencode"


def _logs(found: Iterable[tuple[str, Row]], place: Place, roots: Roots) -> Iterator[Log]:
    for known_by, row in found:
        ended = row.updated / 1000
        around = any(root.is_relative_to(row.folder) for root in place.roots)
        if (around or roots.locate(row.folder)) and (place.since is None or ended >= place.since):
            yield Log(known_by, row.changed, ended)


def _snapshots_of(stored: Stored, data: Path) -> tuple[str, Path]:
    """The project's working tree, as the messages have it, and the folder of its snapshots."""
    project = name(stored.session, "project_id") or name(stored.session, "projectID") or "none"
    roots = (name(data, "path", "root") for _, data in stored.messages)
    worktree = next((root for root in roots if root and root != "/"), None)
    folder = name(stored.session, "directory") or "/"
    return worktree or folder, data / "snapshot" / Path(project).name


class _Reader:
    """Reads one session."""

    def __init__(self, stored: Stored, roots: Roots, snapshots: Snapshots) -> None:
        session = stored.session
        self.problems = Problems()
        self.draft = Draft(NAME, name(session, "id") or "unknown", roots, name(session, "parent_id"))
        self._roots = roots
        self._snapshots = snapshots
        self._known: dict[str, Known] = {}
        self._tree: str | None = None
        self._watch = CommitWatch()
        self._folder = name(session, "directory")
        self._reverted = False
        started = seconds(session, "time_created") or seconds(session, "time", "created")
        self.draft.note(version=name(session, "version"), started=started)
        self.draft.works_in(self._folder)
        for problem in stored.damaged:
            self.problems.count(problem)
        self._read(stored)

    def _read(self, stored: Stored) -> None:
        revert = _revert_of(stored.session)
        for message_id, data in stored.messages:
            at_message = message_id == name(revert, "messageID")
            self._reverted |= at_message and name(revert, "partID") is None
            message = self._message(message_id, data)
            folder = name(data, "path", "cwd") or self._folder
            self.draft.works_in(folder)
            self.problems.count()
            for part_id, part in stored.parts.get(message_id, []):
                self._reverted |= at_message and part_id == name(revert, "partID")
                gone = bool({message_id, part_id} & stored.removed)
                self._part(part_id, part, message, folder, reverted=self._reverted or gone)

    def _message(self, known_by: str, data: Any) -> Message | None:
        """The message of a model; None where it is a person's."""
        if at(data, "role") != "assistant":
            return None
        tokens, cost = table(data, "tokens"), number(data, "cost")
        began, ended = seconds(data, "time", "created"), seconds(data, "time", "completed")
        cached = count(tokens, "cache", "read")
        message = Message(
            known_by,
            ended or began,
            name(data, "modelID"),
            added(count(tokens, "input"), cached, count(tokens, "cache", "write")),
            cached,
            count(tokens, "output"),
            count(tokens, "reasoning"),
            cost or None,  # 0 where the price of the model is not known
            None if began is None or ended is None else max(ended - began, 0.0),
        )
        self.draft.messages[known_by] = message
        if agent := name(data, "agent") or name(data, "mode"):
            self.draft.note(tags=(("agent", agent),))
        return message

    def _part(self, known_by: str, part: Any, message: Message | None, folder: str | None, *, reverted: bool) -> None:
        kind = text(part, "type")
        if kind not in _PARTS:
            self.problems.unknown("part", kind)
            return
        self.problems.count()
        if kind in ("step-start", "step-finish"):
            self._tree = name(part, "snapshot")
            self._known.clear()  # a person may have changed files meanwhile
        elif message is None:
            return
        elif kind == "tool":
            self._tool(known_by, part, message, folder, reverted=reverted)
        elif kind == "text" and at(part, "synthetic") is not True and (said := text(part, "text")):
            time = seconds(part, "time", "end") or message.time
            add_answers(self.draft, said, known_by, time=time, folder=folder, model=message.model, message=message.id)

    def _tool(self, known_by: str, part: Any, message: Message, folder: str | None, *, reverted: bool) -> None:
        tool, state = name(part, "tool") or "", at(part, "state")
        if tool in READING:
            return
        outcome, reason = outcome_of(state)
        applied = outcome == "applied"
        time = seconds(state, "time", "end") or seconds(state, "time", "start") or message.time
        base = Edit(
            self.draft.key(name(part, "callID") or known_by), "edit" if tool in EDITING else "indirect", tool, time,
            outcome=outcome, reason=reason, model=message.model, message=message.id,
        )  # fmt: skip
        if reverted and applied and tool in EDITING:
            base = replace(base, outcome="reverted", reason="the person took it back")
        if tool not in EDITING:
            if tool == "bash" and applied and at(state, "metadata", "exit") in (None, 0):
                output = text(state, "metadata", "output") or text(state, "output") or ""
                self.draft.made(self._watch.see(text(state, "input", "command") or "", output, time), folder)
            self.draft.add(base, folder)
            return
        for path in paths_of(tool, state, folder):
            if path not in self._known and self._roots.locate(path):
                self._known[path] = Known(*self._snapshots.content(self._tree, path))
        changes = list(changes_of(tool, state, folder, self._known, applied=applied))
        for change in changes:
            key = base.key if len(changes) == 1 else self.draft.key(f"{base.key.edit}:{change.path}")
            if applied:
                self._known[change.path] = change.after
            self.draft.add(replace(base, key=key, path=change.path, parts=change.parts, whole=change.whole), folder)


def _revert_of(session: Mapping[str, Any]) -> Any:
    """Where a person went back to: `{"messageID": …}`, as an object or as JSON in a column."""
    revert = session.get("revert")
    return parse(revert.encode("utf-8", "replace")).value if isinstance(revert, str) else revert
