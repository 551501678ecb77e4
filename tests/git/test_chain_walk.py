"""Which commits of a chain change anything, and which lead nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from gitgoodbench.git.chain_walk import ChainWalk, same_content, walk_chain
from gitgoodbench.git.objects import EXECUTABLE, SYMLINK, Entry, read_tree
from gitgoodbench.git.process import GitError
from tests.support.repositories import Content, RepositoryBuilder

Files = dict[bytes, Content]
A: Files = {b"a": b"a\n"}
AB: Files = {b"a": b"a\n", b"b": b"b\n"}
ABC: Files = {**AB, b"c": b"c\n"}


@pytest.fixture(params=["sha1", "sha256"])
def builder(request: pytest.FixtureRequest, tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r.git", algorithm=request.param)


def chain_of(builder: RepositoryBuilder, trees: Sequence[Files | str], base: str | None) -> list[str]:
    commits: list[str] = []
    for files in trees:
        tree = files if isinstance(files, str) else builder.tree(files)
        below = commits[-1] if commits else base
        parents = [] if below is None else ["-p", below]
        commits.append(builder.git.line("commit-tree", *parents, "-m", "x", tree))
    return commits


def walk(builder: RepositoryBuilder, *trees: Files | str, base: Files | None = A) -> ChainWalk:
    below = None if base is None else builder.commit(base)
    return walk_chain(builder.git, below, chain_of(builder, trees, below))


def leading(found: ChainWalk) -> list[int]:
    commits = [step.commit for step in found.every]
    return [commits.index(step.commit) for step in found.steps]


@pytest.mark.parametrize(
    ("trees", "detour", "steps"),
    [
        ([AB, ABC], 0, [0, 1]),
        ([A, AB, AB, ABC, ABC], 3, [1, 3]),
        ([AB, A, AB], 2, [0]),
        ([AB, ABC, AB], 2, [0]),
        ([AB, A], 2, []),
        ([AB, ABC, A, ABC], 2, [0, 1]),
        ([AB, ABC, {b"c": b"c\n"}, ABC, AB, A, ABC], 5, [0, 1]),
        ([], 0, []),
    ],
    ids=["straight", "empty", "there-and-back", "back-at-the-end", "nothing", "back-to-the-base", "twice", "none"],
)
def test_commits_that_come_back_lead_nowhere(
    builder: RepositoryBuilder, trees: list[Files], detour: int, steps: list[int]
) -> None:
    found = walk(builder, *trees)
    assert (found.detour, leading(found)) == (detour, steps)


def test_a_chain_from_nothing_may_begin_with_an_empty_commit(builder: RepositoryBuilder) -> None:
    found = walk(builder, {}, A, AB, base=None)
    assert (found.detour, leading(found)) == (1, [1, 2])
    found = walk(builder, A, {}, AB, base=None)
    assert (found.detour, leading(found)) == (2, [2])


def test_modes_links_and_names_are_changes(builder: RepositoryBuilder) -> None:
    odd = b"\xff new\nline\tand :100644 :"
    trees: list[Files] = [
        {b"a": (EXECUTABLE, b"a\n")}, {b"a": (SYMLINK, b"a\n")}, {odd: b"a\n"},
        {odd: b"a\n", b"s": Entry("160000", "1" * 40)},
    ]  # fmt: skip
    if builder.git.line("rev-parse", "--show-object-format") == "sha256":
        trees.pop()
    found = walk(builder, *trees)
    assert (found.detour, leading(found)) == (0, list(range(len(trees))))


def raw_tree(builder: RepositoryBuilder, *entries: tuple[str, str, str]) -> str:
    raw = b"".join(b"%s %s\0" % (mode.encode(), name.encode()) + bytes.fromhex(oid) for mode, name, oid in entries)
    return builder.git.line("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=raw)


def test_trees_that_differ_in_form_alone_are_the_same_state(builder: RepositoryBuilder) -> None:
    """A mode that Git reads as 100644, and a folder without files."""
    blob = builder.git.line("hash-object", "-w", "--stdin", stdin=b"a\n")
    group = raw_tree(builder, ("100664", "a", blob))
    folder = raw_tree(builder, ("100644", "a", blob), ("40000", "d", raw_tree(builder)))
    found = walk(builder, group, AB, folder, AB)
    assert (found.detour, leading(found)) == (3, [1])
    trees: list[Files | str] = [A, group, folder, AB]
    commits = chain_of(builder, trees, None)
    assert read_tree(builder.git, group) == read_tree(builder.git, folder) == {b"a": Entry("100644", blob)}
    assert [same_content(builder.git, commits[0], other) for other in commits] == [True, True, True, False]


def test_walks_from_one_base_have_comparable_states(builder: RepositoryBuilder) -> None:
    base = builder.commit(A)
    other: Files = {b"a": b"a\n", b"c": b"c\n"}
    first = walk_chain(builder.git, base, chain_of(builder, [AB, ABC], base))
    second = walk_chain(builder.git, base, chain_of(builder, [other, ABC], base))
    assert first.end == second.end
    assert first.steps[0].state != second.steps[0].state


def test_what_cannot_be_read_is_an_error(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    base = builder.commit(A)
    commits = chain_of(builder, [AB, ABC], base)
    with pytest.raises(GitError, match="missing"):
        walk_chain(builder.git, base, ["1" * len(base)])
    assert not same_content(builder.git, base, "1" * len(base))
    monkeypatch.setattr("gitgoodbench.git.chain_walk.MAX_CHANGES_BYTES", 100)
    with pytest.raises(GitError, match="more than 100 bytes of changes"):
        walk_chain(builder.git, base, commits)


def test_a_missing_tree_is_an_error(builder: RepositoryBuilder) -> None:
    base = builder.commit(A)
    (commit,) = chain_of(builder, [AB], base)
    tree = builder.git.line("rev-parse", f"{commit}^{{tree}}")
    (builder.path / "objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(GitError):
        walk_chain(builder.git, base, [commit])
