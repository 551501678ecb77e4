"""Picks and reverts that conflicted: which commits are taken, and why others are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.git.process import Git
from gitgoodbench.mining.contract import Found
from gitgoodbench.sample_types.named_commits import Named, named_commits
from gitgoodbench.sample_types.specs import CherryPickSpec
from tests.support.mining import Mined, mine_all
from tests.support.repositories import Content, RepositoryBuilder

A, B = "a" * 40, "b" * 40


@pytest.mark.parametrize(
    ("message", "named"),
    [
        (f"x\n\n(cherry picked from commit {A})\n", Named("pick", (A,))),
        (f"x\n\n(cherry picked from commit {A})\n(cherry picked from commit {B})\r\n", Named("pick", (A, B))),
        (f"x\n\nCherry-picked-from: {A}\n", Named("pick", (A,))),
        (f"x\n\nCherry-pick of commit {A}.\n", Named("pick", (A,))),
        ("x\n\nBackport of abcdef1\n", Named("pick", ("abcdef1",))),
        (f"x\n\n(backported from commit {A})\n", Named("pick", (A,))),
        (f"x\n\n[ Upstream commit {A} ]\n", Named("pick", (A,))),
        (f"x\n\ncommit {A} upstream.\n", Named("pick", (A,))),
        (f'Revert "x"\n\nThis reverts commit {A}.\n', Named("revert", (A,))),
        (f'Revert "x"\n\nThis reverts commit {A}, reversing\nchanges made to {B}.\n', Named("revert", (A,))),
        (f'Revert "x"\n\nThis reverts commit {A}.\n\n(cherry picked from commit {B})\n', Named("pick", (B,))),
        (f"see (cherry picked from commit {A})\n", None),
        ("x\n\n(cherry picked from commit HEAD)\n", None),
        ("x\n", None),
    ],
)
def test_what_messages_name(message: str, named: Named | None) -> None:
    assert named_commits(message.encode()) == named


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "repository.git")


def code(*lines: str) -> dict[bytes, Content]:
    return {b"a.py": "".join(f"{line}\n" for line in lines).encode()}


def history(builder: RepositoryBuilder, message: str = "(cherry picked from commit {})") -> tuple[str, str, str, str]:
    """A commit on one branch, picked onto another one where its neighbour differs: root, source, onto, result."""
    root = builder.commit(code("a", "b", "c"))
    source = builder.commit(code("a", "b", "c", "d", "e", "f"), [root])
    onto = builder.commit(code("a", "b", "x"), [root])
    result = builder.commit(code("a", "b", "x", "d", "e", "f"), [onto], f"Pick\n\n{message.format(source)}\n".encode())
    builder.branch("source", source)
    builder.branch("stable", result)
    return root, source, onto, result


def specs(mined: Mined) -> list[CherryPickSpec]:
    return [spec_of(found) for found in mined.cherry_picks]


def spec_of(found: Found) -> CherryPickSpec:
    assert isinstance(found.spec, CherryPickSpec)
    return found.spec


def left_out(mined: Mined) -> dict[str, int]:
    return {reason: count for reason, count in mined.picks_left_out.items() if count}


def test_a_pick_that_conflicts(builder: RepositoryBuilder) -> None:
    _, source, onto, result = history(builder)
    (found,) = mine_all(builder.git).cherry_picks
    assert spec_of(found) == CherryPickSpec(
        operation="pick", picked_commit=source, onto=onto, result_commit=result, files_in_conflict=("a.py",),
        number_of_files=1, total_number_of_conflicts=1,
    )  # fmt: skip
    assert (found.difficulty, found.paths) == ("easy", (b"a.py",))
    assert found.columns.model_dump(include={"attainable", "core"}) == {"attainable": True, "core": False}


def test_a_revert_that_conflicts(builder: RepositoryBuilder) -> None:
    root = builder.commit(code("a", "b", "c"))
    source = builder.commit(code("a", "b", "c", "d", "e"), [root])
    onto = builder.commit(code("a", "b", "c", "d", "e and more"), [source])
    message = f'Revert "x"\n\nThis reverts commit {source}.'.encode()
    result = builder.commit(code("a", "b", "c", "e and more"), [onto], message)
    builder.branch("main", result)
    (spec,) = specs(mine_all(builder.git))
    assert (spec.operation, spec.picked_commit, spec.onto, spec.result_commit) == ("revert", source, onto, result)


def test_a_merge_is_picked_against_its_first_parent(builder: RepositoryBuilder) -> None:
    root = builder.commit(code("a", "b", "c"))
    side = builder.commit(code("a", "b", "c", "d", "e", "f"), [root])
    first = builder.commit({**code("a", "b", "c"), b"b.py": b"1\n"}, [root])
    merge = builder.commit({**code("a", "b", "c", "d", "e", "f"), b"b.py": b"1\n"}, [first, side])
    onto = builder.commit(code("a", "b", "x"), [root])
    message = f"Pick\n\n(cherry picked from commit {merge})\n".encode()
    result = builder.commit(code("a", "b", "x", "d", "e", "f"), [onto], message)
    builder.branch("main", merge)
    builder.branch("stable", result)
    (spec,) = specs(mine_all(builder.git))
    assert (spec.picked_commit, spec.mainline, spec.onto) == (merge, 1, onto)


def test_a_clean_pick_an_absent_source_and_a_source_in_the_history_are_left_out(builder: RepositoryBuilder) -> None:
    root = builder.commit(code("a", "b", "c"))
    source = builder.commit({**code("a", "b", "c"), b"b.py": b"1\n"}, [root])
    clean = builder.commit(
        {**code("x", "b", "c"), b"b.py": b"1\n"}, [root], f"(cherry picked from commit {source})".encode()
    )
    absent = builder.commit(code("y"), [clean], f"(cherry picked from commit {A})".encode())
    own = builder.commit(code("z"), [absent], f"(cherry picked from commit {clean})".encode())
    builder.branch("main", own)
    builder.branch("source", source)
    mined = mine_all(builder.git)
    assert specs(mined) == []
    assert left_out(mined) == {
        "picks without a conflict": 1,
        "picks of commits that are not there": 1,
        "picks of their own ancestors": 1,
    }


def test_a_commit_is_one_row_however_often_it_was_picked(builder: RepositoryBuilder) -> None:
    root, source, _, _ = history(builder)
    again = builder.commit(code("a", "b", "y"), [root])
    message = f"(cherry picked from commit {source})".encode()
    builder.branch("older", builder.commit(code("a", "b", "y", "d", "e", "f"), [again], message))
    mined = mine_all(builder.git)
    assert len(specs(mined)) == 1
    assert left_out(mined) == {"picks of a commit that has one already": 1}


def test_picks_of_picks_are_told_from_squashes(builder: RepositoryBuilder) -> None:
    root, source, _, result = history(builder)
    onto = builder.commit(code("a", "b", "y"), [root])
    lines = "(cherry picked from commit {})\n(cherry picked from commit {})\n"
    again = builder.commit(code("a", "b", "y", "d", "e", "f"), [onto], lines.format(source, result).encode())
    builder.branch("older", again)
    squash = builder.commit(code("a", "b", "z", "d", "e", "f"), [onto], lines.format(result, source).encode())
    builder.branch("squash", squash)
    mined = mine_all(builder.git)
    assert {(spec.picked_commit, spec.result_commit) for spec in specs(mined)} == {(source, result), (result, again)}
    assert left_out(mined) == {"squashes of several picks": 1}


def test_what_is_hardly_like_its_source_is_left_out(builder: RepositoryBuilder) -> None:
    root = builder.commit(code("a", "b", "c"))
    source = builder.commit(code("a", "b", "c", "d", "e", "f"), [root])
    onto = builder.commit(code("a", "b", "x"), [root])
    result = builder.commit(code("a", "b", "x", "1", "2", "3", "d"), [onto], f"Backport of {source}".encode())
    builder.branch("source", source)
    builder.branch("stable", result)
    mined = mine_all(builder.git)
    assert specs(mined) == []
    assert left_out(mined) == {"picks unlike their source": 1}


def test_a_twin_in_the_history_that_an_agent_sees_leaves_a_pick_out(builder: RepositoryBuilder) -> None:
    """The same patch was made before, and taken back: whoever looks finds the answer."""
    root = builder.commit(code("a", "b", "c"))
    source = builder.commit(code("a", "b", "c", "d", "e", "f"), [root])
    before = builder.commit(code("a", "b", "x"), [root])
    twin = builder.commit(code("a", "b", "x", "d", "e", "f"), [before])
    onto = builder.commit(code("a", "b", "x"), [twin])
    message = f"(cherry picked from commit {source})".encode()
    builder.branch("stable", builder.commit(code("a", "b", "x", "d", "e", "f"), [onto], message))
    builder.branch("source", source)
    mined = mine_all(builder.git)
    assert specs(mined) == []
    assert left_out(mined) == {"picks with a twin among the ancestors": 1}


def test_a_pick_with_a_missing_file_costs_only_itself(builder: RepositoryBuilder) -> None:
    history(builder)
    root = builder.commit({b"b.py": b"1\n2\n3\n"})
    source = builder.commit({b"b.py": b"1\n2\n4\n"}, [root])
    onto = builder.commit({b"b.py": b"1\n2\n5\n"}, [root])
    result = builder.commit({b"b.py": b"1\n2\n45\n"}, [onto], f"(cherry picked from commit {source})".encode())
    builder.branch("second", source)
    builder.branch("third", result)
    remove(builder.git, f"{onto}:b.py")
    mined = mine_all(builder.git)
    assert len(specs(mined)) == 1
    assert left_out(mined) == {"picks with missing objects": 1}


def remove(git: Git, name: str) -> None:
    oid = git.line("rev-parse", name)
    Path(git.git_dir, "objects", oid[:2], oid[2:]).unlink()
