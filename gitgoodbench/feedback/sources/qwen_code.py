"""qwen-code: one file a session in `projects/<slug>/chats`, calls and their results in records of their own.

Its older versions wrote chats as Gemini CLI did, of which it is a fork.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gitgoodbench.feedback.contract import Committer, Log, Place
from gitgoodbench.feedback.records import Edit, Message, Reading, Session
from gitgoodbench.feedback.sources.answers import add_answers
from gitgoodbench.feedback.sources.draft import Draft, Problems, readings_of
from gitgoodbench.feedback.sources.gemini_cli import (
    SHELL,
    chats,
    edit_changes,
    outcome_of,
    read_chat,
    said,
    user_modified,
)
from gitgoodbench.feedback.sources.jsonl import lines
from gitgoodbench.feedback.sources.made_commits import CommitWatch
from gitgoodbench.feedback.sources.roots import Roots
from gitgoodbench.feedback.sources.tool_calls import add_call, looks_only
from gitgoodbench.feedback.sources.values import at, count, name, number, rows, seconds, table, text

NAME: Final = "qwen-code"


class QwenCode:
    """The logs of qwen-code."""

    name = NAME
    title = "qwen-code"
    variables: tuple[str, ...] = ("QWEN_CODE",)

    def committer(self, hints: Mapping[str, str]) -> Committer | None:
        """qwen-code marks the environment of its commands."""
        return Committer(None) if hints.get("QWEN_CODE") == "1" else None

    def logs(self, place: Place) -> Iterator[Log]:
        """All sessions of the user; `read` looks into those that may name the repository."""
        for home in _homes(place):
            yield from chats(place, home / "projects")
            yield from chats(place, home / "tmp")

    def read(self, log: Log, place: Place) -> Iterable[Reading]:
        """The session of a file.

        Raises:
            OSError: it cannot be opened.
        """
        path, roots = Path(log.name), Roots(place)
        chats_of = next((parent.parent for parent in path.parents if parent.name == "chats"), path.parent)
        if chats_of.parent.name == "tmp":
            yield from read_chat(NAME, log, place)
            return
        if not roots.in_file(path):
            return
        reader = _Reader(path.stem, roots)
        for line in lines(path):
            if line.value is None:
                reader.problems.count(line.problem)
            else:
                reader.record(line.value)
        yield from reader.readings()


def _homes(place: Place) -> list[Path]:
    chosen = place.options.get("folder")
    if chosen:
        return [Path(chosen).expanduser()]
    set_to = (place.environment.get(key) for key in ("QWEN_RUNTIME_DIR", "QWEN_HOME"))
    return list(dict.fromkeys([*(Path(one).expanduser() for one in set_to if one), place.home / ".qwen"]))


@dataclass(frozen=True)
class _Call:
    """A call of a tool that waits for its result."""

    draft: Draft
    tool: str
    arguments: Any
    time: float | None
    folder: str | None
    model: str | None
    message: str | None


class _Reader:
    """Takes the records of a file one by one."""

    def __init__(self, file: str, roots: Roots) -> None:
        self.problems = Problems()
        self._file, self._roots = file, roots
        self._drafts: dict[str, Draft] = {}
        self._watches: dict[str, CommitWatch] = {}
        self._calls: dict[tuple[str, str], _Call] = {}
        self._latencies: dict[str, float] = {}

    def record(self, record: dict[str, Any]) -> None:
        """Take one record."""
        kind, session = record.get("type"), name(record, "sessionId")
        if session is None or kind not in ("user", "assistant", "tool_result", "system"):
            self.problems.unknown("a record without session, type" if session is None else "type", kind)
            return
        draft = self._drafts.setdefault(session, Draft(NAME, session, self._roots))
        time, folder = seconds(record, "timestamp"), name(record, "cwd")
        draft.note(version=name(record, "version"), started=time, branch=name(record, "gitBranch"))
        draft.works_in(folder)
        if kind == "assistant":
            self._assistant(draft, record, time, folder)
        elif kind == "tool_result":
            self._result(draft, record, time)
        elif kind == "system":
            self._system(record)
        self.problems.count()

    def readings(self) -> Iterator[Reading]:
        """What was read, session by session; calls without a result among it."""
        for (_, call_id), call in self._calls.items():
            self._finish(call, call_id, {}, call.time)
        yield from readings_of(self._drafts.values(), self.problems, Session(NAME, self._file))

    def _assistant(self, draft: Draft, record: dict[str, Any], time: float | None, folder: str | None) -> None:
        known_by, model, usage = name(record, "uuid"), name(record, "model"), table(record, "usageMetadata")
        if known_by is not None:
            thoughts, answered = count(usage, "thoughtsTokenCount"), count(usage, "candidatesTokenCount")
            draft.messages[known_by] = Message(
                known_by, time, model, count(usage, "promptTokenCount"), count(usage, "cachedContentTokenCount"),
                answered, thoughts, latency=self._latencies.pop(name(record, "parentUuid") or "", None),
            )  # fmt: skip
            parts = rows(record, "message", "parts")
            add_answers(draft, said(parts), known_by, time=time, folder=folder, model=model, message=known_by)
        for part in rows(record, "message", "parts"):
            call = at(part, "functionCall")
            call_id, tool = name(call, "id"), name(call, "name")
            if call_id is not None and tool is not None:
                self._calls[draft.session.id, call_id] = _Call(
                    draft, tool, at(call, "args"), time, folder, model, known_by
                )

    def _system(self, record: dict[str, Any]) -> None:
        """Note how long an answer took: its record follows this one."""
        event = at(record, "systemPayload", "uiEvent")
        took, known_by = number(event, "duration_ms"), name(record, "uuid")
        if at(event, "event.name") == "qwen-code.api_response" and took is not None and known_by is not None:
            self._latencies[known_by] = took / 1000

    def _result(self, draft: Draft, record: dict[str, Any], time: float | None) -> None:
        result = table(record, "toolCallResult")
        answers = (name(part, "functionResponse", "id") for part in rows(record, "message", "parts"))
        call_id = name(result, "callId") or next((found for found in answers if found), None)
        call = self._calls.pop((draft.session.id, call_id or ""), None)
        if call is not None and call_id is not None:
            self._finish(call, call_id, result, time)

    def _finish(self, call: _Call, call_id: str, result: dict[str, Any], time: float | None) -> None:
        """Turn a call and its result into edits, indirect work or nothing."""
        if looks_only(call.tool):
            return
        outcome, reason = outcome_of(result.get("status"))
        display = result.get("resultDisplay")
        edit = Edit(
            call.draft.key(call_id), "indirect", call.tool, time or call.time, outcome=outcome, reason=reason,
            user_modified=user_modified(display, call.arguments), model=call.model, message=call.message,
        )  # fmt: skip
        if changes := edit_changes(call.draft, call.tool, call.arguments, display, outcome):
            add_call(call.draft, edit, changes, call.folder)
            return
        call.draft.add(edit, call.folder)
        if call.tool == SHELL and outcome == "applied":
            watch = self._watches.setdefault(call.draft.session.id, CommitWatch())
            output = display if isinstance(display, str) else ""
            call.draft.made(watch.see(text(call.arguments, "command") or "", output, time), call.folder)
