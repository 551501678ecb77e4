"""Plain lines of commands that print no tables."""

from __future__ import annotations

import typer

from gitgoodbench.text import for_terminal


def echo(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print text from anywhere to standard output, or to standard error."""
    typer.echo(for_terminal(text), err=err, nl=nl)
