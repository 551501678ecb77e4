"""A sample: one row of a dataset, in the published schema (GitGoodBench, arXiv 2505.22583), validated."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

CommitId = Annotated[str, StringConstraints(pattern=r"\A([0-9a-f]{40}|[0-9a-f]{64})\Z")]
RepositoryName = Annotated[str, StringConstraints(pattern=r"\A[A-Za-z0-9_][A-Za-z0-9._-]*/[A-Za-z0-9_.-]+\Z")]
Difficulty = Literal["easy", "medium", "hard"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class MergeSpec(_Frozen):
    """A two-parent merge that conflicted (sample type `merge`)."""

    merge_commit_hash: CommitId
    parents: tuple[CommitId, CommitId]
    number_of_files_with_merge_conflict: int = Field(ge=0)
    total_number_of_merge_conflicts: int = Field(ge=0)
    files_in_merge_conflict: tuple[str, ...]


class FileCommitChainSpec(_Frozen):
    """A run of `times_seen_consecutively` commits that all modify `file` (sample type `file_commit_chain`).

    The chain is `newest_commit` and its first parents; its base is `newest_commit~times_seen_consecutively`.
    """

    file: str = Field(min_length=1)
    branch: str
    times_seen_consecutively: int = Field(ge=1)
    purity: float = Field(ge=0, le=1)
    newest_commit: CommitId
    oldest_commit: CommitId


class Sample(_Frozen):
    """One dataset row. Exactly one of `merge` and `chain` is set, as `sample_type` says."""

    id: Annotated[str, StringConstraints(pattern=r"\A[\w.-]+\Z")]
    name: RepositoryName
    default_branch: str = ""
    license: str = ""
    stargazers: int | None = None
    created_at: str = ""
    topics: str = ""
    programming_language: str
    sample_type: Literal["merge", "file_commit_chain"]
    project_size: str = ""
    difficulty: Difficulty
    merge: MergeSpec | None = None
    chain: FileCommitChainSpec | None = None

    @model_validator(mode="after")
    def _one_spec(self) -> Sample:
        if (self.merge is not None) != (self.sample_type == "merge") or (self.chain is None) != (self.merge is not None):
            raise ValueError(f"sample_type {self.sample_type!r} does not fit the fields of its scenario")
        return self
