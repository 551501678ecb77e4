"""Judges from the command line: who is asked, what is said about it, and judging a saved run again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from gitgoodbench.errors import UserError
from gitgoodbench.runs.config import make_config
from gitgoodbench.runs.judging import choose_judge, judge_options, judges_itself, resolve_judge, same_model
from gitgoodbench.scoring.judge import prompt
from gitgoodbench.scoring.judge.options import JudgeOptions
from tests.cli.conftest import CommandLine
from tests.support.fake_judging import FakeJudgedScenario
from tests.support.fake_runs import FakeScenario
from tests.support.judging import favouring, judged_by, prefers
from tests.support.scripted_llm import Reply, Request, ScriptedServer, fault, says

JUDGED = [FakeJudgedScenario("mcr")]


def judge_by_model(request: Request) -> Reply:
    """`fair` and `kind` prefer the agent's history, `strict` the real one, `mute` says nothing."""
    words = {"fair": "Parse dates", "kind": "Parse dates", "strict": "wip"}
    model = request.body["model"]
    return says("") if model == "mute" else judged_by(favouring(words[model]))(request)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(judge_by_model) as server:
        yield server


@pytest.fixture
def judging(command: CommandLine) -> CommandLine:
    command.scenario = FakeJudgedScenario("mcr")
    return command


def rows(out: str, title: str) -> list[str]:
    """The lines of a table, blanks made single."""
    lines = out.split("\n")
    start = lines.index(title) + 2
    return [" ".join(line.split()) for line in lines[start : lines.index("", start)]]


def results(command: CommandLine) -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in command.results()]


def test_a_judged_run_from_end_to_end(judging: CommandLine, server: ScriptedServer) -> None:
    shown = judging.noop("--judge-model", "fair", "--judge-base-url", server.url)
    assert shown.code == 0
    assert f"judged by fair at {server.url}, in both orders" in shown.err
    assert [result["solved"] for result in results(judging)] == [True] * 5
    assert [result["judge"]["verdict"] for result in results(judging)] == ["win"] * 5
    assert rows(shown.out, "mcr: judged, in both orders")[1] == (
        "noop 5/5 100.0 % [56.6, 100.0] 0/5 0.0 % [0.0, 43.4] 0/5 0.0 % [0.0, 43.4] 5/5 100.0 % 5/10 50.0 % 1100 -"
    )
    manifest = json.loads((judging.out / "r/manifest.json").read_bytes())
    config = manifest["config"]
    assert (config["judge"], config["judge_model"], config["judge_repeats"], config["judge_limit"]) == (
        "llm", ["fair"], 1, 120000,
    )  # fmt: skip
    assert len(manifest["judge"]["prompt"]) == 64
    assert judging.noop("--judge-model", "fair", "--judge-base-url", server.url).code == 0
    assert len(server.requests) == 10


def test_without_a_judge_the_gates_are_reported_and_no_solve_rate(judging: CommandLine) -> None:
    shown = judging.noop()
    assert shown.code == 0
    assert "no judge: solved stays unknown for mcr; the gates are reported (--judge llm)" in shown.err
    assert [result["solved"] for result in results(judging)] == [None] * 5
    assert rows(shown.out, "mcr: gates met, mean scores (n where of fewer answers)")[1] == "noop 5/5 5/5 5/5 50.0 %"
    assert "mcr: not judged, so that solved is not known (--judge llm)" in shown.out
    assert " ".join(shown.out.split("\n")[3].split()).startswith("noop 5 5/5 100.0 % 5/5 100.0 % [56.6, 100.0]")
    assert "in both orders" not in shown.out


def test_a_scenario_that_is_not_judged_says_nothing_of_judges_and_needs_no_key(command: CommandLine) -> None:
    shown = command.noop("--judge", "llm")
    assert shown.code == 0
    assert "judge" not in shown.err + shown.out
    assert json.loads((command.out / "r/manifest.json").read_bytes())["config"]["judge"] == "none"
    assert command.noop().code == 0


def test_another_judge_is_another_run(judging: CommandLine, server: ScriptedServer) -> None:
    judging.noop("--judge-model", "fair", "--judge-base-url", server.url)
    shown = judging.noop("--judge-model", "strict", "--judge-base-url", server.url)
    assert shown.code == 2
    assert '--judge-model: ["fair"], now ["strict"]' in shown.error


