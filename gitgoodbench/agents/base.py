"""The Agent contract, and the trajectory that an episode leaves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

from pydantic import BaseModel

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import Status
from gitgoodbench.models.messages import Aside
from gitgoodbench.models.meter import Budget, Usage
from gitgoodbench.models.options import ModelOptions
from gitgoodbench.sandbox.base import Needs
from gitgoodbench.scenario import Episode, Message, Outcome, RepositoryStore, Scenario


@dataclass(frozen=True)
class Trajectory:
    """Everything said and done in an episode.

    status: completed, gave_up, limit_reached, agent_failed or infrastructure_failed. error: why it is not completed.
    messages: the whole conversation, tool results included, in Chat Completions form. turns: answers of the model.
    notes: what was not done as asked: a parameter left out because the server refuses it, a limit nobody could watch.
    logs: what the agent itself wrote, by names of files, to be kept beside.
    conversation: its name in the records of requests, where they have several; asides: the others.
    """

    status: Status
    messages: tuple[Message, ...] = ()
    usage: Usage = field(default_factory=Usage)
    turns: int = 0
    error: str | None = None
    notes: tuple[str, ...] = ()
    logs: Mapping[str, bytes] = field(default_factory=dict)
    conversation: str | None = None
    asides: tuple[Aside, ...] = ()


class Agent(Protocol):
    """Works on an episode until it is finished, gives up or hits a limit. Used by several threads at once.

    It may also have `acts_by_tools = True`: it does nothing in a sandbox but call the tools of its episode. Where these
    have no shell, its sandboxes serve one episode after the other.
    """

    name: str
    model: str | None

    def for_scenario(self, scenario: str) -> Self:
        """The agent for episodes of one scenario (a model is the same for all; a reference agent plays another policy).

        Raises:
            UserError: this agent has nothing for that scenario.
        """
        ...

    def run(self, episode: Episode, budget: Budget) -> Trajectory:
        """Never raises for what the model or its server did: the trajectory's status says it.

        Raises:
            RunAborted: no episode can succeed (rejected key, exhausted quota, unknown model).
            SandboxDied: the sandbox is gone.
        """
        ...


@runtime_checkable
class EpisodeAgent(Protocol):
    """What an `Agent` also has that wants to know which episode it plays, for names and records of its own."""

    def for_episode(self, episode_id: str) -> Agent:
        """The agent for one episode; the id, such as `mcr/owner_name_merge_0001/1`, is unique in a run."""
        ...


@runtime_checkable
class EquippedAgent(Protocol):
    """What an `Agent` also has whose program runs in the sandbox: what it needs there, for every episode."""

    @property
    def needs(self) -> Needs: ...


@runtime_checkable
class PinnedAgent(Protocol):
    """What an `Agent` also has that is more than a name and a model: what decides its answers, for the manifest."""

    @property
    def pins(self) -> Mapping[str, Any]: ...


@runtime_checkable
class AbsentAgent(Agent, Protocol):
    """An agent that has worked elsewhere: what it left is known, so it gets neither a sandbox nor an episode.

    pins: what decides its answers, for the manifest.
    """

    pins: Mapping[str, str]

    def left(self, sample: Sample, scenario: Scenario, store: RepositoryStore) -> tuple[Outcome, Trajectory | None]:
        """What it left for a sample, which also says how its work ended, and its conversation where that is known.

        Where it ended by no answer (`Status.is_answer`), as when its machine failed, what it left does not count.

        Raises:
            EpisodeError: the sample cannot be set up, or no outcome can be made.
        """
        ...


@dataclass(frozen=True)
class AgentSettings:
    """What a user chooses for an agent.

    model: for agents that ask one. own: options of plug-ins (`plugin_options`). config: a folder with the user's own
    configuration of the agent's program; None: none.
    """

    model: ModelOptions = field(default_factory=ModelOptions)
    own: tuple[BaseModel, ...] = ()
    config: Path | None = None


class AgentPlugin(ABC):
    """Base of what an entry point of the group `gitgoodbench.agents` names: makes the agent of that name.

    asks_model: whether --model, --base-url and prices mean anything to it. reference: whether `--agent reference` is
    this agent, too. own_tools: it is a program with tools of its own: it plays with the tool set `own`, and no other,
    chooses parameters of requests itself, and may have a configuration. options: its own options, if it has any.
    """

    asks_model: ClassVar[bool] = False
    reference: ClassVar[bool] = False
    own_tools: ClassVar[bool] = False
    options: ClassVar[type[BaseModel] | None] = None

    def api_of(self, own: Sequence[BaseModel]) -> str | None:  # noqa: ARG002
        """The API that it speaks with these options of plug-ins; None: any, as the user chooses."""
        return None

    def needs(self) -> Needs | None:
        """Whose program runs in sandboxes, and in which image; None: it has none. See `EquippedAgent` for the rest."""
        return None

    def plays(self, scenario: str) -> bool:  # noqa: ARG002
        """Whether the agent is for episodes of a scenario."""
        return True

    @abstractmethod
    def make(self, settings: AgentSettings) -> Agent:
        """Make the agent.

        Raises:
            UserError: it cannot be had as it was asked for (no key, an impossible option).
        """
