"""The contract of sample types, which are plug-ins: entry points of the group `gitgoodbench.samples`.

A sample type says what the `scenario` column of its rows holds, which commits a row needs, and whether the row is what
the repository has. How such rows are found is a contract of its own, for types that are mined (`mining.contract`).
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, ClassVar

from pydantic import BaseModel

from gitgoodbench.dataset.findings import Finding
from gitgoodbench.errors import UserError
from gitgoodbench.git.process import Git
from gitgoodbench.plugins import SAMPLES, plugins


class SampleType(ABC):
    """Base of what an entry point of `gitgoodbench.samples` names; the entry point's name is the `sample_type`.

    One that is mined has the base `mining.contract.MinedType`.

    spec: the fields of the `scenario` column. Frozen; commits, paths and numbers as in `dataset.sample`.
    expected: what each of these fields must be, in words, for messages about rows; without, pydantic's words.
    title: what several samples are called (see `titles`). playable: whether rows of datasets may be of this type.
    options: of its own, for `--opt` of `mine` and `build-dataset`, if it has any.
    """

    spec: ClassVar[type[BaseModel]]
    expected: ClassVar[Mapping[str, str]] = {}
    title: ClassVar[str] = "samples"
    playable: ClassVar[bool] = True
    options: ClassVar[type[BaseModel] | None] = None

    @abstractmethod
    def commits(self, spec: Any) -> list[str]:
        """The commits without which a sample cannot be set up."""

    def validate(self, repository: Git, spec: Any) -> Iterator[Finding]:  # noqa: ARG002
        """Compare a row with its repository; nothing is yielded where it is right."""
        return iter(())

    def features(self, spec: Any) -> dict[str, float]:  # noqa: ARG002
        """Numbers in a row that may go with success, by the words for them (`report --explain`)."""
        return {}

    def fingerprint_fields(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a row under the names that fingerprints of suites are made of."""
        return {"spec": spec}


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
    return [name for name, found in loadable_types().items() if found.playable]


@cache
def type_of(spec: type[BaseModel]) -> str:
    """The name of the sample type whose rows hold such fields.

    Raises:
        UserError: there is none.
    """
    for name, found in loadable_types().items():
        if found.spec is spec:
            return name
    raise UserError(f"no sample type has rows with the fields of {spec.__name__}")


def titles(types: Mapping[str, SampleType]) -> dict[str, str]:
    """What samples of each type are called, by its name. Where two types have one title, the name stands beside it."""
    uses = Counter(kind.title for kind in types.values())
    return {name: kind.title if uses[kind.title] == 1 else f"{kind.title} ({name})" for name, kind in types.items()}


def loadable_types() -> dict[str, SampleType]:
    """The installed sample types by name, without those of packages that are broken."""
    found = {}
    for name in sample_types():
        with contextlib.suppress(UserError):
            found[name] = sample_type(name)
    return found
