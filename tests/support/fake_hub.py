"""A Hugging Face hub on this machine: just enough of its HTTP interface to load one dataset repository."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit


@contextmanager
def serve_dataset(name: str, commits: Mapping[str, Mapping[str, bytes]]) -> Iterator[str]:
    """Serve `name` at several commits (commit -> path -> content; the last is the branch main). Yields the endpoint."""
    main = list(commits)[-1]

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            wanted = self.rfile.read(length).decode()
            _, _, _, _, _, action, revision, *_ = [*urlsplit(self.path).path.split("/"), "", ""]
            if action != "paths-info":
                return self._send(404, b"{}")
            files = commits[main if revision == "main" else revision]
            return self._json([_entry(path, data) for path, data in files.items() if path in wanted])

        def _answer(self, *, with_body: bool) -> None:
            path = unquote(urlsplit(self.path).path)
            api, files = f"/api/datasets/{name}", f"/datasets/{name}/resolve/"
            if path.startswith(files):
                revision, _, file = path.removeprefix(files).partition("/")
                return self._file(revision, file, with_body=with_body)
            if path != api and not path.startswith(f"{api}/"):
                return self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"})
            action, _, rest = path.removeprefix(api).lstrip("/").partition("/")
            revision = rest.split("/")[0] or "main"
            commit = main if revision == "main" else revision
            if commit not in commits:
                return self._send(404, b"{}", {"X-Error-Code": "RevisionNotFound"})
            if action == "tree":
                return self._json([_entry(file, data) for file, data in commits[commit].items()])
            siblings = [{"rfilename": file} for file in commits[commit]]
            return self._json({"id": name, "sha": commit, "siblings": siblings, "private": False, "tags": []})

        def _file(self, revision: str, file: str, *, with_body: bool) -> None:
            commit = main if revision == "main" else revision
            if commit not in commits:
                return self._send(404, b"", {"X-Error-Code": "RevisionNotFound"})
            headers = {"X-Repo-Commit": commit}
            if file not in commits[commit]:
                return self._send(404, b"", {**headers, "X-Error-Code": "EntryNotFound"})
            data = commits[commit][file]
            headers["ETag"] = f'"{hashlib.sha1(data).hexdigest()}"'
            return self._send(200, data, headers, with_body=with_body)

        def _json(self, value: object) -> None:
            self._send(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

        def _send(
            self, status: int, data: bytes, headers: Mapping[str, str] | None = None, *, with_body: bool = True
        ) -> None:
            self.send_response(status)
            for key, value in {**(headers or {}), "Content-Length": str(len(data))}.items():
                self.send_header(key, value)
            self.end_headers()
            if with_body and self.command != "HEAD":
                self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _entry(path: str, data: bytes) -> dict[str, object]:
    return {"type": "file", "path": path, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
