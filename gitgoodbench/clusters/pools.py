"""Pools of workers: each hands a piece of work to a process elsewhere, and tells what became of it.

joblib's own backends end all work when one worker dies; here that costs one piece. Nothing is tried again by itself.
"""

from __future__ import annotations

import contextlib
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from gitgoodbench.clusters.backends import Backend, Workers, check_workers, dask_client, ray_session
from gitgoodbench.clusters.hub import Told, address_towards
from gitgoodbench.errors import UserError

LOOPBACK: Final = "127.0.0.1"
_WORKERS_S: Final = 30


class Pool(Protocol):
    """size: pieces of work that it does at a time. host: this machine's address, as its workers reach it."""

    size: int
    host: str

    def submit(self, function: Callable[[Any], Any], argument: Any, told: Told) -> Callable[[], None]:
        """Have `function(argument)` done by a worker; what is returned withdraws it, if that is still possible.

        The function is known to workers by its name; the argument is pickled.
        """
        ...


@contextmanager
def open_pool(workers: Workers) -> Iterator[Pool]:
    """The workers of a backend, other than threads of this process.

    Raises:
        UserError: the backend's package is not installed, its cluster does not answer, or it has no workers.
    """
    check_workers(workers)
    if workers.backend is Backend.DASK:
        with dask_client(workers) as client:
            yield _DaskPool(client, workers)
    elif workers.backend is Backend.RAY:
        with ray_session(workers) as ray:
            yield _RayPool(ray, workers)
    else:
        pool = _ProcessPool(workers.jobs or 1)
        try:
            yield pool
        finally:
            pool.close()


def cluster_size(workers: Workers) -> int:
    """How many pieces of work a cluster does at a time.

    Raises:
        UserError: as for `open_pool`.
    """
    with open_pool(workers) as pool:
        return pool.size


class _ProcessPool:
    """Processes on this machine, each an executor of its own, since one that dies takes its whole executor with it."""

    host = LOOPBACK

    def __init__(self, size: int) -> None:
        self.size = size
        self._free: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._all: set[Any] = set()
        self._lock = threading.Lock()
        self._closed = False
        for _ in range(size):
            self._free.put(None)

    def submit(self, function: Callable[[Any], Any], argument: Any, told: Told) -> Callable[[], None]:
        executor = self._free.get() or self._start()
        future = executor.submit(function, argument)

        def ended(done: Any) -> None:
            problem = None if done.cancelled() else done.exception()
            broken = done.cancelled() or problem is not None
            if broken:
                self._discard(executor)
            self._free.put(None if broken else executor)
            if broken:
                told("lost", _brief(problem))
            else:
                told("done", done.result())

        future.add_done_callback(ended)

        def withdraw() -> None:
            future.cancel()

        return withdraw

    def close(self) -> None:
        with self._lock:
            self._closed = True
            executors = list(self._all)
        for executor in executors:
            executor.shutdown(wait=False, kill_workers=True)

    def _start(self) -> Any:
        from joblib.externals.loky import ProcessPoolExecutor  # type: ignore[import-untyped]

        executor = ProcessPoolExecutor(max_workers=1, initializer=_leave_interrupts_to_the_driver)
        with self._lock:
            if self._closed:
                raise UserError("the workers are closed")
            self._all.add(executor)
        return executor

    def _discard(self, executor: Any) -> None:
        with self._lock:
            self._all.discard(executor)
        threading.Thread(target=executor.shutdown, kwargs={"kill_workers": True}, daemon=True).start()


def _leave_interrupts_to_the_driver() -> None:
    """A Ctrl-C reaches every process of a terminal; who started the work tells workers to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class _DaskPool:
    def __init__(self, client: Any, workers: Workers) -> None:
        self._client = client
        with contextlib.suppress(TimeoutError):  # they may just be starting, or starting again
            client.wait_for_workers(1, timeout=_WORKERS_S)
        threads = sum(client.nthreads().values())
        if not threads:
            raise UserError(f"the Dask cluster at {client.scheduler.address} has no workers: start some, and try again")
        self.size = workers.jobs or threads
        scheduler = urlsplit(client.scheduler.address)
        local = scheduler.hostname in (None, LOOPBACK, "localhost")
        self.host = LOOPBACK if local else address_towards(str(scheduler.hostname), scheduler.port or 1)

    def submit(self, function: Callable[[Any], Any], argument: Any, told: Told) -> Callable[[], None]:
        future = self._client.submit(function, argument, pure=False, retries=0)

        def ended(done: Any) -> None:
            try:
                result = done.result()
            except BaseException as problem:
                told("lost", _brief(problem))
            else:
                told("done", result)
            finally:
                done.release()

        future.add_done_callback(ended)

        def withdraw() -> None:
            with contextlib.suppress(Exception):
                future.cancel()

        return withdraw


class _RayPool:
    def __init__(self, ray: Any, workers: Workers) -> None:
        self._ray = ray
        self.size = workers.jobs or int(ray.cluster_resources().get("CPU", 0))
        if not self.size:
            raise UserError("the Ray cluster has no CPUs to work with: start workers, and try again")
        alone = len([node for node in ray.nodes() if node.get("Alive")]) == 1
        self.host = LOOPBACK if alone else str(ray.util.get_node_ip_address())
        self._remotes: dict[Callable[[Any], Any], Any] = {}

    def submit(self, function: Callable[[Any], Any], argument: Any, told: Told) -> Callable[[], None]:
        ray = self._ray
        if function not in self._remotes:
            self._remotes[function] = ray.remote(max_retries=0, num_cpus=1)(function)
        reference = self._remotes[function].remote(argument)

        def ended(done: Any) -> None:
            try:
                told("done", done.result())
            except BaseException as problem:
                told("lost", _brief(problem))

        reference.future().add_done_callback(ended)

        def withdraw() -> None:
            with contextlib.suppress(Exception):
                ray.cancel(reference, force=False)

        return withdraw


def _brief(problem: BaseException | None) -> str:
    if problem is None:
        return "it was withdrawn"
    text = " ".join(str(problem).split())[:300]
    return f"{type(problem).__name__}: {text}" if text else type(problem).__name__
