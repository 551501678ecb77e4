"""`command`: any program as an agent, in the sealed sandbox, with the model behind the bridge.

The program gets the prompt as a file, the address of the bridge, and a shell's environment; it works in the repository
with its own tools. How the episode ended is said by what its model was asked and answered, then by its exit code.
"""

from __future__ import annotations

import io
import shlex
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from pydantic import BaseModel, Field

from gitgoodbench.agents.base import Agent, AgentPlugin, AgentSettings, Trajectory
from gitgoodbench.bridge.session import Bridge, bridged
from gitgoodbench.bridge.upstream import Upstream
from gitgoodbench.errors import EpisodeError, InfrastructureFailed, RunAborted, Status, UserError
from gitgoodbench.git.process import ExecResult
from gitgoodbench.models.meter import Budget, Meter
from gitgoodbench.models.options import chat_settings
from gitgoodbench.plugin_options import options_in
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.scenario import Episode
from gitgoodbench.shell_tools import ENVIRONMENT
from gitgoodbench.text import one_line

FOLDER: Final = "/tmp/agent"
PROMPT_FILE: Final = "/tmp/agent-prompt"
FOLDER_LIMIT: Final = 32 * 1024 * 1024
"""Bytes of a program's folder: the sandbox keeps it in memory."""

_LONGEST_S: Final = 7 * 24 * 3600.0
_LAST_WORDS: Final = 300
_OUTPUT_LIMIT: Final = 1024 * 1024
_NOTE: Final = """
You work with tools of your own, in place of those named above: you are at the root of the working tree. When the work
is done and committed, end; nothing has to be called."""
_UNPACK: Final = f"import sys, tarfile; tarfile.open(fileobj=sys.stdin.buffer, mode='r|').extractall({FOLDER!r})"
_WRITE: Final = f"import sys; open({PROMPT_FILE!r}, 'wb').write(sys.stdin.buffer.read())"


class CommandOptions(BaseModel):
    """Options of the agent."""

    argv: str = Field(
        "", description="The program and its arguments; {prompt_file}, {folder}, {base_url} and {model} are filled in."
    )
    folder: Path | None = Field(
        None, description="A folder of this machine with the program; a copy of it is at {folder} in the sandbox."
    )


@dataclass(frozen=True)
class Program:
    """What is run: words with places to be filled in, and the folder that it comes from, as a tar file."""

    argv: Sequence[str]
    folder: bytes | None = None


@dataclass
class CommandAgent:
    """See the module's docstring. settings: of the `Upstream`, but its name."""

    model: str | None
    api: str
    program: Program
    settings: Mapping[str, Any] = field(repr=False)
    name: str = "command"

    def for_scenario(self, scenario: str) -> Self:  # noqa: ARG002
        return self

    def run(self, episode: Episode, budget: Budget) -> Trajectory:
        if not any(tool.name == "run_command" for tool in episode.tools):
            raise RunAborted(
                "--agent command brings its own tools, and works in a shell's workspace: use --tools shell"
            )
        upstream = Upstream(str(self.model), **self.settings)
        if budget.max_cost_usd is not None and upstream.price is None:
            raise RunAborted(
                f"a cost limit needs the price of {self.model!r}, which is not known: "
                "give --price-input and --price-output"
            )
        meter = Meter(budget, upstream.price)
        sandbox = episode.sandbox
        self._install(sandbox, episode)
        with bridged(sandbox, [upstream], meter) as bridge:
            result = self._execute(sandbox, bridge, meter)
        status, error = _ending(bridge, result, meter.turns)
        spoken = bridge.endpoint.account.conversations()
        notes = [*meter.notes, *(f"turned away: {words} ({n})" for words, n in bridge.endpoint.reports.items())]
        main = max(spoken, key=lambda messages: len(messages), default=[])
        return Trajectory(status, tuple(main), meter.usage, meter.turns, error, tuple(notes))

    def _install(self, sandbox: Sandbox, episode: Episode) -> None:
        prompt = "\n\n".join(str(message["content"]) for message in episode.prompt) + _NOTE
        _run(sandbox, _WRITE, prompt.encode("utf-8", "backslashreplace"))
        if self.program.folder is not None:
            _run(sandbox, _UNPACK, self.program.folder)

    def _execute(self, sandbox: Sandbox, bridge: Bridge, meter: Meter) -> ExecResult:
        base_url = bridge.base_url(self.api)
        places = {"prompt_file": PROMPT_FILE, "folder": FOLDER, "base_url": base_url, "model": str(self.model)}
        argv = [_filled(word, places) for word in self.program.argv]
        owner = "ANTHROPIC" if self.api == "anthropic" else "OPENAI"
        environment = {
            **{name: value for name, value in ENVIRONMENT.items() if name != "XDG_CONFIG_HOME"},
            f"{owner}_BASE_URL": base_url,
            f"{owner}_API_KEY": "held-by-the-harness",
            f"{owner}_MODEL": str(self.model),
        }
        seconds = min(meter.seconds_left(), _LONGEST_S)
        return sandbox.exec(argv, env=environment, timeout_s=seconds, output_limit=_OUTPUT_LIMIT)


