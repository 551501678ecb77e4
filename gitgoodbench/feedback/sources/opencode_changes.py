"""What the tools of opencode changed.

The diffs that it keeps are made to be shown: what all lines are indented by is cut off, and line ends are unified. So
contents are worked out from the file before, where that is known, and of a diff alone the indent is put back from the
call.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from gitgoodbench.feedback.records import Outcome, Part
from gitgoodbench.feedback.sources.patches import FilePatch, Hunk, apply, begin_patch, hunks_of, parts_of
from gitgoodbench.feedback.sources.values import at, name, rows, table, text

EDITING: Final = ("write", "edit", "multiedit", "patch", "apply_patch")
READING: Final = frozenset(
    ["read", "glob", "grep", "list", "ls", "lsp", "todoread", "question", "codesearch", "invalid", "lsp_hover",
     "lsp_diagnostics"]
)  # fmt: skip
"""Tools that only look; they are no work."""

_STATUS: Final[dict[str, tuple[Outcome, str | None]]] = {
    "completed": ("applied", None),
    "error": ("failed", "the tool failed"),
}
_DENIED: Final = ("user rejected permission", "user has specified a rule which prevents", "permission denied by")


@dataclass(frozen=True)
class Known:
    """What a file was before a call. sure: whether that is known at all; content: None where it did not exist."""

    sure: bool = False
    content: bytes | None = None


@dataclass(frozen=True)
class Change:
    """What a call did to one file. after: the whole file, where that is known."""

    path: str
    parts: tuple[Part, ...]
    whole: bool = False
    after: Known = Known()


def outcome_of(state: Any) -> tuple[Outcome, str | None]:
    """Whether a call was carried out, and why not."""
    outcome, reason = _STATUS.get(text(state, "status") or "", ("unknown", "the log has no result of it"))
    error = (text(state, "error") or "")[:4000].lower()
    if outcome == "failed" and any(words in error for words in _DENIED):
        return "denied", "the person did not allow it"
    if outcome == "failed" and "aborted" in error:
        return "failed", "the turn was interrupted"
    return outcome, reason


def paths_of(tool: str, state: Any, folder: str | None) -> list[str]:
    """The files that a call is about, absolute where that can be."""
    if tool in ("patch", "apply_patch"):
        found = [name(one, "filePath") or name(one, "file") for one in rows(state, "metadata", "files")]
        named = [one for one in found if one] or [
            patch.moved_to or patch.path for patch in begin_patch(text(state, "input", "patchText") or "")
        ]
    else:
        named = [one for one in (name(state, "input", "filePath"), name(state, "metadata", "filepath")) if one][:1]
    return [str(Path(folder or "", one)) for one in named]


def changes_of(
    tool: str, state: Any, folder: str | None, known: dict[str, Known], *, applied: bool
) -> Iterator[Change]:
    """What a call did to each file. known: by absolute path, what the files were before."""
    if tool in ("patch", "apply_patch"):
        yield from _patched(state, folder, known, applied=applied)
        return
    for path in paths_of(tool, state, folder):
        before = known.get(path, Known())
        if tool == "write":
            content = _bytes(text(state, "input", "content"))
            if at(state, "metadata", "exists") is False or (applied and before.content == content):
                before = Known()  # new; or the tree was taken too late, as older versions do, and has the file already
            yield _whole(path, before, content)
        else:
            yield _edited(path, state, before, applied=applied)


def _whole(path: str, before: Known, content: bytes) -> Change:
    """A file as a whole. Where nobody knows what it replaced, all of it counts as new."""
    return Change(path, (Part(before.content, content, 1),), whole=True, after=Known(True, content))


def _edited(path: str, state: Any, before: Known, *, applied: bool) -> Change:
    shown = table(state, "metadata", "filediff")
    old, new = text(shown, "before"), text(shown, "after")
    if applied and old is not None and new is not None:  # versions that keep both files
        return Change(path, (Part(_bytes(old), _bytes(new), 1),), whole=True, after=Known(True, _bytes(new)))
    pairs = [
        (_bytes(text(one, "oldString")), _bytes(text(one, "newString")), at(one, "replaceAll") is True)
        for one in rows(state, "input", "edits") or [at(state, "input")]
    ]
    patches = [text(one, "metadata", "diff") or text(one, "diff") for one in rows(state, "metadata", "results")]
    diffs = [_bytes(one) for one in patches or [text(state, "metadata", "diff")] if one]
    if before.sure and (after := _after(before.content or b"", pairs, diffs)) is not None:
        return Change(path, (Part(before.content, after, 1),), whole=True, after=Known(True, after))
    if applied and diffs:
        wanted = b"\n".join(piece for pair in pairs for piece in pair[:2]).split(b"\n")
        return Change(path, tuple(part for diff in diffs for part in parts_of(_indented(hunks_of(diff), wanted))))
    return Change(path, tuple(Part(old, new) for old, new, _ in pairs if old or new))


def _after(before: bytes, pairs: list[tuple[bytes, bytes, bool]], diffs: list[bytes]) -> bytes | None:
    """The file after an edit: by the diff where it fits, since a formatter may have had its say; else by the call."""
    ends = b"\r\n" if b"\r\n" in before else b"\n"
    content = before.replace(b"\r\n", b"\n")
    done: bytes | None = content
    for diff in diffs:
        done = None if done is None else apply(done, _indented(hunks_of(diff), done.split(b"\n")))
    if not diffs or done is None:
        done = content
        for old, new, everywhere in ((o.replace(b"\r\n", b"\n"), n.replace(b"\r\n", b"\n"), e) for o, n, e in pairs):
            if done is None or (old and old not in done) or (not old and done):
                return None
            done = new if not old else done.replace(old, new) if everywhere else done.replace(old, new, 1)
    return done if done is None or ends == b"\n" else done.replace(b"\n", ends)


def _indented(hunks: tuple[Hunk, ...], full: list[bytes]) -> tuple[Hunk, ...]:
    """Put back the indent that was cut off all lines, as a line that is also among the full ones shows it."""
    by_end: dict[bytes, bytes] = {}
    for line in full:
        by_end.setdefault(line.strip(), line.rstrip(b"\r"))
    for shown in (line[1:].rstrip(b"\n") for hunk in hunks for line in hunk.lines):
        line = by_end.get(shown.strip(), b"") if shown.strip() else b""
        if line.endswith(shown) and len(line) > len(shown):
            indent = line[: len(line) - len(shown)]
            return tuple(
                replace(hunk, lines=tuple(
                    one[:1] + (indent if one[1:].strip() else b"") + one[1:] for one in hunk.lines)) for hunk in hunks
            )  # fmt: skip
        if line == shown:
            return hunks
    return hunks


def _patched(state: Any, folder: str | None, known: dict[str, Known], *, applied: bool) -> Iterator[Change]:
    records = rows(state, "metadata", "files") if applied else []
    for record in records:
        path = name(record, "filePath") or name(record, "file")
        if path is None:
            continue
        moved = name(record, "movePath")
        path = str(Path(folder or "", path))
        target = str(Path(folder or "", moved)) if moved else path
        old, new = text(record, "before"), text(record, "after")
        before = known.get(path, Known()) if old is None else Known(True, _bytes(old))
        diff = _bytes(text(record, "patch") or text(record, "diff"))
        if new is not None and text(record, "type") != "delete":
            content = None if text(record, "type") == "add" else before.content
            yield _whole(target, Known(True, content), _bytes(new))
        elif before.sure and (after := _after(before.content or b"", [], [diff])) is not None:
            yield _whole(target, before, after)
        else:
            yield Change(target, parts_of(hunks_of(diff)))
    if records:
        return
    for patch in begin_patch(text(state, "input", "patchText") or ""):
        yield _sent(patch, folder)


def _sent(patch: FilePatch, folder: str | None) -> Change:
    path = str(Path(folder or "", patch.moved_to or patch.path))
    new = patch.kind == "add"
    return Change(path, patch.parts, whole=new, after=Known(new, patch.parts[0].after if new else None))


def _bytes(content: str | None) -> bytes:
    return (content or "").encode("utf-8", "replace")
