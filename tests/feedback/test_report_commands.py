"""`gitgoodbench feedback report` and `compare`: what they print and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitgoodbench.cli import run
from gitgoodbench.feedback.records import EditResult, Key, Session
from gitgoodbench.feedback.store import Store, folder_of
from tests.feedback.support_report import MONDAY, commit, result, save_outstanding, save_results, save_session
from tests.feedback.support_repository import Developer


@pytest.fixture
def project(ada: Developer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = ada.repository(tmp_path / "project")
    monkeypatch.chdir(folder)
    return folder


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = run(["feedback", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def fill(project: Path) -> None:
    """Ten commits on ten days, each with an edit of model m-1 that was kept and one of m-2 that was not."""
    with Store(project / ".git") as store:
        for number in range(10):
            of = commit("0123456789"[number], MONDAY + number * 86_400)
            edits: list[EditResult] = []
            for model, reward in (("m-1", 0.9), ("m-2\x1b[31m", 0.1)):
                session = f"{number}-{model[2]}"
                save_session(store, Session("codex", session), [])
                edits.append(result(Key("codex", session, "e"), of, reward, model=model))
            save_results(store, of, *edits)
        alone = commit("a", MONDAY, committed_by="codex")
        save_results(store, alone, result(Key("codex", "z", "e"), alone, 1.0, model="m-1"))


def test_without_a_database_nothing_is_made(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["report"], ["compare"], ["report", "--export", "agent-trace"]):
        code, out, err = said(capsys, *command)
        assert (code, out) == (2, "")
        assert "there is no feedback here yet: run `gitgoodbench feedback install`" in err
    assert not folder_of(project / ".git").exists()


def test_an_empty_database_is_one_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(project / ".git").close()
    code, out, _ = said(capsys, "report")
    assert code == 0
    assert out == "no edits of an assistant are known yet: `gitgoodbench feedback status --check` says what was read\n"
    assert said(capsys, "report", "--format", "json")[1] == "[]\n"
    assert said(capsys, "compare")[1].startswith("nothing to compare: no edits")


def test_tables(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(project)
    code, out, _ = said(capsys, "report", "--by", "model", "--days", "3")
    assert code == 0
    lines = [line.split() for line in out.split("\n")]
    assert ["m-1", "10", "10", *["0"] * 4, "10", "10", "0.90", "[0.90,", "0.90]"] in [line[:12] for line in lines]
    assert ["m-1", "(committed", "by", "codex)", "1", "1"] in [line[:6] for line in lines]
    assert "m-2\\x1b[31m" in out
    assert "\x1b" not in out
    assert "observational, not randomised" in out
    assert "95 % intervals" in out
    assert "by assistant" in said(capsys, "report")[1]


def test_filters_and_formats(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(project)
    with Store(project / ".git") as store:
        save_outstanding(store, result(Key("codex", "y", "e"), None, None, "pending"))
    records = json.loads(said(capsys, "report", "--format", "json")[1])
    assert len(records) == 22
    assert list(records[0])[:12] == [
        "source", "session", "edit", "commit", "path", "language", "model", "state", "reward", "kept", "evidence",
        "committed_by",
    ]  # fmt: skip
    some = ["--since", "2026-12-02", "--until", "2026-12-04T00:00:00+00:00"]
    found = json.loads(said(capsys, "report", "--format", "json", *some)[1])
    assert {one["commit"][0] for one in found} == {"2", "3"}
    assert len(json.loads(said(capsys, "report", "--format", "json", "--state", "pending")[1])) == 1
    groups = said(capsys, "report", "--format", "csv", "--by", "week", *some)[1].split("\n")
    assert groups[0].startswith("by,group,committed_by,edits,scored")
    assert groups[1].startswith("week,2026-W49,,4,4,")
    assert "\x1b" not in said(capsys, "report", "--format", "csv")[1]
    assert said(capsys, "report", "--until", "2020-01-01")[1] == "none of the 22 edits is in what was asked for\n"


def test_edits_of_named_commits(ada: Developer, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (ada.commit(project, {"a": text}) for text in (b"1", b"2"))
    with Store(project / ".git") as store:
        for known_by in (first, second):
            of = commit("c")
            of = type(of)(known_by, (), MONDAY, "Ada", "ada@example.invalid")
            save_results(store, of, result(Key("codex", known_by, "e"), of, 0.5))
    (record,) = json.loads(said(capsys, "report", "--commit", "HEAD~1..HEAD", "--format", "json")[1])
    assert record["commit"] == second
    code, _, err = said(capsys, "report", "--commit", "nowhere")
    assert code == 2
    assert "nowhere names no commit of this repository" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", "--since", "yesterday"], "--since: 'yesterday' is no date: write a day as 2026-11-30"),
        (["report", "--since", "2026-11-30", "--until", "2026-11-30"], "--until: 2026-11-30 is not after 2026-11-30"),
        (["report", "--export", "agent-trace", "--by", "model"], "--export agent-trace takes --since"),
        (["compare", "m-1"], "compare takes two groups, A and B, or none for every pair"),
        (["compare", "--by", "model", "m-1", "m-3"], "no model is called 'm-3': choose among m-1, m-2"),
    ],
)
def test_mistakes(project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    fill(project)
    code, out, err = said(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_compare_says_whether_a_difference_is_one(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(project)
    code, out, _ = said(capsys, "compare", "--by", "model")
    assert code == 0
    assert out.startswith("m-1 and m-2\\x1b[31m: a difference: m-1 is 0.80 above m-2\\x1b[31m\n")
    assert "+0.80 [+0.80, +0.80]" in out
    assert "1 edit that an assistant committed by itself is left out" in out
    (record,) = json.loads(said(capsys, "compare", "--by", "model", "--json")[1])
    assert (record["first"], record["is_one"], record["exact"]) == ("m-1", True, True)
    assert record["p"] == pytest.approx(2 / 1024)
    assert said(capsys, "compare")[1] == "nothing to compare: assistant is codex in all edits\n"


def test_agent_trace_is_json_lines(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(project / ".git").close()
    assert said(capsys, "report", "--export", "agent-trace") == (0, "", "")
