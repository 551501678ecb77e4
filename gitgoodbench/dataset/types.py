"""The contract of sample types, which are plug-ins: entry points of the group `gitgoodbench.samples`.

A sample type says what the `scenario` column of its rows holds, which commits a row needs, whether the row is what the
repository has, and, where it has a miner, how such rows are found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Protocol

from pydantic import BaseModel

from gitgoodbench.dataset.findings import Finding
from gitgoodbench.errors import UserError
from gitgoodbench.git.process import Git
from gitgoodbench.plugins import SAMPLES, plugins


@dataclass(frozen=True)
class Found:
    """What a miner finds. committed: Unix time in seconds. paths: the files it is about, which decide its language.

    difficulty: easy, medium or hard; None where it is too unlike any row of a dataset.
    """

    spec: BaseModel
    difficulty: str | None
    committed: int
    paths: tuple[bytes, ...] = ()


class MiningScope(Protocol):
    """What a miner is asked for."""

    @property
    def refs(self) -> str:
        """Where history starts: `branches` or `all` refs."""
        ...

    def covers(self, committed: int) -> bool:
        """Whether what was committed then is wanted."""
        ...


class SampleType:
    """Base of what an entry point of `gitgoodbench.samples` names; the entry point's name is the `sample_type`.

    spec: the fields of the `scenario` column. Frozen; commits, paths and numbers as in `dataset.sample`.
    expected: what each of these fields must be, in words, for messages about rows; without, pydantic's words.
    title: what several samples are called. playable: whether rows of datasets may be of this type.
    """

    spec: ClassVar[type[BaseModel]]
    expected: ClassVar[Mapping[str, str]] = {}
    title: ClassVar[str] = "samples"
    playable: ClassVar[bool] = True

    def commits(self, spec: Any) -> list[str]:
        """The commits without which a sample cannot be set up."""
        raise NotImplementedError

    def validate(self, repository: Git, spec: Any) -> Iterator[Finding]:  # noqa: ARG002
        """Compare a row with its repository; nothing is yielded where it is right."""
        return iter(())

    def mine(self, repository: Git, scope: MiningScope) -> Iterator[Found]:  # noqa: ARG002
        """Find samples in a repository, which is only read, in an order that depends on nothing else."""
        return iter(())


def sample_types() -> list[str]:
    """The names of the installed sample types."""
    return list(plugins(SAMPLES))


def sample_type(name: str) -> SampleType:
    """A sample type by name.

    Raises:
        UserError: there is none, or it cannot be loaded.
    """
    if name not in plugins(SAMPLES):
        raise UserError(f"there is no sample type {name!r}; installed are: {', '.join(sample_types())}")
    found: SampleType = plugins(SAMPLES)[name].object
    return found


def playable_types() -> list[str]:
    """The names of the types that rows of datasets may have, of those that can be loaded."""
    return [name for name in sample_types() if (found := _loaded(name)) is not None and found.playable]


@cache
def type_of(spec: type[BaseModel]) -> str:
    """The name of the sample type whose rows hold such fields.

    Raises:
        UserError: there is none.
    """
    for name in sample_types():
        found = _loaded(name)
        if found is not None and found.spec is spec:
            return name
    raise UserError(f"no sample type has rows with the fields of {spec.__name__}")


def _loaded(name: str) -> SampleType | None:
    try:
        return sample_type(name)
    except UserError:
        return None
