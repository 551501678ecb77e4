"""The Scenario contract: what a plug-in under scenarios/ (or in a package of your own) gives the harness.

A scenario turns a sample into an episode inside a sandbox, says how its outcome is scored, and brings the reference
agents that need no model. The harness finds scenarios through the entry-point group `gitgoodbench.scenarios` and
never imports one by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.details import Details as Details
from gitgoodbench.git.histories import HistoryPair as HistoryPair
from gitgoodbench.jsontypes import Json as Json
from gitgoodbench.models.messages import Message as Message
from gitgoodbench.plugin_options import options_in
from gitgoodbench.plugins import SCENARIOS, Objects
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.tools import Tool
from gitgoodbench.tools import ToolSet as ToolSet
from gitgoodbench.workspace.outcome import Outcome as Outcome
from gitgoodbench.workspace.prediction import Prediction as Prediction
from gitgoodbench.workspace.store import RepositoryStore as RepositoryStore

T = TypeVar("T", bound=BaseModel)
S = TypeVar("S")


@dataclass(frozen=True)
class EpisodeOptions:
    """What a run chooses for all its episodes.

    history: keep only so many commits of history in the workspace; None keeps all of it.
    strict_tools: take of a tool call only what its schema says, no dialects.
    own: what was chosen for plug-ins' own options; a scenario takes its part by `of`.
    """

    tool_set: ToolSet = ToolSet.PUBLISHED
    history: int | None = None
    strict_tools: bool = False
    own: tuple[BaseModel, ...] = ()

    def of(self, kind: type[T]) -> T:
        """The options that a plug-in has declared as that class; its defaults where none were given."""
        return options_in(self.own, kind)


class Episode(Protocol):
    """One sample being worked on, inside one sandbox."""

    @property
    def sandbox(self) -> Sandbox:
        """For agents that work in it themselves and not through the tools; it belongs to the harness."""
        ...

    @property
    def prompt(self) -> Sequence[Message]:
        """System and user messages that open the conversation."""
        ...

    @property
    def tools(self) -> Sequence[Tool]: ...

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do: the agent loop ends without another request."""
        ...

    @property
    def reminder(self) -> str:
        """What to tell an agent that answers without a tool call although the episode is not finished."""
        ...

    @property
    def facts(self) -> Mapping[str, Json]:
        """Facts about the sample that go into result.json (`attainable`, numbers of conflicts)."""
        ...

    def begin_answer(self) -> None:
        """Told before the calls of one answer run: until the next time, numbers in calls mean what they mean now."""
        ...

    def outcome(self) -> Outcome:
        """Take out what the agent left. Called after the agent has ended, whatever way; changes nothing."""
        ...


@dataclass(frozen=True)
class Preview:
    """What an agent will be given, known before there is a sandbox. tools: their schemas. facts: not for the agent."""

    prompt: Sequence[Message]
    tools: Sequence[Mapping[str, Any]]
    facts: Mapping[str, Json] = field(default_factory=dict)


Call = Callable[..., str]
"""`call(tool_name, **arguments) -> str`: calls a tool of the episode on the record; tool errors come back as text."""

Policy = Callable[[Any, Call], None]
"""A reference agent of a scenario: gets its own kind of Episode, and `Call`."""


@dataclass(frozen=True)
class Verdict:
    """What scoring says of one episode; each part goes into result.json as it is.

    solved, solved_paper: None where they cannot be known. gates: requirement -> met. scores: name -> value in [0, 1]
    or None.
    problem: why the outcome could not be scored; `agent_failed` results. details: see `gitgoodbench.details`.
    limit: the limit that reading it exceeded, which the harness sets; it is then the problem, too.
    """

    solved: bool | None
    solved_paper: bool | None
    gates: Mapping[str, bool] = field(default_factory=dict)
    scores: Mapping[str, float | None] = field(default_factory=dict)
    facts: Mapping[str, Json] = field(default_factory=dict)
    problem: str | None = None
    details: Details | None = None
    limit: str | None = None


class Scenario(Protocol):
    """A scenario type.

    It may also have `options`, a class of pydantic with options of its own (`--opt`, see plugin_options), and
    `denominators`: facts of its episodes, true or false, that say what could be solved at all, and the words for them
    in a report (`{"attainable": "attainable"}`, which is what a scenario without has). `sizes` are facts that count
    what there is to do, and their words. `reference_kinds` says what its reference agents that know the truth show.
    See `denominators_of`, `sizes_of` and `reference_kinds`.
    """

    name: str

    def applies_to(self, sample: Sample) -> bool: ...

    def tool_sets(self) -> Sequence[ToolSet]: ...

    def prepare(self, sample: Sample, store: RepositoryStore, sandbox: Sandbox, options: EpisodeOptions) -> Episode:
        """Set the sample up in the sandbox.

        Raises:
            SetupFailed: the repository, a commit or the row itself is not as it must be.
        """
        ...

    def score(self, sample: Sample, store: RepositoryStore, outcome: Outcome) -> Verdict:
        """Score an outcome on the host, in a scoring repository of its own; needs no sandbox and no model."""
        ...

    def reference_agents(self) -> Mapping[str, Policy]:
        """Name -> policy. `noop` is the harness's own."""
        ...

    def fingerprint(self) -> str:
        """Hash of prompt templates and tool schemas, for the manifest."""
        ...


