"""A model behind the Chat Completions API, asked until it answers: time limits, retries, refused parameters."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gitgoodbench.errors import InfrastructureFailed
from gitgoodbench.models.answer import Answer, read_answer
from gitgoodbench.models.endpoint import Endpoint, NoAnswerInTime, Wait, wait_for
from gitgoodbench.models.faults import Refused, ServerFault, meaning, refused_parameter
from gitgoodbench.models.messages import Message
from gitgoodbench.models.meter import Budget, Clock, Meter, TimeIsUp
from gitgoodbench.models.options import MODEL_FLAGS, ModelFlags
from gitgoodbench.models.pricing import Price
from gitgoodbench.models.retry import Backoff, Draw


class ChatModel:
    """See the module's docstring. Conversations share only the connections and what the server is known to refuse."""

    def __init__(
        self,
        name: str,
        *,
        api_key: str,
        base_url: str | None = None,
        optional: Mapping[str, Any] | None = None,
        price: Price | None = None,
        request_timeout_s: float = 300.0,
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
            base_url: of the server, mostly ending in /v1; None is OpenAI's.
            optional: parameters of every request that are left out where the server refuses them.
            price: None is unknown; then so is every cost.
            request_timeout_s: for one request, from connecting to the last byte.
            clock, sleep, draw, wait: time and chance, for tests.
        """
        self.name = name
        self.price = price
        self._endpoint = Endpoint(base_url, api_key, wait)
        self._optional = dict(optional or {})
        self._request_timeout_s = request_timeout_s
        self._backoff = backoff or Backoff()
        self._flags = flags
        self._clock, self._sleep, self._draw = clock, sleep, draw
        self._refused: frozenset[str] = frozenset()

    def meter(self, budget: Budget) -> Meter:
        """A meter with this model's price and clock."""
        return Meter(budget, self.price, self._clock)

    def answer(self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], meter: Meter) -> Answer:
        """One answer of the model, as the loop asks for it (`loop.Chat`)."""
        fault: ServerFault | None = None
        for failures in range(self._backoff.tries):
            try:
                if fault is not None:
                    self._wait(failures, fault, meter)
                return self._ask(messages, tools, meter)
            except ServerFault as problem:
                fault = problem
            except TimeIsUp as problem:
                if fault is None:
                    raise
                raise InfrastructureFailed(f"{fault}; no time left to try again") from problem
        assert fault is not None
        raise fault.ending(f"{fault}; tried {self._backoff.tries} times")

    def _ask(self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], meter: Meter) -> Answer:
        """One try: one request, or one more for each optional parameter that turns out to be refused."""
        while True:
            optional = {name: value for name, value in self._optional.items() if name not in self._refused}
            for name in self._optional.keys() - optional.keys():
                meter.note(f"{name} left out: the server does not take it")
            body = {"model": self.name, "messages": messages, **optional}
            if tools:
                body["tools"] = tools
            try:
                return read_answer(self._post(body, meter))
            except Refused as problem:
                refused = refused_parameter(problem.refusal, optional)
                if refused is None:
                    raise meaning(problem.refusal, self.name, self._endpoint.address, self._flags) from None
                self._refused |= {refused}

    def _post(self, body: dict[str, Any], meter: Meter) -> bytes:
        left = meter.seconds_left()
        meter.requests += 1
        try:
            return self._endpoint.post(body, min(left, self._request_timeout_s))
        except NoAnswerInTime as problem:
            if left <= self._request_timeout_s:
                raise TimeIsUp("time limit: it ran out while the model was answering") from problem
            raise

    def _wait(self, failures: int, fault: ServerFault, meter: Meter) -> None:
        """Wait before the next try; not at all where the wait outlasts the episode's time."""
        seconds = self._backoff.wait_s(failures, fault.retry_after_s, self._draw)
        if seconds >= meter.seconds_left():
            raise TimeIsUp("time limit")
        self._sleep(seconds)
