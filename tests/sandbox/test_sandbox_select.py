"""Choosing a sandbox and building its image: what is taken and why, and what a user is told when it cannot be."""

from __future__ import annotations

import os
import pickle
import shutil
from pathlib import Path

import pytest

from gitgoodbench.errors import InfrastructureFailed, UserError
from gitgoodbench.sandbox import image as image_module
from gitgoodbench.sandbox.base import Needs, SandboxLimits, SandboxSettings, equip
from gitgoodbench.sandbox.daemon import DockerUnavailable, connect_to_docker
from gitgoodbench.sandbox.docker import DockerProvider
from gitgoodbench.sandbox.image import build_image
from gitgoodbench.sandbox.local import LocalProvider
from gitgoodbench.sandbox.select import DockerOptions, make_provider


def with_image(image: str, limits: SandboxLimits | None = None) -> SandboxSettings:
    return SandboxSettings(limits, (DockerOptions(image=image),))


@pytest.fixture
def no_docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no.sock")


@pytest.mark.usefixtures("no_docker")
def test_without_docker_auto_takes_local_and_says_why() -> None:
    choice = make_provider("auto")

    assert isinstance(choice.provider, LocalProvider)
    assert choice.reason.startswith(
        "sandbox local: commands run on this machine without isolation, since Docker does not"
    )


@pytest.mark.usefixtures("no_docker")
def test_without_docker_auto_takes_nothing_for_an_agent_with_a_program() -> None:
    with pytest.raises(DockerUnavailable, match="Docker does not answer"):
        make_provider("auto", SandboxSettings(needs=Needs("mine")))


