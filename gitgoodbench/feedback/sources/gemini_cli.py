"""Gemini CLI: one file a chat in `tmp/<name>/chats`; a message is written again when its tools have answered.

Older versions wrote one JSON object a chat, and named the folder by a hash of where it worked. qwen-code did so, too.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from gitgoodbench.feedback.contract import Committer, Log, Place
from gitgoodbench.feedback.records import Edit, Message, Outcome, Part, Reading, Session
from gitgoodbench.feedback.sources.answers import add_answers
from gitgoodbench.feedback.sources.draft import Draft, Problems, readings_of
from gitgoodbench.feedback.sources.jsonl import LONGEST, lines, log_of, parse
from gitgoodbench.feedback.sources.made_commits import CommitWatch
from gitgoodbench.feedback.sources.patches import hunks_of, parts_of
from gitgoodbench.feedback.sources.roots import Roots
from gitgoodbench.feedback.sources.tool_calls import Change, add_call, changes_of, looks_only
from gitgoodbench.feedback.sources.values import added, at, count, name, rows, seconds, table, text

NAME: Final = "gemini-cli"

SHELL: Final = "run_shell_command"
_LONGEST_NAME: Final = 4096
_OUTCOMES: Final[dict[str, tuple[Outcome, str | None]]] = {
    "success": ("applied", None),
    "error": ("failed", "the tool failed"),
    "cancelled": ("denied", "the person did not allow it"),
}
_WITHOUT_WORK: Final = frozenset(("user", "info", "error", "warning", "system", "compression"))
"""Types of messages that say nothing about edits."""


class GeminiCli:
    """The logs of Gemini CLI."""

    name = NAME
    title = "Gemini CLI"
    variables: tuple[str, ...] = ("GEMINI_CLI",)

    def committer(self, hints: Mapping[str, str]) -> Committer | None:
        """Gemini CLI marks the environment of its commands; it switches hooks off for most of them."""
        return Committer(None) if hints.get("GEMINI_CLI") == "1" else None

    def logs(self, place: Place) -> Iterator[Log]:
        """All chats of the user; `read` looks into those that may name the repository."""
        yield from chats(place, _home(place) / "tmp")

    def read(self, log: Log, place: Place) -> Iterable[Reading]:
        """The chat of a file.

        Raises:
            OSError: it cannot be opened.
        """
        return read_chat(NAME, log, place)


def chats(place: Place, folder: Path) -> Iterator[Log]:
    """The chats below a folder of projects, those of sub-agents among them."""
    for parent, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(files):
            if file.endswith((".jsonl", ".json")) and "chats" in Path(parent).relative_to(folder).parts:
                log = log_of(Path(parent, file))
                if log is not None and (place.since is None or (log.ended or 0.0) >= place.since):
                    yield log


def read_chat(source: str, log: Log, place: Place) -> Iterator[Reading]:
    """Read a chat in one of Gemini's forms.

    Raises:
        OSError: it cannot be opened.
    """
    path, roots = Path(log.name), Roots(place)
    folder = _project_root(path)
    if roots.locate(folder) is None and not roots.in_file(path):
        return
    reader = _Reader(source, path, place, folder)
    if path.suffix == ".json":
        reader.whole(path)
    else:
        for line in lines(path):
            reader.record(line.value, line.problem)
    yield from readings_of([reader.draft] if reader.draft else [], reader.problems, Session(source, path.stem))


def result_change(display: Any, path: str | None, draft: Draft) -> Change | None:
    """What the result of an editing tool says that it did; None where it says nothing."""
    after, before = text(display, "newContent"), text(display, "originalContent")
    path = name(display, "filePath") or path
    if after is not None:
        new = at(display, "isNewFile") is True or not before
        kept = draft.budget.keep(None if new else _bytes(before or ""), _bytes(after))
        if kept is not None and kept[1] is not None:
            return Change(path, (Part(kept[0], kept[1], 1),), True)
    hunks = hunks_of(_bytes(text(display, "fileDiff") or ""))
    return Change(path, parts_of(hunks)) if hunks else None


def user_modified(display: Any, arguments: Any) -> bool:
    """Whether a person changed an edit before it was applied."""
    stat = at(display, "diffStat")
    changed = (count(stat, key) for key in ("user_added_lines", "user_removed_lines", "user_added_chars"))
    return at(arguments, "modified_by_user") is True or any(changed)


def outcome_of(status: object) -> tuple[Outcome, str | None]:
    """What a tool's status says."""
    found = _OUTCOMES.get(status) if isinstance(status, str) else None
    return found or ("unknown", "the log has no result of it")


def edit_changes(draft: Draft, tool: str, arguments: Any, display: Any, outcome: Outcome) -> tuple[Change, ...]:
    """What a call changed: as its result says; as its arguments say where nothing was done, or a person changed it."""
    by_arguments = changes_of(tool, _proposed(arguments))
    if not by_arguments:
        return ()
    by_result = result_change(display, by_arguments[0].path, draft) if outcome == "applied" else None
    if by_result is None:
        return by_arguments
    if not user_modified(display, arguments):
        return (by_result,)
    wanted, before = by_arguments[0], text(display, "originalContent")
    if wanted.whole and before:
        return (Change(by_result.path, (Part(_bytes(before), wanted.parts[0].after, 1),), True),)
    return (Change(by_result.path, wanted.parts, wanted.whole),)


