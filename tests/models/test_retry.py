from __future__ import annotations

import pytest

from gitgoodbench.models.retry import Backoff, retry_after_s

NOW = 1_445_412_480.0  # Wed, 21 Oct 2015 07:28:00 GMT


def test_full_jitter_draws_between_zero_and_a_doubling_bound() -> None:
    bounds: list[tuple[float, float]] = []

    def draw(low: float, high: float) -> float:
        bounds.append((low, high))
        return high / 2

    backoff = Backoff(first_s=1.0, longest_s=10.0)
    assert [backoff.wait_s(n, None, draw) for n in range(1, 7)] == [0.5, 1.0, 2.0, 4.0, 5.0, 5.0]
    assert bounds == [(0.0, 1.0), (0.0, 2.0), (0.0, 4.0), (0.0, 8.0), (0.0, 10.0), (0.0, 10.0)]


def test_the_default_draw_stays_within_its_bounds() -> None:
    assert all(0.0 <= Backoff().wait_s(3, None) <= 4.0 for _ in range(200))
    assert all(5.0 <= Backoff().wait_s(3, 5.0) <= 6.0 for _ in range(200))


def test_what_the_server_asks_is_a_floor_and_is_capped() -> None:
    assert Backoff().wait_s(1, 20.0, lambda low, _: low) == 20.0
    assert Backoff().wait_s(5, 20.0, lambda _, high: high) == 21.0
    assert Backoff().wait_s(1, 1e9, lambda low, _: low) == 120.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:30 GMT"}, 30.0),
        ({"retry-after": "Wednesday, 21-Oct-15 07:28:30 GMT"}, 30.0),
        ({"retry-after": "Wed Oct 21 07:28:30 2015"}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:30 -0000"}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2015 09:28:30 +0200"}, 30.0),
        ({"retry-after": "Tue, 20 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 99 Oct 2015 99:28:30 GMT"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after-ms": "soon", "retry-after": "2"}, 2.0),
    ],
)
def test_retry_after_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, NOW) == seconds
