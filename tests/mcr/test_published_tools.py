"""The five published tools: views, numbering, order, and what they leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.errors import ToolError
from gitgoodbench.git.objects import REGULAR, SYMLINK
from gitgoodbench.sandbox.base import SandboxProvider
from tests.support.merges import Files, MergeCase, begin, call, committed_files, make_merge, score

TOP, MID, END = b"top 1\ntop 2\n", b"mid 1\nmid 2\nmid 3\nmid 4\n", b"end 1\nend 2\n"


@pytest.fixture
def case(tmp_path: Path) -> MergeCase:
    """Two regions in a.py, one in b.py; the truth takes ours, theirs, and both."""
    other: Files = {b"dir/same.py": b"same\n", b"link": (SYMLINK, b"dir/same.py"), b"out": (SYMLINK, b"/etc/passwd")}
    return make_merge(
        tmp_path / "r.git",
        {b"a.py": TOP + b"1\n" + MID + b"2\n" + END, b"b.py": b"3\n", **other},
        {b"a.py": TOP + b"1 ours\n" + MID + b"2 ours\n" + END, b"b.py": b"3 ours\n", **other},
        {b"a.py": TOP + b"1 theirs\n" + MID + b"2 theirs\n" + END, b"b.py": b"3 theirs\n", b"new.py": b"n\n", **other},
        {
            b"a.py": TOP + b"1 ours\n" + MID + b"2 theirs\n" + END,
            b"b.py": b"3 ours\n3 theirs\n",
            b"new.py": b"n\n",
            **other,
        },
    )


def test_the_current_conflict_moves_on_and_keeps_its_number(case: MergeCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, _):
        assert call(episode, "view_current_merge_conflict_with", context_window_size=1) == (
            "Conflict 0 (of 3, numbered from 0) in a.py:\n"
            "top 2\n<<<<<<< HEAD\n1 ours\n=======\n1 theirs\n>>>>>>> incoming\nmid 1"
        )
        answer = call(episode, "resolve_current_merge_conflict_with", content="1 ours")
        assert answer.startswith("Conflict 0 is resolved; 2 to go. The current one is now:\nConflict 1 (of 3")
        assert call(episode, "view_current_merge_conflict_with", context_window_size=0) == (
            "Conflict 1 (of 3, numbered from 0) in a.py:\n<<<<<<< HEAD\n2 ours\n=======\n2 theirs\n>>>>>>> incoming"
        )
        call(episode, "resolve_current_merge_conflict_with", content="2 theirs\n")
        assert "Conflict 2 (of 3, numbered from 0) in b.py" in call(episode, "view_current_merge_conflict_with")


def test_any_conflict_can_be_viewed_by_its_number_before_and_after(
    case: MergeCase, local_provider: SandboxProvider
) -> None:
    with begin(case, local_provider) as (episode, _):
        assert "2 theirs" in call(episode, "view_merge_conflict_at", conflict_index=1)
        call(episode, "resolve_current_merge_conflict_with", content="one\n")
        assert call(episode, "view_merge_conflict_at", conflict_index=0, context_window_size=2) == (
            "Conflict 0 (of 3, numbered from 0), already resolved, as it stands now in a.py:\n"
            "top 1\ntop 2\none\nmid 1\nmid 2"
        )
        for index in (-1, 3):
            with pytest.raises(ToolError, match="conflict_index must be 0 to 2"):
                call(episode, "view_merge_conflict_at", conflict_index=index)


def test_the_last_resolution_commits_a_merge_of_both_parents(case: MergeCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, sandbox):
        for content in ("1 ours\n", "2 theirs\n"):
            call(episode, "resolve_current_merge_conflict_with", content=content)
            assert not episode.finished
        assert "merge is committed" in call(episode, "resolve_current_merge_conflict_with", content="3 ours\n3 theirs")
        assert episode.finished
        assert episode.git.line("rev-list", "--parents", "-1", "HEAD").split()[1:] == [case.local, case.incoming]
        assert sandbox.exec(["git", "status", "--porcelain"], env=episode.git.environment).stdout == b""
        outcome = episode.outcome()
        with pytest.raises(ToolError, match="no conflict remains"):
            call(episode, "resolve_current_merge_conflict_with", content="more")
    verdict = score(case, outcome)
    assert verdict.solved
    assert outcome.state == {"uncommitted": [], "unmerged": [], "merge_in_progress": False}


def test_what_is_left_undone_is_seen_in_the_outcome(case: MergeCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, _):
        call(episode, "resolve_current_merge_conflict_with", content="1 ours\n")
        outcome = episode.outcome()
    verdict = score(case, outcome)
    assert outcome.head == case.local
    assert outcome.state["unmerged"] == ["a.py", "b.py"]
    assert not verdict.solved
    assert verdict.gates == {
        "committed": False,
        "clean": False,
        "nothing_unmerged": False,
        "no_leftover_markers": False,
    }
    assert verdict.scores["conflicts_exact"] == 0.0


def test_files_are_shown_as_they_stand(case: MergeCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, _):
        call(episode, "resolve_current_merge_conflict_with", content="one")
        shown = call(episode, "view_file_at", relative_path_from_project_root="./a.py")
        assert shown.startswith("top 1\ntop 2\none\nmid 1\n")
        assert "<<<<<<< HEAD\n2 ours\n" in shown
        assert call(episode, "view_file_at", relative_path_from_project_root="new.py") == "n\n"
        assert (
            call(episode, "view_file_at", relative_path_from_project_root="link")
            == "link is a symbolic link to dir/same.py"
        )


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../../etc/passwd",
        "dir",
        "absent",
        "",
        ".git/config",
        "--output=x",
        "\ud800",
        '"\\q"',
        "\0",
        pytest.param("a" * 300_000, id="long"),
    ],
)
def test_what_is_no_file_of_the_project_cannot_be_viewed(
    case: MergeCase, local_provider: SandboxProvider, path: str
) -> None:
    with begin(case, local_provider) as (episode, sandbox):
        before = sandbox.exec(["find", "."]).stdout
        for tool in ("view_file_at", "view_diff_for"):
            if tool == "view_diff_for" and path == "dir":
                continue
            with pytest.raises(ToolError) as refused:
                call(episode, tool, relative_path_from_project_root=path)
            assert sandbox.work_dir not in str(refused.value)
            assert len(str(refused.value)) < 500
        assert sandbox.exec(["find", "."]).stdout == before


def test_a_link_out_of_the_work_tree_shows_only_where_it_points(
    case: MergeCase, local_provider: SandboxProvider
) -> None:
    with begin(case, local_provider) as (episode, _):
        assert (
            call(episode, "view_file_at", relative_path_from_project_root="out")
            == "out is a symbolic link to /etc/passwd"
        )


def test_differences_run_from_local_to_incoming(case: MergeCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, _):
        shown = call(episode, "view_diff_for", relative_path_from_project_root="b.py")
        assert shown.endswith("@@ -1 +1 @@\n-3 ours\n+3 theirs\n")
        same = call(episode, "view_diff_for", relative_path_from_project_root="dir/same.py")
        assert same == "dir/same.py is the same on both sides"
        whole = call(episode, "view_diff_for", relative_path_from_project_root="./")
        assert shown in whole


def test_content_is_placed_byte_for_byte(case: MergeCase, local_provider: SandboxProvider) -> None:
    content = "\t x \r\n\x0c\u2028\x00'$(touch pwned)`\\n\udcff\n"
    with begin(case, local_provider) as (episode, _):
        call(episode, "resolve_current_merge_conflict_with", content=content)
        call(episode, "resolve_current_merge_conflict_with", content="")
        call(episode, "resolve_current_merge_conflict_with", content="3")
        files = committed_files(case, episode.outcome())
    placed = b"\t x \r\n\x0c\xe2\x80\xa8\x00'$(touch pwned)`\\n\xff\n"
    assert files[b"a.py"] == (REGULAR, TOP + placed + MID + END)
    assert files[b"b.py"] == (REGULAR, b"3\n")


def test_a_lone_surrogate_that_is_no_byte_is_refused_and_nothing_changes(
    case: MergeCase, local_provider: SandboxProvider
) -> None:
    with begin(case, local_provider) as (episode, _):
        with pytest.raises(ToolError, match="U\\+D800"):
            call(episode, "resolve_current_merge_conflict_with", content="\ud800")
        assert "Conflict 0" in call(episode, "view_current_merge_conflict_with")


def test_a_character_that_a_latin_1_file_lacks_is_refused(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_merge(tmp_path / "x.git", {b"a": b"\xe4\n"}, {b"a": b"\xe5\n"}, {b"a": b"\xe6\n"}, {b"a": b"\xe7\n"})
    with begin(case, local_provider) as (episode, _):
        assert "\u00e5\n=======\n\u00e6" in call(episode, "view_current_merge_conflict_with")
        with pytest.raises(ToolError, match="latin-1, which has no character U\\+2192"):
            call(episode, "resolve_current_merge_conflict_with", content="\u2192")
        call(episode, "resolve_current_merge_conflict_with", content="\u00e7")
        assert committed_files(case, episode.outcome()) == {b"a": (REGULAR, b"\xe7\n")}
