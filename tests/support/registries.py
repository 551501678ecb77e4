"""Package registries on this machine: npm's tarballs and metadata, and an index of wheels, with faults to choose."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote


def tarball(files: Mapping[str, bytes | tarfile.TarInfo], programs: tuple[str, ...] = ()) -> bytes:
    """A package as npm has it. files: contents by name, or an entry as it stands. programs: what is executable."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            if isinstance(content, tarfile.TarInfo):
                archive.addfile(content)
                continue
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o4777 if name in programs else 0o666
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def wheel(files: Mapping[str, str]) -> bytes:
    """A wheel, or any zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


def pure_wheel(name: str, version: str, modules: Mapping[str, str]) -> bytes:
    """A wheel that pip takes, of modules alone."""
    info = f"{name}-{version}.dist-info"
    files = {
        **modules,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    return wheel(files)


def integrity(data: bytes) -> str:
    """npm's checksum."""
    return "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()


@dataclass
class Registries:
    """What is served. paths: answers by path. short: paths of which half is sent. statuses: answers that are refusals.

    asked: every request's path and what it said of who asks.
    """

    url: str = ""
    paths: dict[str, bytes] = field(default_factory=dict)
    short: set[str] = field(default_factory=set)
    statuses: dict[str, int] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)

    def add_npm(self, name: str, version: str, data: bytes, *, place: str | None = None) -> None:
        """Publish a package. place: of its tarball, where that is not the usual one."""
        usual = f"/{name}/-/{name.rpartition('/')[2]}-{version}.tgz"
        self.paths[place or usual] = data
        dist = {"tarball": f"{self.url}{place or usual}", "integrity": integrity(data)}
        known = json.loads(self.paths.get(f"/{name}", b'{"versions": {}}'))
        known["versions"][version] = {"name": name, "version": version, "dist": dist}
        known["dist-tags"] = {"latest": version}
        self.paths[f"/{name}"] = json.dumps(known).encode()

    def add_wheel(self, name: str, version: str, data: bytes) -> str:
        """Publish a pure wheel; its SHA-256."""
        file = f"{name}-{version}-py3-none-any.whl"
        self.paths[f"/files/{file}"] = data
        link = f'<a href="/files/{file}">{file}</a>'
        self.paths[f"/simple/{name}/"] = f"<!DOCTYPE html><html><body>{link}</body></html>".encode()
        return hashlib.sha256(data).hexdigest()


@contextmanager
def serve_registries() -> Iterator[Registries]:
    """Serve on a free port of this machine."""
    served = Registries()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(self.path)
            served.asked.append((path, self.headers.get("Authorization")))
            data = served.paths.get(path)
            self.send_response(served.statuses.get(path, 200 if data is not None else 404))
            body = data or b""
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Type", "text/html" if path.startswith("/simple/") else "application/octet-stream")
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if path in served.short else body)

        def log_message(self, *_arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
