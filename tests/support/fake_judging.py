"""Runs whose scenario is judged, without Git and without a model."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.git.histories import HistoryPair
from gitgoodbench.models.finding import Finding
from gitgoodbench.models.meter import Usage
from gitgoodbench.runs.context import RunContext
from gitgoodbench.scenario import Outcome, Verdict
from gitgoodbench.scoring.judge.panel import Panel
from gitgoodbench.scoring.judge.prompt import Question
from gitgoodbench.scoring.judge.record import JudgeRecord, OpinionRecord, State
from gitgoodbench.scoring.judge.votes import Vote
from gitgoodbench.workspace.store import RepositoryStore
from tests.support.fake_runs import FakeAgent, FakeScenario, make_context
from tests.support.judging import PAIR

GATES = {"finished": True, "tree": True}
PASSED = Verdict(None, None, GATES, {"commits": 0.5})
GATE_MISSED = Verdict(None, None, {"finished": True, "tree": False}, {"commits": 0.5})
SPENT = Usage(2, 200, 0, 20, 0.5)


class FakeJudgedScenario(FakeScenario):
    """Like `FakeScenario`, with histories."""

    def __init__(
        self,
        name: str = "ir",
        *,
        pair: Callable[[], HistoryPair | None] = lambda: PAIR,
        verdict: Callable[[Sample, Outcome], Verdict] = lambda *_: PASSED,
        **more: Any,
    ) -> None:
        super().__init__(name, verdict=verdict, **more)
        self._pair = pair

    def histories(self, sample: Sample, store: RepositoryStore, outcome: Outcome) -> HistoryPair | None:  # noqa: ARG002
        return self._pair()


class FakeJudge:
    """Says what `opinion` says; counts how often it was asked."""

    def __init__(self, opinion: Callable[[], OpinionRecord], model: str = "judge") -> None:
        self.model = model
        self.asked = 0
        self.opinion = opinion

    def preflight(self) -> Finding:
        return Finding("chat", "here", self.model, works=True, usage=True, dialect=())

    def ask(self, question: Question, repeats: int) -> OpinionRecord:  # noqa: ARG002
        self.asked += 1
        return self.opinion()


def opinion(verdict: Vote | None, model: str = "judge", **changes: Any) -> OpinionRecord:
    """A judge that says the same in both orders, or one that could not be read."""
    problem = None if verdict is not None else f"judge {model}: its answer could not be read (empty)"
    fields: dict[str, Any] = {
        "model": model, "verdict": verdict, "agent_first": verdict, "real_first": verdict,
        "consistent": None if verdict is None else True, "usage": SPENT, "problem": problem,
    }  # fmt: skip
    return OpinionRecord(**fields | changes)


def failed_opinion(model: str = "judge") -> OpinionRecord:
    """A judge whose server did not answer."""
    return opinion(None, model, failed=True, problem=f"judge {model}: HTTP 503; tried 6 times")


def judged(verdict: Vote, *models: str) -> JudgeRecord:
    """The record of judges that all say the same."""
    opinions = tuple(opinion(verdict, model) for model in models or ("judge",))
    return JudgeRecord(state=State.JUDGED, verdict=verdict, judges=opinions, usage=SPENT)


def judged_context(
    folder: Path, judge: FakeJudge | None, *, scenario: FakeScenario | None = None, agent: FakeAgent | None = None
) -> RunContext:
    """A run of `ir` with this judge, or without one."""
    context = make_context(folder, scenario=scenario or FakeJudgedScenario(), agent=agent)
    return dataclasses.replace(context, panel=None if judge is None else Panel([judge], repeats=1, limit=60_000))
