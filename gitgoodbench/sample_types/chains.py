"""File-commit chains: runs of commits that all modify one file.

A run of a file F is a sequence of commits, each the only parent of the next, in each of which F, a regular file before
and after, is modified (Git's status M; renames are not followed, so F is neither added nor deleted nor renamed inside).
It is maximal: neither the parent of the oldest nor a child of the newest could be added. Where history forks, every
way up is a run of its own, and the runs share what lies below the fork; commits of parallel branches are never in one.

Runs are cut from their oldest commit on into windows of `max_commits` commits; the last, at the newest end, holds what
remains and is dropped if that is less than `min_commits`. So windows of one run do not overlap; a window that lies
below a fork is the same for all runs through it and is found once; and a history that grows at its newest end keeps
every full window it had. The base of a chain, the parent of its oldest commit, always exists.

Memory: the windows not yet full at the tips of the walk, never whole runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from gitgoodbench.git.process import Git
from gitgoodbench.mining.branches import branches_of
from gitgoodbench.mining.contract import Found, Miner, Walk
from gitgoodbench.mining.diffs import CommitDiff, State, read_diffs, state_after, state_before
from gitgoodbench.mining.history import Commit
from gitgoodbench.mining.options import SOURCE_SUFFIXES
from gitgoodbench.mining.sketches import digest_of, sketches_of
from gitgoodbench.mining.spool import Spool
from gitgoodbench.plugin_options import Alias, options_in
from gitgoodbench.sample_types.chain_hunks import read_hunks
from gitgoodbench.sample_types.specs import FileCommitChainSpec

_COMMITS_AT_ONCE: Final = 256


class ChainOptions(BaseModel):
    """Bounds of what is mined, and of the rows of a dataset."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    min_commits: Annotated[int, Alias("min-chain")] = Field(
        default=3, ge=1, description="Commits of a chain, at least."
    )
    max_commits: Annotated[int, Alias("max-chain")] = Field(default=6, ge=1, description="Commits of a chain, at most.")
    min_purity: float = Field(default=0.5, ge=0, le=1, description="Purity of a chain in a dataset, at least.")

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        if self.min_commits > self.max_commits:
            raise ValueError(f"chains of {self.min_commits} to {self.max_commits} commits cannot be")
        return self


