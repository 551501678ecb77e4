"""A Git command that talks to a server: GitPython starts it and reads its progress.

GitPython passes the whole environment of this process on, so `env -u` takes away what Git must not see. Its time-out
finds the children of a process by `pgrep`; here a process group is killed, which none of them can miss.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitgoodbench.errors import GitGoodBenchError

Show = Callable[[str, int, int | None, str], None]
"""Called with a step (`receiving objects`), how many are done, of how many (None: unknown), and bytes and speed."""

_LINES_KEPT: Final = 500
_LONGEST_LINE: Final = 4096


class UnsafeURLError(GitGoodBenchError):
    """The URL would make Git run a program on this machine."""


@dataclass(frozen=True)
class Answer:
    """How a command ended. errors, others: the last lines that it said, without its progress."""

    returncode: int
    errors: Sequence[str] = ()
    others: Sequence[str] = ()
    timed_out: bool = False


def check_url(url: str) -> None:
    """Refuse remote helpers such as `ext::`.

    Raises:
        UnsafeURLError: the URL names one.
    """
    from git import Git
    from git.exc import UnsafeProtocolError

    try:
        Git.check_unsafe_protocols(url)
    except UnsafeProtocolError as problem:
        raise UnsafeURLError("its URL would run a program on this machine") from problem


def talk(args: Sequence[str], folder: Path, environment: Mapping[str, str], timeout_s: float, show: Show) -> Answer:
    """Run `git *args` in `folder` with exactly this environment. No process of it outlives the call.

    Raises:
        OSError: no process can be started.
    """
    from git import Git
    from git.util import CallableRemoteProgress

    removed = [argument for name in ("LANGUAGE", *os.environ) if name not in environment for argument in ("-u", name)]
    started = Git(str(folder)).execute(
        ["env", *removed, "git", *args], env=environment, as_process=True, with_stdout=False, shell=False,
        universal_newlines=True, errors="replace", start_new_session=True,
    )  # fmt: skip
    process = started.proc
    assert process is not None
    assert process.stderr is not None
    timed_out = threading.Event()
    timer = threading.Timer(timeout_s, _expire, [process, timed_out])
    timer.daemon = True
    timer.start()
    progress = CallableRemoteProgress(lambda *step: _pass_on(show, *step))
    handle = progress.new_message_handler()
    try:
        while line := process.stderr.readline(_LONGEST_LINE):
            handle(line)
            del progress.error_lines[:-_LINES_KEPT], progress.other_lines[:-_LINES_KEPT]
        process.wait()
    finally:
        timer.cancel()
        _kill(process)
        process.wait()
    return Answer(process.returncode, progress.error_lines, progress.other_lines, timed_out.is_set())


def _pass_on(show: Show, code: int, done: str | float, total: str | float | None = None, received: str = "") -> None:
    """What a server says of its own progress is any text, and any number."""
    from git import RemoteProgress

    steps = {
        RemoteProgress.COUNTING: "counting objects",
        RemoteProgress.COMPRESSING: "compressing objects",
        RemoteProgress.RECEIVING: "receiving objects",
        RemoteProgress.RESOLVING: "resolving deltas",
        RemoteProgress.FINDING_SOURCES: "finding sources",
    }
    step, counted, of = steps.get(code & RemoteProgress.OP_MASK), float(done or 0), float(total or 0)
    if step is not None and math.isfinite(counted) and math.isfinite(of):
        show(step, int(counted), int(of) or None, "".join(filter(str.isprintable, received))[:80])


def _expire(process: subprocess.Popen[str], timed_out: threading.Event) -> None:
    timed_out.set()
    _kill(process)


def _kill(process: subprocess.Popen[str]) -> None:
    if process.returncode is None:  # not waited for, so that its id is still its own
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
