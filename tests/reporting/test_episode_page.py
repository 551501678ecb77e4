"""An episode is shown from its result alone: the repository is gone."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.cli import run
from gitgoodbench.details import CommitDetail, ConflictDetail, Details, FileDetail, HistoriesDetail, PairDetail
from gitgoodbench.errors import Status
from gitgoodbench.git.process import Git
from gitgoodbench.reporting.episode import episode_lines
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import AttemptRecord, ErrorRecord, Result, save_settled
from gitgoodbench.scenario import Outcome, Verdict
from gitgoodbench.text import on_one_line
from gitgoodbench.workspace.outcome import take_outcome
from tests.support import merges, rebases
from tests.support.fake_runs import make_result


def saved(folder: Path, verdict: Verdict, **changes: Any) -> Path:
    """A run with one result, as a run saves it."""
    result = make_result(
        format=1, solved=verdict.solved, gates=dict(verdict.gates), scores=dict(verdict.scores),
        details=verdict.details, **changes,
    )  # fmt: skip
    files = RunPaths(folder / "run").episode(*result.key)
    files.folder.mkdir(parents=True)
    save_settled(files, result)
    return folder / "run"


def shown(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    capsys.readouterr()
    assert run(["show", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_a_merge_is_shown_without_its_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository = tmp_path / "r.git"
    versions = [{b"a.py": b"def f():\n    return %s\n" % value} for value in (b"0", b"1", b"2", b"3")]
    case = merges.make_merge(repository, *versions)
    commit = case.builder.commit({b"a.py": b"def f():\n    return 1\n"}, [case.local, case.incoming])
    case.git.run("update-ref", "refs/heads/outcome", commit)
    bundle = case.git.run("bundle", "create", "--quiet", "-", "outcome", "--not", case.local, case.incoming)
    verdict = merges.score(case, Outcome(commit, bundle, {"uncommitted": [], "unmerged": []}))
    trees = [case.git.line("rev-parse", f"{one}^{{tree}}") for one in (commit, case.merge)]
    folder = saved(tmp_path, verdict)
    shutil.rmtree(repository)
    page = shown(capsys, folder, "s0")
    assert "mcr/s0/1\nKav-K/GPTDiscord, python, hard; fake\ncompleted, not solved\n" in page
    assert "gates\n  committed: met\n  clean: met\n  nothing_unmerged: met\n  no_leftover_markers: met\n" in page
    assert f"sample\n  merge: {case.merge}\n  parents: {case.local} {case.incoming}\n" in page
    assert f"trees\n  agent: {trees[0]}\n  truth: {trees[1]}\n" in page
    similarity = verdict.scores["ted_similarity"]
    assert similarity is not None
    assert 0 < similarity < 1
    assert f"a.py: differs\n\nconflict 1: differs, similarity {similarity:.3f}\n  agent\n        return 1\n" in page
    assert "  truth\n        return 3\n" in page
    assert "-    return 1\n  +    return 3\n" in page


def test_a_chain_is_shown_without_its_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository = tmp_path / "r.git"
    first, second = b"def one():\n    return 1\n", b"\n\ndef two():\n    return [2, 2]\n"
    case = rebases.make_chain(
        repository, {b"a.py": b""}, ({b"a.py": first}, b"Add one\n"), ({b"a.py": first + second}, b"Add two\n")
    )
    git = Git(tmp_path / "left/.git", tmp_path / "left")
    (tmp_path / "left").mkdir()
    git.run("init", "--quiet", "--template=", "--initial-branch=work")
    (tmp_path / "left/.git/objects/info/alternates").write_text(f"{case.builder.path}/objects\n")
    tree = git.line("rev-parse", f"{case.commits[-1]}^{{tree}}")
    assert case.base is not None
    commit = git.line("commit-tree", "-p", case.base, "-F", "-", tree, stdin=b"Add \x1b[31mboth\n")
    git.run("reset", "--hard", "--quiet", commit)
    left = take_outcome(git, [case.commits[-1]])
    verdict = rebases.score(case, Outcome(left.head, left.bundle, {**left.state, "finished": True}))
    folder = saved(tmp_path, verdict, scenario="ir")
    shutil.rmtree(repository)
    page = shown(capsys, folder, "ir/s0/1")
    assert f"sample\n  base: {case.base}\n  newest: {case.commits[-1]}\n" in page
    assert f"agent's commits: 1\n  1. {commit[:12]} Add \\x1b[31mboth (1 files, +6 -0)\n" in page
    assert (
        "real commits: 2\n"
        f"  1. {case.commits[0][:12]} Add one (1 files, +2 -0)\n"
        f"  2. {case.commits[1][:12]} Add two (1 files, +4 -0)\n"
    ) in page
    assert "pairing\n  agent 1 - truth 2: 0." in page
    assert page.endswith("lines in common\n  agent 1 - truth 1: 2\n  agent 1 - truth 2: 4\n")


def test_episodes_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = saved(tmp_path, Verdict(True, True))
    assert shown(capsys, folder) == "mcr/s0/1  completed  solved\n"


def test_a_sample_that_is_not_there_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = saved(tmp_path, Verdict(True, True))
    assert run(["show", str(folder), "s9"]) == 2
    assert "is of sample s9" in capsys.readouterr().err


HOSTILE = "\x1b]0;title\x07\x1b[2J\r\u202e\x9b31m\ud800\u2028\n"


@pytest.mark.parametrize("folder", ["a", "b\x1b[2J"])
def test_nothing_hostile_reaches_the_terminal(folder: str) -> None:
    conflict = ConflictDetail(number=1, kind=HOSTILE, exact=False, agent_text=HOSTILE, truth_text=HOSTILE)
    commit = CommitDetail(id="a" * 40, message=HOSTILE, files=(HOSTILE,), patch=HOSTILE)
    result = make_result(
        sample_id="s0", name=folder, model=HOSTILE, gates={HOSTILE: True}, scores={HOSTILE: None},
        status=Status.GAVE_UP,
        error=ErrorRecord(kind=HOSTILE, message=HOSTILE),
        attempts=(AttemptRecord(started=HOSTILE, ended=None, status=Status.GAVE_UP, error=None, cost_usd=None),),
        details=Details(
            ids={HOSTILE: HOSTILE}, files=(FileDetail(path=HOSTILE, exact=False, conflicts=(conflict,)),), diff=HOSTILE,
            histories=HistoriesDetail(agent=(commit,), pairs=(PairDetail(agent=1, truth=1, similarity=1, at_least=0),)),
        ),
    )  # fmt: skip
    lines = list(episode_lines(result))
    assert all(line.isprintable() for line in lines)
    assert any("\\x1b]0;title\\x07\\x1b[2J\\r\\u202e\\x9b31m\\ud800\\u2028" in line for line in lines)


def test_results_of_format_0_are_shown_too() -> None:
    lines = list(episode_lines(Result.model_validate(make_result().model_dump(exclude={"format", "details"}))))
    assert lines[:3] == ["mcr/s0/1", "Kav-K/GPTDiscord, python, hard; fake", "completed, solved"]


def test_what_is_no_text_appears_as_its_escape() -> None:
    assert on_one_line("a\tb\x7f\U000e0001") == "a    b\\x7f\\U000e0001"
