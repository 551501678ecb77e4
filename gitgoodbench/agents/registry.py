"""Agents by name: those that are plug-ins, and the reference agents that scenarios bring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel

from gitgoodbench.agents.base import Agent, AgentPlugin, AgentSettings
from gitgoodbench.agents.reference import ReferenceAgent
from gitgoodbench.errors import UserError
from gitgoodbench.plugins import AGENTS, plugins
from gitgoodbench.sandbox.base import Needs
from gitgoodbench.scenario import Policy, Scenario
from gitgoodbench.text import did_you_mean

DEFAULT_AGENT = "openai"

REFERENCE = "reference"
"""As the name of an agent: every reference agent."""


def agent_names(scenarios: Mapping[str, Scenario]) -> list[str]:
    """Every name that `make_agent` takes."""
    return list(dict.fromkeys([*plugins(AGENTS), *sorted(_policies(scenarios))]))


def named_agents(wanted: Iterable[str], scenarios: Mapping[str, Scenario]) -> list[str]:
    """Each agent once; `reference` stands for all reference agents of these scenarios."""
    names: list[str] = []
    for name in wanted:
        names += reference_agents(scenarios) if name == REFERENCE else [name]
    return list(dict.fromkeys(names))


def reference_agents(scenarios: Mapping[str, Scenario]) -> list[str]:
    """The agents that need no model, first those that are no scenario's own."""
    every = [name for name in plugins(AGENTS) if _plugin(name).reference]
    return list(dict.fromkeys([*every, *_policies(scenarios)]))


def asks_model(name: str) -> bool:
    """Whether the agent of that name asks a model that the user chooses."""
    return name in plugins(AGENTS) and _plugin(name).asks_model


def brings_tools(name: str) -> bool:
    """Whether the agent of that name has tools of its own, and is not offered any."""
    return name in plugins(AGENTS) and _plugin(name).own_tools


def api_of(name: str, own: Sequence[BaseModel]) -> str | None:
    """The API that the agent of that name speaks with these options; None: any."""
    return _plugin(name).api_of(own) if name in plugins(AGENTS) else None


def has_options(name: str) -> bool:
    """Whether the agent of that name declares options."""
    return name in plugins(AGENTS) and _plugin(name).options is not None


def needs_of(name: str) -> Needs | None:
    """Whose program runs in the sandboxes of the agent of that name, and in which image; None: it has none."""
    return _plugin(name).needs() if name in plugins(AGENTS) else None


def agents_with_tools() -> list[str]:
    """The agents that have tools of their own."""
    return [name for name in plugins(AGENTS) if brings_tools(name)]


def scenarios_of(name: str, scenarios: Mapping[str, Scenario]) -> list[str]:
    """The names of those scenarios that the agent plays."""
    if name in plugins(AGENTS):
        return [key for key in scenarios if _plugin(name).plays(key)]
    return [key for key, scenario in scenarios.items() if name in scenario.reference_agents()]


def make_agent(name: str, scenarios: Mapping[str, Scenario], settings: AgentSettings) -> Agent:
    """The agent of that name. Where a run spans several scenarios, take `agent.for_scenario(...)` for each.

    Raises:
        UserError: an unknown name, or what the agent itself refuses.
    """
    if name in plugins(AGENTS):
        return _plugin(name).make(settings)
    policies: dict[str, Policy] = {
        key: scenarios[key].reference_agents()[name] for key in scenarios_of(name, scenarios)
    }
    if not policies:
        raise UserError(unknown_agent(name, scenarios))
    return ReferenceAgent(name, policies)


def unknown_agent(name: str, scenarios: Mapping[str, Scenario]) -> str:
    """What is said of a name that no agent has."""
    known = agent_names(scenarios)
    meant = did_you_mean(name, [*known, REFERENCE])
    return f"--agent {name}: there is no agent {name!r}; {meant}the agents are: {', '.join(known)}"


def _plugin(name: str) -> AgentPlugin:
    found: AgentPlugin = plugins(AGENTS)[name].object
    return found


def _policies(scenarios: Mapping[str, Scenario]) -> Sequence[str]:
    return list(dict.fromkeys(name for scenario in scenarios.values() for name in scenario.reference_agents()))
