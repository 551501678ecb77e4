"""Environments for TRL's `environment_factory`: a class per scenario, whose methods are the tools (docs/rl.md).

TRL lists the tools on the class before any episode, and takes every method without an underscore for one; so an
environment has `reset` and `get_reward`, which TRL knows, and the tools alone. TRL need not be installed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, cast

from gitgoodbench.api.bench import Bench
from gitgoodbench.api.scored import Scored
from gitgoodbench.api.tools import SessionTools, ToolSetName, tool_class
from gitgoodbench.errors import UserError
from gitgoodbench.frameworks.settings import BenchSettings, shared_bench


class Environment(Protocol):
    """What TRL wants of an environment, beside the tools."""

    def reset(self, **columns: Any) -> None:
        """Begin an episode of the task that the row names."""
        ...

    def get_reward(self) -> float:
        """End the episode, and say what it was worth."""
        ...


class _Episodes(SessionTools):
    """Base of the classes: it knows its bench, opens an episode at `reset`, and closes it with the reward."""

    _settings: ClassVar[BenchSettings]

    def __init__(self) -> None:
        super().__init__()
        self._task_id: str | None = None
        self._scored: Scored | None = None

    def reset(self, *, task: str | None = None, **columns: Any) -> None:
        """Begin an episode.

        Args:
            task: the id of the row's task, as `rows` writes it.
            columns: the row's others, which nothing is made of.

        Raises:
            UserError: the row names no task of the suite.
        """
        if task is None:
            named = ", ".join(sorted(columns)) or "none"
            raise UserError(f"a row needs a column `task`, the id of its task, and has: {named}")
        self._end()
        bench = shared_bench(self._settings)
        self.session = bench.open(bench.task(task))
        self._task_id, self._scored = task, None

    def get_reward(self) -> float:
        """The reward of `Bench.score`; a second time the same."""
        if self._scored is None:
            if self.session is None or self._task_id is None:
                raise UserError("there is no reward before reset")
            bench = shared_bench(self._settings)
            try:
                self._scored = bench.score(bench.task(self._task_id), self.session.finish())
            finally:
                self._end()
        return self._scored.reward

    def _end(self) -> None:
        session, self.session = self.session, None
        if session is not None:
            session.close()

    def __del__(self) -> None:
        if getattr(self, "session", None) is not None:
            self._end()


def environment(
    scenario: str,
    suite: str = "mini",
    tools: ToolSetName = "published",
    **bench: Any,
) -> type[Environment]:
    """A class for `GRPOTrainer(environment_factory=...)`.

    Args:
        bench: further arguments of `Bench`: `sandbox`, `repos`, `offline`, `history`, `max_open` (as many as a batch
            has rollouts, or more; 64 without).

    Raises:
        UserError: there is no such scenario, or the sandbox does not contain the shell that the tools have.
    """
    settings = BenchSettings(suite=suite, scenario=scenario, tools=tools, **bench)
    if tools == "shell":
        shared_bench(settings)  # a trainer would learn it from its first rollout only
    methods = tool_class(scenario, tools)
    name = f"{scenario.title().replace('-', '')}Environment"
    made = type(name, (methods, _Episodes), {"_settings": settings, "__doc__": f"Episodes of {scenario}: {suite}."})
    return cast(type[Environment], made)


def rows(kind: type[Environment]) -> Sequence[dict[str, Any]]:
    """A row for each task of an environment's suite: `prompt`, in conversational form, and `task`.

    `datasets.Dataset.from_list(rows(kind))` is a `train_dataset`.
    """
    bench: Bench = shared_bench(cast(type[_Episodes], kind)._settings)
    return [
        {"prompt": [dict(message) for message in bench.preview(task).prompt], "task": task.id} for task in bench.tasks
    ]
