"""Which images of agents there are, and whether they are what would be built now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gitgoodbench.agents.images.build import AGENT, BASE, LOCK, VERSION
from gitgoodbench.agents.images.locks import read_lock
from gitgoodbench.agents.images.recipe import Recipe, read_recipes
from gitgoodbench.sandbox.daemon import DEFAULT_IMAGE

if TYPE_CHECKING:
    from docker.client import DockerClient


@dataclass(frozen=True)
class AgentState:
    """What is known of an agent's image.

    version: that the lock has. tag: the name that runs look for. found: what is there in words; None: no image at all.
    stale: why the image is not what would be built now, or why there is none of this version; empty where it is.
    """

    agent: str
    version: str
    tag: str
    found: str | None
    stale: str = ""


def agent_states(client: DockerClient, base: str = DEFAULT_IMAGE) -> Iterator[AgentState]:
    """The state of each agent's image, of those that there are packages of for the base's platform.

    Raises:
        docker.errors.DockerException: Docker does not answer.
    """
    import docker.errors

    base_id: str | None = None
    platform: str | None = None
    try:
        below = client.images.get(base).attrs
        base_id, platform = str(below["Id"]), f"{below['Os']}/{below['Architecture']}"
    except docker.errors.ImageNotFound:
        pass
    images = client.images.list(filters={"label": AGENT})
    for recipe in read_recipes().values():
        own = [image for image in images if image.labels.get(AGENT) == recipe.name]
        if own or platform in (None, *recipe.platforms):
            yield _state(recipe, own, base, base_id)


def _state(recipe: Recipe, images: list[Any], base: str, base_id: str | None) -> AgentState:
    version = read_lock(recipe).version
    tag = recipe.tag(version)
    named = {name: image for image in images for name in image.tags}
    if tag not in named:
        others = ", ".join(sorted(named))
        return AgentState(recipe.name, version, tag, others or None, f"runs look for {tag}" if others else "")
    labels = named[tag].labels
    reasons = []
    if labels.get(LOCK) != recipe.fingerprint:
        reasons.append("its recipe or lock has changed since")
    if base_id is not None and labels.get(BASE) != base_id:
        reasons.append(f"it is not made from today's {base}")
    upon = labels.get(BASE, "?").removeprefix("sha256:")[:12]
    return AgentState(recipe.name, version, tag, f"{tag} ({labels.get(VERSION)}, on {upon})", " and ".join(reasons))
