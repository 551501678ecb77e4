"""Runs from Python: evaluate an agent as `gitgoodbench eval` does, load a run, and look at it as a table."""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
import warnings
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.agents.registry import agent_names, needs_of
from gitgoodbench.api.fields import RunFields
from gitgoodbench.api.scored import Scored, reward_of
from gitgoodbench.api.session import Session
from gitgoodbench.errors import RunAborted, UserError
from gitgoodbench.models.meter import Budget, Meter
from gitgoodbench.reporting.files import write_summary
from gitgoodbench.reporting.summary import RunSummary, account_of, read_run, summarize
from gitgoodbench.runs.carrying import Followed, carry_out
from gitgoodbench.runs.config import make_config
from gitgoodbench.runs.event_stream import Receiver, streaming
from gitgoodbench.runs.inputs import check_offers_tools, default_tools, load_inputs
from gitgoodbench.runs.judging import choose_judge
from gitgoodbench.runs.manifest import Manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.preflight import preflight_run
from gitgoodbench.runs.result import Result
from gitgoodbench.runs.session import create_run, fresh_run_folder, prepare_run, run_folder
from gitgoodbench.runs.standing import Standing
from gitgoodbench.runs.trajectories import Conversation, read_conversation
from gitgoodbench.sandbox.base import SandboxSettings
from gitgoodbench.sandbox.select import make_provider
from gitgoodbench.scenario import Episode, ToolSet, load_scenarios
from gitgoodbench.tracing.runs import exporting_spans
from gitgoodbench.workspace.store import open_store

if TYPE_CHECKING:
    import pandas as pd

Player = Callable[[Session], object]
"""An agent: any callable of a session; what it returns is ignored. It may be asynchronous."""


@dataclass(frozen=True)
class Run:
    """A run as its folder has it. results: in the order of files; each has the fields of its result.json."""

    folder: Path
    manifest: Manifest
    results: tuple[Result, ...]

    @property
    def id(self) -> str:
        return self.manifest.run_id

    @property
    def summary(self) -> RunSummary:
        """The figures that `gitgoodbench report` prints."""
        return summarize(self.manifest, self.results, account_of(RunPaths(self.folder)))

    def conversation(self, result: Result) -> Conversation | None:
        """What was said in an episode, in whatever format it was written; None where nothing was."""
        return read_conversation(RunPaths(self.folder).episode(*result.key))

    def scored(self, result: Result) -> Scored:
        """The verdict of a result, as `Bench.score` gives it."""
        return Scored.of(result)


class FunctionAgent:
    """The agent that a callable of a session is. See `agents.base.Agent`."""

    model: str | None = None

    def __init__(self, player: Player, tool_set: ToolSet, episode_id: str | None = None) -> None:
        self.name = _name_of(player)
        self._player = player
        self._tool_set = tool_set
        self._episode_id = episode_id

    def for_scenario(self, scenario: str) -> Self:  # noqa: ARG002
        return self

    def for_episode(self, episode_id: str) -> FunctionAgent:
        """See `agents.base.EpisodeAgent`: the session has the episode's id."""
        return FunctionAgent(self._player, self._tool_set, episode_id)

    def run(self, episode: Episode, budget: Budget) -> Trajectory:
        """Let the callable play. It ends when it returns; what it raises is a fault of its own, not an answer."""
        meter = Meter(budget)
        session = Session(episode, self._episode_id or self.name, self._tool_set, meter=meter)
        played = self._player(session)
        if inspect.isawaitable(played):
            with ThreadPoolExecutor(1) as thread:  # in this one an event loop may be running, as in a notebook
                thread.submit(asyncio.run, _wait_for(played)).result()
        status, error = session.ending
        return Trajectory(status, session.messages, meter.usage, meter.turns, error, tuple(meter.notes))


async def _wait_for(played: Awaitable[object]) -> None:
    await played


