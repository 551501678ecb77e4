"""What the user chooses for a model, checked, as settings of a `ChatModel`."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from gitgoodbench.errors import UserError
from gitgoodbench.models.connections import connections_to
from gitgoodbench.models.parameters import Parameters, read_model_args
from gitgoodbench.models.pricing import Price, list_price, provider_at

OPENAI_HOST = "api.openai.com"
HIDDEN = "***"
"""Stands for the value of a header that is not kept."""

_GEMINI_HOST = "generativelanguage.googleapis.com"
_OWNERS = {"chat": OPENAI_HOST, "responses": OPENAI_HOST, "anthropic": "api.anthropic.com", "google": _GEMINI_HOST}
_SERVERS = {"anthropic": "ANTHROPIC_BASE_URL", "google": "GOOGLE_GEMINI_BASE_URL"}
"""Variables that name a server, but OPENAI_BASE_URL."""

_NO_KEY = "none"
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", re.ASCII)


@dataclass(frozen=True)
class ModelFlags:
    """What the user calls the settings of a model, for error messages: agents and judges ask models by the same code.

    keys: environment variables that may hold the API key, the first one that is set counts.
    without: how to do without this model.
    """

    model: str = "--model"
    base_url: str = "--base-url"
    prices: str = "--price-input and --price-output"
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

    api: chat, responses or anthropic; of programs behind the bridge, google too.
    base_url: of a server; None is what OPENAI_BASE_URL (ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL) says, else that of
        the API's owner.
    temperature, top_p, seed, max_output_tokens, reasoning_effort: None leaves it to the server.
    model_args: further fields of requests, `key=value` each. headers: of requests, `Name: value` each.
    price_input, price_output: US dollars per million tokens, both or neither: then the server's list price, or unknown.
    request_timeout_s: seconds for one request.
    max_connections: requests at once; None: as many as there are episodes.
    """

    model: str = "gpt-4o"
    api: str = "chat"
    base_url: str | None = None
    temperature: float | None = 0.0
    top_p: float | None = None
    seed: int | None = None
    max_output_tokens: int | None = None
    reasoning_effort: str | None = None
    schema: Mapping[str, Any] | None = None
    model_args: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    price_input: float | None = None
    price_output: float | None = None
    request_timeout_s: float = 300.0
    max_connections: int | None = None


def chat_settings(options: ModelOptions, flags: ModelFlags = MODEL_FLAGS) -> dict[str, Any]:
    """The settings of a `ChatModel`, but its name.

    Raises:
        UserError: a missing or unusable API key, a base URL, a name, a header or a field that is none, half a price.
    """
    _check_numbers(options)
    _check_model(options.model, flags)
    base_url = server_of(options.base_url, options.api)
    flags = _flags_for(options.api, base_url, flags)
    return {
        "api": options.api,
        "api_key": _api_key(flags, needed=_is_openai(base_url) or _is_gemini(base_url)),
        "base_url": base_url,
        "parameters": Parameters(
            options.temperature,
            options.top_p,
            options.seed,
            options.max_output_tokens,
            options.reasoning_effort,
            options.schema,
            read_model_args(options.model_args),
        ),
        "headers": read_headers(options.headers),
        "price": price_of(options, flags),
        "request_timeout_s": options.request_timeout_s,
        "connections": connections_to(base_url or options.api, options.max_connections),
        "flags": flags,
    }


def server_of(base_url: str | None, api: str = "chat") -> str | None:
    """The base URL that counts: the one given, else that of the API's variable; None is that of the API's owner."""
    return base_url or os.environ.get(_SERVERS.get(api, "OPENAI_BASE_URL")) or None


def price_of(options: ModelOptions, flags: ModelFlags = MODEL_FLAGS) -> Price | None:
    """The price that the user gave, or the list price at the model's server; None is unknown.

    Raises:
        UserError: half a price.
    """
    given = (options.price_input, options.price_output)
    if given[0] is not None and given[1] is not None:
        # Anthropic sells reading the cache at a tenth of the input's price, and writing to it at a quarter more.
        read, written = (0.1, 1.25) if options.api == "anthropic" else (1.0, 1.0)
        return Price(given[0], read * given[0], given[1], written * given[0])
    if given != (None, None):
        raise UserError(f"{flags.prices} go together: give both, in US dollars per million tokens")
    base_url = server_of(options.base_url, options.api)
    host = _OWNERS[options.api] if base_url is None else _host_of(base_url)
    return list_price(options.model, provider_at(host))


def read_headers(headers: Sequence[str]) -> dict[str, str]:
    """`Name: value` each.

    Raises:
        UserError: one is none, or its value was left out of what is on record.
    """
    read = {}
    for header in headers:
        name, colon, value = header.partition(":")
        value = value.strip()
        if not colon or not _HEADER_NAME.fullmatch(name) or not value.isprintable() or not value.isascii():
            raise UserError(f"--header {name.strip()!r}: write it as 'Name: value'")
        if value == HIDDEN:
            raise UserError(f"--header {name}: its value is not kept with the run: give it again")
        read[name] = value
    return read


def _is_openai(base_url: str | None) -> bool:
    return base_url is None or _host_of(base_url) == OPENAI_HOST


def _is_gemini(base_url: str | None) -> bool:
    return base_url is not None and _host_of(base_url) == _GEMINI_HOST


def _flags_for(api: str, base_url: str | None, flags: ModelFlags) -> ModelFlags:
    """The flags with the variables in which a key for this server lies."""
    keys = flags.keys
    if api == "anthropic":
        keys = tuple("ANTHROPIC_API_KEY" if key == "OPENAI_API_KEY" else key for key in keys)
    elif api == "google" or _is_gemini(base_url):
        keys = (*(key for key in keys if key != "OPENAI_API_KEY"), "GEMINI_API_KEY")
    return replace(flags, keys=keys)


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
