"""What a call of an editing tool changes, by its arguments, whatever the program calls them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from gitgoodbench.feedback.fence_contents import encode, parts_of
from gitgoodbench.feedback.records import Edit, Part
from gitgoodbench.feedback.sources.draft import Draft
from gitgoodbench.feedback.sources.patches import begin_patch
from gitgoodbench.feedback.sources.values import at, count, name, rows, text

_PATH: Final = (
    "path", "file_path", "filePath", "filepath", "absolute_path", "file", "filename", "file_name", "target_file",
    "TargetFile", "uri", "notebook_path",
)  # fmt: skip
_CONTENT: Final = (
    "content", "contents", "file_text", "fileText", "text", "code", "file_content", "new_content", "newContent",
    "CodeContent",
)  # fmt: skip
_OLD: Final = ("old_string", "oldString", "old_str", "oldStr", "oldText", "old_text", "old", "search", "find")
_NEW: Final = ("new_string", "newString", "new_str", "newStr", "newText", "new_text", "new", "replace", "replacement")
_EDITS: Final = ("edits", "replacements", "changes", "operations")
_PATCH: Final = ("input", "patch", "diff", "patchText", "patch_text", "code_edit")
_WRITES: Final = re.compile(r"write|create|save|overwrite", re.IGNORECASE)
_CHANGES: Final = re.compile(r"edit|replace|patch|insert|diff|modify|update|append|write|create", re.IGNORECASE)
_LOOKS: Final = re.compile(
    r"(?:read|view|list|ls|glob|grep|rg|search|find|fetch|get|web|cat|open|lsp|codebase|semantic|ask|todo|checklist)"
    r"(?:_|[A-Z]|\b)|.*(?:read|search|list|fetch|todos?|grep|view|status)(?:_\w*)?$",
    re.IGNORECASE,
)
_MOST: Final = 1000
"""Edits that are read of one call."""


@dataclass(frozen=True)
class Change:
    """What a call changes in one file. whole: the file's whole content is written."""

    path: str | None
    parts: tuple[Part, ...]
    whole: bool = False


def arguments_of(value: Any) -> Any:
    """Arguments, which many programs write as JSON in a string; other text stays as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def looks_only(tool: str) -> bool:
    """Whether a tool, by its name, changes nothing: calling it is no work that one could keep."""
    return _CHANGES.search(tool) is None and _LOOKS.match(tool) is not None


def changes_of(tool: str, arguments: Any) -> tuple[Change, ...]:
    """The files that a call changes, and how; none where it is no call of an editing tool.

    tool: its name. arguments: an object, JSON in a string, or a patch.
    """
    arguments = arguments_of(arguments)
    if _CHANGES.search(tool) is None:
        return ()
    patch = arguments if isinstance(arguments, str) else _first(arguments, _PATCH)
    if patch is not None and "*** Begin Patch" in patch:
        return tuple(
            Change(one.moved_to or one.path, one.parts, one.kind == "add") for one in begin_patch(patch) if one.parts
        )
    path = _path(arguments)
    pairs = _pairs(arguments)
    if pairs:
        return _by_file(path, pairs)
    if path is None:
        return ()
    if at(arguments, "command") in ("view", "undo_edit"):
        return ()
    if (line := count(arguments, "insert_line")) is not None:
        inserted = _first(arguments, ("insert_text", *_NEW))
        return () if inserted is None else (Change(path, (Part(None, encode(inserted), line + 1),)),)
    content = _first(arguments, _CONTENT)
    if content is not None and (_WRITES.search(tool) or at(arguments, "command") == "create"):
        return (Change(path, (Part(None, encode(content), 1),), True),)
    shown = patch if content is None else content
    if shown is None:
        return ()
    parts = parts_of(_lines(shown), None, None)
    return (Change(path, tuple(part for _, part in parts)),) if parts else ()


def add_call(draft: Draft, edit: Edit, changes: Sequence[Change], folder: str | None) -> None:
    """Add what a call changes: one edit for each file, known by the call's id and, from the second on, a number.

    edit: with all that is the same for each.
    """
    for position, change in enumerate(changes):
        key = edit.key if position == 0 else draft.key(f"{edit.key.edit}#{position}")
        parts = change.parts
        if change.whole and (kept := draft.budget.keep(*(part.after for part in parts))) is not None:
            parts = tuple(replace(part, after=after or b"") for part, after in zip(parts, kept, strict=True))
        draft.add(replace(edit, key=key, kind="edit", path=change.path, parts=parts, whole=change.whole), folder)


def _path(arguments: Any) -> str | None:
    found = next((one for key in _PATH if (one := name(arguments, key)) is not None), None)
    if found is not None and found.startswith("file://"):
        return unquote(urlsplit(found).path) or None
    return found


def _first(arguments: Any, keys: Sequence[str]) -> str | None:
    return next((found for key in keys if (found := text(arguments, key)) is not None), None)


def _pairs(arguments: Any) -> list[tuple[str | None, Part]]:
    """What is replaced by what, each with the file where the pair names one."""
    many = next((found for key in _EDITS if (found := rows(arguments, key))), None)
    found = []
    for one in (many or [arguments])[:_MOST]:
        old, new = _first(one, _OLD), _first(one, _NEW)
        if old is not None and new is not None:
            found.append((_path(one) if many else None, Part(encode(old) or None, encode(new))))
    return found


def _by_file(path: str | None, pairs: Sequence[tuple[str | None, Part]]) -> tuple[Change, ...]:
    files: dict[str | None, list[Part]] = {}
    for own, part in pairs:
        files.setdefault(own or path, []).append(part)
    return tuple(Change(one, tuple(parts)) for one, parts in files.items() if one is not None)


def _lines(content: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", content)
