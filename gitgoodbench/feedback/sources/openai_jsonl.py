"""Requests to OpenAI's API and their responses, one exchange a line, as gateways and loggers write them.

Such a file says nothing about where one worked: what the option `path` names is taken to be about this repository.
Whether a tool did what it was asked to only shows in the request that follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import Committer, Log, Place
from gitgoodbench.feedback.records import Edit, Reading, Session
from gitgoodbench.feedback.sources.answers import add_answers
from gitgoodbench.feedback.sources.draft import Draft, Problems, readings_of
from gitgoodbench.feedback.sources.jsonl import lines, log_of
from gitgoodbench.feedback.sources.made_commits import CommitWatch
from gitgoodbench.feedback.sources.openai_records import Call, Exchange, exchange_of
from gitgoodbench.feedback.sources.outcomes import outcome_of
from gitgoodbench.feedback.sources.roots import Roots
from gitgoodbench.feedback.sources.tool_calls import add_call, changes_of, looks_only
from gitgoodbench.feedback.sources.values import text

NAME: Final = "openai-jsonl"


class OpenAIJsonl:
    """Exchanges with OpenAI-style APIs, in files that the user names."""

    name = NAME
    title = "OpenAI-style requests and responses (JSONL)"
    variables: tuple[str, ...] = ()

    def committer(self, hints: Mapping[str, str]) -> Committer | None:  # noqa: ARG002
        """Nothing tells."""
        return None

    def logs(self, place: Place) -> Iterator[Log]:
        """The files that the option `path` names: files, folders or patterns, separated by commas.

        Raises:
            UserError: nothing is there.
        """
        for one in (place.options.get("path") or "").split(","):
            if one.strip():
                yield from _logs(place, one.strip())

    def read(self, log: Log, place: Place) -> Iterable[Reading]:
        """The conversations of a file.

        Raises:
            OSError: it cannot be opened.
        """
        path, problems = Path(log.name), Problems()
        reader = _Reader(place)
        for line in lines(path):
            found = line.problem if line.value is None else exchange_of(line.value)
            if isinstance(found, Exchange):
                reader.exchange(found)
                problems.count()
            else:
                problems.count(found)
        yield from readings_of(reader.drafts(), problems, Session(NAME, path.stem))


def _logs(place: Place, named: str) -> Iterator[Log]:
    path = Path(named).expanduser()
    path = path if path.is_absolute() else place.roots[0] / path
    if path.is_dir():
        files = sorted(path.rglob("*.jsonl"))
    else:
        files = [path] if path.exists() else sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
        if not files:
            raise UserError(f"{NAME}: nothing is at {named}: name a file, a folder or a pattern with path=")
    for file in files:
        log = log_of(file)
        if log is not None and (place.since is None or (log.ended or 0.0) >= place.since):
            yield log


@dataclass(frozen=True)
class _Open:
    """A call whose result is not known yet. edits: those that it became."""

    edits: tuple[str, ...]
    command: str
    time: float | None
    folder: str


class _Reader:
    """Takes the exchanges one by one."""

    def __init__(self, place: Place) -> None:
        self._roots, self._root = Roots(place), str(place.roots[0])
        self._drafts: dict[str, Draft] = {}
        self._open: dict[tuple[str, str], _Open] = {}
        self._watches: dict[str, CommitWatch] = {}

    def drafts(self) -> list[Draft]:
        """The conversations."""
        return list(self._drafts.values())

    def exchange(self, found: Exchange) -> None:
        """Take one exchange."""
        draft = self._drafts.setdefault(found.session, Draft(NAME, found.session, self._roots))
        folder = found.folder or self._root
        message = found.message
        draft.works_in(folder)
        draft.note(started=message.time, variant=found.variant)
        if found.randomised:
            draft.session = replace(draft.session, randomised=True)
        for known_by, said in found.results:
            if (call := self._open.pop((found.session, known_by), None)) is not None:
                self._resolve(draft, call, said)
        draft.messages[message.id] = message
        for position, said in enumerate(found.texts):
            add_answers(
                draft, said, f"{message.id}.{position}", time=message.time, folder=folder, model=message.model,
                message=message.id,
            )  # fmt: skip
        for made in found.calls:
            self._call(draft, made, found, folder)

    def _call(self, draft: Draft, call: Call, found: Exchange, folder: str) -> None:
        if looks_only(call.tool):
            return
        message = found.message
        edit = Edit(
            draft.key(f"{message.id}.{call.known_by}"), "indirect", call.tool, message.time, outcome="unknown",
            reason="the log has no result of it", model=message.model, message=message.id,
        )  # fmt: skip
        before = set(draft.edits)
        if changes := changes_of(call.tool, call.arguments):
            add_call(draft, edit, changes, folder)
        else:
            draft.add(edit, folder)
        edits = tuple(known_by for known_by in draft.edits if known_by not in before)
        command = _command(call.arguments)
        self._open[draft.session.id, call.known_by] = _Open(edits, command, message.time, folder)

    def _resolve(self, draft: Draft, call: _Open, said: str) -> None:
        """Note what became of a call."""
        outcome, reason = outcome_of(said)
        for known_by in call.edits:
            if known_by in draft.edits:
                draft.edits[known_by] = replace(draft.edits[known_by], outcome=outcome, reason=reason)
        if call.command and outcome == "applied":
            watch = self._watches.setdefault(draft.session.id, CommitWatch())
            draft.made(watch.see(call.command, said, call.time), call.folder)


def _command(arguments: Any) -> str:
    found = text(arguments, "command") or text(arguments, "cmd")
    if found is not None:
        return found
    words = arguments.get("command") if isinstance(arguments, dict) else None
    return " ".join(word for word in words if isinstance(word, str)) if isinstance(words, list) else ""
