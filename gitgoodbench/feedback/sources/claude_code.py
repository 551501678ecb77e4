"""Claude Code: one file a session in `projects/<slug>`, one line for each block of a message and each result.

The slug of the folder says too little about which folder it is, so `cwd` and the paths of edits decide.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from gitgoodbench.feedback.contract import Committer, Log, Place
from gitgoodbench.feedback.records import Edit, Message, Reading, Session
from gitgoodbench.feedback.sources.answers import add_answers
from gitgoodbench.feedback.sources.claude_results import EDITING, READING, change_of, outcome_of, path_of
from gitgoodbench.feedback.sources.claude_rewinds import Rewinds
from gitgoodbench.feedback.sources.draft import Draft, Problems, readings_of
from gitgoodbench.feedback.sources.jsonl import lines, log_of
from gitgoodbench.feedback.sources.made_commits import CommitWatch
from gitgoodbench.feedback.sources.roots import Roots
from gitgoodbench.feedback.sources.values import added, at, count, name, number, rows, seconds, text

NAME: Final = "claude-code"

_WITHOUT_WORK: Final = frozenset(
    [
        "agent-color", "agent-name", "agent-setting", "ai-title", "attachment", "attribution-snapshot",
        "bridge-session", "content-replacement", "custom-title", "ended-by-model", "file-history-snapshot",
        "fork-context-ref", "frame-link", "isolation-latch", "last-prompt", "marble-origami-commit",
        "marble-origami-reset", "marble-origami-snapshot", "mode", "permission-mode", "pr-link", "progress",
        "queue-operation", "relocated", "speculation-accept", "started", "result", "summary", "system", "tag",
        "worktree-state",
    ]
)  # fmt: skip
"""Types of records that say nothing about edits."""
_LONG: Final = 64 * 1024
"""Bytes from which on a line is looked at before it is parsed: most of the long ones are images and attachments."""


class ClaudeCode:
    """The logs of Claude Code."""

    name = NAME
    title = "Claude Code"
    variables: tuple[str, ...] = ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT")

    def committer(self, hints: Mapping[str, str]) -> Committer | None:
        """Claude Code marks the environment of its commands."""
        marked = hints.get("CLAUDECODE") == "1" or hints.get("AI_AGENT", "").startswith("claude-code")
        return Committer(hints.get("CLAUDE_CODE_SESSION_ID") or None) if marked else None

    def logs(self, place: Place) -> Iterator[Log]:
        """All sessions of the user; `read` looks into those that may name the repository."""
        for folder in _folders(place):
            for path in _session_files(folder):
                log = log_of(path)
                if log is not None and (place.since is None or (log.ended or 0.0) >= place.since):
                    yield log

    def read(self, log: Log, place: Place) -> Iterable[Reading]:
        """The session of a file, and its sub-agents where they stand in it.

        Raises:
            OSError: it cannot be opened.
        """
        path, roots = Path(log.name), Roots(place)
        if not roots.in_file(path):
            return
        reader = _Reader(roots, path)
        for line in lines(path, _passed_over):
            if line.problem is not None:
                reader.problems.count(line.problem)
            elif line.value is None:
                reader.problems.count()
            else:
                reader.record(line.value)
        yield from reader.readings()


def _folders(place: Place) -> list[Path]:
    chosen = place.options.get("folder") or place.environment.get("CLAUDE_CONFIG_DIR")
    if chosen:
        return [Path(one).expanduser() / "projects" for one in chosen.split(",") if one]
    return [place.home / ".claude" / "projects", place.home / ".config" / "claude" / "projects"]


def _session_files(folder: Path) -> Iterator[Path]:
    """Sessions, and the sub-agents of each in a folder beside it."""
    for parent, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(files):
            if file.endswith(".jsonl") and file != "journal.jsonl":
                yield Path(parent, file)


def _passed_over(line: bytes) -> bool:
    return len(line) > _LONG and b"tool_use" not in line and b'"assistant"' not in line


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

    def __init__(self, roots: Roots, file: Path) -> None:
        self._file = file.stem
        self._rewinds = Rewinds(file)
        self.problems = Problems()
        self._roots = roots
        self._drafts: dict[str, Draft] = {}
        self._watches: dict[str, CommitWatch] = {}
        self._calls: dict[tuple[str, str], _Call] = {}
        self._side: dict[str, str] = {}
        self._times: dict[str, float] = {}
        self._began: dict[str, float] = {}
        self._main: Draft | None = None

    def record(self, record: dict[str, Any]) -> None:
        """Take one record."""
        kind = record.get("type")
        if kind not in ("assistant", "user"):
            if isinstance(kind, str) and kind in _WITHOUT_WORK:
                self.problems.count()
                if kind == "file-history-snapshot" and self._main is not None:
                    self._rewinds.snapshot(self._main, record)
            else:
                self.problems.unknown("type", kind)
            return
        draft = self._draft(record)
        if draft is None or not isinstance(record.get("message"), dict):
            self.problems.unknown("a record without session or message, type", kind)
            return
        time, folder = seconds(record, "timestamp"), name(record, "cwd")
        draft.note(version=name(record, "version"), started=time, branch=name(record, "gitBranch"))
        draft.works_in(folder)
        if (own := name(record, "uuid")) is not None and time is not None:
            self._times[own] = time
        if kind == "assistant":
            self._assistant(draft, record, time, folder)
        else:
            self._user(draft, record, time)
        if record.get("isSidechain") is not True:
            self._main = draft
            self._rewinds.record(draft, record, prompt=kind == "user" and "toolUseResult" not in record)
        self.problems.count()

    def readings(self) -> Iterator[Reading]:
        """What was read, session by session; calls without a result among it."""
        for (_, call_id), call in self._calls.items():
            self._finish(call, call_id, None, None, None)
        yield from readings_of(self._drafts.values(), self.problems, Session(NAME, self._file))

    def _draft(self, record: dict[str, Any]) -> Draft | None:
        """The session of a record. A fork repeats the records of another, which stay that other's."""
        session = name(record, "forkedFrom", "sessionId") or name(record, "sessionId")
        if session is None:
            return None
        parent = None
        if record.get("isSidechain") is True:
            own, before = name(record, "uuid") or "", name(record, "parentUuid") or ""
            agent = name(record, "agentId") or self._side.get(before) or own
            self._side[own] = agent
            parent, session = session, f"{session}/agent-{agent}"
        if session not in self._drafts:
            self._drafts[session] = Draft(NAME, session, self._roots, parent)
        return self._drafts[session]

    def _assistant(self, draft: Draft, record: dict[str, Any], time: float | None, folder: str | None) -> None:
        message = record["message"]
        model = name(message, "model")
        if model == "<synthetic>" or record.get("isApiErrorMessage") is True:
            return
        known_by = name(message, "id")
        if known_by is not None:
            self._message(draft, record, known_by, model, time)
        for position, block in enumerate(rows(message, "content")):
            kind = at(block, "type")
            call_id, tool = name(block, "id"), name(block, "name")
            if kind == "tool_use" and call_id is not None and tool is not None:
                self._calls[draft.session.id, call_id] = _Call(
                    draft, tool, at(block, "input"), time, folder, model, known_by
                )
            elif kind == "text" and (said := text(block, "text")):
                own = f"{name(record, 'uuid') or known_by}.{position}"
                add_answers(draft, said, own, time=time, folder=folder, model=model, message=known_by)

    def _message(
        self, draft: Draft, record: dict[str, Any], known_by: str, model: str | None, time: float | None
    ) -> None:
        """Note what a message cost. Its latency is the time since the record that it answers."""
        usage = at(record, "message", "usage")
        asked = self._times.get(name(record, "parentUuid") or "")
        if asked is not None:
            self._began.setdefault(known_by, asked)
        began, cached = self._began.get(known_by), count(usage, "cache_read_input_tokens")
        draft.messages[known_by] = Message(
            known_by,
            time,
            model,
            added(count(usage, "input_tokens"), count(usage, "cache_creation_input_tokens"), cached),
            cached,
            count(usage, "output_tokens"),
            cost=number(record, "costUSD"),
            latency=None if began is None or time is None else max(time - began, 0.0),
        )

    def _user(self, draft: Draft, record: dict[str, Any], time: float | None) -> None:
        results = [block for block in rows(record["message"], "content") if at(block, "type") == "tool_result"]
        for block in results:
            call_id = name(block, "tool_use_id")
            call = self._calls.pop((draft.session.id, call_id or ""), None)
            if call_id is not None and call is not None:
                detail = record.get("toolUseResult") if len(results) == 1 else None
                self._finish(call, call_id, block, detail, time)

    def _finish(self, call: _Call, call_id: str, block: Any, detail: Any, time: float | None) -> None:
        """Turn a call and its result into an edit, indirect work or nothing."""
        if call.tool in READING:
            return
        said = text(detail) or _said(block)
        outcome, reason = outcome_of(at(block, "is_error") is True or bool(text(detail, "error")), said)
        if block is None:
            outcome, reason = "unknown", "the log has no result of it"
        edit = Edit(
            call.draft.key(call_id),
            "edit" if call.tool in EDITING else "indirect",
            call.tool,
            time or call.time,
            outcome=outcome,
            reason=reason,
            model=call.model,
            message=call.message,
        )
        if call.tool in EDITING:
            edit = _with_change(edit, call, detail if outcome == "applied" and isinstance(detail, dict) else None)
        elif call.tool == "Bash" and outcome == "applied":
            self._commits(call, text(detail, "stdout") or said, time)
        call.draft.add(edit, call.folder)

    def _commits(self, call: _Call, output: str, time: float | None) -> None:
        watch = self._watches.setdefault(call.draft.session.id, CommitWatch())
        call.draft.made(watch.see(text(call.arguments, "command") or "", output, time), call.folder)


def _with_change(edit: Edit, call: _Call, result: Any) -> Edit:
    path = path_of(call.arguments) or name(result, "filePath") or name(result, "notebook_path")
    change = change_of(call.tool, call.arguments, result, call.draft.budget)
    return replace(
        edit,
        path=path,
        parts=change.parts,
        whole=change.whole,
        language=change.language,
        user_modified=at(result, "userModified") is True,
    )


def _said(block: Any) -> str:
    content = at(block, "content")
    if isinstance(content, list):
        return "\n".join(said for one in content if (said := text(one, "text")))
    return content if isinstance(content, str) else ""
