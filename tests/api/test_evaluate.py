"""Runs from Python: any callable of a session is an agent, and the engine is that of the command line."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from gitgoodbench import Run, Session, Status, UserError, evaluate, load_run, results_frame

RUN: dict[str, Any] = {"sandbox": "local", "offline": True, "scenario": "mcr"}
ANSWER = ("resolve_current_merge_conflict_with", {"content": "resolved\n"})


def careless(session: Session) -> None:
    while not session.finished:
        session.call(*ANSWER)


async def careless_too(session: Session) -> None:
    while not session.finished:
        await session.acall(*ANSWER)


def verdicts(run: Run) -> list[tuple[Status, bool | None, str | None]]:
    return [
        (result.status, result.solved, None if result.outcome is None else result.outcome.head)
        for result in run.results
    ]


def test_a_function_and_a_coroutine_function_are_agents(tmp_path: Path) -> None:
    run = evaluate("mini", agent=careless, out=tmp_path, jobs=2, limit=2, **RUN)
    other = evaluate("mini", agent=careless_too, out=tmp_path, limit=2, **RUN)
    assert verdicts(run) == verdicts(other)
    assert [status for status, _, _ in verdicts(run)] == [Status.COMPLETED] * 2
    assert run.manifest.agent == {"name": "careless", "model": None}
    assert run.summary.total.rows == 2
    first = run.results[0]
    trajectory = (run.folder / f"samples/mcr/{first.sample_id}/1/trajectory.jsonl").read_text()
    assert "resolve_current_merge_conflict_with" in trajectory
    assert load_run(run.folder) == run


def test_every_session_of_a_run_has_the_id_of_its_episode(tmp_path: Path) -> None:
    ids = []

    def agent(session: Session) -> None:
        ids.append(session.id)
        careless(session)

    run = evaluate("mini", agent=agent, out=tmp_path, limit=2, epochs=2, **RUN)
    assert ids == [f"mcr/{result.sample_id}/{epoch}" for result in run.results[::2] for epoch in (1, 2)]
    assert len(set(ids)) == 4


def test_the_same_run_id_carries_on(tmp_path: Path) -> None:
    played: list[str] = []

    def agent(session: Session) -> None:
        played.append(session.prompt[1]["content"])
        careless(session)

    evaluate("mini", agent=agent, out=tmp_path, run_id="one", limit=1, **RUN)
    run = evaluate("mini", agent=agent, out=tmp_path, run_id="one", limit=1, **RUN)
    assert (len(played), run.id) == (1, "one")
    with pytest.raises(UserError, match="was made with another configuration"):
        evaluate("mini", agent=agent, out=tmp_path, run_id="one", limit=2, **RUN)


def test_what_an_agent_raises_is_no_answer_and_is_tried_again(tmp_path: Path) -> None:
    broken = True

    def agent(session: Session) -> None:
        if broken:
            raise LookupError("my server is down")
        careless(session)

    run = evaluate("mini", agent=agent, out=tmp_path, run_id="one", limit=1, **RUN)
    (result,) = run.results
    assert (result.status, result.error and result.error.message) == (
        Status.INFRASTRUCTURE_FAILED,
        "my server is down",
    )
    broken = False
    assert verdicts(evaluate("mini", agent=agent, out=tmp_path, run_id="one", limit=1, **RUN))[0][0] == "completed"


def test_the_budget_of_a_run_binds_any_agent(tmp_path: Path) -> None:
    def endless(session: Session) -> None:
        while not session.finished:
            session.call("no_such_tool", {})

    (result,) = evaluate("mini", agent=endless, out=tmp_path, limit=1, max_turns=3, **RUN).results
    assert (result.status, result.turns) == (Status.LIMIT_REACHED, 3)
    assert result.error is not None
    assert result.error.message == "turn limit: 3 of 3 answers"


def test_runs_of_several_agents_are_one_table(tmp_path: Path) -> None:
    runs = [evaluate("mini", agent=name, out=tmp_path, limit=2, **RUN) for name in ("oracle", "noop")]
    frame = results_frame(runs)
    assert list(frame["agent"]) == ["oracle", "oracle", "noop", "noop"]
    assert list(frame["solved"]) == [True, True, False, False]
    assert list(frame["reward"]) == [1.0, 1.0, 0.0, 0.0]
    assert frame["reward"].dtype == pd.Float64Dtype()
    assert [runs[0].scored(result).reward for result in runs[0].results] == [1.0, 1.0]


def test_a_run_from_another_thread(tmp_path: Path) -> None:
    assert threading.current_thread() is threading.main_thread()
    with ThreadPoolExecutor(1) as other:
        run = other.submit(evaluate, "mini", careless, tmp_path, limit=1, **RUN).result()
    assert verdicts(run)[0][0] == Status.COMPLETED


def test_what_the_user_can_mend_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no agent 'nobody'"):
        evaluate("mini", agent="nobody", out=tmp_path, **RUN)
    with pytest.raises(UserError, match="agent must be a name or a callable of a session, not int"):
        evaluate("mini", agent=5, out=tmp_path, **RUN)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="is no folder of a run"):
        load_run(tmp_path)
