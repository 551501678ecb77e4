"""GitHub Copilot's agents: events of its command line, and transcripts of its chat in VS Code, which are alike."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from gitgoodbench.feedback.contract import Committer, Log, Place
from gitgoodbench.feedback.records import Edit, Message, Outcome, Reading
from gitgoodbench.feedback.sources.answers import add_answers
from gitgoodbench.feedback.sources.draft import Draft, Problems, readings_of
from gitgoodbench.feedback.sources.jsonl import lines, log_of
from gitgoodbench.feedback.sources.made_commits import CommitWatch
from gitgoodbench.feedback.sources.patches import hunks_of, parts_of
from gitgoodbench.feedback.sources.roots import Roots
from gitgoodbench.feedback.sources.tool_calls import Change, add_call, arguments_of, changes_of, looks_only
from gitgoodbench.feedback.sources.values import count, name, number, seconds, table, text

NAME: Final = "copilot-cli"

_EDITORS: Final = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_STORAGE: Final = "User/workspaceStorage/*/GitHub.copilot-chat/transcripts/*.jsonl"
_SHELLS: Final = frozenset(("bash", "powershell", "local_shell", "run_in_terminal"))
_SHELL_END: Final = re.compile(r"\s*<shellId: [^>\n]{0,80}>\s*\Z")
_TYPE: Final = re.compile(r"[a-z]+[a-z_.A-Z]{0,80}")
_KNOWN: Final = ("session.", "user.", "assistant.", "tool.", "permission.", "hook.", "subagent.", "system.", "model.")
_OTHER: Final = frozenset(("abort", "agent.interrupted", "skill.invoked"))


class CopilotCli:
    """The logs of Copilot CLI and of Copilot's chat in VS Code."""

    name = NAME
    title = "GitHub Copilot (CLI, and chat in VS Code)"
    variables: tuple[str, ...] = ("COPILOT_CLI", "COPILOT_AGENT_SESSION_ID")

    def committer(self, hints: Mapping[str, str]) -> Committer | None:
        """Copilot CLI marks the environment of its commands."""
        session = hints.get("COPILOT_AGENT_SESSION_ID") or None
        return Committer(session) if session or hints.get("COPILOT_CLI") == "1" else None

    def logs(self, place: Place) -> Iterator[Log]:
        """All sessions of the user; `read` looks into those that may name the repository."""
        for path in _files(place):
            log = log_of(path)
            if log is not None and (place.since is None or (log.ended or 0.0) >= place.since):
                yield log

    def read(self, log: Log, place: Place) -> Iterable[Reading]:
        """The session of a file.

        Raises:
            OSError: it cannot be opened.
        """
        path, roots = Path(log.name), Roots(place)
        folder = _workspace(path)
        if roots.locate(folder) is None and not roots.in_file(path):
            return
        session = path.parent.name if path.name == "events.jsonl" else path.stem
        draft = Draft(NAME, session, roots)
        if path.parent.name == "transcripts":
            draft.session = replace(draft.session, tags=(("surface", "vscode"),))
        reader = _Reader(draft, folder)
        for line in lines(path):
            if line.value is None:
                reader.problems.count(line.problem)
            else:
                reader.event(line.value)
        yield from reader.readings()


def _files(place: Place) -> Iterator[Path]:
    chosen = place.options.get("folder") or place.environment.get("COPILOT_HOME")
    home = Path(chosen).expanduser() if chosen else place.home / ".copilot"
    yield from sorted((home / "session-state").glob("*/events.jsonl"))
    yield from sorted((home / "session-state").glob("*.jsonl"))
    for folder in (
        *(place.home / ".config" / editor for editor in _EDITORS),
        *(place.home / "Library/Application Support" / editor for editor in _EDITORS),
        place.home / ".vscode-server/data",
    ):
        yield from sorted(folder.glob(_STORAGE))


def _workspace(path: Path) -> str | None:
    """The folder that VS Code had open, as a file beside the transcripts says."""
    if path.parent.name != "transcripts":
        return None
    try:
        with (path.parents[2] / "workspace.json").open("rb") as file:
            folder = name(json.loads(file.read(1024 * 1024)), "folder")
    except (OSError, ValueError, RecursionError):
        return None
    return unquote(urlsplit(folder).path) if folder and "://" in folder else folder


@dataclass(frozen=True)
class _Call:
    """A call of a tool that waits for its result."""

    tool: str
    arguments: Any
    time: float | None
    folder: str | None
    model: str | None
    message: str | None


