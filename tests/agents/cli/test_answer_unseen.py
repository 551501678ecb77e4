"""Nothing that an agent of its own tools can read says the answer: image, home, environment, repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.agents.cli.home import HOME
from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.sample_types.specs import merge_spec
from gitgoodbench.sandbox.docker import DockerProvider
from gitgoodbench.scenario import load_scenarios
from gitgoodbench.workspace.store import open_store
from tests.support.searching.agents import search_as
from tests.support.searching.answers import answer_of

STORE = open_store(None, offline=True)
SAMPLES = {
    "mcr": "mini_lantern_merge_0006",
    "ir": "mini_tidewater_file_commit_chain_0003",
    "icc": "mini_cairn_file_commit_chain_0000",
    "pick": "mini_ferry_cherry_pick_0001",
}
HOMES = ("/home", "/work", "/tmp", "/opt", "/etc", "/var", "/root", "/srv")
"""Of the image, all but the programs; `make test-agents` searches those, too."""


def _sample(scenario: str) -> Sample:
    return next(sample for sample in load_suite("mini").samples if sample.id == SAMPLES[scenario])


@pytest.mark.docker
@pytest.mark.parametrize("scenario", ["ir", "icc", "pick"])
def test_the_answer_is_nowhere_in_an_episode(scenario: str, tmp_path: Path, docker_provider: DockerProvider) -> None:
    assert set(load_scenarios()) == set(SAMPLES)
    wanted = _wanted(scenario)
    searched = search_as("command", scenario, _sample(scenario), STORE, docker_provider, tmp_path, wanted, HOMES)
    assert searched.found == {}
    assert searched.files > 20


@pytest.mark.docker
def test_only_what_its_user_gives_it_is_found(tmp_path: Path, docker_provider: DockerProvider) -> None:
    """An answer in the user's own configuration, and a commit that the agent may know: the search works."""
    wanted, sample = _wanted("mcr"), _sample("mcr")
    planted = max(wanted, key=len)
    parent = merge_spec(sample).parents[0]
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "NOTES.md").write_bytes(b"Do this:\n  " + planted + b"\n")
    (tmp_path / "search").mkdir()
    searched = search_as(
        "command", "mcr", sample, STORE, docker_provider, tmp_path / "search", {*wanted, parent.encode()}, HOMES,
        tmp_path / "config",
    )  # fmt: skip
    assert searched.found.keys() == {planted.decode(), parent}
    assert searched.found[planted.decode()] == [f"{HOME}/.config/NOTES.md"]
    assert any("git log" in place for place in searched.found[parent])


def _wanted(scenario: str) -> frozenset[bytes]:
    """What the answer is told by: ids, and lines."""
    wanted = answer_of(scenario, _sample(scenario), STORE)
    assert sum(len(word) == 40 for word in wanted) > 10
    assert any(len(word) != 40 for word in wanted)
    return wanted
