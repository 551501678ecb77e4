"""Assistants that commit without a hook, or without a mark in its environment: their logs tell who made a commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.feedback import pipeline
from gitgoodbench.feedback.records import Commit, EditResult
from gitgoodbench.feedback.settings import read_settings
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.commits import commit_of
from gitgoodbench.feedback.store.results import edit_results
from tests.feedback.support_logs import START
from tests.feedback.support_logs_b import ADD, COMMIT, INT, AiderChat, GeminiLog, search_replace, shown
from tests.feedback.support_repository import Developer, install_quietly

NO_HOOKS = ("-c", "core.hooksPath=")


class Work:
    """A repository with feedback, whose clock is that of the logs."""

    def __init__(self, ada: Developer, folder: Path) -> None:
        self.ada, self.folder = ada, ada.repository(folder)
        ada.clock = int(START) - 600
        ada.commit(self.folder, {"base": b"base\n"}, "Root")
        self.repository = install_quietly(self.folder, ("GEMINI_CLI",))
        ada.git(self.folder, "config", "gitgoodbench-feedback.installed", str(int(START) - 300))
        for name in ("gemini-cli", "aider"):
            ada.git(self.folder, "config", "--add", "gitgoodbench-feedback.source", name)
        ada.clock = int(START) + 10

    def run(self) -> pipeline.Run:
        return pipeline.run(self.repository, read_settings(self.folder), patience=0)

    def commit(self, message: str, *options: str) -> str:
        self.ada.git(self.folder, "add", "--all")
        self.ada.git(self.folder, *options, "commit", "--quiet", "--message", message)
        return self.ada.head(self.folder)

    def results(self) -> dict[str, EditResult]:
        with Store(self.repository.common) as store:
            return {one.key.edit: one for one in edit_results(store)}

    def recorded(self, commit: str) -> Commit:
        with Store(self.repository.common) as store:
            found = commit_of(store, commit)
        assert found is not None
        return found


@pytest.fixture
def work(ada: Developer, tmp_path: Path) -> Work:
    return Work(ada, tmp_path / "app")


def test_geminis_commit_without_a_hook_is_caught_up(work: Work) -> None:
    path = work.folder / "a.py"
    log = GeminiLog(work.ada.home, work.folder)
    log.write("w1", str(path), "", ADD)
    log.call("r1", "replace", {"file_path": str(path), "old_string": "x", "new_string": "y"}, "Error", "cancelled")
    path.write_text(ADD)
    commit = work.commit("its own", *NO_HOOKS)
    log.call("s1", "run_shell_command", {"command": COMMIT}, commit)
    log.save()
    ran = work.run()
    assert (ran.commits, ran.caught_up, ran.problems) == (0, 1, ())
    recorded = work.recorded(commit)
    assert (recorded.committed_by, recorded.seen_by) == ("gemini-cli", "reflog")
    results = work.results()
    assert {key: (one.state, one.reward, one.commit) for key, one in results.items()} == {
        "w1": ("scored", 1.0, commit),
        "r1": ("not_applied", None, None),
        "s1": ("indirect", None, commit),
    }
    assert results["w1"].evidence[0].kind == "hash"
    again = work.run()
    assert (again.caught_up, again.scored) == (0, 0)


def test_what_a_person_amends_moves_and_is_hers(work: Work) -> None:
    log = GeminiLog(work.ada.home, work.folder)
    path = work.folder / "a.py"
    log.write("w1", str(path), "", ADD)
    path.write_text(ADD)
    log.call("s1", "run_shell_command", {"command": COMMIT}, work.commit("its own", *NO_HOOKS))
    log.save()
    work.run()
    path.write_text(INT)
    work.ada.git(work.folder, *NO_HOOKS, "commit", "--quiet", "--all", "--amend", "--message", "hers")
    work.run()
    moved = work.results()["w1"]
    assert moved.commit == work.ada.head(work.folder)
    assert moved.reward == pytest.approx(1 - 10 / 17)  # 10 edits of a tree of 17 nodes
    assert moved.commit is not None
    assert work.recorded(moved.commit).committed_by is None


def test_aiders_commits_and_the_persons_before_them(work: Work) -> None:
    path = work.folder / "a.py"
    path.write_text("x = 1\n")
    hers = work.commit("hers")
    path.write_text("x = 1\n" + ADD)
    work.ada.clock += 60
    its = work.commit("its own")
    chat = AiderChat()
    chat.start()
    chat.ask("add")
    chat.answer(search_replace("a.py", "x = 1\n", "x = 1\n" + ADD))
    chat.tell("Committing a.py before applying edits.", f"Commit {hers[:7]} hers")
    chat.tell("Applied edit to a.py", f"Commit {its[:7]} its own")
    chat.save(work.folder)
    work.run()
    (result,) = work.results().values()
    assert (result.state, result.commit, result.reward) == ("scored", its, 1.0)
    assert [work.recorded(one).committed_by for one in (hers, its)] == [None, "aider"]
    assert result.evidence[0].detail.startswith("the log names the commit")


def test_a_replacement_counts_what_it_changes(work: Work) -> None:
    path = work.folder / "a.py"
    path.write_text(ADD)
    work.commit("before", *NO_HOOKS)
    log = GeminiLog(work.ada.home, work.folder)
    log.time += 20
    arguments = {"file_path": str(path), "old_string": "a + b", "new_string": "int(a) + int(b)"}
    log.call("r1", "replace", arguments, shown(str(path), ADD, INT))
    path.write_text(INT)
    work.ada.clock += 60
    commit = work.commit("after")
    log.save()
    work.run()
    result = work.results()["r1"]
    assert (result.state, result.commit, result.reward) == ("scored", commit, 1.0)
    assert [piece.snippet for piece in result.pieces] == [b"    return int(a) + int(b)\n"]
