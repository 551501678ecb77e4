"""Images of agents, from the real registries: `python bench/agent_images.py [AGENT...] [--starts N]`.

Builds each (without names, all) in a name of its own, three times: with an empty cache, with the packages kept, and
unchanged. Tells what is downloaded, what the image has beyond its base, seconds of the builds, and how long a sandbox
of it takes to start against one of the base, in turns; then goes over the image for what should not be in it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

from gitgoodbench.agents.images.build import BuiltAgent, build_agent_image
from gitgoodbench.agents.images.locks import read_lock
from gitgoodbench.agents.images.npm import NpmRegistry
from gitgoodbench.agents.images.recipe import Recipe, read_recipe, recipe_names
from gitgoodbench.agents.images.wheels import download_wheels
from gitgoodbench.sandbox.daemon import DEFAULT_IMAGE, connect_to_docker
from gitgoodbench.sandbox.docker import DockerProvider
from tests.support.agent_images import flaws

COLUMNS = (
    "agent", "version", "downloaded, MB", "image beyond its base, MB", "build, s", "packages kept", "unchanged",
    "start, in starts of the base", "should not be in it",
)  # fmt: skip


def timed(recipe: Recipe, tag: str, kept: Path) -> tuple[float, BuiltAgent]:
    started = time.perf_counter()
    built = build_agent_image(recipe, tag, registry=lambda: NpmRegistry(folder=kept))
    return time.perf_counter() - started, built


def size_of_packages(recipe: Recipe, scratch: Path) -> int:
    """Bytes that a build downloads. scratch: has the kept tarballs."""
    if recipe.content.pip is not None:
        platform, wheels = recipe.content.pip.platforms[0], read_lock(recipe).wheels
        download_wheels(
            recipe.lock_path, wheels, platform, recipe.content.pip.python, scratch / "kept", lambda _line: None
        )
    return sum(file.stat().st_size for file in (scratch / "kept").iterdir())


def start(provider: DockerProvider) -> float:
    started = time.perf_counter()
    with provider.open(run_id="bench", episode_id="start"):
        return time.perf_counter() - started


def measure(name: str, starts: int, base: DockerProvider) -> str:
    recipe = read_recipe(name)
    tag = f"gitgoodbench-bench-{name}:{os.getpid()}"
    client = connect_to_docker()
    below = client.images.get(DEFAULT_IMAGE).attrs["Size"]
    try:
        with tempfile.TemporaryDirectory(dir="/var/tmp") as scratch:
            first, built = timed(recipe, tag, Path(scratch) / "kept")
            downloaded = size_of_packages(recipe, Path(scratch))
            client.images.remove(tag)
            again, built = timed(recipe, tag, Path(scratch) / "kept")
            unchanged, built = timed(recipe, tag, Path(scratch) / "kept")
        provider = DockerProvider(tag)
        ratios = [start(provider) / start(base) for _ in range(starts)]
        own = (built.size - below) / 1e6
        found = flaws(provider, base, recipe)
    finally:
        client.images.remove(tag, force=True)
    figures = (downloaded / 1e6, own, first, again, unchanged)
    cells = (f"`{name}`", built.version, *(f"{figure:.0f}" for figure in figures), f"{statistics.median(ratios):.2f}")
    return f"| {' | '.join([*cells, '; '.join(found) or 'nothing'])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="*", default=recipe_names())
    parser.add_argument("--starts", type=int, default=15)
    given = parser.parse_args()
    base = DockerProvider(DEFAULT_IMAGE)
    start(base)
    print(f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}", sep="\n", flush=True)
    for name in given.agents:
        print(measure(name, given.starts, base), flush=True)


if __name__ == "__main__":
    main()
