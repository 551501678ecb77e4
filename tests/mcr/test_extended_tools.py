"""`edit_file` and `finish`: lines outside the conflicts can change, so every merge can be matched."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.errors import ToolError
from gitgoodbench.git.objects import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, Entry
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import ToolSet
from tests.support.merges import Files, MergeCase, begin, call, committed_files, make_merge, play

BASE: Files = {b"a.py": b"1\n", b"keep.py": b"one\ntwo\none\n", b"win.py": b"a\r\nb\r\n", b"dir/x": b"x"}
OURS: Files = {**BASE, b"a.py": b"2\n"}
THEIRS: Files = {**BASE, b"a.py": b"3\n"}

EVIL: dict[str, Files] = {
    "a line elsewhere in the conflicted file's project": {**OURS, b"keep.py": b"one\n2\none\n"},
    "a new file": {**OURS, b"new/file.py": b"new\n"},
    "a new empty file": {**OURS, b"new/__init__.py": b""},
    "a file deleted": {k: v for k, v in OURS.items() if k != b"keep.py"},
    "a file made executable": {**OURS, b"keep.py": (EXECUTABLE, b"one\ntwo\none\n")},
    "a file made a link": {**OURS, b"keep.py": (SYMLINK, b"a.py")},
    "a new submodule": {**OURS, b"sub": Entry(SUBMODULE, "7" * 40)},
    "a binary file": {**OURS, b"x.bin": bytes(range(256))},
    "text become binary": {**OURS, b"keep.py": bytes(range(256))},
    "line ends changed": {**OURS, b"win.py": b"a\nb\n"},
    "a folder become a file": {**{k: v for k, v in OURS.items() if k != b"dir/x"}, b"dir": b"file"},
    "a file become a folder": {**{k: v for k, v in OURS.items() if k != b"keep.py"}, b"keep.py/in": b"file"},
    "odd names": {**OURS, b"caf\xe9\n": b"x", b"-x": b"y", b'"q"': b"z"},
    "the conflict removed and a file emptied": {**OURS, b"a.py": b"", b"keep.py": b""},
}


@pytest.fixture(params=list(EVIL), ids=lambda name: name.replace(" ", "-"))
def evil(request: pytest.FixtureRequest, tmp_path: Path) -> MergeCase:
    return make_merge(tmp_path / "r.git", BASE, OURS, THEIRS, EVIL[request.param])


def test_published_tools_cannot_reach_it_and_extended_ones_do(evil: MergeCase, local_provider: SandboxProvider) -> None:
    verdict, _, episode = play(evil, local_provider, "tool-oracle", ToolSet.PUBLISHED)
    assert not episode.facts["attainable"]
    assert not verdict.solved
    verdict, trajectory, _ = play(evil, local_provider, "tool-oracle", ToolSet.EXTENDED)
    assert not [message for message in trajectory.messages if str(message.get("content")).startswith("error:")]
    assert verdict.solved
    assert all(verdict.gates.values())


@pytest.fixture
def case(tmp_path: Path) -> MergeCase:
    return make_merge(tmp_path / "r.git", BASE, OURS, THEIRS, OURS)


def test_the_merge_stays_open_until_finish(case: MergeCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider, ToolSet.EXTENDED) as (episode, _):
        with pytest.raises(ToolError, match="1 conflict remains; resolve all of them first"):
            call(episode, "finish", message="Merge")
        call(episode, "resolve_current_merge_conflict_with", content="2\n")
        assert not episode.finished
        call(episode, "finish", message="Merge 'x'; $(touch pwned)\n#not a comment")
        assert episode.finished
        message = episode.git.run("log", "-1", "--format=%B")
        assert message == b"Merge 'x'; $(touch pwned)\n#not a comment\n\n"


def test_text_must_occur_exactly_once(case: MergeCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider, ToolSet.EXTENDED) as (episode, _):
        for old, times in (("one\n", 2), ("absent", 0)):
            with pytest.raises(ToolError, match=f"occurs {times} times"):
                call(episode, "edit_file", path="keep.py", old_text=old, new_text="x")
        with pytest.raises(ToolError, match="not empty"):
            call(episode, "edit_file", path="keep.py", old_text="", new_text="x")
        with pytest.raises(ToolError, match="does not exist"):
            call(episode, "edit_file", path="absent.py", old_text="a", new_text="x")


def test_a_file_with_an_open_conflict_cannot_be_edited_around_it(
    case: MergeCase, local_provider: SandboxProvider
) -> None:
    with begin(case, local_provider, ToolSet.EXTENDED) as (episode, _):
        with pytest.raises(ToolError, match="open conflict"):
            call(episode, "edit_file", path="a.py", old_text="", new_text="x")
        call(episode, "resolve_current_merge_conflict_with", content="two\n")
        call(episode, "edit_file", path="a.py", old_text="two", new_text="2")
        call(episode, "finish", message="Merge")
        assert committed_files(case, episode.outcome())[b"a.py"] == (REGULAR, b"2\n")


def test_lf_text_edits_a_crlf_file_with_crlf(case: MergeCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider, ToolSet.EXTENDED) as (episode, _):
        call(episode, "resolve_current_merge_conflict_with", content="2\n")
        call(episode, "edit_file", path="win.py", old_text="a\nb\n", new_text="a\nc\nd\n")
        call(episode, "finish", message="Merge")
        assert committed_files(case, episode.outcome())[b"win.py"] == (REGULAR, b"a\r\nc\r\nd\r\n")


@pytest.mark.parametrize(
    "path", ["/tmp/x", "../x", "a/../../x", ".git/hooks/pre-commit", "dir/.GIT/x", "a\0b", "a.py/x", "dir", ""]
)
def test_files_outside_the_project_cannot_be_made(case: MergeCase, local_provider: SandboxProvider, path: str) -> None:
    with begin(case, local_provider, ToolSet.EXTENDED) as (episode, sandbox):
        before = sandbox.exec(["find", "."]).stdout
        with pytest.raises(ToolError):
            call(episode, "edit_file", path=path, old_text="", new_text="x")
        assert sandbox.exec(["find", "."]).stdout == before


def test_no_file_is_written_through_a_link(tmp_path: Path, local_provider: SandboxProvider) -> None:
    target = tmp_path / "outside"
    target.mkdir()
    link = {b"link": (SYMLINK, str(target).encode())}
    case = make_merge(tmp_path / "r.git", {**BASE, **link}, {**OURS, **link}, {**THEIRS, **link}, {**OURS, **link})
    with begin(case, local_provider, ToolSet.EXTENDED) as (episode, _):
        with pytest.raises(ToolError, match="link is not a folder"):
            call(episode, "edit_file", path="link/x", old_text="", new_text="x")
        call(episode, "edit_file", path="fresh", old_text="", new_text=str(target), file_type="symlink")
        with pytest.raises(ToolError, match="fresh is not a folder"):
            call(episode, "edit_file", path="fresh/x", old_text="", new_text="x")
    assert list(target.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "file_type", "text"),
    [
        ("n" * 256, "regular", "x"),
        ("d/" * 600 + "x", "regular", "x"),
        ("git~1/x", "regular", "x"),
        (".Git./x", "regular", "x"),
        (".g\u200cit/x", "regular", "x"),
        ("a\\.git\\x", "regular", "x"),
        (".gitmodules", "symlink", "x"),
        ("link", "symlink", ""),
        ("link", "symlink", "a\0b"),
        ("link", "symlink", "t" * 4096),
        ("sub", "submodule", "0" * 40),
        ("sub", "submodule", "1" * 64),
    ],
)
def test_what_git_or_the_file_system_would_refuse_is_refused_at_once(
    case: MergeCase, local_provider: SandboxProvider, path: str, file_type: str, text: str
) -> None:
    """So that it is the model's to mend, and not a commit that breaks."""
    with begin(case, local_provider, ToolSet.EXTENDED) as (episode, _):
        while episode.resolution.current is not None:
            call(episode, "resolve_current_merge_conflict_with", content="2\n")
        with pytest.raises(ToolError):
            call(episode, "edit_file", path=path, old_text="", new_text=text, file_type=file_type)
        call(episode, "finish", message="done")
        assert not episode.outcome().state["uncommitted"]
