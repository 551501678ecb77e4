"""What is known about a repository as a project: from a list of repositories, or computed from its history."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, ValidationInfo, field_validator

from gitgoodbench.dataset.sample import LINE_LIMIT, LONG_LIMIT, Language
from gitgoodbench.text import on_one_line

SIZES: Final = (("tiny", 1_000), ("small", 10_000), ("medium", 100_000), ("large", 1_000_000))
LARGEST: Final = "huge"
SIZE_NAMES: Final = (*(name for name, _ in SIZES), LARGEST)
"""Published names of sizes, the smallest first."""

_LANGUAGE: Final[TypeAdapter[str]] = TypeAdapter(Language)
_Count = Annotated[int, Field(ge=0, lt=2**63)]


class Project(BaseModel):
    """Facts about a project; None where they are unknown. Columns of every mined row.

    license: an SPDX id or GitHub's name. created_at, last_commit: ISO 8601. topics: separated by semicolons.
    code_lines: lines of code, without comments and blank lines, in all languages.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    programming_language: str | None = None
    default_branch: str | None = None
    license: str | None = None
    stargazers: _Count | None = None
    created_at: str | None = None
    topics: str | None = None
    is_fork: bool | None = None
    is_archived: bool | None = None
    branches: _Count | None = None
    contributors: _Count | None = None
    last_commit: str | None = None
    code_lines: _Count | None = None

    @field_validator("default_branch", "license", "created_at", "topics", "last_commit")
    @classmethod
    def _fit(cls, text: str | None, field: ValidationInfo) -> str | None:
        """Text from anywhere as rows may hold it: what is not printable as its escape, and no longer than they may."""
        limit = LONG_LIMIT if field.field_name in ("default_branch", "topics") else LINE_LIMIT
        return None if text is None else on_one_line(text)[:limit]

    @field_validator("programming_language")
    @classmethod
    def _known(cls, name: str | None) -> str | None:
        """A language that rows may have; of another nothing is known."""
        try:
            return None if name is None else _LANGUAGE.validate_python(name)
        except ValidationError:
            return None

    @property
    def size(self) -> str | None:
        """The published name for that many lines of code (GitGoodBench, section 3)."""
        if self.code_lines is None:
            return None
        return next((name for name, limit in SIZES if self.code_lines < limit), LARGEST)

    def overlaid(self, other: Project) -> Project:
        """These facts, with those that the other knows in place of them."""
        return self.model_copy(update=other.model_dump(exclude_none=True, exclude={"name"}))
