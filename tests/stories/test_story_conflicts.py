"""Merges in stories: how conflicts are settled, and what their bytes are then."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.stories.model import StoryError
from tests.support.stories import DIVERGED, HEADER, Build, first_commit, located


@pytest.mark.parametrize(
    ("choice", "middle"),
    [
        ("@@ ours", b"deux\n"),
        ("@@ theirs", b"zwei\n"),
        ("@@ both", b"deux\nzwei\n"),
        ("@@ both-reversed", b"zwei\ndeux\n"),
        ("@@ text\n|2", b"2\n"),
        ("@@ text", b""),
    ],
)
def test_resolve_settles_a_region(build: Build, choice: str, middle: bytes) -> None:
    assert build(f"{DIVERGED}resolve a.py\n{choice}\n").file("a.py") == b"one\n" + middle + b"three\nfour\nfive\n"


def test_an_evil_merge_edits_what_merged_cleanly(build: Build) -> None:
    text = "resolve a.py\n@@ ours\nedit a.py\n@@\n-five\n+cinq\nwrite new.py\n|x\n"
    repository = build(DIVERGED + text)
    assert repository.file("a.py") == b"one\ndeux\nthree\nfour\ncinq\n"
    assert repository.file("new.py") == b"x\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "-2: conflicts left open: a.py (1 region)"),
        ("edit a.py\n@@\n-five\n+cinq\n", "0: a.py is in conflict; resolve it first"),
        ("resolve a.py\n@@ ours\n@@ theirs\n", "0: a.py has 1 conflict region(s), but 2 are settled here"),
        ("resolve b.py\n@@ ours\n", "0: b.py is not in conflict"),
        ("resolve a.py\n@@ mine\n", "1: a region is settled by @@ and one of: ours, theirs, both"),
        ("resolve a.py\n@@ ours\n|x\n", "1: @@ ours takes no lines; use @@ text"),
        ("ours b.py\n", "0: neither ours nor the automatic merge has b.py"),
    ],
)
def test_a_conflict_settled_wrongly_names_its_line(build: Build, tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(StoryError) as caught:
        build(DIVERGED + text)
    assert str(caught.value).startswith(located(tmp_path, HEADER + DIVERGED, problem))
    assert not (tmp_path / "repository.git").exists()


def test_crlf_and_latin1_conflicts_keep_their_bytes(build: Build) -> None:
    repository = build(
        first_commit("write a.py crlf latin-1\n|ä\n|b\n|c")
        + """
branch side from main
commit side ada
  Side
edit a.py
@@
-b
+ö
commit main ada
  Main
edit a.py
@@
-b
+ü
merge main ada from side
  Merge
resolve a.py
@@ text
|ß
|x
"""
    )
    assert repository.file("a.py") == b"\xe4\r\n\xdf\r\nx\r\nc\r\n"


def test_one_side_in_crlf_conflicts_over_the_whole_file(build: Build) -> None:
    repository = build(
        first_commit("write a.py\n|a\n|b")
        + """
branch side from main
commit side ada
  Side
style a.py crlf
commit main ada
  Main
edit a.py
@@
-b
+c
merge main ada from side
  Merge
resolve a.py
@@ theirs
edit a.py
@@
-b
+c
"""
    )
    assert repository.file("a.py", "main~1") == b"a\nc\n"
    assert repository.file("a.py") == b"a\r\nc\r\n"


@pytest.mark.parametrize(
    ("choice", "end"),
    [("ours", b"deux"), ("theirs", b"zwei\n"), ("both", b"deux\nzwei\n"), ("both-reversed", b"zwei\ndeux")],
)
def test_the_last_line_ends_as_on_the_side_it_came_from(build: Build, choice: str, end: bytes) -> None:
    repository = build(
        first_commit("write a.py no-final-newline\n|one\n|two")
        + f"""
branch side from main
commit side ada
  Side
write a.py
|one
|zwei
commit main ada
  Main
edit a.py
@@
-two
+deux
merge main ada from side
  Merge
resolve a.py
@@ {choice}
"""
    )
    assert repository.file("a.py") == b"one\n" + end


def test_marker_like_lines_of_a_file_are_no_conflict_regions(build: Build) -> None:
    heading = "write a.py\n|Title\n|=======\n|<<<<<<< ours\n|x\n|=======\n|>>>>>>> theirs\n|one"
    repository = build(
        first_commit(heading)
        + """
