"""Similarity scores by hand: of the conflicts of a merge, and of the commits of a history."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gitgoodbench.git.conflict_text import split_conflicts
from gitgoodbench.git.hunks import Line, Mark, TextChange
from gitgoodbench.scoring import similarity_trees
from gitgoodbench.scoring.history_lines import LineHistory, LineReader
from gitgoodbench.scoring.similarity_history import added_spans, history_similarity
from gitgoodbench.scoring.similarity_merge import MergedFile, merge_similarity
from gitgoodbench.ted import Match, Tree, TreeTooLarge
from gitgoodbench.ted.nodes import MAX_SOURCE_BYTES
from tests.support.repositories import Content, RepositoryBuilder

AUTOMATIC = b"""import os


def f():
<<<<<<< a
    return 1
=======
    return 2
>>>>>>> b


<<<<<<< a
x = 1
=======
y = 1
>>>>>>> b
"""


def merged(first: bytes, second: bytes) -> bytes:
    return b"import os\n\n\ndef f():\n" + first + b"\n\n" + second


TRUTH = merged(b"    return 3\n", b"x = 1\ny = 1\n")


def file(left: bytes | None, truth: bytes | None = TRUTH, automatic: bytes | None = AUTOMATIC) -> MergedFile:
    segments = () if automatic is None else tuple(split_conflicts(automatic, 7))
    return MergedFile(left, truth, segments, left == truth)


def scores(*files: MergedFile, names: str = "a.py b.py c.py") -> tuple[float | None, float | None]:
    found = merge_similarity({name.encode(): one for name, one in zip(names.split(), files, strict=False)})
    return found["ted_similarity"], found["ast_match"]


def test_the_truth_is_like_itself() -> None:
    assert scores(file(TRUTH)) == (1.0, 1.0)
    assert scores(file(TRUTH), file(TRUTH)) == (1.0, 1.0)


def test_each_resolution_is_looked_for_in_the_truth() -> None:
    """return_statement has 3 nodes, of which the number is wrong; `x = 1` has 5 and stands in the truth."""
    assert scores(file(merged(b"    return 1\n", b"x = 1\n"))) == (1 - 1 / 8, 0.0)
    assert scores(file(merged(b"    return 3\n", b"x = 1\n"))) == (1.0, 0.0)
    assert scores(file(merged(b"    return 2\n", b"z = 1\n"))) == (1 - 2 / 8, 0.0)


def test_formatting_does_not_count() -> None:
    assert scores(file(merged(b"    return   3\n", b"x=1\ny  = 1\n\n"))) == (1.0, 1.0)
    assert scores(file(TRUTH.replace(b"\n", b"\r\n"))) == (1.0, 1.0)
    assert scores(file(merged(b"    return 3  # three\n", b"x = 1\ny = 1\n")))[1] == 0.0
    assert scores(file(merged(b"    return 3\n", b"x = (1)\ny = 1\n")))[1] == 0.0


def test_text_in_strings_counts() -> None:
    truth = merged(b"    return 'a\\n'\n", b"")
    assert scores(file(merged(b"    return 'b\\n'\n", b""), truth))[1] == 0.0


def test_nothing_in_place_of_something_is_wrong_with_all_its_nodes() -> None:
    """x = 1 and y = 1 have 5 nodes each; the other conflict has 3."""
    assert scores(file(merged(b"    return 3\n", b""))) == (1 - 10 / 13, 0.0)
    assert scores(file(merged(b"    return 3\n", b"x = 1\n"), merged(b"    return 3\n", b""))) == (1 - 5 / 8, 0.0)
    assert scores(file(merged(b"    return 3\n", b""), merged(b"    return 3\n", b""))) == (1.0, 1.0)


def test_markers_that_were_left_are_no_resolution() -> None:
    similarity, match = scores(file(AUTOMATIC))
    assert similarity is not None
    assert 0 < similarity < 1
    assert match == 0.0


def test_a_file_that_is_gone_is_compared_with_nothing() -> None:
    assert scores(file(None)) == (0.0, 0.0)
    assert scores(file(TRUTH, None)) == (0.0, 0.0)
    assert scores(file(TRUTH), file(None, None)) == (1.0, 1.0)
    assert scores(file(None, None)) == (1.0, 1.0)
    assert scores(file(None, None), names="doc") == (None, None)


def test_in_a_conflict_without_text_the_file_is_the_snippet() -> None:
    assert scores(file(b"x = 1\n", b"x = 2\n", None)) == (1 - 1 / 5, 0.0)
    assert scores(file(None, b"x = 2\n", None)) == (0.0, 0.0)
    assert scores(file(b"x = 2\n", None, None)) == (0.0, 0.0)
    assert scores(file(b"", b"", None)) == (1.0, 1.0)


def test_what_cannot_be_parsed_has_no_score() -> None:
    assert scores(file(TRUTH), names="a.txt") == (None, None)
    assert scores(file(TRUTH), file(b"1", b"2", None), names="a.py doc") == (1.0, None)
    assert scores(file(merged(b"    return 1\n", b"x = 1\n")), file(b"1", b"2", None), names="a.py doc") == (7 / 8, 0.0)
    assert scores(file(TRUTH), file(b"1", b"1", None), names="a.py doc") == (1.0, 1.0)
    assert scores(file(None, b"1", None), names="doc") == (None, None)
    assert scores(file(TRUTH), file(None, b"1", None), names="a.py doc") == (1.0, None)
    assert scores(MergedFile(None, None, (), False, is_read=False)) == (None, None)
    assert scores(MergedFile(None, None, (), True, is_read=False)) == (None, None)
    huge = b"x = 1\n" * (MAX_SOURCE_BYTES // 6 + 1)
    assert scores(file(huge, huge, None)) == (None, None)
    assert scores(file(huge, b"x = 1\n", None)) == (None, None)


def test_what_would_take_too_long_has_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity_trees, "MAX_CELLS", 10)
    assert scores(file(merged(b"    return 1\n", b"x = 1\n"))) == (None, 0.0)


def test_what_would_take_too_much_memory_has_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(needle: Tree, haystack: Tree) -> Match:
        raise TreeTooLarge(f"{len(needle)} and {len(haystack)} nodes")

    monkeypatch.setattr(similarity_trees, "closest_subtree", refuse)
    assert scores(file(merged(b"    return 1\n", b"x = 1\n"))) == (None, 0.0)
    assert scores(file(TRUTH)) == (1.0, 1.0)


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


def test_a_history_that_would_take_too_long_has_no_score(
    builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = history(builder, F, F + G)
    monkeypatch.setattr(similarity_trees, "MAX_CELLS", 10)
    assert history_similarity(real, real) is None
