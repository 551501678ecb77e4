"""The similarity of merges, by hand: what each conflict's resolution has of its truth, and its truth of it."""

from __future__ import annotations

import pytest

from gitgoodbench.git.conflict_text import split_conflicts
from gitgoodbench.scoring import similarity_trees
from gitgoodbench.scoring.similarity_merge import MergedFile, merge_similarity
from gitgoodbench.ted.nodes import MAX_SOURCE_BYTES

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
"""In place of the conflicts it has 13 nodes: 3 of the return statement, and 5 of each assignment."""


def file(agent: bytes | None, truth: bytes | None = TRUTH, automatic: bytes | None = AUTOMATIC) -> MergedFile:
    segments = () if automatic is None else tuple(split_conflicts(automatic, 7))
    return MergedFile(agent, truth, segments, agent == truth)


def scores(*files: MergedFile, names: str = "a.py b.py c.py") -> tuple[float | None, float | None]:
    """Precision and recall."""
    found = merge_similarity({name.encode(): one for name, one in zip(names.split(), files, strict=False)}).scores
    precision, recall = found["ted_precision"], found["ted_recall"]
    if precision is None or recall is None:
        assert found["ted_similarity"] is None
    else:
        harmonic = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        assert found["ted_similarity"] == harmonic
    return precision, recall


def match(*files: MergedFile, names: str = "a.py b.py c.py") -> float | None:
    return merge_similarity({name.encode(): one for name, one in zip(names.split(), files, strict=False)}).scores[
        "ast_match"
    ]


def test_the_truth_is_like_itself() -> None:
    assert scores(file(TRUTH)) == (1.0, 1.0)
    assert scores(file(TRUTH), file(TRUTH)) == (1.0, 1.0)
    assert match(file(TRUTH), file(TRUTH)) == 1.0


def test_each_resolution_is_compared_with_its_own_truth_both_ways() -> None:
    assert scores(file(merged(b"    return 1\n", b"x = 1\n"))) == (7 / 8, 7 / 13)
    assert scores(file(merged(b"    return 3\n", b"x = 1\n"))) == (1.0, 8 / 13)
    assert scores(file(merged(b"    return 2\n", b"z = 1\n"))) == (6 / 8, 6 / 13)
    assert scores(file(merged(b"    return 3\n", b"y = 1\nx = 1\n"))) == (1.0, 1.0)


def test_sides_swapped_swap_precision_and_recall() -> None:
    for other in (merged(b"    return 1\n", b"x = 1\n"), merged(b"", b"y = 2\nimport os\n"), merged(b"", b"")):
        precision, recall = scores(file(other, TRUTH))
        assert scores(file(TRUTH, other)) == (recall, precision)


def test_what_stands_elsewhere_in_the_true_file_is_not_right() -> None:
    precision, recall = scores(file(merged(b"    import os\n", b"import os\n")))
    assert precision is not None
    assert recall is not None
    assert precision < 0.2
    assert recall < 0.1


def test_an_item_of_the_truth_is_found_once() -> None:
    once, thrice = b"x = 1\ny = 1\n", 3 * b"x = 1\ny = 1\n"
    assert scores(file(merged(b"    return 3\n", thrice))) == (13 / 33, 1.0)
    assert scores(file(merged(3 * b"    return 3\n", once))) == (13 / 19, 1.0)
    assert scores(file(merged(b"    return 3\n", 3 * b"x = 1\n"))) == ((3 + 5 + 4) / 18, (3 + 5 + 4) / 13)


def test_the_true_file_pasted_into_each_conflict_is_mostly_wrong() -> None:
    precision, recall = scores(file(merged(TRUTH, TRUTH)))
    assert precision is not None
    assert recall is not None
    assert precision < 0.3
    assert recall > 0.7


def test_nothing_for_something_has_none_of_it_and_something_for_nothing_is_wrong() -> None:
    assert scores(file(merged(b"", b""))) == (0.0, 0.0)
    assert scores(file(merged(b"", b""), merged(b"", b""))) == (1.0, 1.0)
    assert scores(file(TRUTH, merged(b"", b""))) == (0.0, 0.0)
    assert scores(file(merged(b"    return 3\n", b""))) == (1.0, 3 / 13)
    assert scores(file(TRUTH, merged(b"    return 3\n", b""))) == (3 / 13, 1.0)


