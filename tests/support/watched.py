"""The files of a run that is under way, line by line as a run writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gitgoodbench.runs.paths import RunPaths

START = "2026-01-31T09:00:00.000Z"


class WatchedRun:
    """Writes what a run writes; nothing runs."""

    def __init__(self, folder: Path) -> None:
        self.paths = RunPaths(folder)
        self.paths.samples.mkdir(parents=True, exist_ok=True)

    def log(self, event: str, episode: str, time: str = START, **details: Any) -> None:
        _append(self.paths.log, {"time": time, "event": event, "episode": episode, **details})

    def say(self, kind: str, sample: str = "s0", time: str = START, **details: Any) -> None:
        files = self.paths.episode("mcr", sample, 1)
        files.folder.mkdir(parents=True, exist_ok=True)
        _append(files.trajectory, {"kind": kind, "time": time, **details})

    def answer(self, sample: str = "s0", tool: str | None = None, tokens: int = 100, **details: Any) -> None:
        call = {"id": "1", "type": "function", "function": {"name": tool, "arguments": "{}"}}
        message = {"role": "assistant", "content": "so", **({} if tool is None else {"tool_calls": [call]})}
        self.say("answer", sample, message=message, tokens={"prompt": tokens, "completion": 20}, **details)

    def pay(self, event: str, role: str = "agent", episode: str = "mcr/s0/1", **details: Any) -> None:
        _append(self.paths.ledger, {"time": START, "event": event, "episode": episode, "role": role, **details})


def _append(path: Path, value: dict[str, Any]) -> None:
    with path.open("a") as file:
        file.write(json.dumps(value) + "\n")
