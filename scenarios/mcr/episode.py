"""One merge being worked on, and how a sample becomes one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.attainable import Solution, solve, truth_blobs_needed
from gitgoodbench.git.conflict_text import Region
from gitgoodbench.git.conflicts import ConflictModel, PathConflict, read_conflicts
from gitgoodbench.git.entries import describe_entries
from gitgoodbench.git.objects import Entry, Tree, read_blobs, read_tree
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.jsontypes import Json
from gitgoodbench.plugin.episode import Setting, ToolboxEpisode, building_workspace, without_state
from gitgoodbench.sample_types.specs import MergeSpec, merge_spec
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.scenario import EpisodeOptions, ToolSet
from gitgoodbench.shell_tools import SHELLS, ShellTools
from gitgoodbench.tools import Tool
from gitgoodbench.workspace.build import build_workspace, left_out_facts, stop_at_conflicts, workspace_git
from gitgoodbench.workspace.history import merge_boundary
from gitgoodbench.workspace.outcome import Outcome, take_outcome, undone
from gitgoodbench.workspace.scratch import ScratchRepository
from gitgoodbench.workspace.store import RepositoryStore

from .extended import ExtendedMergeTools
from .prompt import merge_prompt, newer_side
from .resolution import Resolution
from .tools import MergeTools, offered
from .working_tree import WorkingTree


@dataclass(frozen=True)
class Reference:
    """What only the harness may know: the real merge. Reference agents use it; no tool does."""

    mirror: Git
    merge_commit: str
    tree: Tree
    solution: Solution


class MergeEpisode(ToolboxEpisode[MergeTools | ShellTools]):
    """An Episode (see gitgoodbench.scenario) of merge conflict resolution."""

    def __init__(
        self,
        sandbox: Sandbox,
        git: Git,
        tools: MergeTools | ShellTools,
        setting: MergeSetting,
        *,
        strict_tools: bool = False,
    ) -> None:
        super().__init__(sandbox, git, tools, setting.prompt, setting.facts, strict_tools=strict_tools)
        self.resolution = setting.resolution
        self.parents = setting.parents
        self.reference = setting.reference

    @property
    def reminder(self) -> str:
        if self.has_shell:
            return "You have not called finish. Commit the merge and call finish, or go on with run_command."
        remaining = self.resolution.remaining
        if remaining:
            return f"{remaining} conflict{' remains' if remaining == 1 else 's remain'}. Go on by calling a tool."
        return "The merge is not committed. Call finish to commit it."

    def outcome(self) -> Outcome:
        return take_outcome(self.git, self.parents)


@dataclass(frozen=True, kw_only=True)
class MergeSetting(Setting):
    """A merge that is to be resolved. scratch: the repository in which it was replayed; it goes with the setting."""

    scratch: ScratchRepository
    parents: tuple[str, str]
    boundary: Sequence[str]
    resolution: Resolution
    reference: Reference


def lay_out(sandbox: Sandbox, setting: MergeSetting) -> MergeSetting:
    """Bring the sandbox to where the merge stops at its conflicts."""
    local, incoming = setting.parents
    replay = setting.resolution.model.replay
    branches = {"local": local, "incoming": incoming}
    with building_workspace():
        git = build_workspace(sandbox, setting.scratch.git, branches, boundary=setting.boundary, trees=[replay.tree])
        left_out = stop_at_conflicts(sandbox, git, replay, incoming)
    return setting.with_facts(left_out_facts(left_out, replay.conflicted))


def begin(sandbox: Sandbox, setting: MergeSetting, options: EpisodeOptions) -> MergeEpisode:
    """Begin with no conflict resolved."""
    setting = replace(setting, resolution=setting.resolution.anew())
    git = workspace_git(sandbox)
    tools = _toolbox(sandbox, git, setting, options.tool_set)
    return MergeEpisode(sandbox, git, tools, setting, strict_tools=options.strict_tools)


def read(sample: Sample, store: RepositoryStore, options: EpisodeOptions) -> MergeSetting:
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


def _setting(sample: Sample, mirror: Git, scratch: ScratchRepository, options: EpisodeOptions) -> MergeSetting:
    spec = merge_spec(sample)
    try:
        model = read_conflicts(scratch.git, scratch.replay(*spec.parents))
        reference = _reference(mirror, spec, model)
        boundary = merge_boundary(mirror, spec.parents, options.history) if options.history is not None else ()
        age = newer_side(mirror, spec.parents)
        resolution = Resolution(model, describe_entries(scratch.git, _placed(model)))
    except GitError as problem:
        raise SetupFailed(f"the merge cannot be replayed: {problem}") from problem
    if model.replay.clean:
        raise SetupFailed(f"merging {spec.parents[1]} into {spec.parents[0]} has no conflict")
    tools = _offered(model, options.tool_set)
    examples = [tool.example for tool in tools]
    prompt = merge_prompt(resolution, sample.programming_language, options.tool_set, examples, age)
    facts = _facts(spec, model, reference.solution)
    return MergeSetting(
        scratch=scratch, parents=spec.parents, boundary=boundary, resolution=resolution, reference=reference,
        tools=tools, prompt=prompt, facts=facts,
    )  # fmt: skip


def _placed(model: ConflictModel) -> list[Entry | None]:
    """The entries that choices can place."""
    paths = [conflict for conflict in model.conflicts if isinstance(conflict, PathConflict)]
    return [entry for conflict in paths for placed in conflict.placements.values() for entry in placed.values()]


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


def _reference(mirror: Git, spec: MergeSpec, model: ConflictModel) -> Reference:
    listing = ("rev-list", "--objects", "--no-object-names", "--missing=print")
    new = mirror.run(*listing, spec.merge_commit_hash, "--not", *spec.parents).decode().split()
    missing = [oid.removeprefix("?") for oid in new if oid.startswith("?")]
    if missing:
        raise SetupFailed(f"the repository lacks content of the real merge: {missing[0]}")
    tree = read_tree(mirror, spec.merge_commit_hash)
    blobs = read_blobs(mirror, truth_blobs_needed(model, tree))
    return Reference(mirror, spec.merge_commit_hash, tree, solve(model, tree, blobs))


_KINDS: Final = {ToolSet.PUBLISHED: MergeTools, ToolSet.EXTENDED: ExtendedMergeTools}


def _offered(model: ConflictModel, tool_set: ToolSet) -> Sequence[Tool]:
    if tool_set in SHELLS:
        return without_state(SHELLS[tool_set]).tools()
    return offered(without_state(_KINDS[tool_set]), model)


def _toolbox(sandbox: Sandbox, git: Git, setting: MergeSetting, tool_set: ToolSet) -> MergeTools | ShellTools:
    if tool_set in SHELLS:
        return SHELLS[tool_set](sandbox, lambda: undone(git))
    files = WorkingTree(sandbox, git, setting.resolution.model.automatic)
    return _KINDS[tool_set](setting.resolution, files, git, setting.parents)


def _lines(region: Region) -> int:
    """Lines of both sides."""
    return sum(side.count(b"\n") + (not side.endswith(b"\n")) for side in (region.local, region.incoming) if side)


def _facts(spec: MergeSpec, model: ConflictModel, solution: Solution) -> dict[str, Json]:
    return {
        "attainable": solution.attainable,
        "conflicts": len(model.conflicts),
        "text_conflicts": len(model.text_conflicts),
        "files_in_conflict": len(model.paths),
        "conflict_lines": sum(_lines(model.region(conflict)) for conflict in model.text_conflicts),
        "conflicts_in_row": spec.total_number_of_merge_conflicts,
        "automatic_tree": model.replay.tree,
    }