class ChainColumns(BaseModel):
    """What the mined file says of a chain besides: see `Chain`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    base: str | None = None
    commits: tuple[str, ...] = ()
    file_lines: int | None = None
    all_lines: int | None = None
    sources_only: bool | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """A file-commit chain. `commits` from the oldest to the newest; `base` is the parent of the oldest.

    committed, begun: when the newest was, and when the first one of them was, as Unix time in seconds. dated: whether
        all their dates can be believed.
    file_lines, all_lines: added and removed lines over all commits, in the chain's file and in all files; files whose
        changes cancel out over the chain are left out, binary files and changes of mode have none.
    sources_only: whether the commits change source files alone: of the benchmark's languages or those mined for.
    sketches, content: of the hunks that the commits make in the file (see `sketches`).
    """

    path: bytes
    base: str
    commits: tuple[str, ...]
    committed: int
    file_lines: int
    all_lines: int
    sources_only: bool
    begun: int
    sketches: tuple[str, ...]
    content: str | None
    dated: bool = True

    @property
    def purity(self) -> float:
        """Share of the file in the changed lines, rounded to two places (GitGoodBench, section 3); 0 without any."""
        if not self.all_lines:
            return 0.0
        return float((Decimal(self.file_lines) / self.all_lines).quantize(Decimal("0.01"), ROUND_HALF_UP))

    @property
    def difficulty(self) -> Literal["easy", "medium", "hard"] | None:
        """As published: easy is purity 1, medium from 0.75, hard from 0.5; None below."""
        if self.purity < 0.5:
            return None
        return "easy" if self.purity == 1 else "medium" if self.purity >= 0.75 else "hard"


@dataclass(frozen=True, slots=True)
class Window:
    """A chain before its lines are counted."""

    path: bytes
    base: str
    commits: tuple[str, ...]
    committed: int
    begun: int
    dated: bool = True


@dataclass(slots=True)
class _Run:
    """The newest window of a run that ends, so far, in some commit."""

    window: Window
    continued: bool = False


@dataclass(slots=True)
class _Tip:
    """A commit with children yet to come, and the runs that end in it."""

    children: int
    runs: dict[bytes, _Run]


class WindowFinder:
    """Is shown every commit, parents first, and gives each window as soon as it is certain."""

    def __init__(self, limits: ChainOptions, suffixes: tuple[bytes, ...]) -> None:
        self._limits = limits
        self._suffixes = suffixes
        self._tips: dict[str, _Tip] = {}

    def visit(self, commit: Commit) -> Iterator[Window]:
        runs = self._runs(commit)
        yield from (run.window for run in runs.values() if self._full(run))
        for parent in dict.fromkeys(commit.parents):
            tip = self._tips.get(parent)
            if tip is not None:
                tip.children -= 1
                if not tip.children:
                    del self._tips[parent]
                    yield from self._remains(tip.runs)
        if commit.children:
            self._tips[commit.oid] = _Tip(commit.children, runs)
        else:
            yield from self._remains(runs)

    def _runs(self, commit: Commit) -> dict[bytes, _Run]:
        if len(commit.parents) != 1 or commit.parents[0] not in self._tips:
            return {}
        (parent,) = commit.parents
        below = self._tips[parent].runs
        runs = {}
        for header, path in commit.changes or ():
            if not path.endswith(self._suffixes) or not _modifies_file(header):
                continue
            window = Window(path, parent, (commit.oid,), commit.committed, commit.committed, commit.dated)
            run = below.get(path)
            if run is not None:
                run.continued = True
                if not self._full(run):
                    begun = min(run.window.begun, commit.committed)
                    commits = (*run.window.commits, commit.oid)
                    dated = run.window.dated and commit.dated
                    window = replace(window, base=run.window.base, commits=commits, begun=begun, dated=dated)
            runs[path] = _Run(window)
        return runs

    def _full(self, run: _Run) -> bool:
        return len(run.window.commits) == self._limits.max_commits

    def _remains(self, runs: Mapping[bytes, _Run]) -> Iterator[Window]:
        for run in runs.values():
            if not run.continued and self._limits.min_commits <= len(run.window.commits) < self._limits.max_commits:
                yield run.window


class ChainMiner(Miner):
    """Is shown every commit, parents first. Chains go to disk as soon as so many are certain that counting pays.

    missing_object: chains whose lines cannot be counted. out_of_time: chains not committed when asked for.
    """

    def __init__(self, walk: Walk) -> None:
        self.missing_object = 0
        self.out_of_time = 0
        self._walk = walk
        self._limits = options_in(walk.options.own, ChainOptions)
        self._finder = WindowFinder(self._limits, walk.options.suffixes)
        self._pending: list[Window] = []
        self._chains: Spool[Chain] = Spool()

    @property
    def left_out(self) -> Mapping[str, int]:
        return {"chains with missing objects": self.missing_object, "chains out of time": self.out_of_time}

    def visit(self, commit: Commit) -> None:
        for window in self._finder.visit(commit):
            if self._walk.options.covers(window.committed):
                self._pending.append(window)
            else:
                self.out_of_time += 1
        if len(self._pending) >= _COMMITS_AT_ONCE // self._limits.min_commits:
            self._count_pending()

    def found(self) -> Iterator[Found]:
        chains = self.chains()
        branches = branches_of(self._walk.repository, {chain.commits[-1] for chain in chains})
        return (_found(chain, branches.get(chain.commits[-1], "")) for chain in chains)

    def chains(self) -> Spool[Chain]:
        """Those of the commits that were shown so far, once the last one was."""
        self._count_pending()
        return self._chains

    def _count_pending(self) -> None:
        pending, self._pending = self._pending, []
        for chain in count_lines(self._walk.scratch, pending, self._walk.options.source_suffixes):
            if chain is None:
                self.missing_object += 1
            else:
                self._chains.add(chain)


def _found(chain: Chain, branch: str) -> Found:
    return Found(
        spec=FileCommitChainSpec(
            file=chain.path.decode("utf-8", "surrogateescape"),
            branch=branch,
            times_seen_consecutively=len(chain.commits),
            purity=chain.purity,
            newest_commit=chain.commits[-1],
            oldest_commit=chain.commits[0],
        ),
        columns=ChainColumns(
            base=chain.base,
            commits=chain.commits,
            file_lines=chain.file_lines,
            all_lines=chain.all_lines,
            sources_only=chain.sources_only,
        ),
        difficulty=chain.difficulty,
        committed=chain.committed,
        begun=chain.begun,
        dated=chain.dated,
        paths=(chain.path,),
        sketches=chain.sketches,
        content=chain.content,
    )


@dataclass(slots=True)
class _Lines:
    """Lines changed over a range of commits, by path, with each path's first and last state."""

    counted: dict[bytes, int] = field(default_factory=dict)
    first: dict[bytes, State] = field(default_factory=dict)
    last: dict[bytes, State] = field(default_factory=dict)

    def add(self, diff: CommitDiff) -> None:
        for header, path in diff.changes:
            self.first.setdefault(path, state_before(header))
            self.last[path] = state_after(header)
        for path, count in diff.lines.items():
            self.counted[path] = self.counted.get(path, 0) + count

    def lasting(self, path: bytes) -> int:
        """Lines of a path, none where its changes cancel out."""
        return self.counted.get(path, 0) if self.first.get(path) != self.last.get(path) else 0

    @property
    def total(self) -> int:
        return sum(self.lasting(path) for path in self.counted)

    def only(self, suffixes: tuple[bytes, ...]) -> bool:
        """Whether the names of all paths end so."""
        return all(path.endswith(suffixes) for path in self.first)


