"""--otel: the spans of a run are a tree that agrees with its ledger, and a collector never matters to the run."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from gitgoodbench.cli import run
from gitgoodbench.models import chat
from gitgoodbench.models.retry import Backoff
from gitgoodbench.runs.account import read_account, read_ledger
from gitgoodbench.tracing import export, runs
from gitgoodbench.tracing.export import Spans
from tests.cli.conftest import CommandLine
from tests.support.billing import WritingScenario, working
from tests.support.collector import collecting, texts_of
from tests.support.judging import favouring, judged_by
from tests.support.llm_reply import Call
from tests.support.scripted_llm import ScriptedServer, calls, calls_all, fault, says

MINI = ("--sandbox", "local", "--offline", "--scenario", "mcr", "--jobs", "1", "--run-id", "r")
WORDS = "nobody-may-export-these-words"


@pytest.fixture(autouse=True)
def _plain_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("OTEL_", "GITGOODBENCH_OPT")):
            monkeypatch.delenv(name)


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> InMemorySpanExporter:
    """Where --otel sends spans to."""
    monkeypatch.chdir(tmp_path)
    exporter = InMemorySpanExporter()
    monkeypatch.setattr(runs, "_open", lambda: Spans(exporter))
    return exporter


def named(spans: Sequence[ReadableSpan], name: str) -> list[ReadableSpan]:
    return [span for span in spans if span.name == name or span.name.startswith(f"{name} ")]


def facts(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def children(spans: Sequence[ReadableSpan], parent: ReadableSpan) -> list[ReadableSpan]:
    assert parent.context is not None
    found = [span for span in spans if span.parent is not None and span.parent.span_id == parent.context.span_id]
    return sorted(found, key=lambda span: span.start_time or 0)


def test_a_reference_agents_run_has_its_episodes_and_their_calls(memory: InMemorySpanExporter) -> None:
    assert run(["eval", "mini", "--agent", "theirs", "--limit", "2", *MINI, "--otel"]) == 0
    spans = memory.get_finished_spans()
    (root,) = named(spans, "gitgoodbench.run")
    assert root.parent is None
    assert facts(root) == {
        "gitgoodbench.run.id": "r", "gitgoodbench.suite": "mini", "gen_ai.agent.name": "theirs",
        "gitgoodbench.run.planned": 2, "gitgoodbench.run.kept": 0, "gitgoodbench.run.jobs": 1,
        "gitgoodbench.run.unfinished": 0,
    }  # fmt: skip
    episodes = children(spans, root)
    assert [span.name for span in episodes] == ["invoke_agent theirs"] * 2
    for span in episodes:
        own, folder = facts(span), Path("results/r/samples")
        scenario, sample, epoch = own["gitgoodbench.episode"].split("/")
        result = json.loads((folder / scenario / sample / epoch / "result.json").read_text())
        assert (own["gitgoodbench.status"], own["gitgoodbench.solved"]) == (result["status"], result["solved"])
        assert own["gen_ai.operation.name"] == "invoke_agent"
        assert span.status.status_code is StatusCode.UNSET
        inner = children(spans, span)
        lines = (folder / scenario / sample / epoch / "trajectory.jsonl").read_text().splitlines()
        asked = [call for line in lines for call in _calls_in(json.loads(line))]
        assert len(inner) == len(asked) > 0
        assert [(facts(each)["gen_ai.tool.call.id"], facts(each)["gen_ai.tool.name"]) for each in inner] == asked
        assert all(span.start_time <= each.start_time <= each.end_time <= span.end_time for each in inner)  # type: ignore[operator]
    assert not named(spans, "chat")


def _calls_in(line: dict[str, Any]) -> list[tuple[str, str]]:
    message = line.get("message") or {}
    return [(call["id"], call["function"]["name"]) for call in message.get("tool_calls") or ()]


def test_a_models_run_has_its_requests_and_calls_and_no_word_of_them(
    memory: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat, "Backoff", lambda: Backoff(tries=3, first_s=0.0))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    script = [
        fault.status(503, WORDS),
        calls_all(Call.of("view_file_at", relative_path_from_project_root=WORDS, reason=WORDS), Call.of("x")),
        calls(f"no such tool: {WORDS * 9}", word=WORDS),
        says(WORDS),
        says(WORDS),
    ]
    with ScriptedServer(script) as server:
        arguments = ("--agent", "openai", "--model", "m", "--base-url", server.url, "--limit", "1")
        assert run(["eval", "mini", *arguments, *MINI, "--otel"]) == 0
    spans = memory.get_finished_spans()
    (root,) = named(spans, "gitgoodbench.run")
    (episode,) = children(spans, root)
    assert facts(episode)["error.type"] == facts(episode)["gitgoodbench.status"] == "gave_up"
    assert (facts(episode)["gen_ai.request.model"], facts(episode)["gen_ai.provider.name"]) == ("m", "openai")
    inner = children(spans, episode)
    assert [span.name.split()[0] for span in inner] == ["chat"] * 2 + ["execute_tool"] + ["chat", "execute_tool"] + [
        "chat"
    ] * 2
    requests = named(inner, "chat")
    assert {span.name for span in requests} == {"chat m"}
    assert {span.kind for span in requests} == {SpanKind.CLIENT}
    refused, first = facts(requests[0]), facts(requests[1])
    assert (refused["error.type"], requests[0].status.status_code) == ("503", StatusCode.ERROR)
    assert {name: value for name, value in first.items() if name.startswith(("gen_ai.", "server.", "error"))} == {
        "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "m",
        "gen_ai.response.model": "scripted", "gen_ai.response.id": first["gen_ai.response.id"],
        "gen_ai.response.finish_reasons": ("tool_calls",), "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 10, "gen_ai.usage.cache_read.input_tokens": 40,
        "server.address": "127.0.0.1", "server.port": int(server.url.split(":")[2].split("/")[0]),
    }  # fmt: skip
    _agree(requests, Path("results/r/ledger.jsonl"))
    tools = named(inner, "execute_tool")
    assert [facts(span)["error.type"] for span in tools] == ["tool_error"] * 2
    assert facts(tools[0])["gen_ai.tool.name"] == "view_file_at"
    assert len(facts(tools[1])["gen_ai.tool.name"]) == 64
    told = [(span.status.description, *facts(span).values()) for span in spans if span is not tools[1]]
    assert WORDS not in repr(told)


def _agree(requests: Sequence[ReadableSpan], ledger: Path) -> None:
    """The spans of requests say what the ledger says."""
    lines = [line for line in read_ledger(ledger) if line.event != "asked" and line.role == "agent"]
    assert [facts(span).get("gen_ai.response.id") for span in requests] == [line.response_id for line in lines]
    total = read_account(ledger).total(role="agent")
    counts = [
        sum(facts(span).get(f"gen_ai.usage.{kind}_tokens", 0) for span in requests) for kind in ("input", "output")
    ]
    assert counts == [total.prompt_tokens, total.completion_tokens] == [400, 40]


def test_judges_requests_belong_to_their_episode(
    command: CommandLine, memory: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    command.scenario = WritingScenario()
    judge, work = judged_by(favouring("Parse dates")), working()
    with ScriptedServer(lambda asked: judge(asked) if asked.body["model"] == "j" else work(asked)) as server:
        models = ("--agent", "openai", "--model", "m", "--base-url", server.url, "--judge-model", "j")
        ran = command.eval(*models, "--judge-base-url", server.url, "--limit", "1", "--run-id", "r", "--otel")
    assert ran.code == 0, ran.err
    spans = memory.get_finished_spans()
    (episode,) = named(spans, "invoke_agent")
    requests = named(children(spans, episode), "chat")
    assert [span.name for span in requests] == ["chat m"] * 3 + ["chat j"] * 2
    assert [facts(span)["gitgoodbench.role"] for span in requests] == ["agent"] * 3 + ["judge"] * 2
    assert facts(episode)["gen_ai.request.model"] == "m"
    total = read_account(command.out / "r" / "ledger.jsonl")
    for role in ("agent", "judge"):
        counted = sum(
            facts(each)["gen_ai.usage.input_tokens"] for each in requests if facts(each)["gitgoodbench.role"] == role
        )
        assert counted == total.total(role=role).prompt_tokens > 0


def test_resume_makes_a_run_of_its_own_session(command: CommandLine, memory: InMemorySpanExporter) -> None:
    assert command.noop("--limit", "1").code == 0
    assert command("resume", command.out / "r", "--otel").code == 0
    (root,) = memory.get_finished_spans()
    assert (facts(root)["gitgoodbench.run.kept"], facts(root)["gitgoodbench.run.unfinished"]) == (1, 0)


def test_a_collector_receives_it_all_as_the_variables_say(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=git")
        monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test")
        monkeypatch.setenv("GITGOODBENCH_OTEL", "1")
        ran = command.noop("--jobs", "3")
    assert ran.code == 0
    assert "--otel" not in ran.err
    assert collector.paths == {"/v1/traces"}
    assert {headers["x-team"] for headers in collector.headers} == {"git"}
    resource = texts_of(list(collector.requests[0].resource_spans[0].resource.attributes))
    assert (resource["service.name"], resource["deployment.environment"]) == ("gitgoodbench", "test")
    (root,) = [span for span in collector.spans if not span.parent_span_id]
    others = [span for span in collector.spans if span is not root]
    assert root.name == "gitgoodbench.run"
    assert {(span.name, span.parent_span_id, span.trace_id) for span in others} == {
        ("invoke_agent noop", root.span_id, root.trace_id)
    }
    episodes = {texts_of(list(span.attributes))["gitgoodbench.episode"] for span in others}
    assert episodes == {f"mcr/s{number}/1" for number in range(5)}


@pytest.mark.parametrize("listens", [False, True], ids=["refuses", "never answers"])
def test_a_collector_that_is_down_neither_stops_nor_keeps_a_run(
    listens: bool, command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "_PATIENCE_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.getsockname()[1]}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
        if not listens:
            server.close()
        ran = command.noop("--otel")
    assert ran.code == 0
    assert len(command.results()) == 5
    last = ran.err.rstrip("\n").split("\n")[-1]
    assert last == "--otel: 6 spans did not arrive: see that OTEL_EXPORTER_OTLP_ENDPOINT answers"
    assert "Traceback" not in ran.err
    assert "HTTPConnectionPool" not in ran.err


def test_without_the_extra_nothing_is_run(command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "gitgoodbench.tracing.export")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    ran = command.noop("--otel")
    assert (ran.code, ran.out) == (2, "")
    assert "--otel: OpenTelemetry is not installed: pip install 'gitgoodbench[otel]'" in ran.error
    assert not command.out.exists()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported"),
        ("OTEL_TRACES_EXPORTER", "zipkin", "OTEL_TRACES_EXPORTER=zipkin is not supported: otlp or none"),
        ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "99999", "the OTEL_* variables cannot be used: "),
    ],
)
def test_variables_that_cannot_be_followed_are_a_mistake_of_one_line(
    name: str, value: str, said: str, command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    ran = command.noop("--otel")
    assert ran.code == 2
    assert said in ran.error
    assert not command.out.exists()


def test_no_exporter_means_no_spans(command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "none")
    assert command.noop("--otel").code == 0
