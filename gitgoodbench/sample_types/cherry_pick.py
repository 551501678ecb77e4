"""Sample type `cherry_pick`: a commit that was applied somewhere else, or undone, and conflicted there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field

from gitgoodbench.dataset.findings import Finding, Kind
from gitgoodbench.dataset.rows import COMMIT, COUNT
from gitgoodbench.dataset.sample import DIFFICULTIES
from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.commits import read_commits
from gitgoodbench.git.conflicts import read_conflicts
from gitgoodbench.git.picks import NotPickable, read_picked
from gitgoodbench.git.process import Git
from gitgoodbench.mining.contract import Figure, MinedType, Miner, Walk
from gitgoodbench.mining.markdown import table
from gitgoodbench.mining.records import MinedRow
from gitgoodbench.mining.rules import Filter, FilterSettings
from gitgoodbench.mining.statistics import by_difficulty, rows_frame
from gitgoodbench.plugin_options import options_in
from gitgoodbench.sample_types.merge_check import CONFLICTS, FILES
from gitgoodbench.sample_types.pick_columns import CherryPickColumns
from gitgoodbench.sample_types.picks import CherryPickMiner
from gitgoodbench.sample_types.specs import CherryPickSpec
from gitgoodbench.text import markdown_cell
from gitgoodbench.workspace.scratch import ScratchRepository

_OPERATION: Final = "pick or revert"


class CherryPickOptions(BaseModel):
    """Bounds of the rows of a dataset."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_conflicts: int = Field(default=8, ge=1, description="Conflicts of a pick in a dataset, at most.")
    attainable_only: bool = Field(
        default=False, description="Only picks whose truth can be reached from their conflicts: --with pick-attainable."
    )
    core_only: bool = Field(default=False, description="Only picks that no rule solves: --with core.")


class CherryPicks(MinedType):
    """See the module."""

    spec = CherryPickSpec
    columns = CherryPickColumns
    options = CherryPickOptions
    rank = 3
    title = "cherry-picks"
    kind = "picks"
    summary = "commits that were picked or reverted with conflicts"
    expected: ClassVar[Mapping[str, str]] = {
        "operation": _OPERATION,
        "picked_commit": COMMIT,
        "mainline": "the number of a parent, or null",
        "onto": COMMIT,
        "result_commit": COMMIT,
        "files_in_conflict": "a list of paths",
        "number_of_files": COUNT,
        "total_number_of_conflicts": COUNT,
    }

    def commits(self, spec: CherryPickSpec) -> list[str]:
        return [spec.result_commit, spec.onto, spec.picked_commit]

    def validate(self, repository: Git, spec: CherryPickSpec) -> Iterator[Finding]:
        """Compare the listed conflicts with the replay of the pick."""
        try:
            (result,) = read_commits(repository, [spec.result_commit])
            if result.parents != (spec.onto,):
                has = " ".join(result.parents) or "none"
                yield Finding(Kind.SETUP, f"the parents of {spec.result_commit} are {has}, not {spec.onto} alone")
                return
            picked = read_picked(repository, spec.operation, spec.picked_commit, spec.mainline)
        except NotPickable as problem:
            yield Finding(Kind.SETUP, str(problem))
            return
        except GitGoodBenchError as problem:
            yield Finding(Kind.SETUP, f"the repository cannot be read: {problem}")
            return
        with ScratchRepository(repository) as scratch:
            replay = scratch.replay_pick(spec.onto, picked)
            model = read_conflicts(scratch.git, replay)
        found = {path.decode("utf-8", "surrogateescape") for path in (*replay.conflicted, *model.paths)}
        listed = set(spec.files_in_conflict)
        if found != listed or len(found) != spec.number_of_files:
            parts = [f"{spec.number_of_files} listed, {len(found)} found"]
            parts += [f"not in conflict: {path!a}" for path in sorted(listed - found)]
            parts += [f"not listed: {path!a}" for path in sorted(found - listed)]
            yield Finding(FILES, "; ".join(parts))
        if len(model.conflicts) != spec.total_number_of_conflicts:
            yield Finding(CONFLICTS, f"{spec.total_number_of_conflicts} listed, {len(model.conflicts)} found")

    def miner(self, walk: Walk) -> Miner:
        return CherryPickMiner(walk)

    def features(self, spec: CherryPickSpec) -> dict[str, float]:
        return {"picked merge": float(spec.mainline is not None)}

    def identity(self, row: MinedRow) -> tuple[object, ...]:
        return (_spec(row).result_commit,)

    def filters(self) -> tuple[Filter, ...]:
        return (
            Filter("pick-conflicts", _describe_bounds, _has_conflicts),
            Filter("pick-files", lambda s: f"picks with conflicts in {s.suffix_list} alone", _in_sources),
            Filter(
                "pick-attainable",
                lambda _: "picks whose truth can be reached from their conflicts alone",
                lambda row, _: _columns(row).attainable is not False,
                on_demand=True,
                asked_by=lambda settings: options_in(settings.own, CherryPickOptions).attainable_only,
            ),
            Filter(
                "core",
                lambda _: "picks that no rule solves",
                lambda row, _: _columns(row).core,
                on_demand=True,
                asked_by=lambda settings: options_in(settings.own, CherryPickOptions).core_only,
            ),
        )

    def section(self, rows: Sequence[MinedRow]) -> str:
        """What can be matched and what rules solve, by language and difficulty, and kinds of conflicts."""
        attainable = Counter((row.language, row.candidate.difficulty) for row in rows if _columns(row).attainable)
        core = Counter((row.language, row.candidate.difficulty) for row in rows if _columns(row).core)
        lines = [
            [
                markdown_cell(language),
                *(f"{attainable[language, name]}, {core[language, name]} of {count[name]}" for name in DIFFICULTIES),
            ]
            for (language,), count in by_difficulty(rows_frame(rows), "language")
        ]
        kinds = Counter(kind for row in rows for file in _columns(row).files for kind in file.kinds)
        listed = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        reverts = sum(_spec(row).operation == "revert" for row in rows)
        merges = sum(_spec(row).mainline is not None for row in rows)
        return (
            "Picks whose truth differs from the automatic pick inside the conflicts alone (attainable), and picks that "
            f"none of the rules solves (core), of all:\n\n{table(['language', *DIFFICULTIES], lines)}\n\n"
            f"{reverts} of {len(rows)} are reverts, {merges} are of merges. "
            f"Kinds of conflicts, counted by file: {listed}."
        )

    def describe(self, row: MinedRow, repository: Git, *, content: bool = False) -> Iterator[str]:
        """Its subject and the files in conflict; with `content`, every file as the pick leaves it."""
        spec = _spec(row)
        subject = repository.line("log", "--no-walk", "--format=%s", "--end-of-options", spec.result_commit)
        columns = _columns(row)
        yield f"{spec.operation}: {subject}{'' if columns.attainable else ' (not attainable)'}"
        for file in columns.files:
            yield f"    {file.path}: {file.regions} region(s), {', '.join(file.kinds) or 'conflict'}"
        if content:
            picked = read_picked(repository, spec.operation, spec.picked_commit, spec.mainline)
            with ScratchRepository(repository) as scratch:
                model = read_conflicts(scratch.git, scratch.replay_pick(spec.onto, picked))
            for merged in model.files.values():
                for region in merged.regions:
                    yield from (f"      |{line}" for line in region.text.decode("utf-8", "replace").split("\n")[:-1])


def _spec(row: MinedRow) -> CherryPickSpec:
    return row.candidate.spec_as(CherryPickSpec)


def _columns(row: MinedRow) -> CherryPickColumns:
    return row.candidate.columns_as(CherryPickColumns)


def _describe_bounds(settings: FilterSettings) -> str:
    return f"picks of 1 to {options_in(settings.own, CherryPickOptions).max_conflicts} conflicts"


def _has_conflicts(row: MinedRow, settings: FilterSettings) -> bool:
    spec, bounds = _spec(row), options_in(settings.own, CherryPickOptions)
    return bool(spec.files_in_conflict) and 1 <= spec.total_number_of_conflicts <= bounds.max_conflicts


def _in_sources(row: MinedRow, settings: FilterSettings) -> bool:
    return all(
        path.encode("utf-8", "surrogateescape").endswith(settings.suffixes) for path in _spec(row).files_in_conflict
    )


def _draw_conflicts(rows: Sequence[MinedRow], axes: Any) -> None:
    count = Counter(_spec(row).total_number_of_conflicts for row in rows)
    axes.bar(list(count), list(count.values()), color="#7a4f6d")
    axes.set_xlabel("conflicts")
    axes.set_ylabel("picks")


CherryPicks.figures = (Figure("pick-conflicts.png", "Conflicts of a pick", _draw_conflicts),)
