"""Cleaned messages, against `git stripspace`."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitgoodbench.git.messages import clean_message

pieces = st.sampled_from([b"\n", b"\n\n", b" ", b"\t", b"\r\n", b"\r", b"a", b"# b", b"\xe9", b"X"])


@pytest.mark.parametrize(
    ("message", "cleaned"),
    [
        (b"", b""),
        (b"\n \n\t\n", b""),
        (b"subject", b"subject\n"),
        (b"\n\nsubject \t\r\n\n\n\n  body\n\n", b"subject\n\n  body\n"),
        (b"X\nXX", b"X\nXX\n"),
    ],
)
def test_blanks_are_cleaned(message: bytes, cleaned: bytes) -> None:
    assert clean_message(message) == cleaned


@settings(max_examples=40)
@given(st.lists(pieces, max_size=12).map(b"".join))
def test_git_stripspace_leaves_the_same(message: bytes) -> None:
    expected = subprocess.run(["git", "stripspace"], input=message, capture_output=True, check=True).stdout
    assert clean_message(message) == expected
