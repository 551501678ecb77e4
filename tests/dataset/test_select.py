from __future__ import annotations

import pytest

from gitgoodbench.dataset.select import Selection, select_samples
from gitgoodbench.errors import UserError
from tests.support.samples import chain_sample, merge_sample

SAMPLES = (
    merge_sample(id="a_b_merge_0000", difficulty="easy"),
    merge_sample(id="a_b_merge_0001", difficulty="hard", programming_language="java"),
    chain_sample(id="c_d_file_commit_chain_0000", difficulty="medium"),
    chain_sample(id="c_d_file_commit_chain_0001", difficulty="easy", programming_language="java"),
)


def chosen(selection: Selection) -> list[str]:
    return [sample.id[:3] + sample.id[-4:] for sample in select_samples(SAMPLES, selection)]


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(), ["a_b0000", "a_b0001", "c_d0000", "c_d0001"]),
        (Selection(ids=["*_merge_*"]), ["a_b0000", "a_b0001"]),
        (Selection(ids=["a_b_merge_000[1-9]", "c_d_*_0000"]), ["a_b0001", "c_d0000"]),
        (Selection(languages=["Java"]), ["a_b0001", "c_d0001"]),
        (Selection(difficulties=["EASY", "hard"], languages=["java", "kotlin"]), ["a_b0001", "c_d0001"]),
        (Selection(limit=3), ["a_b0000", "a_b0001", "c_d0000"]),
        (Selection(limit=99), ["a_b0000", "a_b0001", "c_d0000", "c_d0001"]),
        (Selection(shuffle=1), ["c_d0001", "c_d0000", "a_b0001", "a_b0000"]),
        (Selection(shuffle=2, limit=2), ["a_b0001", "a_b0000"]),
    ],
)
def test_filters_shuffle_and_limit(selection: Selection, expected: list[str]) -> None:
    assert chosen(selection) == expected


def test_the_shuffled_order_does_not_depend_on_the_order_of_the_suite() -> None:
    forwards = select_samples(SAMPLES, Selection(shuffle=7))
    assert select_samples(SAMPLES[::-1], Selection(shuffle=7)) == forwards


def test_an_empty_selection_says_what_there_would_be() -> None:
    selection = Selection(ids=["x*"], languages=["rust"], difficulties=["easy"])
    with pytest.raises(UserError) as caught:
        select_samples(SAMPLES, selection)
    assert str(caught.value) == (
        "no sample is left by --sample x* --language rust --difficulty easy: the suite's 4 samples have ids like "
        "a_b_merge_0000, languages java, kotlin, python, difficulties easy, medium, hard"
    )


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(UserError, match="--limit 0 takes no sample"):
        select_samples(SAMPLES, Selection(limit=0))
