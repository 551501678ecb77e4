"""gitgoodbench eval"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

from gitgoodbench.cli.config_file import read_config_file
from gitgoodbench.cli.options import EnvFile, Events, OpenTelemetry, run_flags, said, variable_option
from gitgoodbench.runs.config import RunConfig


@run_flags(*RunConfig.model_fields, variables=RunConfig.model_fields)
def evaluate(
    run_id: Annotated[
        str | None,
        variable_option(
            "--run-id", help="Name of the run's folder; the same command with the same id carries on where it stopped."
        ),
    ] = None,
    out: Annotated[Path, variable_option("--out", "-o", help="Parent of run folders.")] = Path("results"),
    config: Annotated[  # noqa: ARG001
        Path | None,
        variable_option(
            "--config",
            "-c",
            is_eager=True,
            callback=read_config_file,
            help="TOML file with defaults: keys are flags. Order: command line, environment, file, default.",
        ),
    ] = None,
    dry_run: Annotated[bool, variable_option("--dry-run", help="Only show the plan.")] = False,
    events: Events = None,
    otel: OpenTelemetry = False,
    env_file: EnvFile = None,  # noqa: ARG001
    **fields: Any,
) -> int:
    """Run agents over a suite and print the table.

    Examples:

      gitgoodbench eval mini --agent oracle --agent noop --sandbox local

      gitgoodbench eval lite --model gpt-4o --max-cost 20 --run-id lite-1

      gitgoodbench eval lite --base-url http://localhost:8000/v1 --model m

      gitgoodbench eval lite --model gpt-4o --judge-model gpt-4.1

      gitgoodbench eval rows.jsonl --repos ~/mirrors --offline --dry-run

    Exit codes: 0 finished, 2 a mistake in the command, 3 finished with failures of infrastructure, 130 interrupted.
    """
    from gitgoodbench.cli.output import echo
    from gitgoodbench.cli.running import evaluate_agents
    from gitgoodbench.tracing.runs import exporting_spans

    with exporting_spans(wanted=otel, say=partial(echo, err=True)) as tracing:
        return evaluate_agents(said(fields), out=out, run_id=run_id, dry_run=dry_run, events=events, tracing=tracing)
