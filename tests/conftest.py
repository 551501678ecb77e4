"""Fixtures that every room's tests share: the sandboxes."""

from __future__ import annotations

import os
import signal
from typing import cast

import pytest
from hypothesis import settings

from gitgoodbench.errors import UserError
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.sandbox.daemon import DEFAULT_IMAGE
from gitgoodbench.sandbox.docker import DockerProvider
from gitgoodbench.sandbox.local import LocalProvider
from gitgoodbench.sandbox.podman import PodmanProvider

settings.register_profile("deterministic", derandomize=True, database=None, deadline=None)
settings.load_profile("deterministic")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a job that a script runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def docker_provider() -> DockerProvider:
    """Docker with the image GITGOODBENCH_IMAGE; without it tests are skipped, or fail where Docker is required."""
    try:
        return DockerProvider(os.environ.get("GITGOODBENCH_IMAGE", DEFAULT_IMAGE))
    except UserError as problem:
        if os.environ.get("TESTS_REQUIRE_DOCKER") == "1":
            pytest.fail(f"Docker is required here: {problem}")
        pytest.skip(str(problem))


@pytest.fixture(scope="session")
def podman_provider() -> PodmanProvider:
    """Podman with the same image; without it tests are skipped, or fail where Podman is required."""
    try:
        return PodmanProvider(os.environ.get("GITGOODBENCH_IMAGE"))
    except UserError as problem:
        if os.environ.get("TESTS_REQUIRE_PODMAN") == "1":
            pytest.fail(f"Podman is required here: {problem}")
        pytest.skip(str(problem))


@pytest.fixture(scope="session")
def local_provider() -> LocalProvider:
    """Sandboxes in temporary folders of this machine."""
    return LocalProvider()


CONTAINERS = [pytest.param(kind, marks=pytest.mark.docker) for kind in ("docker", "podman")]


@pytest.fixture(scope="session", params=[*CONTAINERS, "local"])
def provider(request: pytest.FixtureRequest) -> SandboxProvider:
    """Every kind: the test runs once with each."""
    return cast(SandboxProvider, request.getfixturevalue(f"{request.param}_provider"))
