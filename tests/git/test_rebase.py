"""Replaying plans: the same trees, authors and messages as `git rebase -i` itself, and the same conflicts."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from gitgoodbench.git.commits import read_commits
from gitgoodbench.git.process import Git
from gitgoodbench.git.rebase import ChainReplay, RebaseConflict, RebasedChain
from gitgoodbench.git.rebase_plan import Command, Step, groups_of
from tests.support.random_rebase import random_chain, random_plan
from tests.support.real_rebase import RealRebase, real_rebase
from tests.support.repositories import Content, RepositoryBuilder

CASES = int(os.environ.get("TESTS_REBASE_CASES", "40"))


def read_raw(git: Git, oid: str) -> tuple[str, bytes, bytes]:
    head, _, message = git.run("cat-file", "commit", oid).partition(b"\n\n")
    headers = dict(line.split(b" ", 1) for line in head.split(b"\n"))
    return headers[b"tree"].decode(), headers[b"author"], message


def chain_replay(builder: RepositoryBuilder, base: str | None, chain: Sequence[str]) -> ChainReplay:
    """The chain in its repository, beside an empty working tree."""
    work = builder.path.with_name(f"{builder.path.name}-work")
    work.mkdir(exist_ok=True)
    git = Git(builder.path, work)
    return ChainReplay(git, None if base is None else read_commits(git, [base])[0], read_commits(git, chain))


def test_random_plans_over_random_chains_give_what_git_rebase_gives(tmp_path: Path) -> None:
    seen = Counter(compare(seed, tmp_path / str(seed)) for seed in range(CASES))
    assert seen["same commits"] >= CASES / 2
    assert seen["same conflict"] >= CASES / 10
    assert seen["other by decision"] <= CASES / 10


def compare(seed: int, folder: Path) -> str:
    """Run one random plan both ways."""
    dice = random.Random(seed)
    builder = RepositoryBuilder(folder / "source.git")
    base, chain = random_chain(dice, builder)
    steps = random_plan(dice, len(chain))
    replay = chain_replay(builder, base, chain)
    replayed = replay.replay(steps)
    real = real_rebase(builder.git, folder / "real", base, chain, steps)
    melded = {chain[step.commit] for group in groups_of(steps) if len(group) > 1 for step in group}
    if real.commits is None and not real.unmerged:
        return "other by decision"  # Git stops where commits that are melded cancel out
    if real.dropped & melded:
        return "other by decision"  # Git melds what follows a commit that became empty into the one before that
    if real.commits is None:
        assert isinstance(replayed, RebaseConflict), seed
        assert chain[replayed.step.commit] == real.stopped_at, seed
        assert set(replayed.paths) >= real.unmerged, seed
        return "same conflict"
    assert isinstance(replayed, RebasedChain), seed
    assert [read_raw(builder.git, oid) for oid in replay.write(replayed)] == real.commits, seed
    return "same commits"


def chain_of(builder: RepositoryBuilder, *versions: Mapping[bytes, Content]) -> list[str]:
    ids: list[str] = []
    for number, files in enumerate(versions):
        ids.append(builder.commit(files, ids[-1:], b"Step %d\n" % number))
    return ids


def both_ways(
    tmp_path: Path, builder: RepositoryBuilder, ids: list[str], *steps: Step
) -> tuple[RebasedChain | RebaseConflict, RealRebase]:
    replayed = chain_replay(builder, ids[0], ids[1:]).replay(steps)
    return replayed, real_rebase(builder.git, tmp_path / "real", ids[0], ids[1:], steps)


@pytest.mark.parametrize("attributes", [b"a.py merge=union\n", b"a.py -merge\n", b"a.py merge=ours\n"])
def test_attributes_count_as_they_are_at_each_point_of_the_chain(tmp_path: Path, attributes: bytes) -> None:
    """The first commit brings the attributes, the last takes them away: a merge in between goes by them."""
    builder = RepositoryBuilder(tmp_path / "r.git")
    rules: dict[bytes, Content] = {b"dir/.gitattributes": b"# none\n", b".gitattributes": attributes}
    ids = chain_of(
        builder,
        {b"a.py": b"1\n"},
        {b"a.py": b"1\n", **rules},
        {b"a.py": b"1\n2\n", **rules},
        {b"a.py": b"1\n2\n3\n", **rules},
        {b"a.py": b"1\n2\n3\n"},
    )
    replayed, real = both_ways(tmp_path, builder, ids, *(Step(commit, Command.PICK) for commit in (0, 2, 1, 3)))
    if real.commits is None:
        assert isinstance(replayed, RebaseConflict)
        assert ids[1 + replayed.step.commit] == real.stopped_at
        assert frozenset(replayed.paths) == real.unmerged
    else:
        assert isinstance(replayed, RebasedChain)
        assert [commit.tree for commit in replayed.commits] == [tree for tree, _, _ in real.commits]
    assert not (tmp_path / "r.git" / "rebase-attributes").exists()


def test_a_commit_that_becomes_empty_is_left_out_and_one_that_was_empty_stays(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "r.git")
    one, two = {b"a.py": b"1\n"}, {b"a.py": b"2\n"}
    ids = chain_of(builder, one, two, two, one, two)
    steps = [Step(0, Command.PICK), Step(1, Command.PICK), Step(2, Command.DROP), Step(3, Command.PICK)]
    replayed, real = both_ways(tmp_path, builder, ids, *steps)
    assert isinstance(replayed, RebasedChain)
    assert [new.group for new in replayed.commits] == [(steps[0],), (steps[1],)]
    assert replayed.left_out == ((steps[3],),)
    assert real.commits is not None
    assert len(real.commits) == 2


def test_melded_commits_that_cancel_out_are_left_out_together(tmp_path: Path) -> None:
    """Git stops at the fixup and leaves it to the user; a melded commit is never amended into what was before it."""
    builder = RepositoryBuilder(tmp_path / "r.git")
    one, two = {b"a.py": b"1\n"}, {b"a.py": b"2\n"}
    ids = chain_of(builder, one, two, one, {**one, b"b.py": b"b\n"})
    plan = [Step(0, Command.PICK), Step(1, Command.FIXUP), Step(2, Command.PICK)]
    replayed, real = both_ways(tmp_path, builder, ids, *plan)
    assert real.commits is None
    assert isinstance(replayed, RebasedChain)
    assert replayed.left_out == ((plan[0], plan[1]),)
    assert [new.message for new in replayed.commits] == [b"Step 3\n"]
    replay = chain_replay(builder, ids[0], ids[1:])
    together = replay.replay([Step(0, Command.PICK), Step(1, Command.FIXUP), Step(2, Command.FIXUP)])
    assert isinstance(together, RebasedChain)
    (commit,) = replay.write(together)
    assert read_commits(builder.git, [commit])[0].parents == (ids[0],)
    assert read_raw(builder.git, commit)[2] == b"Step 1\n"


def test_a_commit_picked_where_it_was_stays_the_same_object(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "r.git")
    ids = chain_of(builder, *({b"a.py": b"%d\n" % number} for number in range(4)))
    replay = chain_replay(builder, ids[0], ids[1:])
    picked = replay.replay([Step(0, Command.PICK), Step(1, Command.REWORD, b"New"), Step(2, Command.PICK)])
    assert isinstance(picked, RebasedChain)
    first, second, third = replay.write(picked)
    assert first == ids[1]
    assert {second, third}.isdisjoint(ids)
    assert [commit.message for commit in read_commits(builder.git, [second, third])] == [b"New\n", b"Step 3\n"]


def test_a_conflict_writes_no_commit_and_names_commit_and_paths(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "r.git")
    ids = chain_of(builder, {b"a.py": b"1\n"}, {b"a.py": b"2\n"}, {b"a.py": b"3\n", b'd/"x".py': b"x\n"})
    result = chain_replay(builder, ids[0], ids[1:]).replay([Step(1, Command.PICK), Step(0, Command.PICK)])
    assert isinstance(result, RebaseConflict)
    assert (result.step.commit, result.paths) == (1, (b"a.py",))
    assert result.reasons == (b"CONFLICT (content): Merge conflict in a.py",)
