"""gitgoodbench export harbor, gitgoodbench import harbor"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gitgoodbench.cli.command import Command
from gitgoodbench.cli.options import option, run_flags, said
from gitgoodbench.runs.config import JUDGING

_CHOOSING = ("scenario", "sample", "language", "difficulty", "limit", "repos", "offline", "skip_invalid")

exports = typer.Typer(help="Write episodes for other frameworks.", no_args_is_help=True, rich_markup_mode=None)
imports = typer.Typer(help="Read what other frameworks have run, as runs.", no_args_is_help=True, rich_markup_mode=None)


@run_flags("suite", *_CHOOSING, "history")
def export_harbor(
    out: Annotated[Path, option("--out", "-o", metavar="DIR", help="A folder for the tasks, one for each episode.")],
    image: Annotated[
        str | None, option("--image", help="Base of environments. Default: gitgoodbench-sandbox:latest.")
    ] = None,
    verifier_image: Annotated[
        str | None,
        option("--verifier-image", help="Has Git and gitgoodbench. Default: gitgoodbench-verifier:VERSION."),
    ] = None,
    network: Annotated[
        str,
        option("--network", help="no-network, public, or compose: cut off by a compose file (Docker only)."),
    ] = "no-network",
    **fields: Any,
) -> int:
    """Write episodes as tasks of Harbor: instruction, environment, verifier, solution (docs/harbor.md).

    Examples:

      gitgoodbench export harbor mini --out tasks
    """
    from gitgoodbench.cli.bridging import export_tasks

    return export_tasks(said(fields), out, image=image, verifier_image=verifier_image, network=network)


@run_flags(*JUDGING, "max_cost", "jobs", *_CHOOSING)
def import_harbor(
    job: Annotated[Path, typer.Argument(metavar="JOB", help="Folder of a finished job.", show_default=False)],
    suite: Annotated[str, option("--suite", metavar="SUITE", help="What the tasks were exported from.")],
    agent: Annotated[
        str | None, option("--agent", "-a", metavar="NAME", help="Default: the job's, as harbor-NAME.")
    ] = None,
    run_id: Annotated[str | None, option("--run-id", help="Name of the run's folder.")] = None,
    out: Annotated[Path, option("--out", "-o", help="Parent of run folders.")] = Path("results"),
    **fields: Any,
) -> int:
    """Make a run of a finished job of Harbor: outcomes are scored here, conversations are kept.

    Examples:

      gitgoodbench import harbor jobs/2026-11-30__12-00-00 --suite mini
    """
    from gitgoodbench.cli.bridging import import_job

    return import_job(job, {**said(fields), "suite": suite}, agent=agent, out=out, run_id=run_id)


exports.command("harbor", cls=Command)(export_harbor)
imports.command("harbor", cls=Command)(import_harbor)
