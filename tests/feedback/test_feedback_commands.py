"""`gitgoodbench feedback`: what its commands print and refuse, and their exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitgoodbench.cli import run
from gitgoodbench.feedback.queue import queue_of
from gitgoodbench.feedback.setup import set_up
from gitgoodbench.feedback.store import folder_of
from tests.feedback.support_repository import Developer, install_quietly


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


def test_install_status_run_uninstall(ada: Developer, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "install", "--source", "claude-code", "--user", "ada")
    assert code == 0
    assert f"post-commit   installed in {project}/.git/hooks/post-commit" in out
    assert "sources       claude-code\n" in out
    before = (project / ".git/config").read_bytes()
    assert said(capsys, "install", "--source", "claude-code", "--user", "ada")[:2] == (0, out)
    assert (project / ".git/config").read_bytes() == before
    install_quietly(project)  # no worker: this test runs by itself
    ada.commit(project, {"a": b"a"})
    code, out, err = said(capsys, "status")
    assert (code, err) == (0, "")
    assert "queue         1 waiting" in out
    assert said(capsys, "run") == (0, "1 new commits, 0 made without a hook; 1 scored\n", "")
    code, out, _ = said(capsys, "status", "--check", "--json")
    status = json.loads(out)
    assert (code, status["commits"]["scored"], status["queue"], status["user"]) == (0, 1, 0, "ada")
    assert [(one["name"], one["found"]) for one in status["sources"]] == [("claude-code", 0)]
    (project / ".git/hooks/post-commit").unlink()
    code, out, _ = said(capsys, "status")
    assert code == 2
    assert "post-commit   missing; run `gitgoodbench feedback install`" in out
    code, out, _ = said(capsys, "uninstall")
    assert code == 0
    assert out.endswith("feedback is uninstalled; results stay (--purge removes them)\n")
    assert "gitgoodbench" not in (project / ".git/config").read_text()
    assert (folder_of(project / ".git") / "feedback.sqlite3").exists()
    said(capsys, "uninstall", "--purge")
    assert not folder_of(project / ".git").exists()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["install", "--source", "claude"], "there is no source 'claude': did you mean claude-code? known: "),
        (
            ["install", "--source", "claude-code:odd"],
            "--source claude-code:odd: write an option as claude-code:key",
        ),
        (["install", "--sink", "nowhere"], "there is no sink 'nowhere': "),
        (["run"], "feedback is not installed here: run `gitgoodbench feedback install`"),
        (["status"], "feedback is not installed here: run `gitgoodbench feedback install`"),
        (["run", "nothing"], "nothing names no commit of this repository"),
        (["run", "--", "--output=x"], "--output=x names no commit of this repository"),
    ],
)
def test_mistakes_get_a_line(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    code, out, err = said(capsys, *arguments)
    assert (code, out) == (2, "")
    assert expected in err
    assert err.count("\n") == 1
    assert not (project / "x").exists()


def test_elsewhere_than_in_a_repository(
    ada: Developer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ada.home)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    code, _, err = said(capsys, "install")
    assert code == 2
    assert "is in no Git repository" in err


def test_options_of_a_source_are_kept_by_git(ada: Developer, project: Path) -> None:
    set_up(project, ["claude-code:some_path=/a b", "claude-code:other=1=2"], [], None)
    done = set_up(project, ["claude-code:other=3"], [], None)
    assert done.settings.sources == ("claude-code",)
    assert done.settings.options_of("source") == {"claude-code": {"some_path": "/a b", "other": "3"}}
    assert ada.git(project, "config", "gitgoodbench-feedback.source.claude-code.some-path") == "/a b"


def test_settings_of_a_repository_lie_over_global_ones(project: Path) -> None:
    set_up(project, ["claude-code:a=1", "claude-code:b=1"], [], "everywhere", everywhere=True)
    done = set_up(project, ["claude-code:b=2"], [], "here")
    assert done.settings.options_of("source") == {"claude-code": {"a": "1", "b": "2"}}
    assert (done.settings.user, done.settings.sources) == ("here", ("claude-code",))


def test_text_from_events_does_no_harm_to_a_terminal(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(project, [], [], None)
    (queue_of(project / ".git") / "odd\x1b[31m").write_bytes(b"odd")
    said(capsys, "run")
    _, out, _ = said(capsys, "status")
    assert "odd\\x1b[31m: odd" in out
    assert "\x1b" not in out
