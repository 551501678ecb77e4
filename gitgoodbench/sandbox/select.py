"""The kinds of sandboxes that come with the harness, and choosing one by name."""

from __future__ import annotations

from typing import Final

from gitgoodbench.errors import UserError
from gitgoodbench.plugins import SANDBOXES, plugins
from gitgoodbench.sandbox.base import Choice, SandboxKind, SandboxLimits, SandboxSettings
from gitgoodbench.sandbox.daemon import DEFAULT_IMAGE, DockerUnavailable
from gitgoodbench.sandbox.docker import DockerProvider
from gitgoodbench.sandbox.local import LocalProvider
from gitgoodbench.text import did_you_mean

AUTO: Final = "auto"
_LOCAL_WARNING: Final = "commands run on this machine without isolation"


class Docker(SandboxKind):
    """`docker`: a container for each episode."""

    def choose(self, settings: SandboxSettings) -> Choice:
        image = settings.image or DEFAULT_IMAGE
        provider = DockerProvider(image, settings.limits)
        unenforced = provider.unenforced()
        caveat = f"; this daemon does not enforce {', '.join(unenforced)}" if unenforced else ""
        return Choice(provider, f"sandbox docker: image {image} ({provider.image_id[:19]}){caveat}")


class Local(SandboxKind):
    """`local`: a temporary folder on this machine."""

    def choose(self, settings: SandboxSettings) -> Choice:
        return Choice(LocalProvider(settings.limits), f"sandbox local, as asked for: {_LOCAL_WARNING}")


class Auto(SandboxKind):
    """`auto`: Docker where it answers and has the image, else `local`."""

    def choose(self, settings: SandboxSettings) -> Choice:
        try:
            return Docker().choose(settings)
        except DockerUnavailable as problem:
            return Choice(LocalProvider(settings.limits), f"sandbox local: {_LOCAL_WARNING}, since {problem}")


def make_provider(
    kind: str = AUTO,
    image: str | None = None,
    limits: SandboxLimits | None = None,
    settings: SandboxSettings | None = None,
) -> Choice:
    """The provider of that kind.

    Args:
        settings: in place of `image` and `limits`.

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
    return chosen.choose(settings or SandboxSettings(image, limits))
