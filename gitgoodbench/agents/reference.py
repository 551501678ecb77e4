"""Reference agents: fixed policies that need no model, for floors, ceilings and tests of the harness itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.agents.calls import call_tool, on_record
from gitgoodbench.errors import EpisodeError, GaveUp, Status, UserError
from gitgoodbench.models.messages import ToolCall, recorded_call, tool_result
from gitgoodbench.models.meter import Budget, Meter, Usage
from gitgoodbench.models.recording import say
from gitgoodbench.scenario import Call, Episode, Message, Policy
from gitgoodbench.text import clean_json

NOOP = "noop"

_NOTHING_USED = Usage(requests=0, prompt_tokens=0, cached_tokens=0, completion_tokens=0, cost_usd=0.0)


class ReferenceAgent:
    """Plays the policy that a scenario has under this agent's name. Only the wall time of the budget binds it."""

    model: str | None = None
    acts_by_tools = True  # an oracle's Git is the harness's own

    def __init__(self, name: str, policies: Mapping[str, Policy]) -> None:
        """
        Args:
            policies: scenario name -> policy, one or more.
        """
        self.name = name
        self._policies = dict(policies)

    def for_scenario(self, scenario: str) -> Self:
        if scenario not in self._policies:
            known = ", ".join(sorted(self._policies))
            raise UserError(f"the agent {self.name!r} does not play the scenario {scenario!r}, only: {known}")
        return type(self)(self.name, {scenario: self._policies[scenario]})

    def run(self, episode: Episode, budget: Budget) -> Trajectory:
        """Play the policy.

        Raises:
            ValueError: several scenarios have this agent, and `for_scenario` has not chosen one.
        """
        if len(self._policies) != 1:
            raise ValueError(f"{self.name} plays {sorted(self._policies)}: choose one with for_scenario")
        (policy,) = self._policies.values()
        return _play(self.name, policy, episode, budget)


class NoopAgent:
    """Does nothing, in every scenario: the floor."""

    name = NOOP
    model: str | None = None
    acts_by_tools = True

    def for_scenario(self, scenario: str) -> Self:  # noqa: ARG002
        return self

    def run(self, episode: Episode, budget: Budget) -> Trajectory:
        return _play(self.name, _do_nothing, episode, budget)


def _play(name: str, policy: Policy, episode: Episode, budget: Budget) -> Trajectory:
    record = _Record(episode, Meter(budget))
    status, error = Status.COMPLETED, None
    try:
        policy(episode, record.call)
        if not episode.finished:
            raise GaveUp(f"{name} stopped with work left")
    except EpisodeError as ending:
        status, error = ending.status, str(ending)
    return Trajectory(status, tuple(record.messages), _NOTHING_USED, record.calls, error)


def _do_nothing(episode: Any, call: Call) -> None:
    pass


class _Record:
    """The conversation as a model would have left it."""

    def __init__(self, episode: Episode, meter: Meter) -> None:
        self.messages: list[Message] = []
        for message in episode.prompt:
            say(self.messages, clean_json(dict(message)))
        self.calls = 0
        self._episode = episode
        self._meter = meter

    def call(self, tool_name: str, /, **arguments: Any) -> str:
        """Call a tool on the record (`scenario.Call`). The policy gets the whole text, the record a capped one."""
        self._meter.seconds_left()
        self.calls += 1
        call = ToolCall(f"call_{self.calls}", tool_name, json.dumps(arguments))
        say(self.messages, {"role": "assistant", "content": None, "tool_calls": [recorded_call(call)]})
        self._episode.begin_answer()
        text = on_record(call, lambda: call_tool(self._episode.tools, tool_name, arguments)).text
        say(self.messages, tool_result(call.id, text))
        return text
