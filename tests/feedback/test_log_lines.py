"""Lines of logs: damaged, half written, far too long, or meant to break the reader."""

from __future__ import annotations

import json
import math
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.feedback.sources import jsonl
from gitgoodbench.feedback.sources.jsonl import Line, lines, log_of, mentions, parse
from gitgoodbench.feedback.sources.values import added, count, name, number, rows, seconds, table, text

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def read(path: Path, content: bytes) -> list[Line]:
    path.write_bytes(content)
    return list(lines(path))


def test_a_half_last_line_is_still_being_written(tmp_path: Path) -> None:
    assert read(tmp_path / "a", b'{"a": 1}\n{"b": ') == [Line({"a": 1})]
    assert read(tmp_path / "a", b'{"a": 1}\n{"b": 2}') == [Line({"a": 1}), Line({"b": 2})]
    assert read(tmp_path / "a", b'{"a": 1}\n{"b": \n') == [Line({"a": 1}), Line(None, "a line that is not JSON")]
    assert read(tmp_path / "a", b"") == []


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"a": "\xff"}', "a line that is not UTF-8"),
        (b"[1]", "a line that is no object"),
        (b'{"a": "\x00"}', "a line that is not JSON"),
        (b'{"a":' * 200_000 + b"1" + b"}" * 200_000, "a line that is nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a line that is not JSON"),
    ],
)
def test_damaged_lines_are_told_apart_and_the_next_is_read(tmp_path: Path, line: bytes, problem: str) -> None:
    assert read(tmp_path / "a", line + b'\n{"b": 2}\n') == [Line(None, problem), Line({"b": 2})]


def test_blocks_of_nul_after_a_power_failure_are_no_line(tmp_path: Path) -> None:
    assert read(tmp_path / "a", b'{"a": 1}\n' + b"\0" * 4096 + b'{"b": 2}\r\n\r\n') == [Line({"a": 1}), Line({"b": 2})]


def test_lone_surrogates_become_what_a_file_gets_for_them() -> None:
    assert parse(rb'{"a\udc00": ["\ud83d\ude00", "\uD800x"]}') == Line({"a\ufffd": ["\U0001f600", "\ufffdx"]})


def test_a_line_that_is_too_long_is_passed_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "LONGEST", 100)
    long = json.dumps({"a": "x" * 1000}).encode()
    expected = [Line(None, "a line that is too long"), Line({"b": 2})]
    assert read(tmp_path / "a", long + b'\n{"b": 2}\n') == expected
    assert read(tmp_path / "a", b'{"b": 2}\n' + long) == expected[::-1]


def test_lines_are_passed_over_by_their_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b'{"image": 1}\n{"b": 2}\n')
    assert list(lines(tmp_path / "a", lambda line: b"image" in line)) == [Line(None), Line({"b": 2})]


def test_a_long_log_does_not_lie_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes((json.dumps({"a": "x" * 10_000}).encode() + b"\n") * 2000)
    tracemalloc.start()
    assert sum(1 for _ in lines(path)) == 2000
    assert mentions(path, [b"y"]) is False
    (_, peak) = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 500_000


def test_the_fingerprint_changes_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert log_of(path) is None
    path.write_bytes(b"{}\n")
    first = log_of(path)
    path.write_bytes(b"{}\n{}\n")
    second = log_of(path)
    assert first is not None
    assert second is not None
    assert first.fingerprint != second.fingerprint


@given(st.lists(st.dictionaries(st.text(), JSON, max_size=4), max_size=5))
def test_whatever_json_writes_is_read(tmp_path_factory: pytest.TempPathFactory, objects: list[dict[str, Any]]) -> None:
    content = "".join(json.dumps(one) + "\n" for one in objects).encode()
    found = read(tmp_path_factory.getbasetemp() / "written", content)
    cleaned = [json.loads(json.dumps(one)) for one in objects]
    assert repr([line.value for line in found]) == repr(cleaned)


@given(st.binary(max_size=300))
def test_any_bytes_are_read(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    for line in read(tmp_path_factory.getbasetemp() / "bytes", content):
        assert (line.value is None) == (line.problem is not None)


@given(JSON)
def test_values_of_any_json_are_of_their_type_or_none(value: Any) -> None:
    for found in (text(value), name(value)):
        assert found is None or isinstance(found, str)
    assert (whole := count(value)) is None or 0 <= whole <= 2**53
    for real in (number(value), seconds(value)):
        assert real is None or math.isfinite(real)
    assert isinstance(rows(value), list)
    assert isinstance(table(value), dict)


@pytest.mark.parametrize(
    "value",
    ["2026-11-30T11:35:21.500Z", "2026-11-30T12:35:21.500+01:00", "2026-11-30T11:35:21.5", 1796038521.5, 1796038521500,
     1796038521500000, 1796038521500000000],
)  # fmt: skip
def test_clocks(value: object) -> None:
    assert seconds(value) == 1796038521.5


@pytest.mark.parametrize("value", ["soon", "", "0001-01-01T00:00:00", 0, -5, 1e30, float("inf"), True, None, [1]])
def test_what_is_no_time(value: object) -> None:
    assert seconds(value) is None


def test_sums_of_what_is_known() -> None:
    assert (added(1, None, 2), added(None, None), added()) == (3, None, None)
