"""Turn a configuration into a run. Everything that can be refused is refused here, before the first episode starts."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gitgoodbench.agents.base import Agent, AgentSettings, EquippedAgent, PinnedAgent
from gitgoodbench.agents.registry import api_of, asks_model, brings_tools, has_options, make_agent
from gitgoodbench.errors import UserError
from gitgoodbench.files import make_durably
from gitgoodbench.models.names import ApiName
from gitgoodbench.models.options import MODEL_FLAGS, ModelFlags, ModelOptions, price_of, server_of
from gitgoodbench.models.pricing import meant_model
from gitgoodbench.plugin_options import normal_options
from gitgoodbench.plugins import AGENTS, SAMPLES, SANDBOXES, SCENARIOS, SCORES, Plugin, plugins
from gitgoodbench.runs.config import MODELLING, RunConfig, make_config, spelling
from gitgoodbench.runs.execute import Execution
from gitgoodbench.runs.inputs import Inputs, check_isolation, check_offered, check_tools, inputs_for
from gitgoodbench.runs.judging import judge_options, resolve_judge
from gitgoodbench.runs.manifest import Manifest, differences, make_manifest, read_manifest, write_manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.stop import EXIT_INTERRUPTED
from gitgoodbench.sandbox.base import SandboxProvider, equip
from gitgoodbench.scenario import ToolSet, denominators_of
from gitgoodbench.scores import scores_for
from gitgoodbench.scoring.judge.options import JUDGE_FLAGS
from gitgoodbench.scoring.judge.panel import Panel, open_panel, unpriced_judge
from gitgoodbench.scoring.judge.prompt import prompt_fingerprint
from gitgoodbench.workspace.store import RepositoryStore

EXIT_USER_ERROR = 2
EXIT_INFRASTRUCTURE = 3

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}", re.ASCII)


@dataclass(frozen=True)
class PreparedRun:
    """A run that may start or resume. own_agent: the agent is an object of the caller's, not one that is installed."""

    config: RunConfig
    inputs: Inputs
    agents: Mapping[str, Agent]
    provider: SandboxProvider
    store: RepositoryStore
    manifest: Manifest
    paths: RunPaths
    panel: Panel | None
    own_agent: bool = False


def resolve(config: RunConfig) -> RunConfig:
    """Fill in environment defaults; clear fields that only models use, or that the agent's program decides.

    Raises:
        UserError: a field is given that the agent's program decides.
    """
    if config.agent_config is not None and not brings_tools(config.agent):
        raise UserError(f"--agent-config {config.agent_config}: {config.agent} is no program with a configuration")
    if config.agent_arg and not has_options(config.agent):
        raise UserError(
            f"--agent-arg {config.agent_arg[0]}: {config.agent} takes none; where several agents are given, "
            "--opt AGENT.NAME=VALUE is for one of them"
        )
    if not asks_model(config.agent):
        return config.model_copy(update={name: RunConfig.model_fields[name].default for name in MODELLING})
    api = _spoken_api(config)
    if config.api not in (ApiName.CHAT, api):
        raise UserError(f"--api {config.api}: {config.agent} speaks {api}: leave --api out")
    update = {"model": config.model or ModelOptions.model, "base_url": server_of(config.base_url, api)}
    if api in list(ApiName):
        update["api"] = ApiName(api)
    if brings_tools(config.agent):
        _refuse_parameters(config)
        update["temperature"] = None
    return config.model_copy(update=update)


def _spoken_api(config: RunConfig) -> str:
    """Which API the agent's model is asked by; one that only programs speak is no value of --api."""
    return api_of(config.agent, config.options.own) or config.api


def _refuse_parameters(config: RunConfig) -> None:
    """An agent that writes its requests itself chooses their parameters.

    Raises:
        UserError: one is given.
    """
    given = {"temperature": config.temperature or None}
    given |= {name: getattr(config, name) for name in ("top_p", "seed", "max_output_tokens")}
    for name, value in given.items():
        if value is not None:
            raise UserError(
                f"{spelling(name)} {value}: {config.agent} writes its requests itself: "
                "--model-arg KEY=VALUE puts a field into each of them"
            )


