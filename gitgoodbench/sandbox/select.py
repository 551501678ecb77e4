"""The kinds of sandboxes that come with the harness, and choosing one by name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from gitgoodbench.errors import UserError
from gitgoodbench.plugin_options import Alias, Resolved, options_in, spelled_option
from gitgoodbench.plugins import SANDBOXES, plugins
from gitgoodbench.sandbox.base import Choice, SandboxKind, SandboxSettings
from gitgoodbench.sandbox.daemon import DockerUnavailable
from gitgoodbench.sandbox.docker import DockerProvider
from gitgoodbench.sandbox.local import LocalProvider
from gitgoodbench.text import did_you_mean

AUTO: Final = "auto"
_LOCAL_WARNING: Final = "commands run on this machine without isolation"


class DockerOptions(BaseModel):
    """What a user chooses of containers. The manifest compares the id that an image's name stands for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    image: Annotated[str | None, Alias("image"), Resolved()] = Field(
        default=None, description="Image of the containers. Default: that of `gitgoodbench image build`."
    )
    docker_host: Annotated[str | None, Alias("docker-host"), Resolved()] = Field(
        default=None,
        description="The Docker daemon: unix:///PATH, tcp://HOST:PORT or ssh://USER@HOST. Default: DOCKER_HOST, else "
        "the current context of the docker command.",
    )


class PodmanOptions(BaseModel):
    """What a user chooses of Podman's containers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    image: Annotated[str | None, Resolved()] = Field(
        default=None, description="Image of the containers. Default: that of `gitgoodbench image build`."
    )
    podman_host: Annotated[str | None, Resolved()] = Field(
        default=None, description="Podman's API, such as unix:///run/user/1000/podman/podman.sock. Default: found."
    )


class Podman(SandboxKind):
    """`podman`: a container for each episode, rootless where Podman is."""

    options = PodmanOptions

    def choose(self, settings: SandboxSettings) -> Choice:
        from gitgoodbench.sandbox.podman import PodmanProvider

        own = options_in(settings.own, PodmanOptions)
        provider = PodmanProvider(own.image, settings.limits, needs=settings.needs, host=own.podman_host)
        caveat = f"; it does not enforce {', '.join(provider.unenforced())}"
        return Choice(provider, f"sandbox podman: image {provider.image} ({provider.image_id[:19]}){caveat}")


class Docker(SandboxKind):
    """`docker`: a container for each episode."""

    options = DockerOptions

    def choose(self, settings: SandboxSettings) -> Choice:
        own = options_in(settings.own, DockerOptions)
        provider = DockerProvider(own.image, settings.limits, needs=settings.needs, host=own.docker_host)
        return Choice(provider, provider.summary)


class Local(SandboxKind):
    """`local`: a temporary folder on this machine."""

    def choose(self, settings: SandboxSettings) -> Choice:
        return Choice(LocalProvider(settings.limits), f"sandbox local, as asked for: {_LOCAL_WARNING}")


class Auto(SandboxKind):
    """`auto`: Docker where it answers and has the image, else `local`, unless the agent runs a program of its own."""

    among = ("docker", "local")

    def choose(self, settings: SandboxSettings) -> Choice:
        try:
            return Docker().choose(settings)
        except DockerUnavailable as problem:
            if settings.needs is not None:
                raise
            return Choice(LocalProvider(settings.limits), f"sandbox local: {_LOCAL_WARNING}, since {problem}")


def make_provider(kind: str = AUTO, settings: SandboxSettings | None = None) -> Choice:
    """The provider of that kind. Its reason also names options of other kinds, which do nothing.

    Raises:
        UserError: there is no such kind, or it is not available here, or the limits contradict each other.
    """
    installed = plugins(SANDBOXES)
    if kind not in installed:
        known = ", ".join(installed)
        raise UserError(
            f"--sandbox {kind}: there is no such sandbox; {did_you_mean(kind, installed)}installed are: {known}"
        )
    chosen: SandboxKind = installed[kind].object
    settings = settings or SandboxSettings()
    choice = chosen.choose(settings)
    unused = list(_unused_options(kind, chosen, settings.own))
    return replace(choice, reason="; ".join([choice.reason, *unused])) if unused else choice


def _unused_options(kind: str, chosen: SandboxKind, own: Sequence[BaseModel]) -> Iterator[str]:
    """What is given for kinds that have no part in the choice. A variable may well be set for all runs of a machine."""
    others = [name for name in plugins(SANDBOXES) if name not in (kind, *chosen.among)] if own else []
    for name in others:
        with contextlib.suppress(UserError):
            declared = plugins(SANDBOXES)[name].object.options
            for given in own:
                if type(given) is declared and declared is not chosen.options:
                    options = ", ".join(
                        spelled_option(name, given, option) for option in sorted(given.model_fields_set)
                    )
                    yield f"not used, since it is for --sandbox {name}: {options}"
