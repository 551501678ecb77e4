"""One chain's changes being committed, and how a sample becomes such an episode."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.commits import read_commits
from gitgoodbench.git.entries import describe_entries
from gitgoodbench.git.histories import HistoryError, read_patch
from gitgoodbench.git.objects import SUBMODULE, Entry, blob_sizes, stage
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.git.text import encoding_of, to_text
from gitgoodbench.jsontypes import Json
from gitgoodbench.plugin.episode import Setting, ToolboxEpisode, building_workspace, without_state
from gitgoodbench.sample_types.specs import chain_spec
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.scenario import EpisodeOptions, ToolSet
from gitgoodbench.shell_tools import SHELLS, ShellTools
from gitgoodbench.tools import Tool
from gitgoodbench.workspace.build import build_workspace, check_out, left_out_facts, workspace_git
from gitgoodbench.workspace.chain import CommitChain, open_chain
from gitgoodbench.workspace.history import boundary_behind
from gitgoodbench.workspace.outcome import Outcome, take_outcome, undone
from gitgoodbench.workspace.store import RepositoryStore

from .changes import FileChange, read_changes, with_text
from .division import Division
from .grouping import Grouping, read_grouping
from .nearest import is_attainable
from .options import CommitOptions
from .prompt import commit_prompt
from .tools import CommitTools, ExtendedCommitTools, offered

BRANCH = "main"

MAX_REST_BYTES = 64 * 1024 * 1024
"""Bytes of the changes in other files that can be viewed."""


@dataclass(frozen=True)
class Reference:
    """What only the harness may know: the real commits. Reference agents use it; no tool does."""

    mirror: Git
    chain: CommitChain
    messages: tuple[bytes, ...]
    grouping: Grouping


class CommitEpisode(ToolboxEpisode[CommitTools | ShellTools]):
    """An Episode (see gitgoodbench.scenario) of iterative committing."""

    def __init__(
        self,
        sandbox: Sandbox,
        git: Git,
        tools: CommitTools | ShellTools,
        setting: CommitSetting,
        *,
        strict_tools: bool = False,
    ) -> None:
        super().__init__(sandbox, git, tools, setting.prompt, setting.facts, strict_tools=strict_tools)
        self.division = setting.division
        self.base = setting.base
        self.reference = setting.reference

    @property
    def reminder(self) -> str:
        if self.has_shell:
            return "You have not called finish. Commit everything and call finish, or go on with run_command."
        count = len(self.division.remaining)
        if count:
            return f"{count} hunk{' is' if count == 1 else 's are'} not committed yet. Go on by calling a tool."
        return "Other files are not committed yet. Call commit_remaining_changes."

    def begin_answer(self) -> None:
        self.division.begin_answer()

    def outcome(self) -> Outcome:
        """What was left; its state also says whether the episode was `finished`, and whose `hunks` were offered."""
        left = take_outcome(self.git, [self.base])
        return replace(left, state={**left.state, "finished": self.finished, "hunks": self.facts["hunks_offered"]})


@dataclass(frozen=True, kw_only=True)
class CommitSetting(Setting):
    """A chain whose changes are to be committed."""

    base: str
    changes: Sequence[FileChange]
    boundary: Sequence[str]
    division: Division
    reference: Reference


def lay_out(sandbox: Sandbox, setting: CommitSetting) -> CommitSetting:
    """Put the contents at the chain's end, uncommitted, over its base inside the sandbox."""
    with building_workspace():
        left_out = _build(sandbox, setting)
    changed = {path for change in setting.changes for path in (change.old_path, change.new_path)}
    return setting.with_facts(left_out_facts(left_out, changed))


def begin(sandbox: Sandbox, setting: CommitSetting, options: EpisodeOptions) -> CommitEpisode:
    """Begin with nothing committed."""
    setting = replace(setting, division=setting.division.anew())
    git = workspace_git(sandbox)
    tools = _toolbox(sandbox, git, setting, options)
    return CommitEpisode(sandbox, git, tools, setting, strict_tools=options.strict_tools)


def read(sample: Sample, store: RepositoryStore, options: EpisodeOptions) -> CommitSetting:
    """The chain, with all that an agent will be given.

    Raises:
        SetupFailed: a commit or content is missing, the chain has no base, or it leaves its file as it was.
    """
    mirror, chain, base = open_based_chain(sample, store)
    try:
        changes = read_changes(mirror, base, chain.newest, renames=options.of(CommitOptions).hunks == "all")
        offered, rest = _divide(mirror, changes, chain_file(sample), options)
        _check_present(mirror, changes)
        reference = _reference(mirror, chain, offered)
        entries = (entry for change in changes for entry in (change.before, change.after))
        descriptions = describe_entries(mirror, entries)
        division = Division(offered, rest, descriptions, _show_patch(mirror, base, chain.newest, rest))
        facts = _facts(division, changes, reference, options)
        boundary = boundary_behind(mirror, [base], options.history) if options.history is not None else ()
    except (GitError, HistoryError) as problem:
        raise SetupFailed(f"the chain cannot be read: {problem}") from problem
    tools = _offered(division, options)
    examples = [tool.example for tool in tools]
    prompt = commit_prompt(division, sample.programming_language, options, examples)
    return CommitSetting(
        base=base, changes=changes, boundary=boundary, division=division, reference=reference,
        tools=tools, prompt=prompt, facts=facts,
    )  # fmt: skip


