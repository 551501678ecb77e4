"""An answer of a model, whatever API it came by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gitgoodbench.models.messages import Message, ToolCall
from gitgoodbench.models.meter import Tokens


@dataclass(frozen=True)
class Answer:
    """One answer of the model.

    message: for the conversation, with all that its server wants back. calls: as written. text, thoughts: what it says
    and what it thought. response_id, model: as the server names them. dialect: what had to be read in another way than
    the API's documents say.
    """

    message: Message
    calls: tuple[ToolCall, ...]
    finish_reason: str
    tokens: Tokens
    text: str = ""
    thoughts: str = ""
    response_id: str | None = None
    model: str | None = None
    dialect: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.calls and not self.text.strip()


@dataclass(frozen=True)
class Asked:
    """What an answer is read against: the tools that were offered, and the ids of calls that are in use."""

    tools: frozenset[str] = frozenset()
    ids: frozenset[str] = frozenset()

    @classmethod
    def of(cls, messages: Iterable[Message], tools: Iterable[Message]) -> Asked:
        """Of a request in Chat Completions form."""
        calls = [call for message in messages for call in message.get("tool_calls") or ()]
        return cls(frozenset(tool["function"]["name"] for tool in tools), frozenset(call["id"] for call in calls))
