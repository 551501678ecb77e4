"""`gemini-cli`: Google's Gemini CLI, over Google's own API."""

from __future__ import annotations

import json
from typing import Any, Final

from gitgoodbench.agents.cli.contract import NO_KEY, CliAgent, Invocation, Task
from gitgoodbench.agents.cli.events import last_said
from gitgoodbench.git.process import ExecResult

_SETTINGS: Final = {
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "tools": {"exclude": ["google_web_search", "web_fetch"]},
}


class GeminiCli(CliAgent):
    """Without the second process that it starts to have more memory.

    Its settings file is the harness's: that the address is one for keys, it reads nowhere else.
    """

    name = "gemini-cli"
    api = "google"
    config_folder = ".gemini"
    logs = (".gemini/tmp/**/chats/*",)

    def invocation(self, task: Task) -> Invocation:
        argv = [
            self.program("gemini"), "--approval-mode", "yolo", "--output-format", "stream-json", "-m", task.model,
            *task.arguments,
        ]  # fmt: skip
        environment = {
            "GOOGLE_GEMINI_BASE_URL": task.base_url,
            "GEMINI_API_KEY": NO_KEY,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_CLI_NO_RELAUNCH": "true",
            "NO_COLOR": "1",
        }
        files = {f"{self.config_folder}/settings.json": json.dumps(_SETTINGS).encode()}
        return Invocation(argv, environment, stdin=task.prompt, files=files)

    def last_words(self, result: ExecResult) -> str:
        return last_said(result, _said) or super().last_words(result)


def _said(event: dict[str, Any]) -> Any:
    if event.get("type") == "result":
        return (event.get("error") or {}).get("message")
    return event.get("content") if event.get("role") == "assistant" else event.get("message")
