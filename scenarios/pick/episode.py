"""One pick being worked on, and how a sample becomes one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import GitGoodBenchError, SetupFailed
from gitgoodbench.git.commits import read_commits
from gitgoodbench.git.conflicts import ConflictModel, read_conflicts
from gitgoodbench.git.objects import read_blobs
from gitgoodbench.git.picks import NotPickable, PickedCommit, read_picked
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.plugin.episode import without_state
from gitgoodbench.resolving import episode as resolving
from gitgoodbench.resolving.episode import (
    ResolvingEpisode,
    ResolvingSetting,
    conflict_facts,
    read_reference,
    resolution_of,
)
from gitgoodbench.resolving.rules import PICK_RULES, Material, is_core
from gitgoodbench.resolving.task import Task
from gitgoodbench.resolving.tools import ResolvingTools, offered
from gitgoodbench.resolving.working_tree import WorkingTree
from gitgoodbench.sample_types.specs import CherryPickSpec
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.scenario import EpisodeOptions, ToolSet
from gitgoodbench.shell_tools import SHELLS, ShellTools
from gitgoodbench.tools import Tool
from gitgoodbench.workspace.build import Stop, workspace_git
from gitgoodbench.workspace.history import boundary_behind
from gitgoodbench.workspace.outcome import undone
from gitgoodbench.workspace.scratch import ScratchRepository
from gitgoodbench.workspace.store import RepositoryStore

from .prompt import pick_prompt
from .tools import ExtendedPickTools, PickTools

_HEADS: Final = {"pick": "CHERRY_PICK_HEAD", "revert": "REVERT_HEAD"}


@dataclass(frozen=True, kw_only=True)
class PickSetting(ResolvingSetting):
    """A pick that is to be finished."""

    picked: PickedCommit


@dataclass(frozen=True)
class OpenedPick:
    """The row of a sample with its repository, which is only read, and the commit that is picked."""

    spec: CherryPickSpec
    mirror: Git
    picked: PickedCommit

    @property
    def begun_with(self) -> tuple[str, str]:
        return self.spec.onto, self.spec.picked_commit


def open_pick(sample: Sample, store: RepositoryStore) -> OpenedPick:
    """Open a sample's repository and check its row against it.

    Raises:
        SetupFailed: a commit is missing, the real commit is not one on `onto` alone, the picked one cannot be picked
            so, or its history holds the real commit.
    """
    if not isinstance(sample.spec, CherryPickSpec):
        raise SetupFailed(f"sample {sample.id} is no cherry-pick")
    spec = sample.spec
    commits = [spec.result_commit, spec.onto, spec.picked_commit]
    mirror = store.mirror(sample.name, commits).borrow()
    try:
        (result,) = read_commits(mirror, [spec.result_commit])
        picked = read_picked(mirror, spec.operation, spec.picked_commit, spec.mainline)
    except NotPickable as problem:
        raise SetupFailed(f"the row asks for what cannot be: {problem}") from problem
    except GitGoodBenchError as problem:
        raise SetupFailed(f"the repository cannot be read: {problem}") from problem
    if result.parents != (spec.onto,):
        has = " ".join(result.parents) or "none"
        raise SetupFailed(f"the row says that {result.oid} stands on {spec.onto} alone, but its parents are: {has}")
    if mirror.execute("merge-base", "--is-ancestor", spec.result_commit, spec.picked_commit).returncode == 0:
        raise SetupFailed(f"the history of {spec.picked_commit} holds the real commit {spec.result_commit}")
    return OpenedPick(spec, mirror, picked)


def lay_out(sandbox: Sandbox, setting: PickSetting) -> PickSetting:
    """Bring the sandbox to where Git stops at the conflicts."""
    picked = setting.picked
    stop = Stop(picked.message, {_HEADS[picked.operation]: f"{picked.oid}\n".encode()})
    laid_out = resolving.lay_out(sandbox, setting, stop)
    assert isinstance(laid_out, PickSetting)
    return laid_out


def begin(sandbox: Sandbox, setting: PickSetting, options: EpisodeOptions) -> ResolvingEpisode:
    """Begin with no conflict resolved."""
    setting = replace(setting, resolution=setting.resolution.anew())
    git = workspace_git(sandbox)
    tools = _toolbox(sandbox, git, setting, options.tool_set)
    return ResolvingEpisode(sandbox, git, tools, setting, strict_tools=options.strict_tools)


def read(sample: Sample, store: RepositoryStore, options: EpisodeOptions) -> PickSetting:
    """The pick replayed, with all that an agent will be given.

    Raises:
        SetupFailed: as `open_pick`, or nothing conflicts.
    """
    opened = open_pick(sample, store)
    scratch = ScratchRepository(opened.mirror)
    try:
        return _setting(sample, opened, scratch, options)
    except BaseException:
        scratch.close()
        raise


def _setting(sample: Sample, opened: OpenedPick, scratch: ScratchRepository, options: EpisodeOptions) -> PickSetting:
    spec, mirror, picked = opened.spec, opened.mirror, opened.picked
    try:
        model = read_conflicts(scratch.git, scratch.replay_pick(spec.onto, picked))
        reference = read_reference(mirror, spec.result_commit, opened.begun_with, model, spec.operation)
        depth = options.history
        boundary = () if depth is None else boundary_behind(mirror, opened.begun_with, max(1, depth))
        resolution = resolution_of(scratch.git, model)
    except GitError as problem:
        raise SetupFailed(f"the pick cannot be replayed: {problem}") from problem
    if model.replay.clean:
        raise SetupFailed(f"{picked.oid} has no conflict with {spec.onto}")
    core = is_core(Material(scratch.git, model, lambda oids: read_blobs(scratch.git, oids)), PICK_RULES, reference.tree)
    tools = _offered(model, options.tool_set)
    examples = [tool.example for tool in tools]
    prompt = pick_prompt(resolution, picked, sample.programming_language, options.tool_set, examples)
    facts = {
        **conflict_facts(model, reference.solution),
        "core": core,
        "revert": picked.operation == "revert",
        "conflicts_in_row": spec.total_number_of_conflicts,
    }
    return PickSetting(
        scratch=scratch, task=task_of(opened), boundary=boundary, resolution=resolution, reference=reference,
        tools=tools, prompt=prompt, facts=facts, picked=picked,
    )  # fmt: skip


def task_of(opened: OpenedPick) -> Task:
    """What ends the pick: one commit on `onto`."""
    spec, picked = opened.spec, opened.picked
    nothing = opened.mirror.line("hash-object", "-t", "tree", "--stdin", stdin=b"")
    return Task(
        noun=spec.operation,
        begun_with=opened.begun_with,
        parents=(spec.onto,),
        sides=(spec.onto, picked.other or nothing),
        message=picked.message,
        pending=(_HEADS[spec.operation],),
    )


_KINDS: Final = {ToolSet.PUBLISHED: PickTools, ToolSet.EXTENDED: ExtendedPickTools}


def _offered(model: ConflictModel, tool_set: ToolSet) -> Sequence[Tool]:
    if tool_set in SHELLS:
        return without_state(SHELLS[tool_set]).tools()
    return offered(without_state(_KINDS[tool_set]), model)


def _toolbox(sandbox: Sandbox, git: Git, setting: PickSetting, tool_set: ToolSet) -> ResolvingTools | ShellTools:
    if tool_set in SHELLS:
        return SHELLS[tool_set](sandbox, lambda: undone(git))
    files = WorkingTree(sandbox, git, setting.resolution.model.automatic)
    return _KINDS[tool_set](setting.resolution, files, git, setting.task, setting.picked)
