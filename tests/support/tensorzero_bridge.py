"""A real TensorZero gateway over HTTP: the one that the wheel embeds, behind the routes that feedback needs.

    python tensorzero_bridge.py CONFIG POSTGRES_URL PORT        (needs tensorzero==2026.6.0; port 0: a free one)

It prints its address, and ends when standard input does. What it says, status codes and texts, is the gateway's own,
apart from bodies that are no JSON. The gateway as a program of its own is in no package.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import sys
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FEEDBACK = {"episode_id", "inference_id", "metric_name", "value", "internal", "tags", "dryrun"}


def plain(value: Any) -> Any:
    """What the client gives, as the gateway writes it in JSON."""
    if dataclasses.is_dataclass(value):
        return {name: plain(part) for name, part in vars(value).items() if part is not None}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, str | int | float | bool | None):
        return value
    return str(value) if isinstance(value, uuid.UUID) else getattr(value, "value", str(value))


class Gateway:
    """The routes."""

    def __init__(self, config: str, database: str) -> None:
        client: Any = importlib.import_module("tensorzero").TensorZeroGateway  # make test-tensorzero installs it
        self.embedded = client.build_embedded(config_file=config, postgres_url=database)
        self.listing: Any = importlib.import_module("tensorzero.generated_types").ListInferencesRequest

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Status and JSON."""
        unknown = set(body) - FEEDBACK if path == "/feedback" else set()
        if unknown:
            return 400, {"error": f"unknown field `{unknown.pop()}`"}
        try:
            match path:
                case "/feedback":
                    answer = self.embedded.feedback(**body)
                case "/inference":
                    answer = self.embedded.inference(**body)
                case "/v1/inferences/list_inferences":
                    answer = self.embedded.list_inferences(request=self.listing(**body))
                case "/v1/inferences/get_inferences":
                    answer = self.embedded.get_inferences(**body)
                case _:
                    return 404, {"error": f"Route not found: POST {path}"}
        except Exception as problem:
            text = getattr(problem, "text", None)
            return getattr(problem, "status_code", None) or 400, _error(text) if text else {"error": str(problem)}
        return 200, plain(answer)


def _error(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {"error": text}


def serve(gateway: Gateway, port: int) -> ThreadingHTTPServer:
    """A server of the gateway."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None: ...

        def do_GET(self) -> None:
            known = self.path in ("/health", "/status")
            self.say(*((200, {"status": "ok"}) if known else (404, {"error": f"Route not found: GET {self.path}"})))

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            try:
                body = json.loads(raw)
            except ValueError as problem:
                return self.say(400, {"error": f"Failed to parse the request body as JSON: {problem}"})
            return self.say(*gateway.answer(self.path, body))

        def say(self, status: int, answer: Any) -> None:
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def main() -> None:
    os.environ.setdefault("OPENAI_API_KEY", "none")
    os.environ.setdefault("RUST_LOG", "off")
    server = serve(Gateway(*sys.argv[1:3]), int(sys.argv[3]))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
