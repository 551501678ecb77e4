"""Stories: what a directive does to the bytes of a repository, and what a mistake says."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.mining import story_view
from gitgoodbench.stories.build import build_story
from gitgoodbench.stories.merge import MARKER_SIZE, Conflict, split_conflicts
from gitgoodbench.stories.model import StoryError
from gitgoodbench.stories.parser import read_story
from tests.support.stories import DIVERGED, HEADER, Build, first_commit, located


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
