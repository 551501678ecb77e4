"""What goes between a trainer and the machine with the sandboxes."""

from __future__ import annotations

from typing import Any

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class GitAction(Action):
    """One call of a tool. arguments: an object, or the JSON text that a model wrote. Without a tool, the model stops
    with what it has done.
    """

    tool: str | None = None
    arguments: dict[str, Any] | str = Field(default_factory=dict)


class GitObservation(Observation):
    """After `reset`: prompt and tools, in Chat Completions form. After `step`: text, what the model is to read.

    reminder: what to tell a model that answers without a call. metadata: with the last one, the parts of the reward
    and all metrics.
    """

    task: str = ""
    text: str = ""
    is_error: bool = False
    prompt: list[dict[str, Any]] = Field(default_factory=list)
    tools: list[dict[str, Any]] = Field(default_factory=list)
    reminder: str = ""


class GitState(State):
    """task: its id. status, reward: of the last episode that ended, until the next reset."""

    task: str | None = None
    status: str | None = None
    reward: float | None = None
