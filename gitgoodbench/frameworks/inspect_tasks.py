"""Our scenarios as tasks of Inspect AI: `inspect eval gitgoodbench/mcr -T suite=lite`. See docs/inspect.md.

Every installed scenario type is a task of its name, those of further packages, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gitgoodbench.extras import needed
from gitgoodbench.frameworks import inspect_sandbox
from gitgoodbench.frameworks.inspect_episodes import BenchArguments, close_episode, episode_tools, open_episode
from gitgoodbench.frameworks.inspect_scoring import git_outcome, known
from gitgoodbench.frameworks.inspect_solvers import published_loop, react_loop
from gitgoodbench.models.meter import Budget
from gitgoodbench.scenario import JudgedScenario, load_scenarios
from gitgoodbench.scoring.judge.options import DEFAULT_LIMIT, DEFAULT_MAX_TOKENS

with needed("inspect", "inspect_ai"):
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample

__all__ = ["close_episode", "episode_tools", "git_outcome", "known", "open_episode", "published_loop", "react_loop"]

_BUDGET: Final = Budget()


def _plain(scenario: str) -> Callable[..., Task]:
    @task(name=scenario)
    def make(
        suite: str = "mini",
        tools: str = "published",
        sandbox: str = "auto",
        repos: str | None = None,
        offline: bool = False,
        history: int | None = None,
    ) -> Task:
        fields: dict[str, Any] = {"suite": suite, "tools": tools, "sandbox": sandbox, "repos": repos}
        return _task(scenario, **fields, offline=offline, history=history)

    return make


def _judged(scenario: str) -> Callable[..., Task]:
    @task(name=scenario)
    def make(
        suite: str = "mini",
        tools: str = "published",
        sandbox: str = "auto",
        repos: str | None = None,
        offline: bool = False,
        history: int | None = None,
        judge_repeats: int = 1,
        judge_limit: int = DEFAULT_LIMIT,
        judge_max_tokens: int = DEFAULT_MAX_TOKENS,
    ) -> Task:
        fields: dict[str, Any] = {"suite": suite, "tools": tools, "sandbox": sandbox, "repos": repos}
        judge = {"repeats": judge_repeats, "limit": judge_limit, "max_tokens": judge_max_tokens}
        return _task(scenario, judge, **fields, offline=offline, history=history)

    return make


def _task(scenario: str, judge: dict[str, int] | None = None, **fields: Any) -> Task:
    given = BenchArguments(scenario=scenario, **fields)
    arguments = given.model_dump()
    samples = [
        Sample(
            id=each.sample.id,
            input=each.id,
            metadata={
                "task": each.id,
                "repository": each.sample.name,
                "language": each.sample.programming_language,
                "difficulty": each.sample.difficulty,
                "bench": arguments,
                "judge": judge,
            },
        )
        for each in given.bench().tasks
    ]
    return Task(
        dataset=MemoryDataset(samples, name=f"{given.suite}-{scenario}"),
        setup=open_episode(),
        solver=published_loop(),
        scorer=git_outcome(),
        cleanup=close_episode,
        sandbox=inspect_sandbox.NAME if given.tools == "shell" else None,
        turn_limit=_BUDGET.max_turns,
        time_limit=None if _BUDGET.timeout_s is None else int(_BUDGET.timeout_s),
        version=1,
    )


for _name, _scenario in load_scenarios().items():
    globals()[_name] = (_judged if isinstance(_scenario, JudgedScenario) else _plain)(_name)
