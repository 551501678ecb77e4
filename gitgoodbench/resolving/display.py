"""How conflicts are shown to an agent."""

from __future__ import annotations

from collections.abc import Mapping

from gitgoodbench.git.conflict_text import split_lines
from gitgoodbench.git.conflicts import Choice, PathConflict, TextConflict
from gitgoodbench.git.objects import Entry
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.text import encoding_of, to_text
from gitgoodbench.resolving.resolution import Resolution

NO_NEWLINE = "\\ No newline at end of file"


def show_conflict(resolution: Resolution, number: int, context_lines: int) -> str:
    """One conflict in full, with its number and so many lines around it as they stand now."""
    conflict = resolution.conflict(number)
    total = len(resolution.model.conflicts)
    heading = f"Conflict {number} (of {total}, numbered from 0)"
    if isinstance(conflict, PathConflict):
        return f"{heading}: {describe_path_conflict(conflict, resolution.descriptions)}"
    if resolution.answer_of(number) is not None:
        heading += ", already resolved, as it stands now"
    elif resolution.is_moot(number):
        return f"{heading} in {show_path(conflict.path)}: the file has been removed, nothing is left to resolve."
    elif number != resolution.current:
        heading += f", not the current one, which is conflict {resolution.current}"
    return f"{heading} in {show_path(conflict.path)}:\n{_with_context(resolution, conflict, context_lines)}"


def _with_context(resolution: Resolution, conflict: TextConflict, context_lines: int) -> str:
    pieces = resolution.pieces(conflict.path)
    index = 2 * conflict.position + 1
    before = split_lines(b"".join(piece.content for piece in pieces[:index]))
    after = split_lines(b"".join(piece.content for piece in pieces[index + 1 :]))
    above = before[max(0, len(before) - context_lines) :] if context_lines else []
    shown = b"".join((*above, pieces[index].content, *after[:context_lines]))
    text = to_text(shown, encoding_of(resolution.content(conflict.path)))
    if not text.endswith("\n"):
        text += f"\n{NO_NEWLINE}"
    return text.rstrip("\n") + _missing_newline_note(resolution, conflict)


def _missing_newline_note(resolution: Resolution, conflict: TextConflict) -> str:
    """Markers cannot show that a side ends without a newline; say it."""
    region = resolution.model.region(conflict)
    sides = {"local": region.local, "incoming": region.incoming}
    lacking = [name for name, side in sides.items() if side and not side.endswith(b"\n")]
    return "".join(f"\n{NO_NEWLINE} on the {name} side" for name in lacking)


def describe_path_conflict(conflict: PathConflict, descriptions: Mapping[Entry, str]) -> str:
    """What clashes, in Git's words, and what each choice leaves."""
    lines = [f"{conflict.kind}: {', '.join(show_path(path) for path in conflict.paths) or 'the whole merge'}"]
    lines += [notice.text.decode("utf-8", "replace") for notice in conflict.notices]
    lines.append("It has no text to edit; choose one of:")
    for choice in Choice:
        placed = conflict.placements[choice]
        effects = [f"{show_path(path)} {_effect(entry, descriptions)}" for path, entry in placed.items()]
        lines.append(f"- {choice}: {'; '.join(effects) or 'nothing changes'}")
    return "\n".join(lines)


def _effect(entry: Entry | None, descriptions: Mapping[Entry, str]) -> str:
    return "is removed" if entry is None else f"is kept as {descriptions.get(entry, 'it is')}"
