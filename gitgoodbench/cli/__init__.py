"""The command line. Importing it costs little: whatever is heavy is imported by the command that needs it."""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

import gitgoodbench
from gitgoodbench.cli import (
    build_dataset,
    clean,
    compare,
    doctor,
    evaluate,
    feedback,
    harbor,
    image,
    mcp,
    mine,
    plugins,
    prices,
    prompts,
    report,
    resume,
    runs,
    schema,
    score,
    serve,
    show,
    ted,
    trajectories,
    validate,
    view,
)
from gitgoodbench.cli.aliases import plugin_flags
from gitgoodbench.cli.command import Command
from gitgoodbench.cli.endings import EXIT_INTERRUPTED, ended, leave_at_once, open_streams
from gitgoodbench.cli.output import echo
from gitgoodbench.plugins import RUN_GROUPS, SAMPLES

app = typer.Typer(
    name="gitgoodbench",
    help="Evaluate agents that work with Git on real repository history.",
    epilog="Start with: gitgoodbench eval mini --agent oracle --agent noop. Every flag of eval can also be set in the "
    "environment (--max-turns: GITGOODBENCH_MAX_TURNS) or in a --config file.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("eval", cls=plugin_flags(*RUN_GROUPS))(evaluate.evaluate)
app.command("resume", cls=Command)(resume.resume)
app.command("score", cls=Command)(score.score)
app.command("prompts", cls=plugin_flags(*RUN_GROUPS))(prompts.prompts)
app.command("report", cls=Command)(report.report)
app.command("compare", cls=Command)(compare.compare)
app.command("show", cls=Command)(show.show)
app.command("view", cls=Command)(view.view)
app.command("runs", cls=Command)(runs.runs)
app.command("ted", cls=Command)(ted.ted)
app.command("mcp", cls=Command)(mcp.mcp)
app.command("serve", cls=Command)(serve.serve)
app.command("trajectories", cls=Command)(trajectories.trajectories)
app.command("schema", cls=Command)(schema.schema)
app.command("mine", cls=plugin_flags(SAMPLES))(mine.mine)
app.command("build-dataset", cls=plugin_flags(SAMPLES))(build_dataset.build_dataset)
app.command("validate", cls=Command)(validate.validate)
app.command("plugins", cls=Command)(plugins.list_plugins)
app.command("prices", cls=Command)(prices.prices)
app.command("doctor", cls=Command)(doctor.doctor)
app.command("clean", cls=Command)(clean.clean)
app.add_typer(harbor.exports, name="export")
app.add_typer(feedback.app, name="feedback")
app.add_typer(image.app, name="image")
app.add_typer(harbor.imports, name="import")


def _show_version(wanted: bool) -> None:
    if wanted:
        echo(f"gitgoodbench {gitgoodbench.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def run(arguments: list[str]) -> int:
    """Run a command line and return its exit code; see `ended`."""
    command = typer.main.get_command(app)
    return ended(lambda: command.main(arguments, prog_name="gitgoodbench", standalone_mode=False))


def main() -> None:
    """The console script. SIGTERM is answered as Ctrl-C is."""
    open_streams()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    code = run(sys.argv[1:])
    if code == EXIT_INTERRUPTED:
        leave_at_once(code)
    sys.exit(code)
