"""What a run cost, by its ledger: every session, every attempt, agent and judges."""

from __future__ import annotations

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
