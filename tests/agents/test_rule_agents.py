"""A small agent of ours works in sealed sandboxes, its model by rules: all of it comes out as for reference agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench import Run, evaluate
from tests.support.rules import commands
from tests.support.rules.comparing import unlike_account, unlike_reference
from tests.support.rules.model import RuleModel

PROGRAM = Path(commands.__file__).parent
PRICES: Mapping[str, Any] = {"price_input": 1.0, "price_output": 3.0}
SAMPLES = {
    "mcr": ["mini_cairn_merge_0007", "mini_lantern_merge_0011", "mini_tidewater_merge_0006"],
    "ir": ["mini_cairn_file_commit_chain_0000", "mini_tidewater_file_commit_chain_0003"],
    "icc": ["mini_cairn_file_commit_chain_0000", "mini_lantern_file_commit_chain_0006"],
}
RULES = {"mcr": ("theirs", "union", "ours"), "ir": ("reword-last", "squash-all"), "icc": ("one-commit", "per-hunk")}


@pytest.mark.docker
@pytest.mark.usefixtures("docker_provider")
@pytest.mark.parametrize(("api", "scenario"), [("chat", "mcr"), ("responses", "ir"), ("anthropic", "icc")])
def test_rules_in_a_sandbox_are_reference_agents(tmp_path: Path, api: Any, scenario: str) -> None:
    with RuleModel() as model:
        judge: dict[str, Any] = {} if scenario == "mcr" else _judged_by(model)
        fields: dict[str, Any] = {"scenario": scenario, "sample": SAMPLES[scenario], "offline": True, **judge}
        references = _references(tmp_path, RULES[scenario], fields)
        before = len(model.account)
        argv = f"python3 {{folder}}/agent.py {api} {{prompt_file}}"
        run = evaluate(
            "mini", "command", tmp_path, "rules", jobs=2, model="scripted", api=api, base_url=model.url, tools="shell",
            opt=[f"command.argv={argv}", f"command.folder={PROGRAM}"], sandbox="docker", **PRICES, **fields,
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


def _references(folder: Path, rules: Sequence[str], fields: Mapping[str, Any]) -> dict[str, Run]:
    return {rule: evaluate("mini", rule, folder, rule, jobs=2, sandbox="local", **fields) for rule in rules}
