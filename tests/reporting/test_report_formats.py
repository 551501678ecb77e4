"""report --format: the same figures as the table, and the same values as `results_frame`; text shows as itself."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench import load_run, results_frame
from gitgoodbench.cli import run
from gitgoodbench.errors import Status
from gitgoodbench.reporting.layout import Sheet
from gitgoodbench.reporting.markup import latex, latex_text, markdown
from gitgoodbench.reporting.samples import frame_csv, frame_json
from gitgoodbench.reporting.schemas import shipped
from gitgoodbench.runs.manifest import write_manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import Result, write_result
from gitgoodbench.text import on_one_line
from tests.support.fake_runs import failed_result, make_manifest, make_result

HOSTILE = "=cmd|' /C calc'!A0 \\input{/etc/passwd} <b>&amp; 100 % \u202e"


def save(folder: Path, *results: Result, agent: str = "fake") -> Path:
    paths = RunPaths(folder)
    write_manifest(paths, make_manifest(run_id=folder.name, agent=agent, samples=len(results)))
    for result in results:
        files = paths.episode(*result.key)
        files.folder.mkdir(parents=True)
        write_result(files.result, result.model_copy(update={"run_id": folder.name, "agent": agent}))
    return folder


@pytest.fixture
def folders(tmp_path: Path) -> list[str]:
    first, second = tmp_path / "one", tmp_path / "two"
    for folder in (first, second):
        folder.mkdir()
    save(
        first,
        make_result("s0", started="2026-01-02T03:04:05.600000+00:00", scores={"exact_match": 0.1 + 0.2}),
        failed_result("s1", Status.SETUP_FAILED, HOSTILE),
        make_result("s2", solved=None, facts={"conflicts": 3, "share": 0.25}),
    )
    save(second, make_result("s0", scores={"other": 1 / 3}, gates={"linear": False}), agent="@other")
    return [str(first), str(second)]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert run(["report", *arguments]) == 0
    return capsys.readouterr().out


def test_csv_of_samples_opens_in_pandas_with_the_values_of_results_frame(
    folders: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    frame = results_frame([load_run(folder) for folder in folders])
    text = printed(capsys, *folders, "--samples", "--format", "csv")
    kinds: dict[str, Any] = {
        str(name): kind for name, kind in frame.dtypes.items() if not str(kind).startswith("datetime")
    }
    dates = [str(name) for name in frame.columns if name not in kinds]
    read = pd.read_csv(io.StringIO(text), dtype=kinds, parse_dates=dates, keep_default_na=False, na_values=[""])
    for name in dates:
        read[name] = pd.to_datetime(read[name], utc=True).dt.as_unit("us")
    assert read.error[1].startswith("'=cmd")
    read.loc[1, "error"] = str(read.error[1])[1:]
    read.loc[3, "agent"] = str(read.agent[3])[1:]
    pd.testing.assert_frame_equal(read, frame)


def test_json_of_samples_has_the_values_of_results_frame_and_follows_its_schema(
    folders: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    frame = results_frame([load_run(folder) for folder in folders])
    read = json.loads(printed(capsys, *folders, "--samples", "--format", "json"))
    jsonschema.validate(read, json.loads(shipped("samples")))
    assert read["columns"] == frame.dtypes.astype(str).to_dict()
    assert [row["sample_id"] for row in read["rows"]] == ["s0", "s1", "s2", "s0"]
    assert [row["score_exact_match"] for row in read["rows"]] == [0.1 + 0.2, None, 1.0, None]
    assert [row["score_other"] for row in read["rows"]] == [None, None, None, 1 / 3]
    assert read["rows"][0]["started"] == "2026-01-02T03:04:05.600000+00:00"
    assert read["rows"][2]["solved"] is None
    assert read["rows"][1]["error"] == on_one_line(HOSTILE).replace("\\u202e", "\u202e")


def test_json_of_runs_is_their_summaries(folders: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    read = json.loads(printed(capsys, *folders, "--format", "json"))
    jsonschema.validate(read, json.loads(shipped("report")))
    assert [one["run_id"] for one in read["runs"]] == ["one", "two"]
    assert read["runs"] == [json.loads((Path(folder) / "summary.json").read_bytes()) for folder in folders]


def test_csv_of_runs_has_the_columns_of_all_of_them(folders: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    read = pd.read_csv(io.StringIO(printed(capsys, *folders, "--format", "csv")))
    totals = read[(read.dimension == "total") & (read.scenario == "mcr")].set_index("run_id")
    assert totals.agent.to_dict() == {"one": "fake", "two": "'@other"}
    assert totals.of_answers_hits.to_dict() == {"one": 1, "two": 1}
    assert totals.gate_linear.isna().to_dict() == {"one": True, "two": False}
    assert totals.other.isna().to_dict() == {"one": True, "two": False}


def test_markdown_and_latex_have_the_figures_of_the_table(
    folders: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    table = printed(capsys, *folders)
    figures = re.findall(r"\d+/\d+ \d+\.\d %", table)
    assert "1/1 100.0 %" in figures
    assert re.findall(r"\d+/\d+ \d+\.\d %", printed(capsys, *folders, "--format", "markdown")) == figures
    tex = printed(capsys, *folders, "--format", "latex")
    assert re.findall(r"\d+/\d+ \d+\.\d \\%", tex) == [figure.replace("%", "\\%") for figure in figures]
    assert tex.count(r"\begin{table}") == tex.count(r"\end{table}") > 0
    for form in ("markdown", "latex", "table"):
        assert "s1" in printed(capsys, *folders, "--samples", "--format", form)
    assert r"\input{/etc" not in tex


def test_a_long_latex_table_may_break_over_pages() -> None:
    text = latex([Sheet("t", ["a\nb", "c"], [["x", "1"]] * 41), "said\nmore"])
    assert text.count(r"x & 1 \\") == 41
    assert r"\begin{longtable}{lr}" in text
    assert r"a b & c \\" in text
    assert "\n% said\n% more\n" in text
    assert markdown([Sheet("t", ["a\nb"], [["x|y"]]), "said"]) == "**t**\n\n| a b |\n|---|\n| x\\|y |\n\n- said\n"


READ = re.compile(r"\\text(\w+)\{\}|\\([&%$#_{}])|\{([-\[\]*])\}|(.)", re.DOTALL)
NAMED = {
    "backslash": "\\", "asciitilde": "~", "asciicircum": "^", "less": "<", "greater": ">", "bar": "|",
    "quotedbl": '"', "quotesingle": "'", "asciigrave": "`",
}  # fmt: skip


def typeset(text: str) -> str:
    """What LaTeX prints; nothing that it would take for anything but text may be in it."""
    shown = []
    for name, escaped, braced, plain in READ.findall(text):
        assert plain not in set("\\{}&%$#_~^<>|\"'`[]*-") or not plain
        shown.append(NAMED[name] if name else escaped or braced or plain)
    return "".join(shown)


@given(st.text())
def test_latex_shows_any_text_as_itself(text: str) -> None:
    assert typeset(latex_text(text)) == on_one_line(text)


def test_a_frame_without_rows_has_its_columns() -> None:
    frame = results_frame([])
    assert frame_csv(frame).split(",")[:3] == ["run_id", "agent", "model"]
    assert json.loads(frame_json(frame))["rows"] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name one run or several"),
        (["x", "--samples", "--explain"], "give one of them"),
        (["nowhere"], "nowhere is not the folder of a run"),
    ],
)
def test_mistakes_are_named(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", *arguments]) == 2
    assert said in capsys.readouterr().err
