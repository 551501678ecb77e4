"""What Codex changed: the patches that it sends, and the records of what came of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from gitgoodbench.feedback.records import Outcome, Part
from gitgoodbench.feedback.sources.patches import FilePatch, begin_patch, hunks_of, parts_of
from gitgoodbench.feedback.sources.values import at, count, name, rows, table, text

READING: Final = frozenset(
    [
        "list_dir", "read_file", "grep_files", "view_image", "write_stdin", "list_mcp_resources", "read_mcp_resource",
        "list_mcp_resource_templates", "wait", "wait_agent", "request_user_input", "tool_search", "get_goal",
    ]
)  # fmt: skip
"""Tools that only look or wait; they are no work."""

_EXIT: Final = re.compile(r"(?:Process exited with code|Exit code:) (-?\d{1,9})")
_WRAPPED: Final = re.compile(r"(?:[^\n]*\n){0,6}?Output:\n")
_DENIED: Final = ("rejected by user", "user rejected", "declined by user", "denied by user", "not approved")
RESPONSE_ITEMS: Final = frozenset(
    [
        "agent_message", "compaction", "compaction_summary", "compaction_trigger", "context_compaction",
        "custom_tool_call", "custom_tool_call_output", "function_call", "function_call_output", "ghost_snapshot",
        "image_generation_call", "local_shell_call", "local_shell_call_output", "message", "other", "reasoning",
        "tool_search_call", "tool_search_output", "web_search_call",
    ]
)  # fmt: skip
TURN_ITEMS: Final = frozenset(
    [
        "AgentMessage", "CollabAgentToolCall", "CommandExecution", "ContextCompaction", "DynamicToolCall",
        "EnteredReviewMode", "ExitedReviewMode", "FileChange", "FunctionCallOutput", "HookPrompt", "ImageGeneration",
        "ImageView", "McpToolCall", "Plan", "Reasoning", "Sleep", "SubAgentActivity", "UserMessage", "WebSearch",
    ]
)  # fmt: skip
"""What is known to stand in a rollout; anything else is counted as not understood."""

_STATUS: Final[dict[str, tuple[Outcome, str | None]]] = {
    "completed": ("applied", None),
    "failed": ("failed", "the patch did not apply"),
    "declined": ("denied", "the person did not allow it"),
}


@dataclass(frozen=True)
class Command:
    """A command of the shell. folder: where it runs, if the call says that."""

    line: str
    folder: str | None


def arguments_of(payload: Any) -> Any:
    """The arguments of a call, which are JSON in a string; the string itself where they are not."""
    raw = at(payload, "arguments")
    if raw is None:
        raw = at(payload, "input")
    if isinstance(raw, str):
        try:
            return json.loads(raw)
        except (ValueError, RecursionError):
            return raw
    return raw


def command_of(arguments: Any) -> Command:
    """The command that a call of a shell runs: `bash -lc LINE` as LINE."""
    found = at(arguments, "cmd")
    if found is None:
        found = at(arguments, "command")
    if isinstance(found, list):
        words = [word for word in found if isinstance(word, str)]
        found = words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else " ".join(words)
    return Command(found if isinstance(found, str) else "", name(arguments, "workdir"))


def folder_of(cwd: str | None) -> str | None:
    """A folder that is given as a path or as a `file:` URL."""
    return cwd if cwd is None or not cwd.startswith("file://") else unquote(urlsplit(cwd).path) or None


def patch_of(tool: str, arguments: Any) -> list[FilePatch]:
    """The files of a patch that a call sends, in any of the ways in which Codex sent them."""
    if tool == "apply_patch":
        sent = arguments if isinstance(arguments, str) else text(arguments, "patch") or text(arguments, "input") or ""
    else:
        sent = command_of(arguments).line
        if "apply_patch" not in sent and "applypatch" not in sent:
            return []
    return list(begin_patch(sent))


def changes_of(changes: Any) -> Iterator[FilePatch]:
    """The files of a result record: by path, what was added, updated or deleted."""
    for path, change in table(changes).items():
        kind = text(change, "type")
        if kind is None:  # {"add": {"content": …}}
            kind, change = next(((key, value) for key, value in table(change).items()), (None, None))
        content = (text(change, "content") or "").encode("utf-8", "replace")
        if kind == "add":
            yield FilePatch(path, "add", (Part(None, content, 1),))
        elif kind == "delete":
            yield FilePatch(path, "delete", (Part(content, b"", 1),) if content else ())
        elif kind == "update":
            diff = (text(change, "unified_diff") or "").encode("utf-8", "replace")
            yield FilePatch(path, "update", parts_of(hunks_of(diff)), name(change, "move_path"))


def outcome_of_change(record: Any) -> tuple[Outcome, str | None]:
    """What a result record says became of a patch."""
    status = text(record, "status")
    if status in _STATUS:
        return _STATUS[status]
    success = at(record, "success")
    return _STATUS["completed" if success is True else "failed"] if isinstance(success, bool) else ("unknown", None)


def output_of(payload: Any) -> tuple[str, int | None, bool]:
    """The output that the model was told, the exit code where it says one, and whether the call was refused."""
    said = at(payload, "output")
    if isinstance(said, list):
        said = "\n".join(piece for one in said if (piece := text(one, "text")))
    said = said if isinstance(said, str) else text(said, "content") or ""
    code = None
    wrapped = _WRAPPED.match(said[:2000])
    inner = said[wrapped.end() :] if wrapped else said
    if inner.startswith("{"):
        try:
            record = json.loads(inner)
        except (ValueError, RecursionError):
            record = None
        if (told := text(record, "output")) is not None:
            said, code = told, count(record, "metadata", "exit_code")
    codes = _EXIT.findall(said[:2000])
    if codes:
        code = int(codes[-1])
    low = said[:500].lower()
    return said, code, any(words in low for words in _DENIED)


def outcome_of_output(payload: Any) -> tuple[Outcome, str | None]:
    """What became of a patch of which there is only what the model was told."""
    said, code, refused = output_of(payload)
    if refused:
        return _STATUS["declined"]
    if code not in (None, 0) or "verification failed" in said[:2000]:
        return _STATUS["failed"]
    if code == 0 or said.lstrip().startswith(("Success", "Done", "Updated")) or "Success. Updated" in said[:2000]:
        return _STATUS["completed"]
    if rows(payload, "output") or said:
        return _STATUS["failed"]
    return "unknown", None
