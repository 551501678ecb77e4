"""Runs of command-line agents and of reference agents by the same rules, with a model that works by these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from gitgoodbench import Run, evaluate
from gitgoodbench.cli import run as command_line
from gitgoodbench.runs.account import AGENT
from tests.support.rules.commands import rule_for
from tests.support.rules.figures import Figures
from tests.support.rules.model import Answered, RuleModel
from tests.support.rules.watching import MemoryWatch

PRICES: Final = (1.0, 3.0)
"""US dollars per million tokens, of input and output."""


@dataclass(frozen=True)
class Played:
    """A run, and what the model's server answered in it."""

    run: Run
    account: list[Answered]


def play(out: Path, agent: str, scenario: str, run_id: str | None = None, **fields: Any) -> Played:
    """Let an agent play one scenario of the built-in suite, in Docker; what is done already is not done again.

    Args:
        fields: of `evaluate`.
    """
    name = run_id or f"{agent}.{scenario}"
    books = out / "books" / f"{name}.jsonl"
    books.parent.mkdir(exist_ok=True)
    with RuleModel(books) as model, MemoryWatch(name) as watch:
        chosen: dict[str, Any] = {**agent_fields(model), **judged_by(model, scenario), "jobs": 2, **fields}
        run = evaluate("mini", agent, out, name, scenario=scenario, sandbox="docker", **chosen)
        account = list(model.account)
    version = str(run.manifest.sandbox.get("agent_version", ""))
    largest = max((answered.size for answered in account if answered.role == AGENT), default=0)
    Figures.of(run, version, max(watch.peaks.values(), default=0), largest).keep(out)
    return Played(run, account)


def play_references(out: Path, run: Run) -> Mapping[str, Run]:
    """The reference agents that do what was done in a run of one scenario, each on its samples, with the published
    tools and on this machine. By the names of the agents.
    """
    (scenario,) = {result.scenario for result in run.results}
    samples: dict[str, set[str]] = {}
    for result in run.results:
        samples.setdefault(rule_for(result), set()).add(result.sample_id)
    with RuleModel() as model:
        judge = judged_by(model, scenario)
        return {
            rule: evaluate(
                "mini", rule, out, f"{rule}.{scenario}.{len(own)}", 2, scenario=scenario, sample=sorted(own),
                sandbox="local", **judge,
            )
            for rule, own in samples.items()
        }  # fmt: skip


def agent_fields(model: RuleModel) -> dict[str, Any]:
    """What an agent that asks a model is told of it."""
    prices = {"price_input": PRICES[0], "price_output": PRICES[1]}
    return {"model": "gpt-5.4", "base_url": model.url, "cache_answers": False, **prices}


def judged_by(model: RuleModel, scenario: str) -> dict[str, Any]:
    """A judge that goes by a rule, where histories are judged."""
    if scenario == "mcr":
        return {"judge": "none"}
    prices = {"judge_price_input": PRICES[0], "judge_price_output": PRICES[1]}
    server = {"judge_model": "judge", "judge_base_url": model.url}
    return {"judge": "llm", "cache_answers": False, **server, **prices}


def ready(agent: str) -> None:
    """Build the image that has an agent, if there is none; skip where it cannot be had."""
    code = command_line(["image", "build", "--agent", agent])
    if code != 0:
        pytest.skip(f"the image of {agent} cannot be built (gitgoodbench image build --agent {agent})")
