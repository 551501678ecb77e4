"""Applying a commit's directives to a tree, and settling the conflicts of a merge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gitgoodbench.stories.merge import Conflict, split_conflicts
from gitgoodbench.stories.model import (
    Binary,
    Change,
    Commit,
    Delete,
    Edit,
    Mode,
    Region,
    Rename,
    Resolve,
    Restyle,
    StoryError,
    Symlink,
    Take,
    Where,
    Write,
)
from gitgoodbench.stories.text import (
    EXECUTABLE,
    REGULAR,
    SYMLINK,
    Entry,
    apply_edit,
    encode_lines,
    encode_text,
    ends_in_newline,
    restyle,
)

Tree = dict[bytes, Entry]


@dataclass(frozen=True, slots=True)
class _Sides:
    """The two parents of a merge."""

    ours: Tree
    theirs: Tree


def apply_changes(tree: Tree, changes: Sequence[Change]) -> None:
    """Apply the directives of an ordinary commit to ``tree``, in order."""
    for change in changes:
        _apply(tree, change, None)


def settle_merge(step: Commit, tree: Tree, conflicted: frozenset[bytes], ours: Tree, theirs: Tree) -> Tree:
    """The merge commit's tree, from the automatic merge and the directives below the merge.

    Raises:
        StoryError: a conflicted path that no directive settles, a region count that does not match.
    """
    merged = dict(tree)
    open_paths = {path for path in conflicted if path in tree}
    for change in step.changes:
        if isinstance(change, Edit | Restyle) and change.path in open_paths:
            raise StoryError(change.where, f"{_show(change.path)} is in conflict; resolve it first")
        if isinstance(change, Resolve) and change.path not in conflicted:
            raise StoryError(change.where, f"{_show(change.path)} is not in conflict")
        if isinstance(change, Mode) and len(split_conflicts(_get(merged, change).data)) > 1:
            raise StoryError(change.where, f"{_show(change.path)} is in conflict; resolve it first")
        _apply(merged, change, _Sides(ours, theirs), conflicted)
        open_paths.discard(change.path)
    if open_paths:
        left = ", ".join(_describe(path, tree[path].data) for path in sorted(open_paths))
        shown = "".join(_preview(path, split_conflicts(tree[path].data)) for path in sorted(open_paths))
        raise StoryError(step.where, f"conflicts left open: {left}{shown}")
    return merged


def _describe(path: bytes, data: bytes) -> str:
    regions = len(split_conflicts(data)) // 2
    return f"{_show(path)} ({regions} region{'s' if regions != 1 else ''})"


def _apply(tree: Tree, change: Change, sides: _Sides | None, conflicted: frozenset[bytes] = frozenset()) -> None:
    path, where = change.path, change.where
    match change:
        case Write():
            data = encode_text(where, change.lines, change.style)
            _place(tree, where, path, Entry(_mode(tree, path), data, change.style))
        case Binary():
            _place(tree, where, path, Entry(_mode(tree, path), change.data))
        case Symlink():
            _place(tree, where, path, Entry(SYMLINK, change.target))
        case Edit():
            tree[path] = apply_edit(_get(tree, change), change)
        case Restyle():
            tree[path] = restyle(_get(tree, change), change)
        case Delete():
            if path not in conflicted:
                _get(tree, change)
            tree.pop(path, None)
        case Rename():
            entry = _get(tree, change)
            if change.target in tree:
                raise StoryError(where, f"{_show(change.target)} exists already")
            del tree[path]
            _place(tree, where, change.target, entry)
        case Mode():
            mode = EXECUTABLE if change.executable else REGULAR
            entry = _get(tree, change)
            if entry.mode == mode and path not in conflicted:
                raise StoryError(where, f"{_show(path)} already has this mode")
            tree[path] = replace(entry, mode=mode)
        case Resolve() | Take():
            if sides is None:
                raise StoryError(where, "possible only in a merge")
            _settle(tree, change, sides)


def _mode(tree: Tree, path: bytes) -> bytes:
    """The mode of a file written anew: that of the file it replaces."""
    return EXECUTABLE if path in tree and tree[path].mode == EXECUTABLE else REGULAR


def _settle(tree: Tree, change: Resolve | Take, sides: _Sides) -> None:
    path = change.path
    if isinstance(change, Resolve):
        entry = _get(tree, change)
        data = _resolved(change, entry, sides)
        style = replace(entry.style, crlf=2 * data.count(b"\r\n") > data.count(b"\n"))
        tree[path] = replace(entry, data=data, style=style)
        return
    side = sides.ours if change.side == "ours" else sides.theirs
    if path in side:
        tree[path] = side[path]
    elif tree.pop(path, None) is None:
        raise StoryError(change.where, f"neither {change.side} nor the automatic merge has {_show(path)}")


def _resolved(change: Resolve, entry: Entry, sides: _Sides) -> bytes:
    parts = split_conflicts(entry.data)
    found = len(parts) // 2
    if found != len(change.regions):
        raise StoryError(
            change.where,
            f"{_show(change.path)} has {found} conflict region(s), but {len(change.regions)} are settled here"
            + _preview(change.path, parts),
        )
    result: list[bytes] = []
    regions = iter(change.regions)
    for part in parts:
        result.append(_chosen(next(regions), part, entry) if isinstance(part, Conflict) else part)
    data = b"".join(result)
    last = change.regions[-1]
    if parts[-1] == b"" and not _ends_ended(last, change.path, sides):
        # Git ends the last line of each side to write its marker below it: take that ending away again.
        data = data[:-2] if data.endswith(b"\r\n") else data.removesuffix(b"\n")
    return data


def _ends_ended(region: Region, path: bytes, sides: _Sides) -> bool:
    """Whether a file whose last line comes from ``region`` ends in a newline."""
    first, second = (sides.theirs, sides.ours) if region.choice in ("theirs", "both") else (sides.ours, sides.theirs)
    entry = first.get(path) or second.get(path)
    return entry is None or ends_in_newline(entry.data)


def _chosen(region: Region, conflict: Conflict, entry: Entry) -> bytes:
    match region.choice:
        case "ours":
            return conflict.ours
        case "theirs":
            return conflict.theirs
        case "both":
            return conflict.ours + conflict.theirs
        case "both-reversed":
            return conflict.theirs + conflict.ours
        case "text":
            return b"".join(line + b"\n" for line in encode_lines(region.where, region.lines, entry.style))


def _preview(path: bytes, parts: Sequence[bytes | Conflict]) -> str:
    """The conflict regions of a file as an author needs them to settle them."""
    lines: list[str] = []
    for number, part in enumerate((part for part in parts if isinstance(part, Conflict)), 1):
        for side, data in ((f"region {number} of {_show(path)}, ours", part.ours), ("theirs", part.theirs)):
            lines += [f"--- {side}", *(f"|{line}" for line in data.decode("utf-8", "replace").split("\n")[:-1])]
    return "".join(f"\n{line}" for line in lines)


def _get(tree: Tree, change: Change) -> Entry:
    if change.path not in tree:
        raise StoryError(change.where, f"there is no file {_show(change.path)} here")
    return tree[change.path]


def _place(tree: Tree, where: Where, path: bytes, entry: Entry) -> None:
    """Put a file in the tree, refusing a path that Git would not take."""
    parts = path.split(b"/")
    if any(part in (b"", b".", b"..") or part.lower() == b".git" for part in parts):
        raise StoryError(where, f"{_show(path)} is no path inside a repository")
    for length in range(1, len(parts)):
        if b"/".join(parts[:length]) in tree:
            raise StoryError(where, f"{_show(b'/'.join(parts[:length]))} is a file, not a folder")
    if any(other.startswith(path + b"/") for other in tree):
        raise StoryError(where, f"{_show(path)} is a folder")
    tree[path] = entry


def _show(path: bytes) -> str:
    return path.decode("utf-8", "backslashreplace")
