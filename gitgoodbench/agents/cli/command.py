"""`command`: any program of the user's own. It gets the prompt by standard input and in a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from gitgoodbench.agents.base import Agent, AgentSettings
from gitgoodbench.agents.cli.contract import NO_KEY, CliAgent, CliOptions, Invocation, Task, words
from gitgoodbench.errors import AgentFailed, Status, UserError
from gitgoodbench.git.process import ExecResult
from gitgoodbench.plugin_options import Resolved
from gitgoodbench.text import did_you_mean

_EXAMPLE: Final = "--agent-arg argv='python3 agent.py {prompt_file}' --agent-arg folder=DIR"
_LONGEST_ARGUMENT: Final = 100_000
"""Bytes of a prompt that is an argument; Linux takes 131,071 of a whole one."""

_LARGEST_CODE: Final = 255
_PLACE: Final = re.compile(r"\{([a-z_]+)\}")

_PLACES: Final = ("prompt_file", "prompt", "folder", "base_url", "model")

Dialect = Literal["chat", "responses", "anthropic"]


def _absolute(path: Path | None) -> Path | None:
    return None if path is None else path.expanduser().resolve()


def _named(path: object) -> object:
    if path == "":  # which is where the user happens to be
        raise ValueError("name a folder, or leave the option out")
    return path


class CommandOptions(CliOptions):
    """Options of the agent."""

    argv: str = Field(
        default="",
        description="The program and its arguments, quoted as in a shell; {prompt_file}, {prompt}, {folder}, "
        "{base_url} and {model} are filled in, and files of the folder are found by their names.",
    )
    folder: Annotated[Path | None, BeforeValidator(_named), AfterValidator(_absolute), Resolved()] = Field(
        default=None, description="A folder of this machine with the program, to be read only; {folder} in the sandbox."
    )
    dialect: Dialect | None = Field(default=None, description="What the program speaks. Default: that of --api.")
    ok: str = Field(
        default="", description="Exit codes of a program that has done its work, such as 0,2. Default: any."
    )


class Command(CliAgent):
    """See the module's docstring."""

    name = "command"
    options = CommandOptions

    def make(self, settings: AgentSettings) -> Agent:
        chosen = _own(self.chosen(settings.own))
        if not words("argv", chosen.argv):
            raise UserError(f"--agent command needs a program: {_EXAMPLE}")
        _exit_codes(chosen.ok)
        _check_places(chosen)
        return super().make(settings)

    def api_of(self, own: Sequence[BaseModel]) -> str | None:
        return _own(self.chosen(own)).dialect

    def mounts(self, options: CliOptions) -> Mapping[str, Path]:
        folder = _own(options).folder
        if folder is None:
            return {}
        return {self.folder(): folder}

    def invocation(self, task: Task) -> Invocation:
        options = _own(task.options)
        places = {
            "prompt_file": task.prompt_file,
            "folder": self.folder(),
            "base_url": task.base_url,
            "model": task.model,
            "prompt": task.prompt.decode(),
        }
        argv = [
            _filled(_in_folder(word, options.folder, self.folder()), places) for word in words("argv", options.argv)
        ]
        if "{prompt}" in options.argv and len(task.prompt) > _LONGEST_ARGUMENT:
            raise AgentFailed(
                f"the prompt has {len(task.prompt)} bytes, more than an argument takes: use {{prompt_file}}"
            )
        owner = "ANTHROPIC" if task.api == "anthropic" else "OPENAI"
        environment = {
            f"{owner}_BASE_URL": task.base_url,
            f"{owner}_API_KEY": NO_KEY,
            f"{owner}_MODEL": task.model,
        }
        return Invocation([*argv, *task.arguments], environment, stdin=task.prompt)

    def ended(self, result: ExecResult, options: CliOptions) -> tuple[Status, str | None]:
        codes = _exit_codes(_own(options).ok)
        if codes and result.returncode not in codes:
            said = self.last_words(result)
            ending = f"the program ended with exit code {result.returncode}"
            return Status.AGENT_FAILED, f"{ending}; it said: {said}" if said else ending
        return Status.COMPLETED, None


def _own(options: CliOptions) -> CommandOptions:
    assert isinstance(options, CommandOptions)
    return options


def _check_places(options: CommandOptions) -> None:
    """Refuse a place that is meant to be filled in, and is not; braces may stand for anything else.

    Raises:
        UserError: there is one.
    """
    for name in _PLACE.findall(options.argv):
        if name not in _PLACES and (meant := did_you_mean(name, _PLACES)):
            known = ", ".join(f"{{{place}}}" for place in _PLACES)
            raise UserError(f"--agent-arg argv: {{{name}}} is no place that is filled in; {meant}there are: {known}")
        if name == "folder" and options.folder is None:
            raise UserError("--agent-arg argv: {folder} needs a folder: --agent-arg folder=DIR")


def _exit_codes(text: str) -> frozenset[int]:
    codes = text.replace(",", " ").split()
    if not all(code.isascii() and code.isdigit() and int(code) <= _LARGEST_CODE for code in codes):
        raise UserError(f"--agent-arg ok={text}: write exit codes from 0 to {_LARGEST_CODE}, such as 0,2")
    return frozenset(map(int, codes))


def _in_folder(word: str, folder: Path | None, inside: str) -> str:
    """A word that is the path of a file in the folder: where the sandbox has it."""
    if folder is None or word.startswith(("/", "-")) or ".." in Path(word).parts or "{" in word:
        return word
    return f"{inside}/{word}" if word and (folder / word).is_file() else word


def _filled(word: str, places: Mapping[str, str]) -> str:
    """A word with its places filled in, each once; other braces stay."""
    return _PLACE.sub(lambda found: places.get(found[1], found[0]), word)
