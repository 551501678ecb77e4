"""Sample type `merge`: a merge of two parents that conflicted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from gitgoodbench.dataset.findings import Finding
from gitgoodbench.dataset.rows import COMMIT, COUNT
from gitgoodbench.dataset.sample import DIFFICULTIES
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git
from gitgoodbench.mining.contract import Figure, MinedType, Miner, Walk
from gitgoodbench.mining.markdown import table
from gitgoodbench.mining.records import MinedRow
from gitgoodbench.mining.rules import Filter, FilterSettings
from gitgoodbench.mining.statistics import by_difficulty, rows_frame
from gitgoodbench.plugin_options import Alias, options_in
from gitgoodbench.sample_types.merge_check import check_merge
from gitgoodbench.sample_types.merges import MergeColumns, MergeMiner
from gitgoodbench.sample_types.specs import MergeSpec
from gitgoodbench.stories.merge import Conflict, merge_automatically, split_conflicts
from gitgoodbench.text import markdown_cell


class MergeOptions(BaseModel):
    """Bounds of the rows of a dataset."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    min_conflicts: int = Field(default=1, ge=0, description="Conflicts of a merge in a dataset, at least.")
    max_conflicts: Annotated[int, Alias("max-conflicts")] = Field(
        default=8, ge=1, description="Conflicts of a merge in a dataset, at most."
    )
    attainable_only: Annotated[bool, Alias("attainable-only")] = Field(
        default=False, description="Only merges whose truth can be reached from their conflicts: --with attainable."
    )


class Merges(MinedType):
    """See the module."""

    spec = MergeSpec
    columns = MergeColumns
    options = MergeOptions
    rank = 1
    title = "merges"
    summary = "merges that conflict"
    expected: ClassVar[Mapping[str, str]] = {
        "merge_commit_hash": COMMIT,
        "parents": f"a list of two commits, each {COMMIT}",
        "number_of_files_with_merge_conflict": COUNT,
        "total_number_of_merge_conflicts": COUNT,
        "files_in_merge_conflict": "a list of paths",
    }

    def commits(self, spec: MergeSpec) -> list[str]:
        return [spec.merge_commit_hash, *spec.parents]

    def validate(self, repository: Git, spec: MergeSpec) -> Iterator[Finding]:
        """Compare the listed conflicts with the replay of the merge."""
        yield from check_merge(repository, spec)

    def fingerprint_fields(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        return {"merge": spec, "chain": None}

    def miner(self, walk: Walk) -> Miner:
        return MergeMiner(walk)

    def identity(self, row: MinedRow) -> tuple[object, ...]:
        return (_spec(row).merge_commit_hash,)

    def filters(self) -> tuple[Filter, ...]:
        return (
            Filter("conflicts", _describe_bounds, _has_conflicts),
            Filter("merge-files", lambda s: f"merges with conflicts in {s.suffix_list} alone", _in_sources),
            Filter(
                "attainable",
                lambda _: "merges whose truth can be reached from their conflicts alone",
                lambda row, _: _columns(row).attainable is not False,
                on_demand=True,
                asked_by=lambda settings: options_in(settings.own, MergeOptions).attainable_only,
            ),
        )

    def section(self, rows: Sequence[MinedRow]) -> str:
        """How many merges can be matched at all, by language and difficulty, and what kinds of conflicts they have."""
        attainable = Counter((row.language, row.candidate.difficulty) for row in rows if _columns(row).attainable)
        lines = [
            [markdown_cell(language), *(f"{attainable[language, name]} of {count[name]}" for name in DIFFICULTIES)]
            for (language,), count in by_difficulty(rows_frame(rows), "language")
        ]
        kinds = Counter(kind for row in rows for file in _columns(row).files for kind in file.kinds)
        listed = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        return (
            "Merges whose truth differs from the automatic merge inside the conflicts alone (an agent that only "
            f"answers conflicts can match no others):\n\n{table(['language', *DIFFICULTIES], lines)}\n\n"
            f"Kinds of conflicts, counted by file: {listed}."
        )

    def describe(self, row: MinedRow, repository: Git, *, content: bool = False) -> Iterator[str]:
        """Its subject and the files in conflict; with `content`, the text of every region."""
        spec = _spec(row)
        yield repository.line("log", "--no-walk", "--format=%s", "--end-of-options", spec.merge_commit_hash)
        for file in _columns(row).files:
            yield f"    {file.path}: {file.regions} region(s), {', '.join(file.kinds) or 'conflict'}"
        if content:
            yield from _regions(repository, spec)


def _spec(row: MinedRow) -> MergeSpec:
    return row.candidate.spec_as(MergeSpec)


def _columns(row: MinedRow) -> MergeColumns:
    return row.candidate.columns_as(MergeColumns)


def _describe_bounds(settings: FilterSettings) -> str:
    bounds = options_in(settings.own, MergeOptions)
    return f"merges of {bounds.min_conflicts} to {bounds.max_conflicts} conflicts"


def _has_conflicts(row: MinedRow, settings: FilterSettings) -> bool:
    spec, bounds = _spec(row), options_in(settings.own, MergeOptions)
    listed = bool(spec.files_in_merge_conflict)
    return listed and bounds.min_conflicts <= spec.total_number_of_merge_conflicts <= bounds.max_conflicts


def _in_sources(row: MinedRow, settings: FilterSettings) -> bool:
    return all(_bytes(path).endswith(settings.suffixes) for path in _spec(row).files_in_merge_conflict)


def _draw_conflicts(rows: Sequence[MinedRow], axes: Any) -> None:
    count = Counter(_spec(row).total_number_of_merge_conflicts for row in rows)
    axes.bar(list(count), list(count.values()), color="#4f6d7a")
    axes.set_xlabel("conflicts")
    axes.set_ylabel("merges")


Merges.figures = (Figure("conflicts.png", "Conflicts of a merge", _draw_conflicts),)


def _regions(repository: Git, spec: MergeSpec) -> Iterator[str]:
    files = merge_automatically(repository, *spec.parents).files
    for path in spec.files_in_merge_conflict:
        _, data = files.get(_bytes(path), (b"", b""))
        found = [part for part in split_conflicts(data) if isinstance(part, Conflict)]
        for number, region in enumerate(found, 1):
            for side, text in (
                (f"{show_path(_bytes(path))}, region {number}, ours", region.ours),
                ("theirs", region.theirs),
            ):
                yield f"      --- {side}"
                yield from (f"      |{line}" for line in text.decode("utf-8", "replace").split("\n")[:-1])


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
