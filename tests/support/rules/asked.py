"""What a program asks of a model, in any API: what it was told, the shell that it offers, and what came of commands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.support.dialect import Body

PATHS = {"/chat/completions": "chat", "/responses": "responses", "/messages": "anthropic"}
_GOOGLE = re.compile(r"/models/([^/:]+):(generateContent|streamGenerateContent)")
SHELLS = (
    "exec_command", "shell_command", "shell", "local_shell", "bash", "Bash", "run_shell_command", "run_command",
    "developer__shell", "sh",
)  # fmt: skip
_LINES = ("cmd", "command", "line")
_STILL_RUNNING = re.compile(r"Process running with session ID (\d+)")


@dataclass(frozen=True)
class Shell:
    """A tool of a program that runs a command line. kind: its type in the API. parameters: its JSON schema."""

    name: str
    kind: str = "function"
    parameters: Mapping[str, Any] | None = None

    def arguments(self, line: str) -> Body:
        """What it is called with to run a line; what else it needs is made up."""
        schema = self.parameters or {}
        properties = schema.get("properties") or {}
        made: Body = {name: _any(properties.get(name) or {}) for name in schema.get("required") or ()}
        name = next((name for name in _LINES if name in properties), "command")
        is_list = (properties.get(name) or {}).get("type") == "array"
        made[name] = ["bash", "-c", line] if is_list else line
        if "yield_time_ms" in properties:
            made["yield_time_ms"] = 30_000
        return made


@dataclass(frozen=True)
class Asked:
    """A request. text: of system and user, before the first answer. results: of the tools, in order.

    shell: None where none is offered, as in requests for a title. wants_usage: whether a stream shall tell it.
    """

    api: str
    streamed: bool
    text: str
    results: Sequence[str]
    shell: Shell | None
    wants_usage: bool
    model: str

    @property
    def session(self) -> int | None:
        """The command that is still running, where the program says so of the last one."""
        found = _STILL_RUNNING.search(self.results[-1]) if self.results else None
        return int(found[1]) if found else None


def read(path: str, body: Body) -> Asked:
    """Read a request."""
    if found := _GOOGLE.search(path):
        body = _from_google(found[1], found[2] == "streamGenerateContent", body)
        return replace(read("/chat/completions", body), api="google", wants_usage=True)
    api = next(api for end, api in PATHS.items() if path.endswith(end))
    entries = body["input" if api == "responses" else "messages"]
    if isinstance(entries, str):
        entries = [{"role": "user", "content": entries}]
    return Asked(
        api=api,
        streamed=bool(body.get("stream")),
        text="\n".join(_opening(body, entries)),
        results=list(_results(entries)),
        shell=_shell(body.get("tools") or ()),
        wants_usage=api != "chat" or bool((body.get("stream_options") or {}).get("include_usage")),
        model=str(body["model"]),
    )


def _from_google(model: str, streamed: bool, body: Body) -> Body:
    """A request of Google's API as Chat Completions has it, as far as it is read here."""
    messages: list[Body] = []
    for turn in [{"role": "system", **(body.get("systemInstruction") or {"parts": []})}, *body["contents"]]:
        role = "assistant" if turn.get("role") == "model" else turn.get("role") or "user"
        for part in turn["parts"]:
            if "functionResponse" in part:
                messages.append({"role": "tool", "content": json.dumps(part["functionResponse"]["response"])})
            elif part.get("text") or "functionCall" in part:
                messages.append({"role": role, "content": part.get("text") or ""})
    declared = [entry for tool in body.get("tools") or () for entry in tool.get("functionDeclarations") or ()]
    tools = [
        {"type": "function", "function": {**tool, "parameters": tool.get("parametersJsonSchema") or tool["parameters"]}}
        for tool in declared
        if "parametersJsonSchema" in tool or "parameters" in tool
    ]
    return {"model": model, "stream": streamed, "messages": messages, "tools": tools}


def _opening(body: Body, entries: Sequence[Body]) -> Iterator[str]:
    for name in ("system", "instructions"):
        yield from _texts(body.get(name) or "")
    for entry in entries:
        if entry.get("role") == "assistant" or str(entry.get("type", "")).endswith("_call"):
            return
        yield from _texts(entry.get("content") or "")


def _results(entries: Sequence[Body]) -> Iterator[str]:
    for entry in entries:
        if entry.get("role") == "tool":
            yield "\n".join(_texts(entry["content"]))
        elif str(entry.get("type", "")).endswith("_output"):
            yield "\n".join(_texts(entry["output"]))
        elif isinstance(entry.get("content"), list):
            for part in entry["content"]:
                if part.get("type") == "tool_result":
                    yield "\n".join(_texts(part.get("content") or ""))


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict):
        yield json.dumps(content)
    else:
        yield from (str(part["text"]) for part in content if part.get("text"))


def _shell(tools: Sequence[Body]) -> Shell | None:
    offered: dict[str, Shell] = {}
    for tool in tools:
        kind = str(tool.get("type") or "custom")
        about = tool["function"] if isinstance(tool.get("function"), dict) else tool
        name = str(about.get("name") or kind)
        offered[name] = Shell(name, kind, about.get("parameters") or about.get("input_schema"))
    return next((offered[name] for name in SHELLS if name in offered), None)


def _any(schema: Mapping[str, Any]) -> Any:
    """A value that fits a parameter."""
    if schema.get("enum"):
        return schema["enum"][0]
    return {"boolean": False, "number": 30_000, "integer": 30_000, "array": [], "object": {}}.get(
        str(schema.get("type")), "Do the work"
    )
