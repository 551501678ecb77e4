"""Reading a story: UTF-8 text, one directive a line, blocks below it (data/mini/README.md has the format)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from gitgoodbench.stories.model import (
    Binary,
    Branch,
    Change,
    Choice,
    Commit,
    Delete,
    Edit,
    Encoding,
    Hunk,
    Mode,
    Person,
    Region,
    Rename,
    Resolve,
    Restyle,
    Story,
    StoryError,
    Style,
    Symlink,
    Take,
    Where,
    Write,
)

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_CHOICES: dict[str, Choice] = {
    "ours": "ours",
    "theirs": "theirs",
    "both": "both",
    "both-reversed": "both-reversed",
    "text": "text",
}
_CRLF = {"crlf": True, "lf": False}
_ENCODING: dict[str, Encoding] = {"latin-1": "latin-1", "utf-8": "utf-8"}
_FINAL_NEWLINE = {"final-newline": True, "no-final-newline": False}


def read_story(files: Sequence[Path]) -> Story:
    """The story in ``files``, taken one after the other as one text.

    Raises:
        StoryError: a line that is no valid directive, with its file and line.
    """
    lines: list[tuple[Where, str]] = []
    for file in files:
        start = Where(str(file), 1)
        try:
            text = file.read_bytes().decode("utf-8")
        except OSError as error:
            raise StoryError(start, f"cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise StoryError(start, f"is not UTF-8 (byte {error.start}); use the style latin-1") from error
        lines += [(Where(str(file), number), line) for number, line in enumerate(text.split("\n"), 1)]
    if not lines:
        raise StoryError(Where("(no story files)", 0), "nothing to read")
    return _Parser(lines).story()


def unquote_path(token: str) -> bytes:
    """A path as Git spells it: plain, or in double quotes with C escapes and octal bytes."""
    raw = token.encode("utf-8")
    if not (len(raw) >= 2 and raw.startswith(b'"') and raw.endswith(b'"')):
        return raw

    def escaped(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8) & 0xFF]) if len(code) == 3 else _ESCAPES.get(code, code)

    return _ESCAPE.sub(escaped, raw[1:-1])


class _Parser:
    """Walks the lines once; each directive consumes its own block."""

    def __init__(self, lines: list[tuple[Where, str]]) -> None:
        self._lines = lines
        self._next = 0
        self._header: dict[str, str] = {}
        self._people: dict[str, Person] = {}
        self._steps: list[Branch | Commit] = []

    def story(self) -> Story:
        first = self._lines[0][0]
        while (taken := self._directive()) is not None:
            where, words = taken
            self._top_level(where, words)
        for needed in ("repository", "language", "start"):
            if needed not in self._header:
                raise StoryError(first, f"the story names no {needed}; begin it with: {needed} ...")
        if not any(isinstance(step, Commit) for step in self._steps):
            raise StoryError(first, "the story has no commit")
        return Story(
            name=self._header["repository"],
            language=self._header["language"],
            start=self._start(first),
            topics=tuple(self._header.get("topics", "").split()),
            steps=tuple(self._steps),
        )

    def _start(self, where: Where) -> datetime:
        text = self._header["start"]
        try:
            start = datetime.fromisoformat(text)
        except ValueError as error:
            raise StoryError(where, f"start {text!r} is no ISO date and time") from error
        if start.tzinfo is None:
            raise StoryError(where, f"start {text!r} has no offset such as +01:00")
        return start

    # lines

    def _peek(self) -> tuple[Where, str] | None:
        """The next line that is no comment."""
        while self._next < len(self._lines):
            where, line = self._lines[self._next]
            if not line.startswith("#"):
                return where, line
            self._next += 1
        return None

    def _directive(self) -> tuple[Where, list[str]] | None:
        """The next top-level line, in words."""
        while (line := self._peek()) is not None:
            self._next += 1
            where, text = line
            if not text.strip():
                continue
            if text[0] in " |@+-":
                raise StoryError(where, f"this line belongs to no directive: {text[:60]!r}")
            return where, _TOKEN.findall(text)
        return None

    def _block(self, accept: Callable[[str], bool]) -> list[tuple[Where, str]]:
        """The lines below a directive; blank ones count inside the block, not at its end."""
        block: list[tuple[Where, str]] = []
        while (line := self._peek()) is not None and (not line[1] or accept(line[1])):
            block.append(line)
            self._next += 1
        while block and not block[-1][1]:
            block.pop()
        return block

    def _bars(self) -> tuple[str, ...]:
        """Content lines, each behind a bar."""
        block = self._block(lambda line: line.startswith("|"))
        for where, line in block:
            if not line:
                raise StoryError(where, "an empty content line is written as a single |")
        return tuple(line[1:] for _, line in block)

    # directives

    def _top_level(self, where: Where, words: list[str]) -> None:
        match words:
            case ["repository" | "language" | "start" as key, value]:
                if key in self._header:
                    raise StoryError(where, f"{key} is named twice")
                self._header[key] = value
            case ["topics", *topics] if topics:
                self._header["topics"] = " ".join(topics)
            case ["person", key, *name, email] if name and email[0] == "<" and email[-1] == ">":
                self._people[key] = Person(" ".join(name), email[1:-1])
            case ["branch", name, "from", start]:
                self._steps.append(Branch(where, name, start))
            case ["commit", branch, person]:
                self._commit(where, branch, person, None, None)
            case ["commit", branch, person, "as", label]:
                self._commit(where, branch, person, label, None)
            case ["merge", branch, person, "from", other]:
                self._commit(where, branch, person, None, other)
            case ["merge", branch, person, "as", label, "from", other]:
                self._commit(where, branch, person, label, other)
            case ["pick", branch, person, "from", other]:
                self._commit(where, branch, person, None, other, "pick")
            case ["revert", branch, person, "of", other]:
                self._commit(where, branch, person, None, other, "revert")
            case _:
                self._change(where, words)

    def _commit(
        self, where: Where, branch: str, person: str, label: str | None, other: str | None,
        operation: Literal["merge", "pick", "revert"] = "merge",
    ) -> None:  # fmt: skip
        if person not in self._people:
            known = ", ".join(sorted(self._people)) or "nobody yet"
            raise StoryError(where, f"unknown person {person!r} (known: {known})")
        block = self._block(lambda line: line.startswith("  "))
        message = "\n".join(line[2:] for _, line in block)
        if not message.strip() and operation == "merge":
            raise StoryError(where, "no message below it (lines indented by two blanks)")
        text = message.encode() + b"\n" if message.strip() else b""
        self._steps.append(Commit(where, branch, self._people[person], label, other, text, (), operation))

    def _change(self, where: Where, words: list[str]) -> None:
        """A change, added to the commit above it."""
        change = self._read_change(where, words)
        commit = self._steps[-1] if self._steps else None
        if not isinstance(commit, Commit):
            raise StoryError(where, f"{words[0]} stands below no commit or merge")
        if isinstance(change, Resolve | Take) and commit.other is None:
            raise StoryError(where, f"{words[0]} is possible only in a merge, a pick or a revert")
        self._steps[-1] = replace(commit, changes=(*commit.changes, change))

    def _read_change(self, where: Where, words: list[str]) -> Change:
        match words:
            case ["write", path, *styles]:
                crlf, encoding, newline = _styles(where, styles)
                style = Style(bool(crlf), encoding or "utf-8", newline is not False)
                return Write(where, unquote_path(path), self._bars(), style)
            case ["edit", path]:
                return Edit(where, unquote_path(path), self._hunks(where))
            case ["delete", path]:
                return Delete(where, unquote_path(path))
            case ["rename", path, "->", target]:
                return Rename(where, unquote_path(path), unquote_path(target))
            case ["mode", "644" | "755" as mode, path]:
                return Mode(where, unquote_path(path), mode == "755")
            case ["style", path, *styles] if styles:
                return Restyle(where, unquote_path(path), *_styles(where, styles))
            case ["symlink", path, "->", target]:
                return Symlink(where, unquote_path(path), unquote_path(target))
            case ["binary", path]:
                return Binary(where, unquote_path(path), self._hex(where))
            case ["resolve", path]:
                return Resolve(where, unquote_path(path), self._regions(where))
            case ["ours" | "theirs" as side, path]:
                return Take(where, unquote_path(path), "ours" if side == "ours" else "theirs")
        raise StoryError(where, f"not a directive of the story format: {' '.join(words)[:80]!r}")

    def _hex(self, where: Where) -> bytes:
        try:
            return bytes.fromhex(" ".join(self._bars()))
        except ValueError as error:
            raise StoryError(where, f"content is not hexadecimal: {error}") from error

    def _hunks(self, where: Where) -> tuple[Hunk, ...]:
        hunks: list[Hunk] = []
        while (line := self._peek()) is not None and line[1].startswith("@@"):
            self._next += 1
            # Editors strip trailing blanks: an empty line inside a hunk is an empty context line.
            block = self._block(lambda text: text[0] in " +-")
            hunk = Hunk(line[0], tuple((text[:1] or " ", text[1:]) for _, text in block))
            if all(mark == " " for mark, _ in hunk.lines):
                raise StoryError(line[0], "this hunk changes nothing (no line starts with + or -)")
            hunks.append(hunk)
        if not hunks:
            raise StoryError(where, "an edit needs a hunk below it, which starts with @@")
        return tuple(hunks)

    def _regions(self, where: Where) -> tuple[Region, ...]:
        regions: list[Region] = []
        while (line := self._peek()) is not None and line[1].startswith("@@"):
            self._next += 1
            words = line[1][2:].split()
            choice = _CHOICES.get(words[0]) if words else None
            if choice is None:
                raise StoryError(line[0], f"a region is settled by @@ and one of: {', '.join(_CHOICES)}")
            lines = self._bars()
            if lines and choice != "text":
                raise StoryError(line[0], f"@@ {choice} takes no lines; use @@ text")
            regions.append(Region(line[0], choice, lines))
        if not regions:
            raise StoryError(where, "resolve needs one @@ block for each conflict region")
        return tuple(regions)


def _styles(where: Where, words: list[str]) -> tuple[bool | None, Encoding | None, bool | None]:
    crlf: bool | None = None
    encoding: Encoding | None = None
    newline: bool | None = None
    for word in words:
        if word in _CRLF:
            crlf = _CRLF[word]
        elif word in _ENCODING:
            encoding = _ENCODING[word]
        elif word in _FINAL_NEWLINE:
            newline = _FINAL_NEWLINE[word]
        else:
            known = ", ".join([*_CRLF, *_ENCODING, *_FINAL_NEWLINE])
            raise StoryError(where, f"unknown style {word!r} (known: {known}; quote a path with blanks)")
    return crlf, encoding, newline
