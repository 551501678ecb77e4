"""Outcomes are scored in processes of their own: the same verdicts, and a stated end for what takes too much."""

from __future__ import annotations

import dataclasses
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.contained.client import Running, ask
from gitgoodbench.contained.frames import histories_fields, histories_of, verdict_fields, verdict_of
from gitgoodbench.contained.scenario import ScoringCrashed, contained
from gitgoodbench.contained.server import MOST_FORKS
from gitgoodbench.contained.task import Task, Wanted
from gitgoodbench.errors import AgentFailed, InfrastructureFailed, SetupFailed, Unscorable
from gitgoodbench.limits import LIMITS, MIB, LimitExceeded, Limits
from gitgoodbench.scenario import JudgedScenario, Outcome, load_scenarios
from gitgoodbench.workspace.outcome import outcome_of
from tests.support import merges, rebases
from tests.support.hostile_outcomes import (
    Trees,
    deep_lists,
    deep_paths,
    delta_blob,
    in_a_chain,
    in_a_merge,
    large_text,
    newlines,
    repeating_tree,
)

BASE = {b"a.py": b"def f(a):\n    return a\n"}
STEPS = [{b"a.py": b"def f(a):\n    return a + %d\n" % number} for number in (1, 2, 3)]


@pytest.fixture
def rebase(tmp_path: Path) -> rebases.RebaseCase:
    return rebases.make_chain(tmp_path / "chain.git", BASE, *STEPS)


@pytest.fixture
def merge(tmp_path: Path) -> merges.MergeCase:
    return merges.make_merge(tmp_path / "merge.git", BASE, *STEPS)


def of_chain(case: rebases.RebaseCase, trees: Trees) -> Outcome:
    return in_a_chain(case.git, case.commits[-1], trees)


def scenario(name: str, **limits: Any) -> Any:
    return contained(load_scenarios()[name], limits=dataclasses.replace(LIMITS, **limits))


def squashed(case: rebases.RebaseCase) -> Outcome:
    """A rebase that leaves one commit in place of the last two."""
    head = case.builder.commit(STEPS[-1], [case.commits[0]], b"The rest\n")
    return outcome_of(case.git, head, case.commits[-1:], {"finished": True})


def test_a_contained_verdict_is_the_verdict(rebase: rebases.RebaseCase, merge: merges.MergeCase) -> None:
    wrong = merge.builder.commit({b"a.py": b"def f(b):\n    return b\n"}, [merge.local, merge.incoming])
    for name, case, head, begun in (
        ("mcr", merge, wrong, [merge.local, merge.incoming]),
        ("mcr", merge, merge.merge, [merge.local, merge.incoming]),
        ("ir", rebase, squashed(rebase).head, [rebase.commits[-1]]),
    ):
        assert head is not None
        outcome = outcome_of(case.git, head, begun, {"finished": True})
        plain = load_scenarios()[name]
        assert scenario(name).score(case.sample, case.store, outcome) == plain.score(case.sample, case.store, outcome)


def test_a_judge_sees_the_same_histories(rebase: rebases.RebaseCase) -> None:
    outcome = squashed(rebase)
    pair = scenario("ir").histories(rebase.sample, rebase.store, outcome)
    assert len(pair.agent.commits) == 2
    assert pair == rebases.IR.histories(rebase.sample, rebase.store, outcome)
    assert scenario("ir").histories(rebase.sample, rebase.store, Outcome(None, None)) is None


def test_what_crosses_the_pipe_is_as_it_was(rebase: rebases.RebaseCase) -> None:
    outcome = squashed(rebase)
    verdict, pair = rebases.score(rebase, outcome), rebases.IR.histories(rebase.sample, rebase.store, outcome)
    assert verdict_of(verdict_fields(verdict)) == verdict
    assert histories_of(histories_fields(pair)) == pair


