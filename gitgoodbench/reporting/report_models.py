"""What `gitgoodbench report --format json` prints, and a leaderboard file, as types, for their JSON schemas."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from gitgoodbench.reporting.file_models import SummaryFile


class ReportFile(BaseModel):
    """`report --format json`: the summary of each run, in the order given."""

    model_config = ConfigDict(extra="forbid")

    format: Literal[1]
    runs: list[SummaryFile]


class SampleRow(BaseModel):
    """One episode. Beside these fields one for each gate, score and fact that any of the rows has (`gate_`, `score_`,
    `fact_` and its name). Unknown is null."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, bool | float | int | str | None] = Field(init=False)

    run_id: str | None
    agent: str
    model: str | None
    scenario: str
    sample_id: str
    name: str
    language: str
    difficulty: str
    epoch: int
    started: str | None
    ended: str | None
    status: str
    error: str | None
    success: bool
    solved: bool | None
    solved_paper: bool | None
    turns: int | None
    requests: int | None
    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    judge_cost_usd: float | None
    setup_s: float | None
    agent_s: float | None
    outcome_s: float | None
    closing_s: float | None
    scoring_s: float | None
    judge_s: float | None
    total_s: float | None
    reward: float


class SamplesFile(BaseModel):
    """`report --samples --format json`: one row per episode. columns: name -> type in pandas."""

    model_config = ConfigDict(extra="forbid")

    format: Literal[1]
    columns: dict[str, str]
    rows: list[SampleRow]
