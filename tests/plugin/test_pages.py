"""Long texts: pages that together are the whole, and parts that share a room."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.errors import ToolError
from gitgoodbench.plugin.pages import LONGEST_PAGE, Part, fit, page
from gitgoodbench.text import RESULT_LIMIT, capped, clean

_NEXT = re.compile(r"\n\[characters \d+ to \d+ of \d+; call again with offset=(\d+) for what follows\]\Z")
_LAST = re.compile(r"\n\[characters \d+ to \d+ of \d+, the end\]\Z")
TEXTS = st.text(st.characters(codec=None), max_size=300)


@given(TEXTS, st.integers(1, 50))
def test_pages_together_are_the_whole_text(text: str, length: int) -> None:
    read, offset = "", 0
    while True:
        shown = page(text, offset, length)
        following = _NEXT.search(shown)
        read += _LAST.sub("", _NEXT.sub("", shown)) if offset or following else shown
        if following is None:
            break
        offset = int(following[1])
    assert read == clean(text)


def test_a_short_text_is_one_page_without_a_last_line() -> None:
    assert page("abc") == "abc"
    assert page("") == ""


@pytest.mark.parametrize(("offset", "length"), [(-1, 5), (3, 5), (9, 5), (0, 0), (0, -2)])
def test_pages_outside_the_text_are_refused(offset: int, length: int) -> None:
    with pytest.raises(ToolError, match=r"^(offset|length) must be"):
        page("abc", offset, length)


@pytest.mark.parametrize("character", ["\U0001f600", "\udce9", "\0"])
def test_the_longest_page_fits_into_one_tool_result(character: str) -> None:
    shown = page(character * 3 * LONGEST_PAGE, 0, 10**9)
    assert capped(clean(shown)) == shown
    assert len(shown.encode()) <= RESULT_LIMIT


@given(st.lists(TEXTS, max_size=8), st.integers(0, 2000))
def test_short_parts_stay_whole_and_long_ones_are_cut_alike(texts: list[str], room: int) -> None:
    shown = fit([Part(text, "tool(x=1)") for text in texts], room)
    cut = [len(clean(text)) for text, left in zip(texts, shown, strict=True) if left != clean(text)]
    whole = [len(clean(text)) for text, left in zip(texts, shown, strict=True) if left == clean(text)]
    assert max(whole, default=0) <= min(cut, default=10**9)
    if sum(len(clean(text)) for text in texts) <= room:
        assert not cut


def test_what_is_left_out_is_named_with_its_size_and_the_call_that_shows_it() -> None:
    short, long = fit([Part("a" * 100, "show(1)"), Part("b" * 5000, "show(2)")], 2000)
    assert short == "a" * 100
    kept = 1900 - 160 - len("show(2)")
    assert long == f"{'b' * kept}\n[... {5000 - kept:,} characters are left out here; show(2) shows them ...]"


def test_many_parts_share_the_room_that_there_is() -> None:
    shown = fit([Part("x" * 9000, f"show({number})") for number in range(10)], 20_000)
    assert sum(map(len, shown)) <= 20_000
    assert len({len(text) for text in shown}) == 1
