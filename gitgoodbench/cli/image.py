"""gitgoodbench image"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from gitgoodbench.cli.command import Command
from gitgoodbench.cli.options import ImageBase
from gitgoodbench.cli.output import echo
from gitgoodbench.errors import UserError

app = typer.Typer(
    help="Build images: of the docker sandbox, of it with an agent, and of the OpenEnv server.", no_args_is_help=True
)

EVERY_AGENT: Final = "all"


@app.callback()
def _root() -> None:
    pass


@app.command("build", cls=Command)
def build(
    tag: Annotated[str | None, typer.Option("--tag", help="Name of the image. Default: the one runs use.")] = None,
    base: Annotated[
        ImageBase, typer.Option("--base", help="registry: from the Dockerfile; debootstrap: from Debian's packages.")
    ] = ImageBase.AUTO,
    agent: Annotated[
        list[str] | None,
        typer.Option("--agent", help="Put this agent into the image; again for an image of another, or `all`."),
    ] = None,
    upon: Annotated[
        str | None, typer.Option("--upon", help="Image to put the agent into. Default: that of `image build`.")
    ] = None,
) -> int:
    """Build the image: from a Dockerfile where a registry is reachable, else with debootstrap.

    With --agent: put an agent into that image, from npm or the Python index, exactly as its lock says.

    Examples:

      gitgoodbench image build

      sudo gitgoodbench image build --base debootstrap

      gitgoodbench image build --agent codex --agent opencode
    """
    from gitgoodbench.sandbox.daemon import DEFAULT_IMAGE
    from gitgoodbench.sandbox.image import build_image

    if agent:
        return _build_agents(agent, tag, upon or DEFAULT_IMAGE)
    if upon:
        raise UserError(f"--upon {upon} is for --agent: --base says what the image of the sandbox is made of")
    built = build_image(tag or DEFAULT_IMAGE, base.value, lambda line: echo(line, err=True))
    echo(f"{built.tag} {built.image_id} ({built.base}, {built.git})")
    return 0


def _build_agents(names: list[str], tag: str | None, base: str) -> int:
    from gitgoodbench.agents.images.build import build_agent_image
    from gitgoodbench.agents.images.recipe import read_recipe, read_recipes

    recipes = {
        recipe.name: recipe
        for name in names
        for recipe in (read_recipes().values() if name == EVERY_AGENT else [read_recipe(name)])
        if name == recipe.name or not recipe.content.terms
    }
    if tag and len(recipes) > 1:
        raise UserError(f"--tag {tag} is the name of one image, and these are {len(recipes)}: {', '.join(recipes)}")
    for recipe in recipes.values():
        built = build_agent_image(recipe, tag, base, progress=lambda line: echo(line, err=True))
        size = f"{built.size / 1e6:.0f} MB"
        echo(f"{built.tag} {built.id} ({built.agent} {built.version}, {size}{'' if built.new else ', unchanged'})")
    return 0


@app.command("openenv", cls=Command)
def openenv(
    tag: Annotated[str | None, typer.Option("--tag", help="Name. Default: gitgoodbench-openenv:latest.")] = None,
    base: Annotated[
        str | None, typer.Option("--base", help="Image to build upon. Default: that of `image build`.")
    ] = None,
    wheel: Annotated[
        Path | None, typer.Option("--wheel", help="Wheel of gitgoodbench. Default: this version, from the index.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="What pip trusts, where a proxy signs for the index.")
    ] = None,
    index: Annotated[str | None, typer.Option("--index", help="Another package index than PyPI.")] = None,
    network: Annotated[str | None, typer.Option("--network", help="Docker network of the steps, such as host.")] = None,
) -> int:
    """Build the image of the OpenEnv server: `serve --openenv`, with sandboxes of its own inside the container.

    Examples:

      gitgoodbench image openenv

      gitgoodbench image openenv --wheel dist/gitgoodbench-0.1.0-py3-none-any.whl --network host
    """
    from gitgoodbench.frameworks.openenv_image import DEFAULT_TAG, Recipe, build_openenv_image
    from gitgoodbench.sandbox.daemon import DEFAULT_IMAGE

    recipe = Recipe(base or DEFAULT_IMAGE, wheel, certificate, index, network)
    chosen = tag or DEFAULT_TAG
    built = build_openenv_image(recipe, chosen, lambda line: echo(line, err=True))
    echo(f"{chosen} {built}")
    return 0
