"""What scoring reads of the real commits is read once, and changes no verdict: known, damaged or absent."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench import Bench, Task
from gitgoodbench.contained import truths
from gitgoodbench.git.objects import Entry
from gitgoodbench.git.reads import Listing, Reads
from gitgoodbench.scenario import Outcome, load_scenarios

AGENTS = {"mcr": ("oracle", "ours"), "ir": ("oracle", "squash-all"), "icc": ("oracle", "per-hunk")}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With the built-in repositories of this machine, and nothing else."""
    from gitgoodbench.cache import cache_home

    built = cache_home() / "mini"
    home = tmp_path / "cache"
    home.mkdir()
    if built.is_dir():
        (home / "mini").symlink_to(built)
    monkeypatch.setenv("GITGOODBENCH_CACHE", str(home))
    return home / "packs"


def outcomes(bench: Bench, task: Task) -> list[Outcome]:
    found = []
    for agent in AGENTS[task.scenario]:
        with bench.open(task) as session:
            policy = load_scenarios()[task.scenario].reference_agents()[agent]
            policy(session._episode, lambda name, session=session, **arguments: session.call(name, arguments).text)
            found.append(session.finish())
    return found


def kept(cache: Path) -> list[Path]:
    return sorted(cache.glob("truth-*/file"))


def test_verdicts_are_the_same_without_with_and_with_a_damaged_truth(cache: Path) -> None:
    with Bench("mini", sandbox="local", offline=True) as bench:
        tasks = [next(task for task in bench.tasks if task.scenario == name) for name in AGENTS]
        left = {task.id: outcomes(bench, task) for task in tasks}
        first = {task.id: bench.score(task, left[task.id][1]).to_dict() for task in tasks}
        assert kept(cache) == []

        def verdicts(position: int) -> dict[str, Any]:
            return {task.id: bench.score(task, left[task.id][position]).to_dict() for task in tasks}

        assert verdicts(1) == first
        assert len(kept(cache)) == 3
        assert verdicts(1) == first
        oracles = verdicts(0)
        for file in kept(cache):
            file.write_bytes(file.read_bytes()[:-1] + b"x")
        assert verdicts(1) == first
        assert kept(cache) == []
        assert verdicts(0) == oracles


def test_reads_come_back_from_a_file_as_they_were() -> None:
    entries = {b"a": Entry("100644", "1" * 40), b"d/b": Entry("100755", "2" * 40)}
    others = {b"a": Entry("100644", "3" * 40), b"c": Entry("120000", "4" * 40)}
    reads = Reads(
        {"a" * 40: Listing(entries, 90, 3), "b" * 40: Listing(others, 80, 1)},
        {"1" * 40: b"\xff\n"}, {("1" * 40, "3" * 40): b"@@"}, {"x y ": (7, 1, b"tree\0")},
    )  # fmt: skip
    again = Reads.load(reads.dump())
    assert again is not None
    assert (again.listings, again.blobs, again.differences, again.merges, again.whole) == (
        reads.listings, reads.blobs, reads.differences, reads.merges, True,
    )  # fmt: skip
    assert Reads.load(b"") is None
    assert Reads.load(reads.dump()[:-3]) is None


def test_a_tree_in_an_odd_order_is_not_kept() -> None:
    odd = {b"b": Entry("100644", "1" * 40), b"a": Entry("100644", "2" * 40)}
    again = Reads.load(Reads({"a" * 40: Listing(odd, 90, 1)}).dump())
    assert again is not None
    assert (again.listings, again.whole) == ({}, False)


def test_no_more_is_kept_than_there_is_room_for() -> None:
    reads = Reads()
    assert reads.takes(32 * 1024**2)
    assert not reads.takes(1)
    assert not reads.whole


def test_the_name_says_what_was_read() -> None:
    with Bench("mini", scenario="mcr", sandbox="local", offline=True) as bench:
        names = {truths.name_of("mcr", task.sample) for task in bench.tasks}
        assert len(names) == len(bench.tasks)
        assert truths.name_of("ir", bench.tasks[0].sample) not in names


def test_git_is_asked_less_where_the_truth_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    from gitgoodbench.git import reads as module

    scenario: Any = load_scenarios()["mcr"]
    with Bench("mini", scenario="mcr", sandbox="local", offline=True) as bench:
        task = bench.tasks[0]
        outcome, _ = outcomes(bench, task)
        asked: list[int] = []
        real = subprocess.Popen

        def counting(*arguments: Any, **others: Any) -> Any:
            asked[-1] += 1
            return real(*arguments, **others)

        monkeypatch.setattr(subprocess, "Popen", counting)
        known = Reads()
        for _ in range(2):
            asked.append(0)
            module.keep(known)
            try:
                assert scenario.score(task.sample, bench._store, outcome).solved
            finally:
                module.keep(None)
        assert asked[1] <= asked[0] - 8
