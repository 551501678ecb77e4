"""What a judge leaves in result.json: everything that was asked and answered, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from gitgoodbench.models.meter import Usage
from gitgoodbench.scoring.judge.votes import Order, Preference, Vote

NOTHING_USED: Final = Usage(0, 0, 0, 0, 0.0)


class State(StrEnum):
    """How far the judging of an episode got.

    judged: asked, and the verdict stands. identical: both histories are the same, a tie without asking. nothing: the
    agent left no history, a loss without asking. unreadable: an answer that counts could not be read. failed: the
    judge's server failed. pending: not asked yet.
    """

    JUDGED = "judged"
    IDENTICAL = "identical"
    NOTHING = "nothing"
    UNREADABLE = "unreadable"
    FAILED = "failed"
    PENDING = "pending"


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class RawAnswer(_Record):
    """An answer as it came. problem: why it could not be read; None where it could."""

    text: str
    finish_reason: str
    problem: str | None = None


class QuestionRecord(_Record):
    """One order, asked once (and once more where the first answer was unreadable). No answers: its server failed."""

    order: Order
    repeat: int
    answers: tuple[RawAnswer, ...] = ()
    preferred: Preference | None = None
    reason: str = ""
    vote: Vote | None = None


class OpinionRecord(_Record):
    """One judge. agent_first, real_first: the majority over the repeats of that order.

    verdict: what both orders together say; consistent: whether both orders say the same. None is unknown.
    failed: the judge's server failed.
    """

    model: str
    verdict: Vote | None = None
    agent_first: Vote | None = None
    real_first: Vote | None = None
    consistent: bool | None = None
    questions: tuple[QuestionRecord, ...] = ()
    usage: Usage = Usage()
    notes: tuple[str, ...] = ()
    problem: str | None = None
    failed: bool = False


class CutRecord(_Record):
    """See `cutting.Cut`: what there is and what is shown, of either side."""

    limit: int
    agent: tuple[int, int]
    real: tuple[int, int]


class JudgeRecord(_Record):
    """One episode. verdict: by majority of the judges, None where it could not be settled; problem says why, or why
    an older verdict was not replaced.

    prompt: hash of the instructions. prompts: hash of both prompts. marker: the boundary of the histories
    in the prompts. former: answers to the same prompts by judges that are not asked now; they do not count, and are
    there to be used again.
    """

    state: State
    verdict: Vote | None = None
    problem: str | None = None
    repeats: int = 1
    prompt: str | None = None
    prompts: str | None = None
    marker: str | None = None
    cut: CutRecord | None = None
    judges: tuple[OpinionRecord, ...] = ()
    former: tuple[OpinionRecord, ...] = ()
    usage: Usage = NOTHING_USED


def total_usage(parts: Sequence[Usage]) -> Usage:
    """The sum; what is unknown in one part is unknown in the sum."""
    asked = [part for part in parts if part.requests]
    if not asked:
        return NOTHING_USED
    cost = [part.cost_usd for part in asked]
    return Usage(
        requests=sum(part.requests for part in asked),
        prompt_tokens=_sum([part.prompt_tokens for part in asked]),
        cached_tokens=_sum([part.cached_tokens for part in asked]),
        completion_tokens=_sum([part.completion_tokens for part in asked]),
        cost_usd=None if None in cost else sum(value for value in cost if value is not None),
    )


def _sum(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
