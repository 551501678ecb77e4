"""gitgoodbench doctor"""

from __future__ import annotations

from gitgoodbench.cli.output import echo


def doctor() -> int:
    """Say what is installed, what is missing, and how to get it.

    Exit code 2 when something is missing that every run needs.

    Example:

      gitgoodbench doctor
    """
    from gitgoodbench.runs.health import check_all

    essential = True
    for check in check_all():
        word = "ok" if check.ok else "stale" if check.stale else "missing"
        echo(f"{check.name:<12}{word:<9}{check.detail}")
        if not check.ok:
            echo(f"{'':<21}needed for {check.needed_for}: {check.hint}")
            essential = essential and check.needed_for != "everything"
    return 0 if essential else 2
