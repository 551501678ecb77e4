"""A scripted model on this machine, in four dialects: Anthropic Messages, Chat Completions, Responses and Gemini.

To every program it plays the same story: it writes a file, edits it, commits, and says what the file is now. Which step
comes next, the request itself tells: it is the number of results of tools in it.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

FIRST: Final = "def add(a, b):\n    return a + b\n"
OLD: Final = "    return a + b"
NEW: Final = "    return int(a) + int(b)"
LAST: Final = FIRST.replace(OLD, NEW)
COMMIT: Final = 'git add -A && git commit -qm "Add" && git log -1 --format=%H'
ANSWER: Final = f"Done. It is now:\n\n```python:hello.py\n{LAST}```\n"
WRITES: Final = ("Write", "write_file", "write", "create", "create_file")
EDITS: Final = ("Edit", "replace", "edit")
SHELLS: Final = ("Bash", "bash", "run_shell_command", "exec_command", "shell_command", "shell", "run_terminal_command")
PATCHES: Final = (
    f"*** Begin Patch\n*** Add File: hello.py\n+{FIRST.rstrip().replace(chr(10), chr(10) + '+')}\n*** End Patch",
    f"*** Begin Patch\n*** Update File: hello.py\n@@\n def add(a, b):\n-{OLD}\n+{NEW}\n*** End Patch",
)
MODEL: Final = "scripted"

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Call:
    """A call of a tool. raw: its input is this text, not JSON (tools of the kind `custom`)."""

    tool: str
    arguments: dict[str, Any]
    raw: str | None = None


def next_step(tools: dict[str, Any], results: int, file: Path) -> Call | None:
    """What the model does after so many results; None: it answers."""

    def first(names: tuple[str, ...]) -> str | None:
        return next((name for name in names if name in tools), None)

    looks = '"filepath"' in json.dumps(tools.get("Read"))
    if looks and results == 1:  # Continue edits only what it has read
        return Call("Read", {"filepath": str(file)})
    results -= looks and results > 1
    if not tools or results > 2:
        return None
    shell = first(SHELLS)
    if results == 2:
        return None if shell is None else _shell(shell, COMMIT)
    if "apply_patch" in tools:
        return Call("apply_patch", {"input": PATCHES[results], "patchText": PATCHES[results]}, PATCHES[results])
    tool = first(WRITES if results == 0 else EDITS)
    if tool is None:
        return None if shell is None else _shell(shell, f"apply_patch <<'EOF'\n{PATCHES[results]}\nEOF")
    return Call(tool, _arguments(json.dumps(tools[tool]), results, file))


def _arguments(schema: str, results: int, file: Path) -> dict[str, Any]:
    """Those of the tool that writes or edits, under the names that its schema has."""

    def named(*names: str) -> str:
        return next(name for name in names if f'"{name}"' in schema)

    path = {named("filePath", "filepath", "file_path", "path"): str(file)}
    if results == 0:
        return {**path, named("content", "file_text"): FIRST}
    told = {"instruction": "int"} if "instruction" in schema else {}
    old, new = named("oldString", "old_string", "old_str"), named("newString", "new_string", "new_str")
    return {**path, old: OLD, new: NEW, **told}


def without_tools(asked: dict[str, Any]) -> str:
    """The answer to a program that lets its model only write: aider takes edits and commit messages out of the text."""
    said = json.dumps(asked.get("messages"))
    if "SEARCH/REPLACE" not in said:
        return "Add" if "commit message" in said else ANSWER
    return "".join(
        f"hello.py\n```python\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n\n"
        for old, new in (("", FIRST), (f"{OLD}\n", f"{NEW}\n"))
    )


def _shell(tool: str, line: str) -> Call:
    if tool == "exec_command":
        return Call(tool, {"cmd": line})
    if tool == "shell":
        return Call(tool, {"command": ["bash", "-lc", line]})
    return Call(tool, {"command": line, "description": "commit"})


@contextmanager
def served(file: Path) -> Iterator[int]:
    """Serve the story about this file; give the port."""

    class Handler(_Handler):
        story = file

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    story: Path

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._send({"object": "list", "data": [{"id": MODEL, "object": "model"}], "models": []})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            asked = json.loads(raw)
        except ValueError:
            asked = {}
        path = self.path.split("?")[0]
        if path.endswith("count_tokens"):
            self._send({"input_tokens": 10})
        elif path.endswith("/messages"):
            self._anthropic(asked)
        elif path.endswith("/chat/completions"):
            self._chat(asked)
        elif path.endswith("/responses"):
            self._responses(asked)
        elif "enerateContent" in path:
            self._gemini(asked, stream="stream" in path)
        else:
            self._send({"totalTokens": 10} if "countTokens" in path else {})

    def _send(self, body: Any) -> None:
        self._reply(json.dumps(body).encode(), "application/json")

    def _stream(self, events: list[tuple[str | None, Any]]) -> None:
        lines = (
            (f"event: {name}\n" if name else "") + f"data: {one if isinstance(one, str) else json.dumps(one)}\n\n"
            for name, one in events
        )
        self._reply("".join(lines).encode(), "text/event-stream")

    def _reply(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _anthropic(self, asked: dict[str, Any]) -> None:
        tools = {tool["name"]: tool.get("input_schema") for tool in asked.get("tools", [])}
        contents = [one["content"] for one in asked["messages"] if isinstance(one["content"], list)]
        results = sum(block.get("type") == "tool_result" for content in contents for block in content)
        call = next_step(tools, results, self.story)
        usage = {
            "input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 7,
        }  # fmt: skip
        blocks: list[dict[str, Any]] = [{"type": "text", "text": ANSWER if call is None else "I will do it."}]
        if call is not None:
            blocks.append({"type": "tool_use", "id": _id("toolu"), "name": call.tool, "input": call.arguments})
        stop = "end_turn" if call is None else "tool_use"
        message = {"id": _id("msg"), "type": "message", "role": "assistant", "model": asked.get("model"),
                   "content": blocks, "stop_reason": stop, "stop_sequence": None, "usage": usage}  # fmt: skip
        if not asked.get("stream"):
            self._send(message)
            return
        events: list[tuple[str | None, Any]] = [
            ("message_start", {"message": {**message, "content": [], "stop_reason": None}})
        ]
        for index, block in enumerate(blocks):
            empty = {**block, "text": ""} if block["type"] == "text" else {**block, "input": {}}
            delta = (
                {"type": "text_delta", "text": block["text"]}
                if block["type"] == "text"
                else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            )
            events.append(("content_block_start", {"index": index, "content_block": empty}))
            events.append(("content_block_delta", {"index": index, "delta": delta}))
            events.append(("content_block_stop", {"index": index}))
        events.append(("message_delta", {"delta": {"stop_reason": stop}, "usage": {"output_tokens": 20}}))
        events.append(("message_stop", {}))
        self._stream([(name, {"type": name, **one}) for name, one in events])

    def _chat(self, asked: dict[str, Any]) -> None:
        offered = [tool.get("function") or tool["custom"] for tool in asked.get("tools") or []]
        tools = {tool["name"]: tool for tool in offered}
        results = sum(message["role"] == "tool" for message in asked["messages"])
        call = next_step(tools, results, self.story)
        answer = ANSWER if tools else without_tools(asked)
        message: dict[str, Any] = {"role": "assistant", "content": answer if call is None else None}
        if call is not None:
            function = {"name": call.tool, "arguments": json.dumps(call.arguments)}
            asks: dict[str, Any] = {"type": "function", "function": function}
            if call.raw is not None and "parameters" not in tools[call.tool]:
                asks = {"type": "custom", "custom": {"name": call.tool, "input": call.raw}}
            message["tool_calls"] = [{"index": 0, "id": _id("call"), **asks}]
        ended = "stop" if call is None else "tool_calls"
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        base = {"id": _id("chatcmpl"), "created": 1_800_000_000, "model": asked.get("model")}
        if not asked.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": ended}
            self._send({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
            return
        base["object"] = "chat.completion.chunk"
        self._stream(
            [
                (None, {**base, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
                (None, {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": ended}]}),
                (None, {**base, "choices": [], "usage": usage}),
                (None, "[DONE]"),
            ]
        )

    def _responses(self, asked: dict[str, Any]) -> None:
        tools = {tool.get("name") or tool.get("type"): tool for tool in asked.get("tools", [])}
        items = [item for item in asked.get("input", []) if isinstance(item, dict)]
        results = sum(str(item.get("type")).endswith("_call_output") for item in items)
        call = next_step(tools, results, self.story)
        item: dict[str, Any]
        if call is None:
            content = [{"type": "output_text", "text": ANSWER, "annotations": []}]
            item = {"type": "message", "id": _id("msg"), "role": "assistant", "content": content}
        elif call.raw is not None and tools[call.tool].get("type") == "custom":
            item = {"type": "custom_tool_call", "id": _id("ctc"), "call_id": _id("call"), "name": call.tool,
                    "input": call.raw}  # fmt: skip
        else:
            item = {"type": "function_call", "id": _id("fc"), "call_id": _id("call"), "name": call.tool,
                    "arguments": json.dumps(call.arguments)}  # fmt: skip
        item["status"] = "completed"
        usage = {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 5}, "output_tokens": 20,
                 "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 120}  # fmt: skip
        done = {"id": _id("resp"), "object": "response", "created_at": 1_800_000_000, "status": "completed",
                "model": asked.get("model"), "output": [item], "usage": usage}  # fmt: skip
        events: list[tuple[str | None, Any]] = [
            ("response.created", {"response": {**done, "status": "in_progress", "output": []}}),
            ("response.output_item.added", {"output_index": 0, "item": item}),
            ("response.output_item.done", {"output_index": 0, "item": item}),
            ("response.completed", {"response": done}),
        ]
        self._stream([(name, {"type": name, **one}) for name, one in events])

    def _gemini(self, asked: dict[str, Any], *, stream: bool) -> None:
        declared = [one for tool in asked.get("tools") or [] for one in tool.get("functionDeclarations", [])]
        parts_asked = [part for content in asked.get("contents", []) for part in content.get("parts", [])]
        results = sum("functionResponse" in part for part in parts_asked)
        call = next_step({one["name"]: one for one in declared}, results, self.story)
        parts: list[dict[str, Any]] = [{"text": ANSWER if call is None else "I will do it."}]
        if call is not None:
            parts.append({"functionCall": {"name": call.tool, "args": call.arguments}})
        elif not declared and asked.get("generationConfig", {}).get("responseMimeType") == "application/json":
            told = {"reasoning": "r", "next_speaker": "user", "complexity_score": 1, "model_choice": "flash"}
            parts = [{"text": json.dumps({**told, "complexity_reasoning": "r"})}]
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
        body = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": MODEL}
        if stream:
            self._stream([(None, body)])
        else:
            self._send(body)


def _id(kind: str) -> str:
    return f"{kind}_{next(_numbers):012}"
