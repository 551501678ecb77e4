"""Stories: what a directive does to the bytes of a repository, and what a mistake says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gitgoodbench.git.mirror import Mirror
from gitgoodbench.git.process import Git
from gitgoodbench.mining import story_view
from gitgoodbench.sample_types.merges import ConflictingMerge
from gitgoodbench.stories.build import build_story
from gitgoodbench.stories.merge import MARKER_SIZE, Conflict, split_conflicts
from gitgoodbench.stories.model import StoryError
from gitgoodbench.stories.parser import read_story
from tests.support.mining import mine_all

HEADER = """\
repository mini/test
language python
start 2023-02-06T09:00:00+01:00
person ada Ada Okafor <ada@tidewater.example>
person jörg Jörg Weiß <joerg@tidewater.example>

"""


class Repository:
    """A built story, asked for bytes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.git = Git(path)

    def file(self, path: str, revision: str = "main") -> bytes:
        return self.git.run("cat-file", "blob", f"{revision}:{path}")

    def mode(self, path: str, revision: str = "main") -> str:
        return self.git.line("ls-tree", "--format=%(objectmode)", revision, "--", path)

    def paths(self, revision: str = "main") -> list[bytes]:
        return self.git.run("ls-tree", "-r", "-z", "--name-only", revision).split(b"\0")[:-1]

    def merges(self) -> list[ConflictingMerge]:
        return list(mine_all(Mirror(self.path).borrow(refs=True)).merges)


Build = Callable[..., Repository]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    def build(text: str, name: str = "repository.git") -> Repository:
        file = tmp_path / "01.story"
        file.write_bytes((HEADER + text).encode("utf-8"))
        build_story(read_story([file]), tmp_path / name)
        return Repository(tmp_path / name)

    return build


def first_commit(files: str) -> str:
    return f"commit main ada\n  First\n{files}\n"


DIVERGED = (
    first_commit("write a.py\n|one\n|two\n|three\n|four\n|five")
    + """\
branch side from main
commit side ada
  Side
edit a.py
@@
-two
+zwei

commit main ada
  Main
edit a.py
@@
-two
+deux

merge main ada from side
  Merge branch 'side'
"""
)


def test_the_same_story_gives_the_same_ids_everywhere(build: Build) -> None:
    repository = build(DIVERGED + "resolve a.py\n@@ theirs\n")
    assert repository.git.line("rev-parse", "main") == "73e336cfc27f086312425ab64a7be6ce08c3517c"
    assert repository.git.line("rev-parse", "side") == "77bc962c7b3e95855a1e4c80efb26b9dd0b705d5"
    assert repository.git.line("symbolic-ref", "HEAD") == "refs/heads/main"
    assert repository.git.run("fsck", "--strict") == b""


def test_dates_move_on_within_office_hours(build: Build) -> None:
    repository = build(DIVERGED + "resolve a.py\n@@ theirs\n")
    shown = repository.git.run("log", "--format=%aI %cI", "--date-order", "main").decode().split("\n")[:-1]
    dates = [line.split(" ") for line in reversed(shown)]
    assert dates[0][0] == "2023-02-06T09:00:00+01:00"
    assert all(author == committer for author, committer in dates)
    assert sorted(dates) == dates
    assert all("09" <= author[11:13] <= "17" for author, _ in dates)


def test_message_and_people_are_kept_as_written(build: Build) -> None:
    repository = build("commit main jörg\n  # Ünicode 'quoted'\n\n    indented\n  last\n\nwrite a.py\n|x\n")
    raw = repository.git.run("cat-file", "commit", "main")
    header, message = raw.split(b"\n\n", 1)
    assert message.decode() == "# Ünicode 'quoted'\n\n  indented\nlast\n"
    assert "author Jörg Weiß <joerg@tidewater.example> 1675670400 +0100".encode() in header


def test_write_stores_the_bytes_of_the_style(build: Build) -> None:
    repository = build(
        first_commit(
            "write crlf.py crlf\n|a\n|\n|b\nwrite latin.py latin-1\n|ä\n"
            "write open.py no-final-newline\n|a\n|b\nwrite both.py crlf latin-1 no-final-newline\n|ä\n|ö\n"
            "write empty.py\nwrite odd.py\n|a\x0cb\u2028c\n|# x\n|@@ -1 +1 @@"
        )
    )
    assert repository.file("crlf.py") == b"a\r\n\r\nb\r\n"
    assert repository.file("latin.py") == b"\xe4\n"
    assert repository.file("open.py") == b"a\nb"
    assert repository.file("both.py") == b"\xe4\r\n\xf6"
    assert repository.file("empty.py") == b""
    assert repository.file("odd.py") == "a\x0cb\u2028c\n# x\n@@ -1 +1 @@\n".encode()