def evaluate(
    suite: str | os.PathLike[str],
    agent: str | Player = "openai",
    out: str | os.PathLike[str] = "results",
    run_id: str | None = None,
    jobs: int = 1,
    events: str | os.PathLike[str] | Receiver | None = None,
    otel: bool = False,
    **fields: Unpack[RunFields],
) -> Run:
    """Run an agent over a suite, by the engine of `gitgoodbench eval` and into the same files.

    Args:
        agent: a name that `--agent` takes, or a callable of a session, which `jobs` threads call at once.
        out: parent of the run's folder.
        run_id: name of the folder; the same call with the same name carries on.
        events: a file that events are appended to as they happen, or a callable that gets each, in a thread of its
            own; what it raises is raised here once the run is done.
        otel: send OpenTelemetry spans to where the OTEL_* variables say (extra `otel`).
        fields: the flags of `gitgoodbench eval` with underscores: `scenario`, `tools`, `sandbox`, `limit`,
            `repos`, ...; a flag that can be repeated takes one value or several.

    Raises:
        UserError: something that the user can mend; nothing has run.
        RunAborted: no episode can succeed; those done by then are saved.
        KeyboardInterrupt: interrupted; what was done is saved, and the same `run_id` carries on.
    """
    if not isinstance(agent, str) and not callable(agent):
        raise UserError(f"agent must be a name or a callable of a session, not {type(agent).__name__}")
    name = agent if isinstance(agent, str) else _free_name(agent)
    given: dict[str, Any] = {"suite": os.fspath(suite), **fields}
    given["judge"] = choose_judge(given, [name])
    if isinstance(agent, str):
        given.setdefault("tools", default_tools(agent))
    config = make_config(agent=name, jobs=jobs, **given)
    if not isinstance(agent, str):
        check_offers_tools(config.tools)
    inputs = load_inputs(config)
    paths = fresh_run_folder(Path(out), config) if run_id is None else run_folder(Path(out), run_id)
    settings = SandboxSettings(own=config.options.own, needs=needs_of(name))
    run = prepare_run(
        config,
        inputs,
        make_provider(config.sandbox, settings=settings).provider,
        open_store(config.repos, offline=config.offline),
        paths=paths,
        command=("gitgoodbench.evaluate", *([] if not sys.argv else [Path(sys.argv[0]).name])),
        own_agent=None if isinstance(agent, str) else FunctionAgent(agent, config.tools),
    )
    with exporting_spans(wanted=otel, say=_warn) as tracing, streaming(events) as stream:
        create_run(run)
        preflight_run(run)
        followed = Followed(
            run,
            listeners=() if stream is None else (stream.of(run.manifest.run_id),),
            witness=None if tracing is None else tracing(run),
        )
        execution = carry_out(followed, _Silent(), announce=lambda: None, last_words=f"results: {paths.folder}")
        if reason := execution.aborted or execution.broken:
            raise RunAborted(reason)
        if execution.interrupted:
            raise KeyboardInterrupt
        found = load_run(paths.folder)
        write_summary(paths, found.summary)
    return found


def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=2)


def load_run(folder: str | os.PathLike[str]) -> Run:
    """A run from its folder, finished or not.

    Raises:
        UserError: it is none.
    """
    path = Path(folder)
    if not (path / "manifest.json").is_file():
        raise UserError(f"{path} is no folder of a run: it has no manifest.json")
    manifest, results = read_run(RunPaths(path))
    return Run(path, manifest, tuple(results))


def results_frame(run: Run | Sequence[Run]) -> pd.DataFrame:
    """A run, or several, as a pandas table with one row per episode, and one type per column.

    Columns are those of `reporting.frame`, and `reward`, as in `Scored`. What is unknown is `pandas.NA`, never 0.
    """
    from gitgoodbench.reporting.frame import frame_of

    results = [result for each in ([run] if isinstance(run, Run) else run) for result in each.results]
    rewards = [reward_of(result) for result in results]
    return frame_of(results).assign(reward=rewards).astype({"reward": "Float64"})


class _Silent:
    """An observer of a run that says nothing."""

    def begin(self, planned: int, kept: Sequence[Standing]) -> None: ...

    def finished(self, result: Result) -> None: ...

    def again(self, failed: Sequence[Standing]) -> None: ...

    def note(self, text: str) -> None: ...


def _name_of(player: Player) -> str:
    return str(getattr(player, "__name__", type(player).__name__))


def _free_name(player: Player) -> str:
    name = _name_of(player)
    if name in agent_names(load_scenarios()):
        raise UserError(f"there is an agent {name!r} already: give your callable another name")
    return name
