"""The trees of an agent and of the truth, and the diff between them, as a result shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.details import BESIDE, Trees
from gitgoodbench.scoring.differences import diff_between, tree_ids
from tests.support.repositories import RepositoryBuilder

NOWHERE = "1" * 40


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r.git")


def test_each_side_has_its_own_tree(builder: RepositoryBuilder) -> None:
    one, other = {b"a.py": b"1\n"}, {b"a.py": b"2\n"}
    agent, truth = builder.tree(one), builder.tree(other)
    head, newest = builder.commit(one), builder.commit(other)
    assert tree_ids(builder.git, head, newest) == Trees(agent=agent, truth=truth)
    assert tree_ids(builder.git, None, newest) == Trees(agent=None, truth=truth)
    assert tree_ids(builder.git, newest, newest) == Trees(agent=truth, truth=truth)


def test_a_commit_that_cannot_be_read_has_no_trees(builder: RepositoryBuilder) -> None:
    known = builder.commit({b"a.py": b"1\n"})
    assert tree_ids(builder.git, NOWHERE, known) == tree_ids(builder.git, known, NOWHERE) == Trees()
    assert diff_between(builder.git, NOWHERE, known) is None


def test_the_diff_leads_from_the_agent_to_the_truth_through_all_folders(builder: RepositoryBuilder) -> None:
    head = builder.commit({b"a.py": b"x\n", b"d/b.py": b"kept\n", b"d/c": b"esc \x1b\n"})
    newest = builder.commit({b"a.py": b"y\n", b"d/b.py": b"kept\n"})
    assert diff_between(builder.git, head, newest) == (
        "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"
        "diff --git a/d/c b/d/c\ndeleted file mode 100644\n--- a/d/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-esc \\x1b\n"
    )
    assert diff_between(builder.git, head, head) == ""


def test_a_long_diff_is_made_as_far_as_it_is_kept(builder: RepositoryBuilder) -> None:
    head, newest = builder.commit({b"a": b""}), builder.commit({b"a": b"line\n" * (BESIDE.text // 4)})
    diff = diff_between(builder.git, head, newest)
    assert diff is not None
    assert len(diff) == BESIDE.text - len("index e69de29bb2d1d6434b8b29ae775ad8c2e48c5391.." + "0" * 40 + " 100644\n")
