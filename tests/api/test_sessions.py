"""Sessions of a bench: played by anybody, one at a time, and gone afterwards."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

import pytest

from gitgoodbench import Bench, Outcome, Session, SessionError, Status, Task, ToolResult, UserError
from gitgoodbench.errors import SetupFailed
from gitgoodbench.sandbox.base import Sandbox, SandboxDied
from tests.support.judging import favouring, judged_by
from tests.support.leftovers import leftovers
from tests.support.scripted_llm import ScriptedServer

ANSWER = ("resolve_current_merge_conflict_with", {"content": "resolved\n"})


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench("mini", sandbox="local", offline=True) as bench:
        yield bench


@pytest.fixture(scope="module")
def task(bench: Bench) -> Task:
    return bench.task("mcr/mini_cairn_merge_0000")


class Crash(Exception):
    """Something in the user's code."""


def play(session: Session) -> Outcome:
    while not session.finished:
        session.call(*ANSWER)
    return session.finish()


def test_a_task_is_played_and_scored_without_a_run_folder(bench: Bench, task: Task) -> None:
    with bench.open(task) as session:
        assert [message["role"] for message in session.prompt] == ["system", "user"]
        assert "resolve_current_merge_conflict_with" in [tool["function"]["name"] for tool in session.tools]
        assert session.facts["attainable"] is True
        assert session.reminder == "1 conflict remains. Go on by calling a tool."
        assert session.call("view_file_at", {"relative_path_from_project_root": "no/such"}).is_error
        outcome = play(session)
        assert session.finish() is outcome
        assert session.call(*ANSWER) == ToolResult("error: not run: the work is finished", is_error=True)
    scored = bench.score(task, Outcome.from_json(outcome.to_json()))
    assert (scored.status, scored.solved, scored.reward, scored.error) == (Status.COMPLETED, False, 0.0, None)
    assert scored.details is not None
    assert [file["exact"] for file in scored.details["files"]] == [False]
    assert scored.to_dict()["status"] == "completed"
    assert all(scored.gates.values())


@pytest.mark.parametrize(
    ("saved", "reason"),
    [
        ("[]", "it is no object"),
        ("{}", "head: Field required"),
        (None, "the JSON object must be str, bytes or bytearray, not NoneType"),
        ('{"head": null, "bundle": "!", "state": {}}', "Only base64 data is allowed"),
    ],
)
def test_what_is_no_saved_outcome_is_told_in_one_line(saved: str, reason: str) -> None:
    with pytest.raises(UserError) as refused:
        Outcome.from_json(saved)
    assert str(refused.value) == f"this is not the JSON of an outcome: {reason}"


def test_any_mapping_is_taken_and_what_json_has_not_comes_back_as_text(bench: Bench, task: Task) -> None:
    circular: dict[str, object] = {}
    circular["content"] = circular
    with bench.open(task) as session:
        for wrong in ({"content": b"x"}, {"content": {1, 2}}, circular):
            assert session.call(ANSWER[0], wrong).text.startswith("error: the arguments are not valid JSON: ")
        assert session.call(None, {}).text.startswith("error: there is no tool 'None'")  # type: ignore[arg-type]
        assert not session.call(ANSWER[0], MappingProxyType({"content": "resolved\n"})).is_error


def test_the_same_answers_give_the_same_commit(bench: Bench, task: Task) -> None:
    heads = set()
    for seed in range(2):
        with bench.open(task, seed) as session:
            heads.add(play(session).head)
    assert len(heads) == 1


def test_the_calls_of_one_answer_end_with_the_first_that_fails_or_finishes(bench: Bench, task: Task) -> None:
    with bench.open(task) as session:
        failed, later = session.calls([("no_such_tool", {}), ANSWER])
        assert failed.is_error
        assert later.text.startswith("error: not run: an earlier call of this answer failed")
        done, after = session.calls([ANSWER, ANSWER])
        assert not done.is_error
        assert after.text == "error: not run: an earlier call of this answer finished the work"
        roles = [message["role"] for message in session.messages]
        assert roles == ["system", "user", *["assistant", "tool", "tool"] * 2]


def test_numbers_mean_what_they_meant_when_the_answer_began(bench: Bench) -> None:
    task = next(task for task in bench.tasks if task.scenario == "icc" and bench.preview(task).facts["hunks"] == 3)
    with bench.open(task) as session:
        commits = [
            ("commit_changes_in", {"selected_hunks": [number], "commit_message": f"Change {number}"})
            for number in (1, 2, 3)
        ]
        assert [result.is_error for result in session.calls(commits)] == [False, False, False]


def test_arguments_may_be_the_text_that_a_model_wrote(bench: Bench, task: Task) -> None:
    with bench.open(task) as session:
        assert session.call("view_file_at", "{no json").text.startswith("error: the arguments are not valid JSON")
        read = session.call("view_merge_conflict_at", '{"conflict_index": "0"}')
        assert not read.is_error
        assert len(read.readings) == 1


