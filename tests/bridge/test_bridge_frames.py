"""Frames and credit: what is sent comes out, however it is cut; what breaks the rules is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.bridge.frames import (
    CHUNK,
    CREDIT,
    DATA,
    END,
    HEAD,
    LISTENING,
    OPEN,
    RESET,
    WINDOW,
    BadFrame,
    Frames,
    Window,
    pack,
)

_NUMBERS = st.integers(0, 2**32 - 1)
_FRAMES = st.one_of(
    st.tuples(st.sampled_from([OPEN, END, RESET]), _NUMBERS, st.just(b"")),
    st.tuples(st.sampled_from([LISTENING, CREDIT]), _NUMBERS, st.binary(min_size=4, max_size=4)),
    st.tuples(st.just(DATA), _NUMBERS, st.binary(min_size=1, max_size=300)),
)


@given(st.lists(_FRAMES, max_size=12), st.lists(st.integers(1, 40), min_size=1, max_size=30))
def test_frames_come_out_as_they_were_sent_however_they_are_cut(
    sent: list[tuple[bytes, int, bytes]], cuts: list[int]
) -> None:
    data = b"".join(pack(*frame) for frame in sent)
    frames, turn = Frames(), 0
    found: list[tuple[bytes, int, bytes]] = []
    while data:
        piece, data = data[: cuts[turn % len(cuts)]], data[cuts[turn % len(cuts)] :]
        found += frames.feed(piece)
        turn += 1

    assert found == sent


@given(st.lists(st.binary(max_size=200), max_size=20))
def test_garbage_is_refused_and_never_piles_up(pieces: list[bytes]) -> None:
    frames = Frames()
    try:
        for piece in pieces:
            for _, _, payload in frames.feed(piece):
                assert len(payload) <= CHUNK
            assert len(frames._arrived) < HEAD.size + CHUNK
    except BadFrame:
        pass


@pytest.mark.parametrize(
    ("kind", "length"),
    [(b"Z", 1), (b"\x00", 0), (DATA, 0), (DATA, CHUNK + 1), (DATA, 2**32 - 1), (END, 1), (CREDIT, 3), (LISTENING, 5)],
)
def test_a_head_that_no_frame_has_is_refused_before_its_payload_comes(kind: bytes, length: int) -> None:
    with pytest.raises(BadFrame, match="no frame"):
        list(Frames().feed(HEAD.pack(kind, 7, length)))


@given(st.lists(st.tuples(st.booleans(), st.integers(-2, WINDOW + 2)), max_size=40))
def test_a_window_allows_exactly_what_was_not_taken_yet(steps: list[tuple[bool, int]]) -> None:
    window, under_way = Window(), 0
    for sends, size in steps:
        allowed = size <= WINDOW - under_way if sends else 0 < size <= under_way
        if sends and size < 0:
            continue
        if allowed:
            (window.take if sends else window.give)(size)
            under_way += size if sends else -size
        else:
            with pytest.raises(BadFrame):
                (window.take if sends else window.give)(size)
        assert window.left == WINDOW - under_way
