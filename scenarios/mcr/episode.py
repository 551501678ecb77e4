"""One merge being worked on, and how a sample becomes one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.conflicts import ConflictModel, read_conflicts
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
from gitgoodbench.resolving.extended import EditingTools
from gitgoodbench.resolving.task import merge_task
from gitgoodbench.resolving.tools import ResolvingTools, offered
from gitgoodbench.resolving.working_tree import WorkingTree
from gitgoodbench.sample_types.specs import MergeSpec, merge_spec
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.scenario import EpisodeOptions, ToolSet
from gitgoodbench.shell_tools import SHELLS, ShellTools
from gitgoodbench.tools import Tool
from gitgoodbench.workspace.build import merge_stop, workspace_git
from gitgoodbench.workspace.history import merge_boundary
from gitgoodbench.workspace.outcome import undone
from gitgoodbench.workspace.scratch import ScratchRepository
from gitgoodbench.workspace.store import RepositoryStore

from .prompt import merge_prompt, newer_side


def lay_out(sandbox: Sandbox, setting: ResolvingSetting) -> ResolvingSetting:
    """Bring the sandbox to where the merge stops at its conflicts."""
    return resolving.lay_out(sandbox, setting, merge_stop(setting.task.begun_with[1]))


def begin(sandbox: Sandbox, setting: ResolvingSetting, options: EpisodeOptions) -> ResolvingEpisode:
    """Begin with no conflict resolved."""
    setting = replace(setting, resolution=setting.resolution.anew())
    git = workspace_git(sandbox)
    tools = _toolbox(sandbox, git, setting, options.tool_set)
    return ResolvingEpisode(sandbox, git, tools, setting, strict_tools=options.strict_tools)


def read(sample: Sample, store: RepositoryStore, options: EpisodeOptions) -> ResolvingSetting:
    """The merge replayed, with all that an agent will be given.

    Raises:
        SetupFailed: a commit is missing, the row's parents are not the merge's, or the merge has no conflict.
    """
    spec = merge_spec(sample)
    mirror = store.mirror(sample.name, [spec.merge_commit_hash, *spec.parents]).borrow()
    check_parents(mirror, spec)
    scratch = ScratchRepository(mirror)
    try:
        return _setting(sample, mirror, scratch, options)
    except BaseException:
        scratch.close()
        raise


def _setting(sample: Sample, mirror: Git, scratch: ScratchRepository, options: EpisodeOptions) -> ResolvingSetting:
    spec = merge_spec(sample)
    try:
        model = read_conflicts(scratch.git, scratch.replay(*spec.parents))
        reference = read_reference(mirror, spec.merge_commit_hash, spec.parents, model, "merge")
        boundary = merge_boundary(mirror, spec.parents, options.history) if options.history is not None else ()
        age = newer_side(mirror, spec.parents)
        resolution = resolution_of(scratch.git, model)
    except GitError as problem:
        raise SetupFailed(f"the merge cannot be replayed: {problem}") from problem
    if model.replay.clean:
        raise SetupFailed(f"merging {spec.parents[1]} into {spec.parents[0]} has no conflict")
    tools = _offered(model, options.tool_set)
    examples = [tool.example for tool in tools]
    prompt = merge_prompt(resolution, sample.programming_language, options.tool_set, examples, age)
    facts = {**conflict_facts(model, reference.solution), "conflicts_in_row": spec.total_number_of_merge_conflicts}
    return ResolvingSetting(
        scratch=scratch, task=merge_task(spec.parents), boundary=boundary, resolution=resolution, reference=reference,
        tools=tools, prompt=prompt, facts=facts,
    )  # fmt: skip


def check_parents(mirror: Git, spec: MergeSpec) -> None:
    """The row must name the two parents of its merge commit.

    Raises:
        SetupFailed: it does not.
    """
    listed = mirror.line("rev-list", "--parents", "--max-count=1", "--end-of-options", spec.merge_commit_hash)
    parents = listed.split()[1:]
    if sorted(parents) != sorted(spec.parents):
        has = " ".join(parents) or "none"
        raise SetupFailed(f"the row names the parents {' '.join(spec.parents)}, but {spec.merge_commit_hash} has {has}")


_KINDS: Final = {ToolSet.PUBLISHED: ResolvingTools, ToolSet.EXTENDED: EditingTools}


def _offered(model: ConflictModel, tool_set: ToolSet) -> Sequence[Tool]:
    if tool_set in SHELLS:
        return without_state(SHELLS[tool_set]).tools()
    return offered(without_state(_KINDS[tool_set]), model)


def _toolbox(sandbox: Sandbox, git: Git, setting: ResolvingSetting, tool_set: ToolSet) -> ResolvingTools | ShellTools:
    if tool_set in SHELLS:
        return SHELLS[tool_set](sandbox, lambda: undone(git))
    files = WorkingTree(sandbox, git, setting.resolution.model.automatic)
    return _KINDS[tool_set](setting.resolution, files, git, setting.task)
