"""What the user chooses for a model, checked, as settings of a `ChatModel`."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from gitgoodbench.errors import UserError
from gitgoodbench.models.pricing import Price, list_price

OPENAI_HOST = "api.openai.com"
_NO_KEY = "none"


@dataclass(frozen=True)
class ModelFlags:
    """What the user calls the settings of a model, for error messages: agents and judges ask models by the same code.

    keys: environment variables that may hold the API key, the first one that is set counts.
    without: how to do without this model.
    """

    model: str = "--model"
    base_url: str = "--base-url"
    keys: tuple[str, ...] = ("OPENAI_API_KEY",)
    without: str = "try an agent that needs no key (--agent noop)"

    @property
    def key(self) -> str:
        """The variables as messages name them."""
        return " or ".join(self.keys)


MODEL_FLAGS = ModelFlags()


@dataclass(frozen=True)
class ModelOptions:
    """What the user chooses for a model; reference agents need nothing of it.

    base_url: of a compatible server; None is what OPENAI_BASE_URL says, else OpenAI's.
    temperature: None leaves it to the server.
    price_input, price_output: US dollars per million tokens, both or neither: then OpenAI's list price, or unknown.
    request_timeout_s: seconds for one request.
    """

    model: str = "gpt-4o"
    base_url: str | None = None
    temperature: float | None = 0.0
    seed: int | None = None
    price_input: float | None = None
    price_output: float | None = None
    request_timeout_s: float = 300.0


def chat_settings(options: ModelOptions, flags: ModelFlags = MODEL_FLAGS) -> dict[str, Any]:
    """The settings of `ChatModel` that all uses of a model share, but its name and the optional parameters.

    Raises:
        UserError: a missing or unusable API key, a base URL or a name that is none, half a price.
    """
    _check_numbers(options)
    _check_model(options.model, flags)
    base_url = server_of(options.base_url)
    host = OPENAI_HOST if base_url is None else _host_of(base_url)
    return {
        "api_key": _api_key(flags, needed=host == OPENAI_HOST),
        "base_url": base_url,
        "price": _price(options, listed=host == OPENAI_HOST),
        "request_timeout_s": options.request_timeout_s,
        "flags": flags,
    }


def server_of(base_url: str | None) -> str | None:
    """The base URL that counts: the one given, else that of OPENAI_BASE_URL; None is OpenAI's."""
    return base_url or os.environ.get("OPENAI_BASE_URL") or None


def key_in(variables: Sequence[str]) -> str:
    """The API key in the first of these environment variables that is set; empty without one."""
    return next((key for name in variables if (key := os.environ.get(name, "").strip())), "")


def _check_numbers(options: ModelOptions) -> None:
    if not options.request_timeout_s > 0:
        raise UserError(f"a request time-out of {options.request_timeout_s:g} s is no time: give more than 0 seconds")
    for price in (options.price_input, options.price_output):
        if price is not None and not 0 <= price < math.inf:
            raise UserError(f"{price:g} is no price: give US dollars per million tokens")


def _check_model(model: str, flags: ModelFlags) -> None:
    if not model or not model.isprintable():
        raise UserError(f"{model!r} is no name of a model: give one with {flags.model}, such as gpt-4o")


def _host_of(base_url: str) -> str:
    try:
        parts = urlsplit(base_url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or not base_url.isprintable():
        raise UserError(f"{base_url!r} is no base URL: it must look like http://localhost:8000/v1")
    if "@" in parts.netloc:
        raise UserError("the base URL holds a user name or password: leave it out and put the key into OPENAI_API_KEY")
    return parts.hostname


def _api_key(flags: ModelFlags, *, needed: bool) -> str:
    key = key_in(flags.keys)
    if not key.isascii() or not key.isprintable():
        raise UserError(f"{flags.key} holds characters that no key has: copy it again")
    if needed and not key:
        raise UserError(
            f"{flags.key} is not set: set it to your key, name a compatible server with {flags.base_url}, "
            f"or {flags.without}"
        )
    return key or _NO_KEY


def _price(options: ModelOptions, *, listed: bool) -> Price | None:
    given = (options.price_input, options.price_output)
    if given[0] is not None and given[1] is not None:
        return Price(input=given[0], cached_input=given[0], output=given[1])
    if given != (None, None):
        raise UserError("--price-input and --price-output go together: give both, in US dollars per million tokens")
    return list_price(options.model) if listed else None
