"""`codex`: OpenAI's Codex CLI, by `codex exec`.

Its own sandbox cannot work inside ours and is switched off; so is whatever asks other servers than the model's.
"""

from __future__ import annotations

import json

from gitgoodbench.agents.cli.contract import NO_KEY, CliAgent, Invocation, Task
from gitgoodbench.git.process import ExecResult
from gitgoodbench.text import one_line

_SETTINGS = (
    'model_provider="bridge"',
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    "feedback.enabled=false",
    'web_search="disabled"',
    'history.persistence="none"',
)


class Codex(CliAgent):
    """See the module's docstring."""

    name = "codex"
    api = "responses"
    sets_effort = True
    config_folder = ".codex"
    logs = (".codex/sessions/**/*.jsonl",)

    def invocation(self, task: Task) -> Invocation:
        server = (
            f'model_providers.bridge={{name="bridge", base_url="{task.base_url}", wire_api="responses", '
            'env_key="BRIDGE_KEY", request_max_retries=1, stream_max_retries=1, requires_openai_auth=false}'
        )
        effort = (
            [] if task.reasoning_effort is None else [f"model_reasoning_effort={json.dumps(task.reasoning_effort)}"]
        )
        settings = [part for setting in (*_SETTINGS, server, *effort) for part in ("-c", setting)]
        argv = [
            self.program("codex"), "exec", "--json", "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox", "-m", task.model, *settings, *task.arguments, "-",
        ]  # fmt: skip
        home = f"{task.home}/{self.config_folder}"
        environment = {"BRIDGE_KEY": NO_KEY, "CODEX_HOME": home}
        return Invocation(argv, environment, stdin=task.prompt, folders=(self.config_folder,))

    def last_words(self, result: ExecResult) -> str:
        """The last message, or error, among the events on standard output."""
        for line in reversed(result.stdout.splitlines()):
            try:
                event = json.loads(line)
                item = event.get("item") or {}
                said = item.get("text") or (event.get("error") or {}).get("message") or event.get("message")
            except (ValueError, AttributeError, RecursionError):
                continue
            if isinstance(said, str) and said.strip():
                return one_line(said, 300)
        return super().last_words(result)
