"""The tools of iterative committing: hunks become commits, then the rest does. Extended: hunks can be split.

A commit is made through the index, from blobs and entries; the working tree holds the final contents from the beginning
and is never touched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gitgoodbench.errors import ToolError
from gitgoodbench.git.objects import Entry, stage, write_blob
from gitgoodbench.git.process import Git
from gitgoodbench.git.text import to_bytes
from gitgoodbench.tools import Tool
from gitgoodbench.workspace.build import commit_index

from .changes import FileContent
from .display import list_files, list_remaining, show_hunks, summarize
from .division import Division

SPLIT_LIMIT = 30_000
"""Characters of the hunks made by a split up to which they are shown in full."""

NOTHING_LEFT = "Everything is committed. Nothing is left to do."


class CommitTools:
    """The published tools. `git` runs inside the sandbox."""

    line_numbers = False

    def __init__(self, division: Division, git: Git, base: str, *, one_file: bool) -> None:
        """
        Args:
            one_file: hunks are offered of one file only, so that others may have to be committed at the end.
        """
        self.division = division
        self.head = base
        self._git = git
        self._one_file = one_file
        self._stored: dict[bytes, tuple[bytes | None, str]] = {}

    @property
    def finished(self) -> bool:
        return self.division.finished

    def functions(self) -> list[Callable[..., str]]:
        """Everything that can be offered as a tool."""
        return [self.commit_changes_in, self.commit_remaining_changes]

    def tools(self) -> list[Tool]:
        """What is offered: nothing can remain in other files where the hunks of all files are chosen from."""
        remaining = self.commit_remaining_changes
        return [Tool.of(function) for function in self.functions() if self._one_file or function != remaining]

    def commit_changes_in(self, selected_hunks: list[int], commit_message: str, reason: str) -> str:  # noqa: ARG002
        """Commit the selected hunks, and only those.

        Hunks can be committed in any order. Those that remain are numbered anew afterwards.

        Args:
            selected_hunks: numbers of the hunks, as they were told last.
            commit_message: the message of the commit: a subject line, and a body after a blank line if needed.
            reason: why these hunks belong together.
        """
        message = message_bytes(commit_message)
        pieces = self.division.pieces(selected_hunks)
        self._commit(self.division.take(pieces), message)
        numbers = ", ".join(str(number) for number in sorted(selected_hunks))
        committed = f"Hunk {numbers} is" if len(pieces) == 1 else f"Hunks {numbers} are"
        return f"{committed} committed. {self.left()}"

    def commit_remaining_changes(self, commit_message: str, reason: str) -> str:  # noqa: ARG002
        """Commit everything that is left in other files, once no hunk remains.

        Args:
            commit_message: the message of the commit: a subject line, and a body after a blank line if needed.
            reason: why you call this tool now.
        """
        if self.division.remaining:
            raise ToolError(f"{_hunks_remain(self.division)}; commit all of them with commit_changes_in first")
        if self.division.rest_committed:
            raise ToolError("nothing remains to be committed")
        message = message_bytes(commit_message)
        self._commit(self.division.take_rest(), message)
        return NOTHING_LEFT

    def left(self) -> str:
        """What is still to be committed, in words for the agent."""
        division = self.division
        if division.remaining:
            return f"{_hunks_remain(division)}:\n\n{list_remaining(division, line_numbers=self.line_numbers)}"
        if division.rest_committed:
            return NOTHING_LEFT
        files = "\n".join(f"- {line}" for line in list_files(division.rest))
        return f"No hunk remains. Commit the changes in the other files with commit_remaining_changes:\n{files}"

    def _commit(self, states: Mapping[bytes, Entry | FileContent | None], message: bytes) -> None:
        stage(self._git, {path: self._entry(path, state) for path, state in states.items()})
        self.head = commit_index(self._git, message, [self.head])

    def _entry(self, path: bytes, state: Entry | FileContent | None) -> Entry | None:
        """The state as an index entry; content is stored unless it was the path's at the commit before, too."""
        if not isinstance(state, FileContent):
            return state
        content, oid = self._stored.get(path, (None, ""))
        if content != state.content:
            oid = write_blob(self._git, state.content)
            self._stored[path] = (state.content, oid)
        return Entry(state.mode, oid)


class ExtendedCommitTools(CommitTools):
    """Besides, hunks can be split, down to single lines."""

    line_numbers = True

    def functions(self) -> list[Callable[..., str]]:
        return [*super().functions(), self.split_hunk]

    def split_hunk(self, hunk: int, after_lines: list[int]) -> str:
        """Split a hunk into several, which can then be committed one by one. All hunks are numbered anew afterwards.

        Args:
            hunk: number of the hunk, as it was told last.
            after_lines: numbers of the changed lines of the hunk after which to cut, counted from 1 as shown before
            them; [2, 5] makes three hunks, of lines 1 to 2, 3 to 5 and the rest.
        """
        numbers = self.division.split(hunk, after_lines)
        shown, count = show_hunks(self.division, numbers, line_numbers=True, limit=SPLIT_LIMIT)
        if count < len(numbers):
            shown = summarize(self.division, numbers[0])
        later = len(self.division.remaining) - numbers[-1]
        moved = f"\n\nThe hunks after them are now {numbers[-1] + 1} to {numbers[-1] + later}." if later else ""
        return f"Hunk {hunk} is now hunks {numbers[0]} to {numbers[-1]}:\n\n{shown}{moved}"


def message_bytes(text: str) -> bytes:
    """A commit message as given, without blanks around it, ended by one line feed.

    Raises:
        ToolError: it is empty, or holds a NUL, which no commit can.
    """
    if "\0" in text:
        raise ToolError("commit_message holds a NUL character, which a commit cannot")
    message = to_bytes(text, "utf-8").strip()
    if not message:
        raise ToolError("commit_message is empty")
    return message + b"\n"


def _hunks_remain(division: Division) -> str:
    count = len(division.remaining)
    return f"{count} hunk remains" if count == 1 else f"{count} hunks remain"
