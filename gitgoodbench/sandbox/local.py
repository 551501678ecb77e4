"""The `local` sandbox: a temporary folder on this machine. It isolates nothing."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from gitgoodbench.errors import InfrastructureFailed
from gitgoodbench.folders import make_folder, remove_folder
from gitgoodbench.git.process import HOST, ExecOptions, ExecResult
from gitgoodbench.sandbox.base import SandboxDied, SandboxLimits
from gitgoodbench.sandbox.channel import ByteStream
from gitgoodbench.sandbox.local_supervisors import Supervisor, start_supervisor
from gitgoodbench.sandbox.supervised import DEFAULT_GRACE_S, SupervisedSandbox


class SocketStream:
    """A socket as `Channel` wants it."""

    def __init__(self, connected: socket.socket) -> None:
        self.settimeout = connected.settimeout
        self.sendall = connected.sendall
        self.recv = connected.recv
        self.close = connected.close
        self._socket = connected

    def shutdown(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)


class LocalSandbox(SupervisedSandbox):
    """A folder of its own, commands run as the user of the harness. Of `SandboxLimits` only the time limit holds.

    PATH is always this machine's, whatever `env` says, so that Git is found where the user has it.
    """

    kind = "local"
    isolated = False

    def __init__(self, limits: SandboxLimits, grace_s: float = DEFAULT_GRACE_S) -> None:
        super().__init__(limits, grace_s)
        self.folder = make_folder("sandbox")
        self.work_dir = str(self.folder / "work")
        self._home = str(self.folder / "home")
        self._supervisor: Supervisor | None = None
        for path in (self.work_dir, self._home):
            os.mkdir(path)  # noqa: PTH102

    def exec(self, argv: Sequence[str | bytes], **options: Unpack[ExecOptions]) -> ExecResult:
        """See `SupervisedSandbox.exec`."""
        if (env := options.get("env")) is not None:
            options["env"] = {**env, **_path_of_this_machine()}
        return super().exec(argv, **options)

    def share(self, path: str, file: Path) -> None:
        """See `SharingSandbox.share`: a hard link, where file and sandbox lie on one disk."""
        place = Path(self.work_dir, path)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            os.link(file, place)
        except OSError:
            super().share(path, file)
        else:
            self.shared[path] = file

    def _connect(self) -> tuple[ByteStream, Mapping[str, Any]]:
        near, far = socket.socketpair()
        with far:
            try:
                self._supervisor = start_supervisor(far, os.environ.get("PATH", os.defpath))
            except OSError as problem:
                near.close()
                raise SandboxDied(f"the supervisor of the sandbox does not start: {problem}") from problem
        return SocketStream(near), {"root": self.work_dir, "home": self._home, "users": None, "life_s": None}

    def _remove(self) -> None:
        self._end_supervisor()
        try:
            remove_folder(self.folder)
        except OSError as problem:
            raise InfrastructureFailed(
                f"the folder {self.folder} of a sandbox cannot be removed: {problem}"
            ) from problem

    def _end_supervisor(self) -> None:
        """The closed channel makes it kill what it runs and go."""
        if self._supervisor is not None:
            self._supervisor.end()
            self._supervisor = None


class LocalProvider:
    """Makes local sandboxes."""

    kind = "local"
    isolated = False

    def __init__(self, limits: SandboxLimits | None = None, *, grace_s: float = DEFAULT_GRACE_S) -> None:
        self.limits = limits or SandboxLimits()
        self._grace_s = grace_s

    def open(self, *, run_id: str, episode_id: str) -> LocalSandbox:  # noqa: ARG002
        """See `SandboxProvider.open`."""
        try:
            sandbox = LocalSandbox(self.limits, self._grace_s)
        except OSError as problem:
            raise InfrastructureFailed(f"no temporary folder for a sandbox: {problem}") from problem
        try:
            sandbox.start()
        except SandboxDied as problem:
            sandbox.close()
            raise InfrastructureFailed(str(problem)) from problem
        except BaseException:
            sandbox.close()
            raise
        return sandbox

    def describe(self) -> Mapping[str, str]:
        """See `SandboxProvider.describe`."""
        version = HOST.exec(["git", "--version"], env=_path_of_this_machine(), timeout_s=30.0).stdout
        return {
            "kind": self.kind,
            "git": version.decode("utf-8", "replace").strip(),
            "python": sys.version.split()[0],
            "command_timeout_s": str(self.limits.command_timeout_s),
        }


def _path_of_this_machine() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath)}
