"""A small agent of ours works in sealed sandboxes, its model by rules: all of it comes out as for reference agents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench import evaluate
from tests.support.rules import commands
from tests.support.rules.comparing import unlike_account, unlike_reference
from tests.support.rules.model import RuleModel

PROGRAM = Path(commands.__file__).parent
PRICES: Mapping[str, Any] = {"price_input": 1.0, "price_output": 3.0}
SAMPLES: Mapping[str, Mapping[str, str]] = {
    "mcr": {
        "theirs": "mini_lantern_merge_0006",
        "union": "mini_cairn_merge_0007",
        "ours": "mini_lantern_merge_0011",
    },
    "ir": {"reword-last": "mini_cairn_file_commit_chain_0000", "squash-all": "mini_tidewater_file_commit_chain_0003"},
    "icc": {"one-commit": "mini_cairn_file_commit_chain_0000", "per-hunk": "mini_lantern_file_commit_chain_0006"},
}
"""Scenario, and rule -> the sample that is played by it. Merges: a renamed and a deleted file, one renamed twice."""


@pytest.mark.docker
@pytest.mark.usefixtures("docker_provider")
@pytest.mark.parametrize(("api", "scenario"), [("chat", "mcr"), ("responses", "ir"), ("anthropic", "icc")])
def test_rules_in_a_sandbox_are_reference_agents(tmp_path: Path, api: Any, scenario: str) -> None:
    with RuleModel() as model:
        judge: dict[str, Any] = {} if scenario == "mcr" else _judged_by(model)
        fields: dict[str, Any] = {"scenario": scenario, "offline": True, "jobs": 2, **judge}
        references = {
            rule: evaluate("mini", rule, tmp_path, rule, sandbox="local", sample=sample, **fields)
            for rule, sample in SAMPLES[scenario].items()
        }
        before = len(model.account)
        argv = f"python3 agent.py {api} {{prompt_file}}"
        run = evaluate(
            "mini", "command", tmp_path, "rules", model="scripted", api=api, base_url=model.url,
            opt=[f"command.argv={argv}", f"command.folder={PROGRAM}"], sandbox="docker",
            sample=list(SAMPLES[scenario].values()), **PRICES, **fields,
        )  # fmt: skip
        account = model.account[before:]
    assert [result.status.value for result in run.results] == ["completed"] * len(SAMPLES[scenario])
    assert unlike_reference(run, references) == []
    assert unlike_account(run, account) == []
    assert run.summary.account.total().cost_usd == pytest.approx(model.billed(1.0, 3.0, account), rel=1e-12)
    assert {answered.api for answered in account if answered.role == "agent"} == {api}


def _judged_by(model: RuleModel) -> dict[str, Any]:
    prices = {f"judge_{name}": price for name, price in PRICES.items()}
    return {"judge": "llm", "judge_model": "judge", "judge_base_url": model.url, "cache_answers": False, **prices}
