"""Agents by name: `openai`, `noop`, and the reference agents that the scenarios bring."""

from __future__ import annotations

from collections.abc import Mapping

from gitgoodbench.agents.base import Agent
from gitgoodbench.agents.reference import NOOP, NoopAgent, ReferenceAgent
from gitgoodbench.errors import UserError
from gitgoodbench.models.options import ModelOptions, chat_settings
from gitgoodbench.scenario import Policy, Scenario

OPENAI = "openai"


def agent_names(scenarios: Mapping[str, Scenario]) -> list[str]:
    """Every name that `make_agent` takes."""
    offered = {name for scenario in scenarios.values() for name in scenario.reference_agents()}
    return [OPENAI, NOOP, *sorted(offered - {OPENAI, NOOP})]


def scenarios_of(name: str, scenarios: Mapping[str, Scenario]) -> list[str]:
    """The names of those scenarios that the agent plays: all, except for a reference agent."""
    every = name in (OPENAI, NOOP)
    return [key for key, scenario in scenarios.items() if every or name in scenario.reference_agents()]


def make_agent(name: str, scenarios: Mapping[str, Scenario], options: ModelOptions) -> Agent:
    """The agent of that name. Where a run spans several scenarios, take `agent.for_scenario(...)` for each.

    Raises:
        UserError: an unknown name, a missing or unusable API key, a base URL that is none, half a price.
    """
    if name == OPENAI:
        return _openai_agent(options)
    if name == NOOP:
        return NoopAgent()
    policies: dict[str, Policy] = {
        key: scenarios[key].reference_agents()[name] for key in scenarios_of(name, scenarios)
    }
    if not policies:
        raise UserError(f"there is no agent {name!r}; the agents are: {', '.join(agent_names(scenarios))}")
    return ReferenceAgent(name, policies)


def _openai_agent(options: ModelOptions) -> Agent:
    from gitgoodbench.agents.openai import OpenAIAgent  # the SDK takes a second to import

    settings = chat_settings(options)
    return OpenAIAgent(options.model, temperature=options.temperature, seed=options.seed, **settings)
