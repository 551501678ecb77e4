"""The tool sets with a shell: one command runner inside the sandbox, or the agent's own tools.

The agent works as a developer would, with Git itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from gitgoodbench.errors import ToolError
from gitgoodbench.git.process import GIT_ENVIRONMENT, ExecResult
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.tools import Tool, ToolSet

OUTPUT_LIMIT = 32 * 1024
MAX_TIMEOUT_S = 600
_HARNESS_ONLY = ("GIT_LITERAL_PATHSPECS", "GIT_OPTIONAL_LOCKS", "GIT_ALLOW_PROTOCOL")
ENVIRONMENT: Final[Mapping[str, str]] = {
    **{name: value for name, value in GIT_ENVIRONMENT.items() if name not in _HARNESS_ONLY},
    "HOME": "/tmp",
}
"""Of commands that an agent runs."""


class ShellTools:
    """`run_command` and `finish`."""

    def __init__(self, sandbox: Sandbox, undone: Callable[[], str | None] = lambda: None) -> None:
        """
        Args:
            undone: says what is not done yet, for an agent that calls finish too early; it is asked once.
        """
        self._sandbox = sandbox
        self._undone = undone
        self._was_told = False
        found = sandbox.exec(["/bin/sh", "-c", "command -v bash"], env=ENVIRONMENT)
        self._shell = "bash" if found.returncode == 0 else "sh"
        self._called_finish = False

    @property
    def finished(self) -> bool:
        """Whether the agent has nothing left to do."""
        return self._called_finish

    def functions(self) -> list[Callable[..., str]]:
        """Everything that can be offered as a tool."""
        return [self.run_command, self.finish]

    def tools(self) -> list[Tool]:
        return [Tool.of(function) for function in self.functions()]

    def run_command(self, command: str, timeout_s: int = 60) -> str:
        """Run a command line in a shell, at the project's root. What it starts is gone when it has ended.

        Args:
            command: the command line.
            timeout_s: seconds after which it is killed, at most 600.

        Example:
            run_command(command="git status", timeout_s=30)
        """
        if "\0" in command:
            raise ToolError("a command cannot hold a NUL character")
        line = command.encode("utf-8", "surrogateescape")
        if len(line) > 100_000:
            raise ToolError("the command is longer than 100000 bytes; write files in several steps")
        result = self._sandbox.exec(
            [self._shell, "-c", line],
            env=ENVIRONMENT,
            timeout_s=min(max(1, timeout_s), MAX_TIMEOUT_S),
            output_limit=OUTPUT_LIMIT,
        )
        return _show(result)

    def finish(self, message: str = "") -> str:  # noqa: ARG002
        """Say that you are done. Only what is committed by then counts.

        Args:
            message: what you did, in a sentence.

        Example:
            finish(message="Committed the fix.")
        """
        if not self._was_told and (reason := self._undone()):
            self._was_told = True
            raise ToolError(f"not finished: {reason}. Mend that, or call finish again if it is meant so")
        self._called_finish = True
        return "Finished."


class OwnTools(ShellTools):
    """No tools: the agent has its own, in a workspace as for the shell. It is finished where nothing is left undone."""

    def __init__(self, sandbox: Sandbox, undone: Callable[[], str | None] = lambda: None) -> None:
        self._sandbox, self._undone = sandbox, undone

    @property
    def finished(self) -> bool:
        return self._undone() is None

    def functions(self) -> list[Callable[..., str]]:
        return []


SHELLS: Final[Mapping[ToolSet, type[ShellTools]]] = {ToolSet.SHELL: ShellTools, ToolSet.OWN: OwnTools}
"""The toolboxes of the tool sets with a shell."""


def _show(result: ExecResult) -> str:
    status = "timed out, killed" if result.timed_out else f"exit code {result.returncode}"
    parts = [status]
    for name, stream in (("stdout", result.stdout), ("stderr", result.stderr)):
        if stream:
            parts.append(f"--- {name}\n{stream.decode('utf-8', 'replace').rstrip()}")
    if result.truncated:
        parts.append(f"--- output beyond {OUTPUT_LIMIT} bytes of a stream is left out")
    return "\n".join(parts)
