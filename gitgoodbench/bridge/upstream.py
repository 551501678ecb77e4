"""A provider's model behind the bridge: each request is passed on as it is, with model and key, and tried again.

The same server, key, price, connections and waits as of a `ChatModel`, without its translation: the client wrote the
request, and reads the reply.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gitgoodbench.bridge.account import Account, Entry
from gitgoodbench.bridge.chat_form import answer_of, messages_of, tools_of
from gitgoodbench.bridge.google import Google
from gitgoodbench.bridge.passing import Passing
from gitgoodbench.errors import InfrastructureFailed, RunAborted
from gitgoodbench.models.answer import Answer
from gitgoodbench.models.apis import APIS
from gitgoodbench.models.apis.base import Api, merged
from gitgoodbench.models.connections import Connections
from gitgoodbench.models.endpoint import Endpoint, NoAnswerInTime, Reply, Wait, wait_for
from gitgoodbench.models.faults import Refusal, Refused, ServerFault, Whom, meaning
from gitgoodbench.models.meter import TimeIsUp, Tokens
from gitgoodbench.models.options import MODEL_FLAGS, ModelFlags
from gitgoodbench.models.parameters import Parameters
from gitgoodbench.models.pricing import Price
from gitgoodbench.models.reading import refuse_constant
from gitgoodbench.models.recording import Request
from gitgoodbench.models.retry import Backoff, Draw
from gitgoodbench.models.sending import Sent
from gitgoodbench.models.sse import is_stream, read_events
from gitgoodbench.text import clean_json, one_line

_OK, _TOO_MANY, _FIRST_ERROR = 200, 429, 300
_HEADERS: Final = ("anthropic-beta", "anthropic-version")
"""Of the client's, those that go along."""

_CONVERSATION: Final = frozenset(
    {
        "model", "messages", "input", "instructions", "system", "tools", "contents", "systemInstruction",
        "system_instruction",
    }
)  # fmt: skip


class HalfAnswer(Exception):
    """The answer broke off when the client had a part of it already."""


@dataclass(frozen=True)
class Question:
    """A request as it is sent, and for the books. headers: of the client, that go along."""

    body: Mapping[str, Any]
    request: Request
    headers: Mapping[str, str]

    @property
    def streamed(self) -> bool:
        return self.body.get("stream") is True


