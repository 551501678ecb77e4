"""Git commands that talk to a server: progress, a limit on time, several tries, and what a failure means.

A repository that is gone fails a sample for good; a network that is down says nothing about the sample. Git tells the
two apart only in its messages, so a table of them decides; whatever it does not know is taken for the network's fault.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitgoodbench.errors import GitGoodBenchError, InfrastructureFailed
from gitgoodbench.git.process import Git
from gitgoodbench.workspace.remote import Answer, UnsafeURLError, check_url, talk


@dataclass(frozen=True)
class Step:
    """How far the work on a repository is; as text, a line for people.

    name: `receiving objects`, `resolving deltas`, and so on; None once the work has ended. done, total: what is
    counted; total is None while it is unknown, and done is 0 besides where nothing is counted. detail: what is known
    besides, such as bytes and speed in Git's words; empty for nothing.
    """

    repository: str
    name: str | None
    done: int = 0
    total: int | None = None
    detail: str = ""

    def __str__(self) -> str:
        counted = f" {self.done:,}" if self.done else ""
        share = f" {100 * self.done // self.total} % of {self.total:,}" if self.total else counted
        return f"{self.repository}: {self.name}{share}{', ' if self.detail else ''}{self.detail}"


Progress = Callable[[str | Step], None]
"""Called from any thread: with a line of text, which starts with the repository's name, or with how far Git is.

It is told of every step; how often people want to see one is its own matter.
"""

_PASSED_ON: Final = (
    "PATH",
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE"),
)

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
    """

    progress: Progress | None = None
    timeout_s: float = 3600.0
    tries: int = 3
    sleep: Callable[[float], None] = time.sleep

    def run(self, git_dir: Path, repository: str, url: str, args: Callable[[], Sequence[str]], **env: str) -> None:
        """Run a Git command on `url` until it succeeds.

        Args:
            args: makes the command's arguments anew for each try.
            env: more variables of its environment.

        Raises:
            RemoteRefusedError: the server does not have the repository or the object, or the URL is not to be used.
            InfrastructureFailed: no try got through, or one used up the time.
        """
        try:
            check_url(url)
        except UnsafeURLError as problem:
            raise RemoteRefusedError(str(problem)) from problem
        git = Git(git_dir, env={**network_environment(), **env})
        reason = ""
        for count in range(self.tries):
            if count:
                self.report(repository, f"trying again after: {reason}")
                self.sleep(2.0 ** (count - 1))
            answer = self._try(git, repository, args())
            if answer.timed_out:
                raise InfrastructureFailed(f"{repository}: Git did not end within {self.timeout_s:g} s")
            if answer.returncode == 0:
                return
            text = "\n".join((*answer.errors, *answer.others))
            if refusal := next((meaning for pattern, meaning in _REFUSALS if pattern.search(text)), None):
                raise RemoteRefusedError(refusal)
            reason = _first_complaint(answer) or f"exit code {answer.returncode}"
        raise InfrastructureFailed(f"{repository}: the network failed {self.tries} times: {reason}")

    def _try(self, git: Git, repository: str, args: Sequence[str]) -> Answer:
        told = self.progress or (lambda _: None)
        try:
            return talk(
                args, Path(git.git_dir), git.environment, self.timeout_s,
                lambda step, done, total, received: told(Step(repository, step, done, total, received)),
            )  # fmt: skip
        finally:
            told(Step(repository, None))

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


def _first_complaint(answer: Answer) -> str:
    lines = answer.errors or [line for line in answer.others if line.strip()][-2:] or [""]
    complaint = lines[0].strip().removeprefix("fatal: ").removeprefix("error: ")
    return "".join(filter(str.isprintable, complaint))[:200]
