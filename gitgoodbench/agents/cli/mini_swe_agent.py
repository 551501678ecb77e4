"""`mini-swe-agent`: `mini`, over Chat Completions, Responses or Messages."""

from __future__ import annotations

import json
import re
from typing import Final

from gitgoodbench.agents.cli.contract import NO_KEY, CliAgent, Invocation, Task

_TASK: Final = "task.yaml"
_TRAJECTORY: Final = "mini.traj.json"
_NOT_PLAIN: Final = re.compile(r"[^ -~]")


class MiniSweAgent(CliAgent):
    """The task comes in a configuration file, since it may be too long for an argument."""

    name = "mini-swe-agent"
    apis = ("chat", "responses", "anthropic")
    config_folder = ".config/mini-swe-agent"
    logs = (_TRAJECTORY,)

    def invocation(self, task: Task) -> Invocation:
        owner = "anthropic" if task.api == "anthropic" else "openai"
        kind = ("--model-class", "litellm_response") if task.api == "responses" else ()
        argv = [
            self.program("mini"), "-m", f"{owner}/{task.model}", *kind, "-y", "--exit-immediately", "-l", "0",
            "-o", f"{task.home}/{_TRAJECTORY}", "-c", "mini.yaml", "-c", f"{task.home}/{_TASK}", *task.arguments,
        ]  # fmt: skip
        environment = {
            f"{owner.upper()}_API_KEY": NO_KEY,
            "MSWEA_CONFIGURED": "true",
            "MSWEA_SILENT_STARTUP": "1",
            "MSWEA_COST_TRACKING": "ignore_errors",
            "MSWEA_GLOBAL_CONFIG_DIR": f"{task.home}/{self.config_folder}",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "LITELLM_TELEMETRY": "False",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        settings = {
            "run": {"task": task.prompt.decode("utf-8", "replace")},
            "model": {"model_kwargs": {"api_base": task.base_url}},
        }
        return Invocation(argv, environment, files={_TASK: _yaml(settings)})


def _yaml(value: object) -> bytes:
    """The value as YAML, of which JSON is a part, but for characters that JSON writes as two halves."""
    text = json.dumps(value, ensure_ascii=False)
    return _NOT_PLAIN.sub(lambda found: f"\\U{ord(found[0]):08x}", text).encode("ascii")
