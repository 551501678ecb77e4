"""Spans of what runs do, for as long as a command or a call of the API works on them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from gitgoodbench.errors import UserError
from gitgoodbench.runs.session import PreparedRun
from gitgoodbench.runs.witness import Witness

if TYPE_CHECKING:
    from gitgoodbench.tracing.export import Spans

Tracing: TypeAlias = Callable[[PreparedRun], Witness]
"""Makes the witness of a run."""


@contextlib.contextmanager
def exporting_spans(*, wanted: bool, say: Callable[[str], None]) -> Iterator[Tracing | None]:
    """Who makes the witnesses of runs; None where nobody wants spans.

    say: told at the end, in a line, what did not arrive.

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
            say(f"--otel: {lost} spans did not arrive: see that OTEL_EXPORTER_OTLP_ENDPOINT answers")


def _open() -> Spans | None:
    try:
        from gitgoodbench.tracing.export import open_spans
    except UserError as problem:
        raise UserError("--otel: OpenTelemetry is not installed: pip install 'gitgoodbench[otel]'") from problem
    return open_spans()
