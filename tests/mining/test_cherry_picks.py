"""Candidates for cherry-picks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gitgoodbench.mining import diffs
from gitgoodbench.mining.history import picked_from
from gitgoodbench.sample_types import cherry_picks, patch_ids
from gitgoodbench.sample_types.cherry_picks import CherryPick
from tests.support.mining import Mined, mine_all
from tests.support.repositories import Content, RepositoryBuilder

BASE = b"".join(b"line %d\n" % number for number in range(20))


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "repository.git")


def mine(repository: RepositoryBuilder) -> Mined:
    return mine_all(repository.git)


def edited(**lines: bytes) -> bytes:
    content = BASE
    for number, line in lines.items():
        content = content.replace(b"line %d\n" % int(number[1:]), line + b"\n")
    return content


def pair(
    repository: RepositoryBuilder, first: Mapping[bytes, Content], second: Mapping[bytes, Content],
    message: str = "pick",
) -> tuple[str, str]:  # fmt: skip
    """A commit, and one on another branch that already differs."""
    root = repository.commit({b"a.py": BASE})
    one = repository.commit(first, [root])
    aside = repository.commit({b"a.py": edited(_0=b"aside")}, [root])
    two = repository.commit(second, [aside], message=message.format(one=one).encode())
    repository.branch("one", one)
    repository.branch("two", two)
    return one, two


def committed(repository: RepositoryBuilder, oid: str) -> int:
    return int(repository.git.line("log", "-1", "--format=%ct", oid))


def test_equal_patch_ids(repository: RepositoryBuilder) -> None:
    one, two = pair(repository, {b"a.py": edited(_12=b"x")}, {b"a.py": edited(_0=b"aside", _12=b"x")})
    when = committed(repository, two)
    assert tuple(mine(repository).cherry_picks) == (CherryPick(two, one, when, False, True, True),)


@pytest.mark.parametrize(
    "second",
    [
        {b"a.py": edited(_0=b"aside", _12=b"y")},
        {b"a.py": edited(_0=b"aside", _13=b"x")},
        {b"a.py": edited(_0=b"aside", _12=b"x"), b"b.py": b"more\n"},
        {b"b.py": edited(_0=b"aside", _12=b"x")},
    ],
)
def test_other_patches_are_not_equal(repository: RepositoryBuilder, second: Mapping[bytes, Content]) -> None:
    pair(repository, {b"a.py": edited(_12=b"x")}, second)
    assert tuple(mine(repository).cherry_picks) == ()


def test_a_trailer_that_tells_the_truth(repository: RepositoryBuilder) -> None:
    one, two = pair(
        repository, {b"a.py": edited(_12=b"x")}, {b"a.py": edited(_0=b"aside", _12=b"x")},
        "pick\n\n(cherry picked from commit {one})\n",
    )  # fmt: skip
    (pick,) = mine(repository).cherry_picks
    assert (pick.oid, pick.source, pick.trailer, pick.patch_id, pick.source_present) == (two, one, True, True, True)


def test_a_trailer_whose_commit_was_adapted(repository: RepositoryBuilder) -> None:
    one, two = pair(
        repository, {b"a.py": edited(_12=b"x")}, {b"a.py": edited(_0=b"aside", _12=b"adapted")},
        "pick\n\n(cherry picked from commit {one})\n",
    )  # fmt: skip
    (pick,) = mine(repository).cherry_picks
    assert (pick.oid, pick.source, pick.trailer, pick.patch_id, pick.source_present) == (two, one, True, False, True)


def test_a_trailer_of_a_commit_that_is_not_there(repository: RepositoryBuilder) -> None:
    oid = repository.commit({b"a": b"0"}, message=b"x\n\n(cherry picked from commit %s)\n" % (b"1" * 40))
    repository.branch("main", oid)
    when = committed(repository, oid)
    assert tuple(mine(repository).cherry_picks) == (CherryPick(oid, "1" * 40, when, True, False, False),)


@pytest.mark.parametrize(
    ("message", "picked"),
    [
        (b"x\n\n(cherry picked from commit %s)\n" % (b"a" * 40), "a" * 40),
        (
            b"x\n\n(cherry picked from commit %s)\nReviewed-by: y\n(cherry picked from commit %s)\r\n"
            % (b"a" * 40, b"b" * 40),
            "b" * 40,
        ),
        (b"x\n\n(cherry picked from commit abcdef1)", "abcdef1"),
        (b"see (cherry picked from commit %s)\n" % (b"a" * 40), None),
        (b"x\n\n(cherry picked from commit HEAD)\n", None),
        (b"x\n", None),
    ],
)
def test_the_last_trailer_counts(message: bytes, picked: str | None) -> None:
    assert picked_from(message) == picked


def test_generated_files_committed_again_and_again(
    repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many paths: only commits that agree in a sample are compared in full, and equal contents not at all."""
    names = [b"%02d.html" % number for number in range(30)]
    base = repository.commit(dict.fromkeys(names, BASE))
    versions: list[dict[bytes, Content]] = [
        dict.fromkeys(names, edited(_5=b"one")),
        dict.fromkeys(names, edited(_5=b"two")),
        dict.fromkeys(names, edited(_5=b"one")),
        {**dict.fromkeys(names, edited(_5=b"one")), names[-1]: edited(_5=b"other")},
    ]
    oids = [repository.commit(files, [base]) for files in versions]
    aside = repository.commit(dict.fromkeys(names, edited(_15=b"aside")), [base])
    oids.append(repository.commit(dict.fromkeys(names, edited(_15=b"aside", _5=b"one")), [aside]))
    for number, oid in enumerate(oids):
        repository.branch(f"{number}", oid)
    compared: list[list[str]] = []
    monkeypatch.setattr(cherry_picks, "patch_ids", _recording(compared))
    picks = mine(repository).cherry_picks
    assert {(pick.oid, pick.source) for pick in picks} == {(oids[2], oids[0]), (oids[4], oids[0])}
    by_sample, in_full = compared
    assert sorted(by_sample) == sorted([oids[0], oids[1], oids[3], aside, oids[4]])
    assert sorted(in_full) == sorted([oids[0], oids[3], oids[4]])


