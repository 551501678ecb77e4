"""Images of agents: the recipes and locks that are shipped, and images of made-up agents from registries of our own."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.agents.images import build as build_module
from gitgoodbench.agents.images import status as status_module
from gitgoodbench.agents.images.build import BuiltAgent, build_agent_image
from gitgoodbench.agents.images.lock import make_lock
from gitgoodbench.agents.images.locks import LockedWheel, integrity_of, read_lock, write_requirements
from gitgoodbench.agents.images.npm import NpmRegistry
from gitgoodbench.agents.images.npm_config import NpmConfig
from gitgoodbench.agents.images.recipe import Recipe, read_recipe, read_recipes
from gitgoodbench.cli import run
from gitgoodbench.errors import UserError
from gitgoodbench.runs import health
from gitgoodbench.sandbox.daemon import connect_to_docker
from gitgoodbench.sandbox.docker import DockerProvider
from tests.support.agent_images import flaws
from tests.support.registries import Registries, integrity, pure_wheel, serve_registries, tarball

NPM = """
program = "bin/tool"
licence = "MIT"

[[npm]]
name = "@maker/tool"
version = "{version}"
platform = "linux/amd64"
files."package/tool" = "bin/tool"
files."package/lib/" = "lib/"
"""
PIP = """
program = "bin/tool"
licence = "MIT"

[pip]
name = "tool"
python = "3.11"
platforms = ["linux/amd64", "linux/arm64"]
into = "lib"

