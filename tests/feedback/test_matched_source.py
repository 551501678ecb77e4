"""The committed source of a snippet reads as it stands there, though its small items are alike everywhere."""

from __future__ import annotations

from gitgoodbench.feedback.records import Part
from tests.feedback.support_scoring import change, changed, edit, only, score

COMMITTED = b"""\
def first(one, two):
    return one, two


class Box:
    def second(self, three):
        return three, self


def third(four) -> int:
    import warnings

    if four == 4:
        warnings.warn(
            "four",
            DeprecationWarning,
            stacklevel=2,
        )
"""


def matched(snippet: bytes) -> bytes:
    result = only(score(change(changed(None, COMMITTED)), edit("e", Part(None, snippet))))
    (piece,) = result.pieces
    assert (result.reward, piece.distance) == (1.0, 0)
    return piece.matched


def test_a_piece_that_ends_in_the_middle_is_one_place() -> None:
    """Its tokens are items of their own; `def`, `:` and `,` stand in other functions before."""
    cut = COMMITTED[COMMITTED.index(b"def third") : COMMITTED.index(b"            stacklevel")]
    assert matched(cut).strip() == cut.strip()


def test_a_whole_file_is_itself() -> None:
    assert matched(COMMITTED).strip() == COMMITTED.strip()
