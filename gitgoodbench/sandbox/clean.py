"""Removing what a crash of the harness left: containers, volumes and temporary folders, found by their labels."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitgoodbench.errors import UserError
from gitgoodbench.folders import find_folders, remove_folder
from gitgoodbench.owner import LABEL, Owner
from gitgoodbench.sandbox.daemon import brief, connect_to_docker, docker_errors, remove_container
from gitgoodbench.sandbox.lending import find_lendings
from gitgoodbench.sandbox.podman import connect_to_podman, podman_is_there

if TYPE_CHECKING:
    from docker.client import DockerClient


@dataclass(frozen=True)
class CleanReport:
    """What `clean` did.

    containers, volumes: names of the removed. folders: paths of the removed. kept: what is in use, or perhaps
    in use by another machine. problems: what could not be looked at or removed, one line each.
    """

    containers: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()
    kept: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def clean(force: bool = False) -> CleanReport:
    """Remove everything that the harness made and whose process has ended; with `force`, also what is in use.

    What it cannot reach or remove is in the report; it raises nothing.
    """
    sweep = _Sweep(force)
    for connect in (connect_to_docker, *([connect_to_podman] if podman_is_there() else [])):
        try:
            client = connect()
        except UserError as problem:
            sweep.problems.append(f"containers were not looked for: {problem}")
        else:
            with contextlib.closing(client):
                sweep.containers(client)
                sweep.volumes(client)
    sweep.folders()
    return sweep.report()


class _Sweep:
    def __init__(self, force: bool) -> None:
        self.force = force
        self.removed: dict[str, list[Any]] = {"containers": [], "volumes": [], "folders": []}
        self.kept: list[str] = []
        self.problems: list[str] = []

    def report(self) -> CleanReport:
        removed = {kind: tuple(names) for kind, names in self.removed.items()}
        return CleanReport(**removed, kept=tuple(self.kept), problems=tuple(self.problems))

    def containers(self, client: DockerClient) -> None:
        with self._noting("containers"):
            for container in client.containers.list(all=True, filters={"label": f"{LABEL}=1"}, ignore_removed=True):
                if self._may_go(f"container {container.name}", Owner.from_labels(container.labels)):
                    with self._noting(f"container {container.name}"):
                        remove_container(container)
                        self.removed["containers"].append(container.name)

    def volumes(self, client: DockerClient) -> None:
        with self._noting("volumes"):
            for volume in client.volumes.list(filters={"label": f"{LABEL}=1"}):
                owner = Owner.from_labels(volume.attrs.get("Labels") or {})
                if self._may_go(f"volume {volume.name}", owner):
                    with self._noting(f"volume {volume.name}"):
                        volume.remove(force=True)
                        self.removed["volumes"].append(volume.name)

    def folders(self) -> None:
        for folder, owner in (*find_folders(), *_lent_folders()):
            if self._may_go(f"folder {folder}", owner):
                with self._noting(f"folder {folder}"):
                    remove_folder(folder)
                    self.removed["folders"].append(folder)

    def _may_go(self, what: str, owner: Owner | None) -> bool:
        if self.force or (owner is not None and owner.is_dead()):
            return True
        self.kept.append(what)
        return False

    @contextlib.contextmanager
    def _noting(self, what: str) -> Iterator[None]:
        try:
            yield
        except docker_errors() as problem:
            self.problems.append(f"{what}: {brief(problem)}")


def _lent_folders() -> list[tuple[Path, Owner | None]]:
    try:
        return list(find_lendings())
    except UserError:  # there is no cache
        return []
