"""Which lines change: the rest is the same on both sides, and Git says so."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.feedback.added_lines import LineChange, Lines, changed_lines, count_lines, read_sections, spans_of

TEXTS = st.lists(
    st.sampled_from([b"a", b"b", b"}", b"", b"  x\r", b"\xff", b"+", b"-- x", b"@@ -1 +1 @@"]), max_size=12
)
CONTENTS = st.builds(lambda lines, end: b"\n".join(lines) + end, TEXTS, st.sampled_from([b"", b"\n"]))


def without(content: bytes, runs: tuple[Lines, ...]) -> bytes:
    kept, done = b"", 0
    for start, end in spans_of(content, runs):
        kept, done = kept + content[done:start], end
    return kept + content[done:]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.none() | CONTENTS, CONTENTS), max_size=6))
def test_without_what_changes_both_texts_are_the_same(pairs: list[tuple[bytes | None, bytes]]) -> None:
    for (before, after), change in zip(pairs, changed_lines(pairs), strict=True):
        assert without(before or b"", change.removed) == without(after, change.added)
        if before == after:
            assert change == LineChange()


def test_no_line_is_added_that_could_have_stayed() -> None:
    before, after = b"one\ntwo\nthree\n", b"zero\none\nTWO\nthree\nfour"
    assert changed_lines([(before, after)]) == [LineChange(((1, 2),), ((0, 1), (2, 3), (4, 5)))]


def test_a_line_that_only_gets_its_end_is_another_line() -> None:
    assert changed_lines([(b"a\nb", b"a\nb\n")]) == [LineChange(((1, 2),), ((1, 2),))]


def test_binary_content_has_no_lines() -> None:
    assert changed_lines([(None, b"a\0\n"), (b"\0", b"a\n")]) == [LineChange(), LineChange()]


def test_lines_end_with_lf_only() -> None:
    assert count_lines(b"a\rb\x0cc\x1c\n\nd") == 3
    assert spans_of(b"a\n\nbc", [(0, 2), (2, 3)]) == ((0, 3), (3, 5))


def test_a_diff_that_is_cut_short_is_refused() -> None:
    with pytest.raises(GitGoodBenchError, match="ends within a hunk"):
        list(read_sections(b"diff --git a/x b/x\nindex 1..2\n@@ -1 +1 @@\n-a"))
