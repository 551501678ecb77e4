"""How hunks and changed files are shown to an agent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitgoodbench.git.hunks import Hunk, HunkView, Mark
from gitgoodbench.git.objects import SUBMODULE
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.text import encoding_of, to_text
from gitgoodbench.plugin.pages import Part, fit

from .changes import Aspect, FileChange
from .division import Division, Piece

NO_NEWLINE = "\\ No newline at end of file"
LISTED_FILES = 50
LISTED_HUNKS = 100
LISTED_PIECES = 20

HUNK_LIMIT = 20_000
"""Characters of one hunk that are shown among others; view_hunk shows all of it."""

LISTING_LIMIT = 12_000
"""Characters of the remaining hunks up to which they are shown in full again after each commit."""


def show_hunk(division: Division, number: int, *, line_numbers: bool) -> str:
    """One of the remaining hunks in full, under its number.

    line_numbers: number the changed lines, for those who may split hunks.
    """
    piece = division.remaining[number - 1]
    heading = f"Hunk {number} (of {len(division.remaining)}) in {_name(piece.file)}:"
    if isinstance(piece.part, Aspect):
        return f"{heading} {describe_aspect(division, piece.file, piece.part)}"
    view = _view(division, piece)
    encoding = encoding_of(piece.file.old_content, piece.file.new_content)
    rows = [view.header.decode("utf-8", "replace")]
    count = 0
    for line in view.lines:
        text = to_text(line.content, encoding)
        label = ""
        if line_numbers:
            counts = line.mark is not Mark.KEPT and not line.restated
            count += counts
            label = f"{count:4} " if counts else " " * 5
        rows.append(label + line.mark.value.decode() + text.removesuffix("\n"))
        if not text.endswith("\n"):
            rows.append(NO_NEWLINE)
    return f"{heading}\n" + "\n".join(rows)


def show_hunks(division: Division, numbers: Iterable[int], *, line_numbers: bool, limit: int) -> tuple[str, int]:
    """Hunks in full, one below the other, and how many they are: as many as fit into so many characters."""
    shown: list[str] = []
    size = 0
    for number in numbers:
        part = Part(show_hunk(division, number, line_numbers=line_numbers), f"view_hunk(hunk={number}), page by page,")
        (text,) = fit([part], HUNK_LIMIT)
        size += len(text) + 2
        if size > limit:
            break
        shown.append(text)
    return "\n\n".join(shown), len(shown)


def list_remaining(division: Division, *, line_numbers: bool) -> str:
    """The remaining hunks under their present numbers: in full where they are short, else a line for each."""
    last = len(division.remaining)
    full, count = show_hunks(division, range(1, last + 1), line_numbers=line_numbers, limit=LISTING_LIMIT)
    return full if count == last else summarize(division, 1)


def summarize(division: Division, first: int) -> str:
    """A line for each remaining hunk from that number on; in the end a line for many."""
    last = len(division.remaining)
    end = min(first + LISTED_HUNKS, last + 1)
    lines = [_summary(division, number) for number in range(first, end)]
    if end <= last:
        lines.append(f"Hunks {end} to {last} follow, in their order, up to {_name(division.remaining[-1].file)}")
    return "\n".join(lines)


def list_pieces(division: Division, pieces: Sequence[Piece]) -> str:
    """A line for each hunk, without its number, the first `LISTED_PIECES` of them: what a commit is about to take."""
    lines = [f"- {_outline(division, piece)}" for piece in pieces[:LISTED_PIECES]]
    left_out = len(pieces) - LISTED_PIECES
    return "\n".join([*lines, f"- and {left_out} more"] if left_out > 0 else lines)


def show_rest(division: Division) -> str:
    """The changes of the other files, as the patch that a review shows."""
    return division.rest_patch or "\n".join(list_files(division.rest))


def describe_aspect(division: Division, file: FileChange, aspect: Aspect) -> str:
    """What changes where no line does."""
    before, after = file.before, file.after
    kinds = division.descriptions
    if aspect is Aspect.PATH:
        return f"the file is renamed from {show_path(file.old_path)} to {show_path(file.new_path)}"
    if aspect is Aspect.MODE:
        assert before is not None
        assert after is not None
        return f"the mode changes from {before.mode} to {after.mode}"
    if before is None:
        assert after is not None
        return f"it is new: {kinds[after]}"
    if after is None:
        return f"it is deleted; it was {kinds[before]}"
    result = "another like it" if kinds[before] == kinds[after] else kinds[after]
    return f"it changes as a whole, from {kinds[before]} to {result}"


def list_files(files: Iterable[FileChange]) -> list[str]:
    """A line for each changed file, the first `LISTED_FILES` of them."""
    listed = list(files)
    lines = [f"{_name(file)} ({_fate(file)})" for file in listed[:LISTED_FILES]]
    left_out = len(listed) - LISTED_FILES
    return [*lines, f"and {left_out} more"] if left_out > 0 else lines


def _view(division: Division, piece: Piece) -> HunkView:
    assert piece.file.text is not None
    assert isinstance(piece.part, Hunk)
    return piece.file.text.view(piece.part, division.hunks_done(piece.file))


def _summary(division: Division, number: int) -> str:
    return f"Hunk {number} in {_outline(division, division.remaining[number - 1])}"


def _outline(division: Division, piece: Piece) -> str:
    """The file of a hunk, where it lies there, and its first changed line."""
    if isinstance(piece.part, Aspect):
        return f"{_name(piece.file)}: {describe_aspect(division, piece.file, piece.part)}"
    view = _view(division, piece)
    first = next(line for line in view.lines if line.mark is not Mark.KEPT and not line.restated)
    shown = (first.mark.value + first.content.rstrip(b"\r\n")[:160]).decode("utf-8", "replace")
    return f"{_name(piece.file)}: {view.header.decode('utf-8', 'replace')} begins {shown}"


def _name(file: FileChange) -> str:
    return show_path(file.new_path if file.after is not None else file.old_path)


def _fate(file: FileChange) -> str:
    if file.before is None:
        return "new"
    if file.after is None:
        return "deleted"
    if file.after.mode == SUBMODULE:
        return f"submodule, now at {file.after.oid}"
    if file.before.oid == file.after.oid and file.old_path == file.new_path:
        return f"mode changed from {file.before.mode} to {file.after.mode}"
    return "changed" if file.old_path == file.new_path else f"renamed from {show_path(file.old_path)}"
