"""From single answers to one verdict. Pure rules; a vote is always seen from the agent's side."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum


class Vote(StrEnum):
    """How the agent's history fares against the real one."""

    WIN = "win"
    TIE = "tie"
    LOSS = "loss"


class Preference(StrEnum):
    """What a judge answers, by position in the prompt."""

    FIRST = "HISTORY-1"
    SECOND = "HISTORY-2"
    TIE = "TIE"


class Order(StrEnum):
    """Whose history stands first in the prompt."""

    AGENT_FIRST = "agent_first"
    REAL_FIRST = "real_first"


def vote_of(preference: Preference, order: Order) -> Vote:
    """The vote behind an answer."""
    if preference is Preference.TIE:
        return Vote.TIE
    return Vote.WIN if (preference is Preference.FIRST) is (order is Order.AGENT_FIRST) else Vote.LOSS


def both_orders(first: Vote | None, second: Vote | None) -> Vote | None:
    """Win or loss only where both orders say so (arXiv 2505.22583); anything else is a tie.

    None where a missing vote could still decide.
    """
    if first is None or second is None:
        known = second if first is None else first
        return Vote.TIE if known is Vote.TIE else None
    return first if first is second else Vote.TIE


def majority(votes: Sequence[Vote | None]) -> Vote | None:
    """The side that more than half of all votes are for, else a tie. None where missing votes could still decide.

    Raises:
        ValueError: there are no votes.
    """
    if not votes:
        raise ValueError("a majority of nothing")
    missing = votes.count(None)
    undecided = False
    for side in (Vote.WIN, Vote.LOSS):
        if 2 * votes.count(side) > len(votes):
            return side
        undecided = undecided or 2 * (votes.count(side) + missing) > len(votes)
    return None if undecided else Vote.TIE
