"""Conflicts being worked on: what a sample becomes, whatever operation of Git it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.attainable import Solution, solve, truth_blobs_needed
from gitgoodbench.git.conflict_text import Region
from gitgoodbench.git.conflicts import ConflictModel, PathConflict
from gitgoodbench.git.entries import describe_entries
from gitgoodbench.git.objects import Entry, Tree, read_blobs, read_tree
from gitgoodbench.git.process import Git
from gitgoodbench.jsontypes import Json
from gitgoodbench.plugin.episode import Setting, ToolboxEpisode, building_workspace
from gitgoodbench.resolving.resolution import Resolution
from gitgoodbench.resolving.task import Task
from gitgoodbench.resolving.tools import ResolvingTools
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.shell_tools import ShellTools
from gitgoodbench.workspace.build import Stop, build_workspace, left_out_facts, stop_at_conflicts
from gitgoodbench.workspace.outcome import Outcome, take_outcome
from gitgoodbench.workspace.scratch import ScratchRepository


@dataclass(frozen=True)
class Reference:
    """What only the harness may know: the real commit. Reference agents use it; no tool does."""

    mirror: Git
    commit: str
    tree: Tree
    solution: Solution


@dataclass(frozen=True, kw_only=True)
class ResolvingSetting(Setting):
    """Conflicts that are to be resolved.

    scratch: the repository in which they were replayed; it goes with the setting.
    """

    scratch: ScratchRepository
    task: Task
    boundary: Sequence[str]
    resolution: Resolution
    reference: Reference


class ResolvingEpisode(ToolboxEpisode[ResolvingTools | ShellTools]):
    """An Episode (see gitgoodbench.scenario) of resolving conflicts."""

    def __init__(
        self,
        sandbox: Sandbox,
        git: Git,
        tools: ResolvingTools | ShellTools,
        setting: ResolvingSetting,
        *,
        strict_tools: bool = False,
    ) -> None:
        super().__init__(sandbox, git, tools, setting.prompt, setting.facts, strict_tools=strict_tools)
        self.resolution = setting.resolution
        self.task = setting.task
        self.reference = setting.reference
        self._scratch = setting.scratch  # is there as long as this is

    @property
    def replayed(self) -> Git:
        """The repository on this machine that holds what was replayed, for reference agents."""
        return self._scratch.git

    @property
    def reminder(self) -> str:
        if self.has_shell:
            return (
                f"You have not called finish. Commit the {self.task.noun} and call finish, or go on with run_command."
            )
        remaining = self.resolution.remaining
        if remaining:
            return f"{remaining} conflict{' remains' if remaining == 1 else 's remain'}. Go on by calling a tool."
        return f"The {self.task.noun} is not committed. Call finish to commit it."

    def outcome(self) -> Outcome:
        return take_outcome(self.git, self.task.begun_with)


def lay_out(sandbox: Sandbox, setting: ResolvingSetting, stop: Stop) -> ResolvingSetting:
    """Bring the sandbox to where Git stops at the conflicts."""
    local, incoming = setting.task.begun_with
    replay = setting.resolution.model.replay
    branches = {"local": local, "incoming": incoming}
    with building_workspace():
        git = build_workspace(sandbox, setting.scratch.git, branches, boundary=setting.boundary, trees=[replay.tree])
        left_out = stop_at_conflicts(sandbox, git, replay, stop)
    return setting.with_facts(left_out_facts(left_out, replay.conflicted))


def resolution_of(git: Git, model: ConflictModel) -> Resolution:
    """The conflicts without an answer, and what choices place described."""
    return Resolution(model, describe_entries(git, _placed(model)))


def _placed(model: ConflictModel) -> list[Entry | None]:
    """The entries that choices can place."""
    paths = [conflict for conflict in model.conflicts if isinstance(conflict, PathConflict)]
    return [entry for conflict in paths for placed in conflict.placements.values() for entry in placed.values()]


def read_reference(mirror: Git, commit: str, known: Sequence[str], model: ConflictModel, noun: str) -> Reference:
    """The real commit, and what answers come nearest to it.

    known: commits whose contents may be missing: an agent has them as they are.

    Raises:
        SetupFailed: content of the real commit is missing.
    """
    listing = ("rev-list", "--objects", "--no-object-names", "--missing=print")
    new = mirror.run(*listing, commit, "--not", *known).decode().split()
    missing = [oid.removeprefix("?") for oid in new if oid.startswith("?")]
    if missing:
        raise SetupFailed(f"the repository lacks content of the real {noun}: {missing[0]}")
    tree = read_tree(mirror, commit)
    blobs = read_blobs(mirror, truth_blobs_needed(model, tree))
    return Reference(mirror, commit, tree, solve(model, tree, blobs))


def conflict_facts(model: ConflictModel, solution: Solution) -> dict[str, Json]:
    """What a result says of the conflicts."""
    return {
        "attainable": solution.attainable,
        "conflicts": len(model.conflicts),
        "text_conflicts": len(model.text_conflicts),
        "files_in_conflict": len(model.paths),
        "conflict_lines": sum(_lines(model.region(conflict)) for conflict in model.text_conflicts),
        "automatic_tree": model.replay.tree,
    }


def _lines(region: Region) -> int:
    """Lines of both sides."""
    return sum(side.count(b"\n") + (not side.endswith(b"\n")) for side in (region.local, region.incoming) if side)
