"""Rows are chosen, paired, freed of duplicates, masked and divided as they say."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gitgoodbench.errors import UserError
from gitgoodbench.trajectories.choosing import Choice, best_of_samples, check_choice, fitting, pairs
from gitgoodbench.trajectories.disjoint import Evaluation, load_evaluation, split
from gitgoodbench.trajectories.duplicates import distinct
from gitgoodbench.trajectories.masking import masked
from gitgoodbench.trajectories.packed import MessageSpool
from tests.support.trajectory_rows import call, conversation, row

GOOD = row(0, reward=1.0, solved=True, scores={"ted_similarity": 1.0})
FAIR = row(1, reward=0.6, scores={"ted_similarity": 0.7})
POOR = row(2, reward=0.1, scores={"ted_similarity": 0.1})
OTHER = row(3, reward=0.3, sample_id="other", scenario="ir", tokens=900, scores={})


@pytest.mark.parametrize(
    ("choice", "kept"),
    [
        (Choice(), [POOR, GOOD, FAIR, OTHER]),
        (Choice(solved=True), [GOOD]),
        (Choice(least={"ted_similarity": 0.7}), [GOOD, FAIR]),
        (Choice(least={"reward": 0.3}), [GOOD, FAIR, OTHER]),
        (Choice(least={"unknown": 0.0}), []),
        (Choice(least={"ted_similarity": 0.0}), [POOR, GOOD, FAIR]),
        (Choice(scenarios=frozenset({"ir"})), [OTHER]),
        (Choice(max_tokens=100), [POOR, GOOD, FAIR]),
        (Choice(best=True), [GOOD, OTHER]),
        (Choice(most=2), [GOOD, FAIR, OTHER]),
        (Choice(best=True, by="ted_similarity"), [GOOD, OTHER]),
    ],
)
def test_rows_that_are_asked_for_stay_in_their_order(choice: Choice, kept: list[object]) -> None:
    rows = fitting([POOR, GOOD, FAIR, OTHER], choice)
    assert best_of_samples(rows, choice) == kept


def test_an_unknown_score_or_scenario_is_named() -> None:
    with pytest.raises(UserError, match="no episode has a score 'tedd'; there are: reward, ted_similarity"):
        check_choice(Choice(least={"tedd": 0.5}), [GOOD])
    with pytest.raises(UserError, match="--scenario icc: no episode is of it; there are: mcr"):
        check_choice(Choice(scenarios=frozenset({"icc"})), [GOOD])


def test_a_pair_is_a_better_and_a_worse_attempt_at_the_same_prompt() -> None:
    same_prompt = [POOR, FAIR, GOOD, row(4, reward=0.5, scores={"ted_similarity": 0.5})]
    found = [(pair.better.id, pair.worse.id) for pair in pairs(same_prompt)]
    assert found == [(GOOD.id, POOR.id), (FAIR.id, same_prompt[3].id)]
    assert len(list(pairs(same_prompt, gap=0.5))) == 1
    assert len(list(pairs(same_prompt, most=1))) == 1
    assert not list(pairs([GOOD, replace(GOOD, id="again")])), "equal ones are no preference"
    assert not list(pairs([GOOD, replace(OTHER, scores={"ted_similarity": 0.0})], "ted_similarity"))


def test_the_same_calls_are_a_duplicate_whatever_their_ids_and_the_better_one_stays() -> None:
    poor = row(1, messages=conversation("a.py"), reward=0.2)
    calls = [{**call(9, path="a.py")}]
    good = row(
        2, messages=(*poor.messages[:2], {**poor.messages[2], "tool_calls": calls}, *poor.messages[3:]), reward=0.9
    )
    elsewhere = row(3, messages=poor.messages, sample_id="other")
    found = distinct([poor, good, elsewhere])
    assert (found.rows, found.same, found.near) == ((good, elsewhere), 1, 0)


def test_near_duplicates_are_left_out_and_can_be_kept() -> None:
    words = [f"word{number}" for number in range(400)]
    first = row(1, messages=(*conversation("a")[:2], {"role": "assistant", "content": " ".join(words)}))
    near = row(2, messages=(*conversation("a")[:2], {"role": "assistant", "content": " ".join([*words[:399], "end"])}))
    far = row(3, messages=(*conversation("a")[:2], {"role": "assistant", "content": " ".join(reversed(words))}))
    assert distinct([first, near, far]).rows == (first, far)
    assert distinct([first, near, far]).near == 1
    assert distinct([first, near, far], likeness=None).rows == (first, near, far)


def test_secrets_and_addresses_are_masked_and_counted_and_arguments_stay_json() -> None:
    key = "sk-" + "aB3" * 12
    answer = {"role": "assistant", "content": f"key {key}", "tool_calls": [call(1, path=f'a "{key}"\n')]}
    untouched = call(2, path="b  c")
    dirty = row(
        messages=(
            {"role": "user", "content": f"Merge {'a' * 40}, says ada@example.org\n+@pytest.mark.parametrize(x)"},
            {**answer, "tool_calls": [*answer["tool_calls"], untouched]},
        )
    )
    clean = masked(dirty, MessageSpool())
    assert clean.masked == 3
    assert clean.messages[0]["content"] == f"Merge {'a' * 40}, says [masked]\n+@pytest.mark.parametrize(x)"
    assert clean.messages[1]["content"] == "key [masked]"
    arguments = clean.messages[1]["tool_calls"][0]["function"]["arguments"]
    assert key not in json.loads(arguments)["path"]
    assert clean.messages[1]["tool_calls"][1] == untouched


def test_ids_of_the_sample_are_no_secrets_but_those_of_others_may_be() -> None:
    own, other = "b5c1d2e3f4" * 4, "0f9e8d7c6b" * 4
    text = f"token = '{own}'\ntoken = '{other}'\n"
    clean = masked(
        row(messages=({"role": "user", "content": text}, {"role": "assistant", "content": ""}), commits=(own,)),
        MessageSpool(),
    )
    assert own in clean.messages[0]["content"]
    assert other not in clean.messages[0]["content"]


def test_no_repository_and_no_commit_stands_on_both_sides() -> None:
    rows = [row(number, repository=f"o/r{number % 10}", commits=(f"{number % 10:040d}",)) for number in range(50)]
    fork = row(99, repository="o/fork", commits=(f"{3:040d}",))
    train, test = split([*rows, fork], 0.3)
    assert sorted([*train, *test], key=lambda one: one.id) == sorted([*rows, fork], key=lambda one: one.id)
    assert 0 < len(test) <= 0.3 * 51
    assert {one.repository for one in train}.isdisjoint(one.repository for one in test)
    assert {commit for one in train for commit in one.commits}.isdisjoint(c for one in test for c in one.commits)
    assert split([*reversed(rows), fork], 0.3)[1] == [one for one in [*reversed(rows), fork] if one in test]


def test_evaluation_is_recognised_by_repository_and_by_commit() -> None:
    mini = load_evaluation(["mini"])
    assert mini.holds(row(repository="Mini/Tidewater"))
    assert mini.holds(row(repository="else/where", commits=(min(mini.commits),)))
    assert not mini.holds(row())
    assert [name for name, _ in mini.suites] == ["mini"]


def test_a_suite_that_cannot_be_had_is_an_error_not_a_promise() -> None:
    with pytest.raises(UserError, match=r"evaluation suite nowhere.jsonl: .*--evaluation-suite FILE"):
        load_evaluation(["nowhere.jsonl"])


def test_nothing_is_held_by_no_suites() -> None:
    assert not Evaluation((), frozenset(), frozenset()).holds(row())
