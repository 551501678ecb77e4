"""Merges made for a test, and agents run on them: what a conflict looks like from both sides, without a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.agents.reference import ReferenceAgent
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.git.mirror import Mirror
from gitgoodbench.git.objects import Entry, read_blobs, read_tree
from gitgoodbench.git.process import Git
from gitgoodbench.models.meter import Budget
from gitgoodbench.sample_types.specs import MergeSpec
from gitgoodbench.scenario import EpisodeOptions, Outcome, ToolSet, Verdict, load_scenarios
from gitgoodbench.tools import Tool
from tests.support.repositories import Content, RepositoryBuilder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitgoodbench.sandbox.base import Sandbox, SandboxProvider

MCR = load_scenarios()["mcr"]
Files = Mapping[bytes, Content]


@dataclass(frozen=True)
class OneRepository:
    """A store that knows one repository."""

    path: Path

    def mirror(self, name: str, commits: Sequence[str]) -> Mirror:  # noqa: ARG002
        return Mirror(self.path)


@dataclass(frozen=True)
class MergeCase:
    """A merge with its real outcome. `store` and `sample` fit Scenario.prepare and Scenario.score."""

    builder: RepositoryBuilder
    base: str | None
    local: str
    incoming: str
    merge: str

    @property
    def store(self) -> OneRepository:
        return OneRepository(self.builder.path)

    @property
    def git(self) -> Git:
        return self.builder.git

    @property
    def sample(self) -> Sample:
        spec = MergeSpec(
            merge_commit_hash=self.merge,
            parents=(self.local, self.incoming),
            number_of_files_with_merge_conflict=1,
            total_number_of_merge_conflicts=1,
            files_in_merge_conflict=("listed.py",),
        )
        return Sample(
            id="case_merge_0000", name="test/case", programming_language="python", sample_type="merge",
            difficulty="easy", spec=spec,
        )  # fmt: skip


def make_merge(
    path: Path, base: Files | None, local: Files, incoming: Files, truth: Files, *, algorithm: str = "sha1"
) -> MergeCase:
    """A repository with a base commit (None: two unrelated roots), a commit on either side, and their merge."""
    builder = RepositoryBuilder(path, algorithm=algorithm)
    root = [builder.commit(base)] if base is not None else []
    ours, theirs = builder.commit(local, root), builder.commit(incoming, root)
    merge = builder.commit(truth, [ours, theirs])
    builder.branch("main", merge)
    return MergeCase(builder, root[0] if root else None, ours, theirs, merge)


@contextmanager
def begin(
    case: MergeCase, provider: SandboxProvider, tools: ToolSet = ToolSet.PUBLISHED, history: int | None = None
) -> Iterator[tuple[Any, Sandbox]]:
    """The case's episode, in a sandbox of its own."""
    with provider.open(run_id="test", episode_id="case") as sandbox:
        yield MCR.prepare(case.sample, case.store, sandbox, EpisodeOptions(tools, history)), sandbox


def call(episode: Any, name: str, **arguments: Any) -> str:
    """Call one tool of the episode, with a reason where the tool wants one."""
    tool: Tool = next(tool for tool in episode.tools if tool.name == name)
    if "reason" in tool.arguments.model_fields:
        arguments.setdefault("reason", "test")
    episode.begin_answer()
    return tool.call(arguments)


def score(case: MergeCase, outcome: Outcome) -> Verdict:
    return MCR.score(case.sample, case.store, outcome)


def play(
    case: MergeCase, provider: SandboxProvider, agent: str, tools: ToolSet = ToolSet.PUBLISHED
) -> tuple[Verdict, Trajectory, Any]:
    """Run a reference agent on the case; the episode is returned for its facts."""
    with begin(case, provider, tools) as (episode, _):
        trajectory = ReferenceAgent(agent, {"mcr": MCR.reference_agents()[agent]}).run(episode, Budget())
        outcome = episode.outcome()
    return score(case, outcome), trajectory, episode


def committed_files(case: MergeCase, outcome: Outcome) -> dict[bytes, tuple[str, bytes | None]]:
    """Mode and bytes of every file of the commit that an outcome holds."""
    from gitgoodbench.workspace.scratch import ScratchRepository

    assert outcome.head is not None
    with ScratchRepository(case.git) as scratch:
        if outcome.bundle is not None:
            scratch.import_bundle(outcome.bundle)
        tree: dict[bytes, Entry] = read_tree(scratch.git, outcome.head)
        blobs = read_blobs(scratch.git, [entry.oid for entry in tree.values()])
    return {path: (entry.mode, blobs[entry.oid]) for path, entry in tree.items()}