def test_a_conflict_left_open_has_nothing_of_the_truth() -> None:
    assert scores(file(AUTOMATIC)) == (0.0, 0.0)
    closed = AUTOMATIC.replace(b"<<<<<<< a\nx = 1\n=======\ny = 1\n>>>>>>> b\n", b"x = 1\ny = 1\n")
    assert scores(file(closed)) == (10 / 11, 10 / 13)
    assert scores(file(AUTOMATIC, merged(b"", b""))) == (0.0, 0.0)
    assert scores(file(AUTOMATIC.replace(b"    return 1", b"    return 3"))) == (0.0, 0.0)
    assert scores(file(AUTOMATIC.replace(b"\n", b"\r\n"))) == (0.0, 0.0)
    assert match(file(AUTOMATIC)) == 0.0


def test_a_single_marker_is_one_wrong_node() -> None:
    assert scores(file(merged(b"    return 3\n", b"x = 1\n=======\ny = 1\n"))) == (13 / 14, 1.0)


def test_markers_that_the_truth_has_are_text() -> None:
    assert scores(file(AUTOMATIC, AUTOMATIC)) == (1.0, 1.0)
    precision, recall = scores(file(TRUTH, AUTOMATIC))
    assert precision not in (None, 0.0)
    assert recall not in (None, 0.0)


def test_text_that_is_in_no_node_counts_by_lines() -> None:
    automatic = b'"""Title.\n\n<<<<<<< a\nour line\n=======\ntheir line\n>>>>>>> b\n"""\n'
    truth = b'"""Title.\n\nour line\ntheir line\n"""\n'
    assert scores(file(truth, truth, automatic)) == (1.0, 1.0)
    assert scores(file(b'"""Title.\n\nour line\n"""\n', truth, automatic)) == (1.0, 1 / 2)
    assert scores(file(b'"""Title.\n\n  our line  \nx\n"""\n', truth, automatic)) == (1 / 2, 1 / 2)
    assert scores(file(b'"""Title.\n\n}\n"""\n', truth, automatic)) == (0.0, 0.0)
    assert scores(file(automatic, truth, automatic)) == (0.0, 0.0)


def test_formatting_does_not_count() -> None:
    assert scores(file(merged(b"    return   3\n", b"x=1\ny  = 1\n\n"))) == (1.0, 1.0)
    assert match(file(merged(b"    return   3\n", b"x=1\ny  = 1\n\n"))) == 1.0
    assert scores(file(TRUTH.replace(b"\n", b"\r\n"))) == (1.0, 1.0)
    assert match(file(merged(b"    return 3  # three\n", b"x = 1\ny = 1\n"))) == 0.0
    assert match(file(merged(b"    return 3\n", b"x = (1)\ny = 1\n"))) == 0.0


def test_text_in_strings_counts() -> None:
    truth = merged(b"    return 'a\\n'\n", b"")
    assert match(file(merged(b"    return 'b\\n'\n", b""), truth)) == 0.0


def test_a_file_that_is_gone_has_nothing() -> None:
    assert scores(file(None)) == (0.0, 0.0)
    assert scores(file(TRUTH, None)) == (0.0, 0.0)
    assert scores(file(TRUTH), file(None, None)) == (1.0, 1.0)
    assert scores(file(None, None)) == (1.0, 1.0)
    assert scores(file(None, None), names="doc") == (None, None)
    assert [match(file(None)), match(file(TRUTH, None)), match(file(None, None))] == [0.0, 0.0, 1.0]


def test_in_a_conflict_without_text_whole_files_are_compared() -> None:
    assert scores(file(b"x = 1\n", b"x = 2\n", None)) == (4 / 5, 4 / 5)
    assert scores(file(b"x = 1\n" * 3, b"x = 1\n", None)) == (1 / 3, 1.0)
    assert scores(file(None, b"x = 2\n", None)) == (0.0, 0.0)
    assert scores(file(b"x = 2\n", None, None)) == (0.0, 0.0)
    assert scores(file(b"", b"", None)) == (1.0, 1.0)


