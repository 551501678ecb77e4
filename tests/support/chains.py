"""Chains of commits made for a test, and agents run on them as the ICC scenario has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitgoodbench.scenarios.icc import IterativeCommitting
from gitgoodbench.scenarios.icc.options import CommitOptions

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.agents.reference import ReferenceAgent
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.git.objects import Entry, read_blobs, read_tree
from gitgoodbench.git.process import Git
from gitgoodbench.models.meter import Budget
from gitgoodbench.sample_types.specs import FileCommitChainSpec
from gitgoodbench.scenario import EpisodeOptions, Outcome, ToolSet, Verdict
from gitgoodbench.workspace.scratch import ScratchRepository
from tests.support.merges import OneRepository
from tests.support.merges import call as call
from tests.support.repositories import Content, RepositoryBuilder

if TYPE_CHECKING:
    from gitgoodbench.sandbox.base import Sandbox, SandboxProvider

ICC = IterativeCommitting()


def icc_options(
    tools: ToolSet = ToolSet.PUBLISHED, *, hunks: str = "chain-file", history: int | None = None
) -> EpisodeOptions:
    """Options of an episode of iterative committing."""
    return EpisodeOptions(tools, history, own=(CommitOptions.model_validate({"hunks": hunks}),))


Files = Mapping[bytes, Content]


@dataclass(frozen=True)
class ChainCase:
    """A base commit and the chain above it. `store` and `sample` fit Scenario.prepare and Scenario.score."""

    builder: RepositoryBuilder
    base: str
    commits: tuple[str, ...]
    file: str

    @property
    def store(self) -> OneRepository:
        return OneRepository(self.builder.path)

    @property
    def git(self) -> Git:
        return self.builder.git

    @property
    def sample(self) -> Sample:
        spec = FileCommitChainSpec(
            file=self.file,
            times_seen_consecutively=len(self.commits),
            purity=1,
            newest_commit=self.commits[-1],
            oldest_commit=self.commits[0],
        )
        return Sample(
            id="case_file_commit_chain_0000", name="test/case", programming_language="python",
            sample_type="file_commit_chain", difficulty="easy", spec=spec,
        )  # fmt: skip


def make_chain(
    path: Path, versions: Sequence[Files], file: str = "a.py", *, algorithm: str = "sha1", history: Sequence[Files] = ()
) -> ChainCase:
    """A repository with commits of these trees: first `history`, then the base, then the chain."""
    builder = RepositoryBuilder(path, algorithm=algorithm)
    ids: list[str] = []
    for number, files in enumerate([*history, *versions]):
        ids.append(builder.commit(files, ids[-1:], b"Step %d\n\nWhy step %d.\n" % (number, number)))
    builder.branch("main", ids[-1])
    return ChainCase(builder, ids[len(history)], tuple(ids[len(history) + 1 :]), file)


@contextmanager
def begin(
    case: ChainCase, provider: SandboxProvider, options: EpisodeOptions | None = None
) -> Iterator[tuple[Any, Sandbox]]:
    """The case's episode, in a sandbox of its own."""
    with provider.open(run_id="test", episode_id="case") as sandbox:
        yield ICC.prepare(case.sample, case.store, sandbox, options or EpisodeOptions()), sandbox


def commit(episode: Any, *numbers: int, message: str = "A commit") -> str:
    return call(episode, "commit_changes_in", selected_hunks=list(numbers), commit_message=message)


def play(
    case: ChainCase, provider: SandboxProvider, agent: str, options: EpisodeOptions | None = None
) -> tuple[Verdict, Trajectory, Any, list[dict[bytes, tuple[str, bytes | None]]]]:
    """Run a reference agent on the case; also the episode, and the files of every commit it made, oldest first."""
    with begin(case, provider, options) as (episode, _):
        trajectory = ReferenceAgent(agent, {"icc": ICC.reference_agents()[agent]}).run(episode, Budget())
        outcome = episode.outcome()
    return ICC.score(case.sample, case.store, outcome), trajectory, episode, committed(case, outcome)


def committed(case: ChainCase, outcome: Outcome) -> list[dict[bytes, tuple[str, bytes | None]]]:
    """Mode and bytes of every file in each commit that an outcome has above the base, oldest first."""
    assert outcome.head is not None
    with ScratchRepository(case.git) as scratch:
        if outcome.bundle is not None:
            scratch.import_bundle(outcome.bundle)
        listed = scratch.git.run("rev-list", "--reverse", "--first-parent", outcome.head, f"^{case.base}")
        return [_files(scratch.git, commit) for commit in listed.decode().split()]


def _files(git: Git, commit: str) -> dict[bytes, tuple[str, bytes | None]]:
    tree: dict[bytes, Entry] = read_tree(git, commit)
    blobs = read_blobs(git, [entry.oid for entry in tree.values() if entry.mode != "160000"])
    return {path: (entry.mode, blobs.get(entry.oid)) for path, entry in tree.items()}
