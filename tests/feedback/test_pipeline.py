"""From a commit to results in the database, with real hooks, a real worker, and logs as Claude Code writes them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gitgoodbench.feedback import pipeline
from gitgoodbench.feedback.queue import problems_of, queue_of, waiting
from gitgoodbench.feedback.records import EditResult
from gitgoodbench.feedback.repository import Repository, discover
from gitgoodbench.feedback.settings import read_settings
from gitgoodbench.feedback.setup import set_up
from gitgoodbench.feedback.store import Store, folder_of
from gitgoodbench.feedback.store.commits import commit_of, commits, links_of
from gitgoodbench.feedback.store.results import edit_results, result_of, survivals
from gitgoodbench.files import locked
from tests.feedback.support_logs import START, ClaudeLog
from tests.feedback.support_repository import Developer, install_quietly

ADD = "def add(a, b):\n    return a + b\n"
SUB = "def sub(a, b):\n    return a - b\n"
NO_HOOKS = ("-c", "core.hooksPath=")


class Work:
    """A repository with feedback for Claude Code, and a session of it. The clock is that of the log."""

    def __init__(self, ada: Developer, folder: Path) -> None:
        self.ada, self.folder = ada, ada.repository(folder)
        self.ada.clock = int(START) - 600
        self.root = ada.commit(self.folder, {"base": b"base\n"}, "Root")
        self.repository: Repository = install_quietly(self.folder, ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID"))
        ada.git(self.folder, "config", "gitgoodbench-feedback.installed", str(int(START) - 300))
        ada.git(self.folder, "config", "gitgoodbench-feedback.source", "claude-code")
        self.log = ClaudeLog(ada.home / ".claude/projects/x/s1.jsonl", self.folder)
        self.ada.clock = int(START)

    def write(self, call: str, name: str, content: str, before: str | None = None) -> None:
        """The assistant writes a file."""
        path = self.folder / name
        self.log.write(call, path, content, before)
        path.write_text(content)
        self.save()

    def save(self) -> None:
        self.log.path.parent.mkdir(parents=True, exist_ok=True)
        self.log.path.write_text("".join(json.dumps(record) + "\n" for record in self.log.records))

    def commit(self, message: str, *more: str, **variables: str) -> str:
        self.ada.clock = int(self.log.time)
        self.log.time += 60
        return self.ada.commit(self.folder, {}, message, *more, **variables)

    def git(self, *arguments: str, **variables: str) -> str:
        self.ada.clock = int(self.log.time)
        self.log.time += 60
        return self.ada.git(self.folder, *arguments, **variables)

    def run(self, *ranges: str) -> pipeline.Run:
        return pipeline.run(self.repository, read_settings(self.folder), ranges, patience=0)

    def results(self) -> dict[str, EditResult]:
        with Store(self.repository.common) as store:
            return {one.key.edit: one for one in edit_results(store) if one.state != "indirect"}

    def rewards(self) -> dict[str, tuple[str, str | None, float | None]]:
        """State, subject of the commit and reward of every edit."""
        return {
            name: (
                one.state,
                one.commit and self.ada.git(self.folder, "show", "-s", "--format=%s", one.commit),
                one.reward,
            )
            for name, one in self.results().items()
        }


@pytest.fixture
def work(ada: Developer, tmp_path: Path) -> Work:
    return Work(ada, tmp_path / "app")


def test_install_commit_result(ada: Developer, tmp_path: Path) -> None:
    """Nothing else is needed: the hook starts the worker, and the result is there."""
    folder = ada.repository(tmp_path / "app")
    done = set_up(folder, [], [], "ada")
    assert [hook.state for hook in done.hooks] == ["installed", "installed"]
    log = ClaudeLog(ada.home / ".claude/projects/x/s1.jsonl", folder)
    log.time = time.time() - 60
    log.write("t1", folder / "a.py", ADD)
    log.path.parent.mkdir(parents=True)
    log.path.write_text("".join(json.dumps(record) + "\n" for record in log.records))
    ada.clock = int(time.time())
    commit = ada.commit(folder, {"a.py": ADD.encode()})
    common = discover(folder).common
    deadline = time.monotonic() + 120
    while (last := pipeline.last_run(common)) is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert last is not None
    assert last.problems == ()
    with Store(common) as store:
        result = result_of(store, commit)
    assert result is not None
    assert [(one.key.edit, one.state, one.reward, one.path) for one in result.edits] == [("t1", "scored", 1.0, "a.py")]
    assert waiting(common) == []


def test_a_branch_that_was_squashed_counts_where_it_went_once_it_is_deleted(work: Work) -> None:
    work.git("checkout", "-q", "-b", "side")
    for name, content in (("a", ADD), ("b", SUB)):
        work.write(name, f"{name}.py", content)
        work.commit(name)
    work.git("checkout", "-q", "main")
    work.git("merge", "-q", "--squash", "side")
    work.git("commit", "-q", "-m", "squashed")
    work.run()
    assert work.rewards() == {"a": ("scored", "a", 1.0), "b": ("scored", "b", 1.0)}
    work.git("branch", "-q", "-D", "side")
    work.run()
    assert work.rewards() == {"a": ("scored", "squashed", 1.0), "b": ("scored", "squashed", 1.0)}


def test_a_session_that_commits_by_itself_is_known(work: Work) -> None:
    work.write("t1", "a.py", ADD)
    commit = work.commit("By Claude", CLAUDECODE="1", CLAUDE_CODE_SESSION_ID="s1")
    work.run()
    with Store(work.repository.common) as store:
        found = commit_of(store, commit)
        (link,) = links_of(store, commit)
    assert found is not None
    assert found.committed_by == "claude-code"
    assert link.evidence[0].kind == "environment"
    assert work.rewards() == {"t1": ("scored", "By Claude", 1.0)}


def test_amend_rebase_squash_and_cherry_pick_double_nothing(work: Work) -> None:
    work.write("t1", "a.py", ADD)
    work.commit("Add")
    work.write("t2", "b.py", SUB)
    work.commit("Sub")
    work.run()
    both = {"t1": ("scored", "Add", 1.0), "t2": ("scored", "Sub", 1.0)}
    assert work.rewards() == both
    work.git("commit", "--quiet", "--amend", "--message", "Subtract")
    work.run()
    assert work.rewards() == {**both, "t2": ("scored", "Subtract", 1.0)}
    work.git("checkout", "--quiet", "-b", "other", work.root)
    work.git("cherry-pick", "main~1", "main")
    work.run()
    assert work.rewards() == {**both, "t2": ("scored", "Subtract", 1.0)}
    work.git("checkout", "--quiet", "main")
    work.git("rebase", "--quiet", "--interactive", work.root, GIT_SEQUENCE_EDITOR="sed -i 2s/pick/fixup/")
    work.run()
    assert work.rewards() == dict.fromkeys(both, ("scored", "Add", 1.0))
    with Store(work.repository.common) as store:
        counting = [one for one in commits(store) if one.moved_to is None and one.copy_of is None]
        total = [edit for one in commits(store) if (found := result_of(store, one.id)) for edit in found.edits]
    assert len(counting) == 1
    assert len(total) == 2


def test_a_squash_that_no_hook_saw_is_found_by_content(work: Work) -> None:
    work.write("t1", "a.py", ADD)
    work.commit("Add")
    work.write("t2", "b.py", SUB)
    work.commit("Sub")
    work.run()
    editor = {"GIT_SEQUENCE_EDITOR": "sed -i 2s/pick/fixup/"}
    work.git(*NO_HOOKS, "rebase", "--quiet", "--interactive", work.root, **editor)
    work.run()
    assert work.rewards() == {"t1": ("scored", "Add", 1.0), "t2": ("scored", "Add", 1.0)}
    head = work.ada.head(work.folder)
    assert {one.commit for one in work.results().values()} == {head}


@pytest.mark.parametrize("options", [(), NO_HOOKS], ids=["hooks", "no hooks"])
def test_two_commits_made_anew_as_others(work: Work, options: tuple[str, ...]) -> None:
    """`git reset --soft`, then other pieces: links follow the contents."""
    work.write("t1", "a.py", ADD)
    work.commit("Add")
    work.write("t2", "b.py", SUB)
    work.commit("Sub")
    work.run()
    work.git("reset", "--quiet", work.root)
    work.git("add", "b.py")
    work.git(*options, "commit", "--quiet", "--message", "First b")
    work.git("add", "a.py")
    work.git(*options, "commit", "--quiet", "--message", "Then a")
    work.run()
    assert work.rewards() == {"t1": ("scored", "Then a", 1.0), "t2": ("scored", "First b", 1.0)}


def test_an_amend_that_is_taken_back_is_scored_as_it_is(work: Work) -> None:
    work.write("t1", "a.py", ADD)
    work.commit("Add")
    work.run()
    (work.folder / "a.py").write_text("nothing = None\n")
    work.git("commit", "--quiet", "--all", "--amend", "--message", "Worse")
    work.run()
    assert work.results()["t1"].reward != 1.0
    work.git("reset", "--hard", "--quiet", "HEAD@{1}")
    work.run()
    assert work.rewards() == {"t1": ("scored", "Add", 1.0)}


def test_a_commit_without_hook_is_caught_up(work: Work) -> None:
    work.write("t1", "a.py", ADD)
    work.git("add", "--all")
    work.git(*NO_HOOKS, "commit", "--quiet", "--message", "By Gemini")
    done = work.run()
    assert (done.commits, done.caught_up) == (0, 1)
    assert work.rewards() == {"t1": ("scored", "By Gemini", 1.0)}


def test_an_edit_that_becomes_known_after_its_commit_was_scored(work: Work) -> None:
    work.write("t1", "a.py", ADD)
    lines = work.log.path.read_bytes()
    work.log.path.write_bytes(b"")
    work.commit("Add")
    work.run()
    assert work.rewards() == {}
    work.log.path.write_bytes(lines)
    work.run()
    assert work.rewards() == {"t1": ("scored", "Add", 1.0)}


def test_a_log_that_lags_behind_its_commit_is_waited_for(work: Work) -> None:
    work.log.time = time.time() - 20
    work.write("t1", "a.py", ADD)
    whole = work.log.path.read_bytes()
    work.log.path.write_bytes(b"".join(whole.splitlines(keepends=True)[:1]))
    work.log.time = time.time()
    work.commit("By Claude", CLAUDECODE="1", CLAUDE_CODE_SESSION_ID="s1")
    work.log.time = work.ada.clock + 0.5
    work.log.bash("t2", "git commit -am 'By Claude'", "[main 1234567] By Claude")
    late = threading.Timer(0.5, work.save)
    late.start()
    pipeline.run(work.repository, read_settings(work.folder), patience=60)
    late.join()
    assert work.rewards() == {"t1": ("scored", "By Claude", 1.0)}


def test_pending_and_denied_edits_are_said(work: Work) -> None:
    work.write("t1", "a.py", ADD)
    work.log.refuse("t2", work.folder / "b.py", SUB, "The user doesn't want to proceed with this tool use.")
    work.save()
    work.run()
    assert {name: one.state for name, one in work.results().items()} == {"t1": "pending", "t2": "not_applied"}
    work.commit("Add")
    work.run()
    assert {name: one.state for name, one in work.results().items()} == {"t1": "scored", "t2": "not_applied"}


def test_work_in_two_worktrees(work: Work, tmp_path: Path) -> None:
    work.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    work.write("t1", "a.py", ADD)
    side = ClaudeLog(work.ada.home / ".claude/projects/y/s2.jsonl", tmp_path / "side", "s2")
    side.time = work.log.time
    side.write("t2", tmp_path / "side/b.py", SUB)
    side.path.parent.mkdir(parents=True)
    side.path.write_text("".join(json.dumps(record) + "\n" for record in side.records))
    work.commit("Add")
    work.ada.commit(tmp_path / "side", {"b.py": SUB.encode()}, "Sub")
    work.git("worktree", "remove", str(tmp_path / "side"))
    work.run()
    assert work.rewards() == {"t1": ("scored", "Add", 1.0), "t2": ("scored", "Sub", 1.0)}


def test_a_range_scores_the_past(ada: Developer, tmp_path: Path) -> None:
    work = Work(ada, tmp_path / "app")
    ada.git(work.folder, "config", "--remove-section", "gitgoodbench-feedback")
    for path in queue_of(work.repository.common).iterdir():
        path.unlink()
    work.write("t1", "a.py", ADD)
    work.git("add", "--all")
    work.git(*NO_HOOKS, "commit", "--quiet", "--message", "Long ago")
    assert work.run("HEAD~1..HEAD").scored == 1
    assert work.rewards() == {"t1": ("scored", "Long ago", 1.0)}


def test_a_commit_that_cannot_be_scored_is_tried_again(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    from gitgoodbench.feedback import evaluation

    def fail(*_: object) -> None:
        raise ValueError("cannot be")

    work.write("t1", "a.py", ADD)
    work.commit("Add")
    with monkeypatch.context() as patch:
        patch.setattr(evaluation, "score_commit", fail)
        assert work.run().failed == 1
    done = work.run()
    assert (done.scored, done.failed) == (1, 0)
    assert work.rewards() == {"t1": ("scored", "Add", 1.0)}


def test_damaged_events_block_no_commit(work: Work) -> None:
    (queue_of(work.repository.common) / "odd").write_bytes(b"odd")
    work.write("t1", "a.py", ADD)
    work.commit("Add")
    work.run()
    assert work.rewards() == {"t1": ("scored", "Add", 1.0)}
    assert list(problems_of(work.repository.common)) == ["odd"]


def worker(work: Work) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-E", "-P", "-m", "gitgoodbench.feedback.worker"],
        cwd=work.repository.common, env={**os.environ, "GIT_DIR": "/nonexistent", "GIT_INDEX_FILE": "odd"},
    )  # fmt: skip


def test_a_worker_that_is_killed_is_carried_on(work: Work) -> None:
    work.write("t1", "a.py", ADD)
    work.commit("Add")
    killed = worker(work)
    while waiting(work.repository.common) and killed.poll() is None:
        time.sleep(0.001)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert worker(work).wait() == 0
    work.run()
    assert work.rewards() == {"t1": ("scored", "Add", 1.0)}


def test_one_worker_at_a_time_and_none_misses_a_commit(work: Work) -> None:
    work.write("t1", "a.py", ADD)
    work.commit("Add")
    with locked(folder_of(work.repository.common) / "lock", lambda _: None):
        assert worker(work).wait() == 0
        assert len(waiting(work.repository.common)) == 1
    running = [worker(work) for _ in range(3)]
    assert [one.wait() for one in running] == [0, 0, 0]
    assert waiting(work.repository.common) == []
    assert work.rewards() == {"t1": ("scored", "Add", 1.0)}


def test_what_breaks_a_worker_is_told(work: Work) -> None:
    work.ada.git(work.folder, "config", "gitgoodbench-feedback.followdays", "many")
    work.commit("Add")
    assert worker(work).wait() == 0
    last = pipeline.last_run(work.repository.common)
    assert last is not None
    assert "followdays" in last.problems[0]
    assert len(waiting(work.repository.common)) == 1


def test_what_still_stands_is_looked_at_once_in_a_while(work: Work) -> None:
    work.write("t1", "a.py", ADD)
    work.commit("Add")
    work.run()
    with Store(work.repository.common) as store:
        (first,) = list(survivals(store))
    assert (first.key.edit, first.lines, first.standing) == ("t1", 2, 2)
    followed = pipeline.last_run(work.repository.common)
    work.run()
    again = pipeline.last_run(work.repository.common)
    assert followed is not None
    assert again is not None
    assert again.followed == followed.followed
