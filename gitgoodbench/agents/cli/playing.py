"""Letting a command-line agent work on an episode: home, bridge, command, and what came of it.

How the episode ended is the host's word: what the bridge refused for good, or the time that ran out; then whether
anything was answered at all; then what the agent says of itself. What stands in the repository counts, whatever it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from gitgoodbench.agents.base import AgentSettings, Trajectory
from gitgoodbench.agents.cli.contract import CliAgent, Invocation, Task
from gitgoodbench.agents.cli.folders import hash_files, hash_folder, read_config, stamp
from gitgoodbench.agents.cli.home import HOME, SCRATCH, XDG, furnish, take_logs
from gitgoodbench.bridge.session import Bridge, bridged
from gitgoodbench.bridge.upstream import Upstream
from gitgoodbench.errors import EpisodeError, RunAborted, Status
from gitgoodbench.git.process import ExecResult
from gitgoodbench.models.meter import Budget, Meter
from gitgoodbench.models.options import chat_settings
from gitgoodbench.models.parameters import Parameters
from gitgoodbench.sandbox.base import Needs
from gitgoodbench.scenario import Episode
from gitgoodbench.shell_tools import ENVIRONMENT

PROMPT_FILE: Final = "prompt.md"
"""In the agent's home."""

OUTPUT_LIMIT: Final = 8 * 1024 * 1024
"""Bytes kept of each stream that an agent writes."""

_LONGEST_S: Final = 7 * 24 * 3600.0


@dataclass(frozen=True)
class _Run:
    """What a command left. result: of the program."""

    result: ExecResult
    logs: Mapping[str, bytes]


