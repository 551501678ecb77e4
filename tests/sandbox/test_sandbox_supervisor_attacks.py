"""Attacks of bench/attacks.py, once each: no reply is forged, and nothing survives."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.sandbox.docker import DockerProvider

pytestmark = pytest.mark.docker

CHOSEN = (
    "kill it, then seize the next one and answer for it",
    "kill it, then wait for the next one's descriptors",
    "ask to be traced by the supervisor",
    "its descriptors through /proc",
    "frames from a process that stays",
    "children that are the supervisor's by CLONE_PARENT",
    "its limits, priority and processors",
    "chains of forks behind the command's back",
    "links and pipes where files are put",
)


@pytest.fixture(scope="module")
def bench() -> Any:
    folder = str(Path(__file__).parents[2] / "bench")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("attacks")
    finally:
        sys.path.remove(folder)


def test_there_are_fifty_attacks(bench: Any) -> None:
    assert len({attack.name for attack in bench.ATTACKS}) == 50


@pytest.mark.parametrize("name", CHOSEN)
def test_an_attack_forges_nothing_and_leaves_nothing(bench: Any, docker_provider: DockerProvider, name: str) -> None:
    provider = DockerProvider(docker_provider.image, bench.LIMITS)
    (attack,) = (attack for attack in bench.ATTACKS if attack.name == name)

    tally = bench.measure(provider, attack, 1)

    assert (tally.times, tally.forged, tally.survivors, tally.deaths) == (1, [], [], [])
