"""The command line. Importing it costs little: whatever is heavy is imported by the command that needs it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import gitgoodbench
from gitgoodbench.cli import (
    build_dataset,
    clean,
    doctor,
    evaluate,
    image,
    mine,
    plugins,
    report,
    resume,
    schema,
    score,
    show,
    validate,
)
from gitgoodbench.errors import GitGoodBenchError, RunAborted, UserError

EXIT_USER_ERROR = 2

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
app.command("eval")(evaluate.evaluate)
app.command("resume")(resume.resume)
app.command("score")(score.score)
app.command("report")(report.report)
app.command("show")(show.show)
app.command("schema")(schema.schema)
app.command("mine")(mine.mine)
app.command("build-dataset")(build_dataset.build_dataset)
app.command("validate")(validate.validate)
app.command("plugins")(plugins.list_plugins)
app.command("doctor")(doctor.doctor)
app.command("clean")(clean.clean)
app.add_typer(image.app, name="image")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gitgoodbench {gitgoodbench.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def run(arguments: list[str]) -> int:
    """Run a command line and return its exit code; a user's mistake is one line on standard error and code 2."""
    command = typer.main.get_command(app)
    try:
        code = command.main(arguments, prog_name="gitgoodbench", standalone_mode=False)
    except (UserError, RunAborted) as problem:
        return _refuse(str(problem))
    except GitGoodBenchError as problem:
        return _refuse(f"{type(problem).__name__}: {problem}")
    except typer.Abort:
        return 130
    except Exception as problem:
        usage = getattr(problem, "format_message", None)
        if usage is None:
            raise
        if type(problem).__name__ == "NoArgsIsHelpError":
            sys.stderr.write(f"{usage()}\n")
            return EXIT_USER_ERROR
        return _refuse(usage())
    return code if isinstance(code, int) else 0


def _refuse(message: str) -> int:
    sys.stderr.write(f"gitgoodbench: {' '.join(message.split())}\n")
    return EXIT_USER_ERROR


def main() -> None:
    """The console script."""
    sys.exit(run(sys.argv[1:]))