def _recording(compared: list[list[str]]) -> object:
    def record(git: object, commits: object, *paths: bytes) -> object:
        listed = list(commits)  # type: ignore[call-overload]
        compared.append(listed)
        return patch_ids.patch_ids(git, listed, *paths)  # type: ignore[arg-type]

    return record


@pytest.mark.parametrize("chunk", [1000, 3])
def test_a_patch_that_cannot_be_read_costs_only_itself(
    repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(patch_ids, "COMMITS_PER_PROCESS", chunk)
    root = repository.commit({b"a": BASE, b"b": BASE})
    oids = [repository.commit({b"a": edited(_5=b"%d" % n), b"b": edited(_5=b"%d" % n)}, [root]) for n in range(8)]
    expected = dict(patch_ids.patch_ids(repository.git, oids))
    for broken in (2, 3, 6):
        blob = repository.git.line("rev-parse", f"{oids[broken]}:b")
        (repository.path / "objects" / blob[:2] / blob[2:]).unlink()
    found = dict(patch_ids.patch_ids(repository.git, oids))
    assert found == {oid: None if position in (2, 3, 6) else expected[oid] for position, oid in enumerate(oids)}
    assert list(found) == oids
    assert len(set(expected.values())) == 8


def test_chunks_give_the_same_as_one(repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = pair(repository, {b"a.py": edited(_12=b"x")}, {b"a.py": edited(_0=b"aside", _12=b"x")})
    whole = mine(repository)
    for module in (patch_ids, diffs):
        monkeypatch.setattr(module, "COMMITS_PER_PROCESS", 1)
    again = mine(repository)
    assert (again.commits, tuple(again.cherry_picks)) == (whole.commits, tuple(whole.cherry_picks))
    assert [(pick.oid, pick.source) for pick in whole.cherry_picks] == [(two, one)]
