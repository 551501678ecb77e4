"""Damaged files of a run: named by their path, and what was paid for is scored again or kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gitgoodbench.runs.damage import damaged_results
from gitgoodbench.runs.execute import Execution, execute
from gitgoodbench.runs.paths import EpisodePaths
from gitgoodbench.runs.plan import plan_episodes
from gitgoodbench.runs.rescore import rescore_run
from gitgoodbench.runs.result import Damaged, Result, examine, read_result
from tests.support.fake_runs import (
    FakeAgent,
    FakeScenario,
    RecordingObserver,
    make_context,
    make_manifest,
    make_samples,
)

PLAN = plan_episodes(make_samples(2), {"mcr": FakeScenario()}, 1)


def changed(**fields: object) -> Callable[[bytes], bytes]:
    return lambda content: json.dumps({**json.loads(content), **fields}).encode()


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "half": (lambda content: content[: len(content) // 2], "not JSON: "),
    "empty": (lambda _: b"", "not JSON: Expecting value"),
    "zeros": (lambda content: b"\0" * len(content), "not JSON: "),
    "a list": (lambda _: b"[]", "no result: all of it: input should be a valid dictionary"),
    "wrong type": (changed(usage="much"), "no result: usage: input should be a valid dictionary"),
    "wrong status": (changed(status="fine"), "no result: status: input should be "),
    "no status": (changed(status=None), "no result: status: "),
    "another episode's": (changed(sample_id="s1"), "it is the result of mcr/s1/1"),
}


def go(folder: Path, agent: FakeAgent) -> tuple[Execution, RecordingObserver]:
    observer, context = RecordingObserver(), make_context(folder, agent=agent)
    return execute(PLAN, context, jobs=1, observer=observer), observer


def episode(folder: Path) -> EpisodePaths:
    return PLAN[0].paths(make_context(folder).paths)


def saved(folder: Path) -> list[Result]:
    """The results that are on disk, but for times."""
    found = [read_result(planned.paths(make_context(folder).paths).result) for planned in PLAN]
    return [result.model_copy(update={"timings": None}) for result in found if result is not None]


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_result_is_named_and_scored_again_without_the_agent(tmp_path: Path, kind: str) -> None:
    spoil, reason = DAMAGE[kind]
    agent = FakeAgent()
    go(tmp_path, agent)
    files = episode(tmp_path)
    before, kept = saved(tmp_path), {path: path.read_bytes() for path in (files.trajectory, files.bundle)}
    files.result.write_bytes(spoil(files.result.read_bytes()))
    after, observer = go(tmp_path, agent)
    assert agent.runs == 2
    assert after.unfinished == 0
    assert saved(tmp_path) == before
    assert {path: path.read_bytes() for path in kept} == kept
    (note,) = observer.notes
    assert note.startswith(f"{files.result} is damaged ({reason}")
    assert note.endswith("): mcr/s0/1 is scored again from what its agent left")


def test_what_cannot_be_scored_again_is_played_again_and_its_files_are_kept_aside(tmp_path: Path) -> None:
    agent = FakeAgent()
    for attempt, name in enumerate(("1.damaged", "1.damaged-2"), start=1):
        go(tmp_path, agent)
        files = episode(tmp_path)
        trajectory = files.trajectory.read_bytes()
        files.result.write_bytes(b"{")
        files.unscored.write_bytes(b"{")
        execution, observer = go(tmp_path, agent)
        assert (execution.unfinished, agent.runs) == (0, 2 + attempt)
        assert observer.notes[0].endswith("mcr/s0/1 is played again, without what its agent left")
        aside = files.folder.with_name(name)
        assert (aside / "trajectory.jsonl").read_bytes() == trajectory
        assert (aside / "outcome.bundle").read_bytes() == b"bundle"
    assert list(damaged_results(make_context(tmp_path).paths)) == []


def test_a_bundle_that_was_changed_is_not_scored_as_the_agent_s(tmp_path: Path) -> None:
    agent = FakeAgent()
    go(tmp_path, agent)
    files = episode(tmp_path)
    files.bundle.write_bytes(b"bundlE")
    files.result.unlink()
    go(tmp_path, agent)
    assert agent.runs == 3
    assert files.bundle.read_bytes() == b"bundle"


def test_score_makes_a_damaged_result_whole(tmp_path: Path) -> None:
    context = make_context(tmp_path)
    go(tmp_path, FakeAgent())
    files = episode(tmp_path)
    before = read_result(files.result)
    files.result.write_bytes(b"")
    assert [damage.path for damage in damaged_results(context.paths)] == [files.result]
    samples = {sample.id: sample for sample in make_samples(2)}
    rescore_run(context.paths, make_manifest(), samples, context.scenarios, context.settling, jobs=1)
    after = read_result(files.result)
    assert isinstance(before, Result)
    assert isinstance(after, Result)
    assert (after.status, after.solved, after.scores) == (before.status, before.solved, before.scores)
    assert list(damaged_results(context.paths)) == []


def test_an_absent_file_is_not_damaged_and_a_folder_is(tmp_path: Path) -> None:
    assert examine(tmp_path / "result.json") is None
    assert examine(tmp_path) == Damaged(tmp_path, "Is a directory")
