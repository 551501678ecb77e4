"""The contract of sample types that are mined: plug-ins of the group `gitgoodbench.samples`, as all sample types.

Mining reads history once, for all types together. Each type brings a miner, which is shown every commit, parents first,
and is then asked for what it has found. What a type knows beside the fields of its rows goes into columns of its own in
the mined file; its filters and its part of the dataset card are made of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import BaseModel

from gitgoodbench.dataset.types import SampleType, loadable_types, sample_type
from gitgoodbench.errors import UserError
from gitgoodbench.git.batch import ObjectReader
from gitgoodbench.git.process import Git
from gitgoodbench.mining.history import Commit
from gitgoodbench.mining.options import MiningOptions
from gitgoodbench.mining.records import NO_COLUMNS, MinedRow, NoColumns
from gitgoodbench.mining.rules import Filter
from gitgoodbench.mining.steps import Tell, tell_nobody


@dataclass(frozen=True)
class Found:
    """What a miner finds.

    spec: the fields of the `scenario` column. columns: those of the type's own (`MinedType.columns`).
    difficulty: easy, medium or hard; None where it is too unlike any row of a dataset.
    committed: Unix time in seconds; of several commits, that of the newest. begun: then that of the first of them.
    dated: whether the dates of its commits can be believed (see `mining.history`).
    paths: the files it is about, which decide its language.
    sketches, content: of its hunks (`mining.sketches`), by which rows that show the same thing are found.
    """

    spec: BaseModel
    difficulty: str | None
    committed: int
    paths: tuple[bytes, ...] = ()
    columns: BaseModel = NO_COLUMNS
    begun: int | None = None
    dated: bool = True
    sketches: tuple[str, ...] = ()
    content: str | None = None


@dataclass(frozen=True)
class Walk:
    """One pass over a repository's history.

    repository: whose history it is; only read. scratch: a repository without configuration and attributes of its own,
        which has the same objects. reader: reads these.
    options: what is asked for. tell: to be told what is under way.
    resources: closed when mining ends, also when it fails.
    """

    repository: Git
    scratch: Git
    reader: ObjectReader
    options: MiningOptions
    resources: ExitStack
    tell: Tell = tell_nobody


class Miner(ABC):
    """Finds the samples of one type in one repository. Memory should grow neither with history nor with what is found.

    counts: words and numbers for the table of a run, beside how many were found. left_out: the same of what could not
    be looked at. Both are read when everything is found.
    """

    def visit(self, commit: Commit) -> None:  # noqa: B027 (not every miner needs the walk)
        """See a commit. Its parents came before."""

    @abstractmethod
    def found(self) -> Iterator[Found]:
        """What was found, in an order that depends on nothing but the repository. Asked once, after the last commit.

        What was not committed in the time that is asked for (`MiningOptions.covers`) is left out.
        """

    @property
    def counts(self) -> Mapping[str, int]:
        return {}

    @property
    def left_out(self) -> Mapping[str, int]:
        return {}


@dataclass(frozen=True)
class Figure:
    """A plot of the dataset card: a file's name, a caption, and who draws the rows of the type into axes."""

    file: str
    caption: str
    draw: Callable[[Sequence[MinedRow], Any], None]


class MinedType(SampleType):
    """Base of a sample type that is mined. Only `spec`, `commits` and `miner` must be defined.

    columns: the mined columns of its own, each with a default: texts, numbers, truths, tuples and models of them. A
        column that two types have is one column, and must be of one type.
    rank: its place among the types, in mined files and on the card; types of one rank are in the order of their names.
    kind: what `mine --kinds` calls it; without, its title. summary: what its samples are, in a few words, for the card.
    figures: its plots there.
    """

    columns: ClassVar[type[BaseModel]] = NoColumns
    rank: ClassVar[int] = 100
    kind: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    figures: ClassVar[tuple[Figure, ...]] = ()

    @abstractmethod
    def miner(self, walk: Walk) -> Miner:
        """A miner for one repository."""

    def shown(self, row: MinedRow) -> Sequence[str]:
        """The commits that a row shows. Rows that show the same commit never stand in two splits."""
        return self.commits(row.candidate.spec)

    def identity(self, row: MinedRow) -> tuple[object, ...]:
        """What two rows have in common where one of them is enough, be they of several repositories."""
        return (row.candidate.spec.model_dump_json(),)

    def filters(self) -> tuple[Filter, ...]:
        """Its filters, which see rows of this type alone, in the order in which they are applied."""
        return ()

    def section(self, rows: Sequence[MinedRow]) -> str:  # noqa: ARG002
        """What the dataset card says about its rows, as Markdown; nothing where it is empty."""
        return ""

    def describe(self, row: MinedRow, repository: Git, *, content: bool = False) -> Iterator[str]:  # noqa: ARG002
        """Lines for the author of a story: the first tells rows apart, others say more; with `content` also text."""
        yield repr(row.candidate.spec)


def mined_types(names: Sequence[str] | None = None) -> dict[str, MinedType]:
    """Sample types that are mined, in their order.

    Args:
        names: only these; None: all that are installed and can be loaded.

    Raises:
        UserError: one that is named cannot be loaded, or is not installed.
    """
    found = loadable_types() if names is None else {name: sample_type(name) for name in names}
    mined = {name: kind for name, kind in found.items() if isinstance(kind, MinedType)}
    return dict(sorted(mined.items(), key=lambda item: (item[1].rank, item[0])))


def types_of_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    """The names of the sample types that kinds name: by their kind, their title or their own name.

    Raises:
        UserError: there is no such kind.
    """
    types = mined_types()
    called = {word: name for name, kind in types.items() for word in (kind.kind or kind.title, kind.title, name)}
    if wrong := [kind for kind in kinds if kind not in called]:
        known = ", ".join(kind.kind or kind.title for kind in types.values())
        raise UserError(f"--kinds: there is no {wrong[0]!r} to be mined; there are: {known}")
    wanted = {called[kind] for kind in kinds}
    return tuple(name for name in types if name in wanted)


def mined_type(name: str) -> MinedType:
    """The type of a mined row.

    Raises:
        UserError: it is not installed, or is not mined.
    """
    found = mined_types([name])
    if name not in found:
        raise UserError(f"rows of the sample type {name!r} are not mined")
    return found[name]
