"""Sample type `file_commit_chain`: consecutive commits that all modify one file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from gitgoodbench.dataset.findings import Finding
from gitgoodbench.dataset.rows import COMMIT, TEXT
from gitgoodbench.dataset.sample import FileCommitChainSpec
from gitgoodbench.dataset.types import SampleType
from gitgoodbench.git.process import Git


class FileCommitChains(SampleType):
    """See the module."""

    spec = FileCommitChainSpec
    title = "chains"
    expected: ClassVar[Mapping[str, str]] = {
        "file": "a path",
        "branch": TEXT,
        "times_seen_consecutively": "a whole number, 1 or more",
        "purity": "a number from 0 to 1",
        "newest_commit": COMMIT,
        "oldest_commit": COMMIT,
    }

    def commits(self, spec: FileCommitChainSpec) -> list[str]:
        return [spec.newest_commit, spec.oldest_commit]

    def validate(self, repository: Git, spec: FileCommitChainSpec) -> Iterator[Finding]:
        """Compare commits, file and purity with the repository."""
        from gitgoodbench.mining.chain_check import check_chain

        yield from check_chain(repository, spec)
