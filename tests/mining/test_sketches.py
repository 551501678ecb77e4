"""Sketches of hunks, and which of them are alike, against the definition."""

from __future__ import annotations

from itertools import combinations
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from gitgoodbench.mining.sketches import (
    ALIKE,
    SIZE,
    alike_pairs,
    digest_of,
    dump_sketch,
    load_sketch,
    similarity,
    sketch_of,
    sketches_of,
)


def words(*numbers: int) -> bytes:
    return b" ".join(b"w%d" % number for number in numbers)


def test_a_hunk_of_fewer_than_twenty_tokens_has_no_sketch() -> None:
    assert sketch_of(words(*range(19))) is None
    assert len(sketch_of(words(*range(20))) or ()) == 18
    assert sketches_of([words(*range(30)), words(1), words(*range(30))]) == (dump_sketch(sketch_of(words(*range(30)))),)  # type: ignore[arg-type]


def test_blanks_make_no_difference_and_a_token_changes_three_runs() -> None:
    one, other = sketch_of(words(*range(30))), sketch_of(b"\n\t".join(words(*range(30)).split()))
    assert one == other
    changed = sketch_of(words(*range(10), 99, *range(11, 30)))
    assert one is not None
    assert changed is not None
    assert similarity(one, changed) == 25 / 31


def test_a_digest_is_of_all_hunks_in_order_blanks_aside() -> None:
    assert digest_of([b"a  b", b"c"]) == digest_of([b"a\nb\n", b"c\n"])
    assert len({digest_of(hunks) for hunks in ([b"a b", b"c"], [b"c", b"a b"], [b"a", b"b c"], [b"a b c"])}) == 4
    assert digest_of([b" \n", b""]) is None


@given(st.lists(st.integers(0, 2**32 - 1), unique=True).map(sorted))
def test_a_sketch_is_read_as_it_was_written(numbers: list[int]) -> None:
    assert load_sketch(dump_sketch(tuple(numbers))) == tuple(numbers)


def test_the_similarity_of_large_hunks_is_estimated_to_within_a_few_hundredths() -> None:
    random = Random(7)
    for shared in (500, 2000, 3000):
        one, other = ([*range(shared), *(random.randrange(10**6) + 10**6 for _ in range(500))] for _ in range(2))
        first, second = sketch_of(words(*one)), sketch_of(words(*other))
        assert first is not None
        assert second is not None
        assert len(first) == len(second) == SIZE
        assert abs(similarity(first, second) - shared / (shared + 1000)) < 0.1


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.frozensets(st.integers(0, 15), min_size=1, max_size=10).map(lambda one: tuple(sorted(one))), max_size=12
    )
)
def test_the_pairs_found_through_the_index_are_all_that_are_alike(sets: list[tuple[int, ...]]) -> None:
    expected = {
        (first, second)
        for first, second in combinations(range(len(sets)), 2)
        if len({*sets[first]} & {*sets[second]}) / len({*sets[first]} | {*sets[second]}) >= ALIKE
    }
    assert {(min(pair), max(pair)) for pair in alike_pairs(sets)} == expected


def test_hashes_are_the_same_everywhere() -> None:
    sketch = sketch_of(b"a b c " * 7)
    assert sketch is not None
    assert 0x189B3DDA in sketch
