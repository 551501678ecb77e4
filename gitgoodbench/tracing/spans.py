"""OpenTelemetry spans of runs, by the conventions for generative AI: run, `invoke_agent`, `chat`, `execute_tool`.

Names, counts and times only: no message, argument, result or error text is in them.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from gitgoodbench.errors import Status as Ending
from gitgoodbench.extras import needed
from gitgoodbench.models.pricing import OPENAI, provider_at
from gitgoodbench.models.recording import Exchange, Fate, ToolRun
from gitgoodbench.runs.account import AGENT
from gitgoodbench.text import clean

with needed("otel", "opentelemetry"):
    from opentelemetry.context import Context
    from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context

RUN: Final = "gitgoodbench.run"

_ERROR: Final = "error.type"
_CALL_FAILED: Final = 400
_MOST_CHARACTERS, _MOST = 200, 2**63 - 1
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_.-]")
_PROVIDERS: Final = {"gemini": "gcp.gemini", "mistral": "mistral_ai", "xai": "x_ai"}
"""Our names of providers -> those of the conventions, where they differ."""


class RunSpans:
    """The spans of one run; a `Witness` of it. Episodes are children of the run, requests and calls of their episode.

    A request of judges about an episode that was played in an earlier session is a child of the run.
    """

    def __init__(self, tracer: Tracer, *, run_id: str, suite: str, agent: str, model: str | None) -> None:
        self._tracer = tracer
        self._agent, self._model = agent, model
        self._lock = threading.Lock()
        self._episodes: dict[str, Span] = {}
        attributes = {"gitgoodbench.run.id": run_id, "gitgoodbench.suite": suite, "gen_ai.agent.name": agent}
        self._run = tracer.start_span(RUN, Context(), attributes=_known(attributes))

    def hear(self, event: Mapping[str, Any]) -> None:
        name, episode = event["event"], event.get("episode")
        if name == "session_started":
            self._run.set_attributes(
                _known({f"gitgoodbench.run.{key}": event[key] for key in ("planned", "kept", "jobs")})
            )
        elif name == "episode_started":
            self._begin(str(episode))
        elif name == "episode_finished":
            status, solved = str(event["status"]), event["solved"]
            facts = {"status": status, "solved": solved, "cost_usd": event["cost_usd"]}
            error = None if status == Ending.COMPLETED else status
            self._end(str(episode), {f"gitgoodbench.{key}": value for key, value in facts.items()}, error)
        elif name == "episode_given_up":
            self._end(str(episode), {}, "given_up")
        elif name in ("run_aborted", "run_broken"):
            _fail(self._run, name)
            if episode is not None:
                self._end(str(episode), {}, name)
        elif name == "session_ended":
            self._run.set_attributes(_known({"gitgoodbench.run.unfinished": event["unfinished"]}))
            self.end()

    def exchanged(self, episode: str, role: str, exchange: Exchange) -> None:
        if exchange.fate is Fate.CACHED:
            return  # no request was sent
        request = exchange.request
        asked = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider_of(request.server, request.api),
            "gen_ai.request.model": request.model,
        }
        tokens = exchange.tokens
        attributes = (
            asked
            | _server(request.server)
            | {
                "gen_ai.response.model": exchange.model,
                "gen_ai.response.id": exchange.response_id,
                "gen_ai.response.finish_reasons": None if exchange.finish_reason is None else (exchange.finish_reason,),
                "gen_ai.usage.input_tokens": tokens.prompt,
                "gen_ai.usage.output_tokens": tokens.completion,
                "gen_ai.usage.cache_read.input_tokens": tokens.cached,
                "gen_ai.usage.cache_creation.input_tokens": tokens.written,
                "gen_ai.usage.reasoning.output_tokens": tokens.reasoning,
                "gitgoodbench.episode": episode,
                "gitgoodbench.role": role,
                "gitgoodbench.attempt": exchange.attempt,
                "gitgoodbench.cost_usd": exchange.cost_usd,
            }
        )
        if role == AGENT:
            self._parent(episode).set_attributes(_known(asked | {"gen_ai.operation.name": "invoke_agent"}))
        self._past(f"chat {request.model}", SpanKind.CLIENT, episode, exchange.seconds, attributes, _error_of(exchange))

    def called(self, episode: str, run: ToolRun) -> None:
        name = _NOT_IN_A_NAME.sub("_", run.name)[:64] or "_"
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": run.id,
            "gen_ai.tool.type": "function",
            "gitgoodbench.episode": episode,
        }
        self._past(f"execute_tool {name}", SpanKind.INTERNAL, episode, run.seconds, attributes, run.error)

    def end(self) -> None:
        """End what has not ended: the run was interrupted."""
        with self._lock:
            episodes, self._episodes = self._episodes, {}
        for span in episodes.values():
            _fail(span, "interrupted")
            span.end()
        if self._run.is_recording():
            self._run.end()

    def _begin(self, episode: str) -> None:
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": self._agent,
            "gen_ai.request.model": self._model,
            "gitgoodbench.episode": episode,
            "gitgoodbench.scenario": episode.partition("/")[0],
        }
        context = set_span_in_context(self._run, Context())
        span = self._tracer.start_span(f"invoke_agent {_text(self._agent)}", context, attributes=_known(attributes))
        with self._lock:
            self._episodes[episode] = span

    def _end(self, episode: str, attributes: Mapping[str, Any], error: str | None) -> None:
        with self._lock:
            span = self._episodes.pop(episode, None)
        if span is None:
            return
        span.set_attributes(_known(attributes))
        if error is not None:
            _fail(span, error)
        span.end()

    def _parent(self, episode: str) -> Span:
        with self._lock:
            return self._episodes.get(episode, self._run)

    def _past(
        self, name: str, kind: SpanKind, episode: str, seconds: float, attributes: Mapping[str, Any], error: str | None
    ) -> None:
        """A span of what has just ended."""
        now = time.time_ns()
        span = self._tracer.start_span(
            _text(name),
            set_span_in_context(self._parent(episode), Context()),
            kind,
            _known(attributes),
            start_time=now - round(seconds * 1e9),
        )
        if error is not None:
            _fail(span, error)
        span.end(now)


def provider_of(server: str | None, api: str) -> str:
    """Who answers, as the conventions name it; for a server that nobody knows, the owner of the API that it speaks."""
    host = (None if server is None else urlsplit(server).hostname) or ""
    if host.endswith(".openai.azure.com"):
        return "azure.ai.openai"
    found = provider_at(host)
    return _PROVIDERS.get(found, found) if found else "anthropic" if api == "anthropic" else OPENAI


def _server(address: str | None) -> dict[str, Any]:
    parts = urlsplit(address or "")
    return {"server.address": parts.hostname, "server.port": parts.port}


def _error_of(exchange: Exchange) -> str | None:
    if exchange.fate is Fate.ANSWERED:
        return None
    status = exchange.status
    return str(status) if status is not None and status >= _CALL_FAILED else exchange.fate.value


def _fail(span: Span, error: str) -> None:
    span.set_attribute(_ERROR, error)
    span.set_status(Status(StatusCode.ERROR))


def _known(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes that have a value; one that cannot be sent would take its whole batch with it."""
    values = {name: _sendable(value) for name, value in attributes.items()}
    return {name: value for name, value in values.items() if value is not None}


def _sendable(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_text, value))
    if isinstance(value, int) and abs(value) > _MOST:
        return None
    return _text(value) if isinstance(value, str) else value


def _text(value: str) -> str:
    return clean(value)[:_MOST_CHARACTERS]
