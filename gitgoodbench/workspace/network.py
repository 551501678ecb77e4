"""Git commands that talk to a server: progress, a limit on time, several tries, and what a failure means.

A repository that is gone fails a sample for good; a network that is down says nothing about the sample. Git tells the
two apart only in its messages, so a table of them decides; whatever it does not know is taken for the network's fault.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Unpack

from gitgoodbench.errors import GitGoodBenchError, InfrastructureFailed
from gitgoodbench.git.process import ExecOptions, ExecResult, Git

Progress = Callable[[str], None]
"""Called from any thread with one line of text, which starts with the repository's name."""

_PASSED_ON: Final = (
    "PATH",
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE"),
)
_STDERR_KEPT: Final = 64 * 1024

_REFUSALS: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"not our ref|unadvertised object|couldn't find remote ref"), "the server does not have it"),
    (
        re.compile(
            r"returned error: (404|410)|remote: (repository )?not found|repository '.*' not found"
            r"|does not appear to be a git repository",
            re.IGNORECASE,
        ),
        "there is no such repository, or no more",
    ),
    (
        re.compile(r"could not read (username|password)|authentication failed|returned error: 401", re.IGNORECASE),
        "the server asks for a login: the repository is gone or private",
    ),
    (
        re.compile(
            r"returned error: 451|remote: .*(disabled|access (to this repository )?(blocked|denied))", re.IGNORECASE
        ),
        "the server has disabled access to it",
    ),
)
"""First match wins: what the server says of the repository itself. None of these changes with another try."""


class RemoteRefusedError(GitGoodBenchError):
    """The server answered, and does not have what was asked for; the message says what it means."""


@dataclass(frozen=True)
class Network:
    """How to talk to servers.

    timeout_s: limit of one command, in seconds. sleep: called between tries with 1, 2, 4, ... seconds.
    report_every_s: seconds between two reports of how far a transfer is.
    """

    progress: Progress | None = None
    timeout_s: float = 3600.0
    tries: int = 3
    sleep: Callable[[float], None] = time.sleep
    report_every_s: float = 5.0

    def run(self, git_dir: Path, repository: str, args: Callable[[], Sequence[str]], **env: str) -> None:
        """Run a Git command until it succeeds; `args` makes its arguments anew for each try. env: variables more.

        Raises:
            RemoteRefusedError: the server does not have the repository or the object.
            InfrastructureFailed: no try got through, or one used up the time.
        """
        executor = _ReportingExecutor(lambda text: self.report(repository, text), self.report_every_s)
        git = Git(git_dir, executor=executor, env={**network_environment(), **env})
        reason = ""
        for count in range(self.tries):
            if count:
                self.report(repository, f"trying again after: {reason}")
                self.sleep(2.0 ** (count - 1))
            result = git.execute(*args(), timeout_s=self.timeout_s)
            if result.timed_out:
                raise InfrastructureFailed(f"{repository}: Git did not end within {self.timeout_s:g} s")
            if result.returncode == 0:
                return
            text = result.stderr.decode("utf-8", "replace")
            if refusal := next((meaning for pattern, meaning in _REFUSALS if pattern.search(text)), None):
                raise RemoteRefusedError(refusal)
            reason = _first_complaint(text) or f"exit code {result.returncode}"
        raise InfrastructureFailed(f"{repository}: the network failed {self.tries} times: {reason}")

    def report(self, repository: str, text: str) -> None:
        if self.progress is not None:
            self.progress(f"{repository}: {text}")


def network_environment() -> dict[str, str]:
    """What network Git has beside `GIT_ENVIRONMENT`: the proxies and certificates of this process."""
    passed = {name: os.environ[name] for name in _PASSED_ON if os.environ.get(name)}
    certificates = passed.get("GIT_SSL_CAINFO") or passed.get("SSL_CERT_FILE") or passed.get("CURL_CA_BUNDLE")
    return {
        **passed,
        **({"GIT_SSL_CAINFO": certificates} if certificates else {}),
        "GIT_ALLOW_PROTOCOL": "https:http:file",
        "GIT_HTTP_LOW_SPEED_LIMIT": "1000",  # bytes per second
        "GIT_HTTP_LOW_SPEED_TIME": "60",
    }


def _first_complaint(stderr: str) -> str:
    lines = [line.strip() for line in re.split(r"[\r\n]+", stderr)]
    complaints = [line for line in lines if line.startswith(("fatal: ", "error: "))] or lines[-2:]
    return complaints[0].removeprefix("fatal: ").removeprefix("error: ")[:200]


@dataclass(frozen=True)
class _ReportingExecutor:
    """Runs commands on this machine like `HostExecutor`, and passes on how far they say they are, now and then."""

    report: Callable[[str], None]
    every_s: float

    def exec(self, argv: Sequence[str | bytes], **options: Unpack[ExecOptions]) -> ExecResult:
        env = options.get("env")
        timed_out = threading.Event()
        kept = bytearray()
        with subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            cwd=options.get("cwd"), env=None if env is None else dict(env), start_new_session=True,
        ) as process:  # fmt: skip
            assert process.stderr is not None
            timer = threading.Timer(options.get("timeout_s") or threading.TIMEOUT_MAX, _expire, [process, timed_out])
            timer.daemon = True
            timer.start()
            try:
                reported = time.monotonic()
                for line, lasting in _stderr_lines(process.stderr):
                    if lasting:
                        kept += line + b"\n"
                        del kept[:-_STDERR_KEPT]
                    elif time.monotonic() - reported >= self.every_s:
                        self.report(line.decode("utf-8", "replace").strip())
                        reported = time.monotonic()
                process.wait()
            finally:
                timer.cancel()
                _kill(process)
        return ExecResult(process.returncode, b"", bytes(kept), timed_out=timed_out.is_set())


def _expire(process: subprocess.Popen[bytes], timed_out: threading.Event) -> None:
    timed_out.set()
    _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:  # not waited for, so that its id is still its own
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _stderr_lines(stream: IO[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Lines, and whether they end in LF: Git ends those that the next one overwrites in CR."""
    pending = b""
    while chunk := os.read(stream.fileno(), 65536):
        *lines, pending = re.split(rb"(?<=[\r\n])", pending + chunk)
        for line in lines:
            if line.strip():
                yield line.rstrip(b"\r\n"), line.endswith(b"\n")
    if pending.strip():
        yield pending, True