def test_edit_keeps_the_style_and_the_untouched_bytes(build: Build) -> None:
    repository = build(
        first_commit(
            "write crlf.py crlf\n|a\n|b\nwrite latin.py latin-1 no-final-newline\n|ä\n|ö\n"
            "binary mixed.py\n|61 0d 0a 62 0a 63 0d 0a\nwrite both.py crlf no-final-newline\n|a\n|b"
        )
        + """
commit main ada
  Second
edit crlf.py
@@
 a
+ä
 b
edit latin.py
@@
-ö
+ü
edit mixed.py
@@
 b
+x
edit both.py
@@
 b
+c
"""
    )
    assert repository.file("crlf.py") == "a\r\nä\r\nb\r\n".encode()
    assert repository.file("latin.py") == b"\xe4\n\xfc"
    assert repository.file("mixed.py") == b"a\r\nb\nx\nc\r\n"
    assert repository.file("both.py") == b"a\r\nb\r\nc"


def test_hunks_apply_in_order_and_an_empty_line_is_context(build: Build) -> None:
    text = "commit main ada\n  Second\nedit a.py\n@@ first\n a\n\n-b\n+c\n\n@@ second\n-c\n+d\n"
    repository = build(first_commit("write a.py\n|a\n|\n|b\n|\n|e") + text)
    assert repository.file("a.py") == b"a\n\nd\n\ne\n"


def test_rename_delete_mode_symlink_and_style(build: Build) -> None:
    repository = build(
        first_commit('write a.py\n|a\nwrite b.py\n|b\nwrite "c d.py"\n|c\nwrite e.py\n|ä\nbinary f.bin\n|00 ff')
        + """
commit main ada
  Second
rename a.py -> src/a.py
edit src/a.py
@@
-a
+A
delete b.py
mode 755 "c d.py"
style e.py crlf latin-1 no-final-newline
symlink latest -> src/a.py
rename "c d.py" -> "\\303\\244 \\"b.py"
"""
    )
    assert repository.paths() == [b"e.py", b"f.bin", b"latest", b"src/a.py", 'ä "b.py'.encode()]
    assert repository.file("src/a.py") == b"A\n"
    assert repository.mode('ä "b.py') == "100755"
    assert repository.file("e.py") == b"\xe4"
    assert (repository.mode("latest"), repository.file("latest")) == ("120000", b"src/a.py")
    assert repository.file("f.bin") == b"\x00\xff"


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


def located(folder: Path, before: str, problem: str) -> str:
    """The message for a problem whose line is counted from the end of the text before it."""
    line, message = problem.split(": ", 1)
    return f"{folder / '01.story'}:{before.count(chr(10)) + 1 + int(line)}: {message}"


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


