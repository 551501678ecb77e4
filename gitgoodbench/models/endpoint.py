"""One HTTP request to a model's server through the SDK of its API, bounded in time and size.

The SDK's own retries are off. Replies are read as bytes: the SDK would build objects from whatever it was sent.
openai and anthropic are made by the same generator, so what is true of the one's client is true of the other's.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from http.client import HTTPException
from typing import Any, Final, cast
from urllib.parse import quote

from gitgoodbench.errors import UserError
from gitgoodbench.models.api_key import ApiKey
from gitgoodbench.models.faults import ServerFault
from gitgoodbench.models.retry import retry_after_s
from gitgoodbench.models.wire import Wire
from gitgoodbench.text import one_line

GOOGLE: Final = "https://generativelanguage.googleapis.com"

REPLY_LIMIT = 32 * 1024 * 1024
"""Bytes of one reply that are read."""

_HTTP_LIBRARIES = frozenset({"httpx", "httpx2", "httpcore", "httpcore2"})
_CONNECT_S = 30.0
_VERSION = re.compile(r"/v1(?:alpha|beta)?\Z")
_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie", re.IGNORECASE)


_NEVER_CONNECTED = frozenset({"ConnectError", "ConnectTimeout"})
"""Errors of the HTTP library after which a server cannot have got the request."""


_NOT_REACHED = (ConnectionRefusedError, socket.gaierror)
_FIRST_ERROR = 300
_MOVED = frozenset({301, 302, 303, 307, 308})
_PATHS = {"chat": "/chat/completions", "responses": "/responses", "anthropic": "/v1/messages"}


class NoAnswerInTime(ServerFault):
    """The server did not finish its reply in time."""


@dataclass(frozen=True)
class Reply:
    """What a server sent, be it an answer or an error. retry_after_s: how long it asks to wait."""

    status: int
    body: bytes
    content_type: str = ""
    retry_after_s: float | None = None


Hear = Callable[[str, bytes], None]
"""Told of each piece of an answer: the answer's content type, and the bytes."""

Wait = Callable[["Future[Reply]", float], Reply]
"""The result of what runs in another thread; raises TimeoutError after so many seconds."""


def wait_for(result: Future[Reply], seconds: float) -> Reply:
    """Wait in real time."""
    return result.result(seconds)