def prepare_run(
    config: RunConfig,
    inputs: Inputs,
    provider: SandboxProvider,
    store: RepositoryStore,
    *,
    paths: RunPaths,
    command: Sequence[str],
    own_agent: Agent | None = None,
) -> PreparedRun:
    """Make the agent, the judges and the manifest. `inputs` may hold scenarios that the agent does not play.

    Args:
        own_agent: the caller's, which plays every scenario, in place of one by the name in `config`.

    Raises:
        UserError: the agent or a judge cannot be had (unknown name, no key), a cost limit that cannot be watched, a
            shell without a sandbox that contains it, or a run in that folder that was made with another configuration.
    """
    inputs = inputs_for(config.agent, inputs) if own_agent is None else inputs
    config = resolve_judge(resolve(config), inputs.scenarios.values())
    if own_agent is None:
        check_tools(config.agent, config.tools)
    check_offered(config.tools, inputs.scenarios)
    scores = tuple(sorted({score for name in inputs.scenarios for score in scores_for(name, config.score)}))
    resolved = {
        "scenario": inputs.chosen,
        "score": scores,
        "opt": normal_options(config.options_of_plugins),
        "agent_arg": (),
    }
    config = config.model_copy(update=resolved)
    if config.tools is not ToolSet.OWN:  # where the agent itself says what it needs
        check_isolation(config.tools, provider)
    check_money(config)
    settings = AgentSettings(model_options(config), config.options.own, config.agent_config)
    agent = own_agent or make_agent(config.agent, inputs.scenarios, settings)
    if isinstance(agent, EquippedAgent):
        provider = equip(provider, agent.needs)
    judges = judge_options(config)
    panel = None if judges is None else open_panel(judges)
    manifest = make_manifest(
        run_id=paths.folder.name,
        config=config,
        suite=inputs.suite,
        planned=inputs.planned,
        scenarios={name: scenario.fingerprint() for name, scenario in inputs.scenarios.items()},
        plugins=_plugins_in_use(config, inputs, provider),
        denominators={name: denominators_of(scenario) for name, scenario in inputs.scenarios.items()},
        agent={"name": agent.name, "model": agent.model, **(agent.pins if isinstance(agent, PinnedAgent) else {})},
        sandbox=provider.describe(),
        judge={} if judges is None else {"prompt": prompt_fingerprint()},
        command=command,
    )
    if paths.manifest.exists():
        manifest = _same_manifest(read_manifest(paths), manifest, paths)
    agents = {name: agent.for_scenario(name) for name in inputs.scenarios}
    return PreparedRun(config, inputs, agents, provider, store, manifest, paths, panel, own_agent is not None)


def _plugins_in_use(config: RunConfig, inputs: Inputs, provider: SandboxProvider) -> list[Plugin]:
    used = {
        SCENARIOS: tuple(inputs.scenarios),
        AGENTS: (config.agent,),
        SANDBOXES: (provider.kind,),
        SAMPLES: tuple(sorted({episode.sample.sample_type for episode in inputs.planned})),
        SCORES: config.score or (),
    }
    return [plugins(group)[name] for group, names in used.items() for name in names if name in plugins(group)]


def check_money(config: RunConfig, *, agent: bool = True) -> None:
    """Refuse a limit of costs that cannot be watched.

    Args:
        config: resolved, its judges too. agent: whether one is asked, and not only judges.

    Raises:
        UserError: a price is not known.
    """
    limits = {"--max-cost": config.max_cost, "--max-episode-cost": config.max_episode_cost}
    given = [name for name, limit in limits.items() if limit is not None]
    if agent and given and asks_model(config.agent) and price_of(model_options(config)) is None:
        raise UserError(_unknown_price(given[0], str(config.model), MODEL_FLAGS))
    judges = judge_options(config)
    if config.max_cost is not None and judges is not None and (model := unpriced_judge(judges)) is not None:
        raise UserError(_unknown_price("--max-cost", model, JUDGE_FLAGS, "the judge "))