def test_files_whose_truth_cannot_be_parsed_have_no_score() -> None:
    right, wrong, other = file(TRUTH), file(merged(b"    return 1\n", b"x = 1\n")), file(b"1", b"2", None)
    huge = b"x = 1\n" * (MAX_SOURCE_BYTES // 6 + 1)
    assert (scores(right, names="a.txt"), match(right, names="a.txt")) == ((None, None), None)
    assert (scores(right, other, names="a.py doc"), match(right, other, names="a.py doc")) == ((1.0, 1.0), None)
    assert (scores(wrong, other, names="a.py doc"), match(wrong, other, names="a.py doc")) == ((7 / 8, 7 / 13), 0.0)
    assert match(right, file(b"1", b"1", None), names="a.py doc") == 1.0
    assert scores(file(None, b"1", None), names="doc") == (None, None)
    assert match(right, file(None, b"1", None), names="a.py doc") is None
    assert scores(MergedFile(None, None, (), same=False, truth_is_read=False)) == (None, None)
    assert scores(MergedFile(None, None, (), same=True, truth_is_read=False)) == (None, None)
    assert (scores(file(huge, huge, None)), match(file(huge, huge, None))) == ((None, None), None)


def test_no_answer_gets_out_of_its_score() -> None:
    """What cannot be parsed, or not be read, has nothing of the truth."""
    huge = b"x = 1\n" * (MAX_SOURCE_BYTES // 6 + 1)
    assert (scores(file(huge, b"x = 1\n", None)), match(file(huge, b"x = 1\n", None))) == ((0.0, 0.0), 0.0)
    unread = MergedFile(None, TRUTH, file(TRUTH).segments, same=False)
    assert (scores(unread), match(unread)) == ((0.0, 0.0), 0.0)


def test_what_would_take_too_long_counts_as_unlike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity_trees, "MAX_CELLS", 10)
    files = {b"a.py": file(merged(b"    return 1\n", b"x = 1\n"))}
    found = merge_similarity(files)
    assert found.scores["ted_precision"] == 5 / 8
    assert found.facts["pairs_not_compared"] == 1
    assert merge_similarity({b"a.py": file(TRUTH)}).scores["ted_similarity"] == 1.0


def located(one: MergedFile) -> object:
    return merge_similarity({b"a.py": one}).facts["conflicts_located"]


def test_how_conflicts_were_located_is_a_fact() -> None:
    assert located(file(TRUTH)) == {
        "agent": {"exactly": 2, "by_stretch": 0}, "truth": {"exactly": 2, "by_stretch": 0},
    }  # fmt: skip
    rewritten = TRUTH.replace(b"def f():\n", b"def g():\n")
    assert located(file(TRUTH, rewritten)) == {
        "agent": {"exactly": 2, "by_stretch": 0}, "truth": {"exactly": 1, "by_stretch": 1},
    }  # fmt: skip


def test_a_truth_that_is_not_where_it_should_be_is_the_least_stretch_around_it() -> None:
    """The true file renames `f`, whose header is then part of what stands for the first conflict."""
    truth = TRUTH.replace(b"def f():\n", b"def g():\n")
    precision, recall = scores(file(TRUTH, truth))
    assert precision == 1.0
    assert recall is not None
    assert 0.4 < recall < 1


def test_conflicts_that_share_a_stretch_of_the_truth_are_compared_as_one() -> None:
    automatic = b"".join(
        b"<<<<<<< a\na%d = 1\n=======\nb%d = 1\n>>>>>>> b\n%s" % (n, n, clean)
        for n, clean in enumerate((b"print(0)\n", b"print(1)\n"))
    )
    truth = b"a0 = 1\nprint('other')\na1 = 1\nprint(1)\n"
    agent = b"a0 = 1\nprint(0)\na1 = 1\nprint(1)\n"
    found = merge_similarity({b"a.py": file(agent, truth, automatic)})
    assert found.facts["conflicts_located"] == {
        "agent": {"exactly": 2, "by_stretch": 0}, "truth": {"exactly": 0, "by_stretch": 2},
    }  # fmt: skip
    assert found.scores["ted_precision"] == 1.0
    assert found.scores["ted_recall"] == 10 / (10 + 10)
