"""A server of repositories on this machine, through Git's own HTTP backend, which can be told to fail."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit


@dataclass
class GitServer:
    """`statuses`: answers to the next requests (0: the connection is closed without one), before it serves again.

    `requests`: what was asked for. `hold`: cleared, it keeps every request waiting.
    """

    url: str = ""
    statuses: list[int] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    hold: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serve_repositories(folder: Path) -> Iterator[GitServer]:
    """Serve the bare repositories below `folder`."""
    state = GitServer()
    state.hold.set()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers["Content-Length"])))

        def _answer(self, body: bytes) -> None:
            state.requests.append(f"{self.command} {self.path}")
            state.hold.wait(60)
            status = state.statuses.pop(0) if state.statuses else None
            if status == 0:
                self.close_connection = True
            elif status is not None:
                self.send_response(status)
                if status == 401:
                    self.send_header("WWW-Authenticate", "Basic")
                self.end_headers()
            else:
                self._serve(body)

        def _serve(self, body: bytes) -> None:
            url = urlsplit(self.path)
            environment = {
                "PATH": "/usr/local/bin:/usr/bin:/bin",
                "HOME": "/nonexistent",
                "GIT_PROJECT_ROOT": str(folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "PATH_INFO": url.path,
                "QUERY_STRING": url.query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "CONTENT_LENGTH": str(len(body)),
            }
            result = subprocess.run(
                ["git", "http-backend"], input=body, env=environment, capture_output=True, check=False
            )
            head, _, content = result.stdout.partition(b"\r\n\r\n")
            headers = [line.split(": ", 1) for line in head.decode().split("\r\n")]
            self.send_response(next((int(value.split()[0]) for name, value in headers if name == "Status"), 200))
            for name, value in headers:
                if name != "Status":
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield state
    finally:
        state.hold.set()
        server.shutdown()
        server.server_close()
        thread.join()
