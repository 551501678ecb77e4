"""`claude-code`: Anthropic's Claude Code, by its documented headless flags, over the Messages API.

It is proprietary: nothing of it is shipped, each user installs it for themselves.
"""

from __future__ import annotations

import json
from typing import Any, Final

from gitgoodbench.agents.cli.contract import NO_KEY, CliAgent, Invocation, Task
from gitgoodbench.agents.cli.events import last_said
from gitgoodbench.git.process import ExecResult

_SETTINGS: Final = {"attribution": {"commit": "", "pr": ""}}
"""A trailer that names the agent would tell a judge whose history it reads."""

_OFF: Final = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY",
               "DISABLE_ERROR_REPORTING")  # fmt: skip


class ClaudeCode(CliAgent):
    """See the module's docstring. All models that it knows by alias are the one."""

    name = "claude-code"
    api = "anthropic"
    sets_effort = True
    config_folder = ".claude"
    logs = (".claude/projects/**/*.jsonl",)

    def invocation(self, task: Task) -> Invocation:
        effort = () if task.reasoning_effort is None else ("--effort", task.reasoning_effort)
        argv = [
            self.program("claude"), "-p", "--output-format", "stream-json", "--verbose", "--model", task.model, *effort,
            "--dangerously-skip-permissions", "--disallowedTools", "WebFetch,WebSearch",
            "--settings", json.dumps(_SETTINGS), *task.arguments,
        ]  # fmt: skip
        aliases = {f"ANTHROPIC_DEFAULT_{name}_MODEL": task.model for name in ("OPUS", "SONNET", "HAIKU")}
        environment = {
            "ANTHROPIC_BASE_URL": task.base_url,
            "ANTHROPIC_API_KEY": NO_KEY,
            **aliases,
            **dict.fromkeys(_OFF, "1"),
        }
        return Invocation(argv, environment, stdin=task.prompt)

    def last_words(self, result: ExecResult) -> str:
        return last_said(result, _said) or super().last_words(result)


def _said(event: dict[str, Any]) -> Any:
    if event.get("type") == "result":
        return event.get("result")
    if event.get("type") != "assistant":
        return None
    return next((part["text"] for part in reversed(event["message"]["content"]) if part.get("text")), None)
