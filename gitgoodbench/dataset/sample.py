"""A sample: one row of a dataset, in the published schema (GitGoodBench, arXiv 2505.22583), validated."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SerializeAsAny, StringConstraints, model_validator


def _storable(text: str) -> str:
    text.encode("utf-8")  # UnicodeEncodeError is a ValueError: pydantic reports it
    return text


def _path(text: str) -> str:
    if not text or "\0" in text:
        raise ValueError("not a path")
    return text


Text = Annotated[str, AfterValidator(_storable)]
GitPath = Annotated[str, AfterValidator(_path)]
"""A path as Git has it; bytes that are not UTF-8 appear as lone surrogates (`os.fsdecode`, `os.fsencode`)."""
CommitId = Annotated[str, StringConstraints(pattern=r"\A([0-9a-f]{40}|[0-9a-f]{64})\z")]
RepositoryName = Annotated[
    str, StringConstraints(pattern=r"\A[A-Za-z0-9_][A-Za-z0-9._-]*/\.?[A-Za-z0-9_-][A-Za-z0-9._-]*\z")
]
Difficulty = Literal["easy", "medium", "hard"]
DIFFICULTIES: Final[tuple[Difficulty, ...]] = get_args(Difficulty)


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class MergeSpec(_Frozen):
    """A two-parent merge that conflicted (sample type `merge`)."""

    merge_commit_hash: CommitId
    parents: tuple[CommitId, CommitId]
    number_of_files_with_merge_conflict: int = Field(ge=0)
    total_number_of_merge_conflicts: int = Field(ge=0)
    files_in_merge_conflict: tuple[GitPath, ...]


class FileCommitChainSpec(_Frozen):
    """A run of `times_seen_consecutively` commits that all modify `file` (sample type `file_commit_chain`).

    The chain is `newest_commit` and its first parents; its base is `newest_commit~times_seen_consecutively`.
    """

    file: GitPath
    branch: str = ""
    times_seen_consecutively: int = Field(ge=1)
    purity: float = Field(ge=0, le=1)
    newest_commit: CommitId
    oldest_commit: CommitId


class CherryPickSpec(_Frozen):
    """A commit that repeats another one (sample type `cherry_pick`).

    `source` is abbreviated where the repository lacks it.
    """

    commit: CommitId
    source: str
    trailer: bool
    same_patch: bool
    source_present: bool


class Sample(_Frozen):
    """One dataset row. spec: the fields of its `scenario` column, as its sample type has them."""

    id: Annotated[str, StringConstraints(pattern=r"\A\w[\w.-]*\z", max_length=200)]
    name: RepositoryName
    default_branch: Text = ""
    license: Text = ""
    stargazers: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    created_at: Text = ""
    topics: Text = ""
    programming_language: Annotated[Text, StringConstraints(to_lower=True, strip_whitespace=True, min_length=1)]
    sample_type: str
    project_size: Text = ""
    difficulty: Difficulty
    spec: SerializeAsAny[BaseModel]

    @property
    def merge(self) -> MergeSpec | None:
        """The merge, of a sample of that type."""
        return self.spec if isinstance(self.spec, MergeSpec) else None

    @property
    def chain(self) -> FileCommitChainSpec | None:
        """The chain of commits, of a sample of that type."""
        return self.spec if isinstance(self.spec, FileCommitChainSpec) else None

    @model_validator(mode="before")
    @classmethod
    def _read_spec(cls, values: Any) -> Any:
        if not isinstance(values, dict) or "spec" not in values:
            return values
        return values | {"spec": _spec_of(values.get("sample_type"), values["spec"])}


def _spec_of(sample_type: Any, value: Any) -> Any:
    """The fields of a sample type, checked."""
    from gitgoodbench.dataset import types  # the types that come with the harness import this module

    if isinstance(value, BaseModel):
        if types.type_of(type(value)) != sample_type:
            raise ValueError(f"sample_type {sample_type!r} does not fit the fields of its scenario")
        return value
    return types.sample_type(str(sample_type)).spec.model_validate(value)
