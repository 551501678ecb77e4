"""A model, asked until it answers: time limits, retries, and what its server turns out to want otherwise."""

from __future__ import annotations

import contextlib
import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gitgoodbench.errors import InfrastructureFailed, RunAborted
from gitgoodbench.models.answer import Answer, Asked
from gitgoodbench.models.apis import APIS
from gitgoodbench.models.apis.base import FIELD, INSTEAD, STREAM, learn
from gitgoodbench.models.connections import Connections
from gitgoodbench.models.endpoint import Endpoint, NoAnswerInTime, Reply, Wait, wait_for
from gitgoodbench.models.faults import PARSER_HELP, Refusal, Refused, ServerFault, Whom, meaning
from gitgoodbench.models.messages import Message
from gitgoodbench.models.meter import Budget, Clock, Meter, TimeIsUp, Tokens
from gitgoodbench.models.options import MODEL_FLAGS, ModelFlags
from gitgoodbench.models.parameters import Parameters
from gitgoodbench.models.pricing import Price
from gitgoodbench.models.reading import STREAM as STREAMED
from gitgoodbench.models.reading import refuse_constant, unparsed_calls
from gitgoodbench.models.recording import Fate, Recorder, Request, recorder
from gitgoodbench.models.retry import Backoff, Draw
from gitgoodbench.models.sending import Sent
from gitgoodbench.models.sse import is_stream, read_events
from gitgoodbench.text import one_line

_OK, _TOO_MANY, _FIRST_ERROR = 200, 429, 300
_ANSWERS = ("choices", "output", "content")
_CONVERSATION = frozenset({"model", "messages", "input", "instructions", "system", "tools"})


