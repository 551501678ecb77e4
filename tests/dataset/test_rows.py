from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import numpy
import pandas
import pytest

from gitgoodbench.dataset.rows import COLUMNS, Place, RowError, read_sample
from gitgoodbench.sample_types.specs import chain_spec, merge_spec
from tests.support.samples import CHAIN_SCENARIO, MERGE_SCENARIO, chain_row, chain_sample, merge_row, merge_sample

HERE = Place("suite.jsonl", 7, "line")


def with_scenario(**changes: Any) -> dict[str, Any]:
    return merge_row(scenario={**MERGE_SCENARIO, **changes})


def refusal(row: dict[str, Any]) -> str:
    with pytest.raises(RowError) as caught:
        read_sample(row, HERE)
    return str(caught.value)


@pytest.mark.parametrize(
    "spelled",
    [
        repr(MERGE_SCENARIO),
        "  " + repr(MERGE_SCENARIO) + "\n",
        repr({**MERGE_SCENARIO, "parents": tuple(MERGE_SCENARIO["parents"])}),
        json.dumps(MERGE_SCENARIO),
        MERGE_SCENARIO,
        {**MERGE_SCENARIO, "parents": numpy.array(MERGE_SCENARIO["parents"])},
        {**MERGE_SCENARIO, "files_in_merge_conflict": numpy.array(MERGE_SCENARIO["files_in_merge_conflict"], object)},
        {**MERGE_SCENARIO, "files_in_merge_conflict": repr(MERGE_SCENARIO["files_in_merge_conflict"])},
        {**MERGE_SCENARIO, "files_in_merge_conflict": json.dumps(MERGE_SCENARIO["files_in_merge_conflict"])},
        {**MERGE_SCENARIO, **dict.fromkeys(CHAIN_SCENARIO)},
        {**MERGE_SCENARIO, "number_of_files_with_merge_conflict": numpy.int64(2)},
        {**MERGE_SCENARIO, "number_of_files_with_merge_conflict": 2.0},
        {**MERGE_SCENARIO, "number_of_files_with_merge_conflict": "2"},
    ],
)
def test_every_spelling_of_a_scenario_is_the_same_sample(spelled: object) -> None:
    assert read_sample(merge_row(scenario=spelled), HERE) == merge_sample()


def test_a_chain_row_is_read() -> None:
    assert read_sample(chain_row(), HERE) == chain_sample()
    assert chain_spec(chain_sample()).purity == 0.75


def test_escapes_of_json_mean_what_they_mean_in_json() -> None:
    scenario = json.dumps({**MERGE_SCENARIO, "files_in_merge_conflict": ["a/\U0001f600.py"]}).replace("/", "\\/")
    merge = merge_spec(read_sample(merge_row(scenario=scenario), HERE))
    assert merge.files_in_merge_conflict == ("a/\U0001f600.py",)


def test_a_path_that_is_not_utf8_survives_as_surrogates() -> None:
    merge = merge_spec(read_sample(with_scenario(files_in_merge_conflict=["caf\udce9.py"]), HERE))
    assert merge.files_in_merge_conflict == ("caf\udce9.py",)


@pytest.mark.parametrize("nothing", [None, float("nan"), numpy.nan, pandas.NA, pandas.NaT, ""])
def test_metadata_of_the_project_may_be_missing(nothing: object) -> None:
    optional = ("default_branch", "license", "stargazers", "created_at", "topics", "project_size")
    expected = merge_sample(**{name: None if name == "stargazers" else "" for name in optional})
    assert read_sample(merge_row(**dict.fromkeys(optional, nothing)), HERE) == expected
    assert read_sample({name: value for name, value in merge_row().items() if name not in optional}, HERE) == expected


def test_values_of_pandas_and_arrow_become_plain_ones() -> None:
    row = merge_row(
        stargazers=numpy.float64(1843.0),
        created_at=pandas.Timestamp("2022-12-17T06:41:28"),
        topics=["chatgpt", "discord"],
        programming_language=" Python ",
        unnamed=4,
    )
    assert read_sample(row, HERE) == merge_sample()
    assert read_sample(merge_row(created_at=datetime(2022, 12, 17, 6, 41, 28)), HERE) == merge_sample()


