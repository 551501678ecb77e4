"""One small request before the first episode: whether key, model, tools and schema work, and which dialect is spoken.

What fails here would fail in every episode, so it ends the run in one line, before anything else is paid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from gitgoodbench.errors import EpisodeError, RunAborted
from gitgoodbench.models.answer import Answer
from gitgoodbench.models.chat import ChatModel
from gitgoodbench.models.finding import OPENING, Finding
from gitgoodbench.models.messages import Message
from gitgoodbench.models.meter import Budget

TIMEOUT_S: Final = 600.0
_CONNECTS: Final = 3
"""Tries at which nobody answers: more do not help where the address is wrong."""

TOOL: Final[dict[str, Any]] = {
    "type": "function",
    "function": {
        "name": "report_ready",
        "description": "Report that you are ready.",
        "parameters": {
            "type": "object",
            "properties": {"word": {"type": "string", "description": "the word ready"}},
            "required": ["word"],
            "additionalProperties": False,
        },
    },
}

_PROMPT: Final[Sequence[Message]] = (
    {"role": "user", "content": f"{OPENING} Call the tool report_ready with the word ready. Write nothing else."},
)


def try_tools(chat: ChatModel) -> Finding:
    """Ask for the call of a tool.

    Raises:
        RunAborted: no answer can be had; the message says what to do.
    """
    return probe(chat, _PROMPT, (TOOL,), lambda answer: any(call.name == "report_ready" for call in answer.calls))


def probe(
    chat: ChatModel,
    messages: Sequence[Message],
    tools: Sequence[dict[str, Any]],
    is_right: Callable[[Answer], bool],
) -> Finding:
    """Ask once, as an episode would.

    Raises:
        RunAborted: no answer can be had.
    """
    try:
        answer = chat.answer(
            messages, tools, chat.meter(Budget(max_turns=None, timeout_s=TIMEOUT_S)), connects=_CONNECTS
        )
    except EpisodeError as problem:
        raise RunAborted(f"{chat.name} at {chat.address} does not answer: {problem}") from problem
    return Finding(
        api=chat.api,
        address=chat.address,
        answered_by=answer.model,
        works=is_right(answer),
        usage=answer.tokens.prompt is not None and answer.tokens.completion is not None,
        dialect=(*answer.dialect, *chat.learnt),
    )
