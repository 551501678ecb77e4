"""result.json: everything known of one attempt at one sample. Unknown is null, never 0."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from gitgoodbench.details import BESIDE, IN_RESULT, Details, cap
from gitgoodbench.disk import describe
from gitgoodbench.errors import Status
from gitgoodbench.files import write_atomically
from gitgoodbench.models.meter import Usage
from gitgoodbench.runs.paths import EpisodePaths
from gitgoodbench.scenario import Outcome
from gitgoodbench.scoring.judge.record import JudgeRecord, State

FORMAT = 1
"""The format of result.json that this version writes. Files without a number are of format 0."""

RESULT_LIMIT = 64 * 1024 * 1024
"""Bytes; the harness writes no larger result.json."""


def one_line(text: str) -> str:
    """Text from anywhere as one printable line of at most 2,000 characters."""
    return " ".join(text.encode("utf-8", "backslashreplace").decode().split())[:2000]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", ser_json_inf_nan="null")


class ErrorRecord(_Record):
    """Why an episode did not complete: `kind` is the error's class or the status, `message` one line for people."""

    kind: str
    message: str

    @field_validator("message", mode="before")
    @classmethod
    def _one_line(cls, text: str) -> str:
        return one_line(text)

    @classmethod
    def of(cls, problem: Exception) -> ErrorRecord:
        """What an exception says; its class where it says nothing."""
        kind = type(problem).__name__
        return cls(kind=kind, message=(describe(problem) if isinstance(problem, OSError) else str(problem)) or kind)

    @classmethod
    def why(cls, status: Status, message: str | None) -> ErrorRecord | None:
        """The error of an episode that ended with `status`; None when nothing is to be said."""
        return cls(kind=status.value, message=message) if message else None


class AttemptRecord(_Record):
    """An earlier attempt that failed and was made again."""

    started: str | None
    ended: str | None
    status: Status
    error: ErrorRecord | None
    cost_usd: float | None


class OutcomeRecord(_Record):
    """What the agent left, beside outcome.bundle, so that `score` needs no sandbox.

    agent_status, agent_error: how the agent's own work ended, before anything was scored.
    bundle_bytes, bundle_sha256: size and hash of outcome.bundle; None without one, the hash in older files, too.
    """

    head: str | None
    state: dict[str, Any]
    problem: str | None
    bundle_bytes: int | None
    agent_status: Status
    agent_error: str | None
    bundle_sha256: str | None = None


class UsageRecord(_Record):
    """What the model's server reported. Tokens; US dollars."""

    requests: int | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None

    @classmethod
    def of(cls, usage: Usage) -> UsageRecord:
        return cls(
            requests=usage.requests,
            prompt_tokens=usage.prompt_tokens,
            cached_tokens=usage.cached_tokens,
            completion_tokens=usage.completion_tokens,
            cost_usd=usage.cost_usd,
        )


class Timings(_Record):
    """Seconds spent in each part; None where the episode did not get that far."""

    setup_s: float | None = None
    agent_s: float | None = None
    outcome_s: float | None = None
    closing_s: float | None = None
    scoring_s: float | None = None
    judge_s: float | None = None
    total_s: float | None = None


class Result(_Record):
    """One attempt at one sample under one scenario.

    format: of the file; what came with format 1 is None or empty in files of format 0. started, ended: UTC, of the
    agent's part. success: ended without a system error.
    solved, solved_paper: as this benchmark, and as the paper, counts it; None unless the status is an answer, and
    where a judge would have to say and none was asked.
    gates: requirement -> met. scores: name -> value in [0, 1], or None. judge: what judges said; None without one.
    scored_by: what scored it last, package -> version and hash of its sources, and Git's version; empty where nothing
    did, and in files of before.
    attempts: those that failed before this one, the oldest first. details: see `gitgoodbench.details`; in the file
    within `IN_RESULT`, and where that cuts something, within `BESIDE` in details.json.
    """

    format: int = 0
    run_id: str | None = None
    sample_id: str
    scenario: str
    epoch: int = Field(ge=1)
    agent: str
    model: str | None
    name: str
    language: str
    difficulty: str
    started: str | None = None
    ended: str | None = None
    status: Status
    success: bool
    solved: bool | None = None
    solved_paper: bool | None = None
    gates: dict[str, bool] = Field(default_factory=dict)
    scores: dict[str, float | None] = Field(default_factory=dict)
    judge: JudgeRecord | None = None
    scored_by: dict[str, str] = Field(default_factory=dict)
    usage: UsageRecord = Field(default_factory=UsageRecord)
    turns: int | None = None
    timings: Timings = Field(default_factory=Timings)
    facts: dict[str, Any] = Field(default_factory=dict)
    outcome: OutcomeRecord | None = None
    error: ErrorRecord | None = None
    attempts: tuple[AttemptRecord, ...] = ()
    details: Details | None = None

    @property
    def key(self) -> tuple[str, str, int]:
        """What the result answers: scenario, sample, epoch."""
        return self.scenario, self.sample_id, self.epoch

    @property
    def attempt(self) -> AttemptRecord:
        """This attempt as one of those before another."""
        return AttemptRecord(
            started=self.started, ended=self.ended, status=self.status, error=self.error, cost_usd=self.usage.cost_usd
        )

    @property
    def attainable(self) -> bool | None:
        """Whether the published tools can reach the truth; None where the scenario does not say."""
        value = self.facts.get("attainable")
        return value if isinstance(value, bool) else None

    @property
    def awaits_judge(self) -> bool:
        """Whether only the judge's verdict is missing: the agent's work is done and saved."""
        unasked = self.judge is not None and self.judge.state in (State.PENDING, State.FAILED)
        return self.status is Status.UNSCORED and unasked

    @property
    def is_unfinished(self) -> bool:
        """Whether a resumed run has work here: the episode again, or only its judging."""
        return not self.status.is_final or self.awaits_judge


