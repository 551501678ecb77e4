"""Sample type `file_commit_chain`: consecutive commits that all modify one file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from gitgoodbench.dataset.findings import Finding
from gitgoodbench.dataset.rows import COMMIT, LONG_TEXT
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git
from gitgoodbench.mining.contract import Figure, MinedType, Miner, Walk
from gitgoodbench.mining.records import MinedRow
from gitgoodbench.mining.rules import Filter, FilterSettings
from gitgoodbench.plugin_options import options_in
from gitgoodbench.sample_types.chain_check import check_chain
from gitgoodbench.sample_types.chains import ChainColumns, ChainMiner, ChainOptions
from gitgoodbench.sample_types.specs import FileCommitChainSpec


class FileCommitChains(MinedType):
    """See the module."""

    spec = FileCommitChainSpec
    columns = ChainColumns
    options = ChainOptions
    rank = 2
    title = "chains"
    summary = "chains of commits that modify one file"
    expected: ClassVar[Mapping[str, str]] = {
        "file": "a path",
        "branch": LONG_TEXT,
        "times_seen_consecutively": "a whole number, 1 or more",
        "purity": "a number from 0 to 1",
        "newest_commit": COMMIT,
        "oldest_commit": COMMIT,
    }

    def commits(self, spec: FileCommitChainSpec) -> list[str]:
        return [spec.newest_commit, spec.oldest_commit]

    def validate(self, repository: Git, spec: FileCommitChainSpec) -> Iterator[Finding]:
        """Compare commits, file and purity with the repository."""
        yield from check_chain(repository, spec)

    def features(self, spec: FileCommitChainSpec) -> dict[str, float]:
        return {"purity": spec.purity}

    def fingerprint_fields(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        return {"merge": None, "chain": spec}

    def miner(self, walk: Walk) -> Miner:
        return ChainMiner(walk)

    def shown(self, row: MinedRow) -> Sequence[str]:
        return _columns(row).commits or self.commits(_spec(row))

    def identity(self, row: MinedRow) -> tuple[object, ...]:
        return (*_columns(row).commits, _spec(row).file)

    def filters(self) -> tuple[Filter, ...]:
        return (
            Filter("chain-length", _describe_length, _is_of_length),
            Filter("purity", lambda s: f"chains with a purity >= {_bounds(s).min_purity:g}", _is_pure),
            Filter(
                "chain-files",
                lambda _: "chains that change source files alone",
                lambda row, _: _columns(row).sources_only,
            ),
        )

    def describe(self, row: MinedRow, repository: Git, *, content: bool = False) -> Iterator[str]:  # noqa: ARG002
        """Its file, its size and its commits, oldest first."""
        spec, commits = _spec(row), _columns(row).commits
        size = f"{spec.times_seen_consecutively} commits, purity {spec.purity:g}"
        yield f"{show_path(spec.file.encode('utf-8', 'surrogateescape'))}, {size}"
        shown = repository.run("log", "--no-walk=unsorted", "-z", "--format=%H %s", *commits).decode("utf-8", "replace")
        yield from (f"    {line[:10]} {line.partition(' ')[2]}" for line in shown.split("\0") if line)


def _spec(row: MinedRow) -> FileCommitChainSpec:
    return row.candidate.spec_as(FileCommitChainSpec)


def _columns(row: MinedRow) -> ChainColumns:
    return row.candidate.columns_as(ChainColumns)


def _bounds(settings: FilterSettings) -> ChainOptions:
    return options_in(settings.own, ChainOptions)


def _describe_length(settings: FilterSettings) -> str:
    return f"chains of {_bounds(settings).min_commits} to {_bounds(settings).max_commits} commits"


def _is_of_length(row: MinedRow, settings: FilterSettings) -> bool:
    bounds = _bounds(settings)
    return bounds.min_commits <= _spec(row).times_seen_consecutively <= bounds.max_commits


def _is_pure(row: MinedRow, settings: FilterSettings) -> bool:
    return _spec(row).purity >= _bounds(settings).min_purity


def _draw_chains(rows: Sequence[MinedRow], axes: Any) -> None:
    chains = [_spec(row) for row in rows]
    lengths = sorted({chain.times_seen_consecutively for chain in chains})
    purities = [[chain.purity for chain in chains if chain.times_seen_consecutively == length] for length in lengths]
    axes.hist(
        purities, bins=[0.5, 0.6, 0.7, 0.8, 0.9, 1.0], stacked=True, label=[f"{length} commits" for length in lengths]
    )
    axes.legend()
    axes.set_xlabel("purity")
    axes.set_ylabel("chains")


FileCommitChains.figures = (Figure("chains.png", "Commits and purity of a chain", _draw_chains),)
