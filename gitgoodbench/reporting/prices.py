"""The list price of a model for people."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from gitgoodbench.errors import UserError
from gitgoodbench.models.pricing import Price, listed_names, price_table, prices_of

_NAMES = {
    "input": "input",
    "cached_input": "cached input",
    "written_input": "written to the cache",
    "written_input_1h": "written to the cache for an hour",
    "output": "output",
    "reasoning": "reasoning",
}
_MOST_SUGGESTED = 3


def price_lines(model: str) -> Iterator[str]:
    """What a model costs at each provider that lists it, and where the prices come from.

    Raises:
        UserError: nobody lists it.
    """
    found = prices_of(model)
    if not found:
        raise UserError(
            f"no list price of {model!r} is known{_suggestion(model)}: give --price-input and --price-output"
        )
    for (provider, name), price in found.items():
        yield f"{provider} {name}: US dollars per million tokens"
        yield from _lines(price)
    yield f"as of {price_table().as_of}: {price_table().source}"


def _lines(price: Price) -> Iterator[str]:
    yield from _parts(price, "")
    if price.longer is not None:
        yield from _parts(price.longer, f"prompt above {price.above} tokens: ")
    if price.batch is not None:
        yield from _parts(price.batch, "batch: ")


def _parts(price: Price, before: str) -> Iterator[str]:
    for field, words in _NAMES.items():
        dollars = getattr(price, field)
        if dollars is not None:
            yield f"  {before}{words} {dollars:g}"


def _suggestion(model: str) -> str:
    close = difflib.get_close_matches(model, listed_names(), _MOST_SUGGESTED)
    return f" (there are: {', '.join(close)})" if close else ""
