"""What a comparison of runs says: what `gitgoodbench compare --format json` prints and the schema `compare` is made of.

Unknown is None, never 0. Every difference is A less B. Rates and scores are in [0, 1], costs in US dollars.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    import pandas as pd

FORMAT: Final = 1

SOLVED: Final = "solved"
ALL_GATES: Final = "all_gates"
VERDICTS: Final = (SOLVED, ALL_GATES)
"""What is met or not; all other scores are numbers."""

Interval = tuple[float, float]
"""Low and high end, at 95 %."""


@dataclass(frozen=True)
class ComparedRun:
    """name: what `a`, `b` and `values` say: the id of the run, or its folder where ids are alike. results: as many as
    there are, of `planned` episodes.
    """

    name: str
    run_id: str
    folder: str
    agent: str
    model: str | None
    suite: str
    planned: int
    results: int

    @property
    def label(self) -> str:
        """Agent and model."""
        return self.agent if self.model is None else f"{self.agent} ({self.model})"


@dataclass(frozen=True)
class Disagreement:
    """Something that is not the same in all runs. values: by run.

    bears_on: `subject`: agents and models, which are what is compared; `comparison`: it makes figures incomparable;
    `matching`: which episodes there are, of which only those that both runs have are compared; `seconds`: times only.
    """

    what: str
    bears_on: Literal["subject", "comparison", "matching", "seconds"]
    values: Mapping[str, str]


@dataclass(frozen=True)
class Matching:
    """How many episodes two runs have in common, by sample, scenario and epoch; None: of all scenarios."""

    a: str
    b: str
    scenario: str
    matched: int
    only_in_a: int
    only_in_b: int


@dataclass(frozen=True)
class Stratum:
    """Some of the figures of a part of the episodes, such as those of one difficulty."""

    dimension: str
    value: str
    n: int
    samples: int
    mean_a: float
    mean_b: float
    only_a: int
    only_b: int
    difference: float
    interval: Interval | None


@dataclass(frozen=True)
class Pair:
    """Two runs by one score: `solved`, `all_gates`, or a graded score by its name.

    scenario: None for all together. n: episodes where both have a value; left_out: reason -> matched episodes where one
    has none. samples, repositories: different ones among the n. mean_a, mean_b: rates, or means of the score.
    only_a, only_b, both, neither: episodes by who met it; None for graded scores.
    interval: of the difference; samples are drawn, with all their epochs. interval_by_repository: repositories are.
    interval_by: `bootstrap`, or `score` (Tango 1998) where nearly all samples have the same difference.
    p_mcnemar: exact; p_wilcoxon: of graded scores; p_holm: the one or the other, adjusted for the number of pairs of
    runs.
    needed_samples: how many show this difference in 80 % of all runs; more_samples: less those that there are.
    detectable: the difference that those that there are would show. strata: of verdicts alone.
    """

    a: str
    b: str
    scenario: str | None
    score: str
    n: int
    samples: int
    repositories: int
    mean_a: float | None
    mean_b: float | None
    only_a: int | None
    only_b: int | None
    both: int | None
    neither: int | None
    difference: float | None
    interval: Interval | None
    interval_by: Literal["bootstrap", "score"] | None
    interval_by_repository: Interval | None
    p_mcnemar: float | None
    p_wilcoxon: float | None
    p_holm: float | None
    needed_samples: int | None
    more_samples: int | None
    detectable: float | None
    left_out: Mapping[str, int]
    strata: tuple[Stratum, ...]

    @property
    def p(self) -> float | None:
        """Of the test that is for this score."""
        return self.p_mcnemar if self.score in VERDICTS else self.p_wilcoxon


@dataclass(frozen=True)
class Flip:
    """An episode that only one of two runs solved. show_a, show_b: commands that explain it."""

    a: str
    b: str
    scenario: str
    sample_id: str
    epoch: int
    solved_by: Literal["a", "b"]
    repository: str
    difficulty: str
    language: str
    show_a: str
    show_b: str

    @property
    def episode(self) -> str:
        """As `gitgoodbench show` takes it."""
        return f"{self.scenario}/{self.sample_id}/{self.epoch}"


@dataclass(frozen=True)
class Effort:
    """What the same episodes took, of those that ended with an answer in both runs.

    measure: `cost_usd` (all attempts), `tokens` (prompt and completion), `seconds` (whole episodes). n: episodes where
    both are known; unknown: the others. ratio: total of A over total of B.
    """

    a: str
    b: str
    scenario: str | None
    measure: str
    n: int
    unknown: int
    total_a: float
    total_b: float
    difference: float
    interval: Interval | None
    ratio: float | None
    ratio_interval: Interval | None


@dataclass(frozen=True)
class Comparison:
    """Several runs, compared pair by pair. unmatched: pairs of runs without a common episode."""

    format: int
    runs: tuple[ComparedRun, ...]
    against: str | None
    seed: int
    resamples: int
    disagreements: tuple[Disagreement, ...]
    unmatched: tuple[tuple[str, str], ...]
    matching: tuple[Matching, ...]
    pairs: tuple[Pair, ...]
    flips: tuple[Flip, ...]
    efforts: tuple[Effort, ...]

    @property
    def warnings(self) -> tuple[Disagreement, ...]:
        """What differs beyond the agents and models that are compared."""
        return tuple(found for found in self.disagreements if found.bears_on != "subject")

    def frame(self) -> pd.DataFrame:
        """The pairs as a pandas table, one row each, without their strata; the ends of intervals are columns."""
        import pandas as pd

        return pd.DataFrame([_row(pair) for pair in self.pairs]).convert_dtypes()


def _row(pair: Pair) -> dict[str, object]:
    row: dict[str, object] = {name: value for name, value in vars(pair).items() if name not in ("strata", "left_out")}
    for name, interval in (("interval", pair.interval), ("interval_by_repository", pair.interval_by_repository)):
        del row[name]
        row[f"{name}_low"], row[f"{name}_high"] = interval or (None, None)
    return row | {"left_out": sum(pair.left_out.values())}
