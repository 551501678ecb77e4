"""What a commit added is what Git's own diff says, for every kind of commit."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gitgoodbench.feedback import changes
from gitgoodbench.feedback.added_lines import changed_lines, count_lines, spans_of
from gitgoodbench.feedback.changes import CommitChange, UnreadableCommit, read_change
from gitgoodbench.git.objects import SUBMODULE, SYMLINK, Entry
from gitgoodbench.git.process import Git
from tests.support.repositories import RepositoryBuilder

TEN = b"".join(b"line %d\n" % number for number in range(10))


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "repo.git")


def added(change: CommitChange) -> dict[bytes, list[bytes]]:
    return {file.path: [(file.after or b"")[start:end] for start, end in file.added] for file in change.files}


def numstat(git: Git, commit: str) -> dict[bytes, int]:
    """Added lines by path, as Git counts them."""
    output = git.run("show", "--format=", "--numstat", "-z", "--find-renames=50%", "--first-parent", commit)
    fields = iter(output.split(b"\0")[:-1])
    counts = {}
    for record in fields:
        number, _, path = record.split(b"\t")
        if not path:
            next(fields)
            path = next(fields)
        counts[path] = int(number)
    return counts


def test_a_root_commit_adds_all_its_lines(builder: RepositoryBuilder) -> None:
    root = builder.commit({b"a": b"1\n2\n", b"empty": b"", b"no-end": b"3"})
    change = read_change(builder.git, root)
    assert added(change) == {b"a": [b"1\n2\n"], b"empty": [], b"no-end": [b"3"]}
    assert change.added_lines == 3
    assert [file.before for file in change.files] == [None, None, None]


def test_bytes_and_paths_are_kept_as_they_are(builder: RepositoryBuilder) -> None:
    root = builder.commit({b"caf\xe9/a b\n\xff": b"1\r\n2\r\n"})
    commit = builder.commit({b"caf\xe9/a b\n\xff": b"1\r\n\xe9\x0c3\x1c\r\n2\n"}, [root])
    (file,) = read_change(builder.git, commit).files
    assert file.path == b"caf\xe9/a b\n\xff"
    assert (file.before, file.after) == (b"1\r\n2\r\n", b"1\r\n\xe9\x0c3\x1c\r\n2\n")
    assert added(read_change(builder.git, commit)) == {file.path: [b"\xe9\x0c3\x1c\r\n2\n"]}


def test_an_empty_commit_changes_nothing(builder: RepositoryBuilder) -> None:
    root = builder.commit({b"a": b"1\n"})
    assert read_change(builder.git, builder.commit({b"a": b"1\n"}, [root])).files == ()


def test_a_renamed_file_adds_only_what_changed_in_it(builder: RepositoryBuilder) -> None:
    root = builder.commit({b"a": TEN, b"b": TEN + b"b\n"})
    commit = builder.commit({b"new/a": TEN, b"new/b": TEN + b"b\nmore\n"}, [root])
    change = read_change(builder.git, commit)
    assert added(change) == {b"new/a": [], b"new/b": [b"more\n"]}
    assert [(file.old_path, file.before) for file in change.files] == [(b"a", TEN), (b"b", TEN + b"b\n")]
    found = change.file(b"b")
    assert found is not None
    assert found.path == b"new/b"


def test_a_copy_adds_nothing(builder: RepositoryBuilder) -> None:
    root = builder.commit({b"a": TEN, b"other": b"1\n"})
    change = read_change(builder.git, builder.commit({b"a": TEN, b"copy": TEN, b"other": b"1\n"}, [root]))
    assert added(change) == {b"copy": []}
    assert (change.files[0].old_path, change.files[0].before) == (b"a", TEN)


def test_a_deleted_file_is_named(builder: RepositoryBuilder) -> None:
    root = builder.commit({b"a": TEN, b"b": b"1\n"})
    (file,) = read_change(builder.git, builder.commit({b"b": b"1\n"}, [root])).files
    assert (file.path, file.old_path, file.before, file.after, file.added) == (b"a", b"a", TEN, None, ())


def test_links_submodules_and_binaries_have_no_lines(builder: RepositoryBuilder) -> None:
    root = builder.commit({b"was-link": (SYMLINK, b"a"), b"data": b"\0\1\n"})
    commit = builder.commit(
        {
            b"was-link": b"now a file\n",
            b"link": (SYMLINK, b"was-link"),
            b"module": Entry(SUBMODULE, "1" * 40),
            b"data": b"\0\2\n",
            b"new-data": b"x\0",
        },
        [root],
    )
    change = read_change(builder.git, commit)
    assert {file.path: file.skipped for file in change.files} == {
        b"was-link": None,
        b"link": "a link or a submodule",
        b"module": "a link or a submodule",
        b"data": "binary",
        b"new-data": "binary",
    }
    assert added(change)[b"was-link"] == [b"now a file\n"]
    assert change.added_lines == 1


def test_a_merge_that_git_makes_by_itself_brings_nothing(builder: RepositoryBuilder) -> None:
    base = builder.commit({b"a": TEN})
    local = builder.commit({b"a": b"first\n" + TEN}, [base])
    incoming = builder.commit({b"a": TEN + b"last\n", b"b": b"1\n"}, [base])
    merge = builder.commit({b"a": b"first\n" + TEN + b"last\n", b"b": b"1\n"}, [local, incoming])
    before = sorted(builder.path.rglob("objects/??/*"))
    assert read_change(builder.git, merge).files == ()
    assert sorted(builder.path.rglob("objects/??/*")) == before, "the replay leaves no objects behind"


def test_a_resolved_conflict_brings_the_lines_that_neither_side_has(builder: RepositoryBuilder) -> None:
    base = builder.commit({b"a": TEN})
    local = builder.commit({b"a": TEN.replace(b"line 5", b"local")}, [base])
    incoming = builder.commit({b"a": TEN.replace(b"line 5", b"incoming")}, [base])
    merge = builder.commit({b"a": TEN.replace(b"line 5\n", b"local\nby hand\n"), b"evil": b"1\n"}, [local, incoming])
    assert added(read_change(builder.git, merge)) == {b"a": [b"by hand\n"], b"evil": [b"1\n"]}


def test_an_octopus_is_replayed_parent_by_parent(builder: RepositoryBuilder) -> None:
    base = builder.commit({b"a": TEN})
    sides = [builder.commit({b"a": TEN, name: b"1\n"}, [base]) for name in (b"x", b"y", b"z")]
    clean = {b"a": TEN, b"x": b"1\n", b"y": b"1\n", b"z": b"1\n"}
    assert read_change(builder.git, builder.commit(clean, sides)).files == ()
    evil = builder.commit({**clean, b"a": TEN + b"more\n"}, sides)
    assert added(read_change(builder.git, evil)) == {b"a": [b"more\n"]}


def test_a_commit_whose_parent_is_missing_is_refused(tmp_path: Path, builder: RepositoryBuilder) -> None:
    commit = builder.commit({b"a": b"2\n"}, [builder.commit({b"a": b"1\n"})])
    builder.branch("main", commit)
    shallow = tmp_path / "shallow.git"
    builder.git.with_env(GIT_ALLOW_PROTOCOL="file").run(
        "clone", "-q", "--bare", "--depth=1", f"file://{builder.path}", str(shallow)
    )
    with pytest.raises(UnreadableCommit, match=r"git fetch --unshallow"):
        read_change(Git(shallow), commit)


def test_what_is_too_large_is_named_and_not_read(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MAX_FILE_BYTES", 100)
    monkeypatch.setattr(changes, "MAX_ADDED_LINES", 12)
    root = builder.commit({b"a": b"old\n"})
    commit = builder.commit({b"a": b"1\n2\n", b"b": TEN * 2, b"c": TEN, b"d": TEN + b"d\n"}, [root])
    change = read_change(builder.git, commit)
    assert {file.path: file.skipped for file in change.files} == {
        b"a": None,
        b"b": "too large",
        b"c": None,
        b"d": "the commit adds too many lines",
    }
    assert added(change)[b"a"] == [b"1\n2\n"]


def test_added_lines_are_those_of_gits_own_diff(builder: RepositoryBuilder) -> None:
    choice = random.Random(7)
    words = [
        b"a\n",
        b"b\n",
        b"}\n",
        b"\n",
        b"    x\n",
        b"+plus\n",
        b"-- a\n",
        b"@@ -1 +1 @@\n",
        b"diff --git a/x b/x\n",
    ]
    files = {b"f%d" % number: b"".join(choice.choices(words, k=30)) for number in range(12)}
    parent = builder.commit(files)
    for _ in range(6):
        for path in choice.sample(sorted(files), 4):
            lines = files[path].splitlines(keepends=True)
            at = choice.randrange(len(lines))
            lines[at : at + choice.randrange(4)] = choice.choices(words, k=choice.randrange(5))
            files[path] = b"".join(lines)[: -choice.randrange(2) or None]
        parent = builder.commit(files, [parent])
        change = read_change(builder.git, parent)
        counted = {
            file.path: sum(count_lines((file.after or b"")[s:e]) for s, e in file.added) for file in change.files
        }
        assert counted == numstat(builder.git, parent)
        for file in change.files:
            assert file.after is not None
            assert file.added == spans_of(file.after, changed_lines([(file.before, file.after)])[0].added)
