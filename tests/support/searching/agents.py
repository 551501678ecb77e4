"""An agent that searches: in the place of a real one, with its image, its home and its environment."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gitgoodbench.agents.base import AgentSettings
from gitgoodbench.agents.cli.contract import CliAgent, CliOptions, Invocation, Task
from gitgoodbench.models.meter import Budget
from gitgoodbench.models.options import ModelOptions
from gitgoodbench.plugins import AGENTS, plugins
from gitgoodbench.sandbox.base import SandboxProvider, equip
from gitgoodbench.scenario import EpisodeOptions, RepositoryStore, ToolSet, load_scenarios

_FOLDER = "/opt/search"


@dataclass(frozen=True)
class Searched:
    """files, size: how many were read, and their bytes. found: what was found, and where."""

    files: int
    size: int
    found: Mapping[str, list[str]]


def search_as(
    agent: str, scenario: str, sample: Any, store: RepositoryStore, provider: SandboxProvider, folder: Path,
    wanted: Iterable[bytes], roots: Iterable[str], config: Path | None = None,
) -> Searched:  # fmt: skip
    """Search an episode's sandbox from where the agent stands. folder: empty; what is wanted is put there."""
    folder.chmod(0o755)
    shutil.copy(Path(__file__).with_name("search.py"), folder)
    (folder / "wanted").write_bytes(b"\n".join(word[::-1] for word in wanted))
    real: CliAgent = plugins(AGENTS)[agent].object

    class Searching(type(real)):  # type: ignore[misc]
        def invocation(self, task: Task) -> Invocation:
            own: Invocation = super().invocation(task)
            return replace(own, argv=["python3", "-I", f"{_FOLDER}/search.py", *roots], stdin=b"")

        def mounts(self, options: CliOptions) -> Mapping[str, Path]:  # noqa: ARG002
            return {_FOLDER: folder}

    options = real.options
    assert options is not None
    chosen = (options(argv="true") if "argv" in options.model_fields else options(),)
    settings = AgentSettings(ModelOptions("scripted", base_url="http://127.0.0.1:9/v1"), chosen, config)
    player = Searching().make(settings)
    with equip(provider, player.needs).open(run_id="tests", episode_id="search") as sandbox:
        episode = load_scenarios()[scenario].prepare(sample, store, sandbox, EpisodeOptions(ToolSet.OWN))
        trajectory = player.run(episode, Budget())
    said = json.loads(trajectory.logs["stdout.txt"])
    return Searched(said["files"], said["bytes"], said["found"])
