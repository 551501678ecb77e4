"""A whole agent for a sandbox, without any package: `agent.py chat|responses|anthropic PROMPT_FILE`.

One tool, a shell; it ends when the model calls it no more. Of the model it knows an address and nothing else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

PARAMETERS = {"type": "object", "properties": {"line": {"type": "string"}}, "required": ["line"]}
PATHS = {"chat": "/chat/completions", "responses": "/responses", "anthropic": "/v1/messages"}


def post(api: str, body: dict[str, Any]) -> Any:
    base = os.environ["ANTHROPIC_BASE_URL" if api == "anthropic" else "OPENAI_BASE_URL"]
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(base + PATHS[api], json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def chat(said: list[Any]) -> list[tuple[str, str]]:
    """Ask; the answer is put to what was said. Returns its calls: id and command line."""
    tool = {"type": "function", "function": {"name": "sh", "parameters": PARAMETERS}}
    message = post("chat", {"model": "any", "messages": said, "tools": [tool]})["choices"][0]["message"]
    said.append(message)
    calls = message.get("tool_calls") or []
    return [(call["id"], json.loads(call["function"]["arguments"])["line"]) for call in calls]


def responses(said: list[Any]) -> list[tuple[str, str]]:
    """As `chat`."""
    tool = {"type": "function", "name": "sh", "parameters": PARAMETERS}
    output = post("responses", {"model": "any", "input": said, "tools": [tool]})["output"]
    said += output
    calls = [item for item in output if item["type"] == "function_call"]
    return [(call["call_id"], json.loads(call["arguments"])["line"]) for call in calls]


def anthropic(said: list[Any]) -> list[tuple[str, str]]:
    """As `chat`."""
    tool = {"name": "sh", "input_schema": PARAMETERS}
    content = post("anthropic", {"model": "any", "max_tokens": 999, "messages": said, "tools": [tool]})["content"]
    said.append({"role": "assistant", "content": content})
    return [(block["id"], block["input"]["line"]) for block in content if block["type"] == "tool_use"]


def result(api: str, call: str, output: str) -> dict[str, Any]:
    if api == "chat":
        return {"role": "tool", "tool_call_id": call, "content": output}
    if api == "responses":
        return {"type": "function_call_output", "call_id": call, "output": output}
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": output}]}


def main() -> None:
    api, prompt = sys.argv[1:]
    ask = {"chat": chat, "responses": responses, "anthropic": anthropic}[api]
    said: list[Any] = [{"role": "user", "content": Path(prompt).read_text()}]
    while calls := ask(said):
        for call, line in calls:
            done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
            said.append(result(api, call, done.stdout + done.stderr))


if __name__ == "__main__":
    main()
