"""The same work on a cluster."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gitgoodbench.clusters.backends import Backend, Workers
from gitgoodbench.errors import RunAborted, UserError
from gitgoodbench.git.mirror import Mirror
from gitgoodbench.mining.backends import work_through
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.run import mine
from gitgoodbench.mining.targets import Target
from gitgoodbench.mining.task import Order
from tests.mining.test_mine_run import Watch
from tests.support.mined import mixed_repository


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=None
    ) as local:
        yield local


def test_a_dask_cluster_gives_the_same_file(cluster: Any, tmp_path: Path) -> None:
    targets = [
        Target(Project(name=f"acme/r{number}"), Mirror(mixed_repository(tmp_path / f"r{number}", str(number)).path))
        for number in range(3)
    ]
    here, there = tmp_path / "here.parquet", tmp_path / "there.parquet"
    mine(targets, Order(), here, Workers(), Watch())
    watch = Watch()
    mine(targets, Order(), there, Workers(Backend.DASK, cluster=cluster.scheduler_address), watch)
    assert here.read_bytes() == there.read_bytes()
    assert sorted(watch.done) == [("acme/r0", False), ("acme/r1", False), ("acme/r2", False)]


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")

    def refuse(*_: object, **__: object) -> None:
        raise OSError("Timed out trying to connect to tcp://127.0.0.1:1 after 1 s")

    monkeypatch.setattr(distributed, "Client", refuse)
    with pytest.raises(UserError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1: Timed out"):
        list(work_through(int, [("1",)], Workers(Backend.DASK, cluster="tcp://127.0.0.1:1")))


@pytest.mark.parametrize(("backend", "package"), [(Backend.DASK, "distributed"), (Backend.RAY, "ray")])
def test_a_backend_whose_package_is_missing_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, backend: Backend, package: str
) -> None:
    real = importlib.import_module

    def absent(name: str, *rest: Any) -> ModuleType:
        if name.partition(".")[0] == package:
            raise ModuleNotFoundError(f"No module named {name!r}")
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(UserError, match=rf"--backend {backend} .*pip install 'gitgoodbench\[{backend}\]'"):
        list(work_through(int, [("1",)], Workers(backend)))


def test_a_worker_that_dies_ends_the_run_with_a_reason() -> None:
    with pytest.raises(RunAborted, match=r"the workers of --backend loky failed \(TerminatedWorkerError"):
        list(work_through(os._exit, [(1,), (1,)], Workers(Backend.LOKY, 2)))


def test_a_backend_that_gives_results_only_all_at_once_is_asked_again_and_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import joblib

    asked: list[int] = []
    real = joblib.Parallel

    class AllAtOnce(real):  # type: ignore[misc, valid-type]
        def __init__(self, *args: Any, return_as: str = "list", **settings: Any) -> None:
            if return_as != "list":
                raise ValueError("does not support return_as=generator_unordered")
            super().__init__(*args, **settings)

        def __call__(self, calls: Any) -> Any:
            group = list(calls)
            asked.append(len(group))
            return super().__call__(group)

    monkeypatch.setattr(joblib, "Parallel", AllAtOnce)
    results = work_through(int, ((str(number),) for number in range(10)), Workers(Backend.THREADING, 1))
    assert list(results) == list(range(10))
    assert asked == [4, 4, 2]


def test_a_cluster_without_a_cluster_backend_is_a_mistake() -> None:
    with pytest.raises(UserError, match="--cluster is for --backend dask or ray, not for loky"):
        list(work_through(int, [("1",)], Workers(Backend.LOKY, cluster="tcp://h:1")))
