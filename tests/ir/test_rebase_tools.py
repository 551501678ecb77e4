"""The tools of interactive rebase: what they show, what they leave, and what happens at a conflict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gitgoodbench.scenarios.ir.tools import MAX_CONFLICTS

from gitgoodbench.errors import LimitReached, ToolError
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import ToolSet
from tests.support.rebases import RebaseCase, begin, call, left_commits, make_chain, score, update

TOP = b"".join(b"line %d\n" % number for number in range(8))
REVERSED = ((2, "pick"), (1, "pick"), (0, "pick"))


@pytest.fixture
def case(tmp_path: Path) -> RebaseCase:
    """Commit 1 adds a file; commit 2 changes the line that commit 0 changed."""
    return make_chain(
        tmp_path / "r.git",
        {b"a.py": TOP + b"0\n"},
        ({b"a.py": TOP + b"1\n"}, b"Say one\n\nIt was nought.\n"),
        ({b"a.py": TOP + b"1\n", b"dir/b.py": b"b\n"}, b"Add b\n"),
        ({b"a.py": TOP + b"2\n", b"dir/b.py": b"b\n"}, b"\n\n#2 caf\xe9\n"),
    )


def test_the_prompt_shows_every_commit_in_full_and_the_tools_one_at_a_time(
    case: RebaseCase, local_provider: SandboxProvider
) -> None:
    with begin(case, local_provider) as (episode, _):
        shown = call(episode, "show_changes_in", commit_index=0)
        system, user = (message["content"] for message in episode.prompt)
        others = [call(episode, "show_changes_in", commit_index=index) for index in (1, 2)]
    assert shown == (
        "Commit 0 (of 3, numbered from 0, oldest first)\nMessage:\nSay one\n\nIt was nought.\n\nChanges:\n"
        "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -6,4 +6,4 @@ line 4\n line 5\n line 6\n line 7\n-0\n+1"
    )
    assert "\nMessage:\n#2 café\n\nChanges:\n" in others[1]
    for commit in (shown, *others):
        assert commit in user
    assert "Aim for fewer than 3 commits" in system
    assert "branch ends in 3 commits that were made" in system


@pytest.mark.parametrize("index", [-1, 3])
def test_there_are_no_other_commits(case: RebaseCase, local_provider: SandboxProvider, index: int) -> None:
    with begin(case, local_provider) as (episode, _), pytest.raises(ToolError, match="commit_index must be 0 to 2"):
        call(episode, "show_changes_in", commit_index=index)


def test_a_plan_becomes_the_branch_and_leaves_everything_clean(
    case: RebaseCase, local_provider: SandboxProvider
) -> None:
    with begin(case, local_provider) as (episode, sandbox):
        update(episode, (0, "pick"), (2, "squash", "Say two\n\nNot one."), (1, "reword", "Add 'b' # x"))
        assert not episode.finished
        answer = call(episode, "execute_rebase")
        assert episode.finished
        assert answer.split("\n") == [
            "The rebase is done. 3 commits became 2:",
            "- Say two (from commits 0, 2)",
            "- Add 'b' # x (from commit 1)",
        ]
        again: dict[str, dict[str, Any]] = {
            "execute_rebase": {},
            "update_rebase_todo_list": {"rebase_todo_list_items": []},
        }
        for name, arguments in again.items():
            with pytest.raises(ToolError, match="carried out already"):
                call(episode, name, **arguments)
        assert episode.git.line("symbolic-ref", "HEAD") == "refs/heads/work"
        assert sandbox.get("a.py", limit=1000) == TOP + b"2\n"
        outcome = episode.outcome()
    assert outcome.state == {
        "uncommitted": [], "unmerged": [], "merge_in_progress": False, "finished": True, "conflicting_rebases": 0,
    }  # fmt: skip
    first, second = left_commits(case, outcome)
    assert (first.message, second.message) == (b"Say two\n\nNot one.\n", b"Add 'b' # x\n")
    assert (first.parents, second.parents) == ((case.base,), (first.oid,))
    assert all(score(case, outcome).gates.values())


def test_a_conflict_changes_nothing_and_the_agent_plans_again(
    case: RebaseCase, local_provider: SandboxProvider
) -> None:
    with begin(case, local_provider) as (episode, sandbox):
        update(episode, *REVERSED)
        before = sandbox.exec(["find", ".", "-not", "-path", "./.git/objects*", "-type", "f"]).stdout
        with pytest.raises(ToolError) as stopped:
            call(episode, "execute_rebase")
        assert str(stopped.value).split("\n") == [
            'the rebase stopped and was undone: commit 2 ("#2 café") conflicts where the plan puts it, in a.py.',
            "- CONFLICT (content): Merge conflict in a.py",
            "Everything is as it was before. Update the plan so that commits which touch the same lines keep their "
            "order, then execute it again. 4 more attempts may stop at a conflict.",
        ]
        assert episode.git.line("rev-parse", "HEAD") == case.commits[-1]
        assert sandbox.exec(["git", "status", "--porcelain"], env=episode.git.environment).stdout == b""
        assert sandbox.exec(["find", ".", "-not", "-path", "./.git/objects*", "-type", "f"]).stdout == before
        assert "2  pick" in call(episode, "view_rebase_todo").split("\n")[1]
        update(episode, (1, "pick"), (0, "pick"), (2, "fixup"))
        call(episode, "execute_rebase")
        outcome = episode.outcome()
    assert [commit.message for commit in left_commits(case, outcome)] == [b"Add b\n", b"Say one\n\nIt was nought.\n"]
    assert outcome.state["conflicting_rebases"] == 1
    assert all(score(case, outcome).gates.values())


def test_paths_in_conflict_are_shown_so_that_they_can_be_told(tmp_path: Path, local_provider: SandboxProvider) -> None:
    one, two, gone = b'-x "\xff.py', b"new\nline.py", b"gone.py"
    case = make_chain(
        tmp_path / "r.git",
        {one: b"0\n", two: b"0\n", gone: b"0\n"},
        {one: b"1\n", two: b"1\n", gone: b"1\n"},
        {one: b"2\n", two: b"2\n"},
    )
    with begin(case, local_provider) as (episode, _):
        update(episode, (1, "pick"), (0, "pick"))
        with pytest.raises(ToolError) as stopped:
            call(episode, "execute_rebase")
    first, *reasons = str(stopped.value).split("\n")
    assert first.endswith('in "-x \\"\\377.py", gone.py, "new\\nline.py".')
    assert reasons[:3] == [
        '- CONFLICT (content): Merge conflict in -x "\ufffd.py',
        "- CONFLICT (modify/delete): gone.py deleted in commit 1 and modified in HEAD.  "
        "Version HEAD of gone.py left in tree.",
        "- CONFLICT (content): Merge conflict in new\\nline.py",
    ]


def test_conflicts_are_bounded(case: RebaseCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, _):
        update(episode, *REVERSED)
        for _ in range(MAX_CONFLICTS - 1):
            with pytest.raises(ToolError):
                call(episode, "execute_rebase")
        with pytest.raises(LimitReached, match="5 rebases stopped at a conflict"):
            call(episode, "execute_rebase")
        outcome = episode.outcome()
    assert outcome.head == case.commits[-1]
    assert not score(case, outcome).gates["finished"]


def test_dropped_work_is_gone_from_the_files_and_fails_its_gate(
    case: RebaseCase, local_provider: SandboxProvider
) -> None:
    with begin(case, local_provider) as (episode, sandbox):
        loss = (
            "the contents in the end would differ from what they are now in a.py, dir/b.py, "
            "since commits 1, 2 would be dropped."
        )
        assert update(episode, (0, "pick"), (1, "drop"), (2, "drop")).endswith(f"\nWarning: {loss}")
        with pytest.raises(ToolError, match=f"^not carried out: {loss}"):
            call(episode, "execute_rebase")
        assert call(episode, "execute_rebase").endswith("\nThe contents in the end differ from what they were.")
        assert sandbox.exec(["find", ".", "-not", "-path", "./.git*", "-type", "f"]).stdout == b"./a.py\n"
        assert sandbox.get("a.py", limit=1000) == TOP + b"1\n"
        outcome = episode.outcome()
    assert outcome.problem is None
    assert outcome.head == case.commits[0]
    assert score(case, outcome).gates == {
        "finished": True,
        "base_is_ancestor": True,
        "linear": True,
        "no_empty_commits": True,
        "final_tree_exact": False,
        "nothing_uncommitted": True,
        "history_changed": True,
    }


def test_work_that_cancels_out_altogether_is_refused(tmp_path: Path, local_provider: SandboxProvider) -> None:
    one, two = {b"a.py": b"1\n"}, {b"a.py": b"2\n"}
    case = make_chain(tmp_path / "r.git", one, two, one)
    with begin(case, local_provider) as (episode, _):
        update(episode, (0, "pick"), (1, "fixup"))
        with pytest.raises(ToolError, match="nothing would be left"):
            call(episode, "execute_rebase")
        assert episode.git.line("rev-parse", "HEAD") == case.commits[-1]


def test_everything_picked_is_the_old_history(case: RebaseCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, _):
        call(episode, "execute_rebase")
        outcome = episode.outcome()
    assert (outcome.head, outcome.bundle) == (case.commits[-1], None)
    assert [gate for gate, met in score(case, outcome).gates.items() if not met] == ["history_changed"]


def test_the_extended_tools_look_ahead_without_a_trace(case: RebaseCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider, ToolSet.EXTENDED) as (episode, _):
        update(episode, *REVERSED)
        assert call(episode, "preview_rebase").startswith(
            'The rebase would stop: commit 2 ("#2 café") conflicts where the plan puts it, in a.py.'
        )
        update(episode, (1, "pick"), (0, "pick"), (2, "fixup"))
        assert call(episode, "preview_rebase").split("\n") == [
            "The rebase would succeed. 3 commits became 2:",
            "- Add b (from commit 1)",
            "- Say one (from commits 0, 2)",
        ]
        assert episode.git.line("rev-parse", "HEAD") == case.commits[-1]
        assert not episode.finished
        assert episode.outcome().state["conflicting_rebases"] == 0


def test_files_can_be_seen_as_each_commit_left_them(case: RebaseCase, local_provider: SandboxProvider) -> None:
    def view(index: int, path: str) -> str:
        return call(episode, "view_file_at", commit_index=index, relative_path_from_project_root=path)

    with begin(case, local_provider, ToolSet.EXTENDED) as (episode, _):
        assert view(0, "a.py") == (TOP + b"1\n").decode()
        assert view(2, "./dir/b.py") == "b\n"
        for index, path, fault in (
            (0, "dir/b.py", "dir/b.py does not exist in commit 0"),
            (1, "dir", "dir is a folder in commit 1"),
            (1, "../a.py", "not a path inside the project"),
            (1, "--help", "--help does not exist in commit 1"),
            (1, "a" * 300_000, "a path has at most 4096 characters"),
            (3, "a.py", "commit_index must be 0 to 2"),
        ):
            with pytest.raises(ToolError, match=fault):
                view(index, path)
