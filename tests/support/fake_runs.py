"""A run without Git, Docker or a model: every part of the contracts as a small fake that a test can bend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.dataset.loaders import Suite
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import Status
from gitgoodbench.files import make_durably
from gitgoodbench.git.mirror import Mirror
from gitgoodbench.git.process import ExecResult
from gitgoodbench.models.meter import Budget, Usage
from gitgoodbench.runs.bookkeeping import Books
from gitgoodbench.runs.config import make_config
from gitgoodbench.runs.context import RunContext
from gitgoodbench.runs.events import EventLog
from gitgoodbench.runs.ledger import Ledger
from gitgoodbench.runs.manifest import Manifest
from gitgoodbench.runs.manifest import make_manifest as pin
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.plan import plan_episodes
from gitgoodbench.runs.result import ErrorRecord, OutcomeRecord, Result, Timings, UsageRecord
from gitgoodbench.runs.standing import Standing
from gitgoodbench.runs.stop import Stop
from gitgoodbench.sample_types.specs import MergeSpec
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.scenario import Episode, EpisodeOptions, Json, Message, Outcome, Policy, ToolSet, Verdict
from gitgoodbench.tools import Tool
from gitgoodbench.workspace.store import RepositoryStore
from tests.support.samples import merge_sample

GATES = {"committed": True, "clean": True}
SOLVED = Verdict(True, True, GATES, {"exact_match": 1.0, "files_exact": 1.0})
UNSOLVED = Verdict(False, False, GATES, {"exact_match": 0.0, "files_exact": 0.5})
UNREADABLE = {"committed": False, "clean": False}
DONE = Trajectory(Status.COMPLETED, ({"role": "user", "content": "go"},), Usage(2, 100, 0, 20, 0.25), turns=2)


class FakeSandbox:
    """Runs nothing; remembers that it was closed."""

    kind = "local"
    isolated = False
    work_dir = "/work"

    def __init__(self, provider: FakeProvider) -> None:
        self.closed = False
        self._provider = provider

    def exec(self, argv: Sequence[str | bytes], **settings: Any) -> ExecResult:  # noqa: ARG002
        return ExecResult(0)

    def put(self, path: str | bytes, data: bytes | BinaryIO, *, mode: int = 0o644) -> None: ...

    def get(self, path: str | bytes, *, limit: int) -> bytes:  # noqa: ARG002
        return b""

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self._provider.closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class FakeProvider:
    """Makes fake sandboxes; `opening` and `closing` may raise."""

    kind = "local"
    isolated = False

    def __init__(self, opening: Callable[[], None] = lambda: None, closing: Callable[[], None] = lambda: None) -> None:
        self.sandboxes: list[FakeSandbox] = []
        self.opening = opening
        self.closing = closing

    def open(self, *, run_id: str, episode_id: str) -> Sandbox:  # noqa: ARG002
        self.opening()
        self.sandboxes.append(FakeSandbox(self))
        return self.sandboxes[-1]

    def describe(self) -> Mapping[str, str]:
        return {"kind": "local", "git": "2.39.5"}


class FakeStore:
    def mirror(self, name: str, commits: Sequence[str]) -> Mirror:  # noqa: ARG002
        return Mirror(Path("/nowhere"))


class FakeWork:
    """An episode whose outcome the scenario decides."""

    prompt: Sequence[Message] = ({"role": "user", "content": "go"},)
    sandbox: Any = None
    tools: Sequence[Tool] = ()
    finished = True
    reminder = ""
    facts: Mapping[str, Json] = {"attainable": True}

    def begin_answer(self) -> None: ...

    def __init__(self, outcome: Callable[[], Outcome]) -> None:
        self._outcome = outcome

    def outcome(self) -> Outcome:
        return self._outcome()


class FakeScenario:
    """Every step is a function that a test replaces."""

    def __init__(
        self,
        name: str = "mcr",
        *,
        applies: Callable[[Sample], bool] = lambda sample: isinstance(sample.spec, MergeSpec),
        preparing: Callable[[], None] = lambda: None,
        outcome: Callable[[], Outcome] = lambda: Outcome("a" * 40, b"bundle", {"unmerged": []}),
        verdict: Callable[[Sample, Outcome], Verdict] = lambda *_: SOLVED,
    ) -> None:
        self.name = name
        self._applies = applies
        self._preparing = preparing
        self._outcome = outcome
        self._verdict = verdict

    def applies_to(self, sample: Sample) -> bool:
        return self._applies(sample)

    def tool_sets(self) -> Sequence[ToolSet]:
        return tuple(ToolSet)

    def prepare(self, sample: Sample, store: RepositoryStore, sandbox: Sandbox, options: EpisodeOptions) -> Episode:  # noqa: ARG002
        self._preparing()
        return FakeWork(self._outcome)

    def score(self, sample: Sample, store: RepositoryStore, outcome: Outcome) -> Verdict:  # noqa: ARG002
        if outcome.bundle is None:
            return Verdict(False, False, UNREADABLE, {"exact_match": 0.0}, problem=outcome.problem)
        return self._verdict(sample, outcome)

    def reference_agents(self) -> Mapping[str, Policy]:
        return {}

    def fingerprint(self) -> str:
        return "f" * 64


class FakeAgent:
    """Does what `work` says."""

    def __init__(self, work: Callable[[], Trajectory] = lambda: DONE, model: str | None = None) -> None:
        self.name = "fake"
        self.model = model
        self.runs = 0
        self._work = work

    def for_scenario(self, scenario: str) -> Self:  # noqa: ARG002
        return self

    def run(self, episode: Episode, budget: Budget) -> Trajectory:  # noqa: ARG002
        self.runs += 1
        return self._work()


class RecordingObserver:
    """Keeps what a run says."""

    def __init__(self) -> None:
        self.planned = 0
        self.kept: Sequence[Standing] = ()
        self.results: list[Result] = []
        self.notes: list[str] = []

    def begin(self, planned: int, kept: Sequence[Standing]) -> None:
        self.planned, self.kept = planned, kept

    def finished(self, result: Result) -> None:
        self.results.append(result)

    def again(self, failed: Sequence[Standing]) -> None:
        self.notes.append(f"again: {' '.join(standing.key[1] for standing in failed)}")

    def note(self, text: str) -> None:
        self.notes.append(text)


def make_context(
    folder: Path,
    *,
    agent: FakeAgent | None = None,
    scenario: FakeScenario | None = None,
    provider: FakeProvider | None = None,
    tools: ToolSet = ToolSet.PUBLISHED,
) -> RunContext:
    """A run in `folder` made of fakes."""
    paths = RunPaths(folder / "run")
    make_durably(paths.samples)
    scenario = scenario or FakeScenario()
    return RunContext(
        run_id="run",
        paths=paths,
        scenarios={scenario.name: scenario},
        store=FakeStore(),
        provider=provider or FakeProvider(),
        agents={scenario.name: agent or FakeAgent()},
        budget=Budget(),
        options=EpisodeOptions(tool_set=tools),
        log=EventLog(paths.log),
        books=Books(Ledger(paths.ledger)),
        stop=Stop(),
    )


def make_samples(count: int, **changes: Any) -> list[Sample]:
    """Merge samples s0, s1, ..."""
    return [merge_sample(**{"id": f"s{number}", **changes}) for number in range(count)]


def make_result(sample_id: str = "s0", **changes: Any) -> Result:
    """A solved result, with changes."""
    fields: dict[str, Any] = {
        "sample_id": sample_id,
        "scenario": "mcr",
        "epoch": 1,
        "agent": "fake",
        "model": None,
        "name": "Kav-K/GPTDiscord",
        "language": "python",
        "difficulty": "hard",
        "status": Status.COMPLETED,
        "success": True,
        "solved": True,
        "solved_paper": True,
        "gates": dict(GATES),
        "scores": {"exact_match": 1.0},
        "usage": UsageRecord(requests=2, prompt_tokens=100, completion_tokens=20, cost_usd=0.25),
        "turns": 2,
        "timings": Timings(total_s=1.5),
        "facts": {"attainable": True},
        "outcome": OutcomeRecord(
            head="a" * 40, state={}, problem=None, bundle_bytes=6, agent_status=Status.COMPLETED, agent_error=None
        ),
        **changes,
    }
    return Result(**fields)


def failed_result(sample_id: str, status: Status, reason: str, **changes: Any) -> Result:
    """A result that says nothing of the agent."""
    nothing: dict[str, Any] = {"success": False, "solved": None, "solved_paper": None, "gates": {}, "scores": {}}
    error = ErrorRecord(kind=status.value, message=reason)
    return make_result(sample_id, status=status, error=error, outcome=None, **{**nothing, **changes})


def make_manifest(*, agent: str = "fake", model: str | None = None, samples: int = 3, **config: Any) -> Manifest:
    """The manifest of a run over merge samples of the suite `fake`."""
    suite = Suite("fake", tuple(make_samples(samples)), "fake")
    return pin(
        run_id=config.pop("run_id", "run"),
        config=make_config(suite="fake", agent=agent, model=model, **config),
        suite=suite,
        planned=plan_episodes(suite.samples, {"mcr": FakeScenario()}, config.get("epochs", 1)),
        scenarios={"mcr": "f" * 64},
        agent={"name": agent, "model": model},
        sandbox={"kind": "local", "git": "2.39.5"},
        command=("gitgoodbench", "eval", "fake"),
    )
