"""A TensorZero gateway of our own on the loopback interface: the real one's answers, and its faults when asked for.

    with TensorZeroServer() as gateway:
        inference = gateway.add_inference("coder", [{"type": "text", "text": "..."}])
        gateway.faults.append(status(503))
        ...
        assert gateway.feedback[0]["value"] == 0.5

`tests/tensorzero` asks the real gateway what `tests/support/tensorzero_rows` says, and `tests/feedback` asks this one.
"""

from __future__ import annotations

import json
import re
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Literal, Self

from tests.support.tensorzero_listing import NotListed, listed
from tests.support.tensorzero_validation import Invalid, check_demonstration, check_feedback

METRICS: Final = {
    "ted_reward": ("float", "inference"),
    "episode_reward": ("float", "episode"),
    "kept": ("boolean", "inference"),
}

Fault = Callable[["TensorZeroServer", "Handler", Callable[[], object]], None]
"""What happens instead of an answer. The last argument answers as usual, without telling."""


def status(code: int, text: str = "no", headers: Mapping[str, str] | None = None) -> Fault:
    """Nothing is done, and the answer is an error."""
    return lambda _server, handler, _usual: handler.say(code, {"error": text}, headers)


def hang_up(*, after_storing: bool) -> Fault:
    """The connection is cut instead of an answer."""

    def fault(_server: TensorZeroServer, handler: Handler, usual: Callable[[], object]) -> None:
        if after_storing:
            usual()
        handler.cut()

    return fault


def lose(_server: TensorZeroServer, handler: Handler, _usual: Callable[[], object]) -> None:
    """200 with an id, and nothing is stored."""
    handler.say(200, {"feedback_id": new_id()})


def stall(server: TensorZeroServer, _handler: Handler, _usual: Callable[[], object]) -> None:
    """No answer before the server is closed."""
    server.closing.wait(60)


def new_id(milliseconds: int | None = None) -> str:
    """A UUID of version 7."""
    made = time.time_ns() // 1_000_000 if milliseconds is None else milliseconds
    rest = uuid.uuid4().int & ((1 << 74) - 1)
    number = made << 80 | 7 << 76 | (rest >> 62) << 64 | 2 << 62 | (rest & ((1 << 62) - 1))
    return str(uuid.UUID(int=number))


