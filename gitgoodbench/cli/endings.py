"""How a command ends: an exit code and, where something is wrong, one line on standard error; never a traceback."""

from __future__ import annotations

import atexit
import contextlib
import errno
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import typer

from gitgoodbench.disk import describe
from gitgoodbench.errors import GitGoodBenchError, RunAborted, UserError
from gitgoodbench.text import on_one_line

EXIT_USER_ERROR = 2
EXIT_INFRASTRUCTURE = 3
EXIT_INTERRUPTED = 130

_OUTPUT = "standard output"


def ended(command: Callable[[], Any]) -> int:
    """Run a command and return its exit code: 2 for a user's mistake, 3 where the machine fails."""
    try:
        code = command()
        sys.stdout.flush()
    except (UserError, RunAborted) as problem:
        return _end(str(problem), EXIT_USER_ERROR)
    except GitGoodBenchError as problem:
        return _end(f"{type(problem).__name__}: {problem}", EXIT_USER_ERROR)
    except (typer.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except SystemExit as problem:  # so end rich and typer when the pipe of standard output is closed
        if problem.code != 1:
            raise
        return _end_without_output(BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE)))
    except OSError as problem:
        if problem.filename == _OUTPUT:
            return _end_without_output(problem)
        return _end(describe(problem), EXIT_INFRASTRUCTURE)
    except Exception as problem:
        usage = getattr(problem, "format_message", None)
        if usage is None:
            raise
        if type(problem).__name__ == "NoArgsIsHelpError":
            sys.stderr.write(f"{usage()}\n")
            return EXIT_USER_ERROR
        return _end(usage(), EXIT_USER_ERROR)
    return code if isinstance(code, int) else 0


class _Output(io.FileIO):
    """Standard output, which names itself in its errors."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as problem:
            problem.filename = _OUTPUT
            raise


def open_streams() -> None:
    """Let errors of standard output be told from those of files; streams that are closed lead nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # devnull takes the free descriptor, before a file of ours does
            stream = Path(os.devnull).open("w")  # noqa: SIM115 - it lives as long as the process
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
    out = cast("io.TextIOWrapper", sys.stdout)
    raw = _Output(out.fileno(), "w", closefd=False)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(raw), out.encoding, out.errors, line_buffering=out.line_buffering, write_through=False
    )


def leave_at_once(code: int) -> None:
    """End the process without waiting for threads: one may be busy with a request, or in a compiler's C code."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    atexit._run_exitfuncs()
    os._exit(code)


def _end_without_output(problem: OSError) -> int:
    """Standard output is closed or full. What it still holds is dropped, for Python would try again at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _end(
        f"standard output cannot be written ({problem.strerror}): only the printed text is lost, files "
        "are complete; print it to a place that takes it",
        EXIT_INFRASTRUCTURE,
    )


def _end(message: str, code: int) -> int:
    with contextlib.suppress(OSError):  # nothing is left to say it to
        sys.stderr.write(f"gitgoodbench: {on_one_line(' '.join(message.split()))}\n")
    return code
