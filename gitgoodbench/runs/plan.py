"""What a run will do: every sample under every scenario that applies to it, once per epoch, in a fixed order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import UserError
from gitgoodbench.runs.order import Order
from gitgoodbench.runs.paths import EpisodePaths, RunPaths
from gitgoodbench.runs.result import Result, read_result
from gitgoodbench.scenario import Scenario


@dataclass(frozen=True)
class PlannedEpisode:
    """One attempt: a sample, a scenario's name, and the epoch, counted from 1."""

    sample: Sample
    scenario: str
    epoch: int

    @property
    def key(self) -> tuple[str, str, int]:
        return self.scenario, self.sample.id, self.epoch

    @property
    def id(self) -> str:
        """`mcr/owner_name_merge_0001/1`: unique in a run."""
        return f"{self.scenario}/{self.sample.id}/{self.epoch}"

    def paths(self, run: RunPaths) -> EpisodePaths:
        return run.episode(*self.key)


def plan_episodes(
    samples: Sequence[Sample], scenarios: Mapping[str, Scenario], epochs: int, order: Order = Order.SAMPLE
) -> tuple[PlannedEpisode, ...]:
    """Samples in the order given, scenarios by name.

    Raises:
        UserError: two samples share an id.
    """
    repeated = [name for name, count in Counter(sample.id for sample in samples).items() if count > 1]
    if repeated:
        raise UserError(f"sample id {repeated[0]} occurs more than once in the suite; ids must be unique")
    once = [(sample, name) for sample in samples for name in sorted(scenarios) if scenarios[name].applies_to(sample)]
    numbers = range(1, epochs + 1)
    if order is Order.SUITE:
        return tuple(PlannedEpisode(*attempt, epoch) for epoch in numbers for attempt in once)
    return tuple(PlannedEpisode(*attempt, epoch) for attempt in once for epoch in numbers)


def side_by_side(plans: Sequence[Sequence[PlannedEpisode]]) -> list[tuple[int, PlannedEpisode]]:
    """The episodes of several plans, each with the number of its plan: those of one sample next to each other.

    Samples come as the plans first have them; of a sample, each scenario's, and of these each epoch's, of all plans.
    """
    both = [(number, episode) for number, plan in enumerate(plans) for episode in plan]
    position = {name: place for place, name in enumerate(dict.fromkeys(episode.sample.id for _, episode in both))}
    return sorted(both, key=lambda one: (position[one[1].sample.id], one[1].scenario, one[1].epoch))


def in_suite_order(planned: Sequence[PlannedEpisode]) -> list[PlannedEpisode]:
    """The episodes of a plan as `Order.SUITE` has them, whatever its order."""
    attempts = dict.fromkeys((episode.sample.id, episode.scenario) for episode in planned)
    position = {attempt: number for number, attempt in enumerate(attempts)}
    return sorted(planned, key=lambda episode: (episode.epoch, position[episode.sample.id, episode.scenario]))


def finished_result(planned: PlannedEpisode, run: RunPaths) -> Result | None:
    """The result that a run keeps of this episode: whole, valid, its own, and no failure of infrastructure."""
    result = read_result(planned.paths(run).result)
    return result if result is not None and result.key == planned.key and result.status.is_final else None
