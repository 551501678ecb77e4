"""The image of `gitgoodbench serve --openenv`, for trainers elsewhere. Building it takes no extra on this machine."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitgoodbench import __version__
from gitgoodbench.errors import UserError
from gitgoodbench.folders import temporary_folder
from gitgoodbench.sandbox.daemon import DEFAULT_IMAGE, brief, connect_to_docker, docker_errors
from gitgoodbench.sandbox.image import follow_build

DEFAULT_TAG: Final = "gitgoodbench-openenv:latest"
_RECIPE: Final = Path(__file__).with_name("openenv") / "Dockerfile"


@dataclass(frozen=True)
class Recipe:
    """What the image is made of.

    base: an image with Git, Python 3.11 or newer and the user `agent`. wheel: this gitgoodbench; None: the version that
    runs here, from the package index. certificate: what pip trusts besides, where a proxy signs for the index.
    index: another package index. network: where the steps run, `host` where the usual one reaches no index.
    """

    base: str = DEFAULT_IMAGE
    wheel: Path | None = None
    certificate: Path | None = None
    index: str | None = None
    network: str | None = None

    @property
    def arguments(self) -> dict[str, str]:
        """Of the build."""
        arguments = {"BASE": self.base, "REQUIREMENT": f"gitgoodbench[openenv]=={__version__}"}
        if self.wheel is not None:
            arguments["REQUIREMENT"] = f"gitgoodbench[openenv] @ file:///build/wheels/{self.wheel.name}"
        if self.certificate is not None:
            arguments["PIP_CERT"] = "/build/certificate.pem"
        if self.index is not None:
            arguments["PIP_INDEX_URL"] = self.index
        return arguments

    def write(self, folder: Path) -> None:
        """Write what the build copies: equal for equal recipes, so that Docker uses its layers again.

        Raises:
            UserError: a file is not there, or is no wheel.
        """
        (folder / "wheels").mkdir(parents=True)
        shutil.copy(_RECIPE, folder / "Dockerfile")
        if self.wheel is not None:
            if self.wheel.suffix != ".whl":
                raise UserError(f"--wheel {self.wheel} is no wheel: make one with `pip wheel --no-deps .`")
            _copy("--wheel", self.wheel, folder / "wheels" / self.wheel.name)
        if self.certificate is not None:
            _copy("--certificate", self.certificate, folder / "certificate.pem")


def build_openenv_image(recipe: Recipe, tag: str, progress: Callable[[str], None]) -> str:
    """Build the image; its id.

    Args:
        progress: called with every line that the build prints.

    Raises:
        UserError: Docker does not answer, or the image cannot be built, with the reason.
    """
    with temporary_folder("build", large=True) as scratch:
        folder = scratch / "context"
        recipe.write(folder)
        client = connect_to_docker()
        try:
            steps = client.api.build(
                path=str(folder), tag=tag, buildargs=recipe.arguments, network_mode=recipe.network,
                rm=True, forcerm=True, decode=True,
            )  # fmt: skip
            follow_build(steps, progress)
            return str(client.images.get(tag).id)
        except docker_errors() as problem:
            raise UserError(f"the image cannot be built: {brief(problem)}") from problem


def _copy(option: str, file: Path, place: Path) -> None:
    try:
        shutil.copy(file, place)
    except OSError as problem:
        raise UserError(f"{option} {file} cannot be read: {problem.strerror}") from problem
