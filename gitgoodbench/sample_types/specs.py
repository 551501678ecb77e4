"""What the `scenario` columns of the sample types hold that come with the harness.

Scenarios that play such rows read them by these types. A light module: it imports no miner.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from gitgoodbench.dataset.sample import CommitId, GitPath, LongLine, Sample
from gitgoodbench.errors import SetupFailed


class _Spec(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class MergeSpec(_Spec):
    """A two-parent merge that conflicted (sample type `merge`)."""

    merge_commit_hash: CommitId
    parents: tuple[CommitId, CommitId]
    number_of_files_with_merge_conflict: int = Field(ge=0)
    total_number_of_merge_conflicts: int = Field(ge=0)
    files_in_merge_conflict: tuple[GitPath, ...]


class FileCommitChainSpec(_Spec):
    """A run of `times_seen_consecutively` commits that all modify `file` (sample type `file_commit_chain`).

    The chain is `newest_commit` and its first parents; its base is `newest_commit~times_seen_consecutively`.
    What a row says of its oldest commit is not believed: in some published rows it is not on that line.
    """

    file: GitPath
    branch: LongLine = ""
    times_seen_consecutively: int = Field(ge=1)
    purity: float = Field(ge=0, le=1)
    newest_commit: CommitId
    oldest_commit: CommitId


class CherryPickSpec(_Spec):
    """A commit that was picked or reverted, with conflicts (sample type `cherry_pick`).

    `result_commit` is the real outcome, whose only parent is `onto`. mainline: of a merge, the number of the parent
    that it is a change against, from 1 on.
    """

    operation: Literal["pick", "revert"]
    picked_commit: CommitId
    mainline: int | None = Field(default=None, ge=1)
    onto: CommitId
    result_commit: CommitId
    files_in_conflict: tuple[GitPath, ...]
    number_of_files: int = Field(ge=0)
    total_number_of_conflicts: int = Field(ge=0)

    @model_validator(mode="before")
    @classmethod
    def _refuse_candidates(cls, fields: Any) -> Any:
        """Rows of earlier versions only named a commit and its source."""
        if isinstance(fields, dict) and "source_present" in fields and "operation" not in fields:
            raise ValueError("a candidate of an older version, which cannot be played: mine the repository again")
        return fields


def merge_spec(sample: Sample) -> MergeSpec:
    """The merge that a sample is about.

    Raises:
        SetupFailed: it is about something else.
    """
    if not isinstance(sample.spec, MergeSpec):
        raise SetupFailed(f"sample {sample.id} is no merge")
    return sample.spec


def chain_spec(sample: Sample) -> FileCommitChainSpec:
    """The chain of commits that a sample is about.

    Raises:
        SetupFailed: it is about something else.
    """
    if not isinstance(sample.spec, FileCommitChainSpec):
        raise SetupFailed(f"sample {sample.id} is no file-commit chain")
    return sample.spec
