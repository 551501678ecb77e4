"""What a run cost, by its ledger: every session, every attempt, agent and judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gitgoodbench.runs.account import AGENT, JUDGE, PREFLIGHT, Account, Spent
from gitgoodbench.runs.result import Result

_WORDS = {AGENT: "agent", JUDGE: "judges", PREFLIGHT: "preflight"}


def in_dollars(spent: Spent) -> str:
    """US dollars; `>=` where requests may have cost more than is known."""
    return f"{'>= ' if spent.unknown else ''}${spent.cost_usd:.2f}"


def account_line(account: Account) -> str | None:
    """The account on one line; None where no model was asked."""
    total = account.total()
    if total == Spent():
        return None
    parts = [
        f"{words} {in_dollars(spent)}"
        for role, words in _WORDS.items()
        if (spent := account.total(role=role)) != Spent()
    ]
    line = f"cost of the run: {in_dollars(total)} ({', '.join(parts)}); {total.requests} requests"
    if total.cached:
        line += f", {total.cached} answers known before"
    if total.unknown:
        line += f"; nobody knows what {total.unknown} of them cost"
    return line


def account_json(account: Account) -> dict[str, Any]:
    """The account for summary.json: all together, and by role."""
    roles = {role: account.total(role=role) for role in _WORDS}
    return {"total": vars(account.total()), **{role: vars(spent) for role, spent in roles.items()}}


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


def episode_costs(result: Result, account: Account) -> list[str]:
    """What an episode cost, all its attempts and judges included, on a line; none where no model was asked."""
    episode = "/".join(map(str, result.key))
    total = account.total(episode=episode)
    if total == Spent():
        return []
    agent, judges = (account.total(role=role, episode=episode) for role in (AGENT, JUDGE))
    return [
        f"cost: {in_dollars(total)} (agent {in_dollars(agent)}, judges {in_dollars(judges)}); {total.requests} requests"
    ]