class Endpoint:
    """The server at `base_url` (None: that of the API's owner). May be used from several threads at once.

    api: of `apis.APIS`, or google. headers: further ones of every request. wait: for tests.
    """

    def __init__(
        self,
        api: str,
        base_url: str | None,
        api_key: str,
        headers: Mapping[str, str] | None = None,
        wait: Wait = wait_for,
    ) -> None:
        self._sdk = _sdk_of(api)
        client: Any
        ways: Any = None
        stand_ins: dict[str, Any] = {} if api == "responses" else {"messages": []}
        if api == "anthropic":
            # The SDK adds /v1 itself; people give the URL with it, as for all other servers.
            base_url = base_url and base_url.rstrip("/").removesuffix("/v1")
            client = self._sdk.Anthropic(base_url=base_url, api_key=api_key, max_retries=0)
            ways, stand_ins["max_tokens"] = client.messages, 1
        elif api == "google":
            client = self._sdk.OpenAI(base_url=google_url(base_url), api_key=api_key, max_retries=0)
        else:
            client = self._sdk.OpenAI(base_url=base_url, api_key=api_key, max_retries=0)
            ways = client.responses if api == "responses" else client.chat.completions
        if api == "google":
            self._create: Any = partial(_generate, client, api_key, self._sdk.Omit())
        else:
            self._create = partial(ways.with_streaming_response.create, **stand_ins)
        self._secrets = [ApiKey(secret) for secret in (api_key, *_secrets_in(headers or {}))]
        self._headers = dict(headers or {})
        self._wait = wait
        self.address = str(client.base_url).rstrip("/")
        own = {name: value for name, value in client.default_headers.items() if isinstance(value, str)}
        key = {"x-goog-api-key": api_key} if api == "google" else {"Authorization": f"Bearer {api_key}"}
        self._api, self._wire = api, Wire.to(self.address, {**key, **own})

    def post(
        self,
        body: Mapping[str, Any],
        seconds: float,
        *,
        headers: Mapping[str, str] | None = None,
        hear: Hear | None = None,
    ) -> Reply:
        """Send a request; the reply, whatever its status.

        Args:
            body: of the request, as the API has it; `model` at least.
            seconds: for everything, from connecting to the last byte, however slowly the server sends.
            headers: further ones of this request.
            hear: told of the bytes of an answer as they arrive, with its content type, in a thread that may outlive
                the call. The key is not hidden in them.

        Raises:
            ServerFault: no reply, or half of one.
        """
        arrived = bytearray()
        try:
            reply = _within(seconds, lambda: self._send(body, seconds, arrived, headers or {}, hear), self._wait)
        except TimeoutError:
            half = self.hide(bytes(arrived))
            raise NoAnswerInTime(f"no answer within {seconds:.3g} s", partial=half) from None
        return replace(reply, body=self.hide(reply.body))

    def pass_on(
        self,
        body: Mapping[str, Any],
        seconds: float,
        *,
        headers: Mapping[str, str],
        hear: Hear,
        meanwhile: Callable[[], None],
    ) -> Reply:
        """As `post`, on this thread and without the SDK, where no proxy stands in the way.

        Args:
            meanwhile: done once the request is sent.
        """
        if self._wire is None:
            meanwhile()
            return self.post(body, seconds, headers=headers, hear=hear)
        path, sent = _google(body) if self._api == "google" else (_PATHS[self._api], body)
        data = json.dumps(sent, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        arrived = bytearray()
        try:
            with self._wire.post(path, data, {**headers, **self._headers}, seconds, meanwhile) as answered:
                kind, ok = answered.headers.get("content-type", ""), answered.status < _FIRST_ERROR
                packed = answered.headers.get("content-encoding", "identity")
                if packed != "identity":
                    raise ServerFault(f"the reply is packed as {one_line(packed, 40)}, which nobody asked for")
                _read(answered.pieces, math.inf, arrived, partial(hear, kind) if ok else None)
        except TimeoutError:
            raise NoAnswerInTime(f"no answer within {seconds:.3g} s", partial=self.hide(bytes(arrived))) from None
        except (OSError, HTTPException) as problem:
            raise self._broken(problem, arrived, connected=not isinstance(problem, _NOT_REACHED)) from None
        if answered.status in _MOVED:
            return self.post(body, seconds, headers=headers, hear=hear)
        asked = retry_after_s(cast("Mapping[str, str]", answered.headers), time.time())
        return Reply(answered.status, self.hide(bytes(arrived)), kind if ok else "", None if ok else asked)

    def _broken(self, cause: BaseException, arrived: bytes | bytearray, *, connected: bool) -> ServerFault:
        detail = self.hide(f"{type(cause).__name__}: {cause}".encode("utf-8", "replace"))
        return ServerFault(
            f"the connection failed ({one_line(detail.decode())})",
            partial=self.hide(bytes(arrived)),
            connected=connected,
        )

    def hide(self, data: bytes) -> bytes:
        """The data without the key and without what headers hold of that kind."""
        for secret in self._secrets:
            data = secret.hide(data)
        return data

    def _send(
        self,
        body: Mapping[str, Any],
        seconds: float,
        arrived: bytearray,
        headers: Mapping[str, str],
        hear: Hear | None,
    ) -> Reply:
        deadline = time.monotonic() + seconds
        timeout = self._sdk.Timeout(seconds, connect=min(seconds, _CONNECT_S))
        # The SDK walks all of `messages` each time (50 ms for a hundred of them), but sends an extra body as it is.
        sent = {"model": body["model"], "extra_body": body, "timeout": timeout}
        try:
            with self._create(**sent, extra_headers={**headers, **self._headers}) as response:
                content_type = response.headers.get("content-type", "")
                _read(response.iter_bytes(), deadline, arrived, hear and partial(hear, content_type))
                return Reply(response.status_code, bytes(arrived), content_type)
        except self._sdk.APIStatusError as problem:
            asked = retry_after_s(problem.response.headers, time.time())
            return Reply(problem.status_code, problem.response.content, retry_after_s=asked)
        except (self._sdk.APITimeoutError, TimeoutError):
            raise TimeoutError from None
        except Exception as problem:
            if not self._is_connection_problem(problem):
                raise
            cause = problem.__cause__ or problem
            connected = type(cause).__name__ not in _NEVER_CONNECTED
            raise self._broken(cause, arrived, connected=connected) from None

    def _is_connection_problem(self, problem: Exception) -> bool:
        """Whether it comes from the network.

        While a body is read, the SDK passes on the errors of its HTTP library; which one depends on its version.
        """
        library = type(problem).__module__.partition(".")[0]
        return isinstance(problem, self._sdk.APIConnectionError | OSError) or library in _HTTP_LIBRARIES


def google_url(base_url: str | None) -> str:
    """The base URL of a server of Google's API, with the version of the API that people leave out."""
    url = (base_url or GOOGLE).rstrip("/")
    return url if _VERSION.search(url) else f"{url}/v1beta"


def _generate(
    client: Any,
    api_key: str,
    omitted: Any,
    *,
    model: str,  # noqa: ARG001 (it is in the body)
    extra_body: Mapping[str, Any],
    extra_headers: Mapping[str, str],
    timeout: Any,
) -> Any:
    """What `create` is for the other APIs: Google's has no SDK here, model and stream stand in the address."""
    path, body = _google(extra_body)
    headers = {"X-Stainless-Raw-Response": "stream", "Authorization": omitted, "x-goog-api-key": api_key}
    options = {"headers": {**headers, **extra_headers}, "timeout": timeout}
    return contextlib.closing(client.post(path, cast_to=object, body=body, options=options))


def _google(body: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Where a request of Google's API goes, and what is sent there."""
    how = "streamGenerateContent?alt=sse" if body.get("stream") is True else "generateContent"
    model = quote(str(body["model"]).removeprefix("models/"), safe="")
    return f"/models/{model}:{how}", {name: value for name, value in body.items() if name not in ("model", "stream")}


def _read(
    chunks: Iterator[bytes], deadline: float, body: bytearray, hear: Callable[[bytes], None] | None = None
) -> None:
    """Put the whole body into `body`, as it arrives, and tell of it.

    Raises:
        ServerFault: it is too long.
        TimeoutError: it is not complete at the deadline.
    """
    for chunk in chunks:
        body += chunk
        if len(body) > REPLY_LIMIT:
            raise ServerFault(f"the reply is longer than {REPLY_LIMIT} bytes")
        if time.monotonic() > deadline:
            raise TimeoutError
        if hear is not None:
            hear(chunk)


def _secrets_in(headers: Mapping[str, str]) -> list[str]:
    """Values of headers that are keys, as their names say, without the scheme before them."""
    return [value.rpartition(" ")[2] for name, value in headers.items() if _SECRET_HEADER.search(name)]


def _sdk_of(api: str) -> Any:
    """The package that speaks an API.

    Raises:
        UserError: it is not installed.
    """
    if api != "anthropic":
        import openai

        return openai
    try:
        import anthropic
    except ImportError as problem:
        raise UserError("--api anthropic needs a package more: pip install 'gitgoodbench[anthropic]'") from problem
    return anthropic


def _within(seconds: float, work: Callable[[], Reply], wait: Wait) -> Reply:
    """Do the work in a thread of its own, and leave it behind when the time is up.

    Time-outs of sockets bound the gaps between bytes only: a server that sends one now and then would hold us for ever.

    Raises:
        TimeoutError: the time is up.
    """
    result: Future[Reply] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as problem:
            result.set_exception(problem)

    threading.Thread(target=run, name="chat-request", daemon=True).start()
    return wait(result, seconds)