def test_two_judges_and_how_far_they_agree(judging: CommandLine, server: ScriptedServer) -> None:
    shown = judging.noop("--judge-model", "fair", "--judge-model", "strict", "--judge-base-url", server.url)
    table = rows(shown.out, "mcr: judged, in both orders")
    assert [line.split()[0] for line in table[1:4]] == ["noop", "fair", "strict"]
    assert [result["judge"]["verdict"] for result in results(judging)] == ["tie"] * 5
    assert "noop: agreement of 2 judges over 5 episodes: Cohen's kappa 0.00 [0.00, 0.00], 0.0 % observed" in shown.out
    summary = json.loads((judging.out / "r/summary.json").read_bytes())["judging"]
    assert summary["total"]["ties"] == {
        "hits": 5, "total": 5, "effective": 5, "rate": 1.0,
        "wilson_95_low": pytest.approx(0.5655, abs=1e-4), "wilson_95_high": 1.0,
    }  # fmt: skip
    assert (summary["agreement"]["name"], summary["agreement"]["subjects"]) == ("Cohen's kappa", 5)
    assert summary["by_judge"]["strict"]["losses"]["hits"] == 5


def test_a_saved_run_is_judged_by_others(judging: CommandLine, server: ScriptedServer) -> None:
    judging.noop()
    shown = judging("score", judging.out / "r", "--judge-model", "fair", "--judge-base-url", server.url)
    assert shown.code == 0
    assert "5 outcomes scored, 5 results changed" in shown.err
    assert [result["solved"] for result in results(judging)] == [True] * 5
    judging("score", judging.out / "r", "--judge-model", "strict", "--judge-base-url", server.url)
    assert [result["solved"] for result in results(judging)] == [False] * 5
    assert "0 results changed" in judging("score", judging.out / "r").err
    assert "5 results changed" in judging("score", judging.out / "r", "--judge", "none").err
    assert [result["solved"] for result in results(judging)] == [None] * 5


def asked_by_model(server: ScriptedServer) -> Counter[str]:
    return Counter(request.body["model"] for request in server.requests)


def test_a_judge_more_makes_a_panel_and_asks_nobody_else_again(judging: CommandLine, server: ScriptedServer) -> None:
    judging.noop("--judge-model", "fair", "--judge-base-url", server.url)
    assert asked_by_model(server) == {"fair": 10}
    shown = judging("score", judging.out / "r", "--judge-model", "fair", "--judge-model", "strict")
    assert shown.code == 0
    assert asked_by_model(server) == {"fair": 10, "strict": 10}
    assert [[o["model"] for o in result["judge"]["judges"]] for result in results(judging)] == [["fair", "strict"]] * 5
    assert "other prompts" not in shown.err
    judging("score", judging.out / "r", "--judge-model", "strict")
    assert asked_by_model(server) == {"fair": 10, "strict": 10}
    assert [result["judge"]["verdict"] for result in results(judging)] == ["loss"] * 5


def test_a_verdict_that_cannot_be_replaced_is_kept_and_said_to_be(judging: CommandLine, server: ScriptedServer) -> None:
    judging.noop("--judge-model", "fair", "--judge-base-url", server.url)
    shown = judging("score", judging.out / "r", "--judge-model", "mute")
    assert shown.code == 3
    kept = [line.strip() for line in shown.err.split("\n") if "keeps its verdict" in line]
    assert kept == [
        f"mcr/s{number}/1 keeps its verdict: judge mute: its answer could not be read (empty)" for number in range(5)
    ]
    assert [result["judge"]["verdict"] for result in results(judging)] == ["win"] * 5
    assert [result["solved"] for result in results(judging)] == [True] * 5
    assert [o["model"] for result in results(judging) for o in result["judge"]["judges"]] == ["fair"] * 5
    assert judging("score", judging.out / "r").code == 0


