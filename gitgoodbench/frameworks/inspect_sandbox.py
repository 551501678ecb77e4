"""Our sandboxes as sandboxes of Inspect AI: with `-T tools=shell`, its tools and agents work where the episode is.

The setup solver opens the episode with its sandbox, so what Inspect makes before it is only a way to find that one.
"""

from __future__ import annotations

from typing import Final

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.extras import needed
from gitgoodbench.frameworks.inspect_episodes import Left, in_thread, session_of
from gitgoodbench.git.process import ExecResult
from gitgoodbench.shell_tools import ENVIRONMENT

with needed("inspect", "inspect_ai"):
    from inspect_ai.util import ExecResult as InspectResult
    from inspect_ai.util import (
        OutputLimitExceededError,
        SandboxEnvironment,
        SandboxEnvironmentConfigType,
        SandboxEnvironmentLimits,
        SandboxUnavailableError,
        SandboxUserUnsupportedError,
        sandboxenv,
        store_as,
    )

NAME: Final = "gitgoodbench"

_FOLDER, _ABSENT, _REFUSED = 21, 22, 23
_READ: Final = f"""
[ -d "$1" ] && exit {_FOLDER}
[ -e "$1" ] || exit {_ABSENT}
[ -r "$1" ] || exit {_REFUSED}
exec cat -- "$1"
"""
_WRITE: Final = f"""
[ -d "$1" ] && exit {_FOLDER}
mkdir -p -- "$(dirname -- "$1")" && cat > "$1" || exit {_REFUSED}
"""
_PROBLEMS: Final = {_FOLDER: IsADirectoryError, _ABSENT: FileNotFoundError, _REFUSED: PermissionError}


@sandboxenv(name=NAME)
class EpisodeSandbox(SandboxEnvironment):
    """The sandbox of the sample's session. It has one user; paths are relative to the working tree."""

    @classmethod
    async def sample_init(
        cls,
        task_name: str,  # noqa: ARG003
        config: SandboxEnvironmentConfigType | None,  # noqa: ARG003
        metadata: dict[str, str],  # noqa: ARG003
    ) -> dict[str, SandboxEnvironment]:
        return {"default": cls()}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        """Nothing: the sandbox goes with its episode (`close_episode`)."""

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,  # noqa: ARG002
        concurrency: bool = True,  # noqa: ARG002
    ) -> InspectResult[str]:
        """See Inspect's. A command is never run a second time."""
        if user is not None:
            raise SandboxUserUnsupportedError(f"the sandbox has one user, which {user!r} is not")
        found = await self._run(cmd, _bytes(input), SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE, cwd, env, timeout)
        if found.timed_out:
            raise TimeoutError(f"the command was killed after {timeout} s")
        if found.truncated:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR, _text(found.stdout))
        return InspectResult(found.returncode == 0, found.returncode, _text(found.stdout), _text(found.stderr))

    async def write_file(self, file: str, contents: str | bytes) -> None:
        found = await self._run(["/bin/sh", "-c", _WRITE, "sh", file], _bytes(contents), 1024)
        _check(found, file)

    async def read_file(self, file: str, text: bool = True) -> str | bytes:  # type: ignore[override,unused-ignore]
        found = await self._run(["/bin/sh", "-c", _READ, "sh", file], b"", SandboxEnvironmentLimits.MAX_READ_FILE_SIZE)
        _check(found, file)
        if found.truncated:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        return found.stdout.decode("utf-8") if text else found.stdout

    async def _run(
        self,
        command: list[str],
        stdin: bytes,
        output_limit: int,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout: int | None = None,
    ) -> ExecResult:
        """In the sandbox of the sample whose solver asks."""
        try:
            sandbox = session_of(store_as(Left)).sandbox
        except GitGoodBenchError as problem:
            raise SandboxUnavailableError(str(problem)) from problem
        return await in_thread(
            lambda: sandbox.exec(
                command,
                stdin=stdin,
                cwd=cwd,
                env={**ENVIRONMENT, **(env or {})},
                timeout_s=timeout,
                output_limit=output_limit,
            )
        )


def _check(found: ExecResult, file: str) -> None:
    if found.timed_out:
        raise TimeoutError(file)
    if (problem := _PROBLEMS.get(found.returncode)) is not None:
        raise problem(file)
    if found.returncode != 0 and not found.truncated:
        raise OSError(f"{file}: {_text(found.stderr).strip()}")


def _bytes(contents: str | bytes | None) -> bytes:
    return (contents or "").encode() if isinstance(contents, str | None) else contents


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace")