@dataclass
class TensorZeroServer:
    """The gateway.

    waits: seconds that it takes to say that an inference does not exist, where it would be fresh and where it would be
    old; the real one takes 6.1 and 2.0. internal: whether it offers GET /internal/feedback. key: what it asks for.
    faults: what happens to the next requests for feedback, one each. store: "newest" as with Postgres, where the latest
    demonstration is shown; "latest value" as with ClickHouse, where a filter sees the latest value alone.
    """

    metrics: dict[str, tuple[str, str]] = field(default_factory=lambda: dict(METRICS))
    functions: list[str] = field(default_factory=lambda: ["coder", "other"])
    waits: tuple[float, float] = (0.0, 0.0)
    internal: bool = False
    key: str | None = None
    store: Literal["postgres", "clickhouse"] = "postgres"
    faults: list[Fault] = field(default_factory=list)
    inferences: list[dict[str, Any]] = field(default_factory=list)
    feedback: list[dict[str, Any]] = field(default_factory=list)
    requests: list[tuple[str, Any]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    closing: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"server_of": self}))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()

    def add_inference(
        self,
        function: str,
        output: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        tags: Mapping[str, str] | None = None,
        episode: str | None = None,
        variant: str = "base",
        at: float | None = None,
        milliseconds: int | None = 4,
    ) -> str:
        """An inference that was made before; its id."""
        seconds = time.time() if at is None else at
        made = new_id(int(seconds * 1000))
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds * 1000) % 1000:03}Z"
        shown: dict[str, Any] = {
            "type": "chat",
            "function_name": function,
            "variant_name": variant,
            "inference_id": made,
            "episode_id": episode or new_id(int(seconds * 1000)),
            "timestamp": stamp,
            "input": {"messages": [{"role": "user", "content": [{"type": "text", "text": "a prompt"}]}]},
            "output": [dict(block) for block in output],
            "additional_tools": [{"type": "function", "strict": False, **tool} for tool in tools],
            "dispreferred_outputs": [],
            "tags": dict(tags or {}),
        }
        if milliseconds is not None:
            shown["processing_time_ms"] = milliseconds
        self.inferences.append(shown)
        return made

    def stored(self, metric: str) -> list[Any]:
        """The values of a metric, in the order in which they came."""
        return [one["value"] for one in self.feedback if one["metric_name"] == metric]

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        """Status and JSON."""
        match method, path.partition("?")[0].split("/")[1:]:
            case "GET", ["health" | "status"]:
                return 200, {"gateway": "ok", "postgres": "ok"}
            case "GET", ["internal", "feedback", target] if self.internal:
                return 200, {"feedback": [self._row(one) for one in self.feedback if target in _targets(one)]}
            case "POST", ["feedback"]:
                return self._give(body)
            case "POST", ["v1", "inferences", "get_inferences"]:
                found = [one for one in self.inferences if one["inference_id"] in body["ids"]]
                return 200, {"inferences": self._shown(found, body.get("output_source", "inference"))}
            case "POST", ["v1", "inferences", "list_inferences"]:
                try:
                    found = listed(self, body)
                except NotListed as problem:
                    return problem.status, {"error": str(problem)}
                return 200, {"inferences": self._shown(found, body.get("output_source", "inference"))}
        return 404, {"error": f"Route not found: {method} {path}"}

    def _give(self, body: Any) -> tuple[int, Any]:
        try:
            check_feedback(body, self.metrics)
            target = body.get("inference_id") or body["episode_id"]
            self._find(target, "inference_id" if body.get("inference_id") else "episode_id")
            self._check_value(body)
        except Invalid as problem:
            return problem.status, {"error": str(problem)}
        made = new_id()
        if not body.get("dryrun"):
            with self.lock:
                self.feedback.append({**body, "id": made})
        return 200, {"feedback_id": made}

    def _find(self, target: str, kind: str) -> None:
        """Wait for something that may be stored soon, as the real one does."""
        age = time.time() - (uuid.UUID(target).int >> 80) / 1000
        if not any(one[kind] == target for one in self.inferences):
            time.sleep(self.waits[0] if age < 5 else self.waits[1])
            raise Invalid(f"{'Inference' if kind == 'inference_id' else 'Episode'} ID: {target} does not exist")

    def _check_value(self, body: Mapping[str, Any]) -> None:
        name, value = body["metric_name"], body["value"]
        if name == "demonstration":
            inference = next(one for one in self.inferences if one["inference_id"] == body["inference_id"])
            check_demonstration(value, inference["additional_tools"])
        elif name == "comment":
            if not isinstance(value, str):
                raise Invalid("Feedback value for a comment must be a string")
        elif self.metrics[name][0] == "float":
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise Invalid(f"Feedback value for metric `{name}` must be a number")
        elif not isinstance(value, bool):
            raise Invalid(f"Feedback value for metric `{name}` must be a boolean")

    def _shown(self, found: list[dict[str, Any]], source: str) -> list[dict[str, Any]]:
        if source != "demonstration":
            return found
        shown = []
        for one in found:
            values = [
                given["value"]
                for given in self.feedback
                if given["metric_name"] == "demonstration" and given["inference_id"] == one["inference_id"]
            ]
            if values:
                latest = values[-1] if self.store == "postgres" else values[0]
                blocks = [{"type": "text", "text": latest}] if isinstance(latest, str) else latest
                shown.append({**one, "output": [_as_output(block) for block in blocks]})
        return shown

    def _row(self, given: Mapping[str, Any]) -> dict[str, Any]:
        kind = self.metrics.get(given["metric_name"], (given["metric_name"],))[0]
        return {"type": kind, "id": given["id"], "value": given["value"], "tags": given.get("tags", {})} | (
            {"inference_id": given["inference_id"]}
            if kind == "demonstration"
            else {"target_id": _targets(given)[0], "metric_name": given["metric_name"]}
        )


def _targets(given: Mapping[str, Any]) -> list[str]:
    return [str(given[name]) for name in ("inference_id", "episode_id") if given.get(name)]


def _as_output(block: Mapping[str, Any]) -> dict[str, Any]:
    if block["type"] != "tool_call":
        return dict(block)
    return {**block, "raw_name": block["name"], "raw_arguments": json.dumps(block["arguments"])}


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_of: TensorZeroServer
    silent = False

    def do_GET(self) -> None:
        self._answer("GET", None)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if "application/json" not in (self.headers.get("content-type") or ""):
            return self.say(400, {"error": "Request must have `Content-Type: application/json`"})
        try:
            body = json.loads(raw, parse_constant=_no_number)
        except ValueError as problem:
            return self.say(400, {"error": f"Failed to parse the request body as JSON: {problem}"})
        return self._answer("POST", body)

    def _answer(self, method: str, body: Any) -> None:
        gateway = self.server_of
        with gateway.lock:
            gateway.requests.append((self.path, body))
            fault = gateway.faults.pop(0) if gateway.faults and self.path == "/feedback" else None
        if gateway.key is not None and self.headers.get("authorization") != f"Bearer {gateway.key}":
            problem = "Provided API key does not exist in the database"
            return self.say(401, {"error": f"TensorZero authentication error: {problem}"})
        if fault is None:
            return self.say(*gateway.answer(method, self.path, body))
        return fault(gateway, self, lambda: gateway.answer(method, self.path, body))

    def say(self, code: int, answer: Any, headers: Mapping[str, str] | None = None) -> None:
        """Answer."""
        content = json.dumps(answer).encode()
        self.send_response(code)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def cut(self) -> None:
        """Cut the connection."""
        self.close_connection = True
        self.connection.close()

    def log_message(self, format: str, *args: Any) -> None: ...


def _no_number(text: str) -> float:
    raise ValueError(f"expected value: {re.escape(text)}")
