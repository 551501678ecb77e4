"""What a model must be shown for each episode, for whoever asks it elsewhere. Nothing of the answer is in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gitgoodbench.errors import EpisodeError
from gitgoodbench.runs.plan import PlannedEpisode
from gitgoodbench.scenario import EpisodeOptions, PreviewingScenario, RepositoryStore, Scenario


def prompt_rows(
    planned: Sequence[PlannedEpisode],
    scenarios: Mapping[str, Scenario],
    store: RepositoryStore,
    options: EpisodeOptions,
) -> Iterator[dict[str, Any] | EpisodeError]:
    """A row for each episode; for one that cannot be set up, why.

    Args:
        scenarios: those that are installed.
    """
    for episode in planned:
        scenario, sample = scenarios[episode.scenario], episode.sample
        if not isinstance(scenario, PreviewingScenario):
            yield EpisodeError(f"{episode.id}: the scenario {episode.scenario} tells nothing before it is played")
            continue
        try:
            preview = scenario.preview(sample, store, options)
        except EpisodeError as problem:
            yield type(problem)(f"{episode.id}: {problem}")
            continue
        yield {
            "sample_id": sample.id,
            "scenario": episode.scenario,
            "repository": sample.name,
            "language": sample.programming_language,
            "difficulty": sample.difficulty,
            "tool_set": options.tool_set.value,
            "messages": [dict(message) for message in preview.prompt],
            "tools": [dict(tool) for tool in preview.tools],
        }
