"""One HTTP request to a Chat Completions server through the openai SDK, bounded in time and size.

The SDK's own retries are off. Replies are read as bytes: the SDK would build objects from whatever it was sent.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from typing import Any

import openai

from gitgoodbench.models.api_key import ApiKey
from gitgoodbench.models.faults import Refusal, Refused, ServerFault
from gitgoodbench.models.retry import retry_after_s
from gitgoodbench.text import one_line

REPLY_LIMIT = 32 * 1024 * 1024
"""Bytes of one reply that are read."""

_HTTP_LIBRARIES = frozenset({"httpx", "httpx2", "httpcore", "httpcore2"})
_CONNECT_S = 30.0


class NoAnswerInTime(ServerFault):
    """The server did not finish its reply in time."""


Wait = Callable[["Future[bytes]", float], bytes]
"""The result of what runs in another thread; raises TimeoutError after so many seconds."""


def wait_for(result: Future[bytes], seconds: float) -> bytes:
    """Wait in real time."""
    return result.result(seconds)


class Endpoint:
    """The server at `base_url` (None: OpenAI's). May be used from several threads at once. wait: for tests."""

    def __init__(self, base_url: str | None, api_key: str, wait: Wait = wait_for) -> None:
        self._client = openai.OpenAI(base_url=base_url, api_key=api_key, max_retries=0)
        self._key = ApiKey(api_key)
        self._wait = wait
        self.address = str(self._client.base_url).rstrip("/")

    def post(self, body: Mapping[str, Any], seconds: float) -> bytes:
        """Send a request; the reply's body.

        Args:
            body: of the request, as the API has it; `model` and `messages` at least.
            seconds: for everything, from connecting to the last byte, however slowly the server sends.

        Raises:
            Refused: the server answered with an error.
            ServerFault: no answer, or half of one.
        """
        try:
            reply = _within(seconds, lambda: self._send(body, seconds), self._wait)
        except TimeoutError:
            raise NoAnswerInTime(f"no answer within {seconds:.3g} s") from None
        return self._key.hide(reply)

    def _send(self, body: Mapping[str, Any], seconds: float) -> bytes:
        deadline = time.monotonic() + seconds
        timeout = openai.Timeout(seconds, connect=min(seconds, _CONNECT_S))
        create: Any = self._client.chat.completions.with_streaming_response.create
        try:
            # The SDK walks all of `messages` each time (50 ms for a hundred of them), but sends an extra body as it is.
            with create(model=body["model"], messages=[], extra_body=body, timeout=timeout) as response:
                return _read(response.iter_bytes(), deadline)
        except openai.APIStatusError as problem:
            asked = retry_after_s(problem.response.headers, time.time())
            text = self._key.hide(problem.response.content).decode("utf-8", "replace")
            raise Refused(Refusal.of(problem.status_code, text, asked)) from None
        except (openai.APITimeoutError, TimeoutError):
            raise TimeoutError from None
        except Exception as problem:
            if not _is_connection_problem(problem):
                raise
            cause = problem.__cause__ or problem
            detail = self._key.hide(f"{type(cause).__name__}: {cause}".encode("utf-8", "replace"))
            raise ServerFault(f"the connection failed ({one_line(detail.decode())})") from None


def _read(chunks: Iterator[bytes], deadline: float) -> bytes:
    """The whole body.

    Raises:
        ServerFault: it is too long.
        TimeoutError: it is not complete at the deadline.
    """
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > REPLY_LIMIT:
            raise ServerFault(f"the reply is longer than {REPLY_LIMIT} bytes")
        if time.monotonic() > deadline:
            raise TimeoutError
    return bytes(body)


def _is_connection_problem(problem: Exception) -> bool:
    """Whether it comes from the network.

    While a body is read, the SDK passes on the errors of its HTTP library; which one that is depends on its version.
    """
    library = type(problem).__module__.partition(".")[0]
    return isinstance(problem, openai.APIConnectionError | OSError) or library in _HTTP_LIBRARIES


def _within(seconds: float, work: Callable[[], bytes], wait: Wait) -> bytes:
    """Do the work in a thread of its own, and leave it behind when the time is up.

    Time-outs of sockets bound the gaps between bytes only: a server that sends one now and then would hold us for ever.

    Raises:
        TimeoutError: the time is up.
    """
    result: Future[bytes] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as problem:
            result.set_exception(problem)

    threading.Thread(target=run, name="chat-request", daemon=True).start()
    return wait(result, seconds)
