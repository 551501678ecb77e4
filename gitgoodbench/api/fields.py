"""What `evaluate` takes beside its own arguments: the fields of a run, for type checkers and editors.

Written from `runs.config.RunConfig`; a test compares. `python -m tests.support.run_fields` writes it anew.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, TypedDict

from gitgoodbench.clusters.backends import Backend
from gitgoodbench.models.names import ApiName
from gitgoodbench.runs.order import Order
from gitgoodbench.scoring.judge.options import JudgeKind
from gitgoodbench.tools import ToolSet


class RunFields(TypedDict, total=False):
    """Flags of `gitgoodbench eval`, with underscores; one that can be repeated takes one value or several."""

    model: str | None
    api: ApiName | Literal["chat", "responses", "anthropic"]
    base_url: str | None
    temperature: float | None
    top_p: float | None
    seed: int | None
    max_output_tokens: int | None
    reasoning_effort: str | None
    model_arg: str | Sequence[str]
    header: str | Sequence[str]
    request_timeout: float
    max_connections: int | None
    price_input: float | None
    price_output: float | None
    scenario: str | Sequence[str]
    sample: str | Sequence[str]
    language: str | Sequence[str]
    difficulty: str | Sequence[str]
    limit: int | None
    shuffle: int | None
    epochs: int
    tools: ToolSet | Literal["published", "extended", "shell", "own"]
    history: int | None
    strict_tools: bool
    opt: str | Sequence[str]
    agent_arg: str | Sequence[str]
    agent_config: str | os.PathLike[str] | None
    score: str | Sequence[str] | None
    sandbox: str
    judge: JudgeKind | Literal["none", "llm"]
    judge_model: str | Sequence[str]
    judge_api: ApiName | Literal["chat", "responses", "anthropic"] | None
    judge_base_url: str | None
    judge_reasoning_effort: str | None
    judge_repeats: int | None
    judge_limit: int | None
    judge_price_input: float | None
    judge_price_output: float | None
    judge_max_tokens: int | None
    max_turns: int | None
    max_tokens: int | None
    max_episode_cost: float | None
    timeout: float | None
    order: Order | Literal["sample", "suite"]
    backend: Backend | Literal["loky", "threading", "dask", "ray"]
    cluster: str | None
    driver_address: str | None
    max_cost: float | None
    cache_answers: bool | None
    max_failures: int
    retry_failed: int
    repos: str | os.PathLike[str] | None
    cache_size: float
    offline: bool
    skip_invalid: bool