class _Reader:
    """Takes the events of a session one by one."""

    def __init__(self, draft: Draft, folder: str | None) -> None:
        self.problems = Problems()
        self._draft, self._folder = draft, folder
        self._draft.works_in(folder)
        self._model: str | None = None
        self._calls: dict[str, _Call] = {}
        self._asked_by: dict[str, str] = {}
        self._denied: set[str] = set()
        self._watch = CommitWatch()

    def event(self, event: dict[str, Any]) -> None:
        """Take one event."""
        kind, data, time = text(event, "type") or "", table(event, "data"), seconds(event, "timestamp")
        if kind in ("session.start", "session.resume", "session.context_changed"):
            self._session(kind, data)
        elif kind == "session.model_change":
            self._model = name(data, "newModel") or self._model
        elif kind == "session.usage_record":
            self._usage(table(data, "usage"), time)
        elif kind == "assistant.usage":
            self._usage(data, time)
        elif kind == "assistant.message":
            self._message(event, data, time)
        elif kind == "permission.completed":
            if (text(data, "result", "kind") or "").startswith("denied"):
                self._denied.add(name(data, "toolCallId") or "")
        elif kind == "tool.execution_start":
            self._start(data, time)
        elif kind == "tool.execution_complete":
            self._complete(data, time)
        elif not _TYPE.fullmatch(kind) or not (kind.startswith(_KNOWN) or kind in _OTHER):
            self.problems.unknown("type", event.get("type"))
            return
        self.problems.count()

    def readings(self) -> Iterator[Reading]:
        """What was read; calls without a result among it."""
        for call_id, call in self._calls.items():
            self._finish(call_id, call, {}, call.time)
        yield from readings_of([self._draft], self.problems, self._draft.session)

    def _session(self, kind: str, data: dict[str, Any]) -> None:
        context = table(data, "context") or data
        self._folder = name(context, "cwd") or name(context, "gitRoot") or self._folder
        self._draft.works_in(self._folder)
        if kind == "session.context_changed":
            return
        self._model = name(data, "selectedModel") or self._model
        self._draft.note(version=name(data, "copilotVersion"))
        if kind == "session.start":
            self._draft.note(
                started=seconds(data, "startTime"), head=name(context, "headCommit"), branch=name(context, "branch"),
                parent=name(data, "detachedFromSpawningParentSessionId"),
            )  # fmt: skip

    def _usage(self, usage: dict[str, Any], time: float | None) -> None:
        """Note what an answer took. What it calls cost is a multiple of a plan's requests, not money."""
        known_by = name(usage, "apiCallId")
        took = number(usage, "duration")
        if known_by is not None:
            self._draft.messages[known_by] = Message(
                known_by, time, name(usage, "model"), count(usage, "inputTokens"), count(usage, "cacheReadTokens"),
                count(usage, "outputTokens"), count(usage, "reasoningTokens"),
                latency=None if took is None else took / 1000,
            )  # fmt: skip

    def _message(self, event: dict[str, Any], data: dict[str, Any], time: float | None) -> None:
        own = name(data, "messageId") or name(event, "id")
        known_by = name(data, "apiCallId") or own
        model = name(data, "model") or self._model
        if own is None or known_by is None:
            return
        if known_by not in self._draft.messages:
            self._draft.messages[known_by] = Message(
                known_by, time, model, output_tokens=count(data, "outputTokens")
            )  # fmt: skip
        for call in data.get("toolRequests") or []:
            if (call_id := name(call, "toolCallId")) is not None:
                self._asked_by[call_id] = known_by
        add_answers(
            self._draft, text(data, "content") or "", own, time=time, folder=self._folder, model=model, message=known_by
        )

    def _start(self, data: dict[str, Any], time: float | None) -> None:
        call_id, tool = name(data, "toolCallId"), name(data, "toolName")
        if call_id is not None and tool is not None:
            model, message = name(data, "model") or self._model, self._asked_by.get(call_id)
            self._calls[call_id] = _Call(
                tool, arguments_of(data.get("arguments")), time, self._folder, model, message
            )  # fmt: skip

    def _complete(self, data: dict[str, Any], time: float | None) -> None:
        call_id = name(data, "toolCallId") or ""
        if (call := self._calls.pop(call_id, None)) is not None:
            self._finish(call_id, call, data, time)

    def _finish(self, call_id: str, call: _Call, data: dict[str, Any], time: float | None) -> None:
        """Turn a call and its result into edits, indirect work or nothing."""
        if looks_only(call.tool):
            return
        outcome, reason = self._outcome(call_id, data)
        edit = Edit(
            self._draft.key(call_id), "indirect", call.tool, time, outcome=outcome, reason=reason, model=call.model,
            message=call.message,
        )  # fmt: skip
        if changes := changes_of(call.tool, call.arguments):
            shown = text(data, "result", "detailedContent") or ""
            add_call(self._draft, edit, _with_lines(changes, shown), call.folder)
            return
        self._draft.add(edit, call.folder)
        if call.tool in _SHELLS and outcome == "applied":
            output = _SHELL_END.sub("", text(data, "result", "content") or "")
            self._draft.made(self._watch.see(text(call.arguments, "command") or "", output, time), call.folder)

    def _outcome(self, call_id: str, data: dict[str, Any]) -> tuple[Outcome, str | None]:
        if not data:
            return "unknown", "the log has no result of it"
        if text(data, "error", "code") in ("denied", "rejected") or call_id in self._denied:
            return "denied", "it was not allowed"
        if data.get("success") is not True:
            return "failed", "the tool failed"
        failed = (count(data, "shellExecution", "exitCode") or 0) != 0
        return ("failed", "the command failed") if failed else ("applied", None)


def _with_lines(changes: tuple[Change, ...], shown: str) -> tuple[Change, ...]:
    """A change with the lines around it and their numbers, where the result shows a diff of it.

    The diff ends with an empty line of context that is not in the file.
    """
    hunks = hunks_of(shown.encode("utf-8", "replace")) if len(changes) == 1 and not changes[0].whole else ()
    if not hunks:
        return changes
    if hunks[-1].lines[-1:] == (b" \n",):
        hunks = (*hunks[:-1], replace(hunks[-1], lines=hunks[-1].lines[:-1]))
    return (Change(changes[0].path, parts_of(hunks)),)