class Command(AgentPlugin):
    """`command`: a program of the user's own."""

    asks_model = True
    options = CommandOptions

    def make(self, settings: AgentSettings) -> Agent:
        chosen = options_in(settings.own, CommandOptions)
        try:
            argv = shlex.split(chosen.argv)
        except ValueError as problem:
            raise UserError(f"--opt command.argv: {chosen.argv!r} cannot be read: {problem}") from problem
        if not argv:
            raise UserError(
                "--agent command needs a program: --opt command.argv='python3 {folder}/agent.py {prompt_file}' "
                "--opt command.folder=DIR"
            )
        packed = None if chosen.folder is None else _pack(chosen.folder)
        model = settings.model
        return CommandAgent(model.model, model.api, Program(argv, packed), chat_settings(model))


def _ending(bridge: Bridge, result: ExecResult, answers: int) -> tuple[Status, str | None]:
    """How the episode ended, and why it is not completed.

    Raises:
        RunAborted: no episode can succeed.
    """
    ending = bridge.endpoint.ending
    if isinstance(ending, EpisodeError):
        return ending.status, str(ending)
    if ending is not None:
        raise ending
    last = (result.stderr or result.stdout)[-_LAST_WORDS:].decode("utf-8", "replace")
    said = f"; it said: {one_line(last)}" if last.strip() else ""
    if result.timed_out:
        return Status.LIMIT_REACHED, "time limit: the program was still at work"
    if not answers:
        return Status.AGENT_FAILED, f"the program ended with exit code {result.returncode}, without an answer{said}"
    if result.returncode != 0:
        return Status.AGENT_FAILED, f"the program ended with exit code {result.returncode}{said}"
    return Status.COMPLETED, None


def _run(sandbox: Sandbox, code: str, data: bytes) -> None:
    result = sandbox.exec(["python3", "-c", code], stdin=data)
    if result.returncode != 0:
        reason = one_line(result.stderr[-_LAST_WORDS:].decode("utf-8", "replace"))
        raise InfrastructureFailed(f"the program cannot be put into the sandbox: {reason}")


def _filled(word: str, places: Mapping[str, str]) -> str:
    """A word with its places filled in; other braces stay."""
    for name, value in places.items():
        word = word.replace(f"{{{name}}}", value)
    return word


def _pack(folder: Path) -> bytes:
    """A folder as a tar file that says nothing of this machine.

    Raises:
        UserError: it is none, or too large.
    """
    if not folder.is_dir():
        raise UserError(f"--opt command.folder={folder}: there is no such folder")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path in sorted(folder.rglob("*")):
            if "__pycache__" in path.parts:
                continue
            archive.add(path, str(path.relative_to(folder)), recursive=False, filter=_anonymous)
            if packed.tell() > FOLDER_LIMIT:
                raise UserError(
                    f"--opt command.folder={folder}: it holds more than {FOLDER_LIMIT} bytes; put large programs into "
                    "an image of your own (--image)"
                )
    return packed.getvalue()


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry
