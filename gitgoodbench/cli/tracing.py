"""--otel: spans of what runs do, for as long as a command works on them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gitgoodbench.cli.output import echo
from gitgoodbench.cli.running import Tracing
from gitgoodbench.errors import UserError

if TYPE_CHECKING:
    from gitgoodbench.frameworks.otel_export import Spans
    from gitgoodbench.runs.session import PreparedRun
    from gitgoodbench.runs.witness import Witness


@contextlib.contextmanager
def exporting_spans(*, wanted: bool) -> Iterator[Tracing | None]:
    """Who makes the witnesses of runs; None where nobody wants spans. At the end, say what did not arrive.

    Raises:
        UserError: the packages are not installed, or the OTEL_* variables make no sense.
    """
    spans = _open() if wanted else None
    if spans is None:
        yield None
        return

    def witness(run: PreparedRun) -> Witness:
        manifest = run.manifest
        return spans.of(
            run_id=manifest.run_id,
            suite=manifest.suite.spec,
            agent=str(manifest.agent["name"]),
            model=manifest.agent["model"],
        )

    try:
        yield witness
    finally:
        lost = spans.close()
        if lost:
            echo(f"--otel: {lost} spans did not arrive: see that OTEL_EXPORTER_OTLP_ENDPOINT answers", err=True)


def _open() -> Spans | None:
    try:
        from gitgoodbench.frameworks.otel_export import open_spans
    except UserError as problem:
        raise UserError("--otel: OpenTelemetry is not installed: pip install 'gitgoodbench[otel]'") from problem
    return open_spans()
