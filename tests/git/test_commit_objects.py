"""Commit objects as they are: encodings, authors, and what is written anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.commits import parse_commit, read_commits, write_commit
from gitgoodbench.git.histories import read_history
from gitgoodbench.git.process import Git
from tests.support.repositories import RepositoryBuilder

TREE = "1" * 40
AUTHOR = b"A U Thor <a@example.org> 1600000000 +0130"


def content(author: bytes, message: bytes, *more: bytes) -> bytes:
    headers = [b"tree " + TREE.encode(), b"author " + author, b"committer C <c@example.org> 1 +0000", *more]
    return b"\n".join(headers) + b"\n\n" + message


def test_author_and_message_of_another_encoding_are_read_as_utf_8() -> None:
    raw = content(b"J\xfcrgen <j@example.org> 1 +0000", b"Caf\xe9\n\nencoding x\n", b"encoding ISO-8859-1")
    commit = parse_commit("2" * 40, raw)
    assert (commit.author, commit.message) == (
        "Jürgen <j@example.org> 1 +0000".encode(),
        "Café\n\nencoding x\n".encode(),
    )


@pytest.mark.parametrize("encoding", [b"encoding ", b"encoding no-such-thing", b"encoding UTF-8", b"encoding hex"])
def test_a_message_that_does_not_fit_its_encoding_stays_as_it_is(encoding: bytes) -> None:
    assert parse_commit("2" * 40, content(AUTHOR, b"Caf\xe9\n", encoding)).message == b"Caf\xe9\n"


@pytest.mark.parametrize("encoding", [b"encoding UTF-8", b"encoding UTF-16"])
def test_a_nul_ends_a_message_as_git_shows_it(encoding: bytes, tmp_path: Path) -> None:
    git = RepositoryBuilder(tmp_path / "r.git").git
    tree = git.line("hash-object", "-t", "tree", "-w", "--stdin")
    raw = content(AUTHOR, b"Two\0 and what no one sees\n", encoding).replace(TREE.encode(), tree.encode())
    oid = git.line("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=raw)
    (view,) = read_history(git, None, oid).commits
    assert (parse_commit(oid, raw).message, view.message) == (b"Two", b"Two")
    assert git.run("log", "--format=%B", oid).rstrip(b"\n") == b"Two"


def test_headers_of_several_lines_are_no_message() -> None:
    raw = content(AUTHOR, b"Message\n\nBody", b"gpgsig -----BEGIN", b" ", b" parent 123", b" -----END")
    commit = parse_commit("2" * 40, raw)
    assert (commit.parents, commit.message, commit.author) == ((), b"Message\n\nBody", AUTHOR)


@pytest.mark.parametrize(
    ("author", "kept"),
    [
        (AUTHOR, AUTHOR),
        (b" <> 0 +0000", b" <> 0 +0000"),
        (b"<a@b> 5 -1200", b" <a@b> 5 -1200"),
        (b"A <a@b> 007 +0000", None),
        (b"A <a@b>", None),
        (b"A <a<b@c>> 5 +0000", None),
        (b"A <a@b> 99999999999999999999 +0000", None),
        (b"", None),
    ],
)
def test_only_an_author_that_git_accepts_is_taken_over(author: bytes, kept: bytes | None, tmp_path: Path) -> None:
    commit = parse_commit("2" * 40, content(author, b""))
    assert commit.author == kept
    git = RepositoryBuilder(tmp_path / "r.git").git
    written = write_commit(git, git.line("hash-object", "-t", "tree", "-w", "--stdin"), [], b"x", commit.author)
    git.run("fsck", "--strict", written)


def test_any_message_is_written_as_it_is(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "r.git")
    parent = builder.commit({b"a": b""})
    tree = builder.git.line("rev-parse", f"{parent}^{{tree}}")
    message = b"#1 'quoted' \"$(touch PWNED)\"\\n %s\n\nexec touch PWNED\n\n\n \x0c \xf0\x9f\x8e\x89"
    written = write_commit(builder.git, tree, [parent], message, AUTHOR)
    assert builder.git.run("cat-file", "commit", written) == (
        f"tree {tree}\nparent {parent}\n".encode()
        + b"author "
        + AUTHOR
        + b"\ncommitter gitgoodbench <agent@gitgoodbench.invalid> 1577836800 +0000\n\n"
        + message
    )


def test_what_is_no_utf_8_is_written_as_git_commit_tree_writes_it(tmp_path: Path) -> None:
    git = RepositoryBuilder(tmp_path / "r.git").git
    tree = git.line("hash-object", "-t", "tree", "-w", "--stdin")
    message = b"caf\xe9 \xc3\xa9 \xe2\x82 \xff\xfe\n"
    written = write_commit(git, tree, [], message)
    assert read_commits(git, [written])[0].message == "café é â\x82 ÿþ\n".encode()
    assert written == git.line("commit-tree", "-F", "-", tree, stdin=message)


def test_many_commits_are_read_at_once_and_a_missing_one_is_named(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "r.git")
    first = builder.commit({b"a": b"1"}, message=b"")
    second = builder.commit({b"a": b"2"}, [first], b"Two\n")
    found = read_commits(builder.git, [second, first, second])
    assert [(commit.oid, commit.parents, commit.message) for commit in found] == [
        (second, (first,), b"Two\n"),
        (first, (), b""),
        (second, (first,), b"Two\n"),
    ]
    with pytest.raises(GitGoodBenchError, match=f"{TREE} is missing, not a commit"):
        read_commits(builder.git, [TREE])
    tree = builder.tree({b"a": b"1"})
    with pytest.raises(GitGoodBenchError, match=f"^{tree} is tree, not a commit$"):
        read_commits(builder.git, [tree])
    assert read_commits(Git(builder.path), []) == []
