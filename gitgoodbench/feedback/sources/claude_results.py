"""What Claude Code's own result records say that an edit did.

Its `structuredPatch` is made to be shown (tabs of an indent are blanks in it), so that contents come from
`originalFile`, `content` and the strings that were replaced, and the patch only says where, and checks them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from gitgoodbench.feedback.records import Outcome, Part
from gitgoodbench.feedback.sources.draft import Budget
from gitgoodbench.feedback.sources.notebooks import cell_before
from gitgoodbench.feedback.sources.patches import Hunk
from gitgoodbench.feedback.sources.values import at, count, name, rows, text

EDITING: Final = ("Write", "Edit", "MultiEdit", "NotebookEdit")
"""Tools that change files. MultiEdit is gone since version 2.1."""

READING: Final = frozenset(
    [
        "Read", "Glob", "Grep", "LS", "NotebookRead", "BashOutput", "TaskOutput", "KillShell", "KillBash", "TaskStop",
        "TodoRead", "TaskList", "TaskGet", "ToolSearch", "AskUserQuestion", "ListMcpResourcesTool",
        "ReadMcpResourceTool", "EnterPlanMode", "StructuredOutput",
    ]
)  # fmt: skip
"""Tools that only look; they are no work."""

_LINE: Final = re.compile(rb"[^\n]*\n|[^\n]+")
_DENIED: Final = (
    "user doesn't want to proceed with this tool use",
    "user doesn't want to take this action",
    "but you haven't granted it yet",
    "permission for this tool use was denied",
    "permission to use",
    "has been denied",
    "denied this tool",
    "request interrupted by user for tool use",
)
_FAILED: Final = (
    ("string to replace not found", "the text to replace is not there"),
    ("matches of the string to replace", "the text to replace is there more than once"),
    ("has not been read yet", "the file was not read before"),
    ("has been modified since read", "the file had changed meanwhile"),
    ("no changes to make", "it changes nothing"),
    ("inputvalidationerror", "the call has wrong arguments"),
)


@dataclass(frozen=True)
class Change:
    """The pieces of one edit. whole: of the whole file."""

    parts: tuple[Part, ...]
    whole: bool = False
    language: str | None = None


def path_of(arguments: Any) -> str | None:
    """The file that a call is about."""
    return name(arguments, "file_path") or name(arguments, "notebook_path")


def outcome_of(is_error: bool, said: str) -> tuple[Outcome, str | None]:
    """Whether a call was carried out, and why not. said: what the model was told, never kept."""
    if not is_error:
        return "applied", None
    low = said[:4000].lower().replace("\u2019", "'")
    if any(words in low for words in _DENIED):
        return "denied", "the person did not allow it"
    return "failed", next((reason for words, reason in _FAILED if words in low), "the tool failed")


def change_of(tool: str, arguments: Any, result: Any, budget: Budget) -> Change:
    """What a call changed. result: its result record; None where there is none, so that only the call itself says it.

    Where a person changed the edit before it was applied, it is what the assistant wanted.
    """
    if tool == "NotebookEdit":
        return _cell(arguments, result)
    original = _original(result)
    wanted = result is None or at(result, "userModified") is True
    source = arguments if wanted else result
    if tool == "Write":
        content = text(arguments, "content") if wanted else (text(result, "content") or text(arguments, "content"))
        if content is None:
            return Change(())
        if original is None and at(result, "type") == "update" and not wanted:
            original = _undone(content, _hunks(result))
        return _whole(original, content, result, budget)
    pairs = _pairs(source) or _pairs(arguments)
    after = original
    for old, new, everywhere in pairs:
        after = None if after is None else _replaced(after, old, new, everywhere)
    if original is not None and after is not None and (wanted or _agrees(after, _hunks(result))):
        return _whole(original, after, result, budget)
    if not wanted and (hunks := _hunks(result)):
        return Change(tuple(Part(hunk.before, hunk.after, max(hunk.new_start, 1)) for hunk in hunks))
    return Change(tuple(Part(_bytes(old), _bytes(new)) for old, new, _ in pairs))


def _original(result: Any) -> str | None:
    found = text(result, "originalFile")
    return text(result, "originalFileContents") if found is None else found


def _whole(original: str | None, content: str, result: Any, budget: Budget) -> Change:
    before, after = None if original is None else _bytes(original), _bytes(content)
    if (kept := budget.keep(before, after)) is not None and kept[1] is not None:
        return Change((Part(kept[0], kept[1], 1),), whole=True)
    if before is None:
        return Change((Part(None, after, 1),), whole=True)
    lines = _LINE.findall(after)
    pieces = tuple(_piece(hunk, lines) for hunk in _hunks(result))
    return Change(pieces) if pieces else Change((Part(before, after, 1),), whole=True)


def _piece(hunk: Hunk, lines: list[bytes]) -> Part:
    """A hunk with the lines that the file has after it; of those that went only the patch knows."""
    before: list[bytes] = []
    start = position = max(hunk.new_start, 1) - 1
    for line in hunk.lines:
        if line[:1] == b"-":
            before.append(line[1:])
        else:
            before += lines[position : position + 1] if line[:1] == b" " else []
            position += 1
    return Part(b"".join(before), b"".join(lines[start:position]), start + 1)


def _pairs(source: Any) -> list[tuple[str, str, bool]]:
    """What is replaced by what, and whether everywhere; in the words of a call or of a result."""
    found = []
    for one in rows(source, "edits") or [source]:
        old = text(one, "old_string")
        old = text(one, "oldString") if old is None else old
        new = text(one, "new_string")
        new = text(one, "newString") if new is None else new
        if old is not None and new is not None:
            found.append((old, new, at(one, "replace_all") is True or at(one, "replaceAll") is True))
    return found


def _replaced(content: str, old: str, new: str, everywhere: bool) -> str | None:
    """As Claude Code does it: with a text that is taken away goes the end of its line."""
    if not old:
        return new if not content else None
    if not new and not old.endswith("\n") and old + "\n" in content:
        old += "\n"
    if old not in content:
        return None
    return content.replace(old, new) if everywhere else content.replace(old, new, 1)


def _hunks(result: Any) -> tuple[Hunk, ...]:
    found = []
    for one in rows(result, "structuredPatch"):
        old, new = count(one, "oldStart"), count(one, "newStart")
        body: list[bytes] = []
        for line in rows(one, "lines"):
            if isinstance(line, str) and line.startswith("\\") and body:
                body[-1] = body[-1].removesuffix(b"\n")
            elif isinstance(line, str) and line[:1] in (" ", "+", "-") and line:
                body.append(_bytes(line) + b"\n")
        if old is not None and new is not None and body:
            found.append(Hunk(old, new, tuple(body)))
    return tuple(found)


def _agrees(after: str, hunks: tuple[Hunk, ...]) -> bool:
    """Whether a file has the lines that a patch says it has, but for blanks."""
    lines = _bytes(after).split(b"\n")
    for hunk in hunks:
        expected = [line[1:].strip() for line in hunk.lines if line[:1] != b"-"]
        start = max(hunk.new_start, 1) - 1
        if [line.strip() for line in lines[start : start + len(expected)]] != expected:
            return False
    return True


def _undone(content: str, hunks: tuple[Hunk, ...]) -> str | None:
    """The file before a patch: lines that stayed as the file has them, those that went as the patch shows them."""
    if not hunks or not _agrees(content, hunks):
        return None
    lines = _LINE.findall(_bytes(content))
    done: list[bytes] = []
    position = 0
    for hunk in hunks:
        piece = _piece(hunk, lines)
        start = max(hunk.new_start, 1) - 1
        done += [*lines[position:start], piece.before or b""]
        position = start + sum(line[:1] != b"-" for line in hunk.lines)
    return b"".join([*done, *lines[position:]]).decode("utf-8", "replace")


def _cell(arguments: Any, result: Any) -> Change:
    failed = bool(text(result, "error"))
    new = text(arguments, "new_source") or text(result, "new_source") or ""
    mode = text(arguments, "edit_mode") or text(result, "edit_mode")
    language = name(result, "language") or "python"
    if (name(result, "cell_type") or name(arguments, "cell_type")) == "markdown":
        language = "markdown"
    before = None if failed or mode == "insert" else cell_before(result, arguments)
    return Change(
        (Part(None if before is None else _bytes(before), b"" if mode == "delete" else _bytes(new)),), False, language
    )


def _bytes(content: str) -> bytes:
    return content.encode("utf-8", "replace")
