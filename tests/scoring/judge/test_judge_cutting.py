"""Long histories are cut by one rule for both sides."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.git.histories import HistoryPair
from gitgoodbench.scoring.judge.blind import BlindHistory, blind
from gitgoodbench.scoring.judge.cutting import Cut, cut_evenly
from gitgoodbench.scoring.judge.prompt import make_question
from tests.support.judging import history


def blinded(*commits: tuple[str, str]) -> BlindHistory:
    return blind(history(*commits))


def test_histories_that_fit_are_shown_whole() -> None:
    agent, real = blinded(("a" * 50, "b" * 50)), blinded(("c", "d"))
    assert cut_evenly(agent, real, 100) == (agent, real, None)


def test_the_longest_parts_of_both_sides_are_cut_to_the_same_length() -> None:
    # Agent: 10 + 90 + 10 + 40; with a cap of 40 that is 100. Real: 10 + 60, capped alike to 50 although it would fit.
    agent = blinded(("m" * 10, "a" * 90), ("m" * 10, "b" * 40))
    real = blinded(("m" * 10, "c" * 60))
    shown_agent, shown_real, cut = cut_evenly(agent, real, 100)
    assert cut == Cut(limit=100, part_limit=40, agent=(150, 100), real=(70, 50))
    assert [commit.patch for commit in shown_agent.commits] == [
        "a" * 40 + "\n[50 more characters are left out]",
        "b" * 40,
    ]
    assert shown_real.commits[0].patch == "c" * 40 + "\n[20 more characters are left out]"


def test_the_order_of_the_sides_makes_no_difference() -> None:
    one, other = blinded(("m", "a" * 900), ("n" * 300, "b")), blinded(("m" * 500, "c" * 10))
    first, second, cut = cut_evenly(one, other, 200)
    assert cut is not None
    assert cut_evenly(other, one, 200) == (second, first, Cut(200, cut.part_limit, cut.real, cut.agent))


SIDES = st.lists(st.tuples(st.text("m", max_size=300), st.text("p", max_size=300)), min_size=1, max_size=6)


@given(SIDES, SIDES, st.integers(20, 500))
def test_a_cut_is_as_small_as_it_can_be(one: list[tuple[str, str]], other: list[tuple[str, str]], limit: int) -> None:
    sides = [blinded(*one), blinded(*other)]
    *_, cut = cut_evenly(sides[0], sides[1], limit)
    if cut is None:
        assert all(side.characters <= limit for side in sides)
        return
    parts = [[len(part) for commit in side.commits for part in (commit.message, commit.patch)] for side in sides]
    assert max(sum(min(part, cut.part_limit) for part in side) for side in parts) <= limit
    assert max(sum(min(part, cut.part_limit + 1) for part in side) for side in parts) > limit
    assert (cut.agent[1], cut.real[1]) == tuple(sum(min(part, cut.part_limit) for part in side) for side in parts)


def test_the_cut_is_recorded_with_the_question() -> None:
    pair = HistoryPair(history(("m", "a" * 5000)), history(("m", "b" * 10)))
    question = make_question(pair, seed="s", limit=1000)
    assert question.cut == Cut(limit=1000, part_limit=999, agent=(5001, 1000), real=(11, 11))
