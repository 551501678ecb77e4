"""Steps of a script that go wrong, as servers of models do. Use as `fault.status(500)`."""

from __future__ import annotations

import json
from typing import Any

from tests.support.llm_reply import Reply, says


def status(number: int, message: str = "", /, *, headers: dict[str, str] | None = None, **error: Any) -> Reply:
    """An error in OpenAI's shape; `error` adds `code`, `type`, `param`."""
    body = {"error": {"message": message or f"status {number}", **error}}
    return Reply(json.dumps(body).encode(), status=number, headers=headers or {})


def rate_limit(retry_after: str | None = None) -> Reply:
    """429 as OpenAI sends it, with a Retry-After header if given."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return status(429, "Rate limit reached for requests", headers=headers, code="rate_limit_exceeded", type="requests")


def quota() -> Reply:
    return status(429, "You exceeded your current quota", code="insufficient_quota", type="insufficient_quota")


def rejected_key() -> Reply:
    return status(401, "Incorrect API key provided", code="invalid_api_key", type="invalid_request_error")


def overflow() -> Reply:
    message = "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens."
    return status(400, message, code="context_length_exceeded", type="invalid_request_error", param="messages")


def raw(body: bytes, *, code: int = 200, content_type: str = "application/json") -> Reply:
    """Any bytes as the body."""
    return Reply(body, status=code, content_type=content_type)


def answer(value: Any, *, code: int = 200) -> Reply:
    """Any JSON value as the body."""
    return raw(json.dumps(value).encode(), code=code)


def message(value: Any, finish_reason: str = "stop") -> Reply:
    """Any JSON value as the message of the first choice."""
    return answer({"choices": [{"index": 0, "message": value, "finish_reason": finish_reason}]})


def html(code: int = 200) -> Reply:
    """The page of some proxy."""
    return raw(b"<!DOCTYPE html><html><body>Just a moment...</body></html>", code=code, content_type="text/html")


def half_json() -> Reply:
    """A complete HTTP reply whose JSON is cut off."""
    whole = says("this is never heard").body
    return raw(whole[: len(whole) // 2])


def drop() -> Reply:
    """The connection is closed without a reply."""
    return Reply(b"", drop_after=0)


def drop_mid_body() -> Reply:
    """The connection is closed in the middle of the body."""
    whole = says("this is never heard")
    return Reply(whole.body, drop_after=len(whole.body) // 2)


def hang(seconds: float = 3600.0) -> Reply:
    """Nothing at all for so long (or until the server is closed)."""
    return says("too late").after(seconds)


def drip(seconds_per_byte: float = 0.02) -> Reply:
    """The body, one byte at a time."""
    return Reply(says("drop by drop").body, seconds_per_byte=seconds_per_byte)
