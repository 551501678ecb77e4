"""What an API is: how a request is written, and how what comes back is read. Pure; `endpoint` does the sending.

Conversations are kept in Chat Completions form, whatever API they go by. What a server wants back beyond that form is
kept in the message, under names that its own API module knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from gitgoodbench.models.answer import Answer, Asked
from gitgoodbench.models.faults import Refusal, refused_parameter
from gitgoodbench.models.messages import Message
from gitgoodbench.models.meter import Tokens
from gitgoodbench.models.parameters import Parameters

STREAM: Final = "streams only"
"""The quirk of a server that sends nothing but streams."""

FIELD: Final = "message field "
"""Begins the quirk of a server that does not want a further field of a message back."""

INSTEAD: Final = " instead"
"""Ends the quirk of a server that wants something put in another way."""

_STREAM_ONLY: Final = re.compile(
    r"only supports? (?:the )?stream|\bstream\b[^.]*\b(?:must be|only|required|enable|set to true)|non-?stream",
    re.IGNORECASE,
)

Quirks = frozenset[str]
"""What a server was found to want otherwise: names of parameters that it refuses, and words that its API knows."""


@dataclass(frozen=True)
class Glance:
    """What the books need of any reply, read without trust: whatever is missing is None."""

    tokens: Tokens = field(default_factory=Tokens)
    response_id: str | None = None
    model: str | None = None
    finish_reason: str | None = None


class Api(Protocol):
    """One way to ask models.

    name: as `--api` takes it. offers: what it is called in messages. optional: top-level fields of a request that may
    be left out where the server refuses them.
    """

    name: str
    offers: str
    optional: frozenset[str]

    def body(
        self,
        model: str,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]],
        parameters: Parameters,
        quirks: Quirks,
    ) -> dict[str, Any]:
        """A request. tools: in Chat Completions form."""
        ...

    def leaves_out(self, model: str, parameters: Parameters) -> Iterator[str]:
        """In words, what of the parameters this API does not have for that model."""
        ...

    def extras(self, messages: Sequence[Message]) -> frozenset[str]:
        """Names of further fields that go back with answers of the conversation, and that a server may refuse."""
        ...

    def switch(self, refusal: Refusal, body: Mapping[str, Any]) -> str | None:
        """The quirk, other than a refused field, that a refusal of this request teaches."""
        ...

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Any:
        """The reply that a stream of events stands for.

        Raises:
            ValueError: the stream is cut off.
        """
        ...

    def glance(self, reply: Any) -> Glance:
        """See `Glance`. Never raises."""
        ...

    def read(self, reply: Any, asked: Asked) -> Answer:
        """The answer in a reply.

        Raises:
            ValueError: it is not what the API promises.
        """
        ...


def learn(
    api: Api, refusal: Refusal, body: Mapping[str, Any], fixed: Mapping[str, Any], extras: frozenset[str]
) -> str | None:
    """The quirk that a refusal teaches, if mending the request can help.

    Args:
        body: the request. fixed: what the user insists on. extras: further fields of its messages.
    """
    if refusal.status not in (400, 422):
        return None
    if not body.get("stream") and _STREAM_ONLY.search(refusal.message):
        return STREAM
    offered = [name for name in body if name in api.optional and name not in fixed]
    extra = refused_parameter(refusal, extras)
    return api.switch(refusal, body) or refused_parameter(refusal, offered) or (extra and FIELD + extra)


def kept(fields: Mapping[str, Any], quirks: Quirks) -> dict[str, Any]:
    """The fields that are given and not refused."""
    return {name: value for name, value in fields.items() if value is not None and name not in quirks}


def merged(body: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """The request with the user's own fields, which win; objects are merged."""
    result = dict(body)
    for name, value in extra.items():
        before = result.get(name)
        both = isinstance(before, dict) and isinstance(value, Mapping)
        result[name] = merged(before, value) if both and before is not None else value
    return result


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}
