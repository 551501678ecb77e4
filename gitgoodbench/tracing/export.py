"""Where spans go: to a collector over OTLP/HTTP, as the standard `OTEL_*` variables say.

The SDK sends them from a thread of its own and drops what a collector does not take in time, so a run neither waits
for one nor fails with it; the end of the program waits a few seconds.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence
from typing import Final

from gitgoodbench import __version__
from gitgoodbench.errors import UserError
from gitgoodbench.extras import needed
from gitgoodbench.tracing.spans import RunSpans

with needed("otel", "opentelemetry"):
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

_PATIENCE_S: Final = 5.0
"""How long the end of the program waits for a collector."""

_PROTOCOL: Final = "http/protobuf"
_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")


class Spans:
    """The spans of the runs of one command, on their way to an exporter."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._arrived = _Arrived(exporter)
        self._ended = _Ended()
        own = Resource({"service.name": "gitgoodbench", "service.version": __version__})
        resource = Resource.create().merge(own).merge(OTELResourceDetector().detect())
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(self._ended)
        self._provider.add_span_processor(BatchSpanProcessor(self._arrived))
        self._runs: list[RunSpans] = []

    def of(self, *, run_id: str, suite: str, agent: str, model: str | None) -> RunSpans:
        """The witness of a run that begins now."""
        tracer = self._provider.get_tracer("gitgoodbench", __version__)
        run = RunSpans(tracer, run_id=run_id, suite=suite, agent=agent, model=model)
        self._runs.append(run)
        return run

    def close(self) -> int:
        """End and send what is left, but do not wait long; returns how many spans did not arrive."""
        for run in self._runs:
            run.end()
        closing = threading.Thread(target=self._provider.shutdown, name="otel", daemon=True)
        closing.start()
        closing.join(_PATIENCE_S)
        return self._ended.count - self._arrived.count


def open_spans() -> Spans | None:
    """Spans for the collector that the variables name; None where OTEL_TRACES_EXPORTER says none.

    Raises:
        UserError: the variables ask for what is not there, or make no sense.
    """
    exporter = os.environ.get("OTEL_TRACES_EXPORTER", "").strip() or "otlp"
    if exporter == "none":
        return None
    if exporter != "otlp":
        raise UserError(f"--otel: OTEL_TRACES_EXPORTER={exporter} is not supported: otlp or none")
    for name in _PROTOCOLS:
        if (protocol := os.environ.get(name, "").strip() or _PROTOCOL) != _PROTOCOL:
            raise UserError(f"--otel: {name}={protocol} is not supported: only {_PROTOCOL}")
    logging.getLogger("opentelemetry").addHandler(logging.NullHandler())  # what did not arrive is said once, at the end
    try:
        return Spans(OTLPSpanExporter())
    except (OSError, RuntimeError, ValueError) as problem:
        raise UserError(f"--otel: the OTEL_* variables cannot be used: {problem}") from problem


class _Ended(SpanProcessor):
    """Counts spans that are to be sent."""

    def __init__(self) -> None:
        self.count = 0
        self._lock = threading.Lock()

    def on_end(self, span: ReadableSpan) -> None:
        context = span.context
        if context is not None and context.trace_flags.sampled:
            with self._lock:
                self.count += 1


class _Arrived(SpanExporter):
    """Counts spans that another exporter has sent."""

    def __init__(self, exporter: SpanExporter) -> None:
        self.count = 0
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS:
            self.count += len(spans)
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        return self._exporter.force_flush(timeout_millis)
