"""Objects as they are: trees by whole paths, blobs to the byte, and entries of the index without what stood there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gitgoodbench.git import objects
from gitgoodbench.git.objects import (
    EXECUTABLE,
    LONGEST_PATH,
    REGULAR,
    SUBMODULE,
    SYMLINK,
    Entry,
    blob_sizes,
    blobs_present,
    canonical_mode,
    changed_paths,
    read_blobs,
    read_hostile_tree,
    read_tree,
    stage,
    write_blob,
)
from gitgoodbench.git.process import Git, GitError
from tests.support.repositories import Content, RepositoryBuilder

COMMAND = "git ls-tree -r -z --full-tree"
Reader = Callable[[Git, str], dict[bytes, Entry]]

FILES: Mapping[bytes, Content] = {
    b"tab\tname": b"tab\n",
    b"a b\n\xff": b"odd\n",
    b"folder/deep/file": b"\x00\r\n\x1c",
    b"run": (EXECUTABLE, b"#!/bin/sh\n"),
    b"link": (SYMLINK, b"run"),
    b"module": Entry(SUBMODULE, "1" * 40),
}


@pytest.fixture
def made(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r.git")


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
@pytest.mark.parametrize("read", [read_tree, read_hostile_tree])
def test_a_tree_is_every_path_with_mode_and_id(tmp_path: Path, read: Reader, algorithm: str) -> None:
    made = RepositoryBuilder(tmp_path / "r.git", algorithm=algorithm)
    files = {**FILES, b"module": Entry(SUBMODULE, "1" * (64 if algorithm == "sha256" else 40))}
    tree = made.tree(files)
    found = read(made.git, tree)
    assert {path: entry.mode for path, entry in found.items()} == {
        b"tab\tname": REGULAR, b"a b\n\xff": REGULAR, b"folder/deep/file": REGULAR,
        b"run": EXECUTABLE, b"link": SYMLINK, b"module": SUBMODULE,
    }  # fmt: skip
    assert found[b"module"] == files[b"module"]
    assert read_blobs(made.git, [found[b"folder/deep/file"].oid]) == {
        found[b"folder/deep/file"].oid: b"\x00\r\n\x1c",
    }  # fmt: skip
    assert [found[path].is_file for path in (b"run", b"a b\n\xff", b"link", b"module")] == [True, True, False, False]


@pytest.mark.parametrize("read", [read_tree, read_hostile_tree])
def test_the_name_of_a_tree_that_looks_like_an_option_is_a_name(made: RepositoryBuilder, read: Reader) -> None:
    commit = made.commit({b"f": b"1"})
    made.git.run("update-ref", "refs/heads/--name-only", commit)
    assert read(made.git, "--name-only") == {b"f": Entry(REGULAR, write_blob(made.git, b"1"))}


def test_a_hostile_tree_is_read_up_to_a_limit(made: RepositoryBuilder) -> None:
    tree = made.tree({b"a": b"1", b"b": b"2"})
    length = len(made.git.run("ls-tree", "-r", "-z", tree))
    assert set(read_hostile_tree(made.git, tree, limit=length)) == {b"a", b"b"}
    with pytest.raises(GitError, match=rf"^{COMMAND}: exit code -1: the listing is longer than {length - 1} bytes$"):
        read_hostile_tree(made.git, tree, limit=length - 1)
    with pytest.raises(GitError, match=rf"^{COMMAND}: exit code 128"):
        read_hostile_tree(made.git, "2" * 40)
    assert read_hostile_tree(made.git, made.tree({})) == {}


def test_a_path_may_be_as_long_as_git_lists_it_up_to_a_limit(
    made: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = b"/".join([b"d" * 100] * 3)
    monkeypatch.setattr(objects, "LONGEST_PATH", len(longest))
    assert set(read_hostile_tree(made.git, made.tree({longest: b"1"}))) == {longest}
    with pytest.raises(GitError, match=rf"^{COMMAND}: exit code -1: a path has more than {len(longest)} bytes$"):
        read_hostile_tree(made.git, made.tree({longest + b"d": b"1", b"short": b"2"}))
    assert LONGEST_PATH == 16_384


def test_blobs_come_as_they_are_and_missing_ones_as_none(made: RepositoryBuilder) -> None:
    contents = [b"", b"one\n", b"two\n\nthree", b"missing\n", b"x" * 100_000]
    ids = [write_blob(made.git, content) for content in contents]
    none = "3" * 40
    assert read_blobs(made.git, [ids[0], none, *ids[1:], ids[1]]) == dict(zip(ids, contents, strict=True)) | {
        none: None
    }
    assert blob_sizes(made.git, [none, *ids, ids[1]]) == {none: None} | {
        oid: len(content) for oid, content in zip(ids, contents, strict=True)
    }
    assert blobs_present(made.git, [*ids, none, made.tree({})]) == set(ids)
    assert (read_blobs(made.git, []), blob_sizes(made.git, []), blobs_present(made.git, [])) == ({}, {}, set())


def test_nothing_is_asked_of_git_for_no_blobs(tmp_path: Path) -> None:
    assert read_blobs(Git(tmp_path / "nowhere"), iter(())) == {}


def test_a_blob_is_stored_whatever_filters_say(made: RepositoryBuilder) -> None:
    made.git.run("config", "core.autocrlf", "input")
    oid = write_blob(made.git, b"a\r\nb\r\n")
    assert read_blobs(made.git, [oid]) == {oid: b"a\r\nb\r\n"}


def test_staging_replaces_every_stage_and_none_removes(made: RepositoryBuilder) -> None:
    one, two = (Entry(REGULAR, write_blob(made.git, content)) for content in (b"1", b"2"))
    index = made.git.with_env(GIT_INDEX_FILE=str(made.path / "index"))
    stages = b"".join(b"100644 %s %d\tconflict\0" % (one.oid.encode(), number) for number in (1, 2, 3))
    index.run("update-index", "-z", "--index-info", stdin=stages)
    stage(index, {b"folder": one, b"gone": one, b"conflict": Entry(EXECUTABLE, two.oid)})
    stage(index, {b"folder/a\nb": two, b"folder": None, b"gone": None})
    assert index.run("ls-files", "-s", "-z") == b"100755 %s 0\tconflict\x00100644 %s 0\tfolder/a\nb\0" % (
        two.oid.encode(), two.oid.encode(),
    )  # fmt: skip


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_staging_only_removals_knows_how_long_an_id_is(tmp_path: Path, algorithm: str) -> None:
    made = RepositoryBuilder(tmp_path / "r.git", algorithm=algorithm)
    index = made.git.with_env(GIT_INDEX_FILE=str(made.path / "index"))
    stage(index, {b"a": Entry(REGULAR, write_blob(made.git, b"1")), b"b": Entry(SYMLINK, write_blob(made.git, b"2"))})
    stage(index, {b"a": None, b"never": None})
    assert index.run("ls-files", "-z") == b"b\0"


def test_what_changed_is_told_with_both_entries() -> None:
    one, two = Entry(REGULAR, "1" * 40), Entry(REGULAR, "2" * 40)
    before, after = {b"same": one, b"changed": one, b"gone": two}, {b"same": one, b"changed": two, b"new": one}
    assert changed_paths(before, after) == {b"changed": (one, two), b"gone": (two, None), b"new": (None, one)}


@pytest.mark.parametrize(
    ("written", "mode"),
    [("100644", REGULAR), ("100664", REGULAR), ("100711", EXECUTABLE), ("100100", EXECUTABLE), ("100611", REGULAR),
     ("120777", SYMLINK), ("40000", "040000"), ("40755", "040000"), ("0", SUBMODULE), ("160000", SUBMODULE)],
)  # fmt: skip
def test_a_mode_is_the_one_that_git_takes_it_for(written: str, mode: str) -> None:
    assert canonical_mode(written) == mode
    assert Entry(written, "1" * 40) == Entry(mode, "1" * 40)
