"""Where work is done: on this machine, or on a cluster that is there already.

loky: processes; threading: threads; dask, ray: an existing cluster. The last two are imported when they are asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gitgoodbench.errors import UserError


class Backend(StrEnum):
    """Where the work is done."""

    LOKY = "loky"
    THREADING = "threading"
    DASK = "dask"
    RAY = "ray"

    @property
    def is_cluster(self) -> bool:
        return self in (Backend.DASK, Backend.RAY)


@dataclass(frozen=True)
class Workers:
    """How much is done at a time, and where.

    jobs: pieces of work at a time; None: as many as the cluster has cores, on this machine 1.
    cluster: address of a Dask scheduler or a Ray head. None: the one that the cluster's own configuration names
        (DASK_SCHEDULER_ADDRESS, RAY_ADDRESS), and else one that is started on this machine for as long as the work
        takes.
    """

    backend: Backend = Backend.LOKY
    jobs: int | None = None
    cluster: str | None = None


def check_workers(workers: Workers) -> None:
    """Refuse an address that the backend has no use for.

    Raises:
        UserError: there is one.
    """
    if workers.cluster is not None and not workers.backend.is_cluster:
        raise UserError(f"--cluster is for --backend dask or ray, not for {workers.backend}")


@contextmanager
def dask_client(workers: Workers) -> Iterator[Any]:
    """A client of the Dask cluster.

    Raises:
        UserError: Dask is not installed, or its scheduler does not answer.
    """
    distributed = needed("distributed", workers.backend)
    settings: dict[str, Any] = {} if workers.cluster else {"n_workers": workers.jobs or 1, "threads_per_worker": 1}
    try:
        client = distributed.Client(workers.cluster, set_as_default=False, **settings)
    except (OSError, TimeoutError, ValueError) as problem:
        raise UserError(_no_answer("Dask scheduler", workers, problem)) from problem
    with client:
        yield client


@contextmanager
def ray_session(workers: Workers) -> Iterator[Any]:
    """The module `ray`, connected to the cluster.

    Raises:
        UserError: Ray is not installed, or its head does not answer.
    """
    ray = needed("ray", workers.backend)
    started = not ray.is_initialized()
    if started:
        try:
            ray.init(address=workers.cluster, log_to_driver=False)
        except Exception as problem:  # Ray raises that very class where a node does not start
            raise UserError(_no_answer("Ray cluster", workers, problem)) from problem
    try:
        yield ray
    finally:
        if started:
            ray.shutdown()


def needed(module: str, backend: Backend) -> Any:
    """A module of a backend's package.

    Raises:
        UserError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        raise UserError(
            f"--backend {backend} needs a package that is not installed ({problem}): "
            f"pip install 'gitgoodbench[{backend}]'"
        ) from problem


def _no_answer(what: str, workers: Workers, problem: BaseException) -> str:
    where = f" at {workers.cluster}" if workers.cluster else ""
    return f"no {what} answers{where}: {' '.join(str(problem).split())[:200]}"
