"""A mined candidate as a row: what mining found, in the published columns and some more.

docs/mining.md describes every column.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, SerializeAsAny

from gitgoodbench.dataset.sample import Difficulty, Sample
from gitgoodbench.dataset.types import type_of
from gitgoodbench.mining.project import Project

T = TypeVar("T", bound=BaseModel)

_NOT_WORD: Final = re.compile(r"\W+", re.ASCII)


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


def _checked(value: BaseModel, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise TypeError(f"{type(value).__name__} is no {kind.__name__}")
    return value


class NoColumns(_Frozen):
    """Of a sample type without columns of its own."""


NO_COLUMNS: Final = NoColumns()


class Candidate(_Frozen):
    """What mining says of one sample that may be.

    columns: those of its sample type. language: of its files; None where they are of none that is known, or of several
        in equal numbers.
    difficulty: as published; None where no dataset would have it.
    committed: Unix time in seconds; of several commits, that of the newest, and begun that of the first one.
    implausible_date: whether a date among these was not believed, and that of a parent taken in its place.
    sketches: of hunks that say enough. content: a digest of all hunks; None without text, and in rows that were mined
        before there were digests (see `sketches`).
    """

    spec: SerializeAsAny[BaseModel]
    columns: SerializeAsAny[BaseModel] = NO_COLUMNS
    language: str | None
    difficulty: Difficulty | None
    committed: int
    begun: int | None = None
    implausible_date: bool = False
    content: str | None = None
    sketches: tuple[str, ...] = ()

    @property
    def sample_type(self) -> str:
        return type_of(type(self.spec))

    def spec_as(self, kind: type[T]) -> T:
        """The fields of the `scenario` column, of a candidate whose sample type has such.

        Raises:
            TypeError: they are others.
        """
        return _checked(self.spec, kind)

    def columns_as(self, kind: type[T]) -> T:
        """The columns of its sample type, as `spec_as`."""
        return _checked(self.columns, kind)


@dataclass(frozen=True)
class MinedRow:
    """A candidate and the project it is from. id: unique in its file, until splits are made."""

    id: str
    project: Project
    candidate: Candidate

    @property
    def sample_type(self) -> str:
        return self.candidate.sample_type

    @property
    def language(self) -> str:
        """That of the candidate's files, else the project's."""
        return self.candidate.language or self.project.programming_language or "unknown"

    def sample(self, sample_id: str | None = None) -> Sample:
        """The row of a dataset.

        Raises:
            ValueError: it has no difficulty: no dataset has such rows.
        """
        project, spec = self.project, self.candidate.spec
        return Sample.model_validate(
            {
                "id": sample_id or self.id,
                "name": project.name,
                "default_branch": project.default_branch or "",
                "license": project.license or "",
                "stargazers": project.stargazers,
                "created_at": project.created_at or "",
                "topics": project.topics or "",
                "programming_language": self.language,
                "sample_type": self.sample_type,
                "project_size": project.size or "",
                "difficulty": self.candidate.difficulty,
                "spec": spec,
            }
        )


def number_rows(project: Project, found: Iterable[Candidate]) -> Iterator[MinedRow]:
    """The candidates of a project as rows with ids `{slug}_{sample_type}_{index:04d}`."""
    count: Counter[str] = Counter()
    for candidate in found:
        number = count[candidate.sample_type]
        count[candidate.sample_type] += 1
        yield MinedRow(sample_id(project.name, candidate.sample_type, number), project, candidate)


def sample_id(name: str, sample_type: str, number: int) -> str:
    """As published: the name with every run of characters that no word has as one `_`."""
    return f"{_NOT_WORD.sub('_', name)}_{sample_type}_{number:04d}"


def language_of(paths: Iterable[bytes], languages: Mapping[str, bytes]) -> str | None:
    """The language that most of the paths are of."""
    count = Counter(name for path in paths for name, suffix in languages.items() if path.endswith(suffix))
    most = count.most_common(2)
    return most[0][0] if len(most) == 1 or (most and most[0][1] > most[1][1]) else None


def spec_fields(spec: BaseModel) -> dict[str, Any]:
    """The fields of a scenario as plain values, in their order."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in spec.model_dump().items()}