class _Reader:
    """Takes the records of a chat one by one."""

    def __init__(self, source: str, path: Path, place: Place, folder: str | None) -> None:
        self.problems = Problems()
        self.draft: Draft | None = None
        self._source, self._path, self._place, self._folder = source, path, place, folder
        self._roots = Roots(place)
        self._watch = CommitWatch()
        self._watched: set[str] = set()

    def whole(self, path: Path) -> None:
        """Read a chat that is one JSON object."""
        with path.open("rb") as file:
            content = file.read(LONGEST + 1)
        line = parse(content)
        problem = "a chat that is too long" if len(content) > LONGEST else line.problem
        self.record(None if problem else line.value, problem)

    def record(self, record: dict[str, Any] | None, problem: str | None = None) -> None:
        """Take one record: the head of a chat, a change of it, or a message."""
        if record is None:
            self.problems.count(problem)
        elif isinstance(record.get("$set"), dict):
            self._messages(record["$set"])
            self.problems.count()
        elif "$rewindTo" in record:
            self.problems.count()
        elif name(record, "sessionId") is not None and "type" not in record:
            self._head(record)
            self._messages(record)
            self.problems.count()
        else:
            self._message(record)

    def _head(self, record: dict[str, Any]) -> None:
        session = name(record, "sessionId") or self._path.stem
        parent = None
        if record.get("kind") == "subagent" and self._path.parent.name != "chats":
            parent = self._path.parent.name
        if self.draft is None:
            self.draft = Draft(self._source, session, self._roots, parent)
        self.draft.note(started=seconds(record, "startTime"))
        if self._folder is None:
            self._folder = self._hashed(name(record, "projectHash"))
        self.draft.works_in(self._folder)

    def _hashed(self, known_as: str | None) -> str | None:
        """The root that a hash stands for."""
        named = {hashlib.sha256(os.fsencode(root)).hexdigest(): str(root) for root in self._place.roots}
        return named.get(known_as or "")

    def _messages(self, record: dict[str, Any]) -> None:
        for message in rows(record, "messages"):
            if isinstance(message, dict):
                self._message(message)

    def _message(self, record: dict[str, Any]) -> None:
        kind, known_by = record.get("type"), name(record, "id")
        if isinstance(kind, str) and kind in _WITHOUT_WORK:
            self.problems.count()
            return
        if kind not in ("gemini", "qwen", "assistant") or known_by is None:
            self.problems.unknown("type", kind)
            return
        if self.draft is None:
            self._head({"sessionId": self._path.stem})
        draft = self.draft
        assert draft is not None
        time, model, tokens = seconds(record, "timestamp"), name(record, "model"), table(record, "tokens")
        thoughts = count(tokens, "thoughts")
        draft.messages[known_by] = Message(
            known_by, time, model, count(tokens, "input"), count(tokens, "cached"),
            added(count(tokens, "output"), thoughts), thoughts,
        )  # fmt: skip
        add_answers(
            draft, said(record.get("content")), known_by, time=time, folder=self._folder, model=model, message=known_by
        )
        for call in rows(record, "toolCalls"):
            self._call(draft, call, time, model, known_by)
        self.problems.count()

    def _call(self, draft: Draft, call: Any, time: float | None, model: str | None, message: str) -> None:
        call_id, tool = name(call, "id"), name(call, "name")
        if call_id is None or tool is None or looks_only(tool):
            return
        arguments, display = at(call, "args"), at(call, "resultDisplay")
        outcome, reason = outcome_of(at(call, "status"))
        edit = Edit(
            draft.key(call_id), "indirect", tool, seconds(call, "timestamp") or time, outcome=outcome, reason=reason,
            user_modified=user_modified(display, arguments), model=model, message=message,
        )  # fmt: skip
        if changes := edit_changes(draft, tool, arguments, display, outcome):
            add_call(draft, edit, changes, self._folder)
            return
        draft.add(edit, self._folder)
        if tool == SHELL and outcome == "applied" and call_id not in self._watched:
            self._watched.add(call_id)
            command, output = text(arguments, "command") or "", display if isinstance(display, str) else ""
            draft.made(self._watch.see(command, output, edit.time), self._folder)


def said(content: Any) -> str:
    """The text of a message: a string, or parts."""
    if isinstance(content, list):
        return "".join(found for part in content if (found := text(part, "text")) and at(part, "thought") is not True)
    return content if isinstance(content, str) else (text(content, "text") or "")


def _proposed(arguments: Any) -> Any:
    """The arguments as the model gave them, where a person has changed them since."""
    proposed = text(arguments, "ai_proposed_content")
    if proposed is None:
        return arguments
    key = "content" if "content" in arguments else "new_string"
    return {**arguments, key: proposed}


def _home(place: Place) -> Path:
    chosen = place.options.get("folder")
    if chosen:
        return Path(chosen).expanduser()
    return Path(place.environment.get("GEMINI_CLI_HOME") or place.home) / ".gemini"


def _project_root(path: Path) -> str | None:
    """Where a chat worked, as files beside it say."""
    parents = [parent for parent in path.parents if parent.name == "chats"]
    if not parents:
        return None
    project = parents[-1].parent
    try:
        with (project / ".project_root").open("rb") as file:
            found = file.read(_LONGEST_NAME).decode("utf-8", "surrogateescape").strip()
        if found:
            return found
    except OSError:
        pass
    return _registered(project)


def _registered(project: Path) -> str | None:
    """The folder that `projects.json` gives this name."""
    try:
        with (project.parent.parent / "projects.json").open("rb") as file:
            known = table(json.loads(file.read(LONGEST)), "projects")
    except (OSError, ValueError, RecursionError):
        return None
    return next((folder for folder, short in known.items() if short == project.name), None)


def _bytes(content: str) -> bytes:
    return content.encode("utf-8", "replace")
