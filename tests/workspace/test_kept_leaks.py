"""What an agent can see of a workspace over a kept pack is what it may know: in every sandbox, with every tool set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.git.process import Git
from gitgoodbench.runs.settings import SharedSettings
from gitgoodbench.sandbox.base import Sandbox, SandboxProvider
from gitgoodbench.sandbox.docker import DockerProvider
from gitgoodbench.scenario import EpisodeOptions, ToolSet, load_scenarios
from gitgoodbench.stories.suite import OWNER
from gitgoodbench.workspace.leaks import leaked_objects
from gitgoodbench.workspace.store import open_store

SAMPLES = {
    "mcr": "mini_cairn_merge_0000",
    "ir": "mini_cairn_file_commit_chain_0000",
    "pick": "mini_ferry_cherry_pick_0001",
}
LENT = "/shared"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With the built-in repositories of this machine, and nothing else."""
    from gitgoodbench.cache import cache_home

    built = cache_home() / OWNER
    (tmp_path / "cache").mkdir()
    if built.is_dir():
        (tmp_path / "cache" / OWNER).symlink_to(built)
    monkeypatch.setenv("GITGOODBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def begun(settings: SharedSettings, scenario: str, sandbox: Sandbox, *, used: bool = False) -> Any:
    from gitgoodbench.dataset.loaders import load_suite

    name = SAMPLES.get(scenario, SAMPLES["ir"])
    sample = next(sample for sample in load_suite("mini").samples if sample.id == name)
    return settings.begin(load_scenarios()[scenario], sample, sandbox, used=used)


def secrets_in(episode: Any, scenario: str) -> list[str]:
    """Objects of the real commits, or of later ones, that what the agent may know does not reach."""
    reference = episode.reference
    if scenario in ("mcr", "pick"):
        derived = [episode.facts["automatic_tree"]]
        return leaked_objects(episode.git, reference.mirror, [reference.commit], episode.task.begun_with, derived)
    newest = reference.commits[-1].oid if scenario == "ir" else reference.chain.newest
    known = [newest] if scenario == "ir" else [episode.base]
    answers = [newest] if scenario == "icc" else everything(reference.mirror, newest)
    final = reference.mirror.run("ls-tree", "-r", "--format=%(objectname)", newest).decode().split()
    return sorted(set(leaked_objects(episode.git, reference.mirror, answers, known)) - set(final))


def everything(mirror: Git, known: str) -> list[str]:
    """Commits that lie above one."""
    every = mirror.run("cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)").decode()
    commits = [line.split()[1] for line in every.splitlines() if line.startswith("commit ")]
    below = set(mirror.run("rev-list", known).decode().split())
    return [commit for commit in commits if commit not in below]


@pytest.mark.parametrize("tools", list(ToolSet))
def test_no_secret_is_in_a_workspace_over_a_kept_pack(provider: SandboxProvider, tools: ToolSet) -> None:
    store = open_store(offline=True)
    for _ in range(2):  # packed, then from the cache
        settings = SharedSettings(store, EpisodeOptions(tools))
        for scenario in ("mcr", "pick", "ir", "icc"):
            with provider.open(run_id="test", episode_id="case") as sandbox:
                episode = begun(settings, scenario, sandbox)
                assert sandbox.shared  # type: ignore[attr-defined]
                assert secrets_in(episode, scenario) == []
                assert lent(sandbox) == {path for path in sandbox.shared if path.startswith("/")}  # type: ignore[attr-defined]


def lent(sandbox: Sandbox) -> set[str]:
    """All files that the container is lent."""
    if sandbox.kind != "docker":
        return set()
    return set(sandbox.exec(["find", LENT, "-not", "-type", "d"]).stdout.decode().split())


@pytest.mark.docker
def test_an_emptied_container_is_lent_nothing_of_the_sample_before(docker_provider: DockerProvider) -> None:
    settings = SharedSettings(open_store(offline=True), EpisodeOptions(ToolSet.PUBLISHED))
    with docker_provider.open(run_id="test", episode_id="case") as sandbox:
        assert sandbox.lent_folder == LENT
        for position, scenario in enumerate(("mcr", "pick", "ir", "icc", "mcr")):
            episode = begun(settings, scenario, sandbox, used=position > 0)
            assert secrets_in(episode, scenario) == []
            assert lent(sandbox) == set(sandbox.shared)
            assert len(lent(sandbox)) == 2
            assert f"alternate: {LENT}" in episode.git.run("count-objects", "-v").decode()
            assert episode.git.run("rev-parse", "HEAD^{tree}")


@pytest.mark.docker
def test_what_a_container_is_lent_cannot_be_changed_and_goes_with_it(
    docker_provider: DockerProvider, cache: Path
) -> None:
    settings = SharedSettings(open_store(offline=True), EpisodeOptions(ToolSet.SHELL))
    with docker_provider.open(run_id="test", episode_id="case") as sandbox:
        begun(settings, "mcr", sandbox)
        (pack,) = (cache / "packs").glob("*/pack-*.pack")
        before = pack.read_bytes()
        for command in (f"echo x >> {LENT}/pack/{pack.name}", f"rm -f {LENT}/pack/{pack.name}", f"touch {LENT}/x"):
            assert sandbox.exec(["sh", "-c", command]).returncode != 0
        assert len(list((cache / "lent").iterdir())) == 1
    assert list((cache / "lent").iterdir()) == []
    assert pack.read_bytes() == before


@pytest.mark.docker
def test_a_daemon_that_does_not_see_this_machine_s_disk_gets_a_copy(
    docker_provider: DockerProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gitgoodbench.sandbox import lending

    class Elsewhere(lending.Lending):
        def __init__(self) -> None:
            super().__init__()
            self.nonce = "another machine's"

    monkeypatch.setattr("gitgoodbench.sandbox.docker.Lending", Elsewhere)
    provider = DockerProvider(docker_provider.image)
    settings = SharedSettings(open_store(offline=True), EpisodeOptions(ToolSet.PUBLISHED))
    for _ in range(2):
        with provider.open(run_id="test", episode_id="case") as sandbox:
            episode = begun(settings, "mcr", sandbox)
            assert sandbox.lent_folder is None
            assert "alternate:" not in episode.git.run("count-objects", "-v").decode()
            assert all(path.startswith(".git/") for path in sandbox.shared)
