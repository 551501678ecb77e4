"""Servers that speak as real ones do: every API, and Chat Completions in its dialects. Each is strict in what it takes.

    with speaking(DIALECTS["Gemini"], STEPS) as server:
        ...

plays the steps in the dialect, to a conversation or after a preflight, and fails where a request is not what a server
of that kind takes: results that belong to no call, thoughts that do not come back, parameters that it refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from tests.support.dialect import Body, Dialect, Play, Step
from tests.support.dialects_of_chat import CHAT, chat, check_chat
from tests.support.dialects_of_others import OTHERS, check_messages, check_responses, messages, responses
from tests.support.llm_reply import Reply
from tests.support.scripted_llm import ScriptedServer

__all__ = ["CHAT", "DIALECTS", "OTHERS", "Dialect", "Step", "speaking"]

DIALECTS = {**CHAT, **OTHERS}
_SAYS: Mapping[str, Callable[[Play, Step], Reply]] = {"chat": chat, "responses": responses, "anthropic": messages}
_TAKES: Mapping[str, Callable[[Body], None]] = {
    "chat": check_chat,
    "responses": check_responses,
    "anthropic": check_messages,
}


@contextmanager
def speaking(dialect: Dialect, steps: Sequence[Step]) -> Iterator[ScriptedServer]:
    """A server of that kind that plays the steps."""
    if dialect.one_call:
        steps = [Step((call,), step.text) for step in steps for call in step.calls]
    play = Play(dialect, list(steps), _SAYS[dialect.api], _TAKES[dialect.api])
    with ScriptedServer(play, preflights=False) as server:
        yield server
