"""The cache keeps prepared samples and repositories that were sent, together, within one limit."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from gitgoodbench.runs.health import check_cache
from gitgoodbench.workspace import room
from gitgoodbench.workspace.room import describe_kept, keep_at_most, make_room, packs_folder, remove_stale, sent_folder

KIB = 1024
HOURS_AGO = 2 * 3600


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GITGOODBENCH_CACHE", str(tmp_path))
    monkeypatch.setattr(room, "_most_bytes", 10 * KIB)
    monkeypatch.setattr(room, "_added", None)
    return tmp_path


def entry(folder: Path, name: str, size: int, used_s_ago: float) -> Path:
    """A folder with a file of so many bytes some way down, last used so long ago."""
    place = folder / name
    (place / "objects" / "pack").mkdir(parents=True)
    (place / "objects" / "pack" / "pack-1.pack").write_bytes(bytes(size))
    used(place, used_s_ago)
    return place


def used(place: Path, seconds_ago: float) -> None:
    then = time.time() - seconds_ago
    for path in (*place.rglob("*"), place):
        os.utime(path, (then, then))


def test_what_was_not_used_for_longest_goes_first_whatever_it_is() -> None:
    oldest = entry(sent_folder(), "a.git", 4 * KIB, HOURS_AGO + 3)
    older = entry(packs_folder(), "b", 4 * KIB, HOURS_AGO + 2)
    old = entry(sent_folder(), "c.git", 4 * KIB, HOURS_AGO + 1)
    new = entry(packs_folder(), "d", 4 * KIB, 0)
    make_room(new)
    assert [place.exists() for place in (oldest, older, old, new)] == [False, False, True, True]
    samples, sent = describe_kept()
    assert [(kept.entries, kept.bytes) for kept in (samples, sent)] == [(1, 4 * KIB), (1, 4 * KIB)]


def test_what_was_used_within_an_hour_stays_whatever_it_takes() -> None:
    places = [entry(sent_folder(), f"{number}.git", 8 * KIB, 60) for number in range(3)]
    make_room(places[-1])
    assert all(place.exists() for place in places)


def test_entries_are_looked_through_only_once_enough_was_added(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[Path] = []
    real = room._entries
    monkeypatch.setattr(room, "_entries", lambda folder: looks.append(folder) or real(folder))  # type: ignore[func-returns-value]
    keep_at_most(64 * 10 * KIB / 1024**3)
    for number in range(25):
        make_room(entry(packs_folder(), str(number), KIB, 0))
    assert looks == [packs_folder(), sent_folder()] * 3  # at first, and after 11 KiB twice


def test_what_killed_processes_have_left_is_told_and_removed_but_not_what_is_being_made() -> None:
    left = [
        entry(packs_folder() / ".incoming", "a.x", KIB, HOURS_AGO),
        entry(sent_folder(), ".incoming-x", KIB, HOURS_AGO),
    ]
    begun = entry(sent_folder(), ".incoming-y", KIB, HOURS_AGO)
    (begun / "objects" / "pack" / "pack-1.pack").touch()  # long under way, and still being written
    details = [check.detail for check in check_cache()]
    assert [detail.count("1 left by processes that were killed") for detail in details] == [1, 1]
    assert "0 repositories that a run on a cluster has sent, 0.0 GiB" in details[1]
    assert sorted(remove_stale()) == sorted(left)
    assert [place.exists() for place in (*left, begun)] == [False, False, True]
