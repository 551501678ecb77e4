"""Lines of trajectory.jsonl and judging.jsonl as types, for the JSON schema and for whoever reads the files."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gitgoodbench.errors import Status
from gitgoodbench.models.meter import Usage
from gitgoodbench.models.recording import Fate

Message = dict[str, Any]
"""A chat message as the Chat Completions API has it."""

Ranges = list[tuple[int, int]]
"""Numbers of messages in order, as (first, last) of those that follow one another."""


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid")

    time: str


class EpisodeLine(_Line):
    """Whose conversation follows. Numbers count from here. Of judges: only `episode`."""

    kind: Literal["episode"]
    format: int
    episode: str | None = None
    sample_id: str | None = None
    scenario: str | None = None
    epoch: int | None = None
    agent: str | None = None
    model: str | None = None


class RequestSetting(BaseModel):
    """What is the same in many requests. tools: their schemas. parameters: everything else that is sent."""

    api: str
    model: str
    parameters: dict[str, Any]
    tools: list[dict[str, Any]]


class RequestLine(_Line):
    """How the model is asked from here on, under a number."""

    kind: Literal["request"]
    number: int
    asked: RequestSetting


class MessageLine(_Line):
    """A message that is not the model's: a prompt, the result of a tool, a reminder.

    conversation: in which it came first, where a file has several.
    """

    kind: Literal["message"]
    number: int
    message: Message
    conversation: str | None = None


class _Exchange(_Line):
    """One request and what came of it.

    conversation: which one, where a file has several. request: number of its `request` line. messages: what was said
    before. started: UTC. seconds: until the last byte. attempt: 1 for the first try of an answer. tokens: as far as
    the server counts them. model: as the server names it.
    """

    conversation: str | None
    request: int
    messages: Ranges
    started: str
    seconds: float
    attempt: int
    tokens: dict[str, int] | None
    cost_usd: float | None
    response_id: str | None
    model: str | None


class AnswerLine(_Exchange):
    """An answer of the model. cached: it was known, and cost nothing."""

    kind: Literal["answer"]
    number: int
    message: Message
    cached: bool
    finish_reason: str | None


class FaultLine(_Exchange):
    """A request without an answer. status: HTTP's. cause: on one line. partial: what arrived."""

    kind: Literal["fault"]
    fate: Fate
    status: int | None
    cause: str
    partial: str | None


class AsideRecord(BaseModel):
    """A conversation beside the main one. call: id of the call that it works on. messages: all of it."""

    model_config = ConfigDict(extra="forbid")

    name: str
    call: str | None
    messages: Ranges


class EndLine(_Line):
    """How the episode's agent ended. messages: the whole conversation. notes: what was not done as asked.

    conversation: the name of the main one, where a file has several; asides: the others.
    """

    kind: Literal["end"]
    messages: Ranges
    status: Status
    error: str | None
    turns: int
    usage: Usage
    notes: list[str]
    conversation: str | None = None
    asides: list[AsideRecord] = []


TranscriptLine = Annotated[
    EpisodeLine | RequestLine | MessageLine | AnswerLine | FaultLine | EndLine, Field(discriminator="kind")
]
