"""Every kind of conflict is presented and can be resolved, byte for byte (kinds 1 to 9 of what breaks in practice)."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.errors import SetupFailed, Status, ToolError
from gitgoodbench.git.objects import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, Entry
from gitgoodbench.git.process import Git
from gitgoodbench.sample_types.specs import merge_spec
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import ToolSet
from tests.support.merges import Files, MergeCase, begin, call, committed_files, make_merge, play

COMMIT_A, COMMIT_B, COMMIT_C = ("1" * 40, "2" * 40, "3" * 40)


def numbered(count: int, **changed: bytes) -> bytes:
    """`count` lines, some replaced: numbered(9, l3=b"x")."""
    return b"".join(changed.get(f"l{i}", b"line %d" % i) + b"\n" for i in range(count))


BODY = numbered(30)

KINDS: dict[str, tuple[Files | None, Files, Files, Files]] = {
    "content": ({b"a.py": b"1\n"}, {b"a.py": b"2\n"}, {b"a.py": b"3\n"}, {b"a.py": b"2\n3\n"}),
    "two regions, truth new": (
        {b"a.py": numbered(20)},
        {b"a.py": numbered(20, l2=b"x", l15=b"x")},
        {b"a.py": numbered(20, l2=b"y", l15=b"y")},
        {b"a.py": numbered(20, l2=b"new", l15=b"x\ny")},
    ),
    "add/add": ({b"z": b""}, {b"z": b"", b"a.py": b"1\n"}, {b"z": b"", b"a.py": b"2\n"}, {b"z": b"", b"a.py": b"2\n"}),
    "no common ancestor": (None, {b"a.py": b"1\n"}, {b"a.py": b"2\n"}, {b"a.py": b"1\n2\n"}),
    "modify/delete, deleted": ({b"a.py": BODY, b"z": b""}, {b"a.py": BODY + b"x\n", b"z": b""}, {b"z": b""}, {b"z": b""}),
    "delete/modify, kept": (
        {b"a.py": BODY, b"z": b""}, {b"z": b""}, {b"a.py": BODY + b"x\n", b"z": b""}, {b"a.py": BODY + b"x\n", b"z": b""},
    ),
    "delete/modify of a file whose own name looks moved aside": (
        {b"a.py~HEAD": BODY, b"b.py~incoming": BODY},
        {b"a.py~HEAD": BODY + b"x\n"},
        {b"b.py~incoming": BODY + b"x\n"},
        {b"a.py~HEAD": BODY + b"x\n", b"b.py~incoming": BODY + b"x\n"},
    ),
    "rename against edit of the same lines": (
        {b"old.py": BODY},
        {b"new.py": numbered(30, l5=b"ours")},
        {b"old.py": numbered(30, l5=b"theirs")},
        {b"new.py": numbered(30, l5=b"both")},
    ),
    "rename/delete": ({b"old.py": BODY, b"z": b""}, {b"new.py": BODY, b"z": b""}, {b"z": b""}, {b"new.py": BODY, b"z": b""}),
    "rename/rename to two names": (
        {b"old.py": BODY}, {b"left.py": BODY}, {b"right.py": BODY}, {b"right.py": BODY},
    ),
    "rename/rename to two names, with conflicting edits": (
        {b"old.py": BODY},
        {b"left.py": numbered(30, l9=b"ours")},
        {b"right.py": numbered(30, l9=b"theirs")},
        {b"left.py": numbered(30, l9=b"theirs")},
    ),
    "two files renamed to one name": (
        {b"one.py": BODY, b"two.py": numbered(30, l1=b"x", l2=b"x", l3=b"x", l4=b"x", l20=b"y", l21=b"y", l22=b"y")},
        {b"to.py": BODY, b"two.py": numbered(30, l1=b"x", l2=b"x", l3=b"x", l4=b"x", l20=b"y", l21=b"y", l22=b"y")},
        {b"one.py": BODY, b"to.py": numbered(30, l1=b"x", l2=b"x", l3=b"x", l4=b"x", l20=b"y", l21=b"y", l22=b"y")},
        {b"to.py": BODY},
    ),
    "file in a folder that the other side renamed": (
        {b"dir/a.py": BODY, b"dir/b.py": BODY + b"b\n"},
        {b"moved/a.py": BODY, b"moved/b.py": BODY + b"b\n"},
        {b"dir/a.py": BODY, b"dir/b.py": BODY + b"b\n", b"dir/new.py": b"new\n"},
        {b"moved/a.py": BODY, b"moved/b.py": BODY + b"b\n", b"moved/new.py": b"new\n"},
    ),
    "binary, theirs": (
        {b"x.bin": b"\0\1"}, {b"x.bin": b"\0\2"}, {b"x.bin": b"\0\3"}, {b"x.bin": b"\0\3"},
    ),
    "file against folder": (
        {b"z": b""}, {b"z": b"", b"x": b"file\n"}, {b"z": b"", b"x/in.py": b"inside\n"}, {b"z": b"", b"x/in.py": b"inside\n"},
    ),
    "submodule, theirs": (
        {b"sub": Entry(SUBMODULE, COMMIT_A)}, {b"sub": Entry(SUBMODULE, COMMIT_B)},
        {b"sub": Entry(SUBMODULE, COMMIT_C)}, {b"sub": Entry(SUBMODULE, COMMIT_C)},
    ),
    "symbolic links, ours": (
        {b"link": (SYMLINK, b"a")}, {b"link": (SYMLINK, b"b")}, {b"link": (SYMLINK, b"c")}, {b"link": (SYMLINK, b"b")},
    ),
    "symbolic link against file": (
        {b"z": b""}, {b"z": b"", b"x": (SYMLINK, b"z")}, {b"z": b"", b"x": b"text\n"}, {b"z": b"", b"x": (SYMLINK, b"z")},
    ),
    "executable bit added on one side, and text": (
        {b"a.py": b"1\n"}, {b"a.py": (EXECUTABLE, b"2\n")}, {b"a.py": b"3\n"}, {b"a.py": (EXECUTABLE, b"3\n")},
    ),
    "modes of an add/add, same text": (
        {b"z": b""}, {b"z": b"", b"a.py": (EXECUTABLE, b"1\n")}, {b"z": b"", b"a.py": b"1\n"}, {b"z": b"", b"a.py": b"1\n"},
    ),
    "modes and text of an add/add": (
        {b"z": b""}, {b"z": b"", b"a.py": b"1\n"}, {b"z": b"", b"a.py": (EXECUTABLE, b"2\n")},
        {b"z": b"", b"a.py": (EXECUTABLE, b"1\n2\n")},
    ),
    "CRLF on both sides": (
        {b"a.py": b"0\r\n1\r\n2\r\n"}, {b"a.py": b"0\r\nx\r\n2\r\n"}, {b"a.py": b"0\r\ny\r\n2\r\n"}, {b"a.py": b"0\r\nx\r\ny\r\n2\r\n"},
    ),
    "CRLF on one side": (
        {b"a.py": b"0\n1\n2\n"}, {b"a.py": b"0\r\n1\r\n2\r\n"}, {b"a.py": b"0\n1\nx\n"}, {b"a.py": b"0\r\n1\r\nx\r\n"},
    ),
    "no final newline on one side": (
        {b"a.py": b"0\n1\n"}, {b"a.py": b"0\n2"}, {b"a.py": b"0\n3\n"}, {b"a.py": b"0\n2"},
    ),
    "no final newline on both": ({b"a.py": b"0\n1"}, {b"a.py": b"0\n2"}, {b"a.py": b"0\n3"}, {b"a.py": b"0\n3\n4"}),
    "latin-1": ({b"a.py": b"1\n\xe4\n"}, {b"a.py": b"2\n\xe4\n"}, {b"a.py": b"3\n\xe4\n"}, {b"a.py": b"\xfc\n\xe4\n"}),
    "marker-like content": (
        {b"a.py": b"Title\n=======\n1\n"},
        {b"a.py": b"Title\n=======\n<<<<<<< shown\n"},
        {b"a.py": b"Title\n=======\n>>>>>>> shown\n"},
        {b"a.py": b"Title\n=======\n<<<<<<< shown\n=======\n>>>>>>> shown\n"},
    ),
    "odd line separators": (
        {b"a.py": b"a\x0cb\rc\n1\n"}, {b"a.py": b"a\x0cb\rc\n\xe2\x80\xa8\n"}, {b"a.py": b"a\x0cb\rc\n\x1c\n"},
        {b"a.py": b"a\x0cb\rc\n\x1c\r\xe2\x80\xa8\n"},
    ),
    "odd paths": (
        {b"caf\xe9 b/ b/x.py": b"1\n", b"two\nlines.py": b"1\n", b"-x": b"1\n", b":(top)": b"1\n"},
        {b"caf\xe9 b/ b/x.py": b"2\n", b"two\nlines.py": b"2\n", b"-x": b"2\n", b":(top)": b"2\n"},
        {b"caf\xe9 b/ b/x.py": b"3\n", b"two\nlines.py": b"3\n", b"-x": b"3\n", b":(top)": b"3\n"},
        {b"caf\xe9 b/ b/x.py": b"2\n", b"two\nlines.py": b"3\n", b"-x": b"4\n", b":(top)": b"2\n3\n"},
    ),
    "in-tree attributes that reshape content": (
        {b".gitattributes": b"* text eol=crlf ident filter=lfs working-tree-encoding=UTF-16\n", b"a.py": b"$Id: x$\n1\r\n"},
        {b".gitattributes": b"* text eol=crlf ident filter=lfs working-tree-encoding=UTF-16\n", b"a.py": b"$Id: x$\n2\r\n"},
        {b".gitattributes": b"* text eol=crlf ident filter=lfs working-tree-encoding=UTF-16\n", b"a.py": b"$Id: x$\n3\r\n"},
        {b".gitattributes": b"* text eol=crlf ident filter=lfs working-tree-encoding=UTF-16\n", b"a.py": b"$Id: x$\n3\r\n"},
    ),
    "git lfs pointers": (
        {b".gitattributes": b"*.bin filter=lfs diff=lfs merge=lfs -text\n", b"x.bin": b"version https://lfs\noid 1\n"},
        {b".gitattributes": b"*.bin filter=lfs diff=lfs merge=lfs -text\n", b"x.bin": b"version https://lfs\noid 2\n"},
        {b".gitattributes": b"*.bin filter=lfs diff=lfs merge=lfs -text\n", b"x.bin": b"version https://lfs\noid 3\n"},
        {b".gitattributes": b"*.bin filter=lfs diff=lfs merge=lfs -text\n", b"x.bin": b"version https://lfs\noid 3\n"},
    ),
    "merge attribute binary on text": (
        {b".gitattributes": b"*.lock -merge\n", b"x.lock": b"1\n"}, {b".gitattributes": b"*.lock -merge\n", b"x.lock": b"2\n"},
        {b".gitattributes": b"*.lock -merge\n", b"x.lock": b"3\n"}, {b".gitattributes": b"*.lock -merge\n", b"x.lock": b"3\n"},
    ),
    "a union merge beside a conflict": (
        {b".gitattributes": b"LOG merge=union\n", b"LOG": b"0\n", b"a.py": b"1\n"},
        {b".gitattributes": b"LOG merge=union\n", b"LOG": b"0\nours\n", b"a.py": b"2\n"},
        {b".gitattributes": b"LOG merge=union\n", b"LOG": b"0\ntheirs\n", b"a.py": b"3\n"},
        {b".gitattributes": b"LOG merge=union\n", b"LOG": b"0\nours\ntheirs\n", b"a.py": b"3\n"},
    ),
}  # fmt: skip


@pytest.fixture(params=list(KINDS), ids=lambda name: name.replace(" ", "-"))
def case(request: pytest.FixtureRequest, tmp_path: Path) -> MergeCase:
    return make_merge(tmp_path / "repository.git", *KINDS[request.param])


@pytest.mark.parametrize("tools", [ToolSet.PUBLISHED, ToolSet.EXTENDED])
def test_the_truth_is_reached_through_the_tools(
    case: MergeCase, local_provider: SandboxProvider, tools: ToolSet
) -> None:
    verdict, trajectory, episode = play(case, local_provider, "tool-oracle", tools)
    assert episode.facts["attainable"]
    assert not [message for message in trajectory.messages if str(message.get("content")).startswith("error:")]
    assert trajectory.status is Status.COMPLETED
    assert verdict.solved
    assert all(verdict.gates.values())
    trees = {name: verdict.scores[name] for name in ("ted_similarity", "ted_precision", "ted_recall", "ast_match")}
    assert {score for name, score in verdict.scores.items() if name not in trees} == {1.0}
    assert set(trees.values()) in ({1.0}, {None})  # None: links, submodules, what no grammar reads


def test_the_oracle_solves_it(case: MergeCase, local_provider: SandboxProvider) -> None:
    verdict, _, _ = play(case, local_provider, "oracle")
    assert verdict.solved
    assert all(verdict.gates.values())


@pytest.mark.parametrize("agent", ["ours", "theirs", "union", "union-reverse"])
def test_rules_resolve_every_conflict(case: MergeCase, local_provider: SandboxProvider, agent: str) -> None:
    verdict, trajectory, _ = play(case, local_provider, agent)
    assert trajectory.status is Status.COMPLETED
    assert verdict.gates == dict.fromkeys(("committed", "clean", "nothing_unmerged", "no_leftover_markers"), True)


@pytest.mark.docker
def test_all_kinds_through_the_shell(tmp_path: Path, docker_provider: SandboxProvider) -> None:
    for number, (name, files) in enumerate(KINDS.items()):
        case = make_merge(tmp_path / f"{number}.git", *files)
        verdict, trajectory, _ = play(case, docker_provider, "tool-oracle", ToolSet.SHELL)
        assert verdict.solved, (name, trajectory.messages[2:])


def test_ours_is_the_local_side_of_every_region(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_merge(tmp_path / "r.git", *KINDS["two regions, truth new"])
    with begin(case, local_provider) as (episode, _):
        call(episode, "resolve_current_merge_conflict_with", content="x\n")
        call(episode, "resolve_current_merge_conflict_with", content="x\n")
        files = committed_files(case, episode.outcome())
    assert files == {b"a.py": (REGULAR, numbered(20, l2=b"x", l15=b"x"))}


def test_criss_cross_bases_do_not_show(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_merge(
        tmp_path / "r.git", {b"a.py": b"0\n1\n2\n"}, {b"a.py": b"0\nl\n2\n"}, {b"a.py": b"0\ni\n2\n"}, {b"a.py": b""}
    )
    builder = case.builder
    left = builder.commit({b"a.py": b"0\nleft\n2\n"}, [case.local, case.incoming])
    right = builder.commit({b"a.py": b"0\nright\n2\n"}, [case.incoming, case.local])
    merge = builder.commit({b"a.py": b"0\nleft\nright\n2\n"}, [left, right])
    crossed = MergeCase(builder, None, left, right, merge)
    verdict, _, episode = play(crossed, local_provider, "union")
    assert verdict.solved
    assert episode.prompt[1]["content"].count("<<<<<<<") == 1
    assert "|||||||" not in episode.prompt[1]["content"]


@pytest.mark.parametrize("style", ["diff3", "zdiff3"])
def test_a_conflict_style_in_the_repository_changes_nothing(
    tmp_path: Path, local_provider: SandboxProvider, style: str
) -> None:
    case = make_merge(tmp_path / "r.git", *KINDS["content"])
    case.git.run("config", "merge.conflictStyle", style)
    verdict, _, episode = play(case, local_provider, "tool-oracle")
    assert verdict.solved
    assert "|||||||" not in episode.prompt[1]["content"]


def test_a_file_that_the_row_does_not_list_is_shown(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_merge(tmp_path / "r.git", *KINDS["delete/modify, kept"])
    assert merge_spec(case.sample).files_in_merge_conflict == ("listed.py",)
    with begin(case, local_provider) as (episode, _):
        assert "- a.py" in episode.prompt[1]["content"]
        assert "modify/delete" in episode.prompt[1]["content"]


def test_the_choosing_tool_is_offered_only_where_it_is_needed(tmp_path: Path, local_provider: SandboxProvider) -> None:
    names = {}
    for kind in ("content", "binary, theirs"):
        case = make_merge(tmp_path / f"{kind}.git", *KINDS[kind])
        with begin(case, local_provider) as (episode, _):
            names[kind] = {tool.name for tool in episode.tools}
    assert names["binary, theirs"] - names["content"] == {"resolve_current_merge_conflict_by_choosing"}
    assert names["content"] == {
        "view_current_merge_conflict_with", "view_merge_conflict_at", "resolve_current_merge_conflict_with",
        "view_diff_for", "view_file_at",
    }  # fmt: skip


def test_text_cannot_be_given_for_a_conflict_without_text_nor_a_choice_for_text(
    tmp_path: Path, local_provider: SandboxProvider
) -> None:
    case = make_merge(tmp_path / "r.git", *KINDS["modes and text of an add/add"])
    with begin(case, local_provider) as (episode, _):
        with pytest.raises(ToolError, match="has no text"):
            call(episode, "resolve_current_merge_conflict_with", content="x")
        call(episode, "resolve_current_merge_conflict_by_choosing", choice="incoming")
        with pytest.raises(ToolError, match="has text"):
            call(episode, "resolve_current_merge_conflict_by_choosing", choice="incoming")


def test_a_choice_that_removes_the_file_settles_the_conflicts_inside_it(
    tmp_path: Path, local_provider: SandboxProvider
) -> None:
    case = make_merge(tmp_path / "r.git", *KINDS["rename/rename to two names, with conflicting edits"])
    with begin(case, local_provider) as (episode, _):
        assert episode.facts["conflicts"] == 3
        call(episode, "resolve_current_merge_conflict_by_choosing", choice="incoming")
        assert "removed" in call(episode, "view_merge_conflict_at", conflict_index=1)
        assert "committed" in call(episode, "resolve_current_merge_conflict_with", content="kept")
        files = committed_files(case, episode.outcome())
    assert files == {b"right.py": (REGULAR, numbered(30, l9=b"kept"))}


def test_sha256_repositories(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_merge(tmp_path / "r.git", *KINDS["content"], algorithm="sha256")
    verdict, _, _ = play(case, local_provider, "tool-oracle")
    assert verdict.solved


def test_a_merge_without_conflict_is_a_row_that_is_wrong(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_merge(tmp_path / "r.git", {b"a": b"1\n"}, {b"a": b"1\n", b"b": b"2\n"}, {b"a": b"3\n"}, {b"a": b"3\n"})
    with pytest.raises(SetupFailed, match="has no conflict"), begin(case, local_provider):
        pass


def test_a_row_with_other_parents_is_wrong(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_merge(tmp_path / "r.git", *KINDS["content"])
    assert case.base is not None
    wrong = MergeCase(case.builder, None, case.base, case.incoming, case.merge)
    with pytest.raises(SetupFailed, match="the row names the parents"), begin(wrong, local_provider):
        pass


def test_the_workspace_is_as_git_merge_leaves_it(
    case: MergeCase, local_provider: SandboxProvider, tmp_path: Path
) -> None:
    """Same index, stages included, and the same files as after `git merge` in a clone."""
    clone = tmp_path / "clone"
    clone.mkdir()
    merged = Git(clone / ".git", clone)
    merged.run("init", "--quiet", "--template=")
    (clone / ".git" / "objects" / "info" / "alternates").write_text(f"{case.builder.path}/objects\n")
    with begin(case, local_provider) as (episode, sandbox):
        rules = sandbox.get(".git/info/attributes", limit=1000)
        (clone / ".git" / "info").mkdir()
        (clone / ".git" / "info" / "attributes").write_bytes(rules)
        merged.run("update-ref", "refs/heads/incoming", case.incoming)
        merged.run("update-ref", "HEAD", case.local)
        merged.run("reset", "--hard", "--quiet")
        stopped = merged.execute("merge", "--no-commit", "--no-ff", "--allow-unrelated-histories", "incoming")
        assert stopped.returncode == 1
        for command in (["ls-files", "--stage", "-z"], ["status", "--porcelain=v2", "-z"], ["rev-parse", "MERGE_HEAD"]):
            assert episode.git.run(*command) == merged.run(*command)
        message = Path(merged.git_dir, "MERGE_MSG").read_bytes()
        assert sandbox.get(".git/MERGE_MSG", limit=1000) == message.replace(b"'\n", b"' into local\n", 1)
        assert sandbox.get(".git/MERGE_MODE", limit=100) == Path(merged.git_dir, "MERGE_MODE").read_bytes()
        assert files_below(Path(sandbox.work_dir)) == files_below(clone)


def files_below(folder: Path) -> dict[Path, tuple[bool, bytes]]:
    """Every file and link outside .git: whether it is executable, and its bytes or target."""
    found = {}
    for file in folder.rglob("*"):
        relative = file.relative_to(folder)
        if relative.parts[0] != ".git" and (file.is_symlink() or file.is_file()):
            content = str(file.readlink()).encode() if file.is_symlink() else file.read_bytes()
            found[relative] = (not file.is_symlink() and bool(file.stat().st_mode & 0o100), content)
    return found
