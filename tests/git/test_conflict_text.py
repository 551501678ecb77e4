"""Cutting conflicted text, placing resolutions byte-exactly, and finding them again in the final file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.git.conflict_text import (
    Region,
    Stretch,
    aligned_resolutions,
    expressible,
    locate,
    marker_size,
    place,
    regions,
    resolutions,
    split_conflicts,
    split_lines,
)
from gitgoodbench.git.leftovers import without_unresolved

OPEN, MIDDLE, CLOSE = b"<<<<<<< HEAD\n", b"=======\n", b">>>>>>> incoming\n"


def region(local: bytes, incoming: bytes) -> Region:
    return Region(local, incoming, OPEN, MIDDLE, CLOSE)


def test_lines_end_at_lf_and_nowhere_else() -> None:
    content = b"a\x0cb\rc\x1cd\xe2\x80\xa8e\x85\n\nlast"
    assert split_lines(content) == [b"a\x0cb\rc\x1cd\xe2\x80\xa8e\x85\n", b"\n", b"last"]


def test_clean_text_and_regions_alternate_even_where_regions_touch() -> None:
    block = OPEN + b"1\n" + MIDDLE + b"2\n" + CLOSE
    assert split_conflicts(block + block + b"end\n", 7) == [
        b"", region(b"1\n", b"2\n"), b"", region(b"1\n", b"2\n"), b"end\n",
    ]  # fmt: skip


def test_marker_like_lines_of_another_length_are_content() -> None:
    heading = b"Title\n=======\n<<<<<<< not a marker\n"
    size = marker_size([heading])
    assert size == 8
    text = heading + b"<<<<<<<< HEAD\na\n=======\n========\nb\n>>>>>>>> incoming\n"
    clean, found, _ = split_conflicts(text, size)
    assert clean == heading
    assert isinstance(found, Region)
    assert (found.local, found.incoming) == (b"a\n=======\n", b"b\n")


def test_marker_in_the_middle_of_a_line_is_content() -> None:
    assert split_conflicts(b"x <<<<<<< HEAD\n", 7) == [b"x <<<<<<< HEAD\n"]


def test_unclosed_region_is_refused() -> None:
    with pytest.raises(ValueError, match="not closed"):
        split_conflicts(OPEN + b"a\n", 7)


def test_missing_final_newline_is_recovered_from_the_side_that_lacks_it() -> None:
    text = b"top\n" + OPEN + b"ours\n" + MIDDLE + b"theirs\n" + CLOSE
    segments = split_conflicts(text, 7, b"top\nours", b"top\ntheirs\n")
    (found,) = regions(segments)
    assert (found.local, found.incoming) == (b"ours", b"theirs\n")
    assert found.text == text.removeprefix(b"top\n")


def test_missing_final_newline_in_a_crlf_file() -> None:
    text = b"<<<<<<< HEAD\r\nours\r\n=======\r\ntheirs\r\n>>>>>>> incoming\r\n"
    (found,) = regions(split_conflicts(text, 7, b"ours", b"theirs\r\n"))
    assert (found.local, found.incoming) == (b"ours", b"theirs\r\n")


@pytest.mark.parametrize(
    ("content", "local", "incoming", "at_end", "placed"),
    [
        pytest.param(b"new", b"a\n", b"b\n", False, b"new\n", id="a last line gets its newline"),
        pytest.param(b"new", b"a\n", b"b\n", True, b"new\n", id="at the end of the file too, where the sides have one"),
        pytest.param(b"new", b"a", b"b\n", True, b"new", id="but not where a side has none"),
        pytest.param(b"new\n", b"a", b"b\n", True, b"new\n", id="unless it is written"),
        pytest.param(b"new\n", b"a\r\n", b"b\r\n", False, b"new\r\n", id="CRLF on both sides"),
        pytest.param(b"new", b"a\r\n", b"b\r\n", False, b"new\r\n", id="CRLF on both sides, no newline written"),
        pytest.param(
            b"a\nb\nnew\n", b"a\r\n", b"b\n", False, b"a\r\nb\nnew\n", id="each line as in the side that has it"
        ),
        pytest.param(b"x\r\ny\n", b"a\n", b"b\n", False, b"x\r\ny\n", id="written with CR: as written"),
        pytest.param(b"", b"a\n", b"b\n", False, b"", id="nothing"),
        pytest.param(b" \tx \n", b"a\n", b"b\n", False, b" \tx \n", id="blanks stay"),
        pytest.param(b"\xff\x0c\n", b"a\n", b"b\n", False, b"\xff\x0c\n", id="any bytes"),
    ],
)
def test_placing(content: bytes, local: bytes, incoming: bytes, at_end: bool, placed: bytes) -> None:
    assert place(content, region(local, incoming), at_end=at_end) == placed


lines = st.lists(st.sampled_from([b"a", b"b", b"", b"\tx ", b"\x0c"]), max_size=4)
ends = st.sampled_from([b"\n", b"\r\n"])


@st.composite
def sides(draw: st.DrawFn) -> bytes:
    return b"".join(line + draw(ends) for line in draw(lines))


@given(sides(), sides(), st.booleans(), st.booleans())
def test_either_side_can_always_be_placed(local: bytes, incoming: bytes, cut: bool, at_end: bool) -> None:
    if cut and at_end:
        local = local.removesuffix(b"\n").removesuffix(b"\r")
    for side in (local, incoming):
        assert expressible(side, region(local, incoming), at_end=at_end)


clean_text = st.lists(st.sampled_from([b"k\n", b"l\n", b"a\n"]), max_size=3).map(b"".join)


@st.composite
def segmented(draw: st.DrawFn) -> tuple[list[bytes | Region], list[bytes]]:
    segments: list[bytes | Region] = [draw(clean_text)]
    answers = []
    for _ in range(draw(st.integers(1, 3))):
        segments += [region(b"1\n", b"2\n"), draw(clean_text)]
        answers.append(draw(st.lists(st.sampled_from([b"a\n", b"k\n", b"z\n"]), max_size=3).map(b"".join)))
    return segments, answers


def fill(segments: list[bytes | Region], answers: list[bytes]) -> bytes:
    left = iter(answers)
    return b"".join(next(left) if isinstance(segment, Region) else segment for segment in segments)


@given(segmented())
def test_resolutions_found_in_a_file_make_that_file(case: tuple[list[bytes | Region], list[bytes]]) -> None:
    segments, answers = case
    final = fill(segments, answers)
    found = resolutions(segments, final)
    assert found is not None
    assert fill(segments, found) == final


@given(segmented())
def test_a_change_outside_the_regions_is_seen(case: tuple[list[bytes | Region], list[bytes]]) -> None:
    segments, answers = case
    segments = [b"unique\n", *segments[1:]]
    assert resolutions(segments, b"changed\n" + fill(segments[1:], answers)) is None


def test_resolutions_are_whole_lines() -> None:
    assert resolutions([b"", region(b"", b""), b"b\n"], b"ab\n") is None


def test_without_an_exact_match_lines_between_the_nearest_survivors_count() -> None:
    segments: list[bytes | Region] = [b"import a\nhead\n", region(b"1\n", b"2\n"), b"tail\nend\n"]
    assert aligned_resolutions(segments, b"import b\nhead\n3\ntail\nend\n") == [b"3\n"]
    assert aligned_resolutions(segments, b"import b\nhead\n3\nrewritten\nend\n") == [b"3\nrewritten\n"]


def test_where_a_region_was_found_says_whether_its_neighbours_are_still_there() -> None:
    segments: list[bytes | Region] = [b"head\n", region(b"1\n", b"2\n"), b"middle\n", region(b"", b"4\n"), b"end\n"]
    assert locate(segments, b"head\n3\nmiddle\nend\n") == [Stretch(5, 7, True), Stretch(14, 14, True)]
    assert locate(segments, b"new\nhead\n3\nmiddle\nend\n") == [Stretch(9, 11, True), Stretch(18, 18, True)]
    assert locate(segments, b"new\n3\nmiddle\nend\n") == [Stretch(0, 6, False), Stretch(13, 13, True)]
    assert locate(segments, b"head\n3\nnew\nend\n") == [Stretch(5, 11, False), Stretch(5, 11, False)]


def test_a_region_is_found_where_line_ends_were_changed() -> None:
    segments: list[bytes | Region] = [b"head\n", region(b"1\n", b"2\n"), b"end\n"]
    assert locate(segments, b"head\r\n3\r\nend\r\n") == [Stretch(6, 9, True)]


@pytest.mark.parametrize(
    ("content", "left"),
    [
        pytest.param(OPEN + b"1\n" + MIDDLE + b"2\n" + CLOSE + b"end\n", b"end", id="open as Git left it"),
        pytest.param(b"a\n" + OPEN + b"1\n" + MIDDLE + b"changed\n" + CLOSE, b"a", id="changed inside"),
        pytest.param(b"<<<<<<< other\n1\n||||||| base\n2\n=======\n>>>>>>> name\n3", b"3", id="other labels"),
        pytest.param(b"1\n" + MIDDLE + b"2\n" + CLOSE, b"1 2", id="a closing marker alone"),
        pytest.param(OPEN + b"1\n" + MIDDLE + b"2\n", b"1 2", id="an opening marker alone"),
        pytest.param(OPEN + b"0\n" + OPEN + b"1\n" + CLOSE + b"2\n", b"0 2", id="two opening markers"),
        pytest.param(
            b"<<<<<<<x\n<<<<<<<< y\n ======= \n=======\t\n========\n",
            b"<<<<<<<x <<<<<<<< y ======= ======= ========",
            id="none",
        ),
        pytest.param(b"kept\n>>>>>>> kept\n", b"kept >>>>>>> kept", id="a line of the truth"),
    ],
)
def test_conflicts_that_are_still_open_are_blanked(content: bytes, left: bytes) -> None:
    for end in (b"\n", b"\r\n"):
        given = content.replace(b"\n", end)
        blanked, places = without_unresolved(given, [region(b"", b"")], b">>>>>>> kept\n")
        assert b" ".join(blanked.split()) == left
        assert len(blanked) == len(given)
        assert blanked.count(end) == given.count(end)
        assert all(given[place] in b"<=>" and blanked[place] == 0x20 for place in places)
        assert bool(places) == (blanked != given)
        assert without_unresolved(given, [], b"") == (given, [])


def test_where_conflicts_are_still_open() -> None:
    content = b"a\n" + OPEN + MIDDLE + CLOSE + b"b\n" + CLOSE + OPEN
    places = [2, 2 + len(OPEN + MIDDLE + CLOSE) + 2, len(content) - len(OPEN)]
    assert without_unresolved(content, [region(b"", b"")], b"")[1] == places


def test_a_region_at_the_end_keeps_the_final_newlines_of_sides_that_have_one() -> None:
    text = b"a\nb\n" + OPEN + b"1\n2\n" + MIDDLE + b"3\n4\n" + CLOSE
    both = [b"a\nb\n", region(b"1\n2\n", b"3\n4\n"), b""]
    assert split_conflicts(text, 7) == both
    assert split_conflicts(text, 7, b"1\n2\n", b"3\n4") == [b"a\nb\n", region(b"1\n2\n", b"3\n4"), b""]
    assert split_conflicts(b"", 7) == [b""]


def test_blank_lines_at_the_end_of_a_file_are_lines_of_their_sides() -> None:
    text = b"a\n" + OPEN + b"\r\n" + MIDDLE + b"\r\n" + CLOSE
    blank = [b"a\n", region(b"\r\n", b"\r\n"), b""]
    assert split_conflicts(text, 7) == blank
    assert split_conflicts(text, 7, b"a\r\n\r\n", b"a\r\n\r\n") == blank


def test_a_side_that_is_not_at_the_end_of_its_file_stays_as_it_is() -> None:
    text = OPEN + b"1\n" + MIDDLE + b"2\n" + CLOSE
    assert split_conflicts(text, 7, b"other", b"2") == [b"", region(b"1\n", b"2"), b""]


def test_all_lines_after_the_last_region_are_clean() -> None:
    text = b"a\nb\n" + OPEN + MIDDLE + CLOSE + b"c\nd\n"
    assert split_conflicts(text, 7) == [b"a\nb\n", region(b"", b""), b"c\nd\n"]


SOME = region(b"", b"")


@pytest.mark.parametrize(
    ("segments", "final", "found"),
    [
        pytest.param([b"a\n"], b"a\n", [], id="no region"),
        pytest.param([b"a\n"], b"b\n", None, id="no region, another text"),
        pytest.param([b"a\n", SOME, b""], b"a\nx", [b"x"], id="no newline at the end"),
        pytest.param([b"a\n", SOME, b"m\n", SOME, b""], b"a\n1\nm\n2", [b"1\n", b"2"], id="nor after two"),
        pytest.param([b"a\n", SOME, b"m\n", SOME, b"m\n"], b"a\n1\nm\n", None, id="one line for two"),
        pytest.param([b"a\n", SOME, b"\n", SOME, b"z\n"], b"a\nx\n\nz\n", [b"x\n", b""], id="the end of a line first"),
    ],
)
def test_what_stands_for_regions(segments: list[bytes | Region], final: bytes, found: list[bytes] | None) -> None:
    assert resolutions(segments, final) == found


def test_of_several_places_the_leftmost_counts() -> None:
    segments: list[bytes | Region] = [b"a\n", SOME, b"m\n", SOME, b"z\n"]
    assert locate(segments, b"a\nq\nm\nm\nz\n") == [Stretch(2, 4, True), Stretch(6, 8, True)]


@pytest.mark.parametrize("clean", [b"a \n", b"aX\n", b"\ta\n"])
def test_a_line_with_other_blanks_is_another_line(clean: bytes) -> None:
    assert locate([clean, SOME, b"end\n"], b"a\n1\nend\n") == [Stretch(0, 4, False)]


def test_a_region_that_is_not_closed_is_named_so() -> None:
    with pytest.raises(ValueError, match=r"^a conflict region is not closed$"):
        split_conflicts(OPEN + b"1\n", 7)


def test_text_without_marker_like_lines_has_gits_own_marker_size() -> None:
    assert marker_size([b"a\n", b""]) == 7
    assert marker_size([]) == 7


@pytest.mark.parametrize(
    ("content", "local", "incoming", "placed"),
    [
        (b"a\r\nb", b"a\n", b"b\n", b"a\r\nb\r\n"),  # written with CR, completed with CR LF
        (b"a\rb", b"a\n", b"b\n", b"a\rb\n"),
        (b"new\n", b"a\r\n", b"b\n", b"new\n"),  # the sides share no ending
        (b"a \nbX\ncd\n", b"a \r\nbX\r\ncd\r\n", b"e\n", b"a \r\nbX\r\ncd\r\n"),  # each line as in its side
    ],
)
def test_endings_of_placed_lines(content: bytes, local: bytes, incoming: bytes, placed: bytes) -> None:
    assert place(content, region(local, incoming), at_end=False) == placed