class ChatModel:
    """See the module's docstring. Conversations share only the connections and what the server is known to want."""

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
        clock: Clock = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        draw: Draw = random.uniform,
        wait: Wait = wait_for,
    ) -> None:
        """
        Args:
            name: of the model.
            api: of `apis.APIS`.
            base_url: of the server, mostly ending in /v1; None is that of the API's owner.
            parameters: of every request; what the server refuses is left out from then on, but for `extra`.
            headers: further ones of every request.
            price: None is unknown; then so is every cost.
            request_timeout_s: for one request, from connecting to the last byte.
            connections: how many requests at once; None: as many as ask.
            clock, sleep, draw, wait: time and chance, for tests.
        """
        self.name = name
        self.price = price
        self._api = APIS[api]
        self._endpoint = Endpoint(api, base_url, api_key, headers or {}, wait)
        self._whom = Whom(name, self._endpoint.address, self._api.offers, flags)
        self._parameters = parameters or Parameters()
        self._request_timeout_s = request_timeout_s
        self._connections = connections or Connections()
        self._backoff = backoff or Backoff()
        self._clock, self._sleep, self._draw = clock, sleep, draw
        self._quirks: frozenset[str] = frozenset()
        self._left_out = tuple(self._api.leaves_out(name, self._parameters))
        self._has_called = False

    @property
    def api(self) -> str:
        return self._api.name

    @property
    def address(self) -> str:
        """Of the server."""
        return self._whom.where

    @property
    def learnt(self) -> tuple[str, ...]:
        """What the server was found to want otherwise, in words."""
        return (*self._left_out, *map(_in_words, sorted(self._quirks)))

    def meter(self, budget: Budget) -> Meter:
        """A meter with this model's price and clock."""
        return Meter(budget, self.price, self._clock)

    def answer(
        self,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]],
        meter: Meter,
        *,
        connects: int | None = None,
    ) -> Answer:
        """One answer of the model, as the loop asks for it (`loop.Chat`).

        Args:
            connects: give up after so many tries at which nobody answered, if that is fewer than otherwise.
        """
        fault: ServerFault | None = None
        failures = 0
        while failures < self._backoff.tries:
            if fault is not None and not fault.connected and failures == connects:
                break
            try:
                if fault is not None:
                    self._wait(failures, fault, meter)
                return self._ask(messages, tools, meter, failures + 1)
            except ServerFault as problem:
                fault = problem
                failures += 1
            except TimeIsUp as problem:
                if fault is None:
                    raise
                raise InfrastructureFailed(f"{fault}; no time left to try again") from problem
        assert fault is not None
        raise fault.ending(f"{fault}; tried {failures} times")

    def _ask(self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], meter: Meter, attempt: int) -> Answer:
        """One try: one request, or one more for each thing that the server turns out to want otherwise."""
        while True:
            quirks = self._quirks
            for words in (*self._left_out, *map(_in_words, sorted(quirks))):
                meter.note(words)
            body = self._api.body(self.name, messages, tools, self._parameters, quirks)
            try:
                answer = self._exchange(self._request(messages, tools, body), body, meter, attempt)
            except Refused as problem:
                extras = self._api.extras(messages)
                lesson = learn(self._api, problem.refusal, body, self._parameters.extra, extras)
                if lesson is None or lesson in quirks:
                    raise meaning(problem.refusal, self._whom) from None
                self._quirks |= {lesson}
                continue
            self._check_calls(answer, offered=bool(tools))
            return answer

    def _request(
        self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], body: Mapping[str, Any]
    ) -> Request:
        """The question, for whoever keeps books."""
        wanted = self._api.body(self.name, messages, tools, self._parameters, frozenset())
        return Request(
            self.name, tuple(messages), tools, _parameters(body), self.api, _parameters(wanted), self._endpoint.address
        )

    def _exchange(self, request: Request, body: dict[str, Any], meter: Meter, attempt: int) -> Answer:
        """The answer to a request. Whoever keeps books hears of it here, and only here, before it is used.

        Raises:
            Refused: the server answered with an error.
            ServerFault: it did not answer, or not as the API promises.
        """
        books, sent = recorder(), Sent(request, attempt)
        if (known := books.recall(request)) is not None:
            with contextlib.suppress(Refused, ServerFault):  # what is kept may be of a version that read it otherwise
                answer = self._read(Reply(_OK, known), request)
                books.received(sent.answered(answer, Reply(_OK, known), None, Fate.CACHED))
                meter.save(answer.tokens)
                meter.note("answers that were known are used again")
                return answer
        reply: Reply | None = None
        try:
            reply = self._post(body, meter, books, sent)
            answer = self._read(reply, request)
        except Exception as problem:
            if sent.begun is not None:
                tokens = Tokens() if reply is None else self._tokens_in(reply)
                books.received(sent.failed(problem, reply, tokens, meter.cost(tokens)))
            raise
        books.received(sent.answered(answer, reply, meter.cost(answer.tokens)))
        return answer

    def _post(self, body: dict[str, Any], meter: Meter, books: Recorder, sent: Sent) -> Reply:
        meter.seconds_left()
        meter.excuse(self._connections.enter())
        reply = None
        try:
            left = meter.seconds_left()
            books.asking(sent.request)
            sent.begin()
            meter.requests += 1
            reply = self._endpoint.post(body, min(left, self._request_timeout_s))
        except NoAnswerInTime as problem:
            if left <= self._request_timeout_s:
                raise TimeIsUp("time limit: it ran out while the model was answering") from problem
            raise
        else:
            return reply
        finally:
            status = None if reply is None else reply.status
            self._connections.leave(limited=status == _TOO_MANY, served=status == _OK)

    def _decode(self, reply: Reply) -> Any:
        if reply.status >= _FIRST_ERROR:
            raise Refused(Refusal.of(reply.status, reply.body.decode("utf-8", "replace"), reply.retry_after_s))
        try:
            value = self._value(reply)
        except (ValueError, LookupError, RecursionError) as problem:
            raise _unreadable(problem, reply) from None
        if isinstance(value, dict) and value.get("error") and not any(map(value.get, _ANSWERS)):
            raise Refused(_error_in(value, reply))
        return value

    def _value(self, reply: Reply) -> Any:
        if is_stream(reply.body, reply.content_type):
            whole = json.dumps(self._api.assemble(read_events(reply.body))).encode()
            return json.loads(self._endpoint.hide(whole))
        return json.loads(reply.body, parse_constant=refuse_constant)

    def _tokens_in(self, reply: Reply) -> Tokens:
        """What a reply that is no answer says that it used: it may be billed all the same."""
        try:
            return self._api.glance(self._value(reply)).tokens
        except (ValueError, LookupError, RecursionError):
            return Tokens()

    def _read(self, reply: Reply, request: Request) -> Answer:
        value = self._decode(reply)
        try:
            answer = self._api.read(value, Asked.of(request.messages, request.tools))
        except (ValueError, RecursionError) as problem:
            raise _unreadable(problem, reply) from None
        if is_stream(reply.body, reply.content_type):
            return replace(answer, dialect=(*answer.dialect, STREAMED))
        return answer

    def _check_calls(self, answer: Answer, *, offered: bool) -> None:
        """Stop where tool calls come as text, and none ever came as a call: every episode would fail."""
        if answer.calls:
            self._has_called = True
        elif offered and not self._has_called and unparsed_calls(answer.text or answer.thoughts):
            raise RunAborted(
                f"this server does not parse tool calls: {self.address} sends them as text "
                f"({one_line(answer.text or answer.thoughts, 80)!r}); {PARSER_HELP}"
            )

    def _wait(self, failures: int, fault: ServerFault, meter: Meter) -> None:
        """Wait before the next try; not at all where the wait outlasts the episode's time."""
        seconds = self._backoff.wait_s(failures, fault.retry_after_s, self._draw)
        if seconds >= meter.seconds_left():
            raise TimeIsUp("time limit")
        self._sleep(seconds)


def _parameters(body: Mapping[str, Any]) -> dict[str, Any]:
    """What a request holds beside the conversation."""
    return {name: value for name, value in body.items() if name not in _CONVERSATION}


def _unreadable(problem: Exception, reply: Reply) -> ServerFault:
    start = one_line(reply.body[:200].decode("utf-8", "replace"), 80)
    return ServerFault(f"the reply is not what the API promises: {one_line(str(problem))} (it begins {start!r})")


def _error_in(value: Mapping[str, Any], reply: Reply) -> Refusal:
    """What an error with status 200 says; gateways send such."""
    error = value["error"]
    status = error.get("code") if isinstance(error, dict) else None
    status = status if isinstance(status, int) and 400 <= status <= 599 else 502
    return Refusal.of(status, json.dumps(value), reply.retry_after_s)


def _in_words(quirk: str) -> str:
    if quirk == STREAM:
        return "answers are asked for as streams: the server sends no others"
    if quirk.startswith(FIELD):
        return f"{quirk.removeprefix(FIELD)} of earlier answers left out: the server does not take it"
    if quirk.endswith(INSTEAD):
        return f"{quirk}: the server wants it so"
    return f"{quirk} left out: the server does not take it"
