"""Nothing in the image, home and environment of a real agent, nor in any workspace, says an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.sandbox.docker import DockerProvider
from gitgoodbench.scenario import load_scenarios
from gitgoodbench.workspace.store import open_store
from tests.agents_real.conftest import CHOSEN
from tests.support.rules.playing import ready
from tests.support.searching.agents import search_as
from tests.support.searching.answers import answer_of

pytestmark = [pytest.mark.agents, pytest.mark.docker, pytest.mark.timeout(1800)]


@pytest.mark.parametrize("agent", CHOSEN)
def test_the_whole_image_and_a_workspace_of_each_scenario(tmp_path: Path, agent: str) -> None:
    """The image is searched once, for the answers of all scenarios."""
    ready(agent)
    store, provider = open_store(None, offline=True), DockerProvider()
    samples = {
        name: next(sample for sample in load_suite("mini").samples if scenario.applies_to(sample))
        for name, scenario in load_scenarios().items()
    }
    answers = {name: answer_of(name, sample, store) for name, sample in samples.items()}
    for name, sample in samples.items():
        folder = tmp_path / name
        folder.mkdir()
        searched = search_as(agent, name, sample, store, provider, folder, answers[name], ["/home", "/work", "/tmp"])
        assert searched.found == {}
    folder = tmp_path / "image"
    folder.mkdir()
    everything = frozenset[bytes]().union(*answers.values())
    searched = search_as(agent, "mcr", samples["mcr"], store, provider, folder, everything, ["/"])
    assert _outside(searched.found) == {}
    assert searched.size > 100 * 1024 * 1024


def _outside(found: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """What was found anywhere but in what this episode is about: a merge may tell what a chain of its project hides."""
    own = ("git ", "/work/", "/home/agent/prompt.md")
    outside = {word: [place for place in places if not place.startswith(own)] for word, places in found.items()}
    return {word: places for word, places in outside.items() if places}