branch side from main
commit side ada
  Side
edit a.py
@@
-one
+=======
commit main ada
  Main
edit a.py
@@
-one
+<<<<<<< uno
merge main ada from side
  Merge
resolve a.py
@@ both
"""
    )
    expected = b"Title\n=======\n<<<<<<< ours\nx\n=======\n>>>>>>> theirs\n<<<<<<< uno\n=======\n"
    assert repository.file("a.py") == expected
    [merge] = repository.merges()
    assert [(file.path, file.regions, file.kinds) for file in merge.files] == [(b"a.py", 1, ("content",))]


def test_the_executable_bit_comes_from_the_side_that_set_it(build: Build) -> None:
    side = "branch side from main\ncommit side ada\n  Side\nmode 755 a.py\n"
    repository = build(
        first_commit("write a.py\n|a")
        + side
        + "commit main ada\n  Main\nedit a.py\n@@\n-a\n+b\nmerge main ada from side\n  Merge\n"
    )
    assert (repository.mode("a.py"), repository.file("a.py")) == ("100755", b"b\n")


ADD_ADD = (
    first_commit("write a.py\n|a")
    + """
branch side from main
commit side ada
  Side
write run.py
|theirs
mode 755 run.py
commit main ada
  Main
write run.py
|ours
merge main ada from side
  Merge
"""
)


@pytest.mark.parametrize(
    ("text", "mode", "data"),
    [
        ("ours run.py", "100644", b"ours\n"),
        ("theirs run.py", "100755", b"theirs\n"),
        ("resolve run.py\n@@ ours\nmode 755 run.py", "100755", b"ours\n"),
        ("write run.py\n|new\nmode 755 run.py", "100755", b"new\n"),
    ],
)
def test_add_add_with_different_modes(build: Build, text: str, mode: str, data: bytes) -> None:
    repository = build(f"{ADD_ADD}{text}\n")
    assert (repository.mode("run.py"), repository.file("run.py")) == (mode, data)
    [merge] = repository.merges()
    assert merge.files[0].kinds == ("add/add", "mode")


@pytest.mark.parametrize(("choice", "paths"), [("ours a.py", [b"a.py", b"b.py"]), ("theirs a.py", [b"b.py"])])
def test_modify_delete_takes_one_side_and_counts_as_one_conflict(build: Build, choice: str, paths: list[bytes]) -> None:
    repository = build(
        first_commit("write a.py\n|a\nwrite b.py\n|b")
        + "branch side from main\ncommit side ada\n  Side\ndelete a.py\n"
        + f"commit main ada\n  Main\nedit a.py\n@@\n-a\n+A\nmerge main ada from side\n  Merge\n{choice}\n"
    )
    assert repository.paths() == paths
    [merge] = repository.merges()
    assert (merge.conflicts, merge.difficulty, merge.files[0].kinds) == (1, "easy", ("modify/delete",))


def test_a_rename_on_one_side_meets_an_edit_on_the_other(build: Build) -> None:
    lines = "\n".join(f"|line {number}" for number in range(12))
    repository = build(
        first_commit(f"write old.py\n{lines}")
        + "branch side from main\ncommit side ada\n  Side\nrename old.py -> new.py\n"
        + "edit new.py\n@@\n-line 3\n+side 3\ncommit main ada\n  Main\nedit old.py\n@@\n-line 3\n+main 3\n"
        + "merge main ada from side\n  Merge\nresolve new.py\n@@ both\n"
    )
    assert repository.paths() == [b"new.py"]
    assert repository.file("new.py").split(b"\n")[2:6] == [b"line 2", b"main 3", b"side 3", b"line 4"]


def test_a_criss_cross_merge_has_only_the_two_sides(build: Build) -> None:
    repository = build(
        DIVERGED.replace("merge main", "branch main-1 from main\n\nmerge main")
        + """\
resolve a.py
@@ ours
merge side ada from main-1
  Merge main into side
resolve a.py
@@ theirs
commit side ada
  Side again
edit a.py
@@
-deux
+two, again
commit main ada
  Main again
edit a.py
@@
-deux
+TWO
merge main ada from side
  Merge once more
resolve a.py
@@ both
"""
    )  # fmt: skip
    assert repository.file("a.py") == b"one\nTWO\ntwo, again\nthree\nfour\nfive\n"
    assert len(repository.git.run("merge-base", "--all", "main^1", "main^2").split()) == 2
