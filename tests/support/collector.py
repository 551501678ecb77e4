"""An OpenTelemetry collector on the loopback interface: OTLP over HTTP, parsed by the protocol's own package."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Collector(ThreadingHTTPServer):
    """url: for OTEL_EXPORTER_OTLP_ENDPOINT. requests, paths, headers: what arrived."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.requests: list[ExportTraceServiceRequest] = []
        self.paths: set[str] = set()
        self.headers: list[dict[str, str]] = []

    @property
    def spans(self) -> list[Span]:
        return [
            span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.requests.append(ExportTraceServiceRequest.FromString(body))
        self.server.paths.add(self.path)
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        answer = ExportTraceServiceResponse().SerializeToString()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def collecting() -> Iterator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def texts_of(attributes: Iterator[KeyValue] | list[KeyValue]) -> dict[str, str]:
    """The attributes that are text."""
    return {each.key: each.value.string_value for each in attributes if each.value.HasField("string_value")}