class CliPlayer:
    """An Agent (see `agents.base`). For any number of threads."""

    def __init__(self, agent: CliAgent, settings: AgentSettings) -> None:
        """
        Raises:
            UserError: no key, half a price, options or folders that cannot be read.
        """
        options = agent.chosen(settings.own)
        self._agent, self._options = agent, options
        self._arguments = options.arguments()
        self._environment = options.environment()
        model = replace(settings.model, api=agent.api_of(settings.own) or settings.model.api)
        self.name = agent.name
        self.model: str | None = model.model
        self._api = model.api
        self._effort = model.reasoning_effort
        self._settings = chat_settings(model)
        if self._effort is not None and not agent.sets_effort:
            extra = {**_EFFORT[self._api](self._effort), **self._settings["parameters"].extra}
            self._settings["parameters"] = Parameters(extra=extra)

        self._config = {} if settings.config is None else read_config(settings.config, self._settings["api_key"])
        self._mounts = agent.mounts(options)
        self._stamps = {folder: stamp(folder) for folder in self._mounts.values()}
        self.pins = self._pin(settings.config is not None)

    @property
    def needs(self) -> Needs:
        """Of each sandbox; see `sandbox.base.equip`."""
        return replace(self._agent.needs(), home=HOME, mounts=self._mounts, programs=self._agent.version())

    def _pin(self, configured: bool) -> dict[str, Any]:
        """What decides its answers beside its model: its version, and what its user gave it."""
        pins: dict[str, Any] = {}
        if (image := self._agent.image()) is not None:
            pins["package"] = image
        for folder in self._mounts.values():
            pins["folder"] = hash_folder(f"--agent-arg folder={folder}", folder)
        if configured:
            pins |= {"config": hash_files(self._config), "config_files": sorted(self._config)}
        return pins

    def for_scenario(self, scenario: str) -> Self:  # noqa: ARG002
        return self

    def run(self, episode: Episode, budget: Budget) -> Trajectory:
        """See `Agent.run`."""
        if episode.tools:
            raise RunAborted(f"--agent {self.name} brings its own tools: use --tools own, which offers no others")
        upstream = Upstream(str(self.model), **self._settings)
        if budget.max_cost_usd is not None and upstream.price is None:
            raise RunAborted(
                f"a cost limit needs the price of {self.model!r}, which is not known: "
                "give --price-input and --price-output"
            )
        meter = Meter(budget, upstream.price)
        self._check_folders()
        with bridged(episode.sandbox, [upstream], meter) as bridge:
            done = self._work(episode, bridge, meter)
        self._check_folders()
        status, error = self._ending(bridge, done.result, meter.turns)
        notes = [*meter.notes, *(f"turned away: {words} ({n})" for words, n in bridge.endpoint.reports.items())]
        if error is None and done.result.returncode != 0:
            notes.append(f"the program ended with exit code {done.result.returncode}{self._said(done.result)}")
        if done.result.truncated:
            notes.append(f"the program printed more than is kept: {OUTPUT_LIMIT} bytes of each stream")
        spoken = bridge.endpoint.account.spoken()
        return Trajectory(
            status, spoken.messages, meter.usage, meter.turns, error, tuple(notes), done.logs,
            conversation=spoken.name, asides=spoken.asides,
        )  # fmt: skip

    def _check_folders(self) -> None:
        """All episodes of a run are played by the program that the manifest has.

        Raises:
            RunAborted: a folder has changed since the run began.
        """
        for folder, before in self._stamps.items():
            if stamp(folder) != before:
                raise RunAborted(
                    f"{folder} has changed since the run began, and sandboxes see it: put back what was there and "
                    "resume, or begin another run; copy a folder that you work on"
                )

    def _work(self, episode: Episode, bridge: Bridge, meter: Meter) -> _Run:
        sandbox = episode.sandbox
        prompt = "\n\n".join(str(message["content"]) for message in episode.prompt) + "\n"
        task = Task(
            prompt=prompt.encode("utf-8", "backslashreplace"),
            prompt_file=f"{HOME}/{PROMPT_FILE}",
            api=self._api,
            base_url=bridge.base_url(self._api),
            model=str(self.model),
            reasoning_effort=self._effort,
            home=HOME,
            arguments=self._arguments,
            options=self._options,
        )
        invocation = self._agent.invocation(task)
        config = {f"{self._agent.config_folder}/{path}": file for path, file in self._config.items()}
        files = {path: (0o644, content) for path, content in invocation.files.items()}
        furnish(sandbox, {PROMPT_FILE: (0o644, task.prompt), **config, **files}, invocation.folders)
        result = sandbox.exec(
            list(invocation.argv),
            stdin=invocation.stdin,
            env=self._environment_of(invocation),
            timeout_s=min(meter.seconds_left(), _LONGEST_S),
            output_limit=OUTPUT_LIMIT,
        )
        said = {"stdout.txt": result.stdout, "stderr.txt": result.stderr}
        logs = {name: data for name, data in said.items() if data} | take_logs(sandbox, self._agent.logs)
        return _Run(result, logs)

    def _environment_of(self, invocation: Invocation) -> dict[str, str]:
        """Git's stays closed: neither an agent nor its user may set what would open it."""
        own = {
            **ENVIRONMENT,
            "HOME": HOME,
            "TMPDIR": SCRATCH,
            **XDG,
            "PATH": f"{self._agent.folder()}/bin:{ENVIRONMENT['PATH']}",
        }
        closed = {name: value for name, value in ENVIRONMENT.items() if name.startswith("GIT_")}
        return {**own, **invocation.environment, **self._environment, **closed}

    def _ending(self, bridge: Bridge, result: ExecResult, answers: int) -> tuple[Status, str | None]:
        """How the episode ended, and why it is not completed.

        Raises:
            RunAborted: no episode can succeed.
        """
        ending = bridge.endpoint.ending
        if isinstance(ending, EpisodeError):
            return ending.status, str(ending)
        if ending is not None:
            raise ending
        if result.timed_out:
            return Status.LIMIT_REACHED, "time limit: the program was still at work"
        if not answers:
            code = f"the program ended with exit code {result.returncode}, without an answer of its model"
            return Status.AGENT_FAILED, f"{code}{self._said(result)}"
        return self._agent.ended(result, self._options)

    def _said(self, result: ExecResult) -> str:
        said = self._agent.last_words(result)
        return f"; it said: {said}" if said else ""


_EFFORT: Final[Mapping[str, Any]] = {
    "chat": lambda effort: {"reasoning_effort": effort},
    "responses": lambda effort: {"reasoning": {"effort": effort}},
    "anthropic": lambda effort: {"output_config": {"effort": effort}},
    "google": lambda effort: {"generationConfig": {"thinkingConfig": {"thinkingLevel": effort}}},
}
"""How a request says how much the model shall think, by API."""
