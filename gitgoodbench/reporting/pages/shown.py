"""The runs that pages show, each with a name of its own and what its ledger says."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from gitgoodbench.reporting.summary import account_of
from gitgoodbench.runs.account import Account
from gitgoodbench.runs.manifest import Manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import Result
from gitgoodbench.runs.trajectories import Conversation

_KEY_LENGTH = 20


class LoadedRun(Protocol):
    """A run as `gitgoodbench.load_run` gives it."""

    @property
    def folder(self) -> Path: ...

    @property
    def manifest(self) -> Manifest: ...

    @property
    def results(self) -> tuple[Result, ...]: ...

    def conversation(self, result: Result) -> Conversation | None:
        """What was said in an episode; None where nothing was."""
        ...


@dataclass(frozen=True)
class Shown:
    """A run, and what pages call it. name: its id, with a number where several have that id."""

    run: LoadedRun
    name: str
    account: Account

    @property
    def who(self) -> str:
        """The agent, and the model where there is one."""
        agent = self.run.manifest.agent
        return str(agent["name"]) if agent.get("model") is None else f"{agent['name']} ({agent['model']})"

    @property
    def paths(self) -> RunPaths:
        return RunPaths(self.run.folder)

    def key(self, result: Result) -> str:
        """What an episode is called in addresses and file names: lower-case hexadecimal digits."""
        parts = "\0".join((self.name, *map(str, result.key)))
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_LENGTH]


def shown_runs(runs: Sequence[LoadedRun]) -> tuple[Shown, ...]:
    """The runs in their order, each folder once."""
    once = {run.folder.resolve(): run for run in runs}
    seen: Counter[str] = Counter()
    shown = []
    for run in once.values():
        name = run.manifest.run_id
        seen[name] += 1
        unique = name if seen[name] == 1 else f"{name} ({seen[name]})"
        shown.append(Shown(run, unique, account_of(RunPaths(run.folder))))
    return tuple(shown)
