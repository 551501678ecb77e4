"""What a run would do, for `--dry-run`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console

from gitgoodbench.dataset.loaders import Suite
from gitgoodbench.runs.plan import PlannedEpisode

_ORDER = {"easy": 0, "medium": 1, "hard": 2}


def print_plan(console: Console, suite: Suite, planned: Mapping[str, Sequence[PlannedEpisode]]) -> None:
    """Counts by scenario, language and difficulty. planned: what each agent does, by its name."""

    def say(text: str) -> None:
        console.print(text, markup=False, soft_wrap=True)

    revision = f" at {suite.revision}" if suite.revision else ""
    say(f"suite {suite.spec}: {len(suite.samples)} samples from {suite.source}{revision}")
    if suite.invalid:
        say(f"left out: {len(suite.invalid)} invalid rows")
    groups: dict[tuple[str, ...], list[str]] = {}
    for agent, episodes in planned.items():
        groups.setdefault(tuple(episode.id for episode in episodes), []).append(agent)
    for agents in groups.values():
        episodes = planned[agents[0]]
        samples = {episode.sample.id for episode in episodes}
        say(f"planned: {len(episodes)} episodes over {len(samples)} samples, for each of {', '.join(agents)}")
        for line in _counts(episodes):
            say(line)


def _counts(planned: Sequence[PlannedEpisode]) -> Iterator[str]:
    for name, counts in (
        ("scenario", Counter(episode.scenario for episode in planned)),
        ("language", Counter(episode.sample.programming_language for episode in planned)),
        ("difficulty", Counter(episode.sample.difficulty for episode in planned)),
        ("epoch", Counter(str(episode.epoch) for episode in planned)),
    ):
        ordered = sorted(counts.items(), key=lambda item: (_ORDER.get(item[0], 9), item[0]))
        yield f"  {name}: {', '.join(f'{value} {count}' for value, count in ordered)}"
