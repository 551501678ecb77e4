"""Running commands on this machine: what may come of one, and how much of that is read."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypedDict, Unpack

from gitgoodbench import limits


@dataclass(frozen=True)
class ExecResult:
    """What a command left: its exit code (negative: killed by that signal) and its output.

    `timed_out`: the limit passed and the whole process group was killed. `truncated`: output beyond the limit was
    dropped.
    """

    returncode: int
    stdout: bytes = b""
    stderr: bytes = b""
    timed_out: bool = False
    truncated: bool = False


class ExecOptions(TypedDict, total=False):
    """How a command is run. An option that is left out, or None, takes the default of who runs it.

    stdin: what the command reads, by default nothing. cwd: the folder it runs in. env: its whole environment.
    timeout_s: after so many seconds the command and all its descendants are killed and the result says `timed_out`.
    output_limit: bytes of standard output to keep.
    """

    stdin: bytes
    cwd: str | bytes | None
    env: Mapping[str, str] | None
    timeout_s: float | None
    output_limit: int | None


class Executor(Protocol):
    """Anything that can run a command: this machine, or a sandbox."""

    def exec(self, argv: Sequence[str | bytes], **options: Unpack[ExecOptions]) -> ExecResult: ...


_CHUNK_BYTES: Final = 256 * 1024
_COMPLAINTS_BYTES: Final = 1024 * 1024
"""Bytes of standard error that are kept."""


class HostExecutor:
    """Runs commands on this machine, each in its own process group, with exactly the environment given.

    In a process that is held to limits they stay in its group, so that they end with it, and are held to limits, too.
    """

    def exec(self, argv: Sequence[str | bytes], **options: Unpack[ExecOptions]) -> ExecResult:
        """See `Executor`.

        Raises:
            LimitExceeded: it takes more than this process may let it.
        """
        env, output_limit, held = options.get("env"), options.get("output_limit"), limits.current()
        limits.hold_cpu()
        process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=options.get("cwd"), env=None if env is None else dict(env), start_new_session=held is None,
        )  # fmt: skip
        most = held.output if held is not None and output_limit is None else output_limit
        with process:
            try:
                limits.hold_git(process)
                out, err, timed_out = _exchange(process, options.get("stdin", b""), options.get("timeout_s"), most)
            except BaseException:
                _kill(process)
                raise
            if timed_out:
                _kill(process)
        if most is not None and output_limit is None and out.dropped:
            raise limits.LimitExceeded(limits.output_problem(os.fsdecode(argv[1])))
        if process.returncode != 0 and (problem := limits.problem_of_git(process.returncode, err.kept)):
            raise limits.LimitExceeded(problem)
        limits.hold_cpu()
        return ExecResult(process.returncode, out.kept, err.kept, timed_out=timed_out, truncated=out.dropped)


class _Output:
    """What comes out of a pipe: the first `most` bytes; the rest is read and dropped."""

    def __init__(self, most: int | None) -> None:
        self._left = most
        self._chunks: list[bytes] = []
        self.dropped = False

    def take(self, chunk: bytes) -> None:
        if self._left is not None:
            self.dropped = self.dropped or len(chunk) > self._left
            chunk = chunk[: self._left]
            self._left -= len(chunk)
        self._chunks.append(chunk)

    @property
    def kept(self) -> bytes:
        return b"".join(self._chunks)


def _exchange(
    process: subprocess.Popen[bytes], request: bytes, timeout_s: float | None, most: int | None
) -> tuple[_Output, _Output, bool]:
    """Write to a process and read what it prints, to its end or that of the time: output, errors, and which it was."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    until = None if timeout_s is None else time.monotonic() + timeout_s
    outputs = {process.stdout.fileno(): _Output(most), process.stderr.fileno(): _Output(_COMPLAINTS_BYTES)}
    left, pipe = memoryview(request), process.stdin.fileno()
    os.set_blocking(pipe, False)
    late = False
    with selectors.DefaultSelector() as selector:
        for reading in outputs:
            selector.register(reading, selectors.EVENT_READ)
        if request:
            selector.register(pipe, selectors.EVENT_WRITE)
        else:
            process.stdin.close()
        while selector.get_map() and not late:
            ready = selector.select(None if until is None else max(0.0, until - time.monotonic()))
            late = until is not None and time.monotonic() > until
            for key, _ in ready:
                if key.fd == pipe:
                    with contextlib.suppress(BlockingIOError):
                        left = left[_write(pipe, left) :]
                    if not left:
                        selector.unregister(pipe)
                        process.stdin.close()
                elif chunk := os.read(key.fd, _CHUNK_BYTES):
                    outputs[key.fd].take(chunk)
                else:
                    selector.unregister(key.fd)
    if not late:
        try:
            process.wait(None if until is None else max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            late = True
    out, err = outputs.values()
    return out, err, late


def _write(pipe: int, data: memoryview) -> int:
    """The bytes that were written; all of them where nobody reads any more, as it is in a shell."""
    try:
        return os.write(pipe, data)
    except BrokenPipeError:
        return len(data)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process with its group, or by itself where the group is this process's own."""
    with contextlib.suppress(ProcessLookupError):
        if limits.current() is None:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


HOST: Final = HostExecutor()
