"""gitgoodbench image"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gitgoodbench.cli.command import Command
from gitgoodbench.cli.options import ImageBase
from gitgoodbench.cli.output import echo

app = typer.Typer(help="Build images: of the docker sandbox, and of the OpenEnv server.", no_args_is_help=True)


@app.callback()
def _root() -> None:
    pass


@app.command("build", cls=Command)
def build(
    tag: Annotated[str | None, typer.Option("--tag", help="Name of the image. Default: the one runs use.")] = None,
    base: Annotated[
        ImageBase, typer.Option("--base", help="registry: from the Dockerfile; debootstrap: from Debian's packages.")
    ] = ImageBase.AUTO,
) -> int:
    """Build the image: from a Dockerfile where a registry is reachable, else with debootstrap.

    Examples:

      gitgoodbench image build

      sudo gitgoodbench image build --base debootstrap
    """
    from gitgoodbench.sandbox.daemon import DEFAULT_IMAGE
    from gitgoodbench.sandbox.image import build_image

    built = build_image(tag or DEFAULT_IMAGE, base.value, lambda line: echo(line, err=True))
    echo(f"{built.tag} {built.image_id} ({built.base}, {built.git})")
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
