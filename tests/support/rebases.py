"""Chains to rebase, made for a test, and agents run on them as the IR scenario has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitgoodbench.scenarios.ir import InteractiveRebase

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.agents.reference import ReferenceAgent
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.git.commits import Commit, read_commits
from gitgoodbench.git.objects import read_blobs, read_tree
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

IR = InteractiveRebase()
Files = Mapping[bytes, Content]


@dataclass(frozen=True)
class RebaseCase:
    """A chain; without a base it begins with a root commit. `store` and `sample` fit the scenario's methods."""

    builder: RepositoryBuilder
    base: str | None
    commits: tuple[str, ...]

    @property
    def store(self) -> OneRepository:
        return OneRepository(self.builder.path)

    @property
    def git(self) -> Git:
        return self.builder.git

    @property
    def sample(self) -> Sample:
        return chain_sample(self.commits)


def chain_sample(commits: Sequence[str], file: str = "a.py") -> Sample:
    spec = FileCommitChainSpec(
        file=file,
        times_seen_consecutively=len(commits),
        purity=1,
        newest_commit=commits[-1],
        oldest_commit=commits[0],
    )
    return Sample(
        id="case_file_commit_chain_0000", name="test/case", programming_language="python",
        sample_type="file_commit_chain", difficulty="easy", spec=spec,
    )  # fmt: skip


def make_chain(
    path: Path, base: Files | None, *steps: Files | tuple[Files, bytes], algorithm: str = "sha1"
) -> RebaseCase:
    """A repository with a base commit (None: without) and a commit for each step: its files, perhaps its message."""
    builder = RepositoryBuilder(path, algorithm=algorithm)
    below = None if base is None else builder.commit(base, message=b"The base\n")
    ids = [] if below is None else [below]
    for number, step in enumerate(steps):
        files, message = step if isinstance(step, tuple) else (step, b"Step %d\n" % number)
        ids.append(builder.commit(files, ids[-1:], message))
    builder.branch("main", ids[-1])
    return RebaseCase(builder, below, tuple(ids if below is None else ids[1:]))


@contextmanager
def begin(
    case: RebaseCase, provider: SandboxProvider, tools: ToolSet = ToolSet.PUBLISHED, history: int | None = None
) -> Iterator[tuple[Any, Sandbox]]:
    """The case's episode, in a sandbox of its own."""
    with provider.open(run_id="test", episode_id="case") as sandbox:
        yield IR.prepare(case.sample, case.store, sandbox, EpisodeOptions(tools, history)), sandbox


def update(episode: Any, *items: tuple[int, str] | tuple[int, str, str]) -> str:
    """Plan the items: commit, command, and perhaps a message."""
    listed: list[dict[str, Any]] = []
    for commit, command, *message in items:
        listed.append({"commit_index": commit, "command": command, **({"commit_msg": message[0]} if message else {})})
    return call(episode, "update_rebase_todo_list", rebase_todo_list_items=listed)


def play(
    case: RebaseCase, provider: SandboxProvider, agent: str, tools: ToolSet = ToolSet.PUBLISHED
) -> tuple[Verdict, Trajectory, list[Commit]]:
    """Run a reference agent on the case; also the commits that it left above the base, oldest first."""
    with begin(case, provider, tools) as (episode, _):
        trajectory = ReferenceAgent(agent, {"ir": IR.reference_agents()[agent]}).run(episode, Budget())
        outcome = episode.outcome()
    return score(case, outcome), trajectory, left_commits(case, outcome)


def score(case: RebaseCase, outcome: Outcome) -> Verdict:
    verdict: Verdict = IR.score(case.sample, case.store, outcome)
    return verdict


def left_commits(case: RebaseCase, outcome: Outcome) -> list[Commit]:
    """The commits that an outcome has above the base, oldest first."""
    return [commit for commit, _ in left_history(case, outcome)]


def left_history(case: RebaseCase, outcome: Outcome) -> list[tuple[Commit, dict[bytes, bytes | None]]]:
    """The commits that an outcome has above the base, oldest first, each with the bytes of its files."""
    assert outcome.head is not None
    with ScratchRepository(case.git) as scratch:
        if outcome.bundle is not None:
            scratch.import_bundle(outcome.bundle)
        above = [] if case.base is None else [f"^{case.base}"]
        listed = scratch.git.run("rev-list", "--reverse", "--first-parent", outcome.head, *above)
        commits = read_commits(scratch.git, listed.decode().split())
        return [(commit, _files(scratch.git, commit.tree)) for commit in commits]


def _files(git: Git, tree: str) -> dict[bytes, bytes | None]:
    entries = read_tree(git, tree)
    blobs = read_blobs(git, [entry.oid for entry in entries.values()])
    return {path: blobs[entry.oid] for path, entry in entries.items()}


ALL_MET = {
    "finished": True,
    "base_is_ancestor": True,
    "linear": True,
    "no_empty_commits": True,
    "final_tree_exact": True,
    "nothing_uncommitted": True,
    "history_changed": True,
}
FIRST = b"def one():\n    return 1\n\n\ndef two():\n    return 2\n"
SECOND = FIRST.replace(b"return 2", b"return 3")
BROKEN = SECOND.replace(b"def one():", b"def one(:")
THIRD = SECOND.replace(b"return 1", b"return 11")


def three_commits(path: Path) -> RebaseCase:
    """A chain of which the second commit breaks the syntax of what the third mends, with two messages."""
    return make_chain(
        path,
        {b"a.py": b"x = 0\n"},
        ({b"a.py": FIRST}, b"Add one and two\n"),
        ({b"a.py": BROKEN}, b"Added three\n"),
        ({b"a.py": THIRD}, b"Added three\n"),
    )
