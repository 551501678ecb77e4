"""Lone surrogates, NUL and megabytes, from the model or from a tool: the next request and the trajectory stay valid."""

from __future__ import annotations

import json

import pytest

from gitgoodbench.errors import Status
from gitgoodbench.text import capped, clean, clean_json, one_line
from tests.support.fake_episode import FakeEpisode
from tests.support.model_agent import Played, play
from tests.support.scripted_llm import calls, calls_raw, replies, says

END = calls("finish", message="done")


def test_a_lone_surrogate_in_arguments_is_refused_and_shown_as_its_escape() -> None:
    episode = FakeEpisode()
    played = play([calls_raw("write_line", r'{"text": "a\ud800b"}'), END], episode=episode)
    assert _is_sound(played)
    assert episode.lines == []
    assert played.results[0] == (
        "error: write_line: an argument holds the lone surrogate U+D800, which is no character"
    )
    sent = played.requests[1].messages[2]["tool_calls"][0]["function"]["arguments"]
    assert sent == r'{"text": "a\\ud800b"}'
    assert json.loads(sent) == {"text": r"a\ud800b"}


def test_a_surrogate_that_stands_for_a_byte_reaches_the_tool() -> None:
    episode = FakeEpisode()
    played = play([calls_raw("write_line", r'{"text": "caf\udce9"}'), END], episode=episode)
    assert _is_sound(played)
    assert episode.lines == ["caf\udce9"]
    assert played.requests[1].messages[2]["tool_calls"][0]["function"]["arguments"] == r'{"text": "caf\\udce9"}'


def test_a_surrogate_pair_is_the_character_that_it_encodes() -> None:
    episode = FakeEpisode()
    raw = r'{"text": "\ud83d\ude00"}'
    played = play([calls_raw("write_line", raw), END], episode=episode)
    assert _is_sound(played)
    assert episode.lines == ["\U0001f600"]
    assert played.requests[1].messages[2]["tool_calls"][0]["function"]["arguments"] == raw


def test_raw_surrogates_and_nul_in_every_text_of_a_reply() -> None:
    bad = "\ud800\0x"
    played = play(
        [
            says(bad, reasoning=bad),
            calls_raw(bad, bad),
            calls_raw("write_line", f'{{"{bad}": "{bad}"}}'),
            END,
        ]
    )
    assert _is_sound(played)
    assert played.requests[1].messages[2] == {
        "role": "assistant",
        "content": "\\ud800\\x00x",
        "reasoning": "\\ud800\\x00x",
    }
    function = played.requests[2].messages[4]["tool_calls"][0]["function"]
    assert function["name"] == "__x"
    assert json.loads(function["arguments"]) == {"unreadable_arguments": "\\ud800\\x00x"}


def test_nul_in_arguments_reaches_the_tool() -> None:
    episode = FakeEpisode()
    played = play([calls("write_line", text="a\0b"), END], episode=episode)
    assert _is_sound(played)
    assert episode.lines == ["a\0b"]


def test_surrogates_and_nul_in_a_tool_result_are_shown_as_escapes() -> None:
    played = play([calls("read_file"), END], episode=FakeEpisode(text_of_file="caf\udce9\0\ud800"))
    assert _is_sound(played)
    assert played.results[0] == "caf\\udce9\\x00\\ud800"


def test_a_tool_result_of_megabytes_is_cut_with_a_note() -> None:
    played = play([calls("read_file"), END], episode=FakeEpisode(text_of_file="é" * 2_000_000))
    assert _is_sound(played)
    assert played.results[0] == "é" * 50_000 + "\n[cut: only the first 100000 of 4000000 bytes are shown]"


def test_megabytes_from_the_model_harm_nothing() -> None:
    episode = FakeEpisode()
    huge = "y" * 5_000_000
    played = play([says(huge), calls("write_line", text=huge), calls_raw("write_line", huge), END], episode=episode)
    assert _is_sound(played)
    assert episode.lines == [huge]
    assert len(played.results[1]) < 200


def test_a_huge_name_of_a_tool_makes_a_short_error() -> None:
    played = play([calls("z" * 1_000_000), END])
    assert _is_sound(played)
    assert len(played.results[0]) < 200


def test_numbers_of_thousands_of_digits_are_refused() -> None:
    played = play([calls_raw("write_line", '{"text": ' + "9" * 10_000 + "}"), END])
    assert _is_sound(played)
    assert played.results[0].startswith("error: the arguments are not valid JSON: Exceeds the limit")


def test_a_prompt_with_surrogates_can_be_sent() -> None:
    episode = FakeEpisode(name="caf\udce9")
    played = play([END], episode=episode)
    assert _is_sound(played)
    assert played.requests[0].messages[1]["content"] == "Write three lines for caf\\udce9."


def test_a_refused_request_with_surrogates_in_its_message() -> None:
    played = play([replies(None, [], usage={"prompt_tokens": "\ud800"}), says("x")])
    assert played.trajectory.status is Status.GAVE_UP
    assert _is_valid(played)


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "abc\n[cut: only the first 3 of 4 bytes are shown]"),
        ("aéb", 2, "a\n[cut: only the first 2 of 4 bytes are shown]"),
        ("", 0, ""),
    ],
)
def test_capping_counts_bytes_and_never_cuts_a_character(text: str, limit: int, expected: str) -> None:
    assert capped(text, limit) == expected


def test_clean_text_stays_as_it_is() -> None:
    text = "a\r\n\t\f\x1c\u2028é\U0001f600\x1b"
    assert clean(text) == text
    assert clean_json({"k\0": ["\ud800", 1, None, True, {"x": 1.5}]}) == {
        "k\\x00": ["\\ud800", 1, None, True, {"x": 1.5}]
    }


def test_one_line_is_one_short_line() -> None:
    assert one_line("a\n b\r\n\tc\0") == "a b c\\x00"
    assert one_line("x" * 1000, 10) == "xxxxxxx..."


def _is_sound(played: Played) -> bool:
    return played.trajectory.status is Status.COMPLETED and _is_valid(played)


def _is_valid(played: Played) -> bool:
    """Every request was valid UTF-8 JSON without NUL, and the trajectory can be written as such."""
    written = json.dumps(played.trajectory.messages, ensure_ascii=False, allow_nan=False).encode("utf-8")
    return b"\0" not in written and all(request.body and b"\0" not in request.raw for request in played.requests)
