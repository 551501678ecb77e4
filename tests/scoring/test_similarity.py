"""The similarity of histories, by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gitgoodbench.git.hunks import Line, Mark, TextChange
from gitgoodbench.scoring import similarity_trees
from gitgoodbench.scoring.history_lines import LineHistory, LineReader
from gitgoodbench.scoring.similarity_history import (
    HistorySimilarity,
    added_spans,
    compare_histories,
    history_similarity,
)
from tests.support.repositories import Content, RepositoryBuilder


def test_runs_of_added_lines_are_spans_of_the_new_file() -> None:
    script = [(Mark.KEPT, b"a\n"), (Mark.ADDED, b"bb\n"), (Mark.REMOVED, b"x\n"), (Mark.ADDED, b"c\n"),
              (Mark.KEPT, b"d\n"), (Mark.REMOVED, b"y\n"), (Mark.ADDED, b"e")]  # fmt: skip
    change = TextChange(tuple(Line(mark, content) for mark, content in script), ())
    assert added_spans(change) == [(2, 7), (9, 10)]


Files = Mapping[bytes, Content]
F, G, H = b"def f(x):\n    return x\n\n\n", b"def g(y):\n    return y + 1\n\n\n", b"z = 1\n"


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r.git")


def history(builder: RepositoryBuilder, *versions: bytes | Files) -> LineHistory:
    """Of commits that give a.py these contents, above one in which it is empty."""
    base = builder.commit({b"a.py": b"", b"k": b""})
    parent, commits = base, []
    for version in versions:
        files = {b"a.py": version} if isinstance(version, bytes) else version
        parent = builder.commit({b"k": b"", **files}, [parent])
        commits.append(parent)
    return LineReader(builder.git).read(base, commits)


def test_a_history_is_like_itself_in_any_order(builder: RepositoryBuilder) -> None:
    real = history(builder, F, F + G, F + G + H)
    assert history_similarity(real, real) == 1.0
    assert history_similarity(history(builder, H, F + H, F + G + H), real) == 1.0
    assert history_similarity(history(builder, F, F + G), history(builder, F, F + G)) == 1.0


def test_a_commit_without_partner_has_nothing(builder: RepositoryBuilder) -> None:
    """f has 12 nodes and g 15, and to make one of the other takes 6 edits: its name, its parameter, and 4 in what it
    returns. So both together are more like g, which makes up more of them.
    """
    real = history(builder, F, F + G)
    assert history_similarity(history(builder, F), real) == 1 / 2
    assert history_similarity(real, history(builder, F)) == 1 / 2
    assert history_similarity(history(builder, F + G), real) == (1 - 6 / (12 + 15 + 15)) / 2


def test_a_small_part_of_a_commit_is_not_like_it(builder: RepositoryBuilder) -> None:
    real = history(builder, F + G, F + G + H)
    parts = history_similarity(history(builder, H, F + G + H), real)
    assert parts == 1.0
    small = history_similarity(history(builder, F + H, F + G + H), real)
    assert small is not None
    assert small < 0.8


def test_one_leaf_of_five_nodes_both_ways(builder: RepositoryBuilder) -> None:
    assert history_similarity(history(builder, b"z = 2\n"), history(builder, b"z = 1\n")) == 1 - 2 / 10


def test_only_the_same_file_is_looked_at(builder: RepositoryBuilder) -> None:
    real = history(builder, {b"a.py": F, b"b.py": G})
    assert history_similarity(history(builder, {b"a.py": G, b"b.py": F}), real) != 1.0
    assert history_similarity(history(builder, {b"a.py": b"", b"c.py": F}), history(builder, F)) == 0.0


def test_commits_that_add_nothing_with_a_tree_are_left_out(builder: RepositoryBuilder) -> None:
    real = history(builder, F, {b"a.py": F, b"doc": b"text\n"}, {b"a.py": b"def f(x):\n"})
    assert history_similarity(history(builder, F), real) == 1.0
    assert history_similarity(history(builder, {b"a.py": b"", b"doc": b"1\n"}), history(builder, F)) == 0.0
    texts = history(builder, {b"a.py": b"", b"doc": b"1\n"})
    assert history_similarity(texts, texts) is None


def test_a_history_that_would_take_too_long_has_an_upper_bound_and_a_lower_one(
    builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`z = 1` and `z = 2` differ in one leaf of five nodes, as their labels say; but it might be all of them."""
    agent, real = history(builder, F, F + b"z = 2\n"), history(builder, F, F + H)
    exact = (1 + (1 - 2 / 10)) / 2
    assert compare_histories(agent, real) == HistorySimilarity(exact, exact, pairs=4, evaluated=4)
    monkeypatch.setattr(similarity_trees, "MAX_CELLS", 10)
    assert compare_histories(agent, real) == HistorySimilarity(exact, 1 / 2, pairs=4, evaluated=3)
    assert compare_histories(real, real) == HistorySimilarity(1.0, 1.0, pairs=4, evaluated=4)
