"""What the user chooses for the judges, and what stands where nothing is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from gitgoodbench.models.options import ModelFlags

DEFAULT_MODEL: Final = "gpt-4o"
DEFAULT_LIMIT: Final = 120_000
MAX_LIMIT: Final = 1_000_000
MOST_REPEATS: Final = 25
DEFAULT_MAX_TOKENS: Final = 4096


class JudgeKind(StrEnum):
    """Who judges histories."""

    NONE = "none"
    LLM = "llm"


JUDGE_FLAGS: Final = ModelFlags(
    model="--judge-model",
    base_url="--judge-base-url",
    prices="--judge-price-input and --judge-price-output",
    keys=("GITGOODBENCH_JUDGE_API_KEY", "OPENAI_API_KEY"),
    without="leave the judge out (--judge none)",
)


@dataclass(frozen=True)
class JudgeOptions:
    """What the user chooses. limit: characters of both histories that are shown, half for each. price_input,
    price_output: US dollars per million tokens, of every judge; both or neither.

    max_tokens: of one answer, thinking included: a small model that goes round in circles comes to an end.
    """

    models: tuple[str, ...] = (DEFAULT_MODEL,)
    base_url: str | None = None
    repeats: int = 1
    limit: int = DEFAULT_LIMIT
    max_tokens: int = DEFAULT_MAX_TOKENS
    request_timeout_s: float = 300.0
    max_connections: int | None = None
    api: str = "chat"
    reasoning_effort: str | None = None
    headers: tuple[str, ...] = ()
    price_input: float | None = None
    price_output: float | None = None
