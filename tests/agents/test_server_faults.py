"""Every fault of a model's server, sent by a real HTTP server to the real openai client, ends in its status."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from gitgoodbench.agents.openai import OpenAIAgent
from gitgoodbench.errors import RunAborted, Status
from gitgoodbench.models import endpoint
from gitgoodbench.models.faults import Refusal, refused_parameter
from gitgoodbench.models.meter import Budget
from gitgoodbench.models.parameters import Parameters
from gitgoodbench.models.retry import Backoff
from tests.support.fake_episode import FakeEpisode
from tests.support.model_agent import KEY, play
from tests.support.scripted_llm import Reply, ScriptedServer, calls, fault, says

LINES = [calls("write_line", text=text) for text in "abc"]
_CALL = {"id": "1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}

PASSING = {
    "rate limit": fault.rate_limit(),
    "request time-out": fault.status(408),
    "conflict": fault.status(409),
    "internal error": fault.status(500),
    "bad gateway as HTML": fault.html(502),
    "overloaded": fault.status(503),
    "gateway time-out": fault.status(504),
    "overloaded, as some say it": fault.status(529),
    "HTML with status 200": fault.html(),
    "empty body": fault.raw(b""),
    "no content": fault.raw(b"", code=204),
    "half a JSON": fault.half_json(),
    "no UTF-8": fault.raw(b'{"choices": "\xff"}'),
    "NaN": fault.raw(b'{"choices": NaN}'),
    "nested without end": fault.raw(b"[" * 200_000),
    "dropped before the reply": fault.drop(),
    "dropped in mid body": fault.drop_mid_body(),
    "body that is not gzip though it says so": Reply(b"not gzip", headers={"Content-Encoding": "gzip"}),
    "null": fault.answer(None),
    "a list": fault.answer([]),
    "an empty object": fault.answer({}),
    "no choices": fault.answer({"choices": []}),
    "choices null": fault.answer({"choices": None}),
    "choices of the wrong type": fault.answer({"choices": {"0": {}}}),
    "choice null": fault.answer({"choices": [None]}),
    "choice without message": fault.answer({"choices": [{"finish_reason": "stop"}]}),
    "message null": fault.message(None),
    "message a string": fault.message("hello"),
    "content a number": fault.message({"content": 5}),
    "tool_calls an object": fault.message({"tool_calls": {"0": _CALL}}),
    "tool call null": fault.message({"tool_calls": [None]}),
    "tool call without function": fault.message({"tool_calls": [{"id": "1", "type": "function"}]}),
    "tool call without name": fault.message({"tool_calls": [{"id": "1", "function": {"arguments": "{}"}}]}),
    "an error with status 200": fault.answer({"error": {"message": "upstream is busy", "code": 503}}),
}


@pytest.mark.parametrize("reply", PASSING.values(), ids=PASSING.keys())
def test_a_fault_that_passes_costs_another_try_and_nothing_else(reply: Reply) -> None:
    played = play([LINES[0], reply, reply, *LINES[1:]])
    assert played.trajectory.status is Status.COMPLETED
    assert played.trajectory.turns == 3
    assert played.trajectory.usage.requests == 5
    assert played.waits == [1.0, 2.0]
    assert played.requests[1].raw == played.requests[2].raw == played.requests[3].raw


@pytest.mark.parametrize("reply", PASSING.values(), ids=PASSING.keys())
def test_a_fault_that_stays_is_a_failure_of_the_infrastructure_after_six_tries(reply: Reply) -> None:
    played = play([LINES[0], *[reply] * 7])
    assert played.trajectory.status is Status.INFRASTRUCTURE_FAILED
    assert (played.trajectory.error or "").endswith("; tried 6 times")
    assert len((played.trajectory.error or "").splitlines()) == 1
    assert len(played.requests) == 7
    assert played.waits == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert played.trajectory.usage.prompt_tokens == 100
    assert [message["role"] for message in played.trajectory.messages] == ["system", "user", "assistant", "tool"]


def test_the_error_says_what_came_instead_of_a_reply() -> None:
    assert play([fault.html()] * 6).trajectory.error == (
        "the reply is not what the API promises: Expecting value: line 1 column 1 (char 0) "
        "(it begins '<!DOCTYPE html><html><body>Just a moment...</body></html>'); tried 6 times"
    )
    assert play([fault.answer({"choices": []})] * 6).trajectory.error == (
        "the reply is not what the API promises: choices is empty (it begins '{\"choices\": []}'); tried 6 times"
    )
    assert play([fault.status(503, "busy\r\nline")] * 6).trajectory.error == "HTTP 503: busy line; tried 6 times"


def test_nobody_listening_is_a_failure_of_the_infrastructure() -> None:
    with ScriptedServer([]) as server:
        url = server.url
    agent = OpenAIAgent("m", base_url=url, api_key=KEY, backoff=Backoff(tries=2), sleep=lambda _: None)
    trajectory = agent.run(FakeEpisode(), Budget())
    assert trajectory.status is Status.INFRASTRUCTURE_FAILED
    assert trajectory.error == ("the connection failed (ConnectError: [Errno 111] Connection refused); tried 2 times")


def test_a_hanging_request_is_cut_at_its_time_out_and_tried_again() -> None:
    played = play([fault.hang(), *LINES], request_timeout_s=60)
    assert played.trajectory.status is Status.COMPLETED
    assert play([fault.hang()] * 2, request_timeout_s=60, backoff=Backoff(tries=2)).trajectory.error == (
        "no answer within 60 s; tried 2 times"
    )


def test_a_reply_that_drips_is_cut_at_the_time_out_too() -> None:
    played = play([fault.drip(60), *LINES], request_timeout_s=60)
    assert played.trajectory.status is Status.COMPLETED
    assert len(played.requests) == 4


def test_an_error_whose_body_drips_is_cut_too() -> None:
    slow = Reply(b"x" * 1000, status=500, seconds_per_byte=60)
    assert play([slow, *LINES], request_timeout_s=60).trajectory.status is Status.COMPLETED


def test_an_error_whose_body_breaks_off_is_tried_again() -> None:
    broken = Reply(b"x" * 1000, status=500, drop_after=10)
    assert play([broken, *LINES]).trajectory.status is Status.COMPLETED


def test_an_endless_reply_is_not_kept_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "REPLY_LIMIT", 1_000_000)
    played = play([fault.raw(b" " * 3_000_000)] * 2, backoff=Backoff(tries=2))
    assert played.trajectory.error == "the reply is longer than 1000000 bytes; tried 2 times"


@pytest.mark.parametrize(
    ("reply", "wait"),
    [
        (fault.rate_limit("7"), 8.0),
        (fault.rate_limit("0.5"), 1.5),
        (fault.rate_limit("86400"), 121.0),
        (fault.rate_limit("Wed, 21 Oct 2015 07:28:00 GMT"), 1.0),
        (fault.rate_limit("soon"), 1.0),
        (fault.status(503, headers={"Retry-After": "3"}), 4.0),
        (fault.status(429, headers={"retry-after-ms": "250", "Retry-After": "9"}), 1.25),
    ],
)
def test_retry_after_is_honoured_with_a_second_of_jitter(reply: Reply, wait: float) -> None:
    assert play([reply, *LINES]).waits == [wait]


def test_retry_after_as_a_date_is_honoured() -> None:
    (wait,) = play([fault.rate_limit(formatdate(time.time() + 30, usegmt=True)), *LINES]).waits
    assert 28 < wait <= 31


ABORTING = {
    "rejected key": (
        fault.rejected_key(),
        "rejects the API key (HTTP 401: Incorrect API key provided): set OPENAI_API_KEY",
    ),
    "forbidden": (
        fault.status(403, "You have no access"),
        "rejects the API key (HTTP 403: You have no access)",
    ),
    "quota": (
        fault.quota(),
        "is used up (HTTP 429: You exceeded your current quota): top it up, then resume the run",
    ),
    "payment required": (
        fault.status(402, "Insufficient Balance"),
        "is used up (HTTP 402: Insufficient Balance): top it up",
    ),
    "OpenAI's unknown model": (
        fault.status(404, "The model `gpt-4o` does not exist", code="model_not_found"),
        "does not have the model 'gpt-4o' (HTTP 404: The model `gpt-4o` does not exist): choose another with --model",
    ),
    "Ollama's unknown model": (
        fault.status(404, 'model "gpt-4o" not found, try pulling it first'),
        "choose another with --model",
    ),
    "OpenRouter's unknown model": (
        fault.status(400, "gpt-4o is not a valid model ID"),
        "choose another with --model",
    ),
    "wrong path": (
        fault.raw(b'{"detail":"Not Found"}', code=404),
        "offers no chat completions (HTTP 404: Not Found): check --base-url",
    ),
}


@pytest.mark.parametrize(("reply", "message"), ABORTING.values(), ids=ABORTING.keys())
def test_what_no_episode_can_survive_stops_the_run_with_one_line(reply: Reply, message: str) -> None:
    with pytest.raises(RunAborted) as raised:
        play([reply])
    assert message in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


_LLAMA = "the request exceeds the available context size"
_VLLM = "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens"
_GEMINI = "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."
OVERFLOWS = {
    "OpenAI": fault.overflow(),
    "llama.cpp": fault.status(
        400,
        "request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it",
        type="exceed_context_size_error",
    ),
    "llama.cpp, before it had a type": fault.status(500, f"{_LLAMA}. try increasing the context size"),
    "llama.cpp, while generating": fault.status(500, "Context size has been exceeded."),
    "llama.cpp, error with status 200": fault.answer({"error": {"code": 400, "message": _LLAMA}}),
    "llama-cpp-python": fault.status(400, "Requested tokens (2285) exceed context window of 2048"),
    "vLLM": fault.answer({"object": "error", "message": _VLLM, "type": "BadRequestError", "code": 400}, code=400),
    "vLLM, prompt alone": fault.status(
        400, "The prompt (total length 25938) is too long to fit into the model (context length 4096)."
    ),
    "vLLM, decoder": fault.status(
        400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096."
    ),
    "vLLM, nothing left": fault.status(400, "max_tokens must be at least 1, got -186."),
    "Ollama": fault.answer({"error": "the input length exceeds the context length"}, code=400),
    "Ollama, cloud": fault.answer({"error": "prompt too long; exceeded max context length by 42 tokens"}, code=400),
    "SGLang": fault.status(400, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
    "Gemini": fault.answer([{"error": {"code": 400, "message": _GEMINI}}], code=400),
    "Anthropic": fault.status(400, "prompt is too long: 221782 tokens > 200000 maximum"),
    "a proxy": fault.html(413),
}


@pytest.mark.parametrize("reply", OVERFLOWS.values(), ids=OVERFLOWS.keys())
def test_a_conversation_too_long_for_the_model_is_a_limit(reply: Reply) -> None:
    played = play([LINES[0], reply])
    assert played.trajectory.status is Status.LIMIT_REACHED
    assert (played.trajectory.error or "").startswith("context limit: HTTP ")
    assert len(played.requests) == 2


def test_a_limit_of_tokens_per_minute_is_no_context_overflow() -> None:
    busy = fault.status(
        429,
        "Rate limit reached: request exceeds the maximum number of tokens per min (TPM): Limit 30000, Requested 45000.",
        code="rate_limit_exceeded",
    )
    assert play([busy, *LINES]).trajectory.status is Status.COMPLETED


def test_a_request_that_the_server_refuses_is_a_failure_of_the_infrastructure_at_once() -> None:
    for reply in [fault.status(400, "Invalid schema for function"), fault.status(405, "x"), fault.status(422, "y")]:
        played = play([reply])
        assert played.trajectory.status is Status.INFRASTRUCTURE_FAILED
        assert len(played.requests) == 1
    assert played.trajectory.error == "the server refuses the request (HTTP 422: y)"


@pytest.mark.parametrize(
    "reply",
    [
        fault.status(400, "Failed to call a function. Please adjust your prompt.", code="tool_use_failed"),
        fault.status(500, "error parsing tool call: raw='{\"a\"', err=unexpected end of JSON input"),
    ],
)
def test_calls_that_the_models_own_server_cannot_read_are_the_models_fault(reply: Reply) -> None:
    assert play([reply, *LINES]).trajectory.status is Status.COMPLETED
    assert play([reply] * 6).trajectory.status is Status.AGENT_FAILED


def test_an_unsupported_temperature_is_left_out_from_then_on_and_noted() -> None:
    message = (
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."
    )
    refused = fault.status(400, message, code="unsupported_value", param="temperature")
    played = play([refused, *LINES], parameters=Parameters(temperature=0.0, seed=3))
    assert played.trajectory.status is Status.COMPLETED
    assert played.trajectory.notes == ("temperature left out: the server does not take it",)
    assert ["temperature" in request.body for request in played.requests] == [True, False, False, False]
    assert all(request.body["seed"] == 3 for request in played.requests)
    assert played.waits == []
    assert played.trajectory.usage.requests == 4


def test_a_parameter_is_left_out_once_only() -> None:
    refused = fault.status(400, "temperature is not supported", param="temperature")
    played = play([refused, refused])
    assert played.trajectory.status is Status.INFRASTRUCTURE_FAILED
    assert len(played.requests) == 2


@pytest.mark.parametrize(
    ("refusal", "found"),
    [
        (Refusal(400, "`temperature` is deprecated for this model."), "temperature"),
        (Refusal(422, "`temperature` must be strictly positive"), "temperature"),
        (Refusal(400, "invalid temperature: only 1 is allowed for this model"), "temperature"),
        (Refusal(400, "Unknown parameter: 'seed'."), "seed"),
        (Refusal(400, "no wording at all", parameter="seed"), "seed"),
        (Refusal(400, "Unsupported parameter: 'max_tokens'"), None),
        (Refusal(400, "temperature and pressure"), None),
        (Refusal(500, "temperature is not supported"), None),
    ],
)
def test_which_parameter_a_refusal_is_about(refusal: Refusal, found: str | None) -> None:
    assert refused_parameter(refusal, ("temperature", "seed")) == found


def test_the_key_appears_nowhere() -> None:
    echo = f"Incorrect API key provided: {KEY}. Bearer {KEY}"
    with pytest.raises(RunAborted) as raised:
        play([fault.status(401, echo)])
    assert "Incorrect API key provided: [API key]. Bearer [API key]" in str(raised.value)
    for reply in [fault.status(500, echo), fault.status(400, echo), fault.raw(echo.encode()), fault.html(500)]:
        assert KEY not in repr(play([says(echo), *[reply] * 6]).trajectory)


def test_a_key_that_a_server_spells_in_escapes_appears_nowhere() -> None:
    escaped = "".join(f"\\u{ord(character):04x}" for character in KEY)
    with pytest.raises(RunAborted) as raised:
        play([fault.raw(f'{{"error": {{"message": "bad key {escaped}"}}}}'.encode(), code=401)])
    assert "HTTP 401: bad key [API key]" in str(raised.value)


def test_a_key_in_a_header_appears_nowhere_and_other_headers_hide_nothing() -> None:
    headers = {"X-Auth": "Bearer team-secret-1", "X-Team": "research"}
    with pytest.raises(RunAborted) as raised:
        play([fault.status(401, "no team-secret-1 in research")], headers=headers)
    assert "HTTP 401: no [API key] in research" in str(raised.value)
