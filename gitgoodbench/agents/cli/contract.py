"""What a command-line agent is: one class in one file, found by an entry point of the group `gitgoodbench.agents`.

    class Codex(CliAgent):
        name = "codex"
        api = "responses"

        def invocation(self, task: Task) -> Invocation:
            return Invocation([self.program("codex"), "exec", "-m", task.model], stdin=task.prompt)

It says which program is run, how, and how to read what it leaves. It opens nothing, runs nothing and counts nothing:
sandbox, bridge, budget and records are the harness's (`playing`).
"""

from __future__ import annotations

import shlex
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final

from pydantic import BaseModel, Field, create_model

from gitgoodbench.agents.base import Agent, AgentPlugin, AgentSettings
from gitgoodbench.agents.images.locks import read_lock
from gitgoodbench.agents.images.recipe import AGENTS_ROOT, Recipe, read_recipe, recipe_names
from gitgoodbench.errors import Status, UserError
from gitgoodbench.git.process import ExecResult
from gitgoodbench.plugin_options import options_in
from gitgoodbench.sandbox.base import Needs
from gitgoodbench.text import one_line

NO_KEY: Final = "held-by-the-harness"
"""What programs are given as their API key, since most refuse to start without one."""

_LAST_WORDS: Final = 300


@dataclass(frozen=True)
class Task:
    """What an agent is to do, and with which model. Paths are as it sees them.

    prompt: all that it is told; also in `prompt_file`. It can have hundreds of kilobytes: never an argument.
    api, base_url: which it speaks, and where, as clients of this API take it. reasoning_effort: None: the model's own.
    home: a folder of its own, writable and empty, but for `files` of its invocation and its user's configuration.
    arguments: further ones of its program, from its user. options: its own, as the user gave them.
    """

    prompt: bytes
    prompt_file: str
    api: str
    base_url: str
    model: str
    reasoning_effort: str | None
    home: str
    arguments: tuple[str, ...] = ()
    options: CliOptions = field(default_factory=lambda: CliOptions())


@dataclass(frozen=True)
class Invocation:
    """What is run, at the root of the working tree.

    environment: laid over that of every agent (`playing`): HOME, the XDG folders, TMPDIR, PATH with the agent's own
    programs first, and Git's, which stays closed. files: written before, by their paths below the home; folders: made.
    """

    argv: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    folders: tuple[str, ...] = ()


class CliOptions(BaseModel):
    """Options of every command-line agent."""

    args: str = Field(default="", description="Further arguments of the agent's program, quoted as in a shell.")
    env: str = Field(default="", description="Further environment variables of it, such as 'A=1 B=2'.")

    def arguments(self) -> tuple[str, ...]:
        """`args`, word by word.

        Raises:
            UserError: they cannot be read.
        """
        return words("args", self.args)

    def environment(self) -> dict[str, str]:
        """`env`.

        Raises:
            UserError: it cannot be read.
        """
        found = {}
        for word in words("env", self.env):
            name, equals, value = word.partition("=")
            if not equals or not name:
                raise UserError(f"--agent-arg env: {word!r} is no NAME=VALUE")
            found[name] = value
        return found


def words(option: str, text: str) -> tuple[str, ...]:
    """The words of an option that is written as for a shell.

    Raises:
        UserError: a quotation does not end.
    """
    try:
        return tuple(shlex.split(text))
    except ValueError as problem:
        raise UserError(f"--agent-arg {option}: {text!r} cannot be read: {problem}") from problem


class CliAgent(AgentPlugin):
    """See the module's docstring.

    name: of its entry point, and of the recipe of its image (`agents.images`), if it has one. api: that its program
    speaks: chat, responses, anthropic or google; apis: where it speaks several, of which --api names one. sets_effort:
    whether `invocation` passes a reasoning effort on; else the bridge puts it into requests. config_folder: where,
    below its home, it looks for its user's configuration. logs: globs of its own logs, below its home; its standard
    output and error are kept anyway. version: the command that prints its version, and with it on record in the
    manifest.
    """

    asks_model = True
    own_tools = True
    name: ClassVar[str]
    api: ClassVar[str] = "chat"
    apis: ClassVar[tuple[str, ...]] = ()
    sets_effort: ClassVar[bool] = False
    config_folder: ClassVar[str] = ".config"
    logs: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if cls.options is None:  # each has a class of its own, by which its options are told from those of others
            cls.options = create_model(f"{cls.__name__}Options", __base__=CliOptions)

    @classmethod
    def recipe(cls) -> Recipe | None:
        """What its image is made of, and its version; None: the program is the user's own."""
        return read_recipe(cls.name) if cls.name in recipe_names() else None

    @classmethod
    def folder(cls) -> str:
        """Where a sandbox has what the agent consists of."""
        return f"{AGENTS_ROOT}/{cls.name}"

    @classmethod
    def program(cls, name: str) -> str:
        """The path of one of its programs in its image."""
        return f"{cls.folder()}/bin/{name}"

    @classmethod
    def image(cls) -> str | None:
        """The image that has it, as `gitgoodbench image build --agent` names it."""
        recipe = cls.recipe()
        return None if recipe is None else recipe.tag(read_lock(recipe).version)

    def needs(self) -> Needs:
        """See `AgentPlugin.needs`."""
        image = self.image()
        return Needs(self.name, image, None if image is None else f"gitgoodbench image build --agent {self.name}")

    @abstractmethod
    def invocation(self, task: Task) -> Invocation:
        """What is run for a task."""

    def version(self) -> Mapping[str, Sequence[str]]:
        """Of what has a part in the agent (itself, Node), the command that prints its version."""
        recipe = self.recipe()
        if recipe is None:
            return {}
        own = {self.name: [recipe.program, *recipe.content.version_argv]}
        return own | ({"node": [self.program("node"), "--version"]} if recipe.has_node else {})

    def api_of(self, own: Sequence[BaseModel]) -> str | None:  # noqa: ARG002
        """See `AgentPlugin.api_of`."""
        return None if self.apis else self.api

    def chosen(self, own: Sequence[BaseModel]) -> CliOptions:
        """Its own options among those that were given."""
        declared = self.options
        assert declared is not None
        assert issubclass(declared, CliOptions)
        return options_in(own, declared)

    def mounts(self, options: CliOptions) -> Mapping[str, Path]:  # noqa: ARG002
        """Folders of this machine that its sandboxes have, to be read only, by their paths there.

        Raises:
            UserError: one is not there.
        """
        return {}

    def ended(self, result: ExecResult, options: CliOptions) -> tuple[Status, str | None]:  # noqa: ARG002
        """How it ended where the host knows nothing else: it was answered, and has ended by itself.

        By default its outcome is scored like any other, whatever its exit code: programs that have done their work end
        with 1, and others with 0 that have not.
        """
        return Status.COMPLETED, None

    def last_words(self, result: ExecResult) -> str:
        """What it said last, in one line; empty where it said nothing."""
        said = result.stderr if result.stderr.strip() else result.stdout
        return one_line(said[-_LAST_WORDS:].decode("utf-8", "replace")).strip()

    def make(self, settings: AgentSettings) -> Agent:
        from gitgoodbench.agents.cli.playing import CliPlayer

        if self.apis and settings.model.api not in self.apis:
            raise UserError(f"--api {settings.model.api}: {self.name} speaks {', '.join(self.apis)}")
        return CliPlayer(self, settings)
