"""The `podman` sandbox: the containers of `docker`, by that API of Podman which is compatible with Docker's.

What differs is what Podman's API refuses: a folder in memory has neither owner nor number of inodes there. The work
folder is therefore everybody's, in a container whose only other users are the harness's own.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from gitgoodbench.sandbox.daemon import TIMEOUT_S, DockerUnavailable, brief, docker_errors
from gitgoodbench.sandbox.docker import DockerProvider, DockerSandbox

if TYPE_CHECKING:
    from docker.client import DockerClient

_SYSTEM: Final = "unix:///run/podman/podman.sock"
_ULIMITS: Final = {"nofile": 4096, "nproc": 15_000}
"""Podman would ask for a million of each, which a machine may not allow. Processes are held by `pids`."""

_REFUSED: Final = ("uid=", "gid=", "nr_inodes=")
"""Options of folders in memory that Podman's API does not know."""


class PodmanSandbox(DockerSandbox):
    """A container. Made by `PodmanProvider`."""

    kind = "podman"


class PodmanProvider(DockerProvider):
    """Makes containers of one image. host: of the API; None is `podman_socket`.

    Raises:
        DockerUnavailable, UserError: as `DockerProvider`.
    """

    kind = "podman"
    engine: ClassVar[str] = "Podman"
    _sandbox: ClassVar[type[DockerSandbox]] = PodmanSandbox

    def unenforced(self) -> list[str]:
        """See `DockerProvider.unenforced`. The number of files in memory is held by the limit of memory alone."""
        return [*super().unenforced(), "inodes"]

    def _connect(self) -> DockerClient:
        return connect_to_podman(self._host)

    def _settings(self) -> dict[str, Any]:
        settings = super()._settings()
        limits = [{"Name": name, "Soft": most, "Hard": most} for name, most in _ULIMITS.items()]
        return {
            **settings,
            "tmpfs": {path: _accepted(options) for path, options in settings["tmpfs"].items()},
            "ulimits": [*settings["ulimits"], *limits],
        }


def connect_to_podman(host: str | None = None) -> DockerClient:
    """A client of Podman's API.

    Raises:
        DockerUnavailable: it does not answer.
    """
    import docker

    address = host or podman_socket()
    try:
        client = docker.DockerClient(base_url=address, timeout=TIMEOUT_S, use_ssh_client=True)
        client.ping()
    except docker_errors() as problem:
        raise DockerUnavailable(
            f"Podman does not answer at {address} ({brief(problem)}): start its API with "
            "`systemctl --user start podman.socket` or `podman system service -t 0`, or name another with "
            "--opt podman.podman_host=unix:///PATH"
        ) from problem
    return client


def podman_socket() -> str:
    """CONTAINER_HOST, else the user's own socket, else that of the system."""
    if named := os.environ.get("CONTAINER_HOST"):
        return named
    own = Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}") / "podman" / "podman.sock"
    return f"unix://{own}" if own.exists() else _SYSTEM


def podman_is_there() -> bool:
    """Whether Podman's API is named, or its socket exists."""
    address = podman_socket()
    return not address.startswith("unix://") or Path(address.removeprefix("unix://")).exists()


def _accepted(options: str) -> str:
    kept = [option for option in options.split(",") if not option.startswith(_REFUSED)]
    return ",".join("mode=0777" if option == "mode=0755" else option for option in kept)
