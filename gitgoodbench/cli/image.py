"""gitgoodbench image"""

from __future__ import annotations

from typing import Annotated

import typer

from gitgoodbench.cli.command import Command
from gitgoodbench.cli.options import ImageBase
from gitgoodbench.cli.output import echo

app = typer.Typer(help="Build the image of the docker sandbox.", no_args_is_help=True)


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