def test_an_agent_that_stops_early_gave_up_unless_told_otherwise(bench: Bench, task: Task) -> None:
    with bench.open(task) as session:
        outcome = session.finish()
    assert (outcome.agent_status, outcome.agent_error) == (Status.GAVE_UP, "stopped with work left")
    scored = bench.score(task, outcome)
    assert (scored.status, scored.solved, scored.reward) == (Status.GAVE_UP, False, 0.0)
    with bench.open(task) as session:
        scored = bench.score(task, session.finish("limit_reached", "200 turns"))
    assert (scored.status, scored.solved, scored.error) == (Status.LIMIT_REACHED, False, "200 turns")
    with bench.open(task) as session:
        scored = bench.score(task, session.finish(Status.INFRASTRUCTURE_FAILED, "no model"))
    assert (scored.status, scored.solved, scored.reward) == (Status.INFRASTRUCTURE_FAILED, None, 0.0)


def test_what_is_left_so_far_is_an_outcome_and_the_work_goes_on(bench: Bench, task: Task) -> None:
    with bench.open(task) as session:
        before = session.left_so_far()
        assert (before.agent_status, before.bundle) == (Status.GAVE_UP, None)
        outcome = play(session)
        assert session.left_so_far() is outcome
    assert outcome.agent_status is Status.COMPLETED


def test_the_real_merge_is_solved_and_worth_one(bench: Bench, task: Task) -> None:
    from gitgoodbench.scenario import load_scenarios

    oracle = load_scenarios()["mcr"].reference_agents()["tool-oracle"]
    with bench.open(task) as session:
        oracle(session._episode, lambda name, **arguments: session.call(name, arguments).text)
        scored = bench.score(task, session.finish())
    assert (scored.solved, scored.reward) == (True, 1.0)


def test_a_session_is_for_one_user_at_a_time(bench: Bench, task: Task) -> None:
    with bench.open(task) as session, ThreadPoolExecutor(1) as other:
        began, go_on = threading.Event(), threading.Event()
        waiting = session._meter.seconds_left

        def seconds_left() -> float:
            began.set()
            go_on.wait(60)
            return waiting()

        session._meter.seconds_left = seconds_left  # type: ignore[method-assign]
        running = other.submit(session.call, *ANSWER)
        assert began.wait(60)
        with pytest.raises(SessionError, match="is in use: it has one user at a time"):
            session.call(*ANSWER)
        go_on.set()
        assert not running.result().is_error


def test_an_exception_leaves_no_folder_and_no_process(bench: Bench, task: Task) -> None:
    before = leftovers()
    with pytest.raises(Crash), bench.open(task) as session:  # noqa: PT012
        session.call(*ANSWER)
        assert leftovers() != before
        raise Crash
    assert leftovers() == before
    with pytest.raises(SessionError, match="is closed"):
        session.call(*ANSWER)
    with pytest.raises(SessionError, match="is closed"):
        session.finish()


def test_a_sample_that_cannot_be_set_up_leaves_nothing_and_no_place_taken(bench: Bench) -> None:
    before = leftovers()
    chain = next(task for task in bench.tasks if task.scenario == "ir")
    wrong = Task("mcr/none", chain.sample, "mcr")
    for _ in range(bench._sessions._places.count + 1):
        with pytest.raises(SetupFailed, match="is no merge"):
            bench.open(wrong)
    assert leftovers() == before


def test_more_sessions_wait_for_one_to_close(task: Task) -> None:
    with Bench("mini", sandbox="local", offline=True, max_open=1) as bench, ThreadPoolExecutor(1) as other:
        first = bench.open(task)
        with pytest.raises(UserError, match="all of them opened by this thread"):
            bench.open(task)
        waiting = other.submit(bench.open, task)
        assert not waiting.done()
        first.close()
        waiting.result().close()


def test_a_bench_that_is_closed_closes_its_sessions(task: Task) -> None:
    before = leftovers()
    with Bench("mini", sandbox="local", offline=True) as bench:
        session = bench.open(task)
    assert leftovers() == before
    with pytest.raises(SandboxDied):
        session.sandbox.exec(["true"])


def test_sixteen_sessions_at_once_from_asyncio(bench: Bench, task: Task) -> None:
    before = leftovers()
    barrier = 0

    async def rollout(seed: int) -> tuple[str | None, float]:
        nonlocal barrier
        async with bench.aopen(task, seed) as session:
            barrier += 1
            while barrier < 16:  # all are open at once
                await asyncio.sleep(0.01)
            assert not (await session.acalls([ANSWER]))[0].is_error
            outcome = await session.afinish()
        return outcome.head, (await bench.ascore(task, outcome)).reward

    async def rollouts() -> list[tuple[str | None, float]]:
        return await asyncio.gather(*(rollout(seed) for seed in range(16)))

    found = asyncio.run(rollouts())
    assert len(found) == 16
    assert len(set(found)) == 1
    assert leftovers() == before


