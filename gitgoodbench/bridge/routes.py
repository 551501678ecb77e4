"""What the bridge answers: three addresses, and errors in the words of each API. Everything else is not served."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

ROUTES: Final = {"/v1/chat/completions": "chat", "/v1/responses": "responses", "/v1/messages": "anthropic"}
"""The API (`models.apis.APIS`) at each address."""

MODELS: Final = "/v1/models"

_KINDS: Final = {
    400: ("invalid_request_error", "invalid_request_error"),
    402: ("insufficient_quota", "billing_error"),
    403: ("permission_error", "permission_error"),
    404: ("not_found_error", "not_found_error"),
    413: ("invalid_request_error", "request_too_large"),
}
"""What OpenAI, and what Anthropic, calls an error of a status."""


def error_body(api: str | None, status: int, message: str) -> bytes:
    """An error as clients of the API read it."""
    ours, theirs = _KINDS.get(status, ("api_error", "api_error"))
    if api == "anthropic":
        return json.dumps({"type": "error", "error": {"type": theirs, "message": message}}).encode()
    return json.dumps({"error": {"message": message, "type": ours, "code": ours, "param": None}}).encode()


def models_body(names: Iterable[str]) -> bytes:
    """The list of models, as clients of every API read it."""
    entries = [
        {"id": name, "object": "model", "type": "model", "display_name": name, "created": 0, "owned_by": "bridge"}
        for name in sorted(set(names))
    ]
    return json.dumps({"object": "list", "data": entries, "has_more": False}).encode()
