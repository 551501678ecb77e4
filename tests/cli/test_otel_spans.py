"""Spans of what a run tells: whatever it tells can be sent, and what does not end is ended."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from gitgoodbench.models.meter import Tokens
from gitgoodbench.models.recording import Exchange, Fate, Request, ToolRun
from gitgoodbench.tracing.export import Spans
from gitgoodbench.tracing.spans import RunSpans, provider_of
from tests.support.collector import collecting

ANSWERED = Exchange(Request("m", ()), Fate.ANSWERED, "2026-01-31T09:00:00.000+00:00", 2.5, tokens=Tokens(7, None, 3))
EPISODE = "mcr/s/1"


class Pipeline:
    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.stream = Spans(self.exporter)
        self.run: RunSpans = self.stream.of(run_id="r", suite="mini", agent="a", model=None)

    def spans(self) -> dict[str, Any]:
        assert self.stream.close() == 0
        return {span.name: span for span in self.exporter.get_finished_spans()}


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline()


def test_what_a_server_says_cannot_keep_spans_from_being_sent(pipeline: Pipeline) -> None:
    hostile = dataclasses.replace(
        ANSWERED,
        response_id="\ud800" * 999,
        model="\x00m",
        finish_reason="\udfff",
        tokens=Tokens(10**30, None, -(10**30)),
    )
    pipeline.run.exchanged(EPISODE, "agent", hostile)
    pipeline.run.called(EPISODE, ToolRun("\ud800", "\ud800 \n", 0.0, None))
    spans = pipeline.spans()
    with collecting() as collector:
        exporter = OTLPSpanExporter(f"{collector.url}/v1/traces")
        assert exporter.export(list(spans.values())) is SpanExportResult.SUCCESS
    assert {span.name for span in collector.spans} == set(spans)
    assert set(spans) == {"gitgoodbench.run", "chat m", "execute_tool ___"}
    assert len(spans["chat m"].attributes["gen_ai.response.id"]) == 200
    assert "gen_ai.usage.input_tokens" not in spans["chat m"].attributes


def test_a_request_took_as_long_as_it_took(pipeline: Pipeline) -> None:
    pipeline.run.exchanged(EPISODE, "agent", ANSWERED)
    chat = pipeline.spans()["chat m"]
    assert chat.end_time - chat.start_time == 2_500_000_000


def test_an_answer_that_was_known_is_no_request(pipeline: Pipeline) -> None:
    pipeline.run.exchanged(EPISODE, "agent", dataclasses.replace(ANSWERED, fate=Fate.CACHED))
    assert set(pipeline.spans()) == {"gitgoodbench.run"}


def test_judges_of_an_earlier_sessions_episode_belong_to_the_run(pipeline: Pipeline) -> None:
    pipeline.run.exchanged(EPISODE, "judge", ANSWERED)
    spans = pipeline.spans()
    assert spans["chat m"].parent.span_id == spans["gitgoodbench.run"].context.span_id
    assert spans["chat m"].attributes["gitgoodbench.role"] == "judge"


@pytest.mark.parametrize(
    ("events", "error"),
    [
        ([], "interrupted"),
        ([{"event": "episode_given_up", "episode": EPISODE}], "given_up"),
        ([{"event": "run_aborted", "episode": EPISODE, "reason": "no"}], "run_aborted"),
    ],
)
def test_an_episode_that_does_not_finish_ends_with_an_error(
    events: list[dict[str, Any]], error: str, pipeline: Pipeline
) -> None:
    for event in [{"event": "episode_started", "episode": EPISODE}, *events]:
        pipeline.run.hear(event)
    spans = pipeline.spans()
    assert spans["invoke_agent a"].attributes["error.type"] == error
    assert spans["invoke_agent a"].parent.span_id == spans["gitgoodbench.run"].context.span_id


def test_a_reply_that_comes_after_the_end_is_dropped(pipeline: Pipeline) -> None:
    assert set(pipeline.spans()) == {"gitgoodbench.run"}
    pipeline.run.exchanged(EPISODE, "agent", ANSWERED)
    assert len(pipeline.exporter.get_finished_spans()) == 1


@pytest.mark.parametrize(
    ("server", "api", "provider"),
    [
        ("https://api.openai.com/v1", "chat", "openai"),
        ("https://api.anthropic.com", "anthropic", "anthropic"),
        ("https://generativelanguage.googleapis.com/v1beta/openai", "chat", "gcp.gemini"),
        ("https://api.mistral.ai/v1", "chat", "mistral_ai"),
        ("https://api.x.ai/v1", "chat", "x_ai"),
        ("https://api.groq.com/openai/v1", "chat", "groq"),
        ("https://one.openai.azure.com/openai", "responses", "azure.ai.openai"),
        ("http://127.0.0.1:8000/v1", "chat", "openai"),
        ("http://127.0.0.1:8000", "anthropic", "anthropic"),
        (None, "chat", "openai"),
    ],
)
def test_providers_are_named_as_the_conventions_do(server: str | None, api: str, provider: str) -> None:
    assert provider_of(server, api) == provider
