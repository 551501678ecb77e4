"""Codex: one file a session (a rollout), one record a line. Three generations of it, told apart record by record.

An edit is sent as a patch in a command, in a tool of its own (`custom_tool_call`), or in a function's arguments; what
came of it is an `item_completed` or a `patch_apply_end`, else only what the model was told.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from gitgoodbench.feedback.contract import Committer, Log, Place
from gitgoodbench.feedback.records import Edit, Message, Outcome, Reading, Session
from gitgoodbench.feedback.sources.answers import add_answers
from gitgoodbench.feedback.sources.codex_changes import (
    READING,
    RESPONSE_ITEMS,
    TURN_ITEMS,
    arguments_of,
    changes_of,
    command_of,
    folder_of,
    outcome_of_change,
    outcome_of_output,
    output_of,
    patch_of,
)
from gitgoodbench.feedback.sources.draft import Draft, Problems, readings_of
from gitgoodbench.feedback.sources.jsonl import lines, log_of
from gitgoodbench.feedback.sources.made_commits import CommitWatch
from gitgoodbench.feedback.sources.patches import FilePatch
from gitgoodbench.feedback.sources.roots import Roots
from gitgoodbench.feedback.sources.values import at, count, name, rows, seconds, text

NAME: Final = "codex"
_OTHER: Final = frozenset(
    [
        "compacted", "dynamic_tools_updated", "id_allocation", "inter_agent_communication",
        "inter_agent_communication_metadata", "realtime_item", "security_risk_score", "world_state",
    ]
)  # fmt: skip
"""Records that say nothing about edits."""
_CALLS: Final = ("function_call", "custom_tool_call", "local_shell_call")
_SHELLS: Final = ("exec_command", "shell_command", "shell", "local_shell", "container.exec", "unified_exec")


class Codex:
    """The logs of Codex."""

    name = NAME
    title = "Codex"
    variables: tuple[str, ...] = ("CODEX_THREAD_ID", "CODEX_SESSION_ID", "CODEX_TOOL_CALL_ID", "CODEX_VERSION")

    def committer(self, hints: Mapping[str, str]) -> Committer | None:
        """Codex marks the environment of its commands with the session's id."""
        session = hints.get("CODEX_THREAD_ID") or hints.get("CODEX_SESSION_ID")
        return Committer(session) if session or hints.get("CODEX_TOOL_CALL_ID") else None

    def logs(self, place: Place) -> Iterator[Log]:
        """All sessions of the user, archived ones too; `read` looks into those that may name the repository."""
        home = place.options.get("folder") or place.environment.get("CODEX_HOME") or place.home / ".codex"
        for folder in ("sessions", "archived_sessions"):
            for path in sorted(Path(home).expanduser().joinpath(folder).rglob("rollout-*.jsonl")):
                log = log_of(path)
                if log is not None and (place.since is None or (log.ended or 0.0) >= place.since):
                    yield log

    def read(self, log: Log, place: Place) -> Iterable[Reading]:
        """The session of a file.

        Raises:
            OSError: it cannot be opened.
        """
        path, roots = Path(log.name), Roots(place)
        if not roots.in_file(path):
            return
        reader = _Reader(roots)
        for line in lines(path):
            if line.value is None:
                reader.problems.count(line.problem)
            else:
                reader.record(line.value)
        yield from readings_of(reader.drafts(), reader.problems, Session(NAME, path.stem))


@dataclass(frozen=True)
class _Call:
    """A call that waits for its result."""

    tool: str
    command: str
    files: tuple[FilePatch, ...]
    folder: str | None
    model: str | None
    time: float | None


