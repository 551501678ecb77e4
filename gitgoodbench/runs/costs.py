"""What the agent's work on episodes cost."""

from __future__ import annotations

from collections.abc import Sequence

from gitgoodbench.runs.account import AGENT, Account
from gitgoodbench.runs.result import Result


def costs_of(results: Sequence[Result], account: Account) -> tuple[float | None, int]:
    """What the agent's work on these episodes cost, all attempts included, and at how many the cost is not known.

    Episodes that the account does not know (a run of before there were ledgers, an agent without a model) cost what
    their results say. The cost is None where none is known.
    """
    known: list[float] = []
    unknown = 0
    for result in results:
        spent = account.spent.get(("/".join(map(str, result.key)), AGENT))
        if spent is None:
            known += [] if result.usage.cost_usd is None else [result.usage.cost_usd]
            unknown += bool(result.usage.requests) and result.usage.cost_usd is None
        else:
            known += [spent.cost_usd] if spent.cost_usd or not spent.unknown else []
            unknown += bool(spent.unknown)
    return (sum(known) if known else None), unknown
