"""aider: `.aider.chat.history.md` in the working tree, all sessions in one file, of which only the start has a time.

aider commits by itself and writes the ids down, so that most edits are linked by them.
"""

from __future__ import annotations

import hashlib
import mmap
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from gitgoodbench.feedback.contract import Committer, Log, Place
from gitgoodbench.feedback.fence_contents import replacements
from gitgoodbench.feedback.records import Edit, MadeCommit, Message, Outcome, Part, Reading
from gitgoodbench.feedback.sources.aider_chat import Block, Turn, blocks_of, turns
from gitgoodbench.feedback.sources.draft import Draft, Problems, readings_of
from gitgoodbench.feedback.sources.jsonl import log_of
from gitgoodbench.feedback.sources.roots import Roots

NAME: Final = "aider"

_FILE: Final = ".aider.chat.history.md"
_START: Final = re.compile(rb"^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[ \t]*\r?$", re.MULTILINE)
_LONGEST: Final = 64 * 1024 * 1024
"""Bytes of a session that are read."""

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_MODEL: Final = re.compile(r"(?:Main model|Model|Editor model): (\S+) with (?:\S+ )*?([a-z-]+) edit format")
_VERSION: Final = re.compile(r"Aider v(\S+)")
_COMMIT: Final = re.compile(r"Commit ([0-9a-f]{7,64}) ")
_REMOVED: Final = re.compile(r"(?:Removed|Undid): ([0-9a-f]{7,64}) ")
_APPLIED: Final = re.compile(r"Applied edit to (.+)")
_SKIPPED: Final = re.compile(r"Skipping edits to (.+?)( that matches gitignore spec\.)?")
_DRY: Final = re.compile(r"Did not apply edit to (.+) \(--dry-run\)")
_FAILED: Final = re.compile(r"# \d+ SEARCH/REPLACE blocks? failed to match!|.*(?:hunks? failed to apply|UnifiedDiff)")
_HUNKS: Final = re.compile(r"^(.+) (?:does not contain lines that match|contains multiple sets of lines)", re.MULTILINE)
_TOKENS: Final = re.compile(
    r"Tokens: ([\d.,]+[km]?) sent(.*?), ([\d.,]+[km]?) received\.(?: Cost: \$([\d.]+) message)?"
)
_CACHED: Final = re.compile(r"([\d.,]+[km]?) cache hit")
_PERSONS: Final = "before applying edits."


class Aider:
    """The chat history of aider. Its commits carry its name beside the committer's, its environment no mark."""

    name = NAME
    title = "aider"
    variables: tuple[str, ...] = ()

    def committer(self, hints: Mapping[str, str]) -> Committer | None:  # noqa: ARG002
        """Nothing tells; its log shows the commits that it made."""
        return None

    def logs(self, place: Place) -> Iterator[Log]:
        """The history of each working tree, or the file that the option `path` names."""
        chosen = place.options.get("path") or place.environment.get("AIDER_CHAT_HISTORY_FILE")
        files = [Path(chosen).expanduser()] if chosen else [root / _FILE for root in place.roots]
        for path in files:
            log = log_of(path if path.is_absolute() else place.roots[0] / path)
            if log is not None and (place.since is None or (log.ended or 0.0) >= place.since):
                yield log

    def read(self, log: Log, place: Place) -> Iterable[Reading]:
        """The sessions of a file; those that ended before what is of interest are passed over.

        Raises:
            OSError: it cannot be opened.
        """
        path, roots = Path(log.name), Roots(place)
        folder = str(path.parent) if roots.locate(str(path.parent)) else str(place.roots[0])
        for session, started, text in _sessions(path, folder, place.since):
            draft, problems = Draft(NAME, session, roots), Problems()
            draft.note(started=started)
            draft.works_in(folder)
            _Reader(draft, problems, folder).session(text)
            yield from readings_of([draft], problems, draft.session)


def _sessions(path: Path, folder: str, since: float | None) -> Iterator[tuple[str, float | None, str]]:
    """Each session's id, start and text."""
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            heads = [(match.start(), match.end(), match[1].decode()) for match in _START.finditer(content)]
            known = hashlib.sha256(folder.encode("utf-8", "surrogateescape")).hexdigest()[:8]
            seen: dict[str, int] = {}
            for position, (_, begin, said) in enumerate(heads):
                seen[said] = seen.get(said, 0) + 1
                following = heads[position + 1] if position + 1 < len(heads) else None
                if since is not None and following and (_local(following[2]) or since) < since:
                    continue
                end = min(following[0] if following else len(content), begin + _LONGEST)
                session = f"{known}-{said.replace(' ', 'T')}" + (f"-{seen[said]}" if seen[said] > 1 else "")
                yield session, _local(said), content[begin:end].decode("utf-8", "replace")


def _local(said: str) -> float | None:
    """A time as this machine's clock shows it; of an hour that came twice, the first."""
    try:
        return time.mktime(time.strptime(said, "%Y-%m-%d %H:%M:%S"))
    except (ValueError, OverflowError):
        return None


