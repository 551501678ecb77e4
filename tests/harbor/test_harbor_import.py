"""Jobs of Harbor as runs: finished ones, cut ones, failed ones, and those that are not ours."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.cli import run
from gitgoodbench.cli.predicting import predictable_episodes
from gitgoodbench.errors import UserError
from gitgoodbench.harbor.importing import Job, read_job
from gitgoodbench.harbor.naming import by_task
from gitgoodbench.harbor.outcome import COLLECTED
from gitgoodbench.harbor.verify import IDENTITY_FILE, rewards
from gitgoodbench.scenario import Verdict
from tests.harbor.test_atif_messages import ATIF
from tests.support.harbor import CHAIN, INVALID, MERGE, make_trial, raised, write_lock

UNVERIFIED = {"verifier": {"disable": True}}
MCR, ICC, IR = f"mcr-{MERGE}", f"icc-{CHAIN}", f"ir-{CHAIN}"


def read(job: Path) -> Job:
    return read_job(job, by_task(predictable_episodes({"suite": "mini"})))


def outcome_of(job: Path) -> dict[str, Any]:
    (line,) = read(job).lines
    return dict(line.fields["outcome"])


def imported(job: Path, *flags: str) -> int:
    runs = str(job.parent / "runs")
    return run(["import", "harbor", str(job), "--suite", "mini", "--out", runs, "--run-id", "r", *flags])


def result_of(job: Path, scenario: str, sample: str) -> dict[str, Any]:
    path = job.parent / "runs/r/samples" / scenario / sample / "1/result.json"
    return dict(json.loads(path.read_bytes()))


def test_a_job_becomes_a_run_with_its_conversations(tasks: Path, tmp_path: Path) -> None:
    job = tmp_path / "job"
    trial = make_trial(job, "one", tasks / MCR)
    (trial / "agent").mkdir()
    (trial / "agent" / "trajectory.json").write_text(json.dumps(ATIF))
    assert imported(job) == 0
    result = result_of(job, "mcr", MERGE)
    assert (result["agent"], result["model"], result["solved"]) == ("harbor-some-agent", "some-model", True)
    assert (result["usage"]["prompt_tokens"], result["usage"]["completion_tokens"]) == (7, None)
    assert result["usage"]["cost_usd"] == 0.25
    assert "git status" in (tmp_path / "runs/r/samples/mcr" / MERGE / "1/trajectory.jsonl").read_text()
    assert run(["report", str(tmp_path / "runs/r")]) == 0


@pytest.mark.parametrize("solved", [True, False])
def test_the_run_has_the_figures_of_harbors_verifier(tasks: Path, tmp_path: Path, solved: bool) -> None:
    job = tmp_path / "job"
    for number, name in enumerate((MCR, ICC, IR)):
        make_trial(job, f"t{number}", tasks / name, solved=solved, verified=True)
    assert imported(job) == 0
    for number, (name, sample) in enumerate(((MCR, MERGE), (ICC, CHAIN), (IR, CHAIN))):
        told = json.loads((job / f"t{number}" / "result.json").read_bytes())["verifier_result"]["rewards"]
        result = result_of(job, name.partition("-")[0], sample)
        full = json.loads((tasks / name / "tests/task.json").read_bytes())["full"]
        assert rewards(Verdict(result["solved"], None, result["gates"], result["scores"]), full) == told
        assert told["reward"] == float(solved)
        assert all(math.isfinite(value) for value in told.values())


def test_a_run_has_the_episodes_of_the_job_and_no_others(tasks: Path, tmp_path: Path, capsys: Any) -> None:
    job = tmp_path / "job"
    make_trial(job, "one", tasks / IR)
    make_trial(job, "two", tasks / MCR)
    assert imported(job) == 0
    folders = {path.parent.parent.name for path in (tmp_path / "runs/r/samples").glob("*/*/*/result.json")}
    assert folders == {CHAIN, MERGE}
    assert not (tmp_path / "runs/r/samples/icc").exists()
    assert run(["resume", str(tmp_path / "runs/r")]) == 0
    assert not (tmp_path / "runs/r/samples/icc").exists()
    assert imported(job, "--scenario", "icc") == 2
    assert "--scenario icc: the job has only tasks of ir, mcr" in capsys.readouterr().err


def test_a_job_that_was_cut_says_nothing_of_what_it_did_not_do(tasks: Path, tmp_path: Path, capsys: Any) -> None:
    """As Harbor leaves a job that is cancelled: results of some trials, an error in those that ran, none of others."""
    job = tmp_path / "job"
    make_trial(job, "one", tasks / MCR)
    cancelled = raised("CancelledError", policy=INVALID)
    make_trial(job, "two", tasks / ICC, exception_info=cancelled, agent_execution=None, verifier=None)
    write_lock(job, [MCR, ICC, IR])
    torn = job / "three"
    torn.mkdir()
    (torn / "result.json").write_text('{"trial_name": "thr')
    assert imported(job) == 3
    told = " ".join(capsys.readouterr().err.split())
    assert "no answer: two: CancelledError: so it ended" in told
    assert f"the job has no result yet of {IR}: no answers" in told
    assert [result_of(job, scenario, sample)["status"] for scenario, sample in
            (("mcr", MERGE), ("icc", CHAIN), ("ir", CHAIN))] == [
        "completed", "infrastructure_failed", "infrastructure_failed",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("info", "fields", "status"),
    [
        (raised("AgentTimeoutError"), {}, "limit_reached"),
        (raised("ContextWindowExceededError"), {}, "limit_reached"),
        (raised("AgentSafetyRefusalError"), {}, "gave_up"),
        (raised("NonZeroAgentExitCodeError"), {}, "agent_failed"),
        (raised("NonZeroAgentExitCodeError"), {"verifier": None, "config": UNVERIFIED}, "agent_failed"),
        (raised("ApiRateLimitError", policy=INVALID), {}, "infrastructure_failed"),
        (raised("AgentSetupTimeoutError", policy=INVALID), {"agent_execution": None}, "infrastructure_failed"),
        (raised("RuntimeError"), {"agent_execution": None, "verifier": None}, "infrastructure_failed"),
        (raised("RuntimeError"), {"verifier": None}, "infrastructure_failed"),
        (raised("CancelledError", policy=INVALID), {"verifier": None}, "infrastructure_failed"),
        (raised("CancelledError", 4, policy=INVALID), {}, "completed"),
        (raised("VerifierTimeoutError", 4, policy=INVALID), {}, "completed"),
        (raised("RuntimeError", 4), {}, "completed"),
    ],
)  # fmt: skip
def test_only_errors_of_the_agent_are_its_own(
    tasks: Path, tmp_path: Path, info: dict[str, Any], fields: dict[str, Any], status: str
) -> None:
    make_trial(tmp_path, "answer", tasks / MCR)
    make_trial(tmp_path, "other", tasks / ICC, exception_info=info, **fields)
    outcomes = {line.scenario: line.fields["outcome"] for line in read(tmp_path).lines}
    assert outcomes["icc"]["agent_status"] == status


def test_trials_that_left_nothing_are_no_answers(tasks: Path, tmp_path: Path) -> None:
    failed = raised("RuntimeError")
    make_trial(tmp_path, "one", None, task_name=f"gitgoodbench/{MCR}", exception_info=failed, agent_execution=None)
    with pytest.raises(UserError, match="none of its 1 trials left an outcome; the first: RuntimeError: so it ended"):
        read(tmp_path)
    make_trial(tmp_path, "two", tasks / ICC)
    job = read(tmp_path)
    assert job.notes == ("no answer: one: RuntimeError: so it ended",)
    assert [line.fields["outcome"]["agent_status"] for line in job.lines] == ["infrastructure_failed", "completed"]


def test_jobs_of_others_tasks_and_other_suites_are_refused(tasks: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no job of Harbor with a finished trial"):
        read(tmp_path)
    make_trial(tmp_path / "job", "one", None, task_name="others/hello-world")
    with pytest.raises(UserError, match="its tasks are none of gitgoodbench export harbor: others/hello-world"):
        read(tmp_path / "job")
    with pytest.raises(UserError, match="give one of the folders in it"):
        read(tmp_path)
    make_trial(tmp_path / "job", "two", None, task_name="gitgoodbench/mcr-pallets_flask_merge_0001")
    with pytest.raises(UserError, match=r"the suite has none of its tasks .*: give the --suite that they were"):
        read(tmp_path / "job")
    make_trial(tmp_path / "job", "three", tasks / MCR)
    assert read(tmp_path / "job").notes == (
        "left out, of no task of the suite: others/hello-world, gitgoodbench/mcr-pallets_flask_merge_0001",
    )


def test_a_task_of_another_row_is_refused(tasks: Path, tmp_path: Path) -> None:
    trial = make_trial(tmp_path, "one", tasks / MCR, verified=True)
    assert len(read(tmp_path).lines) == 1
    (trial / "verifier" / IDENTITY_FILE).write_text(json.dumps({"row": "0" * 64}))
    with pytest.raises(UserError, match=f"exported from another row {MERGE} than the suite has"):
        read(tmp_path)


def test_several_attempts_or_agents_are_refused(tasks: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        make_trial(tmp_path, name, tasks / MCR)
    with pytest.raises(UserError, match=f"{MCR} has a trial already, one; import jobs of one model and one attempt"):
        read(tmp_path)
    make_trial(tmp_path, "three", tasks / ICC, agent_info={"name": "another"})
    with pytest.raises(UserError, match="trials of several agents \\(another, some-agent\\)"):
        read(tmp_path)


def test_an_outcome_that_is_a_link_elsewhere_is_the_agents_failure(tasks: Path, tmp_path: Path) -> None:
    right = make_trial(tmp_path / "other", "right", tasks / MCR)
    cheat = make_trial(tmp_path / "job", "cheat", tasks / MCR, solved=False)
    place = COLLECTED.lstrip("/")
    shutil.rmtree(cheat / "artifacts" / place)
    (cheat / "artifacts" / place).symlink_to(right / "artifacts" / place)
    outcome = outcome_of(tmp_path / "job")
    assert (outcome["bundle"], outcome["problem"]) == (None, "the outcome is a link that leads out of its folder")