class Upstream:
    """See the module's docstring. Arguments are those of `ChatModel`; of parameters only `extra` is sent."""

    def __init__(
        self,
        name: str,
        *,
        api_key: str,
        api: str = "chat",
        base_url: str | None = None,
        parameters: Parameters | None = None,
        headers: Mapping[str, str] | None = None,
        price: Price | None = None,
        request_timeout_s: float = 300.0,
        connections: Connections | None = None,
        backoff: Backoff | None = None,
        flags: ModelFlags = MODEL_FLAGS,
        sleep: Callable[[float], None] = time.sleep,
        draw: Draw = random.uniform,
        wait: Wait = wait_for,
    ) -> None:
        self.name, self.price = name, price
        self._api: Api | Google = Google() if api == "google" else APIS[api]
        self._endpoint = Endpoint(api, base_url, api_key, headers or {}, wait)
        self._whom = Whom(name, self._endpoint.address, self._api.offers, flags)
        self._extra = (parameters or Parameters()).extra
        self._request_timeout_s = request_timeout_s
        self._connections = connections or Connections()
        self._backoff = backoff or Backoff()
        self._sleep, self._draw = sleep, draw

    @property
    def api(self) -> str:
        return self._api.name

    def hide(self, data: bytes) -> bytes:
        """The data without the key."""
        return self._endpoint.hide(data)

    def question(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Question:
        """A client's request, closed off (`refusals`), as it goes to the provider."""
        sent: dict[str, Any] = {**merged(dict(clean_json(body)), self._extra), "model": self.name}
        if self.api == "chat" and sent.get("stream") is True:
            options = sent.get("stream_options")
            sent["stream_options"] = {**(options if isinstance(options, dict) else {}), "include_usage": True}
        parameters = {name: value for name, value in sent.items() if name not in _CONVERSATION}
        request = Request(
            self.name, tuple(messages_of(self.api, sent)), tools_of(self.api, sent), parameters, self.api,
            server=self._endpoint.address,
        )  # fmt: skip
        return Question(sent, request, {name: headers[name] for name in _HEADERS if name in headers})

    def ask(self, question: Question, entry: Entry, account: Account, passing: Passing) -> Reply:
        """The reply for the client: an answer, which is on record, or an error that it can do something about.

        Raises:
            EpisodeError: no answer can be had.
            RunAborted: none can be had in any episode.
            HalfAnswer: see there.
        """
        failures = 0
        while True:
            try:
                return self._try(question, entry, account, passing, failures + 1)
            except ServerFault as fault:
                failures += 1
                if passing.begun:
                    raise HalfAnswer(str(fault)) from fault
                if failures == self._backoff.tries:
                    raise fault.ending(f"{fault}; tried {failures} times") from fault
                self._wait(failures, fault, account)

    def _try(self, question: Question, entry: Entry, account: Account, passing: Passing, attempt: int) -> Reply:
        sent = Sent(question.request, attempt)
        reply: Reply | None = None
        try:
            reply = self._post(question, entry, account, passing, sent)
            answer = self._read(reply)
        except Exception as problem:
            if sent.begun is not None:
                tokens = Tokens() if reply is None else self._tokens_in(reply)
                entry.received(sent.failed(problem, reply, tokens, account.cost(tokens)))
            if reply is None or not isinstance(problem, Refused):
                raise
            meant = meaning(problem.refusal, self._whom)
            if isinstance(meant, ServerFault | RunAborted):
                raise meant from None
            return reply
        entry.received(sent.answered(answer, reply, account.cost(answer.tokens)))
        return reply

    def _post(self, question: Question, entry: Entry, account: Account, passing: Passing, sent: Sent) -> Reply:
        account.seconds_left()
        account.excuse(self._connections.enter())
        status: int | None = None
        try:
            left = account.seconds_left()
            seconds = min(left, self._request_timeout_s)
            entry.asking(question.request)
            sent.begin()
            reply = self._endpoint.pass_on(
                question.body,
                seconds,
                headers=question.headers,
                hear=passing.listen(),
                meanwhile=lambda: entry.sent(question.request),
            )
            status = reply.status
        except NoAnswerInTime as problem:
            if left <= self._request_timeout_s:
                raise TimeIsUp("time limit: it ran out while the model was answering") from problem
            raise
        finally:
            self._connections.leave(limited=status == _TOO_MANY, served=status == _OK)
        return reply

    def _read(self, reply: Reply) -> Answer:
        """The answer in a reply, for the books.

        Raises:
            Refused: it is an error.
            ServerFault: it is not what the API promises.
        """
        if reply.status >= _FIRST_ERROR:
            raise Refused(Refusal.of(reply.status, reply.body.decode("utf-8", "replace"), reply.retry_after_s))
        try:
            value = self._value(reply)
            if isinstance(value, dict) and value.get("error"):
                raise Refused(Refusal.of(502, json.dumps(value), reply.retry_after_s))
            message = clean_json(answer_of(self.api, value))
        except (ValueError, LookupError, RecursionError) as problem:
            start = one_line(reply.body[:200].decode("utf-8", "replace"), 80)
            raise ServerFault(
                f"the reply is not what the API promises: {one_line(str(problem))} (it begins {start!r})"
            ) from None
        glance = self._api.glance(value)
        return Answer(
            message, (), glance.finish_reason or "", glance.tokens, response_id=glance.response_id, model=glance.model
        )

    def _value(self, reply: Reply) -> Any:
        if is_stream(reply.body, reply.content_type):
            return self._api.assemble(read_events(reply.body))
        return json.loads(reply.body, parse_constant=refuse_constant)

    def _tokens_in(self, reply: Reply) -> Tokens:
        """What a reply that is no answer says that it used: it may be billed all the same."""
        try:
            return self._api.glance(self._value(reply)).tokens
        except (ValueError, LookupError, RecursionError):
            return Tokens()

    def _wait(self, failures: int, fault: ServerFault, account: Account) -> None:
        seconds = self._backoff.wait_s(failures, fault.retry_after_s, self._draw)
        if seconds >= account.seconds_left():
            raise InfrastructureFailed(f"{fault}; no time left to try again")
        self._sleep(seconds)
