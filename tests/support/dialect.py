"""What a server of models is, for `dialects`: what it says, how it says it, and what it takes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gitgoodbench.models.finding import OPENING
from tests.support import llm_fault as fault
from tests.support.llm_reply import Call, Reply
from tests.support.scripted_llm import Request

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
Body = dict[str, Any]
STREAMS = "answers are asked for as streams: the server sends no others"


@dataclass(frozen=True)
class Step:
    """What the model wants to say: text, and calls."""

    calls: tuple[Call, ...]
    text: str = ""


READY = Step((Call.of("report_ready", word="ready"),))


@dataclass(frozen=True)
class Dialect:
    """One kind of server. found: what a preflight says of it, the dialect in words.

    refuses: an error in place of an answer. message: a message as this server sends it. wraps: the whole reply.
    checks: fails where a later request is not what this server takes.
    """

    found: tuple[str, ...] = ()
    api: str = "chat"
    model: str = "scripted"
    refuses: Callable[[Body], Reply | None] = lambda _: None
    message: Callable[[Body], Body] = lambda message: message
    wraps: Callable[[Body], Reply] = lambda body: fault.answer(body)
    checks: Callable[[Body], None] = lambda _: None
    one_call: bool = False


@dataclass
class Play:
    """Where a server is in its script. says, takes: an answer, and a request, as its API has them."""

    dialect: Dialect
    steps: list[Step]
    says: Callable[[Play, Step], Reply]
    takes: Callable[[Body], None]
    done: int = 0
    number: int = field(default=0)

    def __call__(self, request: Request) -> Reply:
        body = request.body
        refusal = self.dialect.refuses(body)
        if refusal is not None:
            return refusal
        if OPENING in request.raw.decode():
            return self.says(self, READY)
        self.takes(body)
        if self.done:
            self.dialect.checks(body)
        step = self.steps[self.done]
        self.done += 1
        return self.says(self, step)

    def next_id(self) -> str:
        self.number += 1
        return f"call_{self.number}"


def wants_stream(body: Body) -> Reply | None:
    if body.get("stream") is not True:
        return fault.status(400, "This model only support stream mode, please enable the stream parameter.")
    return None


def sse(*events: Any, end: str = "data: [DONE]\n\n") -> Reply:
    text = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + end
    return Reply(text.encode(), content_type="text/event-stream")
