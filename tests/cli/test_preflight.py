"""Before the first episode one small request shows whether a model can be asked; what cannot work ends there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gitgoodbench.runs.redact import redact_command
from gitgoodbench.tools import Tool
from tests.cli.conftest import CommandLine, Result
from tests.support.dialects import CHAT, Step, speaking
from tests.support.fake_judging import FakeJudgedScenario
from tests.support.fake_runs import FakeScenario, FakeWork
from tests.support.judging import favouring, judged_by
from tests.support.llm_reply import Call, Reply
from tests.support.scripted_llm import Request, ScriptedServer, fault, says

ANTHROPIC_EMPTY = {
    "type": "error",
    "error": {
        "type": "invalid_request_error",
        "message": "Your credit balance is too low to access the Anthropic API.",
    },
}
GEMINI_KEY = [{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}]

ENDINGS = {
    "no parser in vLLM": (
        fault.status(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        "does not parse tool calls (HTTP 400: \"auto\" tool choice requires",
    ),
    "calls as text": (says('<tool_call>{"name": "report_ready"}</tool_call>'), "this server does not parse tool calls"),
    "empty account at Anthropic": (fault.answer(ANTHROPIC_EMPTY, code=400), "the quota or credit at"),
    "key of Gemini": (fault.answer(GEMINI_KEY, code=400), "rejects the API key (HTTP 400: API key not valid."),
    "region": (
        fault.status(403, "Country, region, or territory not supported", code="unsupported_country_region_territory"),
        "does not serve this region (HTTP 403: Country, region, or territory not supported)",
    ),
    "region at Gemini": (
        fault.status(400, "User location is not supported for the API use."),
        "does not serve this region",
    ),
    "no tools": (fault.status(400, "m does not support tools"), "'m' at http"),
    "no such model": (fault.status(404, 'model "m" not found, try pulling it first'), "does not have the model 'm'"),
    "no such path": (fault.raw(b'{"detail":"Not Found"}', code=404), "offers no chat completions"),
    "a broken request": (fault.status(422, "no"), "m at http"),
}  # fmt: skip


class UnfinishedScenario(FakeScenario):
    """Its episodes have work for a model: one tool, which never finishes it."""

    def prepare(self, *arguments: Any) -> Any:
        work = super().prepare(*arguments)
        assert isinstance(work, FakeWork)
        work.finished, work.reminder, work.tools = False, "Go on.", (Tool.of(look),)
        return work


def look() -> str:
    """Look around."""
    return "nothing"


def ask(command: CommandLine, url: str, *more: str) -> Result:
    command.scenario = UnfinishedScenario()
    return command.eval("--agent", "openai", "--model", "m", "--base-url", url, "--run-id", "r", *more)


def without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries follow each other at once."""
    monkeypatch.setattr("gitgoodbench.models.retry.Backoff.wait_s", lambda *_: 0.0)


@pytest.mark.parametrize(("reply", "message"), ENDINGS.values(), ids=ENDINGS.keys())
def test_what_no_episode_can_survive_ends_the_run_before_it_begins(
    command: CommandLine, reply: Reply, message: str
) -> None:
    with ScriptedServer([reply], preflights=False) as server:
        shown = ask(command, server.url)
    assert shown.code == 2
    last = shown.err.rstrip("\n").split("\n")[-1]
    assert last.startswith("gitgoodbench: ")
    assert message in last
    assert last.endswith(f"; nothing was run; resume with: gitgoodbench resume {command.out}/r")
    assert len(server.requests) == 1
    assert command.results() == []


def test_a_moved_server_ends_the_run_and_is_found_again_on_resume(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_waiting(monkeypatch)
    with ScriptedServer([]) as gone:
        pass
    shown = ask(command, gone.url)
    assert shown.code == 2
    assert "does not answer: the connection failed (ConnectError: [Errno 111] Connection refused); tried 3 times" in (
        shown.err
    )
    with ScriptedServer(lambda _: says("no")) as server:
        shown = command("resume", command.out / "r", "--base-url", server.url, "--request-timeout", "60")
    assert shown.code == 0
    assert [result["status"] for result in results(command)] == ["gave_up"] * 5


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (fault.status(503, "loading the model"), "HTTP 503: loading the model"),
        (fault.status(500), "HTTP 500: status 500"),
        (fault.rate_limit(), "HTTP 429: Rate limit reached for requests"),
    ],
    ids=["503", "500", "429"],
)
def test_a_busy_server_is_tried_six_times_and_ends_the_run_before_it_begins(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch, reply: Reply, cause: str
) -> None:
    without_waiting(monkeypatch)
    with ScriptedServer(lambda _: reply, preflights=False) as server:
        shown = ask(command, server.url)
    assert shown.code == 2
    assert shown.err.rstrip("\n").split("\n")[-1] == (
        f"gitgoodbench: m at {server.url} does not answer: {cause}; tried 6 times; nothing was run; "
        f"resume with: gitgoodbench resume {command.out}/r"
    )
    assert len(server.requests) == 6
    assert command.results() == []


