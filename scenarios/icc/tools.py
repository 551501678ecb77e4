"""The tools of iterative committing: hunks become commits, then the rest does. Extended: hunks can be split.

A commit is made through the index, from blobs and entries; the working tree holds the final contents from the beginning
and is never touched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from gitgoodbench.errors import ToolError
from gitgoodbench.git.objects import Entry, stage, write_blob
from gitgoodbench.git.process import Git
from gitgoodbench.plugin.arguments import Numbers, message_argument
from gitgoodbench.plugin.pages import PAGE, page
from gitgoodbench.tools import Tool
from gitgoodbench.workspace.build import commit_index

from .changes import FileContent
from .display import LISTING_LIMIT, list_files, list_pieces, list_remaining, show_hunk, show_hunks, show_rest, summarize
from .division import Division, Piece

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
        return [self.commit_changes_in, self.commit_remaining_changes, self.view_hunk, self.view_remaining_changes]

    def tools(self) -> list[Tool]:
        return offered(self, self.division, one_file=self._one_file)

    def commit_changes_in(self, selected_hunks: Numbers, commit_message: str, reason: str = "") -> str:  # noqa: ARG002
        """Commit the selected hunks, and only those.

        Hunks can be committed in any order. Those that remain are numbered anew for your next answer; in all calls of
        one answer, numbers mean what they meant when the answer began.

        Args:
            selected_hunks: numbers of the hunks, as they were told last.
            commit_message: the message of the commit: a subject line, and a body after a blank line if needed.
            reason: why these hunks belong together.

        Example:
            commit_changes_in(selected_hunks=[1, 3], commit_message="Extract parse_header\\n\\nBoth readers need it.",
            reason="The function and its first use belong together.")
        """
        message = message_argument(commit_message)
        pieces = self._selected(selected_hunks)
        told = list_pieces(self.division, pieces)
        self._commit(self.division.take(pieces), message)
        return f"{_named(selected_hunks)} committed:\n{told}\n\n{self.left()}"

    def commit_remaining_changes(self, commit_message: str, reason: str = "") -> str:  # noqa: ARG002
        """Commit everything that is left in other files, once no hunk remains.

        Args:
            commit_message: the message of the commit: a subject line, and a body after a blank line if needed.
            reason: why you call this tool now.

        Example:
            commit_remaining_changes(commit_message="Adapt the callers", reason="No hunk remains.")
        """
        if self.division.remaining:
            raise ToolError(f"{_hunks_remain(self.division)}; commit all of them with commit_changes_in first")
        if self.division.rest_committed:
            raise ToolError("nothing remains to be committed: no other file is changed, and your work is done")
        message = message_argument(commit_message)
        self._commit(self.division.take_rest(), message)
        return NOTHING_LEFT

    def view_hunk(self, hunk: int, reason: str = "", offset: int = 0, length: int = PAGE) -> str:  # noqa: ARG002
        """Show one of the remaining hunks in full. A long one comes in pages.

        Args:
            hunk: number of the hunk, as it was told last.
            reason: why you call this tool now.
            offset: the first character to show; more than 0 for the pages after the first.
            length: how many characters to show at most.

        Example:
            view_hunk(hunk=2, reason="Only its beginning was shown.")
        """
        (piece,) = self.division.pieces([hunk])
        number = self.division.remaining.index(piece) + 1
        return page(show_hunk(self.division, number, line_numbers=self.line_numbers), offset, length)

    def view_remaining_changes(self, reason: str = "", offset: int = 0, length: int = PAGE) -> str:  # noqa: ARG002
        """Show the changes in other files, which commit_remaining_changes commits. A long text comes in pages.

        Args:
            reason: why you call this tool now.
            offset: the first character to show; more than 0 for the pages after the first.
            length: how many characters to show at most.

        Example:
            view_remaining_changes(offset=20000, reason="Only the first page was shown.")
        """
        return page(show_rest(self.division), offset, length)

    def left(self) -> str:
        """What is still to be committed, in words for the agent."""
        division = self.division
        if division.remaining:
            return f"{_hunks_remain(division)}:\n\n{list_remaining(division, line_numbers=self.line_numbers)}"
        if division.rest_committed:
            return NOTHING_LEFT
        files = "\n".join(f"- {line}" for line in list_files(division.rest))
        shown = page(show_rest(division), again="call view_remaining_changes with")
        return (
            f"No hunk remains. Commit the changes in the other files with commit_remaining_changes:\n{files}\n\n{shown}"
        )

    def _selected(self, numbers: Sequence[int] | Literal["all"]) -> list[Piece]:
        """The hunks of these numbers; whoever names one that is not there is shown those that are."""
        try:
            return self.division.pieces(numbers)
        except ToolError as problem:
            raise ToolError(f"{problem}. {self.left()}") from problem

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

    def split_hunk(self, hunk: int, after_lines: Numbers) -> str:
        """Split a hunk into several, which your next answer can commit one by one. All hunks are numbered anew for it.

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


def offered(box: CommitTools, division: Division, *, one_file: bool) -> list[Tool]:
    """Those of a box's tools that a chain needs: the published ones, and of the others those to read it with."""
    left_out: set[str] = set()
    if not one_file:
        left_out |= {CommitTools.commit_remaining_changes.__name__}
    if not one_file or len(show_rest(division)) <= PAGE:
        left_out |= {CommitTools.view_remaining_changes.__name__}
    if not _is_long(box, division):
        left_out |= {CommitTools.view_hunk.__name__}
    return [Tool.of(function) for function in box.functions() if function.__name__ not in left_out]


def _is_long(box: CommitTools, division: Division) -> bool:
    """Whether the hunks are too long to be shown again after each commit."""
    whole = range(1, len(division.remaining) + 1)
    return show_hunks(division, whole, line_numbers=box.line_numbers, limit=LISTING_LIMIT)[1] < len(whole)


def _named(numbers: Sequence[int] | Literal["all"]) -> str:
    if numbers == "all":
        return "All hunks are"
    listed = ", ".join(str(number) for number in sorted(numbers))
    return f"Hunk {listed} is" if len(numbers) == 1 else f"Hunks {listed} are"


def _hunks_remain(division: Division) -> str:
    count = len(division.remaining)
    return f"{count} hunk remains" if count == 1 else f"{count} hunks remain"