def count_lines(
    git: Git, windows: Sequence[Window], source_suffixes: tuple[bytes, ...] = SOURCE_SUFFIXES
) -> Iterator[Chain | None]:
    """The windows as chains, in order; None where an object is missing. Commits are compared once for all windows."""
    commits = dict.fromkeys(commit for window in windows for commit in window.commits)
    diffs = dict(zip(commits, read_diffs(git, commits), strict=True))
    ranges: dict[tuple[str, ...], tuple[_Lines, int] | None] = {}
    readable = [window for window in windows if all(diffs[commit] is not None for commit in window.commits)]
    hunks = read_hunks(git, [(commit, window.path) for window in readable for commit in window.commits])
    for window in windows:
        if window.commits not in ranges:
            ranges[window.commits] = _add_up([diffs[commit] for commit in window.commits])
        found = ranges[window.commits]
        if found is None:
            yield None
            continue
        lines, total = found
        own = [hunk for commit in window.commits for hunk in hunks.get((commit, window.path), ())]
        yield Chain(
            window.path, window.base, window.commits, window.committed, lines.lasting(window.path), total,
            lines.only(source_suffixes), window.begun, sketches_of(own), digest_of(own),
            window.dated,
        )  # fmt: skip


def _add_up(diffs: Sequence[CommitDiff | None]) -> tuple[_Lines, int] | None:
    lines = _Lines()
    for diff in diffs:
        if diff is None:
            return None
        lines.add(diff)
    return lines, lines.total


def _modifies_file(header: bytes) -> bool:
    """Whether a raw line (`:100644 100755 old new M`) says that a regular file is modified and stays one."""
    return header.endswith(b" M") and header.startswith(b":100") and header.split(b" ", 2)[1].startswith(b"100")
