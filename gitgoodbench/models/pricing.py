"""What tokens cost: list prices from data/prices.json. The cost of a model that is not listed is unknown, not 0."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_SNAPSHOT_DATE = re.compile(r"-\d{4}-\d{2}-\d{2}$")
_PER_MILLION = 1e-6


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    input: float
    cached_input: float
    output: float

    def cost(self, prompt_tokens: int, cached_tokens: int, completion_tokens: int) -> float:
        """Dollars for one answer; the cached tokens are a part of the prompt tokens."""
        cached = min(cached_tokens, prompt_tokens)
        dollars = (prompt_tokens - cached) * self.input + cached * self.cached_input + completion_tokens * self.output
        return dollars * _PER_MILLION


def list_price(model: str) -> Price | None:
    """The list price of a model; a dated snapshot without an entry of its own costs what its family costs."""
    prices = _prices()
    return prices.get(model) or prices.get(_SNAPSHOT_DATE.sub("", model))


@cache
def _prices() -> dict[str, Price]:
    data = json.loads(files("gitgoodbench.data").joinpath("prices.json").read_bytes())
    return {model: Price(**entry) for model, entry in data["models"].items()}