def open_based_chain(sample: Sample, store: RepositoryStore) -> tuple[Git, CommitChain, str]:
    """The sample's repository, its chain, and the commit below that.

    Raises:
        SetupFailed: it is too short, or begins with a root commit.
    """
    spec = chain_spec(sample)
    mirror, chain = open_chain(store, sample.name, spec.newest_commit, spec.times_seen_consecutively)
    if chain.base is None:
        raise SetupFailed(f"the chain of {chain.newest} begins with a root commit: it has no base")
    return mirror, chain, chain.base


def chain_file(sample: Sample) -> bytes:
    """The path of the file that the chain is about."""
    return os.fsencode(chain_spec(sample).file)


def _show_patch(mirror: Git, base: str, newest: str, changes: Sequence[FileChange]) -> str:
    """The changes of some files as a review shows them."""
    paths = sorted({path for change in changes for path in (change.old_path, change.new_path)})
    patch = read_patch(mirror, base, newest, paths, limit=MAX_REST_BYTES)
    more = "" if len(patch) < MAX_REST_BYTES else f"\n[what follows the first {MAX_REST_BYTES} bytes is left out]"
    return to_text(patch, encoding_of(patch)) + more


def _divide(
    mirror: Git, changes: Sequence[FileChange], path: bytes, options: EpisodeOptions
) -> tuple[list[FileChange], list[FileChange]]:
    """The files whose hunks are offered, with their text, and the others."""
    paired = options.tool_set is ToolSet.EXTENDED
    if options.of(CommitOptions).hunks == "all":
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


def _build(sandbox: Sandbox, setting: CommitSetting) -> Sequence[bytes]:
    """A repository with the base on a branch and in the index, and the final contents in the working tree; the paths
    of files that are left out of that.
    """
    base, changes = setting.base, setting.changes
    blobs = sorted({entry.oid for _, entry in _final_blobs(changes)})
    mirror = setting.reference.mirror
    git = build_workspace(sandbox, mirror, {BRANCH: base}, boundary=setting.boundary, trees=blobs)
    left_out = check_out(git, base, _together(change.at_end for change in changes))
    stage(git, _together(change.at_base for change in changes))
    return left_out


def _together(states: Iterable[Mapping[bytes, Entry | None]]) -> dict[bytes, Entry | None]:
    """What goes comes first: a file can stand where a folder was."""
    entries = [item for state in states for item in state.items()]
    return dict(sorted(entries, key=lambda item: item[1] is not None))


_KINDS: Final = {ToolSet.PUBLISHED: CommitTools, ToolSet.EXTENDED: ExtendedCommitTools}


def _offered(division: Division, options: EpisodeOptions) -> Sequence[Tool]:
    if options.tool_set in SHELLS:
        return without_state(SHELLS[options.tool_set]).tools()
    box = without_state(_KINDS[options.tool_set])
    return offered(box, division, one_file=options.of(CommitOptions).hunks == "chain-file")


def _toolbox(sandbox: Sandbox, git: Git, setting: CommitSetting, options: EpisodeOptions) -> CommitTools | ShellTools:
    if options.tool_set in SHELLS:
        return SHELLS[options.tool_set](sandbox, lambda: undone(git))
    kind = _KINDS[options.tool_set]
    return kind(setting.division, git, setting.base, one_file=options.of(CommitOptions).hunks == "chain-file")


def _facts(
    division: Division, changes: Sequence[FileChange], reference: Reference, options: EpisodeOptions
) -> dict[str, Json]:
    grouping, offered = reference.grouping, division.offered
    hunks = len(division.remaining)
    return {
        "hunks_offered": options.of(CommitOptions).hunks,
        "hunks": hunks,
        "splittable": hunks > 1,
        "hunks_pure": grouping.all_pure(offered),
        "attainable": _attainable(division, reference, options),
        "commits": len(reference.chain.commits),
        "commits_visible": grouping.visible(offered),
        "files_changed": len(changes),
    }


def _attainable(division: Division, reference: Reference, options: EpisodeOptions) -> bool | None:
    """Whether the tools of the episode can make the real commits; None where an object of the chain is missing."""
    if not reference.grouping.known:
        return None
    if options.tool_set.has_shell:
        return True
    split = options.tool_set is ToolSet.EXTENDED
    return is_attainable(reference.mirror, reference.chain, division, reference.grouping, split=split)
