"""The tasks of a suite as a taskset, and their rewards."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Literal

import verifiers.v1 as vf

from gitgoodbench.api.bench import Bench
from gitgoodbench.api.scored import Scored
from gitgoodbench.frameworks.components import EXACT_WEIGHT, GRADED_WEIGHT, Components, metrics_of
from gitgoodbench.frameworks.settings import BenchSettings, shared_bench
from gitgoodbench.frameworks.verifiers.records import EpisodeData, EpisodeState
from gitgoodbench.frameworks.verifiers.tools import EpisodeTools
from gitgoodbench.scenario import Outcome

_VERDICT = "gitgoodbench"


class EpisodeConfig(vf.TaskConfig):
    """Where the tools of a rollout run."""

    tools: vf.ToolsetConfig = vf.ToolsetConfig()


class EpisodeTask(vf.Task[EpisodeData, EpisodeState, EpisodeConfig]):
    """One task. Its rewards add up to the reward of `Bench.score`."""

    @classmethod
    def toolsets(cls, config: EpisodeConfig) -> list[vf.Toolset]:
        return [EpisodeTools(config.tools)]

    @property
    def key(self) -> str:
        return str(self.data.task_id)

    @vf.stop
    async def finished(self, trace: vf.Trace) -> bool:
        """No call can do anything any more."""
        return bool(trace.state.finished)

    async def finalize(self, trace: vf.Trace, runtime: vf.Runtime) -> None:  # noqa: ARG002
        """Score what was left; the verdict goes into the trace."""
        components, metrics = await asyncio.to_thread(_verdict, self.data, trace.state)
        trace.info[_VERDICT] = {"exact": components.exact, "graded": components.graded, "metrics": metrics}

    @vf.reward(weight=EXACT_WEIGHT)
    async def exact(self, trace: vf.Trace) -> float:
        return float(trace.info[_VERDICT]["exact"])

    @vf.reward(weight=GRADED_WEIGHT)
    async def graded(self, trace: vf.Trace) -> float:
        return float(trace.info[_VERDICT]["graded"])

    @vf.metric
    async def verdict(self, trace: vf.Trace) -> dict[str, float]:
        return dict(trace.info[_VERDICT]["metrics"])


class GitGoodBenchConfig(vf.TasksetConfig):
    """`--env.taskset.suite lite --env.taskset.scenario mcr`: arguments of `gitgoodbench.Bench`."""

    suite: str = "mini"
    scenario: str | None = None
    tools: Literal["published", "extended", "shell"] = "published"
    sandbox: str = "auto"
    repos: str | None = None
    offline: bool = False
    history: int | None = None
    task: EpisodeConfig = EpisodeConfig()

    @property
    def bench(self) -> BenchSettings:
        chosen: dict[str, Any] = {
            name: getattr(self, name) for name in BenchSettings.model_fields if name != "max_open"
        }
        return BenchSettings(**chosen)


class GitGoodBenchTaskset(vf.Taskset[EpisodeTask, GitGoodBenchConfig]):
    """Every task of a suite; prompts are read without a sandbox."""

    def load(self) -> Iterator[EpisodeTask]:
        settings = self.config.bench
        bench = shared_bench(settings)
        for task in bench.tasks:
            system, user = (str(message["content"]) for message in bench.preview(task).prompt)
            data = EpisodeData(
                id=task.id, name=task.id, prompt=user, system_prompt=system,
                task_id=task.id, scenario=task.scenario, bench=settings,
            )  # fmt: skip
            yield EpisodeTask(data, self.config.task)


def _verdict(data: EpisodeData, state: EpisodeState) -> tuple[Components, dict[str, float]]:
    bench = shared_bench(data.bench)
    outcome = _replayed(bench, data, state) if state.outcome is None else Outcome.from_json(state.outcome)
    scored: Scored = bench.score(bench.task(data.task_id), outcome)
    return Components.of(scored), metrics_of(scored)


def _replayed(bench: Bench, data: EpisodeData, state: EpisodeState) -> Outcome:
    """What a rollout that stopped with work left has left. Its sandbox is gone, but the same calls leave the same.

    With a shell they do not; there each call leaves an outcome (see `tools`).
    """
    with bench.open(bench.task(data.task_id)) as session:
        for name, arguments in state.calls:
            session.call(name, arguments)
        return session.finish()
