"""Logs as Gemini CLI, qwen-code, Copilot, Continue and aider write them."""

from __future__ import annotations

import difflib
import itertools
import json
from pathlib import Path
from typing import Any

from tests.feedback.support_logs import START, iso

ADD = "def add(a, b):\n    return a + b\n"
INT = "def add(a, b):\n    return int(a) + int(b)\n"
HEAD = "0123456789abcdef0123456789abcdef01234567"
COMMIT = "git commit -qam x && git log -1 --format=%H"


def unified(path: str, before: str, after: str) -> str:
    """The diff that Gemini CLI and its forks show."""
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), "Current", "Proposed")
    return f"Index: {path}\n{'=' * 67}\n{''.join(lines)}"


def shown(path: str, before: str, after: str, by_user: int = 0) -> dict[str, Any]:
    """What an editing tool of Gemini CLI shows of its result."""
    return {
        "fileDiff": unified(path, before, after), "fileName": Path(path).name, "filePath": path,
        "originalContent": before, "newContent": after,
        "diffStat": {"model_added_lines": 1, "user_added_lines": by_user, "user_removed_lines": 0},
    }  # fmt: skip


class GeminiLog:
    """A chat of Gemini CLI. Each record is a second later than the one before."""

    def __init__(self, home: Path, root: Path, name: str = "app", session: str = "g1", *, messages: str = "m") -> None:
        self.messages = messages
        self.project = home / ".gemini/tmp" / name
        self.path = self.project / "chats/session-2026-11-30T11-36-g1.jsonl"
        self.root = root
        self.time = START
        self._numbers = itertools.count(1)
        head = {"sessionId": session, "projectHash": "0" * 64, "startTime": iso(START), "kind": "main"}
        self.records: list[dict[str, Any]] = [head, {"$set": {"messages": [], "lastUpdated": iso(START)}}]

    def say(self, content: str, calls: list[dict[str, Any]] | None = None) -> str:
        """An answer; written a second time when its tools have answered. Gives its id."""
        self.time += 1
        message: dict[str, Any] = {
            "id": f"{self.messages}{next(self._numbers)}", "timestamp": iso(self.time), "type": "gemini",
            "content": content,
            "tokens": {"input": 100, "output": 20, "cached": 5, "thoughts": 3, "tool": 0, "total": 123},
            "model": "gemini-2.5-flash",
        }  # fmt: skip
        self.records += [message, {"$set": {"lastUpdated": iso(self.time)}}]
        if calls:
            self.records.append({**message, "toolCalls": calls})
        return str(message["id"])

    def call(self, known_by: str, tool: str, args: dict[str, Any], display: Any, status: str = "success") -> str:
        call = {
            "id": known_by, "name": tool, "args": args, "status": status, "timestamp": iso(self.time + 2),
            "resultDisplay": display,
        }  # fmt: skip
        return self.say("I will.", [call])

    def write(self, known_by: str, path: str, before: str, after: str, status: str = "success", **args: Any) -> str:
        arguments = {"file_path": path, "content": after, **args}
        return self.call(known_by, "write_file", arguments, shown(path, before, after), status)

    def save(self, *, rooted: bool = True) -> Path:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if rooted:
            (self.project / ".project_root").write_text(str(self.root))
        self.path.write_text("".join(json.dumps(record) + "\n" for record in self.records))
        return self.path


class QwenLog:
    """A session of qwen-code."""

    def __init__(self, home: Path, root: Path, session: str = "q1", *, records: str = "u") -> None:
        self.prefix = records
        self.path = home / f".qwen/projects/-slug/chats/{session}.jsonl"
        self.time = START
        self.common = {"sessionId": session, "cwd": str(root), "version": "0.15.10", "gitBranch": "main"}
        self.records: list[dict[str, Any]] = []

    def add(self, kind: str, **more: Any) -> str:
        self.time += 1
        known_by = f"{self.prefix}{len(self.records)}"
        parent = f"{self.prefix}{len(self.records) - 1}" if self.records else None
        record = {"uuid": known_by, "parentUuid": parent, "timestamp": iso(self.time), "type": kind, **self.common}
        self.records.append({**record, **more})
        return known_by

    def say(self, *parts: dict[str, Any]) -> str:
        event = {"event.name": "qwen-code.api_response", "duration_ms": 250}
        self.add("system", subtype="ui_telemetry", systemPayload={"uiEvent": event})
        usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "cachedContentTokenCount": 5}
        return self.add("assistant", model="qwen3", message={"role": "model", "parts": parts}, usageMetadata=usage)

    def call(self, known_by: str, tool: str, args: dict[str, Any]) -> str:
        return self.say({"functionCall": {"id": known_by, "name": tool, "args": args}})

    def result(self, known_by: str, display: Any, status: str = "success") -> None:
        part = {"functionResponse": {"id": known_by, "response": {"output": "ok"}}}
        result = {"callId": known_by, "status": status, "resultDisplay": display}
        self.add("tool_result", message={"role": "user", "parts": [part]}, toolCallResult=result)

    def save(self) -> Path:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(json.dumps(record) + "\n" for record in self.records))
        return self.path


