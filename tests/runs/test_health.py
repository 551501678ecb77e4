"""The doctor: what it finds missing, and what it never shows."""

from __future__ import annotations

import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from gitgoodbench.cli import run
from gitgoodbench.errors import UserError
from gitgoodbench.git.version import GIT_NEEDED
from gitgoodbench.runs import health
from gitgoodbench.runs.health import Check

Usage = namedtuple("Usage", "total used free")


@pytest.mark.parametrize(
    ("version", "ok"),
    [("2.38.5", False), ("2.39.0", True), ("2.39.5 (Apple Git-154)", True), ("3.0.0", True), ("", False)],
)
def test_git_must_be_able_to_merge_trees(monkeypatch: pytest.MonkeyPatch, version: str, ok: bool) -> None:
    monkeypatch.setattr(health, "host_git_version", lambda: version)
    assert health.check_git().ok is ok


def test_no_git_is_missing_with_a_hint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    check = health.check_git()
    assert (check.ok, check.needed_for, check.hint) == (False, "everything", GIT_NEEDED)


def test_a_key_is_found_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    check = health.check_key()
    assert check.ok
    assert "secret" not in str(check)


def test_no_key_is_missing_unless_another_server_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert not health.check_key().ok
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8000/v1")
    assert health.check_key().ok


def test_a_full_disk_is_missing_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: Usage(100 * 2**30, 99 * 2**30, 2**30))
    checks = list(health.check_disk())
    assert [check.ok for check in checks] == [False, False]
    assert "1.0 GiB free" in checks[0].detail
    assert "TMPDIR" in checks[1].hint


def test_a_docker_that_does_not_answer_is_one_check_with_the_way_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from gitgoodbench.sandbox import daemon

    def silent() -> None:
        raise UserError("Docker does not answer (no such file)")

    monkeypatch.setattr(daemon, "connect_to_docker", silent)
    (check,) = health.check_docker()
    assert (check.name, check.ok, check.needed_for) == ("Docker", False, "--sandbox docker and --tools shell")


def test_the_built_in_suite_is_there() -> None:
    check = health.check_built_in_suite()
    assert check.ok
    assert check.detail.endswith(" samples")


@pytest.mark.parametrize(("needed", "code"), [("--agent openai", 0), ("everything", 2)])
def test_the_doctor_fails_only_for_what_every_run_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], needed: str, code: int
) -> None:
    checks = [Check("Git", True, "2.39.5"), Check("Thing", False, "it is not there", needed, "get one")]
    monkeypatch.setattr(health, "check_all", lambda: iter(checks))
    assert run(["doctor"]) == code
    assert capsys.readouterr().out.split("\n") == [
        "Git         ok       2.39.5",
        "Thing       missing  it is not there",
        f"                     needed for {needed}: get one",
        "",
    ]
