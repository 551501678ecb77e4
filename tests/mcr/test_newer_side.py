"""The prompt says which side is newer, as far as their dates can be believed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.scenario import EpisodeOptions, load_scenarios
from tests.support.merges import OneRepository
from tests.support.odd_repositories import OURS, THEIRS, Oddity, build, plain_date, samples

MCR: Any = load_scenarios()["mcr"]


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        (b"1600000000", b"1600172799", "The incoming side is the newer one, by 1 day."),
        (b"1600172800", b"1600000000", "The local side is the newer one, by 2 days."),
        (b"1600000000", b"1600000001", "The incoming side is the newer one, by less than a day."),
        (b"1600000000", b"1600000000", "Both sides were committed at the same time."),
        (b"1600000000000", b"1600000000", "Which side is the newer one is not known."),
        (b"1600000000", b"18446744073709551617", "Which side is the newer one is not known."),
        (b"yesterday", b"1600000000", "Which side is the newer one is not known."),
    ],
)
def test_the_newer_side_is_named(tmp_path: Path, ours: bytes, theirs: bytes, said: str) -> None:
    dates = {OURS: ours + b" +0000", THEIRS: theirs + b" +0000"}
    commits = build(tmp_path / "r.git", Oddity(date=lambda number: dates.get(number, plain_date(number))))
    merge, _ = samples(commits)
    _, user = MCR.preview(merge, OneRepository(tmp_path / "r.git"), EpisodeOptions()).prompt
    assert said in user["content"].split("\n")
