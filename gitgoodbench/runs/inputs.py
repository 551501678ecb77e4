"""What a run plays: its suite, the scenarios that are chosen, and the episodes that are planned.

Whoever only plays needs nothing of what carries a run out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gitgoodbench.agents.registry import agents_with_tools, brings_tools, scenarios_of, unknown_agent
from gitgoodbench.contained.scenario import contained
from gitgoodbench.dataset.loaders import Suite, load_suite
from gitgoodbench.dataset.select import select_samples
from gitgoodbench.errors import UserError
from gitgoodbench.runs.config import RunConfig
from gitgoodbench.runs.plan import PlannedEpisode, plan_episodes
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import Scenario, ToolSet, load_scenarios
from gitgoodbench.text import did_you_mean


@dataclass(frozen=True)
class Inputs:
    """What all runs of one command share: the suite, the scenarios that are played, and what there is to do.

    chosen: the names of the scenarios that samples were chosen for, whether or not any is for them.
    """

    suite: Suite
    scenarios: Mapping[str, Scenario]
    planned: tuple[PlannedEpisode, ...]
    chosen: tuple[str, ...] = ()


def load_inputs(config: RunConfig) -> Inputs:
    """Load the suite, choose scenarios and samples, and plan.

    Raises:
        UserError: an unknown suite or scenario, a malformed row, filters that leave nothing, tools a scenario has not.
    """
    installed = load_scenarios()
    scenarios = _choose_scenarios(installed, config.scenario)
    check_offered(config.tools, scenarios)
    suite = load_suite(config.suite, skip_invalid=config.skip_invalid, offline=config.offline)
    fitting = [sample for sample in suite.samples if any(s.applies_to(sample) for s in scenarios.values())]
    if not fitting:
        raise UserError(f"none of the {len(suite.samples)} samples of {suite.spec} is for {', '.join(scenarios)}")
    planned = plan_episodes(select_samples(fitting, config.selection), scenarios, config.epochs, config.order)
    used = {episode.scenario for episode in planned}
    played = {name: contained(scenario, config.score) for name, scenario in scenarios.items() if name in used}
    return Inputs(suite, played, planned, tuple(scenarios))


def inputs_for(agent: str, inputs: Inputs) -> Inputs:
    """Keep the scenarios that an agent plays. All agents have the same samples of a scenario.

    Raises:
        UserError: there is no such agent, or it plays none of these scenarios.
    """
    played = scenarios_of(agent, inputs.scenarios)
    if played:
        kept = {name: inputs.scenarios[name] for name in played}
        planned = tuple(episode for episode in inputs.planned if episode.scenario in kept)
        return Inputs(inputs.suite, kept, planned, inputs.chosen)
    installed = load_scenarios()
    elsewhere = scenarios_of(agent, installed)
    if not elsewhere:
        raise UserError(unknown_agent(agent, installed))
    raise UserError(
        f"the agent {agent} plays {' and '.join(elsewhere)} only, and the chosen samples are for "
        f"{' and '.join(inputs.scenarios)}: leave it out"
    )


def _choose_scenarios(installed: Mapping[str, Scenario], wanted: Sequence[str]) -> dict[str, Scenario]:
    unknown = [name for name in wanted if name not in installed]
    if unknown:
        known = ", ".join(sorted(installed)) or "none"
        raise UserError(
            f"--scenario {unknown[0]}: there is no such scenario; {did_you_mean(unknown[0], installed)}"
            f"installed are: {known}"
        )
    if not installed:
        raise UserError("no scenario is installed: reinstall gitgoodbench, or the package that brings the scenario")
    return {name: installed[name] for name in sorted(installed) if not wanted or name in wanted}


def default_tools(agent: str) -> ToolSet:
    """The tool set of an agent where nothing is said."""
    return ToolSet.OWN if brings_tools(agent) else ToolSet.PUBLISHED


def check_offered(tools: ToolSet, scenarios: Mapping[str, Scenario]) -> None:
    """Refuse a tool set that a scenario has not.

    Raises:
        UserError: one has it not.
    """
    for name, scenario in scenarios.items():
        if tools not in scenario.tool_sets():
            offered = ", ".join(scenario.tool_sets())
            raise UserError(f"--tools {tools}: the scenario {name} has no such tool set, only: {offered}")


def check_tools(agent: str, tools: ToolSet) -> None:
    """Refuse tools that an agent has no use for, or none where it needs some.

    Raises:
        UserError: the tools and the agent do not go together.
    """
    if brings_tools(agent) and tools is not ToolSet.OWN:
        raise UserError(f"--tools {tools}: {agent} brings its own tools: leave --tools out, or say --tools own")
    if tools is ToolSet.OWN and not brings_tools(agent):
        others = ", ".join(agents_with_tools())
        raise UserError(
            f"--tools own offers no tools, and {agent} has none of its own, as {others} have: "
            "use --tools shell for the same workspace"
        )


def check_offers_tools(tools: ToolSet) -> None:
    """Refuse what offers no tools to whoever wants to call them.

    Raises:
        UserError: it is `own`.
    """
    if tools is ToolSet.OWN:
        others = ", ".join(agents_with_tools())
        raise UserError(
            f"tools own: it offers none, and is for programs that the harness runs ({others}): "
            "take shell, which has the same workspace"
        )


def check_isolation(tools: ToolSet, provider: SandboxProvider) -> None:
    """Refuse a shell in a sandbox that does not contain it.

    Raises:
        UserError: the tools have a shell, and the sandbox is not isolated.
    """
    if tools is ToolSet.OWN and not provider.isolated:
        raise UserError(
            f"--tools own runs a program that the harness does not know, and {provider.kind} does not contain it: "
            "start Docker and use --sandbox docker"
        )
    if tools.has_shell and not provider.isolated:
        raise UserError(
            f"--tools {tools} needs a sandbox that contains it, and {provider.kind} does not: start Docker and use "
            "--sandbox docker, or choose --tools published or extended"
        )