def _unknown_price(limit: str, model: str, flags: ModelFlags, whose: str = "") -> str:
    return (
        f"{limit} cannot be watched: the price of {whose}{model} is not known; {meant_model(model)}"
        f"give {flags.prices}, in US dollars per million tokens"
    )


def model_options(config: RunConfig) -> ModelOptions:
    """What a run asks of its agent's model."""
    return ModelOptions(
        model=config.model or ModelOptions.model,
        api=_spoken_api(config),
        base_url=config.base_url,
        temperature=config.temperature,
        top_p=config.top_p,
        seed=config.seed,
        max_output_tokens=config.max_output_tokens,
        reasoning_effort=config.reasoning_effort,
        model_args=config.model_arg,
        headers=config.header,
        price_input=config.price_input,
        price_output=config.price_output,
        request_timeout_s=config.request_timeout,
        max_connections=config.max_connections,
    )


def _same_manifest(before: Manifest, now: Manifest, paths: RunPaths) -> Manifest:
    """The manifest of the run that carries on.

    Raises:
        UserError: something that decides results has changed.
    """
    changed = differences(before, now)
    if changed:
        raise UserError(
            f"run {paths.folder} was made with another configuration ({'; '.join(changed)}): "
            "use the same again, or another --run-id"
        )
    return before


def run_folder(out: Path, run_id: str) -> RunPaths:
    """The folder of a run with a chosen id.

    Raises:
        UserError: the id cannot be the name of a folder.
    """
    if not _RUN_ID.fullmatch(run_id):
        raise UserError(
            f"--run-id {run_id!r}: use letters, digits, dot, dash and underscore, beginning with a letter or digit"
        )
    return RunPaths(out / run_id)


def fresh_run_folder(out: Path, config: RunConfig) -> RunPaths:
    """A folder that does not exist yet: `<suite>-<agent>-<model?>-<UTC time>`."""
    suite = Path(config.suite).stem if Path(config.suite).suffix else config.suite.removeprefix("hf:")
    parts = [suite, config.agent, resolve(config).model, f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"]
    name = "-".join(re.sub(r"[^A-Za-z0-9._]+", "-", part).strip("-.") for part in parts if part)[:180]
    candidates = (RunPaths(out / (name if n == 1 else f"{name}-{n}")) for n in range(1, 1_000_000))
    return next(paths for paths in candidates if not paths.folder.exists())


def create_run(run: PreparedRun) -> None:
    """Make the folder of a run with its manifest, unless it is there.

    Raises:
        UserError: the folder cannot be made or written, another process works on the run, or it was made with another
            configuration.
    """
    try:
        make_durably(run.paths.samples)
    except OSError as problem:
        raise UserError(f"the run folder {run.paths.folder} cannot be made: {problem.strerror}") from problem
    if not os.access(run.paths.folder, os.W_OK):
        raise UserError(f"the run folder {run.paths.folder} is not writable")
    with run.paths.held():
        if run.paths.manifest.exists():
            _same_manifest(read_manifest(run.paths), run.manifest, run.paths)
        else:
            write_manifest(run.paths, run.manifest)


def stored_config(manifest: Manifest, **changes: object) -> RunConfig:
    """The configuration of a resumed run: the stored one, with the given fields, which are of `MAY_CHANGE`."""
    update = {"suite": manifest.suite.spec, "sandbox": manifest.sandbox["kind"]}
    fields = manifest.config.model_dump() | update
    return make_config(**fields | changes)


def exit_code(executions: Sequence[Execution]) -> int:
    """0 finished; 2 ended by a refusal that the user can mend; 3 with failures of infrastructure; 130 interrupted.

    A judge's server that failed is a failure of infrastructure.
    """
    if any(execution.interrupted for execution in executions):
        return EXIT_INTERRUPTED
    if any(execution.aborted for execution in executions):
        return EXIT_USER_ERROR
    failed = any(standing.is_unfinished for execution in executions for standing in execution.standings)
    return EXIT_INFRASTRUCTURE if failed else 0
