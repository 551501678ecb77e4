"""A sample: one row of a dataset, in the published schema (GitGoodBench, arXiv 2505.22583), validated."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SerializeAsAny, StringConstraints, model_validator

LINE_LIMIT: Final = 200
"""Characters of a text about a project: its licence, when it was made, its size."""

LONG_LIMIT: Final = 10_000
"""Characters of its topics, and of the name of a branch."""

PATH_LIMIT: Final = 4096
"""Bytes of a path."""


def _line(text: str) -> str:
    if not all(character.isprintable() or unicodedata.category(character) == "Zs" for character in text):
        raise ValueError("not a line of printable text")
    return text


def _language(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9 +#./*'()&_:!-]*", text):
        raise ValueError("not the name of a programming language")
    return text


def _path(text: str) -> str:
    data = text.encode("utf-8", "surrogateescape")  # UnicodeEncodeError is a ValueError: pydantic reports it
    if not text or "\0" in text or len(data) > PATH_LIMIT:
        raise ValueError("not a path")
    return text


Line = Annotated[str, StringConstraints(max_length=LINE_LIMIT), AfterValidator(_line)]
LongLine = Annotated[str, StringConstraints(max_length=LONG_LIMIT), AfterValidator(_line)]
Language = Annotated[
    str, StringConstraints(to_lower=True, strip_whitespace=True, max_length=64), AfterValidator(_language)
]
GitPath = Annotated[str, AfterValidator(_path)]
"""A path as Git has it; bytes that are not UTF-8 appear as lone surrogates (`os.fsdecode`, `os.fsencode`)."""
CommitId = Annotated[str, StringConstraints(pattern=r"\A([0-9a-f]{40}|[0-9a-f]{64})\z")]
RepositoryName = Annotated[
    str,
    StringConstraints(pattern=r"\A[A-Za-z0-9_][A-Za-z0-9._-]*/\.?[A-Za-z0-9_-][A-Za-z0-9._-]*\z", max_length=200),
]
Difficulty = Literal["easy", "medium", "hard"]
DIFFICULTIES: Final[tuple[Difficulty, ...]] = get_args(Difficulty)


class Sample(BaseModel):
    """One dataset row. spec: the fields of its `scenario` column, as its sample type has them."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Annotated[str, StringConstraints(pattern=r"\A[A-Za-z0-9_][A-Za-z0-9_.-]*\z", max_length=200)]
    name: RepositoryName
    default_branch: LongLine = ""
    license: Line = ""
    stargazers: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    created_at: Line = ""
    topics: LongLine = ""
    programming_language: Language
    sample_type: str
    project_size: Line = ""
    difficulty: Difficulty
    spec: SerializeAsAny[BaseModel]

    @model_validator(mode="before")
    @classmethod
    def _read_spec(cls, values: Any) -> Any:
        if not isinstance(values, dict) or "spec" not in values:
            return values
        return values | {"spec": _spec_of(values.get("sample_type"), values["spec"])}


def _spec_of(sample_type: Any, value: Any) -> Any:
    """The fields of a sample type, checked."""
    from gitgoodbench.dataset import types  # sample types import this module

    if isinstance(value, BaseModel):
        if types.type_of(type(value)) != sample_type:
            raise ValueError(f"sample_type {sample_type!r} does not fit the fields of its scenario")
        return value
    return types.sample_type(str(sample_type)).spec.model_validate(value)
