"""`opencode`: `opencode run`, over Chat Completions, Responses or Messages."""

from __future__ import annotations

import json
from typing import Any, Final

from pydantic import Field

from gitgoodbench.agents.cli.contract import NO_KEY, CliAgent, CliOptions, Invocation, Task
from gitgoodbench.agents.cli.events import last_said
from gitgoodbench.git.process import ExecResult

_PROVIDER: Final = "bridge"
_CLIENTS: Final = {
    "chat": "@ai-sdk/openai-compatible",
    "responses": "@ai-sdk/openai",
    "anthropic": "@ai-sdk/anthropic",
}
"""Its own client of each API; they are parts of the program."""

_SWITCHED_OFF: Final = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE")


class OpenCodeOptions(CliOptions):
    """Options of the agent: what it cannot look up, since it knows models by its own provider's name only."""

    context: int = Field(200_000, gt=0, description="Tokens of the model's context; it sums up what comes near to it.")
    output: int = Field(16_384, gt=0, description="Tokens that an answer may have at most.")


class OpenCode(CliAgent):
    """Small tasks, such as summaries, go to the same model. Its title is given, so that it asks for none."""

    name = "opencode"
    apis = tuple(_CLIENTS)
    options = OpenCodeOptions
    config_folder = ".config/opencode"
    logs = (".local/share/opencode/log/*.log",)

    def invocation(self, task: Task) -> Invocation:
        model = f"{_PROVIDER}/{task.model}"
        argv = [
            self.program("opencode"), "run", "--format", "json", "--auto", "--title", "task", "-m", model,
            *task.arguments,
        ]  # fmt: skip
        switches = {f"OPENCODE_DISABLE_{name}": "1" for name in _SWITCHED_OFF}
        environment = {"OPENCODE_CONFIG_CONTENT": json.dumps(_configuration(task, model)), **switches}
        return Invocation(argv, environment, stdin=task.prompt)

    def last_words(self, result: ExecResult) -> str:
        return last_said(result, _said) or super().last_words(result)


def _configuration(task: Task, model: str) -> dict[str, Any]:
    chosen = task.options
    assert isinstance(chosen, OpenCodeOptions)
    known = {"name": task.model, "tool_call": True, "limit": {"context": chosen.context, "output": chosen.output}}
    provider = {
        "npm": _CLIENTS[task.api],
        "name": _PROVIDER,
        "options": {"baseURL": f"{task.base_url.removesuffix('/v1')}/v1", "apiKey": NO_KEY},
        "models": {task.model: known},
    }
    return {
        "autoupdate": False,
        "share": "disabled",
        "snapshot": False,
        "lsp": False,
        "formatter": False,
        "permission": {"*": "allow", "webfetch": "deny", "websearch": "deny"},
        "enabled_providers": [_PROVIDER],
        "model": model,
        "small_model": model,
        "provider": {_PROVIDER: provider},
    }


def _said(event: dict[str, Any]) -> Any:
    if event.get("type") == "error":
        error = event.get("error") or {}
        return (error.get("data") or {}).get("message") or error.get("name")
    return (event.get("part") or {}).get("text")
