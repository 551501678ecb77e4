"""The recipe of the OpenEnv server's image, as Docker gets it; and, where one is named, the image that was built.

Building takes minutes: `gitgoodbench image openenv`, then GITGOODBENCH_OPENENV_IMAGE names it for these tests.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gitgoodbench import __version__
from gitgoodbench.cli.image import app
from gitgoodbench.errors import UserError
from gitgoodbench.frameworks import openenv_image

BUILT = os.environ.get("GITGOODBENCH_OPENENV_IMAGE")


class Daemon:
    """A Docker that keeps what a build copies. error: what the build ends with."""

    def __init__(self, error: str | None = None) -> None:
        self.api = self.images = self
        self.options: dict[str, Any] = {}
        self.copied: dict[str, bytes] = {}
        self.id = "sha256:0123"
        self._error = error

    def build(self, **options: Any) -> list[dict[str, str]]:
        folder = Path(options.pop("path"))
        self.options = options
        self.copied = {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
        return [{"stream": "Step 1/4"}, *([{"error": self._error}] if self._error else [])]

    def get(self, _tag: str) -> Daemon:
        return self


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> Daemon:
    daemon = Daemon()
    monkeypatch.setattr(openenv_image, "connect_to_docker", lambda: daemon)
    return daemon


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["openenv", *arguments])


def test_without_options_this_version_comes_from_the_index(daemon: Daemon) -> None:
    done = run()
    assert (done.exit_code, done.stdout) == (0, "gitgoodbench-openenv:latest sha256:0123\n")
    assert daemon.options["buildargs"] == {
        "BASE": "gitgoodbench-sandbox:latest", "REQUIREMENT": f"gitgoodbench[openenv]=={__version__}",
    }  # fmt: skip
    assert (daemon.options["tag"], daemon.options["network_mode"]) == ("gitgoodbench-openenv:latest", None)
    assert daemon.copied.keys() == {"Dockerfile"}


def test_wheel_certificate_index_and_network_reach_the_build(daemon: Daemon, tmp_path: Path) -> None:
    wheel, certificate = tmp_path / "gitgoodbench-9-py3-none-any.whl", tmp_path / "mine.crt"
    wheel.write_bytes(b"wheel")
    certificate.write_bytes(b"certificate")
    done = run(
        "--wheel", str(wheel), "--certificate", str(certificate), "--index", "https://index.invalid/simple",
        "--network", "host", "--base", "base:1", "--tag", "mine:2",
    )  # fmt: skip
    assert done.exit_code == 0
    assert daemon.options["buildargs"] == {
        "BASE": "base:1",
        "REQUIREMENT": f"gitgoodbench[openenv] @ file:///build/wheels/{wheel.name}",
        "PIP_CERT": "/build/certificate.pem",
        "PIP_INDEX_URL": "https://index.invalid/simple",
    }
    assert (daemon.options["tag"], daemon.options["network_mode"]) == ("mine:2", "host")
    assert (daemon.copied[f"wheels/{wheel.name}"], daemon.copied["certificate.pem"]) == (b"wheel", b"certificate")


def test_the_recipe_asks_for_every_argument_and_serves_as_nobody_in_particular(daemon: Daemon) -> None:
    run()
    recipe = daemon.copied["Dockerfile"].decode()
    assert set(re.findall(r"^ARG (\w+)$", recipe, re.MULTILINE)) == {"BASE", "REQUIREMENT", "PIP_CERT", "PIP_INDEX_URL"}
    assert re.findall(r"^USER (\w+)$", recipe, re.MULTILINE) == ["root", "agent"]
    assert 'ENTRYPOINT ["gitgoodbench", "serve", "--host", "0.0.0.0", "--port", "8000"]' in recipe


@pytest.mark.parametrize(
    ("option", "name", "reason"),
    [
        ("--wheel", "none.whl", "--wheel .*none.whl cannot be read: No such file or directory"),
        ("--wheel", "none.zip", "--wheel .*none.zip is no wheel: make one with `pip wheel --no-deps .`"),
        ("--certificate", "none.pem", "--certificate .*none.pem cannot be read: No such file or directory"),
    ],
)
def test_what_is_not_there_is_named(daemon: Daemon, tmp_path: Path, option: str, name: str, reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        CliRunner().invoke(app, ["openenv", option, str(tmp_path / name)], catch_exceptions=False)
    assert daemon.options == {}


def test_a_build_that_fails_tells_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openenv_image, "connect_to_docker", lambda: Daemon("pip returned a non-zero code: 1"))
    with pytest.raises(UserError, match="its Dockerfile: pip returned a non-zero code: 1"):
        CliRunner().invoke(app, ["openenv"], catch_exceptions=False)


@pytest.fixture
def address() -> Iterator[str]:
    """Of a container of the built image."""
    assert BUILT is not None
    started = ["docker", "run", "--rm", "--detach", "--init", "--publish", "127.0.0.1:18732:8000", BUILT]
    container = subprocess.run(started, capture_output=True, check=True, text=True).stdout.strip()
    try:
        yield "http://127.0.0.1:18732"
    finally:
        subprocess.run(["docker", "stop", "--time", "20", container], capture_output=True, check=True)


@pytest.mark.docker
@pytest.mark.skipif(BUILT is None, reason="GITGOODBENCH_OPENENV_IMAGE names no image")
def test_a_container_of_the_image_plays_an_episode(address: str) -> None:
    pytest.importorskip("openenv", reason="the extra openenv")
    from gitgoodbench.frameworks import openenv as client

    for _ in range(600):
        try:
            urllib.request.urlopen(f"{address}/health", timeout=1).close()
            break
        except OSError:
            time.sleep(0.2)
    with client.GitGoodBenchEnv(address).sync() as env:
        for _ in range(2):
            opened = env.reset(task="mcr/mini_cairn_merge_0000").observation
            assert [message["role"] for message in opened.prompt] == ["system", "user"]
            action = client.GitAction(
                tool="resolve_current_merge_conflict_with", arguments={"content": "mine\n", "reason": "an example"}
            )
            last = env.step(action).observation
            assert (last.done, last.metadata["status"]) == (True, "completed")
