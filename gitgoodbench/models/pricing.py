"""What tokens cost: list prices from data/prices.json. The cost of a model that is not listed is unknown, not 0.

The table is cut from the one that litellm maintains (bench/prices.py): its date and licence are in the file.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

OPENAI: Final = "openai"
PROVIDERS: Final[Mapping[str, str]] = {
    "api.openai.com": OPENAI,
    "api.anthropic.com": "anthropic",
    "generativelanguage.googleapis.com": "gemini",
    "api.mistral.ai": "mistral",
    "api.deepseek.com": "deepseek",
    "api.x.ai": "xai",
    "api.groq.com": "groq",
    "api.together.xyz": "together_ai",
    "api.together.ai": "together_ai",
    "api.fireworks.ai": "fireworks_ai",
    "api.cerebras.ai": "cerebras",
    "api.moonshot.ai": "moonshot",
    "api.deepinfra.com": "deepinfra",
}
"""Host of a server -> whose list prices hold there, as data/prices.json names it."""

_ALIKE: Final = 0.8
"""How alike names must be, from 0 to 1, before one is taken for the other misspelt: a private server has any name."""

_SNAPSHOT_DATE = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|20\d{6})$")
_PER_MILLION = 1e-6


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens.

    cached_input: of tokens read from the provider's cache. written_input, written_input_1h: of tokens written to it,
    to be kept for minutes or for an hour. reasoning: of the model's thinking. Where one is None, they cost what other
    tokens of that side do. batch: through the provider's batch service; None where it has none, or no price.
    longer: of the whole request, where its prompt has more than `above` tokens.
    """

    input: float
    cached_input: float | None
    output: float
    written_input: float | None = None
    written_input_1h: float | None = None
    reasoning: float | None = None
    batch: Price | None = None
    above: int = 0
    longer: Price | None = None

    def cost(
        self,
        prompt_tokens: int,
        cached_tokens: int,
        completion_tokens: int,
        written_tokens: int = 0,
        *,
        written_1h_tokens: int = 0,
        reasoning_tokens: int = 0,
        batch: bool = False,
    ) -> float:
        """Dollars for one answer.

        The cached and the written tokens are parts of the prompt tokens, the reasoning tokens of the completion tokens.
        Whatever a server claims, a part is not more than the whole.

        Raises:
            ValueError: `batch`, and there is no price for that.
        """
        if batch:
            if self.batch is None:
                raise ValueError("there is no price for batches")
            price = self.batch
        else:
            price = self
        if price.longer is not None and prompt_tokens > price.above:
            price = price.longer
        prompt = _Parts(prompt_tokens)
        dollars = prompt.take(cached_tokens) * _known(price.cached_input, price.input)
        hour = _known(price.written_input_1h, _known(price.written_input, price.input))
        dollars += prompt.take(written_1h_tokens) * hour
        dollars += prompt.take(written_tokens) * _known(price.written_input, price.input)
        dollars += prompt.left * price.input
        completion = _Parts(completion_tokens)
        dollars += completion.take(reasoning_tokens) * _known(price.reasoning, price.output)
        return (dollars + completion.left * price.output) * _PER_MILLION


class _Parts:
    """A number of tokens from which parts are taken."""

    def __init__(self, tokens: int) -> None:
        self.left = tokens

    def take(self, tokens: int) -> int:
        part = min(tokens, self.left)
        self.left -= part
        return part


def _known(price: float | None, otherwise: float) -> float:
    return otherwise if price is None else price


@dataclass(frozen=True)
class PriceTable:
    """The table of data/prices.json: provider -> model -> price."""

    as_of: str
    source: str
    models: Mapping[str, Mapping[str, Price]]


@cache
def price_table() -> PriceTable:
    """The table, read once."""
    data = json.loads(files("gitgoodbench.data").joinpath("prices.json").read_bytes())
    models = {
        provider: {model: _read(entry) for model, entry in entries.items()}
        for provider, entries in data["models"].items()
    }
    return PriceTable(data["as_of"], data["source"], models)


def provider_at(host: str) -> str | None:
    """Whose list prices hold at a server; None where no list does."""
    return PROVIDERS.get(host.lower())


def list_price(model: str, provider: str | None = OPENAI) -> Price | None:
    """The list price of a model; a dated snapshot without an entry of its own costs what its family costs."""
    prices = price_table().models.get(provider or "", {})
    return prices.get(model) or prices.get(_SNAPSHOT_DATE.sub("", model))


def prices_of(model: str) -> dict[tuple[str, str], Price]:
    """The list prices of a model, by provider and the name that it has there.

    `provider/model` asks for one provider's. A name is also found by its last part
    (`gpt-oss-120b`: groq has `openai/gpt-oss-120b`).
    """
    table = price_table().models
    provider, _, name = model.partition("/")
    if (own := list_price(name, provider)) is not None:
        return {(provider, name): own}
    found = {each: (model, price) for each in table if (price := list_price(model, each)) is not None}
    for each, prices in table.items():
        for known, price in prices.items():
            if known.rpartition("/")[2] == model:
                found.setdefault(each, (known, price))
    return {(each, known): price for each, (known, price) in sorted(found.items())}


def listed_names() -> list[str]:
    """Names of models, alone and as `provider/name`."""
    table = price_table().models
    alone = [name for prices in table.values() for name in prices]
    return list(dict.fromkeys([*alone, *(f"{provider}/{name}" for provider in table for name in table[provider])]))


def meant_model(model: str) -> str:
    """`did you mean X? ` where a name is none that is listed, and nearly one that is; else nothing."""
    if prices_of(model):
        return ""
    close = difflib.get_close_matches(model, listed_names(), 1, _ALIKE)
    return f"did you mean {close[0]}? " if close else ""


def _read(entry: Mapping[str, Any]) -> Price:
    fields = dict(entry)
    batch, longer = fields.pop("batch", None), dict(fields.pop("longer", {}))
    above = longer.pop("above", 0)
    return Price(
        **{"cached_input": None, **fields},
        batch=None if batch is None else _read(batch),
        above=above,
        longer=_read(longer) if longer else None,
    )
