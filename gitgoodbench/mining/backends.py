"""The same work on this machine or on a cluster, through joblib's backends.

loky: processes; threading: threads; dask, ray: an existing cluster. The last two are imported when they are asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Any, Final, TypeVar

from gitgoodbench.errors import RunAborted, UserError

T = TypeVar("T")

_CALLS_AT_ONCE: Final = 4
"""For each worker, where results come all at once."""


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


def work_through(function: Callable[..., T], arguments: Iterable[tuple[Any, ...]], workers: Workers) -> Iterator[T]:
    """Results of the calls, as they come.

    Raises:
        UserError: the backend's package is not installed, or its cluster does not answer.
        RunAborted: the workers are lost (out of memory, a cluster that went away), or a call raised an error.
    """
    with _backend(workers) as settings:
        try:
            yield from _results(function, iter(arguments), settings)
        except Exception as problem:
            reason = " ".join(str(problem).split())[:300]
            raise RunAborted(
                f"the workers of --backend {workers.backend} failed ({type(problem).__name__}: {reason}): what is "
                "finished is kept; try again, with fewer --jobs where memory is short"
            ) from problem


def _results(function: Callable[..., T], calls: Iterator[tuple[Any, ...]], settings: dict[str, Any]) -> Iterator[T]:
    from joblib import Parallel, delayed, effective_n_jobs

    try:
        parallel = Parallel(**settings, return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")
    except ValueError:  # Ray's backend gives results only all at once, so it is asked again and again
        size = _CALLS_AT_ONCE * effective_n_jobs(settings["n_jobs"])
        with Parallel(**settings, batch_size=1) as parallel:
            while group := list(islice(calls, size)):
                yield from parallel(delayed(function)(*call) for call in group)
    else:
        yield from parallel(delayed(function)(*call) for call in calls)


@contextmanager
def _backend(workers: Workers) -> Iterator[dict[str, Any]]:
    """Arguments for `Parallel`, while a cluster's connection is open."""
    from joblib import parallel_config

    if not workers.backend.is_cluster:
        if workers.cluster is not None:
            raise UserError(f"--cluster is for --backend dask or ray, not for {workers.backend}")
        yield {"backend": workers.backend.value, "n_jobs": workers.jobs or 1}
        return
    jobs = workers.jobs or -1
    if workers.backend is Backend.DASK:
        with _dask_client(workers) as client, parallel_config(backend="dask", client=client):
            yield {"n_jobs": jobs}
    else:
        with _ray(workers), parallel_config(backend="ray"):
            yield {"n_jobs": jobs}


@contextmanager
def _dask_client(workers: Workers) -> Iterator[Any]:
    distributed = _needed("distributed", workers.backend)
    settings: dict[str, Any] = {} if workers.cluster else {"n_workers": workers.jobs or 1, "threads_per_worker": 1}
    try:
        client = distributed.Client(workers.cluster, set_as_default=False, **settings)
    except (OSError, TimeoutError, ValueError) as problem:
        raise UserError(_no_answer("Dask scheduler", workers, problem)) from problem
    with client:
        yield client


@contextmanager
def _ray(workers: Workers) -> Iterator[None]:
    ray = _needed("ray", workers.backend)
    bridge = _needed("ray.util.joblib", workers.backend)
    started = not ray.is_initialized()
    if started:
        try:
            ray.init(address=workers.cluster, log_to_driver=False)
        except (OSError, TimeoutError, ValueError, RuntimeError) as problem:
            raise UserError(_no_answer("Ray cluster", workers, problem)) from problem
    bridge.register_ray()
    try:
        yield
    finally:
        if started:
            ray.shutdown()


def _needed(module: str, backend: Backend) -> Any:
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
