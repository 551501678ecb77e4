"""One chain being rebased, and how a sample becomes such an episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import GitGoodBenchError, SetupFailed
from gitgoodbench.git.commits import Commit, read_commits
from gitgoodbench.git.histories import ChainHistory, read_history
from gitgoodbench.git.process import Git
from gitgoodbench.jsontypes import Json
from gitgoodbench.plugin.episode import Setting, ToolboxEpisode, building_workspace, without_state
from gitgoodbench.sample_types.specs import FileCommitChainSpec, chain_spec
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.scenario import EpisodeOptions, ToolSet
from gitgoodbench.shell_tools import SHELLS, ShellTools
from gitgoodbench.workspace.build import build_workspace, check_out, left_out_facts, workspace_git
from gitgoodbench.workspace.chain import CommitChain, open_chain
from gitgoodbench.workspace.history import boundary_behind
from gitgoodbench.workspace.outcome import Outcome, take_outcome, undone
from gitgoodbench.workspace.store import RepositoryStore

from .extended import ExtendedRebaseTools
from .prompt import rebase_prompt
from .tools import RebaseTools

BRANCH = "work"

MAX_VIEWED_BYTES = 64 * 1024 * 1024
"""Bytes of one commit's patch that the tools show, page by page."""


@dataclass(frozen=True)
class Reference:
    """What reference agents know of the chain: the repository that it comes from, and the chain in it."""

    mirror: Git
    base: Commit | None
    commits: tuple[Commit, ...]


class RebaseEpisode(ToolboxEpisode[RebaseTools | ShellTools]):
    """An Episode (see gitgoodbench.scenario) of interactive rebase."""

    def __init__(
        self,
        sandbox: Sandbox,
        git: Git,
        tools: RebaseTools | ShellTools,
        setting: RebaseSetting,
        *,
        strict_tools: bool = False,
    ) -> None:
        super().__init__(sandbox, git, tools, setting.prompt, setting.facts, strict_tools=strict_tools)
        self.reference = setting.reference

    @property
    def reminder(self) -> str:
        if self.has_shell:
            return "You have not called finish. Rewrite the commits and call finish, or go on with run_command."
        return "The rebase has not been carried out. Update the plan if it is not right yet, then call execute_rebase."

    def begin_answer(self) -> None:
        if isinstance(self.toolbox, RebaseTools):
            self.toolbox.begin_answer()

    def outcome(self) -> Outcome:
        """What was left; its state also says whether the episode was `finished`, and how often a rebase conflicted."""
        left = take_outcome(self.git, [self.reference.commits[-1].oid])
        state: dict[str, Json] = {**left.state, "finished": self.finished}
        if isinstance(self.toolbox, RebaseTools):
            state["conflicting_rebases"] = self.toolbox.conflicts
        else:
            state["rebase_in_progress"] = _is_rebasing(self.git)
        return replace(left, state=state)


@dataclass(frozen=True, kw_only=True)
class RebaseSetting(Setting):
    """A chain that is to be rebased."""

    chain: CommitChain
    boundary: Sequence[str]
    history: ChainHistory
    reference: Reference


def lay_out(sandbox: Sandbox, setting: RebaseSetting) -> RebaseSetting:
    """Check the chain out on a branch of its own inside the sandbox, with the history below it and nothing above."""
    newest = setting.chain.newest
    with building_workspace():
        git = build_workspace(sandbox, setting.reference.mirror, {BRANCH: newest}, boundary=setting.boundary)
        left_out = check_out(git, newest)
        return setting.with_facts(left_out_facts(left_out, _changed(setting.reference) if left_out else ()))


def begin(sandbox: Sandbox, setting: RebaseSetting, options: EpisodeOptions) -> RebaseEpisode:
    """Begin the rebase."""
    git = workspace_git(sandbox)
    tools = _toolbox(sandbox, git, setting, options.tool_set)
    return RebaseEpisode(sandbox, git, tools, setting, strict_tools=options.strict_tools)


