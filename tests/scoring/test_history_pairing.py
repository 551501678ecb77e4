"""The best pairing of the commits of two histories: found by bounds, the same as when every pair is evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from random import Random

import pytest

from gitgoodbench.scoring import similarity_trees
from gitgoodbench.scoring.similarity_history import HistorySimilarity, compare_commits
from gitgoodbench.ted import Tree, closest_subtree, parse
from gitgoodbench.ted.items import itemized, items

Commit = Mapping[bytes, Tree]

STATEMENTS = (
    b"def f(x):\n    return x\n",
    b"def g(x, y):\n    return x + y\n", b"def h(x):\n    for y in x:\n        print(y)\n",
    b"class A:\n    def m(self):\n        return self.x\n", b"x = 1\n", b"x = 2\n", b"y = [1, 2, 3]\n", b"print(x)\n",
    b"if x:\n    y = 1\nelse:\n    y = 2\n", b"f(1)\n", b"import os\n", b"'text'\n",
)  # fmt: skip


def commit(statements: Sequence[bytes]) -> Commit:
    return {b"a.py": added(statements)}


def added(statements: Sequence[bytes]) -> Tree:
    return itemized(parse(b"".join(statements), "python"))


def random_commit(random: Random) -> Commit:
    paths = random.sample([b"a.py", b"b.py", b"c.py"], random.choice([1, 1, 1, 2]))
    return {path: added(random.choices(STATEMENTS, k=random.randint(1, 5))) for path in paths}


def exhaustive(agent: Sequence[Commit], truth: Sequence[Commit]) -> float:
    """Every pair evaluated, every assignment tried."""
    short, long = sorted([agent, truth], key=len)
    rewards = [[reward(one, other) for other in long] for one in short]
    choices = permutations(range(len(long)), len(short))
    return max(sum(row[at] for row, at in zip(rewards, chosen, strict=True)) for chosen in choices) / len(long)


def reward(one: Commit, other: Commit) -> float:
    distance = size = 0
    for snippets, haystacks in ((one, other), (other, one)):
        for path, tree in snippets.items():
            for item in items(tree):
                size += len(item)
                distance += closest_subtree(item, haystacks[path]).distance if path in haystacks else len(item)
    return 1 - distance / size


def histories(seed: int) -> tuple[list[Commit], list[Commit]]:
    """Of up to five commits; half of them have some commits in common."""
    random = Random(seed)
    agent = [random_commit(random) for _ in range(random.randint(1, 5))]
    truth = [random_commit(random) for _ in range(random.randint(1, 5))]
    if random.random() < 0.5:
        truth = random.sample([*agent, *truth], min(5, len(truth)))
    return agent, truth


@pytest.mark.parametrize("seed", range(60))
def test_the_value_is_that_of_evaluating_every_pair(seed: int) -> None:
    agent, truth = histories(seed)
    found = compare_commits(agent, truth)
    assert found is not None
    assert found.value == pytest.approx(exhaustive(agent, truth), abs=1e-12)
    assert found.is_exact


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("cells", [0, 300, 3_000])
def test_whatever_is_left_out_the_value_is_between_the_bounds(
    seed: int, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, truth = histories(seed)
    exact = exhaustive(agent, truth)
    monkeypatch.setattr(similarity_trees, "MAX_CELLS", cells)
    found = compare_commits(agent, truth)
    assert found is not None
    assert found.at_least - 1e-12 <= exact <= found.value + 1e-12
    assert compare_commits(agent, truth) == found
    same = compare_commits(agent, agent)
    assert same is not None
    assert (same.value, same.at_least) == (1.0, 1.0)


def test_only_pairs_that_may_be_the_best_are_evaluated() -> None:
    commits = [commit([b"def f%d(x):\n    return x[%d] + %d\n" % (at, at, at)] * (at + 1)) for at in range(6)]
    found = compare_commits(commits, commits)
    assert found == HistorySimilarity(1.0, 1.0, pairs=36, evaluated=6)


def test_equal_histories_of_any_size_are_alike() -> None:
    """Each commit adds one expression of 24,000 nodes, more than the fast kernel takes."""
    commits = [commit([b"x = [%d" % number, b", 1" * 12_000, b"]\n"]) for number in range(3)]
    assert compare_commits(commits, commits) == HistorySimilarity(1.0, 1.0, pairs=9, evaluated=3)


def test_what_is_too_large_to_compare_is_bounded() -> None:
    """Of 24,000 nodes the first label differs, and as many are left over as the other one is shorter."""
    agent, truth = (
        commit([b"x = [%d" % number, b", 1" * count, b"]\n"]) for number, count in ((2, 12_000), (3, 11_000))
    )
    found = compare_commits([agent], [truth])
    assert found is not None
    assert not found.is_exact
    assert found.at_least == 0.0
    assert 0.95 < found.value < 1.0
