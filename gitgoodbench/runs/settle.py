"""The one place that scores an outcome, has it judged, and settles the episode: of new runs and of old ones alike.

What it gives depends only on what is saved: the outcome, what judges said before, the sample and its repository.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import AgentFailed
from gitgoodbench.runs.bookkeeping import EpisodeBooks
from gitgoodbench.runs.judging import judge_outcome
from gitgoodbench.runs.paths import EpisodePaths
from gitgoodbench.runs.result import FORMAT, OutcomeRecord, Result, Timings
from gitgoodbench.runs.verdicts import Settlement, problem_of, settle_judged, settle_unjudged
from gitgoodbench.scenario import JudgedScenario, Outcome, Scenario, ToolSet, Verdict
from gitgoodbench.scoring.judge.panel import Panel
from gitgoodbench.scoring.judge.record import JudgeRecord
from gitgoodbench.workspace.store import RepositoryStore


class Rejudge(StrEnum):
    """What becomes of the judges' word.

    KEEP: it stays as it is. DROP: it goes, and solved is unknown. ALL: every episode is judged again. OPEN: those that
    no judge has settled yet are.
    """

    KEEP = "keep"
    DROP = "drop"
    ALL = "all"
    OPEN = "open"

    def asks(self, before: JudgeRecord | None) -> bool:
        """Whether judges are asked about an episode of which they have said `before`."""
        settled = before is not None and before.verdict is not None
        return self is Rejudge.ALL or (self is Rejudge.OPEN and not settled)


@dataclass(frozen=True)
class Settling:
    """How outcomes are scored and judged. tools: what the agent had. panel: the judges; None for none.

    rejudge: what becomes of what judges said before. rules: what scores, as `Result.scored_by` has it.
    books: of the run; None: nobody keeps what judges say and cost.
    """

    store: RepositoryStore
    tools: ToolSet
    panel: Panel | None = None
    rejudge: Rejudge = Rejudge.OPEN
    rules: Mapping[str, str] = field(default_factory=dict)
    books: EpisodeBooks | None = None


def settle(
    result: Result,
    outcome: Outcome,
    sample: Sample,
    scenario: Scenario,
    settling: Settling,
    files: EpisodePaths | None = None,
) -> Result:
    """Score and judge an outcome, and settle its episode.

    Args:
        result: the episode as it is saved: not scored yet, or scored before.
        files: its folder, in which what judges are asked is kept; None: nowhere. Saving the result is the caller's.

    Raises:
        EpisodeError: the repository cannot be had or read.
        OSError: the files cannot be written.
        RunAborted: no episode can be judged.
    """
    record = result.outcome
    assert record is not None
    clock = _Clock(result.timings)
    verdict = scenario.score(sample, settling.store, outcome)
    clock.lap("scoring_s")
    if not isinstance(scenario, JudgedScenario):
        return _settled(result, settle_unjudged(record, verdict, settling.tools), settling, clock)
    judge = None if settling.rejudge is Rejudge.DROP else result.judge
    if _is_judged(record, verdict, judge, settling):
        assert settling.panel is not None
        try:
            judge = judge_outcome(
                "/".join(map(str, result.key)), sample, scenario, settling.store, outcome, settling.panel,
                files=files, before=result.judge, books=settling.books,
            )  # fmt: skip
        except AgentFailed as problem:  # its history exceeds a limit
            verdict = replace(verdict, problem=str(problem), limit=str(problem))
        clock.lap("judge_s")
    return _settled(result, settle_judged(record, verdict, settling.tools, judge), settling, clock)


def _is_judged(record: OutcomeRecord, verdict: Verdict, judge: JudgeRecord | None, settling: Settling) -> bool:
    return settling.panel is not None and settling.rejudge.asks(judge) and problem_of(record, verdict) is None


class _Clock:
    """The seconds of an episode, with those of scoring and judging in place of earlier ones."""

    def __init__(self, before: Timings) -> None:
        self._seconds = before.model_dump()
        self._last = time.perf_counter()

    def lap(self, part: str) -> None:
        now = time.perf_counter()
        seconds, before, total = round(now - self._last, 6), self._seconds[part], self._seconds["total_s"]
        self._seconds[part], self._last = seconds, now
        if total is not None:
            self._seconds["total_s"] = round(total - (before or 0.0) + seconds, 6)

    @property
    def timings(self) -> Timings:
        return Timings(**self._seconds)


def _settled(result: Result, settlement: Settlement, settling: Settling, clock: _Clock) -> Result:
    update = {
        **settlement.fields(),
        "format": FORMAT,
        "scored_by": dict(settling.rules),
        "facts": {**result.facts, **settlement.facts},
        "timings": clock.timings,
    }
    return result.model_copy(update=update)
