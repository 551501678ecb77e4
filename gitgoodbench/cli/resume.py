"""gitgoodbench resume"""

from __future__ import annotations

from functools import partial
from typing import Any

from gitgoodbench.cli.options import EnvFile, Events, OpenTelemetry, Runs, run_flags, said
from gitgoodbench.runs.config import MAY_CHANGE


@run_flags(*MAY_CHANGE)
def resume(
    runs: Runs,
    events: Events = None,
    otel: OpenTelemetry = False,
    env_file: EnvFile = None,  # noqa: ARG001
    **fields: Any,
) -> int:
    """Resume runs that were stopped.

    Everything that decides results comes from their manifests.

    What finished stays; failures of infrastructure are tried again. A run whose data, image, tools or prompts have
    changed since is refused, and the difference is shown.

    Examples:

      gitgoodbench resume results/lite-gpt-4o

      gitgoodbench resume results/lite-gpt-4o --max-cost 40 --jobs 2
    """
    from gitgoodbench.cli.output import echo
    from gitgoodbench.cli.running import resume_runs
    from gitgoodbench.tracing.runs import exporting_spans

    with exporting_spans(wanted=otel, say=partial(echo, err=True)) as tracing:
        return resume_runs(runs, said(fields), events, tracing)
