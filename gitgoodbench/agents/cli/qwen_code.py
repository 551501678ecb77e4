"""`qwen-code`: Qwen Code, over Chat Completions."""

from __future__ import annotations

import json
from typing import Any, Final

from gitgoodbench.agents.cli.contract import NO_KEY, CliAgent, Invocation, Task
from gitgoodbench.agents.cli.events import last_said
from gitgoodbench.git.process import ExecResult

_SYSTEM_SETTINGS: Final = "qwen-system-settings.json"
_SETTINGS: Final = {
    "general": {"enableAutoUpdate": False, "gitCoAuthor": {"commit": False, "pr": False}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}
"""Above its user's. It would add a trailer with its own name to commits, which tells a judge whose they are."""


class QwenCode(CliAgent):
    """Without the second process that it starts to have more memory."""

    name = "qwen-code"
    config_folder = ".qwen"
    logs = (".qwen/projects/**/chats/*.jsonl",)

    def invocation(self, task: Task) -> Invocation:
        argv = [
            self.program("qwen"), "--approval-mode", "yolo", "--output-format", "stream-json", "--auth-type", "openai",
            "-m", task.model, "--exclude-tools", "web_fetch", *task.arguments,
        ]  # fmt: skip
        environment = {
            "OPENAI_BASE_URL": task.base_url,
            "OPENAI_API_KEY": NO_KEY,
            "OPENAI_MODEL": task.model,
            "QWEN_CODE_NO_RELAUNCH": "true",
            "QWEN_CODE_SYSTEM_SETTINGS_PATH": f"{task.home}/{_SYSTEM_SETTINGS}",
            "NO_COLOR": "1",
        }
        files = {_SYSTEM_SETTINGS: json.dumps(_SETTINGS).encode()}
        return Invocation(argv, environment, stdin=task.prompt, files=files)

    def last_words(self, result: ExecResult) -> str:
        return last_said(result, _said) or super().last_words(result)


def _said(event: dict[str, Any]) -> Any:
    if event.get("type") == "result":
        return (event.get("error") or {}).get("message") or event.get("result")
    if event.get("type") != "assistant":
        return None
    return next((part["text"] for part in reversed(event["message"]["content"]) if part.get("text")), None)
