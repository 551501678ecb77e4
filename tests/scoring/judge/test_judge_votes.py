"""From answers to a verdict, rule by rule."""

from __future__ import annotations

from itertools import product

import pytest

from gitgoodbench.scoring.judge.votes import Order, Preference, Vote, both_orders, majority, vote_of

WIN, TIE, LOSS = Vote.WIN, Vote.TIE, Vote.LOSS


@pytest.mark.parametrize(
    ("preference", "agent_first", "real_first"),
    [(Preference.FIRST, WIN, LOSS), (Preference.SECOND, LOSS, WIN), (Preference.TIE, TIE, TIE)],
)
def test_an_answer_counts_for_whoever_stands_there(preference: Preference, agent_first: Vote, real_first: Vote) -> None:
    assert vote_of(preference, Order.AGENT_FIRST) is agent_first
    assert vote_of(preference, Order.REAL_FIRST) is real_first


def test_only_both_orders_together_win_or_lose() -> None:
    for first, second in product(Vote, Vote):
        expected = first if first is second else TIE
        assert both_orders(first, second) is expected


@pytest.mark.parametrize(("known", "verdict"), [(WIN, None), (LOSS, None), (TIE, TIE)])
def test_a_missing_order_leaves_open_what_it_could_decide(known: Vote, verdict: Vote | None) -> None:
    assert both_orders(known, None) is verdict
    assert both_orders(None, known) is verdict
    assert both_orders(None, None) is None


@pytest.mark.parametrize(
    ("votes", "verdict"),
    [
        ([WIN], WIN),
        ([WIN, LOSS], TIE),
        ([WIN, WIN, LOSS], WIN),
        ([WIN, LOSS, LOSS], LOSS),
        ([WIN, TIE, LOSS], TIE),
        ([WIN, WIN, LOSS, LOSS], TIE),
        ([WIN, WIN, TIE, TIE], TIE),
        ([WIN, WIN, None], WIN),
        ([WIN, LOSS, None], None),
        ([WIN, TIE, None], None),
        ([TIE, TIE, None], TIE),
        ([TIE, None], TIE),
        ([WIN, None], None),
        ([None], None),
    ],
)
def test_more_than_half_of_all_votes_decide(votes: list[Vote | None], verdict: Vote | None) -> None:
    assert majority(votes) is verdict
    assert majority(votes[::-1]) is verdict


def test_a_missing_vote_is_open_exactly_where_it_could_change_the_verdict() -> None:
    for votes in product([*Vote, None], repeat=4):
        outcomes = {
            majority([vote or filled for vote, filled in zip(votes, fill, strict=True)])
            for fill in product(Vote, repeat=4)
        }
        expected = outcomes.pop() if len(outcomes) == 1 else None
        assert majority(votes) is expected


def test_nobody_has_no_majority() -> None:
    with pytest.raises(ValueError, match="a majority of nothing"):
        majority([])
