"""What a refusal or fault of the model's server means: try again, end the episode (with which status), or stop the run.

Servers agree on little. OpenAI names the cause in `code`; llama.cpp, vLLM, Ollama, SGLang and the gateways in front of
them often have nothing but a sentence, so the tables below hold sentences as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gitgoodbench.errors import AgentFailed, EpisodeError, GaveUp, InfrastructureFailed, LimitReached, RunAborted
from gitgoodbench.models.options import MODEL_FLAGS, ModelFlags
from gitgoodbench.models.pricing import meant_model
from gitgoodbench.text import one_line

_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "billing_error"})
_REGION_CODES = frozenset({"unsupported_country_region_territory"})
_OVERFLOW_CODES = frozenset(
    {"context_length_exceeded", "exceed_context_size_error", "model_max_prompt_tokens_exceeded"}
)
_FILTER_CODES = frozenset({"content_filter", "content_policy_violation", "invalid_prompt"})
_MODEL_CODES = frozenset({"model_not_found", "invalid_model"})
_TRANSIENT_STATUSES = frozenset({408, 409, 425, 429})

_OVERFLOW = re.compile(
    r"maximum context length"  # OpenAI, vLLM, OpenRouter
    r"|(?:longer|larger) than the (?:maximum model length|model'?s? context length)"  # vLLM, SGLang
    r"|too long to fit into the model"  # vLLM
    r"|max_(?:completion_)?tokens must be at least 1, got -"  # vLLM
    r"|exceeds? the (?:available )?context (?:size|length|window)|context size has been exceeded"  # llama.cpp, Ollama
    r"|exceed(?:s|ed)? (?:the )?max(?:imum)? context length"  # Ollama
    r"|exceed context window of"  # llama-cpp-python
    r"|prompt is too long|exceeds the maximum number of tokens"  # Anthropic and Gemini behind a gateway
    r"|must have less than \d+ tokens|`inputs` tokens \+ `max_new_tokens` must be",  # text-generation-inference
    re.IGNORECASE,
)
_RATE_LIMIT = re.compile(r"rate.?limit|tokens per min|\bTPM\b", re.IGNORECASE)
_UNKNOWN_MODEL = re.compile(
    r"not a valid model|unknown model|model\b[^.]*\b(?:not found|does not exist)", re.IGNORECASE
)
_FLAGGED = re.compile(r"\bflagged\b|requires moderation|usage polic|content polic|moderation", re.IGNORECASE)
_CREDIT = re.compile(r"credit balance|insufficient (?:balance|credit|funds|quota)|out of credits", re.IGNORECASE)
_KEY = re.compile(r"API[ _]key (?:not valid|is invalid|expired)|invalid (?:API[ _]key|x-api-key)", re.IGNORECASE)
_REGION = re.compile(
    r"(?:country|region|territory|location)\b[^.]*\bnot (?:supported|available|allowed)"
    r"|not (?:supported|available) in your (?:country|region|location)",
    re.IGNORECASE,
)
_NO_PARSER = re.compile(r"enable-auto-tool-choice|tool-call-parser|tools param requires --jinja", re.IGNORECASE)
_NO_TOOLS = re.compile(
    r"(?:does not|doesn't|do not) support (?:tools|tool use|tool call|function call)"
    r"|no endpoints found that support tool",
    re.IGNORECASE,
)
_UNSUPPORTED = re.compile(
    r"unsupported|not support|unavailable|not available|not allow|not permitted|unknown|unrecogni|deprecated"
    r"|extra inputs|must be|only .*allowed",
    re.IGNORECASE,
)
_BROKEN_CALL = re.compile(
    r"tool_use_failed|error parsing tool call|failed to (?:call a function|parse tool call)", re.IGNORECASE
)


class ServerFault(Exception):
    """A request that failed for a reason that may pass: it is tried again.

    ending: the error that ends the episode once the tries are used up. retry_after_s: how long the server asks to wait.
    partial: what arrived of the reply. connected: whether the server can have got the request.
    """

    def __init__(
        self,
        message: str,
        ending: type[EpisodeError] = InfrastructureFailed,
        retry_after_s: float | None = None,
        *,
        partial: bytes = b"",
        connected: bool = True,
    ) -> None:
        super().__init__(message)
        self.ending = ending
        self.retry_after_s = retry_after_s
        self.partial = partial
        self.connected = connected


@dataclass(frozen=True)
class Refusal:
    """An answer of the server that is not the model's: HTTP status, and what the body says."""

    status: int
    message: str
    code: str = ""
    kind: str = ""
    parameter: str = ""
    retry_after_s: float | None = None

    @classmethod
    def of(cls, status: int, body: str, retry_after_s: float | None = None) -> Refusal:
        """Read the body of an error.

        The shapes in use: {"error": {...}}, {"error": "..."}, [{"error": ...}], {"message": ...}, {"detail": ...},
        bare text.
        """
        try:
            value: Any = json.loads(body)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, list) and value:
            value = value[0]
        if not isinstance(value, dict):
            return cls(status, one_line(body), retry_after_s=retry_after_s)
        error = value.get("error", value)
        if not isinstance(error, dict):
            error = {"message": error}
        message = error.get("message") or error.get("detail") or body
        code, kind, parameter = (str(error.get(key) or "") for key in ("code", "type", "param"))
        return cls(status, one_line(str(message)), code, kind, parameter, retry_after_s)

    def __str__(self) -> str:
        return f"HTTP {self.status}: {self.message}" if self.message else f"HTTP {self.status}"

    def has_code(self, codes: frozenset[str]) -> bool:
        return self.code in codes or self.kind in codes

    @property
    def is_overflow(self) -> bool:
        """Whether the conversation does not fit into the model's context. A limit of tokens per minute is not that."""
        if self.has_code(_OVERFLOW_CODES) or self.status == 413:
            return True
        return bool(_OVERFLOW.search(self.message)) and not _RATE_LIMIT.search(self.message)


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


