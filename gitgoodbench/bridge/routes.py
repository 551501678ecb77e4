"""What the bridge answers: a few addresses, and errors in the words of each API. Everything else is not served."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final

from gitgoodbench.bridge.google import streamed_at

ROUTES: Final = {"/v1/chat/completions": "chat", "/v1/responses": "responses", "/v1/messages": "anthropic"}
"""The API (`models.apis.APIS`) at each address."""

MODELS: Final = "/v1/models"

_PROBES: Final = re.compile(r"/?|/v1/?|/health|/favicon\.ico|/api/.*|/v1/messages/count_tokens")
"""Addresses that agents ask by the way (is somebody there, how long is this, statistics), and do without."""

_KINDS: Final = {
    400: ("invalid_request_error", "invalid_request_error"),
    402: ("insufficient_quota", "billing_error"),
    403: ("permission_error", "permission_error"),
    404: ("not_found_error", "not_found_error"),
    413: ("invalid_request_error", "request_too_large"),
}
"""What OpenAI, and what Anthropic, calls an error of a status."""

_STATUSES: Final = {
    400: "INVALID_ARGUMENT",
    402: "FAILED_PRECONDITION",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    413: "INVALID_ARGUMENT",
}
"""What Google calls it."""


def route(path: str, query: str) -> tuple[str, bool | None] | None:
    """The API at an address, and whether its answer is a stream; None: the body says so. None: nothing is there."""
    if path in ROUTES:
        return ROUTES[path], None
    streamed = streamed_at(path, query)
    return None if streamed is None else ("google", streamed)


def is_probe(path: str) -> bool:
    """Whether a request that is turned away is nothing to be told of: it leads nowhere, and every agent asks it."""
    return _PROBES.fullmatch(path) is not None


def error_body(api: str | None, status: int, message: str) -> bytes:
    """An error as clients of the API read it."""
    if api == "google":
        error = {"code": status, "message": message, "status": _STATUSES.get(status, "UNAVAILABLE")}
        return json.dumps({"error": error}).encode()
    ours, theirs = _KINDS.get(status, ("api_error", "api_error"))
    if api == "anthropic":
        return json.dumps({"type": "error", "error": {"type": theirs, "message": message}}).encode()
    return json.dumps({"error": {"message": message, "type": ours, "code": ours, "param": None}}).encode()


def models_body(names: Iterable[str]) -> bytes:
    """The list of models, as clients of every API read it."""
    return json.dumps(
        {"object": "list", "data": [_model(name) for name in sorted(set(names))], "has_more": False}
    ).encode()


def model_body(name: str, names: Iterable[str]) -> bytes | None:
    """One of the models; None where it is none of them."""
    return json.dumps(_model(name)).encode() if name in set(names) else None


def _model(name: str) -> dict[str, object]:
    return {"id": name, "object": "model", "type": "model", "display_name": name, "created": 0, "owned_by": "bridge"}