def test_a_cancelled_task_leaves_no_sandbox_and_no_place_taken(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    with Bench("mini", sandbox="local", offline=True) as bench:
        bench.open(task).close()  # starts helpers, which stay
    before = leftovers()
    began, goes_on = threading.Event(), threading.Event()

    async def opened(bench: Bench) -> Session:
        return await bench.aopen(task)

    async def cancelled(bench: Bench) -> None:
        async with asyncio.timeout(60):
            async with bench.aopen(task):
                waiting = asyncio.create_task(opened(bench))
                await asyncio.sleep(0)
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting
            open_sandbox = bench._provider.open

            def slowly(**labels: str) -> Sandbox:
                began.set()
                goes_on.wait(60)
                return open_sandbox(**labels)

            with monkeypatch.context() as patched:
                patched.setattr(bench._provider, "open", slowly)
                opening = asyncio.create_task(opened(bench))
                await asyncio.to_thread(began.wait, 60)
                opening.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await opening
            goes_on.set()
            async with bench.aopen(task) as session:
                assert not session.finished

    with Bench("mini", sandbox="local", offline=True, max_open=1) as bench:
        asyncio.run(cancelled(bench))
    assert leftovers() == before


def test_a_shell_is_refused_without_isolation() -> None:
    with pytest.raises(UserError, match="--tools shell needs a sandbox that contains it"):
        Bench("mini", sandbox="local", tools="shell", offline=True)
    with pytest.raises(UserError, match="options: there is no field 'colour'"):
        Bench("mini", options={"colour": "red"})
    with pytest.raises(UserError, match="options: 'judge_model' is given already, by an argument of its own"):
        Bench("mini", judge="model", options={"judge_model": "other"})


@pytest.mark.docker
def test_an_exception_leaves_no_container() -> None:
    import docker

    client = docker.from_env()
    with Bench("mini", scenario="ir", tools="shell", sandbox="docker", offline=True) as bench:
        labels: dict[str, str | list[str] | bool] = {"label": f"gitgoodbench.run={bench._id}"}
        with pytest.raises(Crash), bench.open(bench.tasks[0]) as session:  # noqa: PT012
            assert "exit code 0" in session.call("run_command", {"command": "git log --oneline"}).text
            assert len(client.containers.list(all=True, filters=labels)) == 1
            raise Crash
        assert client.containers.list(all=True, filters=labels) == []
        with bench.open(bench.tasks[0]) as session:
            session.call("run_command", {"command": "rm -rf .git"})
            scored = bench.score(bench.tasks[0], session.finish("completed"))
        assert (scored.status, scored.solved) == (Status.AGENT_FAILED, False)


def test_options_of_plugins_reach_the_episode() -> None:
    with Bench("mini", scenario="icc", sandbox="local", offline=True, options={"icc.hunks": "all"}) as bench:
        assert bench.preview(bench.tasks[0]).facts["hunks_offered"] == "all"
    with pytest.raises(UserError, match="icc"):
        Bench("mini", sandbox="local", offline=True, options={"icc.colour": "red"})
    with pytest.raises(UserError, match="there is no field 'colour'"):
        Bench("mini", sandbox="local", offline=True, options={"colour": "red"})
    by_flag = Bench("mini", scenario="icc", sandbox="local", offline=True, options={"hunks": "all", "image": "mine:1"})
    with by_flag as bench:
        assert bench.preview(bench.tasks[0]).facts["hunks_offered"] == "all"


def test_a_judge_settles_what_needs_one() -> None:
    with ScriptedServer(judged_by(favouring("Our own words"))) as server:
        judge = {"model": "judge", "base_url": server.url}
        with Bench("mini", scenario="icc", sandbox="local", offline=True, judge=judge) as bench:
            task = bench.tasks[0]
            with bench.open(task) as session:
                session.call("commit_changes_in", {"selected_hunks": "all", "commit_message": "Our own words"})
                if not session.finished:
                    session.call("commit_remaining_changes", {"commit_message": "Our own words"})
                outcome = session.finish()
            scored = bench.score(task, outcome)
        assert (scored.status, scored.solved, scored.solved_paper, scored.reward) == ("completed", True, True, 1.0)
        assert scored.judge is not None
        assert (scored.judge["verdict"], len(server.requests)) == ("win", 2)
    with Bench("mini", scenario="icc", sandbox="local", offline=True) as bench:
        scored = bench.score(task, outcome)
    assert (scored.status, scored.solved, scored.judge) == ("completed", None, None)
    assert 0 < scored.reward < 0.9


def test_what_is_no_task_or_outcome_is_refused_and_its_place_given_back(bench: Bench, task: Task) -> None:
    for _ in range(20):  # more than there are places
        with pytest.raises(UserError, match=r"^str is no Task: bench\.tasks holds them"):
            bench.open(task.id)  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"^str is no Task"):
        bench.preview(task.id)  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"^NoneType is no Outcome: session\.finish\(\) gives one"):
        bench.score(task, None)  # type: ignore[arg-type]
    with bench.open(task) as session:
        assert not session.finished