def refused_parameter(refusal: Refusal, offered: Iterable[str]) -> str | None:
    """Which of the offered optional parameters the server does not take, if that is why it refused."""
    if refusal.status not in (400, 422):
        return None
    complains = _UNSUPPORTED.search(refusal.message)
    for name in offered:
        if refusal.parameter == name or (complains and re.search(rf"\b{name}\b", refusal.message)):
            return name
    return None


PARSER_HELP = (
    "start it with one: vLLM --enable-auto-tool-choice --tool-call-parser NAME, SGLang --tool-call-parser NAME, "
    "llama.cpp --jinja"
)
"""What makes a server parse its model's tool calls."""


@dataclass(frozen=True)
class Whom:
    """Who is asked, for messages: the model, the server's address, what it should offer, and what sets all that."""

    model: str
    where: str
    offers: str = "chat completions"
    flags: ModelFlags = MODEL_FLAGS


def meaning(refusal: Refusal, whom: Whom) -> Exception:
    """The exception that a refusal stands for: `ServerFault`, an `EpisodeError` or `RunAborted`."""
    if refusal.is_overflow:
        return LimitReached(f"context limit: {refusal}")
    if refusal.has_code(_FILTER_CODES) or (refusal.status in (400, 403) and _FLAGGED.search(refusal.message)):
        return GaveUp(f"refused by the content filter: {refusal}")
    return _end_of_run(refusal, whom) or _passing_fault(refusal) or _end_of_episode(refusal)


def _end_of_run(refusal: Refusal, whom: Whom) -> RunAborted | None:
    where, flags = whom.where, whom.flags
    said, final = refusal.message, refusal.status in (400, 403, 404)
    if refusal.has_code(_QUOTA_CODES) or refusal.status == 402 or (final and _CREDIT.search(said)):
        return RunAborted(f"the quota or credit at {where} is used up ({refusal}): top it up, then resume the run")
    if final and (refusal.has_code(_REGION_CODES) or _REGION.search(said)):
        return RunAborted(f"{where} does not serve this region ({refusal}): name another server with {flags.base_url}")
    if final and _NO_PARSER.search(said):
        return RunAborted(f"{where} does not parse tool calls ({refusal}): {PARSER_HELP}")
    if final and _NO_TOOLS.search(said):
        return RunAborted(f"{whom.model!r} at {where} takes no tools ({refusal}): choose another with {flags.model}")
    if refusal.has_code(_MODEL_CODES) or (final and _UNKNOWN_MODEL.search(said)):
        return RunAborted(
            f"{where} does not have the model {whom.model!r} ({refusal}): {meant_model(whom.model)}choose another with "
            f"{flags.model}"
        )
    if refusal.status in (401, 403) or (final and _KEY.search(said)):
        return RunAborted(
            f"{where} rejects the API key ({refusal}): set {flags.key} to a valid one, then resume the run"
        )
    if refusal.status == 404:
        return RunAborted(
            f"{where} offers no {whom.offers} ({refusal}): check {flags.base_url}, which mostly ends in /v1"
        )
    return None


def _passing_fault(refusal: Refusal) -> ServerFault | None:
    if _BROKEN_CALL.search(f"{refusal.code} {refusal.message}"):
        return ServerFault(f"the model wrote a call that its server cannot read ({refusal})", AgentFailed)
    if refusal.status >= 500 or refusal.status in _TRANSIENT_STATUSES:
        return ServerFault(str(refusal), retry_after_s=refusal.retry_after_s)
    return None


def _end_of_episode(refusal: Refusal) -> InfrastructureFailed:
    return InfrastructureFailed(f"the server refuses the request ({refusal})")
