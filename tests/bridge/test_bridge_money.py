"""What is asked through the bridge stands in the run's ledger once."""

from __future__ import annotations

from pathlib import Path

from gitgoodbench.runs.account import read_ledger
from gitgoodbench.runs.bookkeeping import Account, Bookkeeper
from gitgoodbench.runs.ledger import Ledger
from gitgoodbench.runs.transcript import Transcript
from tests.support.bridge_clients import answer, bridge_to, question


def test_requests_of_several_conversations_are_entered_once(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.jsonl") as ledger:
        books = Bookkeeper(ledger, Account("e", "agent"), Transcript(tmp_path / "trajectory.jsonl"))
        with bridge_to([answer("chat"), answer("responses")], recorder=books) as bridge:
            assert bridge.post("chat", question("chat", "one"))[0] == 200
            assert bridge.post("responses", question("responses", "two"))[0] == 200
            usage = bridge.meter.usage
        books.report("scripted", usage)
    lines = [(line.event, line.cost_usd) for line in read_ledger(tmp_path / "ledger.jsonl")]
    assert lines == [("asked", None), ("answered", 120e-6)] * 2
    assert '"one"' in (tmp_path / "trajectory.jsonl").read_text()
