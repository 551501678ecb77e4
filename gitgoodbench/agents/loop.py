"""The conversation between a model and an episode's tools, on one page.

It ends when the episode is finished, or by an `EpisodeError` whose status becomes the trajectory's: a limit, a model
that gave up, a server that stayed broken. Everything the model gets wrong in a call goes back to it as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.agents.calls import run_answer
from gitgoodbench.errors import EpisodeError, GaveUp, LimitReached, Status
from gitgoodbench.models.answer import Answer
from gitgoodbench.models.messages import tool_result
from gitgoodbench.models.meter import Meter
from gitgoodbench.models.recording import say
from gitgoodbench.scenario import Episode, Message
from gitgoodbench.text import clean, clean_json, one_line


class Chat(Protocol):
    """A model that answers a conversation."""

    def answer(self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], meter: Meter) -> Answer:
        """Ask once, trying again where that can help; every request and note goes to the meter.

        Raises:
            EpisodeError: no answer can be had.
            RunAborted: none can be had in any episode.
        """
        ...


def converse(episode: Episode, chat: Chat, meter: Meter) -> Trajectory:
    """Let the model work until it is done or stopped."""
    messages: list[Message] = []
    for message in episode.prompt:
        say(messages, clean_json(dict(message)))
    status, error = Status.COMPLETED, None
    try:
        _work(episode, chat, meter, messages)
    except EpisodeError as ending:
        status, error = ending.status, str(ending)
    return Trajectory(status, tuple(messages), meter.usage, meter.turns, error, tuple(meter.notes))


def _work(episode: Episode, chat: Chat, meter: Meter, messages: list[Message]) -> None:
    schemas = [tool.schema for tool in episode.tools]
    reminded = False
    while not episode.finished:
        meter.check()
        answer = chat.answer(messages, schemas, meter)
        meter.count(answer.tokens)
        messages.append(answer.message)
        _refuse_unusable(answer)
        if answer.calls:
            reminded = False
            _run_calls(episode, answer, meter, messages)
        elif reminded:
            raise GaveUp("answered twice in a row without calling a tool")
        else:
            reminded = True
            say(messages, {"role": "user", "content": clean(episode.reminder)})


def _run_calls(episode: Episode, answer: Answer, meter: Meter, messages: list[Message]) -> None:
    results = run_answer(episode, answer.calls, meter.seconds_left)
    for call, result in zip(answer.calls, results, strict=True):
        for reading in result.readings:
            meter.note(f"answer {meter.turns}, {one_line(call.name, 80)}: {reading}")
        say(messages, tool_result(call.id, result.text))


def _refuse_unusable(answer: Answer) -> None:
    if answer.finish_reason == "content_filter":
        raise GaveUp("the content filter cut the answer off")
    if answer.finish_reason == "length" and answer.is_empty:
        raise LimitReached("context limit: the answer was cut off before it said anything")
