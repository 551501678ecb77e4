"""Building an agent's image: packages are fetched and checked on this machine, the image is made of them without a
network, tried in the sandbox, and only then gets its name.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from gitgoodbench.agents.cli.home import HOME
from gitgoodbench.agents.images.contents import ContextWriter, add_tarball, add_wheel
from gitgoodbench.agents.images.locks import Lock, read_lock
from gitgoodbench.agents.images.npm import NpmRegistry, Progress
from gitgoodbench.agents.images.recipe import Recipe
from gitgoodbench.agents.images.wheels import download_wheels
from gitgoodbench.errors import UserError
from gitgoodbench.folders import temporary_folder
from gitgoodbench.owner import LABEL
from gitgoodbench.sandbox.base import Needs
from gitgoodbench.sandbox.daemon import DEFAULT_IMAGE, brief, connect_to_docker, docker_errors
from gitgoodbench.sandbox.docker import DockerProvider
from gitgoodbench.sandbox.image import follow_build
from gitgoodbench.text import one_line

if TYPE_CHECKING:
    from docker.client import DockerClient

AGENT: Final = f"{LABEL}.agent"
VERSION: Final = f"{LABEL}.agent-version"
LOCK: Final = f"{LABEL}.agent-lock"
BASE: Final = f"{LABEL}.agent-base"
LICENCE: Final = f"{LABEL}.agent-licence"

_TRIAL_S: Final = 180.0


@dataclass(frozen=True)
class BuiltAgent:
    """An image with an agent. new: whether it was built just now. size: bytes, those of its base included."""

    tag: str
    id: str
    agent: str
    version: str
    new: bool
    size: int


@dataclass(frozen=True)
class _Base:
    id: str
    platform: str
    user: str


def build_agent_image(
    recipe: Recipe,
    tag: str | None = None,
    base: str = DEFAULT_IMAGE,
    registry: Callable[[], NpmRegistry] = NpmRegistry,
    progress: Progress = lambda _line: None,
) -> BuiltAgent:
    """Build the image of an agent, or find that it is there already, of the same lock and base.

    Args:
        tag: of the image; by default the one that runs use.
        base: an image of the sandbox.
        progress: is told each step.

    Raises:
        UserError: Docker or a registry does not answer, a package is not what the lock says, or the agent does not
            run. An image of that name which was there stays.
    """
    lock = read_lock(recipe)
    client = connect_to_docker()
    tag = tag or recipe.tag(lock.version)
    try:
        found = _find_base(client, base, recipe)
        labels = {
            AGENT: recipe.name, VERSION: lock.version, LOCK: recipe.fingerprint, BASE: found.id,
            LICENCE: recipe.content.licence,
        }  # fmt: skip
        if (there := _labelled(client, tag, labels)) is not None:
            return BuiltAgent(tag, str(there.id), recipe.name, lock.version, False, there.attrs["Size"])
        if recipe.content.terms:
            progress(f"{recipe.name} is proprietary: do not pass its image on; the terms: {recipe.content.terms}")
        with temporary_folder("agent-image", large=True) as folder:
            context = folder / "context.tar"
            dockerfile = _dockerfile(recipe, found, labels)
            _write_context(context, dockerfile, recipe, lock, found.platform, registry, progress)
            image_id = _build(client, context, progress)
        return _try_and_tag(client, recipe, lock, image_id, tag, progress)
    except docker_errors() as problem:
        raise UserError(f"the image of {recipe.name} cannot be built: {brief(problem)}") from problem


def _find_base(client: DockerClient, name: str, recipe: Recipe) -> _Base:
    import docker.errors

    try:
        attributes = client.images.get(name).attrs
    except docker.errors.ImageNotFound as problem:
        raise UserError(
            f"Docker has no image {name} to put {recipe.name} into: make it with `gitgoodbench image build`"
        ) from problem
    platform = f"{attributes['Os']}/{attributes['Architecture']}"
    if platform not in recipe.platforms:
        raise UserError(f"{recipe.name} can be had for {', '.join(recipe.platforms)}, and image {name} is {platform}")
    if recipe.content.pip is not None:
        _check_python(DockerProvider(name).describe()["python3"], recipe.content.pip.python, name, recipe)
    return _Base(str(attributes["Id"]), platform, str(attributes["Config"].get("User") or "root"))


def _check_python(said: str, wanted: str, image: str, recipe: Recipe) -> None:
    if not said.startswith(f"Python {wanted}."):
        raise UserError(f"the lock of {recipe.name} is for Python {wanted}, and image {image} has {said}")


def _labelled(client: DockerClient, tag: str, labels: Mapping[str, str]) -> Any:
    """The image of that name, if it has these labels."""
    import docker.errors

    try:
        image = client.images.get(tag)
    except docker.errors.ImageNotFound:
        return None
    return image if labels.items() <= (image.labels or {}).items() else None


def _write_context(
    context: Path,
    dockerfile: str,
    recipe: Recipe,
    lock: Lock,
    platform: str,
    registry: Callable[[], NpmRegistry],
    progress: Progress,
) -> None:
    parts = [part for part in recipe.content.npm if part.platform == platform]
    npm = registry() if parts else None
    tarballs = {part.lock_key: npm.fetch(lock.tarballs[part.lock_key], progress) for part in parts if npm}
    pip = recipe.content.pip
    wheels = [] if pip is None else download_wheels(
        recipe.lock_path, lock.wheels, platform, pip.python, context.with_name("wheels"), progress
    )  # fmt: skip
    with tarfile.open(context, "w") as archive:
        writer = ContextWriter(archive, "agent")
        writer.write_text("Dockerfile", dockerfile)
        for part in parts:
            add_tarball(writer, part, tarballs[part.lock_key])
        for wheel in wheels:
            assert pip is not None
            add_wheel(writer, pip, wheel)
        for place, text in recipe.content.scripts.items():
            data = text.encode()
            writer.add(place, len(data), io.BytesIO(data), program=True)


def _dockerfile(recipe: Recipe, base: _Base, labels: Mapping[str, str]) -> str:
    """Copy the files; compile Python ahead, since nothing can be written later."""
    lines = [f"FROM {base.id}", f"COPY agent {recipe.home}"]
    named = " ".join(f"{name}={json.dumps(value)}" for name, value in labels.items())
    if recipe.content.pip is not None:
        modules = f"{recipe.home}/{recipe.content.pip.into}"
        compiling = ["python3", "-m", "compileall", "-qq", "--invalidation-mode", "unchecked-hash", modules]
        lines += ["USER root", f"RUN {json.dumps(compiling)}", f"USER {base.user}"]
    return "\n".join([*lines, f"LABEL {named}"]) + "\n"


def _build(client: DockerClient, context: Path, progress: Progress) -> str:
    """The id of the image, which has no name yet."""
    built: list[str] = []

    def noting(events: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        for event in events:
            built.extend(filter(None, [(event.get("aux") or {}).get("ID")]))
            yield event

    with context.open("rb") as file:
        content: IO[bytes] = file
        steps = client.api.build(
            fileobj=content, custom_context=True, network_mode="none", rm=True, forcerm=True, decode=True
        )
        follow_build(noting(steps), lambda line: progress(line) if line.startswith("Step") else None)
    if not built:
        raise UserError("Docker does not say which image it has built")
    return built[-1]


def _try_and_tag(
    client: DockerClient, recipe: Recipe, lock: Lock, image_id: str, tag: str, progress: Progress
) -> BuiltAgent:
    import docker.errors

    progress(f"trying {recipe.program} in the sandbox")
    try:
        _try(recipe, lock, image_id)
    except BaseException:
        _remove_nameless(client, image_id)
        raise
    try:
        before = str(client.images.get(tag).id)
    except docker.errors.ImageNotFound:
        before = image_id
    image = client.images.get(image_id)
    image.tag(tag)
    if before != image_id:
        _remove_nameless(client, before)
    return BuiltAgent(tag, image_id, recipe.name, lock.version, True, image.attrs["Size"])


def _try(recipe: Recipe, lock: Lock, image_id: str) -> None:
    """Ask the program for its version, as in an episode: no network, nothing to write to but the work folder."""
    provider = DockerProvider(image_id, needs=Needs(recipe.name, home=HOME))
    with provider.open(run_id="agent-image", episode_id=recipe.name) as sandbox:
        path = f"{recipe.home}/bin:/usr/local/bin:/usr/bin:/bin"
        done = sandbox.exec(
            [recipe.program, *recipe.content.version_argv],
            timeout_s=_TRIAL_S,
            env={"PATH": path, "HOME": HOME, "LC_ALL": "C.UTF-8"},
        )
    said = one_line((done.stdout + b" " + done.stderr).decode("utf-8", "replace"), 300)
    if done.returncode != 0 or lock.version.encode() not in done.stdout:
        raise UserError(
            f"{recipe.name} was built, but {recipe.program} {' '.join(recipe.content.version_argv)} does not say "
            f"{lock.version} in the sandbox (exit code {done.returncode}): {said}"
        )


def _remove_nameless(client: DockerClient, image_id: str) -> None:
    """Remove an image that nothing is to be called, unless it has a name all the same or is in use."""
    try:
        if not client.images.get(image_id).tags:
            client.images.remove(image_id)
    except docker_errors():
        return
