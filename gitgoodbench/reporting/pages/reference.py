"""What reference agents are to a plot: rules that know nothing of the truth, and those that know it."""

from __future__ import annotations

from collections.abc import Mapping

from gitgoodbench.agents.registry import reference_agents
from gitgoodbench.errors import UserError
from gitgoodbench.scenario import Scenario, load_scenarios, reference_kinds, sizes_of

RULE = "rule"
NOTHING = "nothing"
"""What a reference agent is that no scenario brings: it does nothing."""


def kinds_of(agent: str, scenarios: Mapping[str, Scenario]) -> dict[str, str]:
    """By scenario, what a reference agent is there: `rule`, `nothing`, or what the scenario's contract calls it."""
    kinds = {}
    for name, scenario in scenarios.items():
        if agent in scenario.reference_agents():
            kinds[name] = reference_kinds(scenario).get(agent, RULE)
        elif agent in reference_agents({}):
            kinds[name] = NOTHING
    return kinds


def installed_scenarios(names: set[str]) -> dict[str, Scenario]:
    """Those of the scenarios that are installed here and can be loaded."""
    every = load_scenarios()
    found = {}
    for name in sorted(names & set(every)):
        try:
            found[name] = every[name]
        except UserError:
            continue
    return found


def sizes(scenarios: Mapping[str, Scenario]) -> dict[str, str]:
    """Facts that say how much there is to do, and the words for them."""
    return {fact: word for scenario in scenarios.values() for fact, word in sizes_of(scenario).items()}
