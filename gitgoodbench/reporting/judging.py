"""What judges said over a run, how steady they were, and how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gitgoodbench.models.meter import Usage
from gitgoodbench.runs.judging import same_model
from gitgoodbench.runs.result import Result
from gitgoodbench.scoring.agreement import Agreement, agreement
from gitgoodbench.scoring.judge.record import JudgeRecord, OpinionRecord, State, total_usage
from gitgoodbench.scoring.judge.votes import Preference, Vote
from gitgoodbench.scoring.statistics import Proportion


@dataclass(frozen=True)
class Verdicts:
    """wins, ties, losses: of the episodes that were settled. A win is a win in both orders, and so is a loss.

    consistent: episodes that both orders settled alike, of those where both were read. first: answers that prefer the
    history shown first, of those that prefer one. usage: what the asking took.
    """

    wins: Proportion
    ties: Proportion
    losses: Proportion
    consistent: Proportion
    first: Proportion
    usage: Usage


@dataclass(frozen=True)
class Judging:
    """A run's judging. total: by the majority of the judges; by_judge: each judge by itself.

    identical, nothing: settled without asking, a tie and a loss. unsettled: unreadable, failed or not asked yet. cut:
    histories too long to be shown whole. agreement: None with fewer than two judges; over the episodes that all of
    them settled. own_work: judges that are the evaluated model.
    """

    total: Verdicts
    by_judge: Mapping[str, Verdicts]
    identical: int
    nothing: int
    unsettled: int
    cut: int
    agreement: Agreement | None
    own_work: tuple[str, ...]


def summarize_judging(results: Sequence[Result]) -> Judging | None:
    """The figures of all results with a judge; None without any."""
    records = [result.judge for result in results if result.judge is not None]
    if not records:
        return None
    opinions = [opinion for record in records for opinion in record.judges]
    models = list(dict.fromkeys(opinion.model for opinion in opinions))
    evaluated = {result.model for result in results if result.model is not None}
    states = Counter(record.state for record in records)
    return Judging(
        total=_verdicts([record.verdict for record in records], opinions),
        by_judge={model: _of_judge([o for o in opinions if o.model == model]) for model in models},
        identical=states[State.IDENTICAL],
        nothing=states[State.NOTHING],
        unsettled=states[State.UNREADABLE] + states[State.FAILED] + states[State.PENDING],
        cut=sum(record.cut is not None for record in records),
        agreement=_agreement(records),
        own_work=tuple(model for model in models if any(same_model(model, other) for other in evaluated)),
    )


def _of_judge(opinions: Sequence[OpinionRecord]) -> Verdicts:
    return _verdicts([opinion.verdict for opinion in opinions], opinions)


def _verdicts(verdicts: Sequence[Vote | None], opinions: Sequence[OpinionRecord]) -> Verdicts:
    settled = [verdict for verdict in verdicts if verdict is not None]
    wins, ties, losses = (Proportion(settled.count(side), len(settled)) for side in (Vote.WIN, Vote.TIE, Vote.LOSS))
    both_read = [opinion.consistent for opinion in opinions if opinion.consistent is not None]
    preferred = Counter(question.preferred for opinion in opinions for question in opinion.questions)
    first = preferred[Preference.FIRST]
    return Verdicts(
        wins,
        ties,
        losses,
        consistent=Proportion(sum(both_read), len(both_read)),
        first=Proportion(first, first + preferred[Preference.SECOND]),
        usage=total_usage([opinion.usage for opinion in opinions]),
    )


def _agreement(records: Sequence[JudgeRecord]) -> Agreement | None:
    """Over the episodes of the panel that judged most of them: after `score --unscored` there may be several."""
    panels = Counter(panel for record in records if len(panel := _panel(record)) > 1)
    if not panels:
        return None
    ((panel, _),) = panels.most_common(1)
    ratings = [
        [opinion.verdict.value for opinion in record.judges if opinion.verdict is not None]
        for record in records
        if _panel(record) == panel
    ]
    return agreement([rating for rating in ratings if len(rating) == len(panel)])


def _panel(record: JudgeRecord) -> tuple[str, ...]:
    return tuple(opinion.model for opinion in record.judges)