class _Reader:
    """Takes what is said in a session, in its order."""

    def __init__(self, draft: Draft, problems: Problems, folder: str) -> None:
        self._draft, self._problems, self._folder = draft, problems, folder
        self._model: str | None = None
        self._format = "whole"
        self._answer = 0
        self._answered: list[str] = []
        self._said: list[str] = []
        self._files: dict[str, bytes] = {}
        self._open: list[str] = []
        """Edits that were applied and are in no commit yet."""
        self._asked = False
        self._saved = False

    def session(self, text: str) -> None:
        """Take a session."""
        for turn in turns(text):
            self._problems.count()
            if turn.who == "aider":
                self._aider(turn)
                continue
            self._finish()
            self._asked = turn.who == "person"
            if turn.who == "model":
                self._answer += 1
                self._answered = [turn.text]
        self._finish()

    def _aider(self, turn: Turn) -> None:
        """Take a line of aider's: about the session, or about what became of an answer."""
        first = turn.text.partition("\n")[0]
        if match := _MODEL.match(first):
            self._finish()
            self._model, self._format = match[1], match[2]
        elif match := _VERSION.match(first):
            self._draft.note(version=match[1])
        elif match := _TOKENS.match(first):
            self._message(match)
        elif match := _REMOVED.match(first + " "):
            self._finish()
            self._undo(match[1])
        elif match := _COMMIT.match(first + " "):
            self._commit(match[1])
        else:
            self._said.append(turn.text)
            self._saved = self._saved or first.endswith(_PERSONS)

    def _message(self, match: re.Match[str]) -> None:
        """Note what an answer took. aider rounds from 1,000 tokens on."""
        known_by, cached = str(self._answer), _CACHED.search(match[2])
        self._draft.messages[known_by] = Message(
            known_by, None, self._model, _tokens(match[1]), _tokens(cached[1]) if cached else None,
            _tokens(match[3]), cost=float(match[4]) if match[4] and match[4].count(".") <= 1 else None,
        )  # fmt: skip

    def _commit(self, commit: str) -> None:
        """A commit: of a person's changes before an edit, or of all that was applied until now."""
        applied = any(_APPLIED.match(line) for line in self._said)
        if self._saved and not applied:
            return
        answered = bool(self._answered) or bool(self._open)
        self._finish()
        for edit in self._open:
            known = self._draft.edits[edit]
            self._draft.edits[edit] = replace(known, commits=(*known.commits, commit))
        self._open = []
        if answered and not self._asked:
            self._draft.made([MadeCommit(commit, None)], self._folder)

    def _undo(self, commit: str) -> None:
        """Edits of a commit that the person took back."""
        for known_by, edit in self._draft.edits.items():
            if any(one.startswith(commit) or commit.startswith(one) for one in edit.commits):
                self._draft.edits[known_by] = replace(edit, outcome="reverted", reason="the person undid the commit")

    def _finish(self) -> None:
        """Turn the last answer, and what aider said after it, into edits."""
        if self._answered:
            outcomes = _outcomes(self._said)
            for position, block in enumerate(blocks_of(self._answered[0], self._format, frozenset(outcomes.named))):
                self._add(f"{self._answer}.{position}", block, outcomes)
        self._answered, self._said, self._saved = [], [], False

    def _add(self, known_by: str, block: Block, outcomes: _Outcomes) -> None:
        message = str(self._answer) if str(self._answer) in self._draft.messages else None
        outcome, reason = outcomes.of(block) if block.edit else ("unknown", None)
        parts = block.parts
        if block.whole and block.path is not None and outcome == "applied":
            parts = (Part(self._files.get(block.path), parts[0].after, 1),)
            self._files[block.path] = parts[0].after
        edit = Edit(
            self._draft.key(known_by), "edit" if block.edit else "answer", self._format if block.edit else "text",
            None, path=block.path, language=block.language, parts=parts, whole=block.whole, outcome=outcome,
            reason=reason, model=self._model, message=message,
        )  # fmt: skip
        self._draft.add(edit, self._folder)
        if outcome == "applied" and known_by in self._draft.edits:
            self._open.append(known_by)


class _Outcomes:
    """What aider says became of the blocks of an answer."""

    def __init__(self) -> None:
        self.applied: set[str] = set()
        self.refused: dict[str, tuple[Outcome, str]] = {}
        self.failed: set[tuple[bytes | None, bytes]] = set()
        self.some_failed = False

    @property
    def named(self) -> set[str]:
        """Files that it speaks of."""
        return self.applied | set(self.refused)

    def of(self, block: Block) -> tuple[Outcome, str | None]:
        """What became of a block."""
        if any((part.before, part.after) in self.failed for part in block.parts):
            return "failed", "the text to replace is not there"
        if block.path in self.applied or (self.failed and block.path not in self.refused):
            return "applied", None
        if self.some_failed:
            return "failed", "the change did not fit"
        return self.refused.get(block.path or "", ("unknown", "the log does not say"))


def _outcomes(said: Iterable[str]) -> _Outcomes:
    found = _Outcomes()
    for message in said:
        first = message.partition("\n")[0]
        if match := _APPLIED.fullmatch(first):
            found.applied.add(match[1].strip())
        elif match := _DRY.fullmatch(first):
            found.refused[match[1]] = ("failed", "a dry run")
        elif match := _SKIPPED.fullmatch(first):
            ignored = match[2] is not None
            found.refused[match[1]] = ("failed", "Git ignores it") if ignored else ("denied", "the person said no")
        elif _FAILED.match(first) or "failed to match" in message:
            found.some_failed = True
            found.refused |= dict.fromkeys(_HUNKS.findall(message), ("failed", "the text to replace is not there"))
            found.failed |= {(part.before, part.after) for _, part in replacements(_LINE.findall(message))}
    return found


def _tokens(said: str) -> int | None:
    """`27`, `2.4k`, `1.2M`."""
    number, unit = said.rstrip("km,."), said[-1:]
    try:
        return round(float(number.replace(",", "")) * {"k": 1e3, "m": 1e6}.get(unit, 1))
    except ValueError:
        return None