@pytest.mark.parametrize("column", ["id", "name", "programming_language", "scenario", "sample_type", "difficulty"])
def test_a_missing_column_is_named(column: str) -> None:
    message = refusal({name: value for name, value in merge_row().items() if name != column})
    assert message.startswith(f"suite.jsonl, line 7: field {column}: expected ")
    assert message.endswith("but it is missing")


@pytest.mark.parametrize("field", list(MERGE_SCENARIO))
def test_a_missing_field_of_the_scenario_is_named(field: str) -> None:
    message = refusal(merge_row(scenario={name: value for name, value in MERGE_SCENARIO.items() if name != field}))
    assert message.startswith(f"suite.jsonl, line 7: field scenario.{field}: expected ")
    assert message.endswith("but it is missing")


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (merge_row(difficulty="brutal"), "field difficulty: expected one of easy, medium, hard, got 'brutal'"),
        (
            merge_row(sample_type="rebase"),
            "field sample_type: expected one of cherry_pick, file_commit_chain, merge, got 'rebase'",
        ),
        (merge_row(sample_type="file_commit_chain"), "field scenario.file: expected a path, but it is missing"),
        (merge_row(name="kav-k"), "field name: expected a repository as owner/name, got 'kav-k'"),
        (merge_row(name="owner/.."), "field name: expected a repository as owner/name, got 'owner/..'"),
        (merge_row(name="owner/name\n"), "field name: expected a repository as owner/name, got 'owner/name\\n'"),
        (merge_row(stargazers=1.5), "field stargazers: expected a whole number, 0 or more, got 1.5"),
        (merge_row(stargazers=True), "field stargazers: expected a whole number, 0 or more, got True"),
        (
            merge_row(topics="\ud800"),
            "field topics: expected text, topics separated by semicolons, 10000 characters at most, got '\\ud800'",
        ),
        (with_scenario(parents=["b" * 40]), f"got ['{'b' * 40}']"),
        (with_scenario(parents={"b" * 40, "c" * 40}), "(88 characters)"),
        (with_scenario(merge_commit_hash="HEAD"), "scenario.merge_commit_hash: expected a commit id (40 or 64"),
        (with_scenario(merge_commit_hash="--output=x"), "got '--output=x'"),
        (with_scenario(files_in_merge_conflict="a.py"), "expected a list of paths, got 'a.py'"),
        (with_scenario(files_in_merge_conflict=["a\0b"]), "expected a list of paths, got ['a\\x00b']"),
        (with_scenario(files_in_merge_conflict=[3]), "expected a list of paths, got [3]"),
        (with_scenario(number_of_files_with_merge_conflict=-1), "expected a whole number, 0 or more, got -1"),
        (chain_row(scenario={**CHAIN_SCENARIO, "purity": 1.5}), "scenario.purity: expected a number from 0 to 1, got"),
        (chain_row(scenario={**CHAIN_SCENARIO, "times_seen_consecutively": 0}), "a whole number, 1 or more, got 0"),
    ],
)
def test_a_wrong_value_is_named_with_what_was_expected(row: dict[str, Any], complaint: str) -> None:
    message = refusal(row)
    assert message.startswith("suite.jsonl, line 7: field ")
    assert complaint in message
    assert "\n" not in message


@pytest.mark.parametrize("name", ["..", ".", ".hidden", "a/b", "a b", "", "-x", "a" * 201, "a\n"])
def test_an_id_that_is_no_folder_name_is_refused(name: str) -> None:
    assert "field id: expected an id of letters" in refusal(merge_row(id=name))


@pytest.mark.parametrize(
    "scenario",
    [
        "",
        "{'merge_commit_hash':",
        "__import__('os').system('touch pwned')",
        "[" * 100_000,
        "-" * 100_000 + "1",
        "{'a': " * 90 + "1" + "}" * 90,
        '{"a":' * 50_000,
        "'just text'",
        "9" * 10_000,
        "{[]: 1}",
        "\0",
        " " * 300_000 + repr(MERGE_SCENARIO),
        17,
    ],
)
def test_a_malformed_scenario_gives_one_line(scenario: object) -> None:
    message = refusal(merge_row(scenario=scenario))
    assert message.startswith("suite.jsonl, line 7: field scenario")
    assert "\n" not in message
    assert len(message) < 250


def test_the_columns_are_the_published_ones() -> None:
    assert tuple(merge_row()) == COLUMNS
