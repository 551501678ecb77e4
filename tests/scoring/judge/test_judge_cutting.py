"""Long histories are cut, each by its own budget, and messages apart from patches."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.git.histories import HistoryPair
from gitgoodbench.scoring.judge.blind import BlindCommit, BlindHistory, blind
from gitgoodbench.scoring.judge.cutting import Cut, cut_both, cut_history
from gitgoodbench.scoring.judge.prompt import make_question
from gitgoodbench.scoring.judge.votes import Order
from tests.support.judging import histories_in, history


def blinded(*commits: tuple[str, str]) -> BlindHistory:
    return blind(history(*commits))


def test_histories_that_fit_are_shown_whole() -> None:
    agent, real = blinded(("a" * 50, "b" * 50)), blinded(("c", "d"))
    assert cut_both(agent, real, 200) == (agent, real, None)


def test_the_longest_texts_of_a_kind_are_cut_to_the_same_length() -> None:
    # 100 characters: 25 are for messages, which need 20; 80 are left for patches, which can keep 40 each.
    shown = cut_history(blinded(("m" * 10, "a" * 90), ("m" * 10, "b" * 40)), 100)
    assert shown.commits == (BlindCommit("m" * 10, "a" * 40, 0, 50), BlindCommit("m" * 10, "b" * 40))


def test_messages_may_take_what_patches_leave_and_no_more_than_a_quarter_else() -> None:
    shown = cut_history(blinded(("m" * 500, "a" * 30)), 100)
    assert shown.commits == (BlindCommit("m" * 70, "a" * 30, 430, 0),)
    shown = cut_history(blinded(("m" * 500, "a" * 300)), 100)
    assert shown.commits == (BlindCommit("m" * 25, "a" * 75, 475, 225),)


def test_huge_messages_of_one_side_cut_nothing_of_the_other() -> None:
    flood = history(*[("m" * 60_000, "+a\n")] * 200)
    real = history(*[("n" * 1000, "+b\n" * 1004)] * 3)
    question = make_question(HistoryPair(flood, real), seed="s", limit=60_000)
    assert question.cut is not None
    assert question.cut.real == (12_033, 12_033)
    assert question.cut.agent[1] <= 30_000
    shown = histories_in(str(question.prompts[Order.AGENT_FIRST][1]["content"]))
    assert shown[1] == histories_in(
        str(make_question(HistoryPair(real, real), seed="s", limit=60_000).prompts[Order.AGENT_FIRST][1]["content"])
    )[1]  # fmt: skip
    assert shown[0].count("+a\n") == 200
    assert all(len(prompt[1]["content"]) < 100_000 for prompt in question.prompts.values())


SIDE = st.lists(st.tuples(st.text("m", max_size=300), st.text("p", max_size=300)), min_size=1, max_size=6)


@given(SIDE, st.integers(20, 500))
def test_a_cut_is_as_small_as_it_can_be(side: list[tuple[str, str]], limit: int) -> None:
    whole = blinded(*side)
    shown = cut_history(whole, limit)
    lengths = [
        [len(text) for text in texts] for texts in zip(*((c.message, c.patch) for c in whole.commits), strict=True)
    ]
    kept = [[len(text) for text in texts] for texts in zip(*((c.message, c.patch) for c in shown.commits), strict=True)]
    left_out = [[c.message_left_out for c in shown.commits], [c.patch_left_out for c in shown.commits]]
    assert sum(map(sum, kept)) <= limit
    for before, after, missing in zip(lengths, kept, left_out, strict=True):
        cap = max(after)
        assert after == [min(size, cap) for size in before]
        assert missing == [size - min(size, cap) for size in before]
    if sum(map(sum, lengths)) <= limit:
        assert shown == whole
    else:
        spare = limit - sum(map(sum, kept))
        assert spare < sum(size > max(after) for before, after in zip(lengths, kept, strict=True) for size in before)
    messages, patches = sum(lengths[0]), sum(lengths[1])
    assert sum(kept[0]) <= max(limit // 4, limit - patches)
    assert sum(kept[1]) <= max(limit - limit // 4, limit - messages)


@given(SIDE, SIDE, SIDE, st.integers(20, 500))
def test_what_one_side_shows_depends_on_it_alone(
    side: list[tuple[str, str]], one: list[tuple[str, str]], other: list[tuple[str, str]], limit: int
) -> None:
    first, second = (cut_both(blinded(*side), blinded(*rest), limit)[0] for rest in (one, other))
    assert first == second
    assert cut_both(blinded(*one), blinded(*side), limit)[1] == first


def test_the_cut_is_recorded_with_the_question() -> None:
    pair = HistoryPair(history(("m", "a" * 5000)), history(("m", "b" * 10)))
    question = make_question(pair, seed="s", limit=1000)
    assert question.cut == Cut(limit=1000, agent=(5001, 500), real=(11, 11))
    text = str(question.prompts[Order.AGENT_FIRST][1]["content"])
    assert f"\n{question.marker} 4501 more bytes of these changes are left out\n" in text