@pytest.mark.parametrize(
    ("trees", "limits", "named"),
    [
        (delta_blob, {"git_memory": 128 * MIB}, "Git needs more than the limit of 128 MiB of memory"),
        (partial(delta_blob, times=2), {"object": 16 * MIB}, "a blob of 31 MiB, more than the limit of 16"),
        (partial(newlines, size=400_000), {"cpu_s": 1}, "it takes more than the limit of 1 s of processor time"),
        (partial(newlines, size=400_000), {"memory": 64 * MIB}, "it takes more than the limit of 64 MiB"),
        (deep_lists, {"objects": 3}, "it has 5 objects, more than the limit of 3"),
        (deep_lists, {"file": 300}, "it makes a file larger than the limit of 0 MiB"),
        (deep_lists, {"answer": 1000}, "its answer has more than the limit of 1000 bytes"),
        (deep_lists, {"wall_s": 0.01}, "it takes more than the limit of 0.01 s"),
    ],
)  # fmt: skip
def test_what_exceeds_a_limit_is_the_agents_failure(
    trees: Trees, limits: dict[str, Any], named: str, rebase: rebases.RebaseCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited = scenario("ir", **limits)
    usual = scenario("ir")
    ask_one = limited._ask

    def only_hostile(wanted: Wanted, sample: Any, store: Any, outcome: Outcome | None) -> Any:
        """The limits are too low for the real commits, too: those are asked about with the usual ones."""
        hostile = outcome is not None and outcome.bundle is not None
        return (ask_one if hostile else usual._ask)(wanted, sample, store, outcome)

    monkeypatch.setattr(limited, "_ask", only_hostile)
    verdict = limited.score(rebase.sample, rebase.store, of_chain(rebase, trees))
    assert named in (verdict.limit or "")
    assert (verdict.problem, verdict.solved, verdict.gates["base_is_ancestor"]) == (verdict.limit, False, False)


def test_limits_that_the_real_commits_exceed_are_nobodys_fault(merge: merges.MergeCase) -> None:
    outcome = in_a_merge(merge.git, merge.local, merge.incoming, deep_lists)
    with pytest.raises(Unscorable, match=r"it has 3 objects, .* limit of 1; the real commits do as well: it has 3 obj"):
        scenario("mcr", objects=1).score(merge.sample, merge.store, outcome)


def test_a_scenario_that_cannot_tell_the_truth_blames_nobody(
    rebase: rebases.RebaseCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited = scenario("ir", objects=1)
    asked = limited._ask
    monkeypatch.setattr(limited, "_ask", lambda *what: {"untold": True} if what[-1] is None else asked(*what))
    with pytest.raises(Unscorable, match="the scenario ir cannot tell"):
        limited.score(rebase.sample, rebase.store, of_chain(rebase, deep_lists))


@pytest.mark.parametrize("trees", [deep_paths, repeating_tree, deep_lists])
def test_paths_without_end_take_little_memory(
    trees: Trees, rebase: rebases.RebaseCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited = scenario("ir", memory=256 * MIB)
    monkeypatch.setattr(limited, "_blame_agent", pytest.fail)
    verdict = limited.score(rebase.sample, rebase.store, of_chain(rebase, trees))
    assert verdict.limit is None
    assert ("cannot be listed" in (verdict.problem or "")) is (trees is not deep_lists)


def test_a_file_of_fifty_megabytes_is_named_to_the_judge_and_not_shown(rebase: rebases.RebaseCase) -> None:
    limited = scenario("ir", git_memory=160 * MIB)
    pair = limited.histories(rebase.sample, rebase.store, of_chain(rebase, large_text))
    assert pair.agent.commits[3].patch.endswith(
        b"Binary files a/a.py and b/a.py differ (27 bytes, now 48000000 bytes)\n"
    )


def test_a_history_that_cannot_be_shown_is_the_agents_failure(rebase: rebases.RebaseCase) -> None:
    limited = scenario("ir", answer=4000)
    outcome = of_chain(
        rebase, lambda pack, folder: [pack.tree({**folder, b"b": (b"100644", pack.blob(b"x\n" * 9000))})]
    )
    assert isinstance(limited, JudgedScenario)
    with pytest.raises(AgentFailed, match="cannot be shown to a judge: its answer has more than the limit"):
        limited.histories(rebase.sample, rebase.store, outcome)


def test_errors_of_the_repository_are_told_as_they_are(rebase: rebases.RebaseCase) -> None:
    class Empty:
        def mirror(self, name: str, commits: object) -> Any:
            raise SetupFailed(f"{name} lacks {commits}")

    with pytest.raises(SetupFailed, match="test/case lacks"):
        scenario("ir").score(rebase.sample, Empty(), Outcome(None, None))


def test_a_bug_is_told_with_its_traceback(rebase: rebases.RebaseCase) -> None:
    broken: Any = contained(load_scenarios()["ir"])
    broken.name = "nothing"
    with pytest.raises(ScoringCrashed, match="nothing"):
        broken.score(rebase.sample, rebase.store, Outcome(None, None))


def task(case: rebases.RebaseCase, folder: Path, outcome: Outcome, limits: Limits = LIMITS) -> Task:
    return Task(Wanted.SCORE, "ir", None, case.sample, outcome, limits, str(folder))


class Waiting:
    """A store that tells when it is asked, and answers only then when it may."""

    def __init__(self, case: rebases.RebaseCase) -> None:
        self.asked, self.may = threading.Event(), threading.Event()
        self._case = case

    def mirror(self, name: str, commits: Any) -> Any:
        self.asked.set()
        assert self.may.wait(30)
        return self._case.store.mirror(name, commits)


def in_thread(work: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    ended: list[object] = []

    def run() -> None:
        try:
            ended.append(work())
        except Exception as problem:
            ended.append(problem)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, ended


def test_time_in_which_a_repository_is_fetched_does_not_count(rebase: rebases.RebaseCase, tmp_path: Path) -> None:
    store = Waiting(rebase)
    given = task(rebase, tmp_path, squashed(rebase), dataclasses.replace(LIMITS, wall_s=30))
    thread, ended = in_thread(lambda: ask(given, store, Running()))
    assert store.asked.wait(30)
    store.may.set()
    thread.join()
    assert isinstance(ended[0], dict)
    assert "verdict" in ended[0]


def test_whoever_stops_a_run_can_end_what_is_being_scored(rebase: rebases.RebaseCase, tmp_path: Path) -> None:
    running, store = Running(), Waiting(rebase)
    thread, ended = in_thread(lambda: ask(task(rebase, tmp_path, squashed(rebase)), store, running))
    assert store.asked.wait(30)
    running.end()
    store.may.set()
    thread.join()
    assert isinstance(ended[0], InfrastructureFailed)


def test_more_outcomes_than_forks_wait_for_their_turn(rebase: rebases.RebaseCase, tmp_path: Path) -> None:
    busy = [Waiting(rebase) for _ in range(MOST_FORKS)]
    given = task(rebase, tmp_path, squashed(rebase))
    threads = [in_thread(partial(ask, given, store, Running())) for store in busy]
    assert all(store.asked.wait(30) for store in busy)
    given_up, patient = Running(), Running()
    late = Waiting(rebase)
    threads += [in_thread(partial(ask, given, late, running)) for running in (patient, given_up)]
    while not given_up._connections:
        time.sleep(0.01)
    given_up.end()
    threads[-1][0].join()
    assert isinstance(threads[-1][1][0], InfrastructureFailed)
    assert not late.asked.is_set()
    for store in (*busy, late):
        store.may.set()
    for thread, _ in threads:
        thread.join()
    assert all(isinstance(ended[0], dict) and "verdict" in ended[0] for _, ended in threads[:-1])


def test_nothing_outlives_a_harness_that_is_killed() -> None:
    program = (
        "import os, sys, time\n"
        "from gitgoodbench.contained import client\n"
        "client.start()\nprint(client._SHARED._process.pid, flush=True)\ntime.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as harness:
        assert harness.stdout is not None
        server = int(harness.stdout.readline())
        harness.send_signal(signal.SIGKILL)
        harness.wait()
    until = time.monotonic() + 60
    while _is_alive(server):
        assert time.monotonic() < until, "the server is still there"
        time.sleep(0.05)


def _is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def test_what_the_process_left_behind_goes_with_it(rebase: rebases.RebaseCase, tmp_path: Path) -> None:
    with pytest.raises(LimitExceeded):
        ask(
            task(rebase, tmp_path, of_chain(rebase, newlines), dataclasses.replace(LIMITS, wall_s=0.05)),
            rebase.store,
            Running(),
        )
    held = [link for link in Path("/proc").glob("[0-9]*/cwd") if _target(link).startswith(str(tmp_path))]
    assert held == []


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        return ""


def test_the_documentation_has_every_limit() -> None:
    text = (Path(__file__).parents[2] / "docs" / "security.md").read_text("utf-8")
    for one in dataclasses.fields(Limits):
        value = getattr(LIMITS, one.name)
        shown = f"{value // MIB:,} MiB" if one.name not in ("cpu_s", "wall_s", "objects") else f"{value:,.0f}"
        assert f"| `{one.name}` | {shown}" in text
