"""Odd repositories cost nobody else anything, and as little of their own as can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.dataset.findings import Kind, RowReport
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.mining.validate import Validator, validate_sample
from gitgoodbench.sample_types.chain_check import PURITY
from gitgoodbench.sandbox.local import LocalProvider
from gitgoodbench.scenario import load_scenarios
from tests.support.merges import OneRepository
from tests.support.odd_repositories import (
    BASE,
    FIRST,
    MERGE,
    OURS,
    THEIRS,
    THIRD,
    build,
    left_out,
    mined_rows,
    mined_samples,
    samples,
)
from tests.support.oddities import ODDITIES

PLAIN = {"merge": 1, "file_commit_chain": 1}

WITH_MORE_CHAINS = {"name-latin-1": 2, "name-pathspec": 2, "name-escapes": 2, "history-octopus": 3}
WITHOUT_MERGE = {"history-shallow-above", "objects-missing-tree", "tree-folder-of-blob", "name-slash"}
NOT_MINED = {
    "config-broken": "bad config line 4",
    "config-extension": "unknown repository extension 'future': it needs a newer Git",
    "objects-damaged-pack": "is corrupt",
}


UNFIT = {
    "name-git",
    "name-git-capitals",
    "name-git-tilde",
    "name-git-ignorable",
    "name-dot",
    "name-dot-dot",
    "tree-twice",
}


@pytest.mark.parametrize("name", sorted(UNFIT | {"name-long-changing"}))
def test_what_cannot_be_checked_out_is_left_out_and_counted(tmp_path: Path, name: str) -> None:
    build(tmp_path / "odd", ODDITIES[name])
    assert mined_rows(tmp_path / "odd") == []
    assert left_out(tmp_path / "odd") == {"rows with files that cannot be checked out": 2}


def test_an_entry_without_an_object_costs_its_rows_and_the_merge_that_git_gives_up_on(tmp_path: Path) -> None:
    build(tmp_path / "odd", ODDITIES["tree-null-id"])
    assert mined_rows(tmp_path / "odd") == []
    assert left_out(tmp_path / "odd") == {
        "merges with missing objects": 1,
        "rows with files that cannot be checked out": 1,
    }


@pytest.mark.parametrize(
    "name", sorted(set(ODDITIES) - NOT_MINED.keys() - UNFIT - {"name-empty", "name-long-changing", "tree-null-id"})
)
def test_what_is_odd_hides_no_other_row(tmp_path: Path, name: str) -> None:
    build(tmp_path / "odd", ODDITIES[name])
    rows = mined_rows(tmp_path / "odd")
    found = {kind: sum(row["sample_type"] == kind for row in rows) for kind in PLAIN}
    merges = 0 if name in WITHOUT_MERGE else 1
    assert found == {"merge": merges, "file_commit_chain": WITH_MORE_CHAINS.get(name, 1)}


@pytest.mark.parametrize("name", NOT_MINED)
def test_a_repository_that_cannot_be_read_says_why(tmp_path: Path, name: str) -> None:
    build(tmp_path / "odd", ODDITIES[name])
    with pytest.raises(GitGoodBenchError, match=NOT_MINED[name]):
        mined_rows(tmp_path / "odd")


def validated(path: Path, rows: list[Sample]) -> list[RowReport]:
    validator = Validator(load_scenarios(), OneRepository(path), LocalProvider())
    return [validate_sample(sample, validator) for sample in rows]


@pytest.mark.parametrize(
    "name",
    [
        "attributes-folder", "date-milliseconds", "dates-words", "header-mergetag", "link-empty", "link-long",
        "message-latin-1", "message-nul", "message-one-long-line", "modes-100664", "modes-unknown", "modes-zero-padded",
        "name-head",
        "name-long", "name-long-folder", "name-option", "path-of-9000-bytes",
        "submodule", "tree-file-of-tree", "tree-unsorted",
    ],
)  # fmt: skip
def test_rows_of_odd_repositories_are_played_by_the_oracles(tmp_path: Path, name: str) -> None:
    build(tmp_path / "odd", ODDITIES[name])
    merge, chain = validated(tmp_path / "odd", mined_samples(tmp_path / "odd"))
    assert (merge.scenarios, merge.findings) == (("mcr",), ())
    assert (chain.scenarios, chain.findings) == (("icc", "ir"), ())


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("name-git", "invalid path '.git/config'"),
        ("name-git-ignorable", "invalid path"),
        ("name-long-changing", "the task is about nnn"),
        ("objects-damaged", "the repository is damaged"),
        ("objects-missing-tree", "the repository is damaged"),
    ],
)
def test_a_row_that_cannot_be_set_up_says_why(tmp_path: Path, name: str, reason: str) -> None:
    _, chain = validated(tmp_path / "odd", samples(build(tmp_path / "odd", ODDITIES[name])))
    findings = [finding for finding in chain.findings if finding.kind != PURITY]
    assert {finding.kind for finding in findings} == {Kind.SETUP}
    assert all(reason in finding.reason for finding in findings)


def test_replacements_and_grafts_are_not_followed(tmp_path: Path) -> None:
    plain = build(tmp_path / "plain", ODDITIES["header-signed"])
    odd = build(tmp_path / "odd", ODDITIES["history-replaced"])
    assert len(plain) == len(odd) == THIRD + 1
    (chain,) = [row for row in mined_rows(tmp_path / "odd") if row["sample_type"] == "file_commit_chain"]
    assert chain["columns"]["base"] == odd[MERGE]
    assert chain["columns"]["commits"] == odd[FIRST:]
    (merge,) = [row for row in mined_rows(tmp_path / "odd") if row["sample_type"] == "merge"]
    assert merge["spec"]["parents"] == [odd[OURS], odd[THEIRS]]
    assert odd[BASE] not in chain["columns"]["commits"]
