from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.dataset.writers import row_of, write_samples
from gitgoodbench.errors import UserError
from tests.support.samples import CHAIN_SCENARIO, MERGE_SCENARIO, chain_row, chain_sample, merge_row, merge_sample

FORMATS = (".jsonl", ".csv", ".parquet")
SAMPLES = (merge_sample(), chain_sample())

nasty = st.one_of(
    st.text(),
    st.sampled_from(["\r", "\r\n", "\n", '"', "'", ",", "\\", "\x1c\f\x85\u2028", "\ufeff", "\0", "NaN", "None", " "]),
)
lines = st.one_of(
    st.text().map(lambda text: "".join(filter(str.isprintable, text))),
    st.sampled_from(['"', "'", ",", "\\", "\u00a0", "\u2003", "=1+1", "'=1", "NaN", "None", " "]),
)
paths = nasty.map(lambda text: text.replace("\0", "")).filter(bool) | st.just("caf\udce9/ä b.py")
commits = st.sampled_from(["0" * 40, "f" * 64, "0123456789abcdef0123456789abcdef01234567"])
projects = st.fixed_dictionaries(
    {
        "default_branch": lines,
        "license": lines,
        "stargazers": st.none() | st.integers(0, 2**63 - 1),
        "created_at": lines,
        "topics": lines,
        "programming_language": st.sampled_from(["python", "java", "c++"]),
        "project_size": lines,
        "difficulty": st.sampled_from(["easy", "medium", "hard"]),
    }
)
merges = st.fixed_dictionaries(
    {
        "merge_commit_hash": commits,
        "parents": st.tuples(commits, commits),
        "number_of_files_with_merge_conflict": st.integers(0, 2**70),
        "total_number_of_merge_conflicts": st.integers(0, 9),
        "files_in_merge_conflict": st.lists(paths, max_size=3),
    }
)
chains = st.fixed_dictionaries(
    {
        "file": paths,
        "branch": lines,
        "times_seen_consecutively": st.integers(1, 9),
        "purity": st.floats(0, 1),
        "newest_commit": commits,
        "oldest_commit": commits,
    }
)


@st.composite
def suites(draw: st.DrawFn) -> tuple[Sample, ...]:
    samples = []
    for number in range(draw(st.integers(1, 3))):
        merge = draw(st.booleans())
        change = {**draw(projects), "id": f"a_b_{number:04d}", "spec": draw(merges)} if merge else {}
        chain = {**draw(projects), "id": f"a_b_{number:04d}", "spec": draw(chains)} if not merge else {}
        samples.append(merge_sample(**change) if merge else chain_sample(**chain))
    return tuple(samples)


@pytest.mark.parametrize("suffix", FORMATS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(samples=suites())
def test_what_is_written_is_read_back(tmp_path: Path, suffix: str, samples: tuple[Sample, ...]) -> None:
    path = tmp_path / f"suite{suffix}"
    write_samples(samples, path)
    assert load_suite(str(path)).samples == samples


def test_the_fingerprint_depends_on_samples_and_order_alone(tmp_path: Path) -> None:
    fingerprints = set()
    for suffix in FORMATS:
        write_samples(SAMPLES, tmp_path / f"suite{suffix}")
        fingerprints.add(load_suite(str(tmp_path / f"suite{suffix}")).fingerprint)
    assert fingerprints == {"c9fa99b5dec3fcb491b2993f0ef451c68f2a3522a8ac8bc0e6a56edaeaa4c37b"}
    write_samples(SAMPLES[::-1], tmp_path / "reversed.csv")
    assert load_suite(str(tmp_path / "reversed.csv")).fingerprint not in fingerprints


def test_a_written_row_is_the_published_one() -> None:
    assert row_of(merge_sample()) == merge_row()
    assert row_of(chain_sample()) == chain_row()


def test_a_csv_of_pandas_with_its_index_column_is_read(tmp_path: Path) -> None:
    pandas.DataFrame([merge_row(), chain_row(stargazers=None)]).to_csv(tmp_path / "suite.csv")
    assert load_suite(str(tmp_path / "suite.csv")).samples == (merge_sample(), chain_sample(stargazers=None))


def test_json_lists_and_json_lines_are_read_under_the_suffix_json(tmp_path: Path) -> None:
    rows = [merge_row(), chain_row()]
    (tmp_path / "list.json").write_text("\ufeff " + json.dumps(rows), encoding="utf-8")
    (tmp_path / "lines.json").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    assert load_suite(str(tmp_path / "list.json")).samples == SAMPLES
    assert load_suite(str(tmp_path / "lines.json")).samples == SAMPLES


def test_a_parquet_file_with_structs_is_read(tmp_path: Path) -> None:
    rows = [merge_row(scenario=MERGE_SCENARIO), chain_row(scenario=CHAIN_SCENARIO)]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "suite.parquet")
    assert load_suite(str(tmp_path / "suite.parquet")).samples == SAMPLES


