"""A Hugging Face hub on this machine that takes one commit: just enough of its HTTP interface to upload a dataset."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Uploads:
    """What arrived. created: name of a dataset, and whether it is private. files: contents by path."""

    endpoint: str
    created: dict[str, bool] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    tokens: set[str | None] = field(default_factory=set)


@contextmanager
def take_uploads() -> Iterator[Uploads]:
    """Serve until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            uploads.tokens.add(self.headers.get("Authorization"))
            if self.path == "/api/repos/create":
                asked = json.loads(body)
                name = f"{asked['organization']}/{asked['name']}"
                uploads.created[name] = asked.get("private", asked.get("visibility") == "private")
                self._send({"url": f"{uploads.endpoint}/datasets/{name}"})
            elif "/preupload/" in self.path:
                files = [{"path": one["path"], "uploadMode": "regular"} for one in json.loads(body)["files"]]
                self._send({"files": [{**one, "shouldIgnore": False} for one in files]})
            elif "/commit/" in self.path:
                for line in map(json.loads, body.splitlines()):
                    if line["key"] == "file":
                        uploads.files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
                address = self.path.replace("/api", "", 1).replace("/main", "/" + "a" * 40)
                self._send({"commitUrl": uploads.endpoint + address, "commitOid": "a" * 40, "hookOutput": ""})
            else:
                self._send({})

        def do_GET(self) -> None:
            self._send({"id": "", "sha": "b" * 40, "siblings": [], "tags": [], "private": True})

        def _send(self, value: Any) -> None:
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    uploads = Uploads(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield uploads
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
