"""Picks made for a test: a commit somewhere, a branch that it is applied to, and the real outcome."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitgoodbench.agents.reference import ReferenceAgent
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.git.picks import Operation
from gitgoodbench.git.process import Git
from gitgoodbench.models.meter import Budget
from gitgoodbench.sample_types.specs import CherryPickSpec
from gitgoodbench.scenario import EpisodeOptions, Outcome, ToolSet, Verdict, load_scenarios
from tests.support.merges import Files, OneRepository
from tests.support.repositories import RepositoryBuilder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitgoodbench.sandbox.base import Sandbox, SandboxProvider

PICK = load_scenarios()["pick"]


@dataclass(frozen=True)
class PickCase:
    """A pick with its real outcome. `store` and `sample` fit Scenario.prepare and Scenario.score."""

    builder: RepositoryBuilder
    operation: Operation
    picked: str
    onto: str
    result: str
    mainline: int | None = None

    @property
    def store(self) -> OneRepository:
        return OneRepository(self.builder.path)

    @property
    def git(self) -> Git:
        return self.builder.git

    @property
    def sample(self) -> Sample:
        spec = CherryPickSpec(
            operation=self.operation, picked_commit=self.picked, mainline=self.mainline, onto=self.onto,
            result_commit=self.result, files_in_conflict=("listed.py",), number_of_files=1, total_number_of_conflicts=1,
        )  # fmt: skip
        return Sample(
            id="case_cherry_pick_0000", name="test/case", programming_language="python", sample_type="cherry_pick",
            difficulty="easy", spec=spec,
        )  # fmt: skip


def make_pick(
    path: Path, before: Files, after: Files, local: Files, truth: Files, message: bytes = b"Fix it\n\nAt last.\n"
) -> PickCase:
    """A repository in which a commit from `before` to `after` is picked onto `local`, with `truth` as the outcome."""
    builder = RepositoryBuilder(path)
    root = builder.commit(before)
    picked = builder.commit(after, [root], message)
    onto = builder.commit(local, [root])
    result = builder.commit(truth, [onto])
    builder.branch("main", result)
    builder.branch("source", picked)
    return PickCase(builder, "pick", picked, onto, result)


@contextmanager
def begin(
    case: PickCase, provider: SandboxProvider, tools: ToolSet = ToolSet.PUBLISHED, history: int | None = None
) -> Iterator[tuple[Any, Sandbox]]:
    """The case's episode, in a sandbox of its own."""
    with provider.open(run_id="test", episode_id="case") as sandbox:
        yield PICK.prepare(case.sample, case.store, sandbox, EpisodeOptions(tools, history)), sandbox


def score(case: PickCase, outcome: Outcome) -> Verdict:
    return PICK.score(case.sample, case.store, outcome)


def play(
    case: PickCase, provider: SandboxProvider, agent: str, tools: ToolSet = ToolSet.PUBLISHED
) -> tuple[Verdict, Any]:
    """Run a reference agent on the case; the episode is returned for its facts."""
    with begin(case, provider, tools) as (episode, _):
        ReferenceAgent(agent, {"pick": PICK.reference_agents()[agent]}).run(episode, Budget())
        outcome = episode.outcome()
    return score(case, outcome), episode
