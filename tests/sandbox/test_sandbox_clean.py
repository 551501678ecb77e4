"""After a crash `clean` removes what the dead process left, and nothing that a living one uses."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import docker
import docker.errors
import pytest

from gitgoodbench import folders
from gitgoodbench.folders import find_folders, make_folder, remove_folder, temporary_folder
from gitgoodbench.owner import Owner
from gitgoodbench.sandbox import clean as clean_module
from gitgoodbench.sandbox.clean import clean
from gitgoodbench.sandbox.daemon import DockerUnavailable
from gitgoodbench.sandbox.docker import DockerProvider
from gitgoodbench.sandbox.local import LocalProvider

HARNESS = """
import json, sys, time
from gitgoodbench.sandbox.docker import DockerProvider
from gitgoodbench.sandbox.local import LocalProvider
docker = DockerProvider(sys.argv[1]).open(run_id="crash", episode_id="docker")
local = LocalProvider().open(run_id="crash", episode_id="local")
volume = docker.container.client.volumes.create(labels=docker.container.labels)
idle = docker.container.client.containers.create(sys.argv[1], ["true"], labels=docker.container.labels)
print(json.dumps([docker.container.name, idle.name, str(local.folder), volume.name]), flush=True)
local.exec(["sleep", "600"], timeout_s=700)
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place where folders are made and looked for; Docker does not answer."""

    def no_docker() -> None:
        raise DockerUnavailable("Docker does not answer")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("GITGOODBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(folders, "_LARGE", tmp_path)
    monkeypatch.setattr(clean_module, "connect_to_docker", no_docker)
    return tmp_path


@pytest.fixture
def dead() -> Owner:
    """A process that has ended."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        owner = dataclasses.replace(Owner.current(), pid=process.pid, started=_started(process.pid))
        assert not owner.is_dead()
        process.communicate(b"\n")
    return owner


def _started(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19].decode()


def find_folders_now() -> set[Path]:
    return {folder for folder, _ in find_folders()}


def make_folder_of(owner: Owner) -> Path:
    folder = make_folder("test")
    (folder / folders.MARKER).write_text(json.dumps(owner.labels()))
    return folder


def is_gone(client: docker.DockerClient, container: str) -> bool:
    for _ in range(200):
        try:
            client.containers.get(container)
        except docker.errors.NotFound:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.docker
def test_after_kill_9_clean_removes_the_leftovers_and_keeps_what_lives(
    docker_provider: DockerProvider, local_provider: LocalProvider
) -> None:
    command = [sys.executable, "-c", HARNESS, docker_provider.image]
    with (
        docker_provider.open(run_id="alive", episode_id="docker") as ours,
        local_provider.open(run_id="alive", episode_id="local") as ours_too,
        subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as harness,
    ):
        assert harness.stdout is not None
        container, never_started, folder, volume = json.loads(harness.stdout.readline())
        harness.send_signal(signal.SIGKILL)
        harness.wait()

        report = clean()

        assert set(report.containers) - {container} == {never_started}  # the other ends with its harness, by itself
        assert Path(folder) in report.folders
        assert volume in report.volumes
        assert report.problems == ()
        assert f"container {ours.container.name}" in report.kept
        assert f"folder {ours_too.folder}" in report.kept
        assert ours.exec(["echo", "alive"]).stdout == ours_too.exec(["echo", "alive"]).stdout == b"alive\n"
    assert not Path(folder).exists()
    client = docker.from_env()
    assert is_gone(client, container)
    assert is_gone(client, never_started)
    with pytest.raises(docker.errors.NotFound):
        client.volumes.get(volume)
    client.close()


@pytest.mark.docker
def test_a_container_tells_whose_it_is(docker_provider: DockerProvider) -> None:
    with docker_provider.open(run_id="run-7", episode_id="sample-3") as sandbox:
        labels = sandbox.container.labels

    assert Owner.from_labels(labels) == Owner.current()
    assert (labels["gitgoodbench.run"], labels["gitgoodbench.episode"]) == ("run-7", "sample-3")


