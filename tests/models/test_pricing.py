from __future__ import annotations

import pytest

from gitgoodbench.models.pricing import Price, list_price


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("gpt-4o", Price(2.50, 1.25, 10.00)),
        ("gpt-4o-2024-08-06", Price(2.50, 1.25, 10.00)),
        ("gpt-4o-2024-05-13", Price(5.00, 5.00, 15.00)),
        ("gpt-4o-mini", Price(0.15, 0.075, 0.60)),
        ("gpt-4o-mini-2024-07-18", Price(0.15, 0.075, 0.60)),
        ("gpt-4.1", Price(2.00, 0.50, 8.00)),
        ("gpt-4.1-mini-2025-04-14", Price(0.40, 0.10, 1.60)),
        ("gpt-4.1-nano", Price(0.10, 0.025, 0.40)),
        ("o3", Price(2.00, 0.50, 8.00)),
        ("o4-mini-2025-04-16", Price(1.10, 0.275, 4.40)),
    ],
)
def test_list_prices(model: str, price: Price) -> None:
    assert list_price(model) == price


@pytest.mark.parametrize(
    "model", ["", "gpt-5", "gpt-4o-audio-preview-2024-12-17", "ft:gpt-4o:acme", "GPT-4O", "gpt-4o-"]
)
def test_other_models_have_no_price(model: str) -> None:
    assert list_price(model) is None


def test_cached_tokens_are_a_part_of_the_prompt() -> None:
    price = Price(input=2.50, cached_input=1.25, output=10.00)
    assert price.cost(1_000_000, 0, 0) == pytest.approx(2.50)
    assert price.cost(1_000_000, 400_000, 100_000) == pytest.approx(0.6 * 2.50 + 0.4 * 1.25 + 1.00)
    assert price.cost(10, 999, 0) == pytest.approx(12.5e-6)
    assert price.cost(0, 0, 0) == 0.0
