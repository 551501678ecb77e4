"""Files of a run that are written from plain values, as types: judges' prompts, log, summary.

The harness writes them; these types say what is in them, for the JSON schemas and for whoever reads the files.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gitgoodbench.errors import Status
from gitgoodbench.models.meter import Usage
from gitgoodbench.runs.account import Spent
from gitgoodbench.scoring.agreement import Agreement

Message = dict[str, Any]
"""A chat message as the Chat Completions API has it."""


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")


class JudgePromptsFile(_File):
    """judge-prompts.json: what judges were asked, in both orders. prompts: the hash of both."""

    prompts: str
    agent_first: list[Message]
    real_first: list[Message]


class _Event(_File):
    """run: the id of the run; only where events are streamed (`--events`)."""

    time: str
    run: str | None = None


class SessionStarted(_Event):
    event: Literal["session_started"]
    planned: int
    kept: int
    jobs: int


class SessionEnded(_Event):
    event: Literal["session_ended"]
    unfinished: int
    reason: str | None


class CostLimitReached(_Event):
    event: Literal["cost_limit_reached"]
    spent_usd: float
    max_cost_usd: float


class EpisodeStarted(_Event):
    event: Literal["episode_started", "outcome_saved", "episode_given_up"]
    episode: str


class EpisodeFinished(_Event):
    event: Literal["episode_finished"]
    episode: str
    status: Status
    solved: bool | None
    seconds: float | None
    cost_usd: float | None
    error: str | None


class EpisodeJudged(_Event):
    event: Literal["episode_judged"]
    episode: str
    status: Status
    solved: bool | None
    error: str | None


class RunAbortedEvent(_Event):
    event: Literal["run_aborted"]
    episode: str
    reason: str


class ExceptionEvent(_Event):
    event: Literal["exception"]
    episode: str
    traceback: str


class SandboxNotRemoved(_Event):
    event: Literal["sandbox_not_removed"]
    episode: str
    error: str


class RunBroken(_Event):
    event: Literal["run_broken"]
    reason: str


class ResultDamaged(_Event):
    """set_aside: where the damaged file is now; None where what its agent left is scored again."""

    event: Literal["result_damaged"]
    file: str
    reason: str
    set_aside: str | None


Event = Annotated[
    SessionStarted
    | SessionEnded
    | CostLimitReached
    | RunBroken
    | EpisodeStarted
    | ResultDamaged
    | EpisodeFinished
    | EpisodeJudged
    | RunAbortedEvent
    | ExceptionEvent
    | SandboxNotRemoved,
    Field(discriminator="event"),
]
"""A line of run.log."""


class RateFigure(_File):
    """hits of total; None where not known. effective: total less what epochs of one sample have in common."""

    hits: int | None
    total: int
    effective: float | None
    rate: float | None
    wilson_95_low: float | None
    wilson_95_high: float | None


class MeanFigure(_File):
    mean: float | None
    standard_error: float | None
    count: int


class CellFigures(BaseModel):
    """The figures of some results. Further solve rates are `of_` and the word of a scenario's denominator."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, RateFigure] = Field(init=False)

    rows: int
    samples: int
    epochs: int
    traits: dict[str, RateFigure]
    statuses: dict[Status, int]
    success: RateFigure
    of_answers: RateFigure
    of_attainable: RateFigure
    of_all: RateFigure
    solved_paper: RateFigure
    all_gates: RateFigure
    not_judged: int
    awaiting_judge: int
    pass_at_k: dict[str, MeanFigure]
    pass_hat_k: dict[str, MeanFigure]
    gates: dict[str, RateFigure]
    edits: dict[str, RateFigure]
    scores: dict[str, MeanFigure]
    attainable_scores: dict[str, MeanFigure]
    cost_usd: float | None
    unknown_costs: int
    tokens: int | None
    median_seconds: float | None


class VerdictFigures(_File):
    wins: RateFigure
    ties: RateFigure
    losses: RateFigure
    consistent: RateFigure
    first: RateFigure
    usage: Usage


class JudgingFigures(_File):
    total: VerdictFigures
    by_judge: dict[str, VerdictFigures]
    identical: int
    nothing: int
    unsettled: int
    cut: int
    agreement: Agreement | None
    own_work: list[str]


class PartFigures(_File):
    """total: all results; by: dimension -> value -> figures. epochs: the solve rate over epochs."""

    total: CellFigures
    by: dict[str, dict[str, CellFigures]]
    epochs: MeanFigure
    judging: JudgingFigures | None


class AccountFigures(_File):
    """By the ledger: every request of all sessions. total: of all roles."""

    total: Spent
    agent: Spent
    judge: Spent
    preflight: Spent


class FailureFigures(_File):
    status: Status
    reason: str
    count: int
    episodes: list[str]


class SummaryFile(PartFigures):
    """summary.json: the totals of a run, all together and by scenario."""

    run_id: str
    agent: str
    model: str | None
    suite: str
    tools: str
    options: list[str]
    planned: int
    missing: int
    account: AccountFigures
    scored_by: dict[str, int]
    scenarios: dict[str, PartFigures]
    failures: list[FailureFigures]