class _Reader:
    """Takes the records of a file one by one."""

    def __init__(self, roots: Roots) -> None:
        self.problems = Problems()
        self._roots = roots
        self._draft: Draft | None = None
        self._calls: dict[str, _Call] = {}
        self._finished: set[str] = set()
        self._watch = CommitWatch()
        self._folder: str | None = None
        self._model: str | None = None
        self._unpaid: list[str] = []
        self._paid: dict[str, str] = {}
        self._total: int | None = None
        self._has_records = False
        self._turns: list[list[str]] = [[]]

    def record(self, record: dict[str, Any]) -> None:
        """Take one record."""
        kind, payload = record.get("type"), record.get("payload")
        time = seconds(record, "timestamp")
        if kind == "session_meta":
            self._meta(payload, time)
        elif self._draft is None:
            self.problems.count("a record before any session")
            return
        elif kind == "turn_context":
            self._folder = name(payload, "cwd") or self._folder
            self._model = name(payload, "model") or self._model
            self._draft.works_in(self._folder)
        elif kind == "response_item" and text(payload, "type") in RESPONSE_ITEMS:
            self._response_item(self._draft, payload, time)
        elif kind == "event_msg" and text(payload, "item", "type") in (None, *TURN_ITEMS):
            self._event(self._draft, payload, time)
        elif kind in ("response_item", "event_msg"):
            self.problems.unknown(f"{kind}, type", at(payload, "item", "type") or at(payload, "type"))
            return
        elif kind == "token_usage_record":
            self._has_records = True
            self._usage(self._draft, name(payload, "response_id"), at(payload, "usage"), time)
        elif not isinstance(kind, str) or kind not in _OTHER:
            self.problems.unknown("type", kind)
            return
        self.problems.count()

    def drafts(self) -> list[Draft]:
        """The session, when all records are taken."""
        if self._draft is None:
            return []
        for call_id in list(self._calls):
            self._finish(self._draft, call_id, None, "unknown", "the log has no result of it", None)
        edits = self._draft.edits
        for known_by, edit in edits.items():
            paid = self._paid.get(known_by)
            edits[known_by] = edit if paid is None or edit.message else replace(edit, message=paid)
        if self._has_records:  # the counts beside them are the same usage again
            self._draft.messages = {k: one for k, one in self._draft.messages.items() if not k.startswith("total-")}
        return [self._draft]

    def _meta(self, payload: Any, time: float | None) -> None:
        """The first one is of this session; a fork repeats that of the session which it was forked from."""
        session = name(payload, "id") or name(payload, "session_id")
        if session is None or self._draft is not None:
            return
        spawned = at(payload, "source", "subagent", "thread_spawn")
        parent = name(payload, "parent_thread_id") or name(spawned, "parent_thread_id")
        self._draft = Draft(NAME, session, self._roots, parent)
        self._folder = name(payload, "cwd")
        forked = name(payload, "forked_from_id")
        self._draft.note(
            version=name(payload, "cli_version"),
            started=seconds(payload, "timestamp") or time,
            head=name(payload, "git", "commit_hash"),
            branch=name(payload, "git", "branch"),
            tags=None if forked is None else (("forked_from", forked),),
        )
        self._draft.works_in(self._folder)

    def _response_item(self, draft: Draft, payload: Any, time: float | None) -> None:
        kind, call_id = text(payload, "type"), name(payload, "call_id") or name(payload, "id")
        if kind in _CALLS and call_id is not None and call_id not in self._finished:
            tool = name(payload, "name") or ("local_shell" if kind == "local_shell_call" else "")
            arguments = at(payload, "action") if kind == "local_shell_call" else arguments_of(payload)
            command = command_of(arguments)
            folder = self._inside(command.folder)
            files = tuple(patch_of(tool, arguments))
            self._calls[call_id] = _Call(tool, command.line, files, folder, self._model, time)
        elif kind is not None and kind.endswith("_call_output") and call_id in self._calls:
            self._told(draft, call_id, payload, time)
        elif kind == "message" and at(payload, "role") == "assistant":
            said = "\n\n".join(one for block in rows(payload, "content") if (one := text(block, "text")))
            own = f"answer-{hashlib.sha256(said.encode('utf-8', 'replace')).hexdigest()[:16]}"
            before = set(draft.edits)
            add_answers(draft, said, own, time=time, folder=self._folder, model=self._model, message=None)
            self._unpaid += [one for one in draft.edits if one not in before]

    def _told(self, draft: Draft, call_id: str, payload: Any, time: float | None) -> None:
        """What the model was told of a call: of a patch it counts only where no record says more."""
        call = self._calls[call_id]
        if call.files:
            outcome, reason = outcome_of_output(payload)
            self._finish(draft, call_id, call.files, outcome, reason, time)
            return
        said, code, refused = output_of(payload)
        outcome, reason = ("applied", None) if code in (None, 0) else ("failed", "the tool failed")
        if refused:
            outcome, reason = "denied", "the person did not allow it"
        if outcome == "applied" and call.tool in _SHELLS:
            draft.made(self._watch.see(call.command, said, time), call.folder)
        self._finish(draft, call_id, (), outcome, reason, time)

    def _event(self, draft: Draft, payload: Any, time: float | None) -> None:
        kind = text(payload, "type")
        if kind == "patch_apply_end":
            self._changed(draft, name(payload, "call_id"), payload, time)
        elif kind == "item_completed" and at(payload, "item", "type") == "FileChange":
            item = at(payload, "item")
            self._changed(draft, name(item, "id"), item, seconds(payload, "completed_at_ms") or time)
        elif kind == "item_completed" and at(payload, "item", "type") == "CommandExecution":
            self._executed(draft, at(payload, "item"), seconds(payload, "completed_at_ms") or time)
        elif kind == "token_count":
            self._count(draft, at(payload, "info"), time)
        elif kind in ("task_started", "turn_started"):
            self._turns.append([])
        elif kind == "turn_aborted":
            for call_id in list(self._calls):
                self._finish(draft, call_id, None, "failed", "the turn was interrupted", time)
        elif kind == "undo_completed" and at(payload, "success") is True:
            self._undo(draft)

    def _executed(self, draft: Draft, item: Any, time: float | None) -> None:
        """A command that ended, with all of its output; the model may have been told only the beginning."""
        call_id, line = name(item, "id"), command_of(item).line
        call = self._calls.get(call_id or "")
        if call_id is None or (call is not None and call.files) or patch_of("shell", item):
            return
        folder = folder_of(text(item, "cwd")) or self._folder
        if call is None:
            self._calls[call_id] = _Call("exec_command", line, (), folder, self._model, time)
        outcome, reason = outcome_of_change(item)
        code = at(item, "exit_code")
        if code == 0:
            draft.made(self._watch.see(line, text(item, "aggregated_output") or "", time), folder)
        if code not in (None, 0):
            outcome, reason = "failed", "the tool failed"
        self._finish(draft, call_id, (), outcome, reason, time)

    def _changed(self, draft: Draft, call_id: str | None, record: Any, time: float | None) -> None:
        if call_id is None:
            return
        files = tuple(changes_of(at(record, "changes"))) or None
        outcome, reason = outcome_of_change(record)
        if call_id not in self._calls:  # the model was told first, or the call is not in the log
            self._calls[call_id] = _Call("apply_patch", "", files or (), self._folder, self._model, time)
        self._finish(draft, call_id, files, outcome, reason, time)

    def _finish(
        self,
        draft: Draft,
        call_id: str,
        files: tuple[FilePatch, ...] | None,
        outcome: Outcome,
        reason: str | None,
        time: float | None,
    ) -> None:
        """Turn a call and what came of it into edits, one a file, or indirect work. files: None: those of the call."""
        call = self._calls.pop(call_id)
        self._finished.add(call_id)
        files = call.files if files is None else files
        if not files and call.tool in READING:
            return
        tool = "apply_patch" if files else call.tool
        base = Edit(
            draft.key(call_id), "edit" if files else "indirect", tool, time or call.time,
            outcome=outcome, reason=reason, model=call.model, message=self._paid.get(call_id),
        )  # fmt: skip
        if not files:
            self._add(draft, base, call.folder)
        for file in files:
            path = self._roots.locate(file.moved_to or file.path, call.folder)
            key = draft.key(call_id if len(files) == 1 else f"{call_id}:{path}")
            whole = file.kind == "add"
            if path is not None:
                self._add(draft, replace(base, key=key, path=path, parts=file.parts, whole=whole), call.folder)

    def _add(self, draft: Draft, edit: Edit, folder: str | None) -> None:
        draft.add(edit, folder)
        self._turns[-1].append(edit.key.edit)
        if edit.message is None:
            self._unpaid.append(edit.key.edit)

    def _usage(self, draft: Draft, known_by: str | None, usage: Any, time: float | None) -> None:
        """Note what a response cost; it is also the one that the calls before it were in."""
        if known_by is None:
            return
        draft.messages[known_by] = Message(
            known_by,
            time,
            self._model,
            count(usage, "input_tokens"),
            count(usage, "cached_input_tokens"),
            count(usage, "output_tokens"),
            count(usage, "reasoning_output_tokens"),
        )
        self._paid.update(dict.fromkeys([*self._unpaid, *self._calls], known_by))
        self._unpaid.clear()

    def _count(self, draft: Draft, info: Any, time: float | None) -> None:
        """The usage of generations without `token_usage_record`: it is repeated, but then its total stays the same."""
        total = count(info, "total_token_usage", "total_tokens")
        if self._has_records or total is None or total == self._total:
            return
        self._total = total
        self._usage(draft, f"total-{total}", at(info, "last_token_usage"), time)

    def _undo(self, draft: Draft) -> None:
        """The person took back the files of the last turn that changed some."""
        turn = next((turn for turn in reversed(self._turns) if any(self._is_applied(draft, one) for one in turn)), [])
        for known_by in turn:
            if self._is_applied(draft, known_by):
                edit = draft.edits[known_by]
                draft.edits[known_by] = replace(edit, outcome="reverted", reason="the person undid the turn")

    def _is_applied(self, draft: Draft, known_by: str) -> bool:
        edit = draft.edits.get(known_by)
        return edit is not None and edit.kind == "edit" and edit.outcome == "applied"

    def _inside(self, folder: str | None) -> str | None:
        return self._folder if folder is None else str(Path(self._folder or "", folder))
