"""Agents by name: `openai`, `noop`, and the reference agents that the scenarios bring."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from gitgoodbench.agents.base import Agent
from gitgoodbench.agents.pricing import Price, list_price
from gitgoodbench.agents.reference import NOOP, NoopAgent, ReferenceAgent
from gitgoodbench.errors import UserError
from gitgoodbench.scenario import Policy, Scenario

OPENAI = "openai"
OPENAI_HOST = "api.openai.com"
_NO_KEY = "none"


@dataclass(frozen=True)
class AgentOptions:
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


def agent_names(scenarios: Mapping[str, Scenario]) -> list[str]:
    """Every name that `make_agent` takes."""
    offered = {name for scenario in scenarios.values() for name in scenario.reference_agents()}
    return [OPENAI, NOOP, *sorted(offered - {OPENAI, NOOP})]


def make_agent(name: str, scenarios: Mapping[str, Scenario], options: AgentOptions) -> Agent:
    """The agent of that name. Where a run spans several scenarios, take `agent.for_scenario(...)` for each.

    Raises:
        UserError: an unknown name, a missing or unusable API key, a base URL that is none, half a price.
    """
    if name == OPENAI:
        return _openai_agent(options)
    if name == NOOP:
        return NoopAgent()
    policies: dict[str, Policy] = {
        key: scenario.reference_agents()[name]
        for key, scenario in scenarios.items()
        if name in scenario.reference_agents()
    }
    if not policies:
        raise UserError(f"there is no agent {name!r}; the agents are: {', '.join(agent_names(scenarios))}")
    return ReferenceAgent(name, policies)


def _openai_agent(options: AgentOptions) -> Agent:
    from gitgoodbench.agents.openai import OpenAIAgent  # the SDK takes a second to import

    _check_numbers(options)
    base_url = options.base_url or os.environ.get("OPENAI_BASE_URL") or None
    host = OPENAI_HOST if base_url is None else _host_of(base_url)
    return OpenAIAgent(
        _checked_model(options.model),
        api_key=_api_key(needed=host == OPENAI_HOST),
        base_url=base_url,
        temperature=options.temperature,
        seed=options.seed,
        price=_price(options, listed=host == OPENAI_HOST),
        request_timeout_s=options.request_timeout_s,
    )


def _check_numbers(options: AgentOptions) -> None:
    if not options.request_timeout_s > 0:
        raise UserError(f"a request time-out of {options.request_timeout_s:g} s is no time: give more than 0 seconds")
    for price in (options.price_input, options.price_output):
        if price is not None and not 0 <= price < math.inf:
            raise UserError(f"{price:g} is no price: give US dollars per million tokens")


def _checked_model(model: str) -> str:
    if not model or not model.isprintable():
        raise UserError(f"{model!r} is no name of a model: give one with --model, such as gpt-4o")
    return model


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


def _api_key(*, needed: bool) -> str:
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    if not key.isascii() or not key.isprintable():
        raise UserError("OPENAI_API_KEY holds characters that no key has: copy it again")
    if needed and not key:
        raise UserError(
            "OPENAI_API_KEY is not set: set it to your key, name a compatible server with --base-url, "
            "or try an agent that needs no key (--agent noop)"
        )
    return key or _NO_KEY


def _price(options: AgentOptions, *, listed: bool) -> Price | None:
    given = (options.price_input, options.price_output)
    if given[0] is not None and given[1] is not None:
        return Price(input=given[0], cached_input=given[0], output=given[1])
    if given != (None, None):
        raise UserError("--price-input and --price-output go together: give both, in US dollars per million tokens")
    return list_price(options.model) if listed else None