class CopilotLog:
    """A session of Copilot CLI, or a transcript of VS Code."""

    def __init__(self, path: Path, root: Path | None) -> None:
        self.path = path
        self.time = START
        self.events: list[dict[str, Any]] = []
        context = {"cwd": str(root), "gitRoot": str(root), "branch": "main", "headCommit": HEAD} if root else {}
        self.add(
            "session.start", sessionId=path.parent.name, copilotVersion="1.0.102", startTime=iso(START),
            selectedModel="gpt-5", context=context,
        )  # fmt: skip

    def add(self, kind: str, **data: Any) -> None:
        self.events.append({"type": kind, "data": data, "id": f"e{len(self.events)}", "timestamp": iso(self.time)})
        self.time += 1

    def call(self, known_by: str, tool: str, arguments: Any, **result: Any) -> None:
        """A call that the model asks for, and its result (success=, result=, error=); none where nothing is given."""
        usage = {"model": "gpt-5", "inputTokens": 100, "outputTokens": 20, "cacheReadTokens": 5, "duration": 40}
        self.add("session.usage_record", usage={**usage, "cost": 1.0, "apiCallId": f"api-{known_by}"})
        requests = [{"toolCallId": known_by, "name": tool}]
        self.add("assistant.message", messageId=f"m-{known_by}", content="", toolRequests=requests,
                 apiCallId=f"api-{known_by}")  # fmt: skip
        self.add("tool.execution_start", toolCallId=known_by, toolName=tool, arguments=arguments)
        if result:
            self.add("tool.execution_complete", toolCallId=known_by, **result)

    def save(self) -> Path:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(json.dumps(event) + "\n" for event in self.events))
        return self.path


def continue_call(known_by: str, tool: str, arguments: dict[str, Any], status: str, output: str) -> dict[str, Any]:
    """An item of a session of Continue that calls a tool."""
    call = {"id": known_by, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "model": "m", "cost_cents": 0.5,
             "prompt_tokens_details": {"cached_tokens": 5}}  # fmt: skip
    state = {"toolCallId": known_by, "toolCall": call, "status": status, "parsedArgs": arguments,
             "output": [{"content": output, "name": "Tool Result"}]}  # fmt: skip
    message = {"role": "assistant", "content": "", "toolCalls": [call], "usage": usage}
    return {"message": message, "contextItems": [], "toolCallStates": [state]}


class AiderChat:
    """A history of aider."""

    def __init__(self) -> None:
        self.text = ""

    def start(self, when: str = "2026-11-30 11:36:39", edit_format: str = "diff") -> None:
        self.text += f"\n# aider chat started at {when}\n\n"
        self.tell("Aider v0.86.2", f"Model: openai/fake with {edit_format} edit format", "Git repo: .git with 1 files")

    def tell(self, *messages: str) -> None:
        """What aider says."""
        self.text += "".join(f"> {message.strip()}  \n" for message in messages)

    def ask(self, *lines: str) -> None:
        self.text += "\n" + "  \n".join(f"#### {line}" for line in lines) + "  \n"

    def answer(self, text: str, tokens: str = "Tokens: 2.4k sent, 27 received.") -> None:
        self.text += f"\n{text.strip()}\n\n"
        self.tell(tokens)

    def save(self, root: Path) -> Path:
        path = root / ".aider.chat.history.md"
        path.write_text(self.text)
        return path


def search_replace(path: str, search: str, replace: str) -> str:
    return f"{path}\n```python\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n```\n"
