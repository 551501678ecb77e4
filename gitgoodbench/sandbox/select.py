"""Choosing the kind of sandbox."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from gitgoodbench.sandbox.base import SandboxLimits, SandboxProvider
from gitgoodbench.sandbox.daemon import DEFAULT_IMAGE, DockerUnavailable
from gitgoodbench.sandbox.docker import DockerProvider
from gitgoodbench.sandbox.local import LocalProvider

SandboxKind = Literal["auto", "docker", "local"]

_LOCAL_WARNING: Final = "commands run on this machine without isolation"


@dataclass(frozen=True)
class Choice:
    """A provider, and one line for the user that says which it is and why."""

    provider: SandboxProvider
    reason: str


def make_provider(
    kind: SandboxKind = "auto", image: str = DEFAULT_IMAGE, limits: SandboxLimits | None = None
) -> Choice:
    """The provider of that kind; `auto` takes Docker where it answers and has the image, else `local`.

    Raises:
        UserError: Docker was asked for and is not available, or the limits contradict each other.
    """
    if kind == "local":
        return Choice(LocalProvider(limits), f"sandbox local, as asked for: {_LOCAL_WARNING}")
    try:
        provider = DockerProvider(image, limits)
    except DockerUnavailable as problem:
        if kind == "docker":
            raise
        return Choice(LocalProvider(limits), f"sandbox local: {_LOCAL_WARNING}, since {problem}")
    unenforced = provider.unenforced()
    caveat = f"; this daemon does not enforce {', '.join(unenforced)}" if unenforced else ""
    return Choice(provider, f"sandbox docker: image {image} ({provider.image_id[:19]}){caveat}")
