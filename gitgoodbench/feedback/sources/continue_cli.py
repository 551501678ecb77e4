"""Continue's command line: one JSON file a session. It keeps no times of messages, so that its edits have none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from gitgoodbench.feedback.contract import Committer, Log, Place
from gitgoodbench.feedback.records import Edit, Message, Outcome, Reading, Session
from gitgoodbench.feedback.sources.answers import add_answers
from gitgoodbench.feedback.sources.draft import Draft, Problems, readings_of
from gitgoodbench.feedback.sources.gemini_cli import said
from gitgoodbench.feedback.sources.jsonl import LONGEST, log_of, parse
from gitgoodbench.feedback.sources.made_commits import CommitWatch
from gitgoodbench.feedback.sources.patches import hunks_of, parts_of
from gitgoodbench.feedback.sources.roots import Roots
from gitgoodbench.feedback.sources.tool_calls import Change, add_call, arguments_of, changes_of, looks_only
from gitgoodbench.feedback.sources.values import at, count, name, number, rows, table, text

NAME: Final = "continue-cli"

_OUTCOMES: Final[dict[str, tuple[Outcome, str | None]]] = {
    "done": ("applied", None),
    "errored": ("failed", "the tool failed"),
    "canceled": ("denied", "the person did not allow it"),
    "cancelled": ("denied", "the person did not allow it"),
}
_DIFF: Final = "\nDiff:\n"


class ContinueCli:
    """The logs of Continue's command line. It leaves no mark in the environment of its commands."""

    name = NAME
    title = "Continue CLI"
    variables: tuple[str, ...] = ()

    def committer(self, hints: Mapping[str, str]) -> Committer | None:  # noqa: ARG002
        """Nothing tells; its log shows the commits that it made."""
        return None

    def logs(self, place: Place) -> Iterator[Log]:
        """All sessions of the user; `read` looks into those that may name the repository."""
        for path in sorted(_folder(place).glob("*.json")):
            log = log_of(path) if path.name != "sessions.json" else None
            if log is not None and (place.since is None or (log.ended or 0.0) >= place.since):
                yield log

    def read(self, log: Log, place: Place) -> Iterable[Reading]:
        """The session of a file.

        Raises:
            OSError: it cannot be opened.
        """
        path, roots, problems = Path(log.name), Roots(place), Problems()
        if not roots.in_file(path):
            return
        with path.open("rb") as file:
            content = file.read(LONGEST + 1)
        line = parse(content)
        if line.value is None or len(content) > LONGEST:
            problems.count("a session that is too long" if len(content) > LONGEST else line.problem)
            yield from readings_of([], problems, Session(NAME, path.stem))
            return
        draft = Draft(NAME, name(line.value, "sessionId") or path.stem, roots)
        _Reader(draft, problems).session(line.value)
        yield from readings_of([draft], problems, Session(NAME, path.stem))


def _folder(place: Place) -> Path:
    chosen = place.options.get("folder") or place.environment.get("CONTINUE_GLOBAL_DIR")
    return (Path(chosen).expanduser() if chosen else place.home / ".continue") / "sessions"


class _Reader:
    """Takes the messages of a session one by one."""

    def __init__(self, draft: Draft, problems: Problems) -> None:
        self._draft, self._problems = draft, problems
        self._watch = CommitWatch()
        self._folder: str | None = None

    def session(self, session: dict[str, Any]) -> None:
        """Take a whole session."""
        self._folder = _plain(name(session, "workspaceDirectory"))
        self._draft.works_in(self._folder)
        for position, item in enumerate(rows(session, "history")):
            role = at(item, "message", "role")
            if role == "assistant":
                self._assistant(item, str(position))
            if role in ("assistant", "user", "system", "tool", "thinking"):
                self._problems.count()
            else:
                self._problems.unknown("role", role)

    def _assistant(self, item: Any, known_by: str) -> None:
        """Take an answer, known by its position: messages have no ids."""
        usage = table(item, "message", "usage")
        cached = count(usage, "prompt_tokens_details", "cached_tokens")
        model = name(usage, "model")
        cents = number(usage, "cost_cents")
        self._draft.messages[known_by] = Message(
            known_by, None, model, count(usage, "prompt_tokens"), cached,
            count(usage, "completion_tokens"), count(usage, "completion_tokens_details", "reasoning_tokens"),
            cents / 100 if cents else None,
        )  # fmt: skip
        add_answers(
            self._draft, said(at(item, "message", "content")), known_by, time=None, folder=self._folder, model=model,
            message=known_by,
        )  # fmt: skip
        for call in rows(item, "toolCallStates"):
            self._call(call, model, known_by)

    def _call(self, call: Any, model: str | None, message: str) -> None:
        call_id = name(call, "toolCallId") or name(call, "toolCall", "id")
        tool = name(call, "toolCall", "function", "name")
        if call_id is None or tool is None or looks_only(tool):
            return
        arguments = at(call, "parsedArgs") or arguments_of(at(call, "toolCall", "function", "arguments"))
        output = "".join(found for one in rows(call, "output") if (found := text(one, "content")))
        status = at(call, "status")
        outcome, reason = _OUTCOMES.get(status if isinstance(status, str) else "", ("unknown", "the log has no result"))
        edit = Edit(
            self._draft.key(call_id), "indirect", tool, None, outcome=outcome, reason=reason, model=model,
            message=message,
        )  # fmt: skip
        changes = changes_of(tool, arguments)
        if changes:
            add_call(self._draft, edit, _as_done(changes, output) if outcome == "applied" else changes, self._folder)
            return
        self._draft.add(edit, self._folder)
        if tool == "Bash" and outcome == "applied":
            self._draft.made(self._watch.see(text(arguments, "command") or "", output, None), self._folder)


def _as_done(changes: tuple[Change, ...], output: str) -> tuple[Change, ...]:
    """The changes with the lines around them, where the result shows a diff."""
    hunks = hunks_of(output.partition(_DIFF)[2].encode("utf-8", "replace"))
    return (Change(changes[0].path, parts_of(hunks)),) if hunks and len(changes) == 1 else changes


def _plain(folder: str | None) -> str | None:
    """A folder, which the editor's sessions give as a URL."""
    return unquote(urlsplit(folder).path) if folder and folder.startswith("file://") else folder
