"""Rules that turn a scored outcome into status and solved, for new and for saved outcomes alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gitgoodbench.details import Details
from gitgoodbench.errors import Status
from gitgoodbench.runs.result import ErrorRecord, OutcomeRecord
from gitgoodbench.scenario import ToolSet, Verdict
from gitgoodbench.scoring.judge.record import JudgeRecord
from gitgoodbench.scoring.judge.votes import Vote


@dataclass(frozen=True)
class Settlement:
    """The part of a result that scoring decides."""

    status: Status
    solved: bool | None = None
    solved_paper: bool | None = None
    gates: Mapping[str, bool] = field(default_factory=dict)
    scores: Mapping[str, float | None] = field(default_factory=dict)
    judge: JudgeRecord | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    error: ErrorRecord | None = None
    details: Details | None = None

    def fields(self) -> dict[str, Any]:
        """As keyword arguments of `Result`, without the facts."""
        return {
            "status": self.status,
            "success": self.status.is_success,
            "solved": self.solved,
            "solved_paper": self.solved_paper,
            "gates": dict(self.gates),
            "scores": dict(self.scores),
            "judge": self.judge,
            "error": self.error,
            "details": self.details,
        }


def settle_unjudged(record: OutcomeRecord, verdict: Verdict, tools: ToolSet) -> Settlement:
    """Settle an episode whose outcome was scored and is not judged.

    An outcome that cannot be read is not solved and the agent's failure where the agent had a shell. Without a shell
    only the harness touched the repository, so the failure is one of infrastructure; but contents are the agent's, so
    one that exceeds a limit is its failure, too. What scoring could not settle is
    `unscored`; its gates and scores stay.
    """
    status, solved, paper, message = record.agent_status, verdict.solved, verdict.solved_paper, record.agent_error
    problem = problem_of(record, verdict)
    if problem and not tools.has_shell and verdict.limit is None:
        return Settlement(Status.INFRASTRUCTURE_FAILED, error=ErrorRecord.why(Status.INFRASTRUCTURE_FAILED, problem))
    if problem:
        status, solved, paper, message = Status.AGENT_FAILED, False, False, problem
    elif solved is None:
        status, paper, message = Status.UNSCORED, None, "scoring could not tell whether the sample is solved"
    return Settlement(
        status,
        solved,
        paper,
        verdict.gates,
        verdict.scores,
        None,
        verdict.facts,
        ErrorRecord.why(status, message),
        verdict.details,
    )


def settle_judged(record: OutcomeRecord, verdict: Verdict, tools: ToolSet, judge: JudgeRecord | None) -> Settlement:
    """Settle an episode of a scenario that is judged.

    The paper counts a win in both orders as solved; here every gate must be met as well. Without a judge both stay
    unknown. An episode that its judge could not settle is `unscored`; its gates and scores stay.
    """
    if problem_of(record, verdict):
        return settle_unjudged(record, verdict, tools)
    status, message = record.agent_status, record.agent_error
    solved = paper = None
    if judge is not None and judge.verdict is None:
        status, message = Status.UNSCORED, judge.problem or "not judged yet"
    elif judge is not None:
        paper = judge.verdict is Vote.WIN
        solved = paper and all(verdict.gates.values())
    return Settlement(
        status,
        solved,
        paper,
        verdict.gates,
        verdict.scores,
        judge,
        verdict.facts,
        ErrorRecord.why(status, message),
        verdict.details,
    )


def problem_of(record: OutcomeRecord, verdict: Verdict) -> str | None:
    """Why the outcome could not be scored at all."""
    return verdict.problem or record.problem
