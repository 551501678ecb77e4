"""The part of an episode that is the same in every scenario: a toolbox, a prompt, facts, and when it is finished."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Generic, Protocol, Self, TypeVar

from gitgoodbench.errors import InfrastructureFailed
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.jsontypes import Json
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.scenario import Message, Preview
from gitgoodbench.shell_tools import ShellTools
from gitgoodbench.tools import Tool


class Toolbox(Protocol):
    """Tools over one state."""

    @property
    def finished(self) -> bool: ...

    def functions(self) -> list[Callable[..., str]]:
        """Everything that can be offered as a tool."""
        ...

    def tools(self) -> list[Tool]:
        """What is offered."""
        ...


BoxT = TypeVar("BoxT", bound=Toolbox)


def without_state(kind: type[BoxT]) -> BoxT:
    """A toolbox of which only the functions' names, signatures and docstrings are wanted: nothing in it can be run."""
    return object.__new__(kind)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A sample before it has a sandbox: what an agent will be given. Scenarios add what they build a workspace from."""

    tools: Sequence[Tool]
    prompt: Sequence[Message]
    facts: Mapping[str, Json]

    def with_facts(self, more: Mapping[str, Json]) -> Self:
        """The same with more facts: what building the workspace has brought to light."""
        return replace(self, facts={**self.facts, **more})

    @property
    def preview(self) -> Preview:
        return Preview(self.prompt, [tool.schema for tool in self.tools], self.facts)


@contextmanager
def building_workspace() -> Iterator[None]:
    """Git that fails inside the sandbox while a workspace is built is no fault of the sample or the agent."""
    try:
        yield
    except GitError as problem:
        raise InfrastructureFailed(f"the workspace cannot be built: {problem}") from problem


class ToolboxEpisode(Generic[BoxT]):
    """Base of an Episode (see gitgoodbench.scenario), which adds `reminder` and `outcome`.

    git: on the workspace, inside `sandbox`. strict_tools: read no dialects in tool calls. bypassed_tools: set by an
    oracle that did its work past all tools.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        git: Git,
        toolbox: BoxT,
        prompt: Sequence[Message],
        facts: Mapping[str, Json],
        *,
        strict_tools: bool = False,
    ) -> None:
        self.sandbox = sandbox
        self.git = git
        self.toolbox = toolbox
        self.prompt = prompt
        self.facts = facts
        self.tools: Sequence[Tool] = [replace(tool, strict=strict_tools) for tool in toolbox.tools()]
        self.bypassed_tools = False

    @property
    def finished(self) -> bool:
        return self.toolbox.finished or self.bypassed_tools

    def begin_answer(self) -> None:
        """Nothing to settle where numbers keep their meaning."""

    @property
    def has_shell(self) -> bool:
        return isinstance(self.toolbox, ShellTools)
