"""What judges said over a run, how steady they were, and how far they agree.

Intervals take all that was said about one sample as a cluster: its epochs, and where answers are counted, its judges
and questions (scoring/statistics.py).
"""

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
from gitgoodbench.scoring.statistics import Proportion, proportion_of

Judged = tuple[str, JudgeRecord]
"""Id of a sample, and what was said about one of its episodes."""

Opinion = tuple[str, OpinionRecord]


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
    """The judging of some results of a run. total: by the majority of the judges; by_judge: each judge by itself.

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
    judged = [(result.sample_id, result.judge) for result in results if result.judge is not None]
    if not judged:
        return None
    records = [record for _, record in judged]
    opinions = [(sample, opinion) for sample, record in judged for opinion in record.judges]
    models = list(dict.fromkeys(opinion.model for _, opinion in opinions))
    evaluated = {result.model for result in results if result.model is not None}
    states = Counter(record.state for record in records)
    return Judging(
        total=_verdicts([(sample, record.verdict) for sample, record in judged], opinions),
        by_judge={model: _of_judge([o for o in opinions if o[1].model == model]) for model in models},
        identical=states[State.IDENTICAL],
        nothing=states[State.NOTHING],
        unsettled=states[State.UNREADABLE] + states[State.FAILED] + states[State.PENDING],
        cut=sum(record.cut is not None for record in records),
        agreement=_agreement(judged),
        own_work=tuple(model for model in models if any(same_model(model, other) for other in evaluated)),
    )


def _of_judge(opinions: Sequence[Opinion]) -> Verdicts:
    return _verdicts([(sample, opinion.verdict) for sample, opinion in opinions], opinions)


def _verdicts(verdicts: Sequence[tuple[str, Vote | None]], opinions: Sequence[Opinion]) -> Verdicts:
    settled = [(sample, verdict) for sample, verdict in verdicts if verdict is not None]
    preferred = [(sample, question.preferred) for sample, opinion in opinions for question in opinion.questions]
    wins, ties, losses = (
        proportion_of((sample, verdict is side) for sample, verdict in settled)
        for side in (Vote.WIN, Vote.TIE, Vote.LOSS)
    )
    return Verdicts(
        wins,
        ties,
        losses,
        consistent=proportion_of(
            (sample, opinion.consistent) for sample, opinion in opinions if opinion.consistent is not None
        ),
        first=proportion_of(
            (sample, side is Preference.FIRST)
            for sample, side in preferred
            if side in (Preference.FIRST, Preference.SECOND)
        ),
        usage=total_usage([opinion.usage for _, opinion in opinions]),
    )


def _agreement(judged: Sequence[Judged]) -> Agreement | None:
    """Over the episodes of the panel that judged most of them: after `score --unscored` there may be several."""
    panels = Counter(panel for _, record in judged if len(panel := _panel(record)) > 1)
    if not panels:
        return None
    ((panel, _),) = panels.most_common(1)
    ratings = [
        (sample, [opinion.verdict.value for opinion in record.judges if opinion.verdict is not None])
        for sample, record in judged
        if _panel(record) == panel
    ]
    settled = [(sample, rating) for sample, rating in ratings if len(rating) == len(panel)]
    return agreement([rating for _, rating in settled], clusters=[sample for sample, _ in settled])


def _panel(record: JudgeRecord) -> tuple[str, ...]:
    return tuple(opinion.model for opinion in record.judges)
