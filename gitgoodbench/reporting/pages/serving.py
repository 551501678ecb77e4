"""Pages on loopback, for the browser of this machine alone.

Whoever can reach the port can read them, as any program of this machine can; a page of somebody else's cannot: requests
that name another host are refused (DNS rebinding), and nothing here says that others may read it. Files are looked up
by name among those that pages have, so no path leads anywhere else.
"""

from __future__ import annotations

import urllib.parse
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from gitgoodbench.errors import UserError
from gitgoodbench.reporting.pages.live import LivePages
from gitgoodbench.reporting.pages.page import POLICY

HOST: Final = "127.0.0.1"
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
}
_OTHER_TYPE: Final = "text/plain; charset=utf-8"
_HEADERS: Final = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_SILENCE_S: Final = 30


class PageServer(ThreadingHTTPServer):
    """Serves pages on 127.0.0.1.

    port: 0 takes a free one.

    Raises:
        UserError: the port cannot be had.
    """

    daemon_threads = True

    def __init__(self, pages: LivePages, port: int) -> None:
        self.pages = pages
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as problem:
            reason = problem.strerror if isinstance(problem, OSError) else "a port is at most 65535"
            raise UserError(f"port {port} of {HOST} cannot be had ({reason}): choose another by --port") from problem

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away in the middle is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "gitgoodbench", ""
    timeout = _SILENCE_S
    server: PageServer

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def _answer(self) -> None:
        if self.headers.get_all("Host", []) not in self._own_names():
            self._send(HTTPStatus.FORBIDDEN, "text/plain; charset=utf-8", b"another host\n")
            return
        name = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path).removeprefix("/") or "index.html"
        content = self.server.pages.file(name)
        if content is None:
            self._send(HTTPStatus.NOT_FOUND, "text/plain; charset=utf-8", b"no such page\n")
            return
        ending = name[name.rfind(".") :]
        self._send(HTTPStatus.OK, _TYPES.get(ending, _OTHER_TYPE), content)

    def _own_names(self) -> list[list[str]]:
        return [[f"{host}:{self.server.server_port}"] for host in (HOST, "localhost")]

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are nobody's concern."""
