"""gitgoodbench feedback"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gitgoodbench.cli.command import Command
from gitgoodbench.cli.feedback_report import compare, report
from gitgoodbench.cli.output import echo

app = typer.Typer(help="Score your own AI assistant at every commit.", no_args_is_help=True)

Everywhere = Annotated[bool, typer.Option("--global", help="For all repositories that you make or clone from now on.")]


@app.callback()
def _root() -> None:
    pass


@app.command("install", cls=Command)
def install(
    source: Annotated[
        list[str] | None,
        typer.Option("--source", metavar="NAME[:key=value]", help="Read only these assistants. Default: all."),
    ] = None,
    sink: Annotated[
        list[str] | None,
        typer.Option("--sink", metavar="NAME[:key=value]", help="Deliver results there, besides the local database."),
    ] = None,
    user: Annotated[str | None, typer.Option("--user", help="The name under which your results are recorded.")] = None,
    follow: Annotated[
        int | None, typer.Option("--follow", min=0, metavar="DAYS", help="How long to look at what still stands. [14]")
    ] = None,
    everywhere: Everywhere = False,
) -> int:
    """Install the commit hook in this repository, beside the hooks that are there.

    From then on every commit is scored in the background: how much of what your assistant wrote you kept. Nothing
    leaves this machine unless a sink is named. Installing again changes nothing.

    Examples:

      gitgoodbench feedback install

      gitgoodbench feedback install --source claude-code --user ada
    """
    from gitgoodbench.cli.feedback_output import show_set_up
    from gitgoodbench.feedback.setup import set_up

    done = set_up(Path.cwd(), source or [], sink or [], user, follow_days=follow, everywhere=everywhere)
    return show_set_up(done)


@app.command("uninstall", cls=Command)
def uninstall(
    everywhere: Everywhere = False,
    purge: Annotated[bool, typer.Option("--purge", help="Remove the database with all results, too.")] = False,
) -> int:
    """Remove the hook and the settings; other hooks are as they were, byte for byte.

    Examples:

      gitgoodbench feedback uninstall

      gitgoodbench feedback uninstall --purge
    """
    from gitgoodbench.feedback.setup import take_down

    for path in take_down(Path.cwd(), everywhere=everywhere, purge=purge):
        echo(f"{path} is as before")
    echo("feedback is uninstalled" + ("" if purge or everywhere else "; results stay (--purge removes them)"))
    return 0


@app.command("run", cls=Command)
def run(
    commits: Annotated[list[str] | None, typer.Argument(metavar="[COMMIT|RANGE]...", help="Of the past.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Have sinks check what they would get; send nothing.")
    ] = False,
) -> int:
    """Do now what the hook does in the background, and find commits that were made without a hook.

    With commits or ranges, score those of the past, as far as assistants' logs still reach. Events and items that
    failed or were refused before are tried again.

    Examples:

      gitgoodbench feedback run

      gitgoodbench feedback run HEAD~50..HEAD

      gitgoodbench feedback run --dry-run
    """
    from gitgoodbench.cli.feedback_output import run_now

    return run_now(Path.cwd(), commits or [], dry=dry_run)


@app.command("status", cls=Command)
def status(
    check: Annotated[bool, typer.Option("--check", help="Also look for logs, and ask sinks to answer.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Show hooks, queue, last run, commits, sources and sinks.

    Exit code 2 when something needs your help before new commits are scored and delivered.

    Examples:

      gitgoodbench feedback status

      gitgoodbench feedback status --check --json
    """
    from gitgoodbench.cli.feedback_output import show_status

    return show_status(Path.cwd(), check=check, as_json=as_json)


app.command("report", cls=Command)(report)
app.command("compare", cls=Command)(compare)
