"""An outcome as JSON."""

from __future__ import annotations

import json

import pytest

from gitgoodbench.errors import Status, UserError
from gitgoodbench.scenario import Json, Outcome


def test_an_outcome_comes_back_from_json_as_it_was() -> None:
    state: dict[str, Json] = {"uncommitted": ["caf\udce9"], "unmerged": None, "nested": [{"a": 1.5}]}
    outcome = Outcome("a" * 40, bytes(range(256)), state, "why", Status.LIMIT_REACHED, "turn limit")
    assert Outcome.from_json(outcome.to_json()) == outcome
    assert Outcome.from_json(Outcome(None, None).to_json()) == Outcome(None, None)
    assert json.loads(Outcome(None, b"\0\xff").to_json())["bundle"] == "AP8="


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"head": 1, "bundle": null, "state": {}}', '{"head": null, "bundle": "@", "state": {}}',
     '{"head": null, "bundle": null, "state": {}, "more": 1}', "[" * 100_000],
)  # fmt: skip
def test_what_is_no_outcome_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="not the JSON of an outcome"):
        Outcome.from_json(text)