def test_a_huge_csv_field_is_read_and_the_limit_of_the_process_stays(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    many = [f"{number:05}.py" for number in range(20_000)]
    wide = merge_sample(spec={**MERGE_SCENARIO, "files_in_merge_conflict": many})
    write_samples([wide], tmp_path / "suite.csv")
    assert load_suite(str(tmp_path / "suite.csv")).samples == (wide,)
    assert csv.field_size_limit() == before


def test_lines_are_counted_with_the_blank_ones(tmp_path: Path) -> None:
    path = tmp_path / "suite.jsonl"
    spec = {**CHAIN_SCENARIO, "file": "a\u2028b"}
    lines = [json.dumps(chain_row(scenario=spec), ensure_ascii=False), "", "{", "[1]", json.dumps(merge_row())]
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode() + b"\n\xff\n")
    suite = load_suite(str(path), skip_invalid=True)
    assert suite.samples == (chain_sample(spec=spec), merge_sample())
    assert suite.invalid == (
        f"{path}, line 3: expected a JSON object, got '{{\\r\\n'",
        f"{path}, line 4: expected a JSON object, got [1]",
        f"{path}, line 6: expected a JSON object, got '\ufffd\\n'",
    )


def test_a_csv_row_with_another_number_of_columns_is_named(tmp_path: Path) -> None:
    path = tmp_path / "suite.csv"
    write_samples([merge_sample()], path)
    with path.open("a") as file:
        file.write("one,two\n")
    assert load_suite(str(path), skip_invalid=True).invalid == (
        f"{path}, row 2: expected 12 columns as in the header, got 2",
    )


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.parquet", b"PAR1 not at all", "cannot be read as parquet: "),
        ("a.parquet", b"", "cannot be read as parquet: "),
        ("a.csv", b'id,name\n"open', "line 2 cannot be read as CSV: unexpected end of data"),
        ("a.csv", b"id\ncaf\xe9", "is not UTF-8: byte 0xe9 cannot be read"),
        ("a.json", b"[1,", "is not JSON: "),
        ("a.json", b"[\xe9]", "is not UTF-8: byte 0xe9 cannot be read"),
        ("a.csv", b"", "holds no sample: it is empty"),
        ("a.jsonl", b"\n", "holds no sample: it is empty"),
        ("a.jsonl", None, "cannot be read: No such file or directory"),
        ("a.txt", b"", "samples are read from .parquet, .jsonl, .json, .csv files"),
    ],
)
def test_a_broken_file_is_one_clear_line(tmp_path: Path, name: str, content: bytes | None, complaint: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError) as caught:
        load_suite(str(tmp_path / name))
    assert complaint in str(caught.value)
    assert str(tmp_path / name) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_is_no_suite(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="samples are read from"):
        load_suite(str(tmp_path))
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(UserError, match="Is a directory"):
        load_suite(str(tmp_path / "a.csv"))


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "suite.csv"
    write_samples([merge_sample()], path)
    before = path.read_bytes()

    def samples() -> Any:
        yield merge_sample()
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_samples(samples(), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_writing_needs_a_known_suffix_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"samples are written to \.jsonl, \.csv, \.parquet files"):
        write_samples(SAMPLES, tmp_path / "suite.xlsx")
    with pytest.raises(UserError, match="cannot be written: No such file or directory"):
        write_samples(SAMPLES, tmp_path / "absent" / "suite.csv")
