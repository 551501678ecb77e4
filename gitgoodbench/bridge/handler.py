"""One client's HTTP connection: bounded requests in, replies out. Whatever breaks the rules ends that connection."""

from __future__ import annotations

import io
import json
import zlib
from http.client import responses
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import unquote

from gitgoodbench.bridge.connection import Connection, Reading, Writing
from gitgoodbench.bridge.routes import MODELS, error_body, is_probe, model_body, models_body, route
from gitgoodbench.models.reading import refuse_constant
from gitgoodbench.text import one_line

if TYPE_CHECKING:
    from gitgoodbench.bridge.endpoint import ModelEndpoint

BODY_LIMIT: Final = 32 * 1024 * 1024
"""Bytes of one request, unpacked."""

_BUFFER: Final = 64 * 1024
_DIGITS: Final = 10
_LINE: Final = 1024
_JSON: Final = "application/json"
_NOT_SERVED: Final = 404
_WINDOW_BITS: Final = {"gzip": 31, "deflate": 15}


class _Turned(Exception):
    """The request is turned away."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Handler(BaseHTTPRequestHandler):
    """Serves a connection to its end. It is a `passing.Client`, too."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "gitgoodbench", ""

    def __init__(self, connection: Connection, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint
        self._bytes = connection
        self._status = 0
        super().__init__(cast(Any, connection), ("sandbox", 0), cast(Any, None))

    def setup(self) -> None:
        self.rfile = io.BufferedReader(Reading(self._bytes), _BUFFER)
        self.wfile = cast(Any, Writing(self._bytes))

    def finish(self) -> None:
        """Nothing is held back, and whoever opened the connection closes it."""

    def do_GET(self) -> None:
        """The models, or one of them; nothing else can be got."""
        path = self._path()
        body = None
        if path == MODELS:
            body = models_body(self._endpoint.models)
        elif path.startswith(f"{MODELS}/"):
            body = model_body(unquote(path.removeprefix(f"{MODELS}/")), self._endpoint.models)
        if body is None:
            self._turn_away(404, None, "not served by the bridge")
        else:
            self.reply(200, _JSON, body)

    def do_HEAD(self) -> None:
        """As GET, without the body."""
        self.do_GET()

    def do_POST(self) -> None:
        """A request to a model."""
        path, _, query = self.path.partition("?")
        api, streamed = route(path, query) or (None, None)
        try:
            body = self._read_body()
            if api is None or api not in self._endpoint.apis:
                self._turn_away(404, api, "not served by the bridge")
                return
            value = _read_object(body)
            if streamed is not None:
                value["stream"] = streamed
        except _Turned as problem:
            self.close_connection = True
            self._turn_away(problem.status, api, str(problem))
            return
        headers = {name.lower(): content for name, content in self.headers.items()}
        self._endpoint.answer(api, value, headers, len(body), self)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """What the base class finds wrong with a request: its form, or a method that is not served."""
        self.close_connection = True
        self.path = getattr(self, "path", "")
        status = 403 if self.command == "CONNECT" else int(code)
        self._turn_away(status, None, "there is no way out" if status == 403 else "not served by the bridge")

    def log_message(self, format: str, *args: Any) -> None:
        """The account tells of requests; nothing is printed."""

    @property
    def status(self) -> int:
        """Of the last reply that went out whole; 0 where none did."""
        return self._status

    def reply(self, status: int, content_type: str, body: bytes) -> None:
        """A whole reply."""
        head = self._head(status, {"Content-Type": content_type or _JSON, "Content-Length": str(len(body))})
        self.wfile.write(head + (b"" if self.command == "HEAD" else body))
        self._status = status

    def problem(self, status: int, api: str | None, message: str) -> None:
        """An error in the words of the API."""
        self.reply(status, _JSON, error_body(api, status, message))

    def begin(self, content_type: str) -> None:
        """See `passing.Client`."""
        self._status = 0
        self._chunked = self.request_version == "HTTP/1.1"
        self.close_connection = self.close_connection or not self._chunked
        fields = {"Content-Type": content_type, "Cache-Control": "no-cache"}
        self.wfile.write(self._head(200, fields | ({"Transfer-Encoding": "chunked"} if self._chunked else {})))

    def write(self, data: bytes) -> None:
        """See `passing.Client`."""
        if data:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data) if self._chunked else data)

    def end(self) -> None:
        """See `passing.Client`."""
        if self._chunked:
            self.wfile.write(b"0\r\n\r\n")
        self._status = 200

    def break_off(self) -> None:
        """End the connection in the middle of an answer, so that the client sees that it is not whole."""
        self.close_connection = True

    def _head(self, status: int, fields: dict[str, str]) -> bytes:
        if self.close_connection:
            fields = {**fields, "Connection": "close"}
        phrase = responses.get(status, "")
        lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        return "\r\n".join(lines).encode("latin-1", "replace")

    def _path(self) -> str:
        return self.path.partition("?")[0]

    def _turn_away(self, status: int, api: str | None, message: str) -> None:
        if status != _NOT_SERVED or not is_probe(self._path()):
            self._endpoint.report(f"{self._asked()}: {message}")
        self.problem(status, api, message)

    def _asked(self) -> str:
        return one_line(f"{self.command or ''} {self.path}", 100) or "what is no request"

    def _read_body(self) -> bytes:
        """The body of a request.

        Raises:
            _Turned: it is too long, of no known form, or cut off.
        """
        lengths = self.headers.get_all("Content-Length") or []
        coding = (self.headers.get("Transfer-Encoding") or "").strip().lower()
        if coding:
            if coding != "chunked" or lengths:
                raise _Turned(400, "a body in no form that is read here")
            data = self._read_chunks()
        else:
            if len(set(lengths)) != 1 or not (lengths[0].isascii() and lengths[0].isdigit()):
                raise _Turned(411 if not lengths else 400, "a body without length")
            data = self._read_exactly(lengths[0])
        return _unpacked(data, (self.headers.get("Content-Encoding") or "identity").strip().lower())

    def _read_exactly(self, length: str) -> bytes:
        if len(length.lstrip("0")) > _DIGITS or int(length) > BODY_LIMIT:
            raise _Turned(413, f"a request of more than {BODY_LIMIT} bytes")
        data = self.rfile.read(int(length))
        if len(data) < int(length):
            self._endpoint.report(f"{self._asked()}: cut off in the middle")
            raise ConnectionResetError("the request is cut off")
        return data

    def _read_chunks(self) -> bytes:
        data = bytearray()
        while True:
            size = self.rfile.readline(_LINE).partition(b";")[0].strip()
            if not size or len(size) > 8 or not all(digit in b"0123456789abcdefABCDEF" for digit in size):
                raise _Turned(400, "a chunk without length")
            if int(size, 16) == 0:
                break
            if len(data) + int(size, 16) > BODY_LIMIT:
                raise _Turned(413, f"a request of more than {BODY_LIMIT} bytes")
            data += self._read_exactly(str(int(size, 16)))
            self.rfile.readline(_LINE)
        for _ in range(100):
            if self.rfile.readline(_LINE).strip() == b"":
                return bytes(data)
        raise _Turned(400, "a request without end")


def _unpacked(data: bytes, coding: str) -> bytes:
    if coding == "identity":
        return data
    if coding not in _WINDOW_BITS:
        raise _Turned(415, f"a body packed as {one_line(coding, 40)}: send it as it is, or as gzip")
    unpacking = zlib.decompressobj(_WINDOW_BITS[coding])
    try:
        plain = unpacking.decompress(data, BODY_LIMIT)
    except zlib.error:
        raise _Turned(400, "a body that is not packed as it says") from None
    if unpacking.unconsumed_tail:
        raise _Turned(413, f"a request of more than {BODY_LIMIT} bytes")
    return plain


def _read_object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise _Turned(400, "a body that is no JSON") from None
    if not isinstance(value, dict):
        raise _Turned(400, "a body that is no JSON object")
    return value