@runtime_checkable
class PreviewingScenario(Scenario, Protocol):
    """A scenario that can tell what an agent will be given without setting it up."""

    def preview(self, sample: Sample, store: RepositoryStore, options: EpisodeOptions) -> Preview:
        """Prompt, tools and facts of the episode that `prepare` makes.

        Raises:
            SetupFailed: as `prepare`.
        """
        ...

    def tools_of(self, tool_set: ToolSet) -> Sequence[Tool]:
        """Every tool that an episode with this tool set may offer; for schemas and signatures, not to be run."""
        ...


@runtime_checkable
class SettingScenario(Scenario, Protocol[S]):
    """A scenario whose `prepare` is three steps, so that many episodes of a sample can share the first two.

    A setting is what is read of a sample. Nothing changes it: any number of episodes is begun with it, in any thread.
    """

    def read(self, sample: Sample, store: RepositoryStore, options: EpisodeOptions) -> S:
        """Read the sample, on this machine.

        Raises:
            SetupFailed: as `prepare`.
        """
        ...

    def lay_out(self, sandbox: Sandbox, setting: S) -> S:
        """Build the workspace in an empty sandbox; the setting, with what this has brought to light.

        Raises:
            SetupFailed: as `prepare`.
        """
        ...

    def begin(self, sandbox: Sandbox, setting: S, options: EpisodeOptions) -> Episode:
        """Begin an episode in a workspace as `lay_out` leaves it.

        Where the tool set has no shell, files that are as the index has them may be absent, and marked so there
        (skip-worktree).
        """
        ...


@runtime_checkable
class JudgedScenario(Scenario, Protocol):
    """A scenario whose outcomes are histories that a judge compares with the real ones.

    `solved_paper` is then that the agent's history wins in both orders, `solved` that and every gate; the run settles
    both. So `score` leaves them None, unless it has a `problem`, and puts nothing among the gates that is not required.
    """

    def histories(self, sample: Sample, store: RepositoryStore, outcome: Outcome) -> HistoryPair | None:
        """What a judge shall compare, for an outcome that `score` has no problem with, whether or not gates are met.

        None: the agent left no history that can be compared (nothing committed, or not on the base). It has then lost.
        """
        ...


@runtime_checkable
class ScenarioWithTruth(Protocol):
    """A scenario that knows what the real commits would be as an outcome.

    Where an outcome exceeds a limit, that one is scored, too: the agent is to blame only if it stays within the limits.
    """

    def truth(self, sample: Sample, store: RepositoryStore) -> Outcome:
        """The outcome of an agent that has done what the real commits do.

        Raises:
            SetupFailed: the repository or a commit cannot be had.
        """
        ...


@runtime_checkable
class PredictedScenario(Protocol):
    """A scenario that can tell what outcome a prediction is that was made elsewhere (`gitgoodbench score --suite`)."""

    def predicted(self, sample: Sample, store: RepositoryStore, prediction: Prediction) -> Outcome:
        """The outcome of an agent that has left what is predicted; called where outcomes are read.

        Raises:
            SetupFailed: the repository or a commit cannot be had.
            AgentFailed: the prediction cannot be applied.
        """
        ...


@runtime_checkable
class LateScoring(Protocol):
    """A scenario that loads what scoring takes only where it scores; a process that only plays does without."""

    def load_scoring(self) -> None:
        """Load it now. Called in the process whose forks score: they share what that has loaded."""
        ...


def load_scenarios() -> Mapping[str, Scenario]:
    """Every installed scenario by its name; each is loaded when it is looked up.

    Looking one up raises UserError where it cannot be loaded.
    """
    return Objects(SCENARIOS)


def sizes_of(scenario: Scenario) -> dict[str, str]:
    """The facts that count what there is to do in an episode, and the words for them."""
    return dict(getattr(scenario, "sizes", {}))


def reference_kinds(scenario: Scenario) -> dict[str, str]:
    """The reference agents that know the truth, and what they show.

    `ceiling`: what the tools can reach. `oracle`: that the truth, put in place past all tools, is solved. Every other
    reference agent is a rule that knows nothing.
    """
    return dict(getattr(scenario, "reference_kinds", {"tool-oracle": "ceiling", "oracle": "oracle"}))


def features_of(scenario: Scenario) -> dict[str, str] | None:
    """The facts that may go with success, and the words for them, the weightiest first; None: it does not say."""
    declared = getattr(scenario, "features", None)
    return None if declared is None else dict(declared)


def denominators_of(scenario: Scenario) -> dict[str, str]:
    """The facts that become denominators of the report, and the words for them."""
    return dict(getattr(scenario, "denominators", {"attainable": "attainable"}))