@pytest.mark.docker
def test_closing_a_sandbox_removes_its_container_at_once(docker_provider: DockerProvider) -> None:
    sandbox = docker_provider.open(run_id="tests", episode_id="closing")
    sandbox.close()

    with pytest.raises(docker.errors.NotFound):
        sandbox.container.reload()


def test_closing_a_local_sandbox_removes_its_folder(local_provider: LocalProvider) -> None:
    with local_provider.open(run_id="tests", episode_id="closing") as sandbox:
        sandbox.exec(["sh", "-c", "mkdir -p locked/inner && touch locked/inner/file && chmod 000 locked"])

    assert not sandbox.folder.exists()


def test_only_folders_of_dead_processes_are_removed(temporary: Path, dead: Owner) -> None:
    elsewhere = make_folder_of(dataclasses.replace(dead, host="another machine"))
    reused = make_folder_of(dataclasses.replace(Owner.current(), started="long ago"))
    left, ours = make_folder_of(dead), make_folder("test")
    (temporary / "gitgoodbench-not-a-folder").write_text("")
    (temporary / "gitgoodbench-link").symlink_to("/etc")

    report = clean()

    assert set(report.folders) == {left, reused}
    assert set(report.kept) == {f"folder {elsewhere}", f"folder {ours}"}
    assert report.problems == ("containers were not looked for: Docker does not answer",)
    assert {entry.name for entry in temporary.iterdir()} == {
        elsewhere.name,
        ours.name,
        "gitgoodbench-not-a-folder",
        "gitgoodbench-link",
    }


@pytest.mark.parametrize("marker", ["", "{", "[]", '{"gitgoodbench.pid": "x"}'])
def test_a_folder_whose_owner_cannot_be_read_goes_only_by_force(temporary: Path, marker: str) -> None:
    folder = make_folder("test")
    (folder / folders.MARKER).write_text(marker)

    assert clean().kept == (f"folder {folder}",)
    assert clean(force=True).folders == (folder,)
    assert list(temporary.iterdir()) == []


def test_a_folder_without_a_marker_is_nobody_s_to_remove(temporary: Path) -> None:
    results = temporary / "gitgoodbench-results"
    results.mkdir()

    assert clean(force=True).folders == ()
    assert results.is_dir()


@pytest.mark.usefixtures("temporary")
def test_by_force_everything_goes(dead: Owner) -> None:
    made = {make_folder_of(dead), make_folder("test"), make_folder("test", large=True)}

    assert set(clean(force=True).folders) == made
    assert clean(force=True).folders == ()


@pytest.mark.usefixtures("temporary")
def test_a_folder_removes_whatever_its_permissions_protect() -> None:
    folder = make_folder("test")
    (folder / "a/b").mkdir(parents=True)
    (folder / "a/b/file").write_text("")
    (folder / "a/b").chmod(0)
    (folder / "a").chmod(0o500)

    remove_folder(folder)
    remove_folder(folder)

    assert find_folders_now() == set()


@pytest.mark.usefixtures("temporary")
def test_a_temporary_folder_lasts_as_long_as_its_block() -> None:
    with temporary_folder("test") as folder:
        assert find_folders_now() == {folder}

    assert find_folders_now() == set()


def test_an_owner_survives_its_labels(dead: Owner) -> None:
    assert Owner.from_labels(Owner.current().labels()) == Owner.current()
    assert not Owner.current().is_dead()
    assert dead.is_dead()
    assert Owner.from_labels({"gitgoodbench": "1"}) is None
    assert os.getpid() == Owner.current().pid


def test_folders_of_given_up_threads_go_with_the_process(tmp_path: Path) -> None:
    code = (
        "import threading, time\n"
        "from gitgoodbench.folders import make_folder\n"
        "made = threading.Event()\n"
        "def work():\n"
        "    while True:\n"
        "        (make_folder('given-up') / 'file').write_bytes(b'x')\n"
        "        made.set()\n"
        "        time.sleep(0.001)\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "made.wait()\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, stderr=subprocess.DEVNULL)
    assert list(tmp_path.iterdir()) == []
