"""Real agents at pinned versions, in sealed sandboxes, on all of the built-in suite, with a model that works by rules.

Every episode comes out as that of the reference agent of the same rule, to the ids of trees and commits; what the model
answered is in the books of the run, token by token, and nothing else is (`make test-agents`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents_real.conftest import CHOSEN
from tests.support.rules.comparing import unlike_account, unlike_reference
from tests.support.rules.model import RuleModel
from tests.support.rules.playing import PRICES, play, play_references, ready

pytestmark = [pytest.mark.agents, pytest.mark.docker, pytest.mark.timeout(4 * 3600)]


@pytest.mark.parametrize("scenario", ["mcr", "ir", "icc"])
@pytest.mark.parametrize("agent", CHOSEN)
def test_all_of_mini(out: Path, agent: str, scenario: str) -> None:
    ready(agent)
    played = play(out, agent, scenario)
    assert {result.status.value for result in played.run.results} == {"completed"}
    assert unlike_reference(played.run, play_references(out, played.run)) == []
    assert unlike_account(played.run, played.account) == []
    spent = played.run.summary.account.total()
    assert spent.unknown == 0
    assert spent.cost_usd == pytest.approx(RuleModel.billed(*PRICES, played.account), rel=1e-12)
