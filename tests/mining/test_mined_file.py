"""The file of mined rows: what is written is read back, and what is none is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitgoodbench.dataset.rows import RowError
from gitgoodbench.mining.columns import mined_columns
from gitgoodbench.mining.mined_file import mined_fields, read_mined, write_mined
from gitgoodbench.mining.records import Candidate, MinedRow, language_of, sample_id
from gitgoodbench.sample_types.pick_columns import CherryPickColumns
from gitgoodbench.sample_types.specs import CherryPickSpec
from tests.support.mined import chain_candidate, merge_candidate, mined_row, project

PICK = CherryPickSpec(
    operation="pick", picked_commit="1" * 40, onto="2" * 40, result_commit="3" * 40, files_in_conflict=("a.py",),
    number_of_files=1, total_number_of_conflicts=1,
)  # fmt: skip
PICKED = Candidate(spec=PICK, columns=CherryPickColumns(core=True), language="python", difficulty="easy", committed=5)
OLD = {"commit": "1" * 40, "source": "abcdef1", "trailer": True, "same_patch": False, "source_present": False}
ROWS = [
    mined_row(merge_candidate(1, paths=("a.py", "ü\n.py"), conflicts=2, difficulty="hard")),
    mined_row(chain_candidate(2, purity=0.4, sources_only=False), project(stargazers=None, code_lines=None)),
    MinedRow("x", project(), PICKED),
]


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_what_is_written_is_read_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"mined.{suffix}"
    assert write_mined(ROWS, path) == 3
    assert list(read_mined(path)) == ROWS
    assert list(read_mined(path, path)) == [*ROWS, *ROWS]
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_nothing_at_all_is_a_file_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "mined.parquet"
    assert write_mined([], path) == 0
    assert list(read_mined(path)) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"sample_type": "rebase"}, "field sample_type: expected one of cherry_pick, file_commit_chain, merge"),
        ({"scenario": "{'a': "}, "field scenario: expected the fields of the scenario as a Python literal"),
        ({"scenario": "{}"}, "field merge_commit_hash: expected a row of `gitgoodbench mine`"),
        (
            {"sample_type": "cherry_pick", "scenario": repr(OLD)},
            "expected a row of `gitgoodbench mine` (Value error, a candidate of an older version, which cannot be "
            "played: mine the repository again)",
        ),
        ({"stargazers": "many"}, "field stargazers: expected a row of `gitgoodbench mine`"),
        ({"committed": None}, "field committed: expected a row of `gitgoodbench mine`"),
    ],
)
def test_a_row_that_is_none_is_named_with_its_place(tmp_path: Path, changes: dict[str, object], expected: str) -> None:
    path = tmp_path / "mined.jsonl"
    path.write_text(json.dumps({**mined_fields(ROWS[0], mined_columns()), **changes}) + "\n", encoding="utf-8")
    with pytest.raises(RowError) as raised:
        list(read_mined(path))
    assert f"mined.jsonl, line 1: {expected}" in str(raised.value)


def test_the_rows_of_a_dataset_are_not_mined_rows(tmp_path: Path) -> None:
    from tests.support.samples import merge_row

    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(merge_row()) + "\n", encoding="utf-8")
    with pytest.raises(RowError, match="field committed: expected a row of `gitgoodbench mine`"):
        list(read_mined(path))


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([b"a.py", b"b.py", b"C.java"], "python"),
        ([b"a.py", b"C.java"], None),
        ([b"a.pyi", b"build.gradle.kts", b"x.ktor/README.md"], None),
        ([b"a.kt", b"b.kts"], "kotlin"),
    ],
)
def test_the_language_is_that_of_most_files_by_their_exact_suffixes(paths: list[bytes], expected: str | None) -> None:
    assert language_of(paths, {"python": b".py", "java": b".java", "kotlin": b".kt"}) == expected


def test_ids_are_made_as_published() -> None:
    assert sample_id("Kav-K/GPT.Discord", "merge", 7) == "Kav_K_GPT_Discord_merge_0007"