def test_a_server_that_is_busy_for_five_tries_is_played(command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    without_waiting(monkeypatch)
    replies = iter([fault.status(503)] * 5 + [says("no")] * 20)
    with ScriptedServer(lambda _: next(replies), preflights=False) as server:
        assert ask(command, server.url).code == 0
    assert len(server.requests) == 6 + 2 * 5


def test_a_judge_that_cannot_be_read_is_warned_of_and_asked(command: CommandLine) -> None:
    command.scenario = FakeJudgedScenario("mcr")
    with ScriptedServer(lambda _: says("Both are fine."), preflights=False) as server:
        shown = command.noop("--judge-model", "j", "--judge-base-url", server.url, "--limit", "1")
    assert (
        f"warning: asked for a test, j at {server.url} gave no answer that can be read; it judges all the same, and "
        "may leave every episode unscored\n"
    ) in shown.err
    assert manifest(command)["models"]["judge j"]["works"] is False
    assert [result["status"] for result in results(command)] == ["unscored"]


def test_judging_again_by_a_judge_that_is_down_changes_nothing(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_waiting(monkeypatch)
    command.scenario = FakeJudgedScenario("mcr")
    with ScriptedServer(judged_by(favouring("Parse dates"))) as server:
        assert command.noop("--judge-model", "j", "--judge-base-url", server.url).code == 0
    before = {path: path.read_bytes() for path in command.results()}
    again = ("score", command.out / "r", "--judge-model", "k", "--judge-base-url")
    gone = command(*again, server.url)
    with ScriptedServer(lambda _: fault.status(503), preflights=False) as busy:
        shown = command(*again, busy.url)
    assert (gone.code, gone.out, shown.code, shown.out) == (2, "", 2, "")
    assert f"k at {server.url} does not answer: the connection failed" in gone.err
    assert "tried 3 times" in gone.err
    assert f"k at {busy.url} does not answer: HTTP 503: status 503; tried 6 times" in shown.err
    assert {path: path.read_bytes() for path in command.results()} == before
    assert len(before) == 5


def test_the_dialect_is_said_and_written_down(command: CommandLine) -> None:
    with speaking(CHAT["arguments an object"], [Step((Call.of("look"),))]) as server:
        shown = ask(command, server.url, "--limit", "1", "--max-turns", "1")
    assert "agent m: arguments as an object" in shown.err
    assert manifest(command)["models"] == {
        "agent m": {
            "api": "chat", "address": server.url, "answered_by": "scripted-1", "works": True, "usage": True,
            "dialect": ["arguments as an object"],
        }
    }  # fmt: skip


def test_a_model_that_calls_no_tool_is_warned_of_and_played(command: CommandLine) -> None:
    with ScriptedServer(lambda _: says("Hello!"), preflights=False) as server:
        shown = ask(command, server.url, "--limit", "1")
    assert shown.code == 0
    assert (
        f"warning: asked for a test, m at {server.url} called no tool; it plays all the same, and may give up "
        "every time\n"
    ) in shown.err
    assert manifest(command)["models"]["agent m"]["works"] is False


@pytest.mark.parametrize(
    "limit", [("--max-tokens", "9"), ("--max-episode-cost", "1", "--price-input", "1", "--price-output", "1")]
)
def test_a_limit_that_cannot_be_watched_is_refused_before_anything_is_played(
    command: CommandLine, limit: tuple[str, ...]
) -> None:
    with speaking(CHAT["no usage"], []) as server:
        shown = ask(command, server.url, *limit)
    assert shown.code == 2
    assert f"{limit[0]} cannot be watched: {server.url} does not report how many tokens it used" in shown.err


def test_each_judge_is_asked_once_with_its_schema_for_all_agents(command: CommandLine) -> None:
    command.scenario = FakeJudgedScenario("mcr")
    with ScriptedServer(lambda _: says('{"preferred": "TIE", "reason": ""}')) as server:
        judges = ("--judge-model", "one", "--judge-model", "two", "--judge-base-url", server.url)
        agents = ("--agent", "noop", "--agent", "openai", "--model", "m", "--base-url", server.url)
        assert command.eval(*agents, "--run-id", "r", *judges).code == 0
    assert [request.body["model"] for request in server.preflights] == ["one", "two", "m"]
    assert ["response_format" in request.body for request in server.preflights] == [True, True, False]
    assert set(manifest(command, "r-noop")["models"]) == {"judge one", "judge two"}
    assert set(manifest(command, "r-openai")["models"]) == {"agent m", "judge one", "judge two"}


def test_a_finished_run_asks_nothing(command: CommandLine) -> None:
    with ScriptedServer(lambda _: says("no")) as server:
        assert ask(command, server.url).code == 0
        assert ask(command, server.url).code == 0
    assert len(server.preflights) == 1


def test_a_flagged_input_is_that_sample_s_and_the_run_goes_on(command: CommandLine) -> None:
    flagged = fault.status(403, 'm requires moderation. Your input was flagged for "violence".')
    replies = iter([flagged] + [says("no")] * 20)
    with ScriptedServer(lambda _: next(replies)) as server:
        shown = ask(command, server.url)
    assert shown.code == 0
    assert [result["status"] for result in results(command)] == ["gave_up"] * 5
    errors = [result["error"]["message"] for result in results(command)]
    assert sum(error.startswith("refused by the content filter: HTTP 403: m requires") for error in errors) == 1


def test_what_a_user_adds_is_in_every_request_and_no_secret_is_kept(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (command.folder / ".env").write_text(
        "# keys\nexport OPENAI_API_KEY='sk-from-the-file'\nGITGOODBENCH_TOP_P=0.5 # x\n"
    )
    for name in ("OPENAI_API_KEY", "GITGOODBENCH_TOP_P"):
        monkeypatch.setenv(name, "x")  # so that it is put back
        monkeypatch.delenv(name)
    seen: list[Request] = []

    def play(request: Request) -> Reply:
        seen.append(request)
        return says("no")

    with ScriptedServer(play) as server:
        shown = ask(
            command, server.url, "--limit", "1", "--env-file", ".env", "--header", "X-Team: hunter2",
            "--model-arg", "chat_template_kwargs.enable_thinking=false", "--model-arg", "top_k=20",
            "--max-output-tokens", "300", "--reasoning-effort", "high", "--seed", "7",
        )  # fmt: skip
    assert shown.code == 0
    body = seen[0].body
    assert {key: body[key] for key in body.keys() - {"messages", "tools"}} == {
        "model": "m", "temperature": 0.0, "top_p": 0.5, "seed": 7, "max_tokens": 300, "reasoning_effort": "high",
        "chat_template_kwargs": {"enable_thinking": False}, "top_k": 20,
    }  # fmt: skip
    assert seen[0].headers["x-team"] == "hunter2"
    assert seen[0].headers["authorization"] == "Bearer sk-from-the-file"
    written = (command.out / "r/manifest.json").read_text()
    assert "hunter2" not in written
    assert "sk-from" not in written
    shown = command("resume", command.out / "r")
    assert (shown.code, "--header X-Team: its value is not kept with the run: give it again" in shown.err) == (2, True)


def test_variables_of_headers_and_fields_have_a_line_for_each(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITGOODBENCH_HEADER", "X-Team: red and blue\n\n  X-Key: Basic abc\n")
    monkeypatch.setenv("GITGOODBENCH_MODEL_ARG", 'top_k=20\nstop=["a b", "c"]')
    seen: list[Request] = []

    def play(request: Request) -> Reply:
        seen.append(request)
        return says("no")

    with ScriptedServer(play) as server:
        shown = ask(command, server.url, "--limit", "1")
    assert shown.code == 0
    assert (seen[0].headers["x-team"], seen[0].headers["x-key"]) == ("red and blue", "Basic abc")
    assert (seen[0].body["top_k"], seen[0].body["stop"]) == (20, ["a b", "c"])
    assert "Basic abc" not in (command.out / "r/manifest.json").read_text()


def test_a_header_on_the_command_line_is_hidden() -> None:
    assert redact_command(["--header", "Authorization: Bearer x", "--header=X-Team: y"], {}) == [
        "--header", "***", "--header=***",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model-arg", "top_k"), "--model-arg 'top_k': write it as key=value, such as top_k=20"),
        (("--model-arg", "messages=[]"), "--model-arg messages: the harness itself sends messages"),
        (("--model-arg", "a=1", "--model-arg", "a.b=1"), "--model-arg a.b: a is a value and an object"),
        (("--header", "nonsense"), "--header 'nonsense': write it as 'Name: value'"),
        (("--env-file", "none.env"), "--env-file none.env cannot be read: No such file or directory"),
    ],
)
def test_what_is_written_wrong_is_refused(command: CommandLine, arguments: tuple[str, ...], message: str) -> None:
    shown = ask(command, "http://127.0.0.1:9/v1", *arguments)
    assert shown.code == 2
    assert message in shown.err


def manifest(command: CommandLine, run_id: str = "r") -> dict[str, Any]:
    value: dict[str, Any] = json.loads((command.out / run_id / "manifest.json").read_bytes())
    return value


def results(command: CommandLine) -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in command.results()]
