"""Which dates of commits are believed."""

from __future__ import annotations

import pytest

from gitgoodbench.git.dates import believable_time, newest_time

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (b"1", 1),
        (b"1600000000", 1_600_000_000),
        (b"1700000000", 1_700_000_000),
        (b"1700086400", 1_700_086_400),
        (b"1700086401", None),
        (b"1600000000000", None),
        (b"253402300800", None),
        (b"18446744073709551617", None),
        (b"9" * 5000, None),
        (b"0", None),
        (b"-1", None),
        (b"", None),
        (b"yesterday", None),
        (b"1600000000.5", None),
        ("١٦".encode(), None),
    ],
)
def test_a_date_is_believed_from_1970_to_tomorrow(text: bytes, seconds: int | None) -> None:
    assert believable_time(text, NOW) == seconds


def test_the_newest_of_dates_is_one_that_is_believed() -> None:
    assert newest_time([b"5", b"1700086401", b"7", b""], NOW) == 7
    assert newest_time([b"1700086401", b"x"], NOW) is None


def test_now_is_this_machine_s_clock_by_default() -> None:
    assert believable_time(b"1600000000") == 1_600_000_000
    assert believable_time(b"253402300799") is None
