"""The one gate through which Git runs, on this machine or inside a sandbox.

Git behaves as its configuration says, and configuration comes from the system, the user, the repository and the
environment. `GIT_ENVIRONMENT` is built from nothing, so that the first two are absent, and its command-scope settings
(GIT_CONFIG_COUNT) override the third. Everything is bytes; arguments are lists.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from gitgoodbench import limits
from gitgoodbench.errors import GitGoodBenchError, InfrastructureFailed
from gitgoodbench.git.executor import HOST as HOST
from gitgoodbench.git.executor import ExecOptions as ExecOptions
from gitgoodbench.git.executor import ExecResult as ExecResult
from gitgoodbench.git.executor import Executor as Executor
from gitgoodbench.git.executor import HostExecutor as HostExecutor

IDENTITY: Final = ("gitgoodbench", "agent@gitgoodbench.invalid")
COMMIT_DATE: Final = "2020-01-01T00:00:00+0000"

_CONFIGURATION: Final[Mapping[str, str]] = {
    "advice.detachedHead": "false",
    "color.ui": "false",
    "commit.gpgSign": "false",
    "core.attributesFile": "/dev/null",
    "core.autocrlf": "false",
    "core.excludesFile": "/dev/null",
    "core.fileMode": "true",
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.protectHFS": "true",
    "core.protectNTFS": "true",
    "core.quotePath": "false",
    "core.safecrlf": "false",
    "core.splitIndex": "false",
    "core.untrackedCache": "false",
    "diff.algorithm": "myers",
    "diff.context": "3",
    "diff.interHunkContext": "0",
    "diff.mnemonicPrefix": "false",
    "diff.noprefix": "false",
    "diff.renameLimit": "1000",
    "diff.renames": "true",
    "diff.suppressBlankEmpty": "false",
    "gc.auto": "0",
    "init.defaultBranch": "main",
    "init.defaultRefFormat": "files",
    "log.showSignature": "false",
    "maintenance.auto": "false",
    "merge.conflictStyle": "merge",
    "merge.directoryRenames": "conflict",
    "merge.renameLimit": "7000",
    "merge.renames": "true",
    "merge.renormalize": "false",
    "merge.verifySignatures": "false",
    "rerere.enabled": "false",
    "safe.directory": "*",
    "tag.gpgSign": "false",
    "user.useConfigOnly": "false",
}


GIT_ENVIRONMENT: Final[Mapping[str, str]] = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nonexistent",
    "XDG_CONFIG_HOME": "/nonexistent",
    "LC_ALL": "C",
    "TZ": "UTC",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": ":",
    "GIT_SEQUENCE_EDITOR": ":",
    "GIT_MERGE_AUTOEDIT": "no",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ALLOW_PROTOCOL": "none",  # no lazy fetch of a partial clone, no submodule, no remote helper
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": "/nonexistent",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": IDENTITY[0],
    "GIT_AUTHOR_EMAIL": IDENTITY[1],
    "GIT_AUTHOR_DATE": COMMIT_DATE,
    "GIT_COMMITTER_NAME": IDENTITY[0],
    "GIT_COMMITTER_EMAIL": IDENTITY[1],
    "GIT_COMMITTER_DATE": COMMIT_DATE,
    "GIT_CONFIG_COUNT": str(len(_CONFIGURATION)),
    **{f"GIT_CONFIG_KEY_{position}": key for position, key in enumerate(_CONFIGURATION)},
    **{f"GIT_CONFIG_VALUE_{position}": value for position, value in enumerate(_CONFIGURATION.values())},
}


class GitError(GitGoodBenchError):
    """A Git command failed. Keeps the arguments, the exit code and standard error."""

    def __init__(self, args: Sequence[str | bytes], result: ExecResult) -> None:
        self.git_args = [os.fsdecode(a) for a in args]
        self.result = result
        reason = "timed out" if result.timed_out else f"exit code {result.returncode}"
        detail = result.stderr.decode("utf-8", "replace").strip()
        super().__init__(f"git {' '.join(self.git_args[:4])}: {reason}{': ' + detail if detail else ''}")


_MACHINE: Final = re.compile(
    rb": (?:No space left on device|Disk quota exceeded|Cannot allocate memory|Too many open files(?: in system)?"
    rb"|Input/output error|Resource temporarily unavailable|Read-only file system)$",
    re.MULTILINE,
)


class Git:
    """Git on one repository: `git_dir`, and `work_tree` where there is one, named explicitly and never discovered.

    `executor` says where the commands run; paths are as seen there. `env` is laid over `GIT_ENVIRONMENT`.
    """

    def __init__(
        self,
        git_dir: Path | str,
        work_tree: Path | str | None = None,
        *,
        executor: Executor = HOST,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.git_dir = str(Path(git_dir).absolute())
        self.work_tree = None if work_tree is None else str(Path(work_tree).absolute())
        self.executor = executor
        self.extra_env = dict(env or {})
        self._same: Git | None = None  # keeps a borrowed repository (see `mirror`) as long as any Git runs on it

    @property
    def environment(self) -> dict[str, str]:
        environment = {**GIT_ENVIRONMENT, "GIT_DIR": self.git_dir}
        if self.executor is HOST:
            environment["PATH"] = os.environ.get("PATH", environment["PATH"])
        if self.work_tree is not None:
            environment["GIT_WORK_TREE"] = self.work_tree
        return {**environment, **self.extra_env}

    def with_env(self, **env: str) -> Git:
        """The same repository, with more environment variables."""
        git = Git(self.git_dir, self.work_tree, executor=self.executor, env={**self.extra_env, **env})
        git._same = self
        return git

    def execute(
        self,
        *args: str | bytes,
        stdin: bytes = b"",
        timeout_s: float | None = None,
        output_limit: int | None = None,
    ) -> ExecResult:
        """Run `git *args` and return whatever came of it."""
        return self.executor.exec(
            ["git", *args],
            stdin=stdin,
            cwd=self.work_tree if self.work_tree is not None else self.git_dir,
            env=self.environment,
            timeout_s=timeout_s,
            output_limit=output_limit,
        )

    def run(self, *args: str | bytes, stdin: bytes = b"", check: bool = True, timeout_s: float | None = None) -> bytes:
        """Run `git *args` and return its standard output.

        Raises:
            GitError: the command failed or timed out, unless `check` is false.
            InfrastructureFailed: it failed since this machine has no space or memory left.
        """
        result = self.execute(*args, stdin=stdin, timeout_s=timeout_s)
        if check and (result.returncode != 0 or result.timed_out):
            raise self.failure(args, result)
        return result.stdout

    def failure(self, args: Sequence[str | bytes], result: ExecResult) -> GitGoodBenchError:
        """The error of a command that failed: the machine's where its disk or memory is at an end, else Git's."""
        if self.executor is HOST and _MACHINE.search(result.stderr):
            return InfrastructureFailed(str(GitError(args, result)))
        return GitError(args, result)

    def line(self, *args: str | bytes, stdin: bytes = b"") -> str:
        """The single line (an object id, a number) that the command prints."""
        return self.run(*args, stdin=stdin).decode("ascii").strip()

    @contextlib.contextmanager
    def stream(
        self,
        *args: str | bytes,
        stdin: IO[bytes] | int = subprocess.PIPE,
        stdout: IO[bytes] | int = subprocess.PIPE,
        stderr: IO[bytes] | int = subprocess.DEVNULL,
    ) -> Iterator[subprocess.Popen[bytes]]:
        """A running Git process on this machine with a pipe on standard output; killed when left.

        Give it a file as `stdin` where it may answer before it has read everything: no pipe can then fill up.
        """
        held = limits.current() is not None
        limits.hold_cpu()
        with contextlib.ExitStack() as stack:
            if held and stderr is subprocess.DEVNULL:
                stderr = stack.enter_context(tempfile.TemporaryFile())
            started = subprocess.Popen(
                ["git", *args], stdin=stdin, stdout=stdout, stderr=stderr,
                cwd=self.work_tree or self.git_dir, env=self.environment, start_new_session=not held,
            )  # fmt: skip
            process = stack.enter_context(started)
            limits.hold_git(process)
            try:
                yield process
            except Exception:
                if held and not isinstance(stderr, int):
                    _raise_limit(process, stderr)
                raise
            finally:
                if process.poll() is None:
                    process.kill()
        limits.hold_cpu()


def _raise_limit(process: subprocess.Popen[bytes], complaints: IO[bytes]) -> None:
    """Say so if what was read of a process failed since a limit ended it."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(1)
    if process.returncode:
        complaints.seek(0)
        problem = limits.problem_of_git(process.returncode, complaints.read(1024 * 1024))
        if problem is not None:
            raise limits.LimitExceeded(problem) from None
