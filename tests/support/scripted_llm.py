"""A real HTTP server on the loopback interface that plays a model from a script.

    with ScriptedServer([calls("view_file_at", path="a.py"), fault.status(500), says("done")]) as server:
        agent = OpenAIAgent("scripted", base_url=server.url, api_key="none")
        ...
        assert server.requests[0].tool_names == ["view_file_at"]

A list is played in order, whoever asks. For episodes that run at the same time, give a function of the request, or
`each_episode([...])`, which plays its steps to every conversation by itself. What a function raises is raised again
when the server is closed.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from gitgoodbench.models import endpoint
from gitgoodbench.models.finding import OPENING
from tests.support import llm_fault as fault
from tests.support.llm_reply import Call, Reply, calls, calls_all, calls_raw, replies, says

__all__ = [
    "Call",
    "Reply",
    "Request",
    "ScriptedServer",
    "calls",
    "calls_all",
    "calls_raw",
    "each_episode",
    "fault",
    "replies",
    "says",
]


_SCHEMA_KEPT = '{"reason": "test", "preferred": "TIE"}'


@dataclass(frozen=True)
class Request:
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        """The JSON body; fails where it is not valid UTF-8 JSON."""
        body = json.loads(self.raw.decode("utf-8"))
        assert isinstance(body, dict)
        return body

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body["messages"])

    @property
    def last(self) -> str:
        """The content of the last message: the tool result or the user's text that the model answers."""
        return str(self.messages[-1]["content"])

    @property
    def turn(self) -> int:
        """How many answers the model has given in this conversation; 0 at first."""
        return sum(message["role"] == "assistant" for message in self.messages)

    @property
    def prompt(self) -> str:
        """The system and user messages before the first answer, as one text: what tells conversations apart."""
        opening = []
        for message in self.messages:
            if message["role"] == "assistant":
                break
            opening.append(str(message["content"]))
        return "\n".join(opening)

    @property
    def tool_names(self) -> list[str]:
        return [tool["function"]["name"] for tool in self.body.get("tools", [])]


Script = Callable[[Request], Reply]


def each_episode(steps: Sequence[Reply]) -> Script:
    """A script that every conversation goes through by itself, told by the answers it already holds.

    Faults do not fit in here: they add no answer, so the same step would come again for ever.
    """

    def play(request: Request) -> Reply:
        return steps[request.turn] if request.turn < len(steps) else _end_of_script(request.turn)

    return play


class ScriptedServer:
    """See the module's docstring. `url` is the base URL, `requests` what arrived, in order, but for `preflights`."""

    def __init__(self, script: Sequence[Reply] | Script, *, preflights: bool = True) -> None:
        """
        Args:
            preflights: answer preflights here; False: they are part of the script.
        """
        self.requests: list[Request] = []
        self.preflights: list[Request] = []
        self._answers_preflights = preflights
        self._script = script
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._stalled = threading.Semaphore(0)
        self._problems: list[Exception] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.scripted = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        if self._problems and value is None:
            raise self._problems[0]

    def reply_to(self, request: Request) -> Reply:
        """The reply that the script has for a request."""
        if self._answers_preflights and OPENING.encode() in request.raw:
            self.preflights.append(request)
            return calls("report_ready", word="ready") if request.tool_names else says(_SCHEMA_KEPT)
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
        if not callable(self._script):
            return self._script[number] if number < len(self._script) else _end_of_script(number)
        try:
            return self._script(request)
        except Exception as problem:
            self._problems.append(problem)
            return fault.status(400, f"the script failed: {problem!r}")

    def time_out(self, result: Future[endpoint.Reply], _: float) -> endpoint.Reply:
        """Wait as an `Endpoint` does, but time is up when this server keeps a client waiting, however fast it is."""
        while not result.done():
            if self._stalled.acquire(timeout=0.01):
                raise TimeoutError
        return result.result()

    def wait(self, seconds: float) -> None:
        """Keep the client waiting, but not beyond the server's end."""
        if seconds:
            self._stalled.release()
        self._closing.wait(seconds)


def _end_of_script(number: int) -> Reply:
    return fault.status(400, f"the script has no step {number}")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    scripted: ScriptedServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up in the middle are what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.scripted.reply_to(Request(self.path, headers, raw))
        self.server.scripted.wait(reply.delay_s)
        if reply.drop_after == 0:
            self._hang_up()
            return
        self._send_head(reply)
        self._send_body(reply)

    def _send_head(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _send_body(self, reply: Reply) -> None:
        if reply.seconds_per_byte:
            for i in range(len(reply.body)):
                self.wfile.write(reply.body[i : i + 1])
                self.server.scripted.wait(reply.seconds_per_byte)
            return
        self.wfile.write(reply.body[: reply.drop_after])
        if reply.drop_after is not None:
            self._hang_up()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:
        pass
