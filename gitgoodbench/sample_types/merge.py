"""Sample type `merge`: a merge of two parents that conflicted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from gitgoodbench.dataset.findings import Finding
from gitgoodbench.dataset.rows import COMMIT, COUNT
from gitgoodbench.dataset.sample import MergeSpec
from gitgoodbench.dataset.types import SampleType
from gitgoodbench.git.process import Git


class Merges(SampleType):
    """See the module."""

    spec = MergeSpec
    title = "merges"
    expected: ClassVar[Mapping[str, str]] = {
        "merge_commit_hash": COMMIT,
        "parents": f"a list of two commits, each {COMMIT}",
        "number_of_files_with_merge_conflict": COUNT,
        "total_number_of_merge_conflicts": COUNT,
        "files_in_merge_conflict": "a list of paths",
    }

    def commits(self, spec: MergeSpec) -> list[str]:
        return [spec.merge_commit_hash, *spec.parents]

    def validate(self, repository: Git, spec: MergeSpec) -> Iterator[Finding]:
        """Compare the listed conflicts with the replay of the merge."""
        from gitgoodbench.mining.merge_check import check_merge

        yield from check_merge(repository, spec)