def test_other_prompts_are_said_to_be_and_asked_anew(
    judging: CommandLine, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    judging.noop("--judge-model", "fair", "--judge-base-url", server.url)
    monkeypatch.setattr(prompt, "SYSTEM", "Other instructions.")
    shown = judging("score", judging.out / "r", "--judge-model", "fair")
    assert shown.code == 0
    assert "  5 of 5 have other prompts than before: every judge was asked again\n" in shown.err
    assert asked_by_model(server) == {"fair": 20}
    assert "other prompts" not in judging("score", judging.out / "r", "--judge-model", "fair").err
    assert asked_by_model(server) == {"fair": 20}


def test_what_could_not_be_read_is_unscored_and_can_be_asked_again(
    judging: CommandLine, server: ScriptedServer
) -> None:
    shown = judging.noop("--judge-model", "mute", "--judge-base-url", server.url)
    assert shown.code == 0
    assert [result["status"] for result in results(judging)] == ["unscored"] * 5
    assert "5 unsettled: gitgoodbench score RUN --unscored asks again" in shown.out
    shown = judging("score", judging.out / "r", "--unscored", "--judge-model", "kind")
    assert [result["status"] for result in results(judging)] == ["completed"] * 5
    before = len(server.requests)
    judging("score", judging.out / "r", "--unscored", "--judge-model", "kind")
    assert len(server.requests) == before


def test_a_rejected_judge_ends_the_run_in_one_line_and_resume_judges_on(
    judging: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies: list[Reply] = [fault.rejected_key()]

    def play(request: Request) -> Reply:
        return replies[0] if replies else judged_by(favouring("Parse dates"))(request)

    with ScriptedServer(play) as server:
        shown = judging.noop("--judge-model", "fair", "--judge-base-url", server.url, "--jobs", "1")
        assert shown.code == 2
        assert "gitgoodbench: the run was stopped:" in shown.err
        assert "set GITGOODBENCH_JUDGE_API_KEY or OPENAI_API_KEY to a valid one" in shown.err
        assert judging.results() == []
        (saved,) = (judging.out / "r/samples").glob("*/*/*/outcome.json")
        replies.clear()
        monkeypatch.setenv("GITGOODBENCH_JUDGE_API_KEY", "sk-the-right-one")
        shown = judging("resume", judging.out / "r")
        assert shown.code == 0
        assert saved.exists()
        assert {request.headers["authorization"] for request in server.requests[1:]} == {"Bearer sk-the-right-one"}
    assert [result["solved"] for result in results(judging)] == [True] * 5


def test_a_model_that_judges_itself_is_warned_of(judging: CommandLine) -> None:
    with ScriptedServer(lambda _: prefers("TIE")) as server:
        shown = judging.eval(
            "--model", "Fair", "--base-url", server.url, "--judge-model", "fair-2024-08-06", "--judge-base-url",
            server.url, "--run-id", "r",
        )  # fmt: skip
    assert "warning: fair-2024-08-06 judges its own work, and models tend to prefer that" in shown.err
    assert "openai (Fair): the judge fair-2024-08-06 is the model that is judged" in shown.out


def test_a_missing_key_is_said_before_anything_starts(judging: CommandLine) -> None:
    shown = judging.noop("--judge", "llm")
    assert shown.code == 2
    assert shown.error.startswith("gitgoodbench: GITGOODBENCH_JUDGE_API_KEY or OPENAI_API_KEY is not set")
    assert judging.provider.sandboxes == []


class TestWhoJudges:
    @pytest.fixture(autouse=True)
    def _clean(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GITGOODBENCH_JUDGE_API_KEY"):
            monkeypatch.delenv(name, raising=False)

    def test_nobody_unless_asked_for(self) -> None:
        assert choose_judge({}, ["noop"]) == "none"
        assert choose_judge({"judge_model": (), "judge_repeats": None}, ["openai"]) == "none"

    @pytest.mark.parametrize(
        "fields", [{"judge_model": ("m",)}, {"judge_base_url": "http://x/v1"}, {"judge_repeats": 3}, {"judge": "llm"}]
    )
    def test_whoever_is_described(self, fields: dict[str, Any]) -> None:
        assert choose_judge(fields, ["noop"]) == "llm"

    def test_a_key_alone_makes_no_reference_agent_cost_money(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
        assert choose_judge({}, ["noop", "oracle"]) == "none"
        assert choose_judge({}, ["noop", "openai"]) == "llm"
        assert choose_judge({"judge": "none"}, ["openai"]) == "none"

    def test_histories_go_to_no_server_that_was_not_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
        assert choose_judge({"base_url": "http://localhost:8000/v1"}, ["openai"]) == "none"
        monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8000/v1")
        assert choose_judge({}, ["openai"]) == "none"

    def test_no_judge_and_a_judge_at_once_is_refused(self) -> None:
        with pytest.raises(UserError, match=r"^--judge none says that nobody judges"):
            choose_judge({"judge": "none", "judge_model": ("m",)}, ["noop"])

    def test_what_was_left_open_is_written_down(self) -> None:
        resolved = resolve_judge(make_config(suite="s", judge="llm"), JUDGED)
        assert judge_options(resolved) == JudgeOptions(("gpt-4o",), None, 1, 120_000)
        assert judge_options(resolve_judge(resolved, [FakeScenario()])) is None
        assert judge_options(resolve_judge(make_config(suite="s"), JUDGED)) is None

    def test_a_model_is_known_by_its_family(self) -> None:
        assert same_model("gpt-4o", "GPT-4o-2024-08-06")
        assert not same_model("gpt-4o", "gpt-4o-mini")
        assert not same_model("gpt-4o", None)
        config = make_config(suite="s", judge="llm", agent="openai", model="gpt-4o", judge_model=("o3", "gpt-4o"))
        assert judges_itself(config) == "gpt-4o"
        assert judges_itself(config.model_copy(update={"agent": "noop"})) is None

    @pytest.mark.parametrize(("flag", "value"), [("judge_repeats", 0), ("judge_repeats", 99), ("judge_limit", 10)])
    def test_a_number_out_of_its_range_is_named(self, flag: str, value: int) -> None:
        with pytest.raises(UserError, match=f"^--{flag.replace('_', '-')} {value}: "):
            make_config(suite="s", **{flag: value})