SECOND_COMMIT = "commit main ada\n  First\nwrite a.py\n|x\n|-\n|x\n\ncommit main ada\n  Second\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("edit a.py\n@@\n-x\n+y\n", "1: this hunk fits 2 places (lines 1, 3); give it more context"),
        (
            "edit a.py\n@@\n x\n-y\n+z\n",
            "1: this hunk fits nowhere in the file; it begins at line 1, but line 2 is '-'",
        ),
        ("edit a.py\n@@\n-q\n+z\n", "1: this hunk fits nowhere in the file; its first line is not there: 'q'"),
        ("edit a.py\n@@\n x\n", "1: this hunk changes nothing"),
        ("edit a.py\n@@\n+x\n", "1: a hunk of added lines alone needs a line of context"),
        ("edit a.py\n", "0: an edit needs a hunk below it"),
        ("edit b.py\n@@\n-x\n+y\n", "0: there is no file b.py here"),
        ("write a.py\n|x\n|-\n|x\n", "-2: this commit changes nothing"),
        ("write a.py wide\n|x\n", "0: unknown style 'wide'"),
        ("write b.py latin-1\n|…\n", "0: '…' does not exist in latin-1"),
        ("write ../b.py\n|x\n", "0: ../b.py is no path inside a repository"),
        ("write a.py/b.py\n|x\n", "0: a.py is a file, not a folder"),
        ("rename a.py -> a.py\n", "0: a.py exists already"),
        ("mode 644 a.py\n", "0: a.py already has this mode"),
        ("style a.py lf\n", "0: the file already has this style"),
        ("binary b.bin\n|0g\n", "0: content is not hexadecimal"),
        ("ours a.py\n", "0: ours is possible only in a merge"),
        ("wirte a.py\n", "0: not a directive of the story format: 'wirte a.py'"),
        ("write b.py\n|x\n\n|y\n", "2: an empty content line is written as a single |"),
        (" stray\n", "0: this line belongs to no directive"),
        ("write b.py\n|x\ncommit main bob\n", "2: unknown person 'bob' (known: ada, jörg)"),
        ("write b.py\n|x\ncommit main ada\n", "2: no message below it"),
        ("write b.py\n|x\ncommit oops ada\n  Message\n", "2: unknown branch 'oops'; create it with: branch oops from"),
        ("write b.py\n|x\nbranch main from main\n", "2: 'main' is already a branch or a label"),
        ("write b.py\n|x\nbranch -x from main\n", "2: '-x' is no branch name"),
        ("write b.py\n|x\nbranch main/x from main\n", "2: branch 'main/x' cannot stand beside 'main'"),
        ("write b.py\n|x\nbranch x from gone\n", "2: no branch and no label is called 'gone'"),
    ],
)
def test_a_mistake_names_its_line_and_what_is_wrong(build: Build, tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(StoryError) as caught:
        build(SECOND_COMMIT + text)
    assert str(caught.value).startswith(located(tmp_path, HEADER + SECOND_COMMIT, problem))


def test_a_story_needs_its_header(tmp_path: Path) -> None:
    file = tmp_path / "a.story"
    file.write_text("language python\n", encoding="utf-8")
    with pytest.raises(StoryError, match=r"a\.story:1: the story names no repository"):
        read_story([file])
    file.write_bytes(b"\xff")
    with pytest.raises(StoryError, match="is not UTF-8"):
        read_story([file])


def test_files_are_read_as_one_story(tmp_path: Path) -> None:
    (tmp_path / "1.story").write_text(HEADER + "commit main ada\n  First\nwrite a.py\n|a\n", encoding="utf-8")
    (tmp_path / "2.story").write_text("commit main ada\n  Second\nedit b.py\n@@\n-a\n+b\n", encoding="utf-8")
    story = read_story(sorted(tmp_path.glob("*.story")))
    assert (story.name, story.language, len(story.steps)) == ("mini/test", "python", 2)
    with pytest.raises(StoryError, match=r"2\.story:3: there is no file b\.py here"):
        build_story(story, tmp_path / "out.git")


def test_split_conflicts_gives_back_every_byte() -> None:
    begin, middle, end = b"<" * MARKER_SIZE + b" a\r\n", b"=" * MARKER_SIZE + b"\r\n", b">" * MARKER_SIZE + b" b\r\n"
    assert split_conflicts(b"x\r\n" + begin + b"1\n2\r\n" + middle + end + b"=======\ny") == [
        b"x\r\n",
        Conflict(b"1\n2\r\n", b""),
        b"=======\ny",
    ]
    assert split_conflicts(b"") == [b""]
    assert split_conflicts(b"a") == [b"a"]
    assert split_conflicts(begin + middle + b"=======\n" + end) == [b"", Conflict(b"", b"=======\n"), b""]


def test_a_file_that_both_sides_renamed_shows_its_conflict_under_both_names(build: Build) -> None:
    body = "".join(f"|{number}\n" for number in range(9))
    repository = build(
        first_commit(f"write a.py\n|head\n{body}")
        + "branch side from main\n"
        + "commit side ada\n  Side\nrename a.py -> c.py\nedit c.py\n@@\n-head\n+c\n\n"
        + "commit main ada\n  Main\nrename a.py -> b.py\nedit b.py\n@@\n-head\n+b\n\n"
        + "merge main ada from side\n  Merge\ndelete a.py\ndelete b.py\nresolve c.py\n@@ both\n"
    )
    assert repository.file("c.py") == b"b\nc\n0\n1\n2\n3\n4\n5\n6\n7\n8\n"
    (merge,) = repository.merges()
    assert [(file.path, file.regions) for file in merge.files] == [(b"a.py", 0), (b"b.py", 1), (b"c.py", 1)]


def test_the_authors_command_builds_and_describes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "test"
    folder.mkdir()
    assert story_view.main([str(folder), str(tmp_path / "out.git")]) == 2
    assert "holds no *.story file" in capsys.readouterr().err
    (folder / "1.story").write_text(HEADER + DIVERGED + "resolve a.py\n@@ ours\n", encoding="utf-8")
    for _ in range(2):
        assert story_view.main([str(folder), str(tmp_path / "out.git")]) == 0
        out = capsys.readouterr().out
        assert "easy      Merge branch 'side'\n    a.py: 1 region(s), content\n" in out
        assert "merges: 1 easy, 0 medium, 0 hard" in out
    assert story_view.main([str(folder), str(folder)]) == 2
    assert "is no bare repository" in capsys.readouterr().err