@pytest.mark.docker
def test_auto_takes_docker_where_it_has_the_agents_image_alone(
    docker_provider: DockerProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitgoodbench.sandbox.docker.DEFAULT_IMAGE", "gitgoodbench-none:1")
    assert make_provider("auto").provider.kind == "local"
    needs = Needs("mine", docker_provider.image, "make mine")
    choice = make_provider("auto", SandboxSettings(needs=needs))
    assert choice.reason == f"sandbox docker: image {docker_provider.image} ({docker_provider.image_id[:19]})"


@pytest.mark.docker
def test_an_image_without_the_agent_says_which_has_it(docker_provider: DockerProvider) -> None:
    needs = Needs("mine", "mine:1", "make mine", programs={"mine": ["/no/mine", "--version"]})
    with pytest.raises(UserError, match="no image mine:1: make it with `make mine`, or name another with --image"):
        make_provider("docker", SandboxSettings(needs=needs))
    with pytest.raises(UserError, match=r"has no working mine .*: leave --image out, for the agent's own image, which"):
        equip(DockerProvider(docker_provider.image), needs).describe()


@pytest.mark.usefixtures("no_docker")
def test_docker_that_does_not_answer_is_the_user_s_to_mend() -> None:
    with pytest.raises(UserError, match=r"Docker does not answer .*: start it, or choose --sandbox local"):
        make_provider("docker")


@pytest.mark.usefixtures("no_docker")
def test_local_needs_no_docker() -> None:
    choice = make_provider("local", SandboxSettings(SandboxLimits(command_timeout_s=7.0)))

    assert (choice.provider.kind, choice.provider.isolated) == ("local", False)
    assert choice.provider.describe()["command_timeout_s"] == "7.0"


@pytest.mark.usefixtures("no_docker")
def test_options_of_another_kind_are_said_to_do_nothing() -> None:
    said = make_provider("local", with_image("mine:1")).reason
    assert said == (
        "sandbox local, as asked for: commands run on this machine without isolation; "
        "not used, since it is for --sandbox docker: docker.image (--image)"
    )
    assert "not used" not in make_provider("local").reason
    assert "not used" not in make_provider("auto", with_image("mine:1")).reason  # it says why it is local


@pytest.mark.docker
def test_auto_takes_docker_where_it_has_the_image(docker_provider: DockerProvider) -> None:
    choice = make_provider("auto", with_image(docker_provider.image))

    assert (choice.provider.kind, choice.provider.isolated) == ("docker", True)
    assert choice.reason == f"sandbox docker: image {docker_provider.image} ({docker_provider.image_id[:19]})"


@pytest.mark.docker
@pytest.mark.usefixtures("docker_provider")
def test_a_missing_image_names_the_command_that_makes_it() -> None:
    with pytest.raises(UserError, match="no image gitgoodbench-none:1: make it with `gitgoodbench image build`"):
        make_provider("docker", with_image("gitgoodbench-none:1"))
    assert make_provider("auto", with_image("gitgoodbench-none:1")).provider.kind == "local"


@pytest.mark.docker
def test_limits_that_contradict_each_other_are_refused(docker_provider: DockerProvider) -> None:
    limits = SandboxLimits(memory=1024**3, work_size=1024**3)

    with pytest.raises(UserError, match="allow more than 1157627904 bytes of memory, or a smaller work folder"):
        make_provider("auto", with_image(docker_provider.image, limits))


@pytest.mark.docker
def test_an_image_with_volumes_is_refused(docker_provider: DockerProvider) -> None:
    with_volume = connect_to_docker().api.create_container(docker_provider.image, ["true"])
    tag = "gitgoodbench-test-volume"
    api = connect_to_docker().api
    try:
        api.commit(with_volume["Id"], tag, changes=["VOLUME /data"])
        with pytest.raises(UserError, match="declares volumes"):
            DockerProvider(tag)
    finally:
        api.remove_container(with_volume["Id"])
        api.remove_image(tag, force=True)


@pytest.mark.docker
def test_an_image_without_python_says_so(docker_provider: DockerProvider) -> None:
    api = connect_to_docker().api
    tag = "gitgoodbench-test-without-python"
    container = api.create_container(
        docker_provider.image, ["sh", "-c", "rm /usr/bin/python3*"], user="root", network_disabled=True
    )
    try:
        api.start(container["Id"])
        api.wait(container["Id"])
        api.commit(container["Id"], tag)
        with pytest.raises(InfrastructureFailed, match=r'no container of .*"python3": executable file not found'):
            DockerProvider(tag).open(run_id="tests", episode_id="without-python")
    finally:
        api.remove_container(container["Id"])
        api.remove_image(tag, force=True)


@pytest.mark.docker
def test_providers_travel_to_other_processes(docker_provider: DockerProvider) -> None:
    docker_again = pickle.loads(pickle.dumps(docker_provider))
    local_again = pickle.loads(pickle.dumps(LocalProvider()))

    for provider in (docker_again, local_again):
        with provider.open(run_id="tests", episode_id="pickled") as sandbox:
            assert sandbox.exec(["echo", "here"]).stdout == b"here\n"


@pytest.mark.usefixtures("no_docker")
def test_no_image_is_built_without_docker() -> None:
    with pytest.raises(DockerUnavailable):
        build_image("gitgoodbench-test", "debootstrap")


def test_what_debootstrap_needs_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_module, "connect_to_docker", lambda: None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(UserError, match="debootstrap is not installed: install it"):
        build_image("gitgoodbench-test", "debootstrap")

    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/sbin/{name}")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(UserError, match="debootstrap must run as root: run `sudo gitgoodbench image build"):
        build_image("gitgoodbench-test", "debootstrap")


def test_both_reasons_are_given_when_no_way_leads_to_an_image(monkeypatch: pytest.MonkeyPatch) -> None:
    class Offline:
        def build(self, **_options: object) -> list[dict[str, str]]:
            return [{"stream": "Step 1/4 : FROM debian"}, {"error": "no such host"}]

    class Client:
        api = Offline()

    lines: list[str] = []
    monkeypatch.setattr(image_module, "connect_to_docker", Client)
    monkeypatch.setattr(shutil, "which", lambda _: None)

    with pytest.raises(UserError, match=r"no image could be built\. .*no such host.* debootstrap is not installed"):
        build_image("gitgoodbench-test", "auto", lines.append)
    with pytest.raises(UserError, match="cannot be built from its Dockerfile: no such host"):
        build_image("gitgoodbench-test", "registry")
    assert lines[0] == "Step 1/4 : FROM debian"


def test_a_failing_debootstrap_shows_its_last_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "debootstrap"
    tool.write_text("#!/bin/sh\nfor i in 1 2 3 4; do echo line $i; done; echo E: no mirror >&2; exit 1\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(image_module, "connect_to_docker", lambda: None)
    monkeypatch.setattr(os, "geteuid", os.getuid if os.getuid() == 0 else lambda: 0)

    with pytest.raises(UserError, match=r"debootstrap failed: line 3 \| line 4 \| E: no mirror"):
        build_image("gitgoodbench-test", "debootstrap")
