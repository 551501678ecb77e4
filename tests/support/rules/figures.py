"""What a run of a command-line agent took, and the table of several."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from gitgoodbench import Run
from gitgoodbench.runs.account import AGENT
from gitgoodbench.runs.paths import RunPaths


@dataclass(frozen=True)
class Figures:
    """Sums over the episodes of a run. seconds: of the agents alone. memory: the most bytes of one container.

    trajectory: bytes of all files in which the conversations are. largest: bytes of the largest request.
    """

    agent: str
    version: str
    scenario: str
    episodes: int
    seconds: float
    requests: int
    tokens: int
    memory: int
    trajectory: int
    largest: int

    @classmethod
    def of(cls, run: Run, version: str, memory: int, largest: int) -> Self:
        spent = run.summary.account.total(role=AGENT)
        files = [RunPaths(run.folder).episode(*result.key).trajectory for result in run.results]
        return cls(
            agent=run.manifest.agent["name"] or "",
            version=version,
            scenario=run.results[0].scenario,
            episodes=len(run.results),
            seconds=sum(result.timings.agent_s or 0.0 for result in run.results),
            requests=spent.requests,
            tokens=spent.prompt_tokens + spent.completion_tokens,
            memory=memory,
            trajectory=sum(file.stat().st_size for file in files),
            largest=largest,
        )

    @classmethod
    def read(cls, folder: Path, agent: str) -> list[Self]:
        """What was kept of an agent's runs."""
        return [cls(**json.loads(file.read_text())) for file in sorted(folder.glob(f"figures/{agent}.*.json"))]

    def keep(self, folder: Path) -> None:
        """Keep them; of a run that went on, the memory of both parts counts."""
        file = folder / "figures" / f"{self.agent}.{self.scenario}.json"
        file.parent.mkdir(exist_ok=True)
        before = json.loads(file.read_text())["memory"] if file.exists() else 0
        file.write_text(json.dumps({**asdict(self), "memory": max(before, self.memory)}))


def table(runs: Sequence[Figures]) -> list[str]:
    """Lines of a Markdown table, one for each agent."""
    if not runs:
        return []
    head = ("agent", "version", "episodes", "s/episode", "requests/episode", "tokens", "peak MB", "kB trajectory",
            "kB largest request")  # fmt: skip
    rows = [head, tuple("---" for _ in head)]
    for agent in dict.fromkeys(figures.agent for figures in runs):
        own = [figures for figures in runs if figures.agent == agent]
        episodes = sum(figures.episodes for figures in own)
        rows.append(
            (
                agent,
                own[0].version,
                str(episodes),
                f"{sum(figures.seconds for figures in own) / episodes:.1f}",
                f"{sum(figures.requests for figures in own) / episodes:.1f}",
                f"{sum(figures.tokens for figures in own):,}",
                f"{max(figures.memory for figures in own) / 1e6:.0f}",
                f"{sum(figures.trajectory for figures in own) / episodes / 1e3:.0f}",
                f"{max(figures.largest for figures in own) / 1e3:.0f}",
            )
        )
    return [f"| {' | '.join(row)} |" for row in rows]
