"""`goose`: `goose run`, over Chat Completions, Responses or Messages."""

from __future__ import annotations

from typing import Any

from gitgoodbench.agents.cli.contract import NO_KEY, CliAgent, Invocation, Task
from gitgoodbench.agents.cli.events import last_said
from gitgoodbench.git.process import ExecResult


class Goose(CliAgent):
    """With its developer tools. It asks for no name of the session, and stops after no number of turns."""

    name = "goose"
    apis = ("chat", "responses", "anthropic")
    config_folder = ".config/goose"
    logs = (".local/state/goose/logs/cli/**/*.log",)

    def invocation(self, task: Task) -> Invocation:
        argv = [
            self.program("goose"), "run", "-i", "-", "--quiet", "--output-format", "stream-json",
            "--with-builtin", "developer", "--max-turns", "1000000", *task.arguments,
        ]  # fmt: skip
        environment = {
            "GOOSE_MODEL": task.model,
            "GOOSE_MODE": "auto",
            "GOOSE_DISABLE_KEYRING": "1",
            "GOOSE_DISABLE_SESSION_NAMING": "true",
            "GOOSE_TELEMETRY_ENABLED": "false",
            **_server(task),
        }
        return Invocation(argv, environment, stdin=task.prompt)

    def last_words(self, result: ExecResult) -> str:
        return last_said(result, _said) or super().last_words(result)


def _server(task: Task) -> dict[str, str]:
    """Where the model is. The path says which of OpenAI's APIs: by itself goose goes by the model's name."""
    if task.api == "anthropic":
        return {"GOOSE_PROVIDER": "anthropic", "ANTHROPIC_HOST": task.base_url, "ANTHROPIC_API_KEY": NO_KEY}
    path = "/v1/responses" if task.api == "responses" else "/v1/chat/completions"
    host = task.base_url.removesuffix("/v1")
    return {"GOOSE_PROVIDER": "openai", "OPENAI_HOST": host, "OPENAI_BASE_PATH": path, "OPENAI_API_KEY": NO_KEY}


def _said(event: dict[str, Any]) -> Any:
    message = event.get("message")
    if not isinstance(message, dict):
        return event.get("error") or message
    if message.get("role") != "assistant":
        return None
    return next((part["text"] for part in reversed(message["content"]) if part.get("text")), None)