def read(sample: Sample, store: RepositoryStore, options: EpisodeOptions) -> RebaseSetting:
    """The chain, with all that an agent will be given.

    Raises:
        SetupFailed: a commit or a content that it changes is missing, or the chain holds a merge.
    """
    mirror, chain = open_rebase_chain(sample, store)
    try:
        reference = _reference(mirror, chain)
        history = read_history(mirror, chain.base, chain.newest, patch_limit=MAX_VIEWED_BYTES)
        boundary = _boundary(mirror, chain, options.history)
    except GitGoodBenchError as problem:
        raise SetupFailed(f"the chain cannot be read: {problem}") from problem
    tools = without_state(_KINDS[options.tool_set]).tools()
    examples, language = [tool.example for tool in tools], sample.programming_language
    prompt = rebase_prompt(history.commits, language, options.tool_set, examples, root=chain.base is None)
    facts = _facts(chain_spec(sample), chain, history)
    return RebaseSetting(
        chain=chain, boundary=boundary, history=history, reference=reference, tools=tools, prompt=prompt, facts=facts
    )


def open_rebase_chain(sample: Sample, store: RepositoryStore) -> tuple[Git, CommitChain]:
    """The sample's repository and chain, which must be one that can be replayed commit by commit.

    Raises:
        SetupFailed: it is too short, or holds a merge.
    """
    spec = chain_spec(sample)
    mirror, chain = open_chain(store, sample.name, spec.newest_commit, spec.times_seen_consecutively)
    if chain.merges:
        raise SetupFailed(f"the chain holds the merge {chain.merges[0]}, which a rebase cannot replay")
    return mirror, chain


def _reference(mirror: Git, chain: CommitChain) -> Reference:
    base = read_commits(mirror, [chain.base])[0] if chain.base is not None else None
    return Reference(mirror, base, tuple(read_commits(mirror, chain.commits)))


def _changed(reference: Reference) -> set[bytes]:
    """Paths that one of the commits changes."""
    commits = "".join(f"{commit.oid}\n" for commit in reference.commits).encode()
    options = ("--stdin", "--root", "-r", "-z", "--no-commit-id", "--name-only", "--no-renames")
    return set(reference.mirror.run("diff-tree", *options, stdin=commits).split(b"\0")) - {b""}


def _boundary(mirror: Git, chain: CommitChain, history: int | None) -> tuple[str, ...]:
    if history is None or chain.base is None:
        return ()
    return boundary_behind(mirror, [chain.base], history)


_KINDS: Final[Mapping[ToolSet, type[RebaseTools | ShellTools]]] = {
    ToolSet.PUBLISHED: RebaseTools,
    ToolSet.EXTENDED: ExtendedRebaseTools,
    **SHELLS,
}


def _toolbox(sandbox: Sandbox, git: Git, setting: RebaseSetting, tool_set: ToolSet) -> RebaseTools | ShellTools:
    reference = setting.reference
    kind = _KINDS[tool_set]
    if issubclass(kind, RebaseTools):
        return kind(git, reference.base, reference.commits, setting.history.commits)
    tree = reference.commits[-1].tree
    return kind(sandbox, lambda: undone(git, tree))


def _facts(spec: FileCommitChainSpec, chain: CommitChain, history: ChainHistory) -> dict[str, Json]:
    return {
        "commits": len(chain.commits),
        "from_root": chain.base is None,
        "oldest_as_in_row": chain.commits[0] == spec.oldest_commit,
        "patch_bytes": sum(len(view.patch) for view in history.commits),
    }


def _is_rebasing(git: Git) -> bool:
    """Whether a rebase of the agent's waits to be continued."""
    names = ("rebase-merge", "rebase-apply")
    return any(git.executor.exec(["test", "-e", f"{git.git_dir}/{name}"]).returncode == 0 for name in names)
