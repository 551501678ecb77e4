"""The same work on this machine or on a cluster, through joblib's backends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final, TypeVar

from gitgoodbench.clusters.backends import Backend, Workers, check_workers, dask_client, needed, ray_session
from gitgoodbench.errors import RunAborted

T = TypeVar("T")

_CALLS_AT_ONCE: Final = 4
"""For each worker, where results come all at once."""


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

    check_workers(workers)
    if not workers.backend.is_cluster:
        yield {"backend": workers.backend.value, "n_jobs": workers.jobs or 1}
        return
    jobs = workers.jobs or -1
    if workers.backend is Backend.DASK:
        with dask_client(workers) as client, parallel_config(backend="dask", client=client):
            yield {"n_jobs": jobs}
    else:
        bridge = needed("ray.util.joblib", workers.backend)
        with ray_session(workers):
            bridge.register_ray()
            with parallel_config(backend="ray"):
                yield {"n_jobs": jobs}
