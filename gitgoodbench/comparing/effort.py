"""Cost, tokens and time of the same episodes in two runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from gitgoodbench.comparing.bootstrap import Floats, ratio_interval
from gitgoodbench.comparing.matching import Episode, Matched, PlayedRun
from gitgoodbench.comparing.records import Effort
from gitgoodbench.runs.costs import costs_of
from gitgoodbench.runs.result import Result


def _cost(run: PlayedRun, result: Result) -> float | None:
    cost, unknown = costs_of([result], run.account)
    return None if unknown else cost


def _tokens(_: PlayedRun, result: Result) -> float | None:
    prompt, completion = result.usage.prompt_tokens, result.usage.completion_tokens
    return None if prompt is None or completion is None else float(prompt + completion)


def _seconds(_: PlayedRun, result: Result) -> float | None:
    return result.timings.total_s


MEASURES: Final[Mapping[str, Callable[[PlayedRun, Result], float | None]]] = {
    "cost_usd": _cost,
    "tokens": _tokens,
    "seconds": _seconds,
}


def efforts(matched: Matched, scenario: str | None, episodes: Sequence[Episode]) -> Iterator[Effort]:
    """One for each measure that any of the episodes has in both runs, and that is not 0 in all of them."""
    answered = [one for one in episodes if one.a.status.is_answer and one.b.status.is_answer]
    for name, value_of in MEASURES.items():
        taken: dict[str, list[float]] = {}
        known = 0
        for one in answered:
            a, b = value_of(matched.a, one.a), value_of(matched.b, one.b)
            if a is not None and b is not None:
                known += 1
                entry = taken.setdefault(one.sample, [0.0, 0.0, 0.0])
                entry[0], entry[1], entry[2] = entry[0] + a, entry[1] + b, entry[2] + 1
        clusters = np.array(list(taken.values())).reshape(-1, 3).T
        if clusters[:2].any():
            yield _effort(matched, scenario, name, len(answered) - known, clusters)


def _effort(matched: Matched, scenario: str | None, measure: str, unknown: int, clusters: Floats) -> Effort:
    of_a, of_b, counts = clusters
    total_a, total_b = float(of_a.sum()), float(of_b.sum())
    return Effort(
        matched.a.name, matched.b.name, scenario, measure, n=int(counts.sum()), unknown=unknown,
        total_a=total_a, total_b=total_b, difference=(total_a - total_b) / float(counts.sum()),
        interval=ratio_interval(of_a - of_b, counts),
        ratio=total_a / total_b if total_b else None,
        ratio_interval=ratio_interval(of_a, of_b) if total_b else None,
    )  # fmt: skip
