"""Merges found by mining, on graphs of a few commits."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from gitgoodbench.git.objects import EXECUTABLE, SUBMODULE, SYMLINK, Entry
from gitgoodbench.mining.options import MiningOptions, Refs
from gitgoodbench.sample_types.merges import ConflictingMerge, MergeCounts
from tests.support.mining import Mined, mine_all
from tests.support.repositories import Content, RepositoryBuilder

Files = Mapping[bytes, Content]
LINES = [b"line %d\n" % number for number in range(12)]


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "repository.git")


def text(**lines: bytes) -> bytes:
    """Twelve lines, some of them replaced: `text(at_3=b"new")`."""
    changed = list(LINES)
    for key, line in lines.items():
        changed[int(key.removeprefix("at_"))] = line + b"\n"
    return b"".join(changed)


def merge(
    repository: RepositoryBuilder, base: Files, local: Files, incoming: Files, truth: Files, *, name: str = "main"
) -> str:
    """Four commits that end in a merge, on a branch."""
    root = repository.commit(base)
    oid = repository.commit(truth, [repository.commit(local, [root]), repository.commit(incoming, [root])])
    repository.branch(name, oid)
    return oid


def mine(repository: RepositoryBuilder, **options: object) -> Mined:
    return mine_all(repository.git, MiningOptions(**options))  # type: ignore[arg-type]


def only(mined: Mined) -> ConflictingMerge:
    (found,) = mined.merges
    return found


def mined_merge(
    repository: RepositoryBuilder, base: Files, local: Files, incoming: Files, truth: Files
) -> ConflictingMerge:
    oid = merge(repository, base, local, incoming, truth)
    found = only(mine(repository))
    assert found.oid == oid
    return found


def test_a_conflict_with_its_stages_regions_and_kind(repository: RepositoryBuilder) -> None:
    contents = [text(), text(at_2=b"ours", at_9=b"ours"), text(at_2=b"theirs", at_9=b"theirs"), text(at_2=b"both")]
    root = repository.commit({b"a.py": contents[0], b"b.py": b"same\n"})
    local = repository.commit({b"a.py": contents[1], b"b.py": b"same\n"}, [root])
    incoming = repository.commit({b"a.py": contents[2], b"b.py": b"same\n"}, [root])
    oid = repository.commit({b"a.py": contents[3], b"b.py": b"same\n"}, [local, incoming])
    repository.branch("main", oid)
    found = only(mine(repository))
    (file,) = found.files
    ids = [repository.git.line("hash-object", "--stdin", stdin=content) for content in contents[:3]]
    assert (found.oid, found.parents) == (oid, (local, incoming))
    assert found.committed == int(repository.git.line("log", "-1", "--format=%ct", oid))
    assert [entry.oid for entry in file.stages.entries] == ids
    assert (file.path, file.regions, file.kinds) == (b"a.py", 2, ("content",))
    assert (found.conflicts, found.difficulty, found.attainable) == (2, "medium", True)


def test_an_evil_merge_is_not_attainable(repository: RepositoryBuilder) -> None:
    files: tuple[Files, Files, Files] = (
        {b"a.py": text(), b"b.py": b"same\n"},
        {b"a.py": text(at_2=b"ours"), b"b.py": b"same\n"},
        {b"a.py": text(at_2=b"theirs"), b"b.py": b"same\n"},
    )
    elsewhere = mined_merge(repository, *files, {b"a.py": text(at_2=b"both"), b"b.py": b"evil\n"})
    assert (elsewhere.attainable, elsewhere.difficulty) == (False, "easy")
    merge(repository, *files, {b"a.py": text(at_2=b"both", at_9=b"evil"), b"b.py": b"same\n"}, name="other")
    assert [found.attainable for found in mine(repository).merges] == [False, False]


def test_clean_merges_are_counted_only(repository: RepositoryBuilder) -> None:
    merge(
        repository, {b"a.py": text()}, {b"a.py": text(at_0=b"x")}, {b"a.py": text(at_9=b"y")},
        {b"a.py": text(at_0=b"x", at_9=b"y")},
    )  # fmt: skip
    mined = mine(repository)
    assert tuple(mined.merges) == ()
    assert mined.merge_counts == MergeCounts(clean=1)


def test_a_merge_is_found_once_whichever_branches_reach_it(repository: RepositoryBuilder) -> None:
    oid = merge(repository, {b"a": b"0\n"}, {b"a": b"1\n"}, {b"a": b"2\n"}, {b"a": b"3\n"})
    for number in range(3):
        repository.branch(f"topic-{number}", repository.commit({b"a": b"%d\n" % number}, [oid]))
    assert [found.oid for found in mine(repository).merges] == [oid]


def test_criss_cross(repository: RepositoryBuilder) -> None:
    root = repository.commit({b"a.py": text()})
    left, right = (repository.commit({b"a.py": text(at_5=side)}, [root]) for side in (b"left", b"right"))
    first = repository.commit({b"a.py": text(at_5=b"first")}, [left, right])
    second = repository.commit({b"a.py": text(at_5=b"second")}, [right, left])
    oid = repository.commit({b"a.py": text(at_5=b"last")}, [first, second])
    repository.branch("main", oid)
    found = {found.oid: found for found in mine(repository).merges}
    assert list(found) == [first, second, oid]
    assert [file.regions for file in found[oid].files] == [1]
    assert found[oid].attainable


def test_a_rename_that_merges_cleanly_is_no_conflict(repository: RepositoryBuilder) -> None:
    merge(repository, {b"a.py": text()}, {b"b.py": text()}, {b"a.py": text(at_3=b"x")}, {b"b.py": text(at_3=b"x")})
    assert mine(repository).merge_counts == MergeCounts(clean=1)


@pytest.mark.parametrize(
    ("base", "local", "incoming", "kinds"),
    [
        ({b"a": text()}, {b"b": text()}, {b"c": text()}, {b"a": "rename/rename", b"b": "rename/rename"}),
        ({b"a": text()}, {b"a": text(at_1=b"x")}, {}, {b"a": "modify/delete"}),
        ({b"a": text()}, {b"b": text()}, {}, {b"b": "rename/delete"}),
        ({}, {b"a": text(at_1=b"x")}, {b"a": text(at_1=b"y")}, {b"a": "add/add"}),
        ({b"a": b"\0"}, {b"a": b"\0x"}, {b"a": b"\0y"}, {b"a": "binary"}),
        ({b"a": (SYMLINK, b"x")}, {b"a": (SYMLINK, b"y")}, {b"a": (SYMLINK, b"z")}, {b"a": "symbolic link"}),
        (
            {b"a": Entry(SUBMODULE, "1" * 40)}, {b"a": Entry(SUBMODULE, "2" * 40)},
            {b"a": Entry(SUBMODULE, "3" * 40)}, {b"a": "submodule"},
        ),
        ({}, {b"a": text()}, {b"a": (EXECUTABLE, text())}, {b"a": "mode"}),
        ({b"d/a": text(), b"d/b": text()}, {b"e/a": text(), b"e/b": text()},
         {b"d/a": text(), b"d/b": text(), b"d/c": b"new\n"}, {b"e/c": "file location"}),
        ({b"a": text()}, {b"a/b": b"folder\n"}, {b"a": text(at_1=b"x")}, {b"a~incoming": "file/directory"}),
    ],
    ids=lambda value: next(iter(value.values())) if isinstance(value, dict) and value else "",
)  # fmt: skip
def test_kinds(
    repository: RepositoryBuilder, base: Files, local: Files, incoming: Files, kinds: Mapping[bytes, str]
) -> None:
    keep: Files = {b"keep": b"a file that stays\n"}
    found = mined_merge(repository, {**base, **keep}, {**local, **keep}, {**incoming, **keep}, keep)
    by_path = {file.path: file.kinds for file in found.files}
    assert all(kind in by_path[path] for path, kind in kinds.items()), by_path


@pytest.mark.parametrize(
    "path",
    [b"caf\xe9.py", "ä.kt".encode(), b'quote".py', b"a b.py", b"tab\t.py", b"new\nline.py", b"-x.py", b"a\\b.py"],
)
def test_any_name_survives(repository: RepositoryBuilder, path: bytes) -> None:
    found = mined_merge(repository, {path: b"0\n"}, {path: b"1\n"}, {path: b"2\n"}, {path: b"3\n"})
    assert found.paths == (path,)
    assert found.files[0].regions == 1


@pytest.mark.parametrize("length", [7, 79, 300])
def test_lines_that_look_like_markers_are_not_counted(repository: RepositoryBuilder, length: int) -> None:
    heading = b"<" * length + b" x\nTitle\n" + b"=" * length + b"\n" + b">" * length + b" x\n"
    found = mined_merge(
        repository,
        {b"a.rst": heading + text()},
        {b"a.rst": heading + text(at_3=b"=" * length)},
        {b"a.rst": heading + text(at_3=b">" * length + b" x")},
        {b"a.rst": heading + text(at_3=b"both")},
    )
    assert (found.files[0].regions, found.conflicts, found.attainable) == (1, 1, True)


def test_octopus_merges_are_counted_and_left_out(repository: RepositoryBuilder) -> None:
    root = repository.commit({b"a": b"0\n"})
    sides = [repository.commit({b"a": b"%d\n" % number}, [root]) for number in range(1, 4)]
    repository.branch("main", repository.commit({b"a": b"9\n"}, sides))
    assert mine(repository).merge_counts == MergeCounts(octopus=1)


def test_merges_without_base_do_not_end_the_stream(repository: RepositoryBuilder) -> None:
    found = [merge(repository, *conflict(number), name=f"{number}") for number in range(2)]
    roots = [repository.commit({b"a": side}) for side in (b"1\n", b"2\n")]
    repository.branch("unrelated", repository.commit({b"a": b"3\n"}, roots))
    found += [merge(repository, *conflict(number), name=f"{number}") for number in range(2, 4)]
    mined = mine(repository)
    assert sorted(found) == sorted(each.oid for each in mined.merges)
    assert mined.merge_counts == MergeCounts(conflicting=4, no_base=1)


def test_missing_contents_do_not_end_the_stream(repository: RepositoryBuilder) -> None:
    oids = [merge(repository, *conflict(number), name=f"{number}") for number in range(5)]
    remove(repository, f"{oids[2]}^2:a")
    mined = mine(repository)
    assert sorted(found.oid for found in mined.merges) == sorted(oids[:2] + oids[3:])
    assert mined.merge_counts == MergeCounts(conflicting=4, missing_object=1)


@pytest.mark.parametrize("missing", ["^{tree}", "^1^{tree}", "^1^1^{tree}", ":a"])
def test_nothing_is_invented_where_an_object_is_missing(repository: RepositoryBuilder, missing: str) -> None:
    oids = [merge(repository, *conflict(number), name=f"{number}") for number in range(3)]
    remove(repository, f"{oids[1]}{missing}")
    mined = mine(repository)
    assert sorted(found.oid for found in mined.merges) == sorted([oids[0], oids[2]])
    assert mined.merge_counts == MergeCounts(conflicting=2, missing_object=1)


def test_contents_that_no_merge_needs_may_be_missing(repository: RepositoryBuilder) -> None:
    big: Files = {b"big.bin": b"large"}
    oid = merge(repository, {b"a": b"0", **big}, {b"a": b"1", **big}, {b"a": b"2", **big}, {b"a": b"3", **big})
    remove(repository, f"{oid}:big.bin")
    assert only(mine(repository)).attainable


def test_attributes_of_the_first_parent_count_as_in_a_clone(repository: RepositoryBuilder) -> None:
    union: Files = {b".gitattributes": b"*.txt merge=union\n"}
    binary: Files = {b".gitattributes": b"*.dat binary\n"}
    sides: tuple[Files, Files, Files] = ({b"a.txt": b"0\n"}, {b"a.txt": b"1\n"}, {b"a.txt": b"2\n"})
    truth: Files = {b"a.txt": b"3\n"}
    with_union: tuple[Files, Files, Files] = ({**sides[0], **union}, {**sides[1], **union}, {**sides[2], **union})
    merge(repository, *with_union, truth, name="union")
    only_theirs = merge(repository, sides[0], sides[1], {**sides[2], **union}, truth, name="theirs")
    merge(repository, sides[0], {**sides[1], **union}, sides[2], truth, name="ours")
    data: tuple[Files, Files, Files] = (
        {b"a.dat": b"0\n", **binary}, {b"a.dat": b"1\n", **binary}, {b"a.dat": b"2\n", **binary},
    )  # fmt: skip
    as_binary = merge(repository, *data, truth, name="binary")
    plain = merge(repository, *sides, truth, name="plain")
    mined = mine(repository)
    assert {found.oid: found.files[0].kinds[0] for found in mined.merges} == {
        only_theirs: "content", as_binary: "binary", plain: "content",
    }  # fmt: skip
    assert mined.merge_counts.clean == 2


def test_attributes_that_a_merge_brought_in_count(repository: RepositoryBuilder) -> None:
    """No single-parent commit ever had this file at this place."""
    project = repository.commit({b"sub": b"x", b"a": b"y"})
    library = repository.commit({b".gitattributes": b"*.txt merge=union\n", b"a.txt": b"0\n"})
    joined: Files = {b"a": b"y", b"lib/.gitattributes": b"*.txt merge=union\n"}
    root = repository.commit({**joined, b"lib/a.txt": b"0\n"}, [project, library])
    sides = [repository.commit({**joined, b"lib/a.txt": content}, [root]) for content in (b"1\n", b"2\n")]
    repository.branch("main", repository.commit({**joined, b"lib/a.txt": b"1\n2\n"}, sides))
    assert mine(repository).merge_counts == MergeCounts(no_base=1, clean=1)


def test_branches_or_all_refs(repository: RepositoryBuilder) -> None:
    ours = merge(repository, *conflict(0))
    remote = merge(repository, *conflict(1))
    hidden = merge(repository, *conflict(2))
    repository.git.run("update-ref", "-d", "refs/heads/main")
    repository.branch("main", ours)
    repository.git.run("update-ref", "refs/remotes/origin/topic", remote)
    repository.git.run("update-ref", "refs/pull/1/head", hidden)
    repository.git.run("update-ref", "refs/stash", merge(repository, *conflict(3), name="x"))
    repository.git.run("update-ref", "-d", "refs/heads/x")
    assert {found.oid for found in mine(repository).merges} == {ours, remote}
    assert {found.oid for found in mine(repository, refs=Refs.ALL).merges} == {ours, remote, hidden}


def test_only_merges_of_the_time_asked_for(repository: RepositoryBuilder) -> None:
    oids = [merge(repository, *conflict(number), name=f"{number}") for number in range(3)]
    committed = int(repository.git.line("log", "-1", "--format=%ct", oids[1]))
    mined = mine(repository, since=committed, until=committed)
    assert [found.oid for found in mined.merges] == [oids[1]]
    assert mined.merge_counts == MergeCounts(conflicting=1, out_of_time=2)


def test_the_repository_is_only_read(repository: RepositoryBuilder) -> None:
    merge(repository, *conflict(0))
    before = files_of(repository.path)
    mine(repository)
    assert files_of(repository.path) == before


def test_the_configuration_and_attributes_of_the_repository_do_not_count(repository: RepositoryBuilder) -> None:
    oid = merge(repository, *conflict(0))
    for key, value in {"merge.default": "union", "diff.external": "false", "core.attributesFile": "/x"}.items():
        repository.git.run("config", key, value)
    (repository.path / "info").mkdir(exist_ok=True)
    (repository.path / "info/attributes").write_text("* merge=union -diff\n")
    assert only(mine(repository)).oid == oid


def test_sha256(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "repository.git", algorithm="sha256")
    oid = merge(repository, *conflict(0))
    assert only(mine(repository)).oid == oid


def conflict(number: int) -> tuple[Files, Files, Files, Files]:
    base, local, incoming, truth = ({b"a": b"%d-%d\n" % (number, side)} for side in range(4))
    return base, local, incoming, truth


def remove(repository: RepositoryBuilder, spec: str) -> None:
    oid = repository.git.line("rev-parse", spec)
    (repository.path / "objects" / oid[:2] / oid[2:]).unlink()


def files_of(folder: Path) -> dict[str, float]:
    return {os.fspath(path): path.stat().st_mtime_ns for path in folder.rglob("*")}