[scripts]
"bin/tool" = '''
#!/usr/bin/env -S python3 -I
import sys
sys.path.insert(0, "/opt/agents/NAME/lib")
import tool
print(tool.VERSION, tool.__cached__)
'''
"""


@pytest.mark.parametrize("name", sorted(read_recipes()))
def test_a_shipped_recipe_agrees_with_its_lock(name: str) -> None:
    recipe = read_recipe(name)
    lock = read_lock(recipe)
    assert recipe.program.startswith(f"/opt/agents/{name}/bin/")
    assert set(re.findall(r"/opt/agents/([\w-]+)/", " ".join(recipe.content.scripts.values()))) <= {name}
    assert "linux/amd64" in recipe.platforms
    assert set(lock.tarballs) == {part.lock_key for part in recipe.content.npm}
    for tarball_ in lock.tarballs.values():
        assert integrity_of(tarball_.sha512) in recipe.lock_path.read_text()
    if recipe.content.pip is not None:
        assert {wheel.name for wheel in lock.wheels} & set(recipe.content.pip.leave_out) == set()


@pytest.mark.parametrize("name", sorted(read_recipes()))
def test_a_shipped_lock_names_no_registry(name: str) -> None:
    text = read_recipe(name).lock_path.read_text()
    assert re.findall(r"https?:|file:|resolved|\.(?:org|com|internal|local)\b|localhost|/root|/home", text) == []


def test_only_what_is_proprietary_has_terms() -> None:
    assert {name for name, recipe in read_recipes().items() if recipe.content.terms} == {
        name for name, recipe in read_recipes().items() if recipe.content.licence == "proprietary"
    }


def test_an_agent_without_a_recipe_is_refused_with_a_guess(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["image", "build", "--agent", "coddex"]) == 2
    said = capsys.readouterr().err
    assert "--agent coddex: no image is built of such an agent; did you mean codex? there are recipes for: " in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--agent", "codex", "--agent", "goose", "--tag", "x:1"], "--tag x:1 is the name of one image, and these are"),
        (["--upon", "x:1"], "--upon x:1 is for --agent"),
    ],
)  # fmt: skip
def test_flags_that_contradict_are_refused(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert run(["image", "build", *arguments]) == 2
    assert said in capsys.readouterr().err


@pytest.fixture
def registries() -> Iterator[Registries]:
    with serve_registries() as served:
        yield served


@pytest.fixture
def name() -> Iterator[str]:
    """Of a made-up agent; its images go when the test ends."""
    name = f"tool-{uuid.uuid4().hex[:8]}"
    yield name
    client = connect_to_docker()
    for image in client.images.list(filters={"label": f"gitgoodbench.agent={name}"}):
        client.images.remove(str(image.id), force=True)


def recipe_of(folder: Path, name: str, text: str) -> Recipe:
    (folder / f"{name}.toml").write_text(text.replace("NAME", name))
    return read_recipe(name, folder)


def npm_recipe(folder: Path, name: str, served: Registries, program: bytes, version: str = "1.2.3") -> Recipe:
    """A recipe with its lock, of a package that the registry has."""
    files = {"package/tool": program, "package/lib/words": b"1.2.3\n", "package/README": b"no"}
    served.add_npm("@maker/tool", version, tarball(files, programs=("package/tool",)))
    recipe = recipe_of(folder, name, NPM)
    recipe.lock_path.write_text(make_lock(recipe, None, registry(served, folder)))
    return recipe


def registry(served: Registries, folder: Path) -> NpmRegistry:
    return NpmRegistry(NpmConfig({"registry": served.url}), folder / "kept")


def build(recipe: Recipe, served: Registries, folder: Path, base: str) -> BuiltAgent:
    return build_agent_image(recipe, base=base, registry=lambda: registry(served, folder))


def test_a_lock_is_made_of_what_the_registry_has(registries: Registries, tmp_path: Path) -> None:
    recipe = npm_recipe(tmp_path, "tool", registries, b"x")
    data = registries.paths["/@maker/tool/-/tool-1.2.3.tgz"]
    assert read_lock(recipe).version == "1.2.3"
    assert integrity(data) in recipe.lock_path.read_text()
    assert registries.url not in recipe.lock_path.read_text()
    with pytest.raises(UserError, match=r"has no version 9 of @maker/tool"):
        make_lock(recipe, "9", registry(registries, tmp_path))


def test_a_lock_of_another_version_or_none_is_refused(registries: Registries, tmp_path: Path) -> None:
    recipe = npm_recipe(tmp_path, "tool", registries, b"x")
    recipe.lock_path.write_text(recipe.lock_path.read_text().replace('"version": "1.2.3"', '"version": "1.2.4"', 1))
    again = "make it anew with `python -m gitgoodbench.agents.images.lock tool`"
    with pytest.raises(UserError, match=rf"it has @maker/tool@1\.2\.3.*{again}"):
        read_lock(recipe)
    recipe.lock_path.unlink()
    with pytest.raises(UserError, match=again):
        read_lock(recipe)


SAYS_VERSION = b'#!/bin/sh\ntouch "$HOME/x" || exit 3\ncat "${0%/bin/tool}/lib/words"\n'


@pytest.mark.docker
def test_an_agent_is_built_and_tried_before_its_image_gets_the_name(
    docker_provider: DockerProvider, registries: Registries, tmp_path: Path, name: str
) -> None:
    recipe = npm_recipe(tmp_path, name, registries, SAYS_VERSION)
    built = build(recipe, registries, tmp_path, docker_provider.image)
    assert (built.tag, built.version, built.new) == (f"gitgoodbench-sandbox-{name}:1.2.3", "1.2.3", True)
    asked = len(registries.asked)
    assert build(recipe, registries, tmp_path, docker_provider.image) == BuiltAgent(
        built.tag, built.id, name, "1.2.3", False, built.size
    )
    assert len(registries.asked) == asked
    provider = DockerProvider(built.tag)
    described = provider.describe()
    assert {key: described[key] for key in described if key.startswith("agent")} == {
        "agent": name, "agent_version": "1.2.3", "agent_lock": recipe.fingerprint,
        "agent_base": docker_provider.image_id, "agent_licence": "MIT",
    }  # fmt: skip
    with provider.open(run_id="test", episode_id="agent-image") as sandbox:
        listed = sandbox.exec(["find", recipe.home, "-printf", "%P %u %m\n"]).stdout.decode()
    assert sorted(listed.splitlines()) == [
        " root 755", "bin root 755", "bin/tool root 555", "lib root 755", "lib/words root 444",
    ]  # fmt: skip

    assert flaws(provider, docker_provider, recipe, registries.url, str(tmp_path)) == []

    def there() -> list[str | None]:
        return [image.id for image in connect_to_docker().images.list(filters={"label": f"gitgoodbench.agent={name}"})]

    broken = npm_recipe(tmp_path, name, registries, b"#!/bin/sh\necho no such library >&2; exit 127\n")
    said = r"bin/tool --version does not say 1\.2\.3 in the sandbox \(exit code 127\): no such library"
    with pytest.raises(UserError, match=rf"{name} was built, but /opt/agents/{name}/{said}"):
        build(broken, registries, tmp_path, docker_provider.image)
    assert there() == [built.id]
    mended = npm_recipe(tmp_path, name, registries, SAYS_VERSION + b"\n")
    after = build(mended, registries, tmp_path, docker_provider.image)
    assert after.new
    assert there() == [after.id]


@pytest.mark.docker
def test_an_agent_from_the_index_is_compiled_ahead(
    docker_provider: DockerProvider,
    registries: Registries,
    tmp_path: Path,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", f"{registries.url}/simple/")
    digest = registries.add_wheel("tool", "1.2", pure_wheel("tool", "1.2", {"tool.py": "VERSION = '1.2'\n"}))
    recipe = recipe_of(tmp_path, name, PIP)
    recipe.lock_path.write_text(write_requirements([LockedWheel("tool", "1.2", frozenset({digest}))]))
    built = build(recipe, registries, tmp_path, docker_provider.image)
    provider = DockerProvider(built.tag)
    assert flaws(provider, docker_provider, recipe, registries.url, str(tmp_path)) == []
    with provider.open(run_id="test", episode_id="agent-image") as sandbox:
        said = sandbox.exec([recipe.program]).stdout.decode().split()
        assert said[0] == "1.2"
        (mode,) = sandbox.exec(["stat", "-c", "%a", said[1]]).stdout.decode().split()
    assert said[1].startswith(f"/opt/agents/{name}/lib/__pycache__/tool.cpython-3")
    assert mode == "644"


@pytest.mark.docker
def test_what_cannot_be_built_upon_is_named(
    docker_provider: DockerProvider, registries: Registries, tmp_path: Path
) -> None:
    recipe = npm_recipe(tmp_path, "tool", registries, SAYS_VERSION)
    with pytest.raises(
        UserError, match=r"no image nothing:1 to put tool into: make it with `gitgoodbench image build`"
    ):
        build(recipe, registries, tmp_path, "nothing:1")
    elsewhere = recipe_of(tmp_path, "tool", NPM.replace("amd64", "riscv64"))
    elsewhere.lock_path.write_text(make_lock(elsewhere, None, registry(registries, tmp_path)))
    with pytest.raises(UserError, match=r"tool can be had for linux/riscv64, and image .* is linux/"):
        build(elsewhere, registries, tmp_path, docker_provider.image)
    pip = recipe_of(tmp_path, "snake", PIP.replace('"3.11"', '"3.9"'))
    pip.lock_path.write_text("tool==1 --hash=sha256:" + "0" * 64 + "\n")
    with pytest.raises(UserError, match=r"the lock of snake is for Python 3\.9, and image .* has Python 3\.1"):
        build(pip, registries, tmp_path, docker_provider.image)


class Images:
    """A daemon with these images: of each its names, its id and its labels."""

    def __init__(self, *images: tuple[list[str], str, dict[str, str]]) -> None:
        self.images = self
        self._images = images

    def list(self, filters: dict[str, str]) -> list[Any]:
        (label,) = filters.values()
        return [
            type("Image", (), {"tags": tags, "labels": labels}) for tags, _, labels in self._images if label in labels
        ]

    def get(self, name: str) -> Any:
        (found,) = [identity for tags, identity, _ in self._images if name in tags]
        return type("Image", (), {"attrs": {"Id": found, "Os": "linux", "Architecture": "amd64"}})

    def close(self) -> None:
        pass


def labels(recipe: Recipe, **changed: str) -> dict[str, str]:
    own = {"agent": recipe.name, "agent-version": "1", "agent-lock": recipe.fingerprint, "agent-base": "sha256:base"}
    return {f"gitgoodbench.{name}": value for name, value in (own | changed).items()}


def test_the_doctor_tells_what_is_there_what_is_stale_and_what_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    recipes = {name: read_recipe(name) for name in ("codex", "goose", "opencode", "qwen-code", "gemini-cli")}
    tags = {name: recipe.tag(read_lock(recipe).version) for name, recipe in recipes.items()}
    daemon = Images(
        (["gitgoodbench-sandbox:latest"], "sha256:base", {}),
        ([tags["codex"]], "1", labels(recipes["codex"])),
        ([tags["goose"]], "2", labels(recipes["goose"], **{"agent-lock": "other", "agent-base": "sha256:older"})),
        (["gitgoodbench-sandbox-opencode:0.1"], "3", labels(recipes["opencode"])),
    )
    from gitgoodbench.sandbox import daemon as daemon_module

    monkeypatch.setattr(daemon_module, "connect_to_docker", lambda: daemon)
    monkeypatch.setattr(status_module, "read_recipes", lambda: recipes)
    checks = list(health.check_agent_images())
    assert [(check.ok, check.stale, check.detail, check.hint) for check in checks] == [
        (True, False, f"{tags['codex']} (1, on base)", ""),
        (
            False, True, f"{tags['goose']} (1, on older): its recipe or lock has changed since and it is not made from "
            "today's gitgoodbench-sandbox:latest", "gitgoodbench image build --agent goose",
        ),
        (
            False, True, f"gitgoodbench-sandbox-opencode:0.1: runs look for {tags['opencode']}",
            "gitgoodbench image build --agent opencode",
        ),
        (False, False, "no image of qwen-code, gemini-cli", "gitgoodbench image build --agent NAME"),
    ]  # fmt: skip


def test_without_docker_the_doctor_says_nothing_of_agents(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no.sock")
    assert list(health.check_agent_images()) == []


def test_all_agents_are_those_that_need_no_consent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    def note(recipe: Recipe, *_arguments: Any, **_named: Any) -> BuiltAgent:
        asked.append(recipe.name)
        return BuiltAgent("t", "i", recipe.name, "1", True, 1_500_000)

    monkeypatch.setattr(build_module, "build_agent_image", note)
    assert run(["image", "build", "--agent", "all"]) == 0
    free = [name for name, recipe in read_recipes().items() if not recipe.content.terms]
    assert asked == free
    assert capsys.readouterr().out.splitlines()[0] == f"t i ({free[0]} 1, 2 MB)"
    assert run(["image", "build", "--agent", "all", "--agent", "claude-code"]) == 0
    assert asked == [*free, *free, "claude-code"]