def dump_json(value: Any) -> bytes:
    """JSON as ASCII: lone surrogates, which models do send, stay what they are instead of failing to encode."""
    return json.dumps(value, indent=2, allow_nan=False).encode("ascii") + b"\n"


def write_result(path: Path, result: Result) -> None:
    """Put a result in place, whole.

    Raises:
        OSError: it cannot be written.
    """
    write_atomically(path, dump_json(finite(result.model_dump(mode="python"))))


def save_settled(files: EpisodePaths, result: Result) -> Result:
    """Put a settled result in place, with its details.

    outcome.json stays, with what judges said: the result can be made of it again. Returns the result as it is in its
    file.

    Raises:
        OSError: it cannot be written.
    """
    if result.details is not None:
        kept = result.model_copy(update={"details": cap(result.details, IN_RESULT)})
    else:
        kept = result
    if kept.details is not None and result.details is not None and kept.details.cut:
        write_atomically(files.details, dump_json(finite(cap(result.details, BESIDE).model_dump(mode="json"))))
    else:
        files.details.unlink(missing_ok=True)
    if not kept.status.is_final:  # what was left cannot be read: the episode is played again
        files.unscored.unlink(missing_ok=True)
    elif kept.judge is not None or not files.unscored.exists():
        write_result(files.unscored, unsettled(kept))
    write_result(files.result, kept)
    return kept


def unsettled(result: Result) -> Result:
    """The episode before it was scored, but with what judges said."""
    nothing: dict[str, Any] = {"solved": None, "solved_paper": None, "gates": {}, "scores": {}, "details": None}
    error = ErrorRecord.why(Status.UNSCORED, "not scored yet")
    return result.model_copy(update={**nothing, "status": Status.UNSCORED, "success": False, "error": error})


def finite(value: Any) -> Any:
    """The same JSON value with infinities and NaN as null."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, Mapping):
        return {str(key): finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [finite(entry) for entry in value]
    return value


@dataclass(frozen=True)
class Damaged:
    """A result.json, or the outcome.json beside it, that cannot be read, and why."""

    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.path} is damaged ({self.reason})"


def examine(path: Path) -> Result | Damaged | None:
    """The result in a file, or what is wrong with it; None where it is absent."""
    try:
        if path.stat().st_size > RESULT_LIMIT:
            return Damaged(path, f"larger than {RESULT_LIMIT} bytes")
        return Result.model_validate(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "all of it"
        return Damaged(path, f"no result: {where}: {first['msg'].lower()}")
    except (ValueError, RecursionError) as problem:
        return Damaged(path, f"not JSON: {one_line(str(problem))[:100]}")
    except OSError as problem:
        return Damaged(path, problem.strerror or str(problem))


def read_result(path: Path) -> Result | None:
    """The result in a file, or None when it is absent or damaged."""
    result = examine(path)
    return result if isinstance(result, Result) else None


def saved_outcome(files: EpisodePaths, result: Result) -> Outcome | None:
    """The outcome of a saved episode; None where it has none, or its bundle is not whole."""
    record = result.outcome
    if record is None:
        return None
    try:
        bundle = None if record.bundle_bytes is None else files.bundle.read_bytes()
    except OSError:
        return None
    if bundle is not None and (len(bundle) != record.bundle_bytes or _is_other(bundle, record.bundle_sha256)):
        return None
    return Outcome(record.head, bundle, record.state, record.problem)


def _is_other(bundle: bytes, digest: str | None) -> bool:
    return digest is not None and hashlib.sha256(bundle).hexdigest() != digest
