"""One chain's changes being committed, and how a sample becomes such an episode."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import InfrastructureFailed, SetupFailed
from gitgoodbench.git.commits import read_commits
from gitgoodbench.git.objects import SUBMODULE, Entry, blob_sizes, stage
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.jsontypes import Json
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.scenario import EpisodeOptions, Message, ToolSet
from gitgoodbench.shell_tools import ShellTools
from gitgoodbench.tools import Tool
from gitgoodbench.workspace.build import build_workspace, check_out
from gitgoodbench.workspace.chain import CommitChain, chain_spec, read_chain
from gitgoodbench.workspace.history import chain_boundary
from gitgoodbench.workspace.outcome import Outcome, take_outcome
from gitgoodbench.workspace.store import RepositoryStore

from .changes import FileChange, read_changes, with_text
from .division import Division
from .grouping import Grouping, read_grouping
from .prompt import commit_prompt
from .tools import CommitTools, ExtendedCommitTools

BRANCH = "main"


@dataclass(frozen=True)
class Reference:
    """What only the harness may know: the real commits. Reference agents use it; no tool does."""

    mirror: Git
    chain: CommitChain
    messages: tuple[bytes, ...]
    grouping: Grouping


class CommitEpisode:
    """An Episode (see gitgoodbench.scenario) of iterative committing."""

    def __init__(
        self,
        sandbox: Sandbox,
        git: Git,
        tools: CommitTools | ShellTools,
        division: Division,
        prompt: Sequence[Message],
        facts: Mapping[str, Json],
        base: str,
        reference: Reference,
    ) -> None:
        self.sandbox = sandbox
        self.git = git
        self.toolbox = tools
        self.division = division
        self.prompt = prompt
        self.facts = facts
        self.base = base
        self.reference = reference
        self.tools: Sequence[Tool] = tools.tools()
        self.done_by_oracle = False

    @property
    def finished(self) -> bool:
        return self.toolbox.finished or self.done_by_oracle

    @property
    def reminder(self) -> str:
        if isinstance(self.toolbox, ShellTools):
            return "You have not called finish. Commit everything and call finish, or go on with run_command."
        count = len(self.division.remaining)
        if count:
            return f"{count} hunk{' is' if count == 1 else 's are'} not committed yet. Go on by calling a tool."
        return "Other files are not committed yet. Call commit_remaining_changes."

    def outcome(self) -> Outcome:
        """What was left; its state also says whether the episode was `finished`, and whose `hunks` were offered."""
        left = take_outcome(self.git, [self.base])
        return replace(left, state={**left.state, "finished": self.finished, "hunks": self.facts["hunks_offered"]})


def prepare(sample: Sample, store: RepositoryStore, sandbox: Sandbox, options: EpisodeOptions) -> CommitEpisode:
    """Put the contents at the chain's end, uncommitted, over its base inside the sandbox.

    Raises:
        SetupFailed: a commit or content is missing, the chain has no base, or it leaves its file as it was.
    """
    spec = chain_spec(sample)
    mirror = Git(store.git_dir(sample.name, [spec.newest_commit]))
    chain = read_chain(mirror, spec)
    if chain.base is None:
        raise SetupFailed(f"the chain of {spec.newest_commit} begins with a root commit: it has no base")
    try:
        changes = read_changes(mirror, chain.base, chain.newest, renames=options.hunks == "all")
        offered, rest = _divide(mirror, changes, os.fsencode(spec.file), options)
        _check_present(mirror, changes)
        reference = _reference(mirror, chain, offered)
        boundary = chain_boundary(mirror, chain.base, options.history) if options.history is not None else ()
    except GitError as problem:
        raise SetupFailed(f"the chain cannot be read: {problem}") from problem
    try:
        git = _workspace(sandbox, mirror, chain.base, changes, boundary)
    except GitError as problem:
        raise InfrastructureFailed(f"the workspace cannot be built: {problem}") from problem
    division = Division(offered, rest)
    return CommitEpisode(
        sandbox=sandbox,
        git=git,
        tools=_toolbox(sandbox, git, division, chain.base, options),
        division=division,
        prompt=commit_prompt(division, sample.programming_language, options),
        facts=_facts(division, changes, reference, options),
        base=chain.base,
        reference=reference,
    )


def _divide(
    mirror: Git, changes: Sequence[FileChange], path: bytes, options: EpisodeOptions
) -> tuple[list[FileChange], list[FileChange]]:
    """The files whose hunks are offered, with their text, and the others."""
    paired = options.tool_set is ToolSet.EXTENDED
    if options.hunks == "all":
        if not changes:
            raise SetupFailed("the chain leaves all files as they were")
        return [with_text(mirror, change, paired=paired) for change in changes], []
    chosen = [with_text(mirror, change, paired=paired) for change in changes if change.new_path == path]
    if not chosen:
        raise SetupFailed(f"the chain leaves its file {show_path(path)} as it was")
    return chosen, [change for change in changes if change.new_path != path]


def _check_present(mirror: Git, changes: Sequence[FileChange]) -> None:
    """The contents at the end of the chain must all be there to be laid out."""
    finals = {entry.oid: path for path, entry in _final_blobs(changes)}
    for oid, size in blob_sizes(mirror, finals).items():
        if size is None:
            raise SetupFailed(f"the repository lacks the content {oid} of {show_path(finals[oid])}")


def _final_blobs(changes: Iterable[FileChange]) -> Iterator[tuple[bytes, Entry]]:
    for change in changes:
        if change.after is not None and change.after.mode != SUBMODULE:
            yield change.new_path, change.after


def _reference(mirror: Git, chain: CommitChain, offered: Sequence[FileChange]) -> Reference:
    messages = tuple(commit.message for commit in read_commits(mirror, chain.commits))
    return Reference(mirror, chain, messages, read_grouping(mirror, chain, offered))


def _workspace(sandbox: Sandbox, mirror: Git, base: str, changes: Sequence[FileChange], boundary: Sequence[str]) -> Git:
    """A repository with the base on a branch and in the index, and the final contents in the working tree."""
    blobs = sorted({entry.oid for _, entry in _final_blobs(changes)})
    git = build_workspace(sandbox, mirror, {BRANCH: base}, boundary=boundary, trees=blobs)
    check_out(git, base, _together(change.at_end for change in changes))
    stage(git, _together(change.at_base for change in changes))
    return git


def _together(states: Iterable[Mapping[bytes, Entry | None]]) -> dict[bytes, Entry | None]:
    """What goes comes first: a file can stand where a folder was."""
    entries = [item for state in states for item in state.items()]
    return dict(sorted(entries, key=lambda item: item[1] is not None))


def _toolbox(
    sandbox: Sandbox, git: Git, division: Division, base: str, options: EpisodeOptions
) -> CommitTools | ShellTools:
    if options.tool_set is ToolSet.SHELL:
        return ShellTools(sandbox)
    kind = ExtendedCommitTools if options.tool_set is ToolSet.EXTENDED else CommitTools
    return kind(division, git, base, one_file=options.hunks == "chain-file")


def _facts(
    division: Division, changes: Sequence[FileChange], reference: Reference, options: EpisodeOptions
) -> dict[str, Json]:
    grouping, offered = reference.grouping, division.offered
    hunks = len(division.remaining)
    return {
        "hunks_offered": options.hunks,
        "hunks": hunks,
        "splittable": hunks > 1,
        "attainable": grouping.attainable(offered),
        "commits": len(reference.chain.commits),
        "commits_visible": grouping.visible(offered),
        "files_changed": len(changes),
    }
