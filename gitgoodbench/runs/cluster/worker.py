"""What a worker does: it plays one episode as a local run does, and settles it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

from gitgoodbench.agents.base import Agent, AgentSettings, EquippedAgent, PinnedAgent
from gitgoodbench.agents.registry import make_agent, needs_of
from gitgoodbench.clusters.wire import WireBroken
from gitgoodbench.contained.client import start
from gitgoodbench.contained.scenario import contained
from gitgoodbench.errors import CostLimitReached, RunAborted, UserError
from gitgoodbench.folders import temporary_folder
from gitgoodbench.git.version import host_git_version
from gitgoodbench.models.connections import PLACES
from gitgoodbench.plugins import pin
from gitgoodbench.runs.bookkeeping import EpisodeBooks
from gitgoodbench.runs.cluster.errand import Done, Errand, RunOrder, lent_keys
from gitgoodbench.runs.cluster.link import FarAnswers, FarLedger, FarLog, FarPlaces, FarWitness, Link, copy_to
from gitgoodbench.runs.cluster.mirrors import FarStore
from gitgoodbench.runs.context import RunContext
from gitgoodbench.runs.episode import play_recorded, try_to_settle
from gitgoodbench.runs.judging import judge_options
from gitgoodbench.runs.manifest import sandbox_deciding
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.session import model_options
from gitgoodbench.runs.settings import SharedSettings
from gitgoodbench.runs.stop import GRACE_S, EpisodeGivenUp, Stop
from gitgoodbench.sandbox.base import SandboxProvider, SandboxSettings, equip
from gitgoodbench.sandbox.select import make_provider
from gitgoodbench.scenario import Scenario, load_scenarios
from gitgoodbench.scoring.judge.panel import Panel, open_panel
from gitgoodbench.workspace.room import keep_at_most
from gitgoodbench.workspace.store import RepositoryStore, open_store

_KEPT_RUNS: Final = 4

LINK: ContextVar[Link] = ContextVar("link")
"""Of the episode that this thread plays."""


@dataclass(frozen=True)
class _Shared:
    """What all episodes of a run share in this process."""

    scenarios: Mapping[str, Scenario]
    agents: Mapping[str, Agent]
    provider: SandboxProvider
    panel: Panel | None
    store: RepositoryStore
    settings: SharedSettings


_RUNS: dict[str, _Shared] = {}
_LOCK = threading.Lock()


def work(errand: Errand) -> Done:
    """Play and settle an episode. Raises nothing that the engine would have to carry."""
    stop = Stop()
    try:
        link = Link(errand.ticket, stop)
    except WireBroken as problem:
        return Done(problem="unreachable", reason=f"a worker on {socket.gethostname()} says: {problem}")
    try:
        return _work(errand, link, stop)
    except CostLimitReached as problem:
        return Done(problem="cost", reason=str(problem))
    except (RunAborted, UserError) as problem:
        return Done(problem="aborted", reason=str(problem))
    except EpisodeGivenUp as problem:
        return Done(problem="given_up", reason=str(problem))
    finally:
        stop.wait_for_sandboxes(GRACE_S)
        link.close()


def _work(errand: Errand, link: Link, stop: Stop) -> Done:
    shared = _shared(errand.order)
    linked, token = LINK.set(link), PLACES.set(FarPlaces(link))
    try:
        with temporary_folder("worker") as folder:
            return _carry_out(errand, _context(errand, shared, link, stop, RunPaths(folder)), link)
    finally:
        PLACES.reset(token)
        LINK.reset(linked)


def _carry_out(errand: Errand, run: RunContext, link: Link) -> Done:
    planned, saved = errand.planned, errand.saved
    files = planned.paths(run.paths)
    files.folder.mkdir(parents=True)
    if saved is None:
        try:
            played = play_recorded(planned, run, files, errand.attempts)
        finally:
            for problem in run.spares.close():
                run.log.write("sandbox_not_removed", episode=planned.id, error=problem)
        if played.outcome is None:
            return Done(played.result, logs=played.logs)
        saved = played.result, played.outcome
        link.call("played", *saved, played.logs)
    result, is_settled = try_to_settle(saved, planned, run, files)
    with suppress(FileNotFoundError):
        return Done(result, is_settled, {files.judge_prompts.name: files.judge_prompts.read_bytes()})
    return Done(result, is_settled)


def _context(errand: Errand, shared: _Shared, link: Link, stop: Stop, paths: RunPaths) -> RunContext:
    order = errand.order
    books = EpisodeBooks(
        FarLedger(link),
        FarAnswers(link, "agent") if order.agent_cache else None,
        FarAnswers(link, "judge") if order.judge_cache else None,
        FarWitness(link) if order.witnessed else None,
        copy_to(link),
    )
    return RunContext(
        run_id=order.manifest.run_id,
        paths=paths,
        scenarios=shared.scenarios,
        store=shared.store,
        provider=shared.provider,
        agents=shared.agents,
        budget=order.config.budget,
        options=order.config.options,
        log=FarLog(link),
        books=books,
        stop=stop,
        panel=shared.panel,
        rules=order.manifest.scoring.rules,
        common_settings=shared.settings,
    )


def _shared(order: RunOrder) -> _Shared:
    """What is shared, made once.

    Raises:
        RunAborted: this machine is not set up as the one that the run was started on.
    """
    with _LOCK:
        if order.name not in _RUNS:
            try:
                _RUNS[order.name] = _make(order)
            except UserError as problem:
                raise RunAborted(f"the worker on {socket.gethostname()} cannot play: {problem}") from problem
            for name in list(_RUNS)[:-_KEPT_RUNS]:
                del _RUNS[name]
        return _RUNS[order.name]


def _make(order: RunOrder) -> _Shared:
    config, manifest = order.config, order.manifest
    installed = load_scenarios()
    _check(order, installed)
    keep_at_most(config.cache_size)
    start()  # scoring is loaded while the first agent works
    scenarios = {name: contained(installed[name], config.score) for name in order.scenarios}
    settings = SandboxSettings(own=config.options.own, needs=needs_of(config.agent))
    provider = make_provider(manifest.sandbox["kind"], settings).provider
    judges = judge_options(config)
    with lent_keys(order.keys):
        chosen = AgentSettings(model_options(config), config.options.own, config.agent_config)
        agent = make_agent(config.agent, scenarios, chosen)
        panel = None if judges is None else open_panel(judges)
    if isinstance(agent, PinnedAgent):
        _compare({name: manifest.agent.get(name) for name in agent.pins}, dict(agent.pins), "agent ")
    if isinstance(agent, EquippedAgent):
        provider = equip(provider, agent.needs)
    _compare(sandbox_deciding(manifest.sandbox), sandbox_deciding(provider.describe()), "sandbox ")
    agents = {name: agent.for_scenario(name) for name in scenarios}
    store = FarStore(_own_store(order), LINK.get)
    return _Shared(scenarios, agents, provider, panel, store, SharedSettings(store, config.options))


def _own_store(order: RunOrder) -> RepositoryStore | None:
    """Where this machine itself has repositories from; None where the folder that was named is not here."""
    repos = order.config.repos
    if repos is not None and not repos.is_dir():
        return None
    return open_store(repos, offline=order.config.offline)


def _check(order: RunOrder, installed: Mapping[str, Scenario]) -> None:
    manifest = order.manifest
    missing = [name for name in order.scenarios if name not in installed]
    if missing:
        raise RunAborted(f"the worker on {socket.gethostname()} has no scenario {missing[0]}: install it there")
    there = {name: found.rule for name, found in manifest.distributions.items()}
    _compare(there, {name: pin(name).rule for name in there}, "package ")
    _compare({"Git": manifest.host.git}, {"Git": host_git_version()})
    fingerprints = {name: manifest.scenarios[name] for name in order.scenarios}
    _compare(fingerprints, {name: installed[name].fingerprint() for name in order.scenarios}, "scenario ")


def _compare(there: Mapping[str, Any], here: Mapping[str, Any], what: str = "") -> None:
    for name in sorted(there.keys() | here.keys()):
        if there.get(name) != here.get(name):
            raise RunAborted(
                f"the worker on {socket.gethostname()} is not set up as this machine: "
                f"{what}{name} is {here.get(name)} there, {there.get(name)} here"
            )
