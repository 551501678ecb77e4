"""Building the sandbox image: from the Dockerfile where a registry answers, else from Debian's packages alone.

Both ways give Debian bookworm with Git, Python and CA certificates, and two users who own nothing.
"""

from __future__ import annotations

import collections
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from gitgoodbench.errors import UserError
from gitgoodbench.folders import make_folder, remove_folder
from gitgoodbench.sandbox.daemon import DEFAULT_IMAGE, brief, connect_to_docker, docker_errors
from gitgoodbench.sandbox.docker import DockerProvider

if TYPE_CHECKING:
    from docker.client import DockerClient

ImageBase = Literal["auto", "registry", "debootstrap"]
Progress = Callable[[str], None]

_SUITE: Final = "bookworm"
_PACKAGES: Final = "git,ca-certificates,python3"
_USERS: Final = {"agent": "1000", "supervisor": "1001"}
_LEAVE_OUT: Final = ("var/cache/apt", "var/lib/apt/lists", "var/log", "proc", "sys")


@dataclass(frozen=True)
class BuiltImage:
    """An image that was built and found to work. `image_id`: sha256:…; `git`: what its Git says of its version."""

    tag: str
    image_id: str
    base: ImageBase
    git: str


def build_image(
    tag: str = DEFAULT_IMAGE, base: ImageBase = "auto", progress: Progress = lambda _line: None
) -> BuiltImage:
    """Build the image, and run Git in it once.

    Args:
        base: where it comes from; `auto` tries the registry and then debootstrap.
        progress: called with every line that the build prints.

    Raises:
        UserError: Docker does not answer, or the image cannot be built: the reason, for every way that was tried.
    """
    used = _build(connect_to_docker(), tag, base, progress)
    described = DockerProvider(tag).describe()
    if not described["git"].startswith("git version"):
        raise UserError(f"image {tag} was built, but Git does not run in it")
    return BuiltImage(tag, described["image_id"], used, described["git"])


def _build(client: DockerClient, tag: str, base: ImageBase, progress: Progress) -> ImageBase:
    if base == "debootstrap":
        _build_with_debootstrap(client, tag, progress)
        return base
    try:
        _build_from_dockerfile(client, tag, progress)
    except UserError as first:
        if base == "registry":
            raise
        progress(f"{first}; trying debootstrap")
        try:
            _build_with_debootstrap(client, tag, progress)
        except UserError as second:
            raise UserError(f"no image could be built. {first}. {second}") from second
        return "debootstrap"
    return "registry"


def _build_from_dockerfile(client: DockerClient, tag: str, progress: Progress) -> None:
    try:
        with Path(__file__).with_name("Dockerfile").open("rb") as dockerfile:
            follow_build(client.api.build(fileobj=dockerfile, tag=tag, rm=True, forcerm=True, decode=True), progress)
    except docker_errors() as problem:
        raise UserError(f"the image cannot be built from the registry: {brief(problem)}") from problem


def _build_with_debootstrap(client: DockerClient, tag: str, progress: Progress) -> None:
    if shutil.which("debootstrap") is None:
        raise UserError("debootstrap is not installed: install it (Debian, Ubuntu: apt-get install debootstrap)")
    if os.geteuid() != 0:
        raise UserError("debootstrap must run as root: run `sudo gitgoodbench image build --base debootstrap`")
    folder = make_folder("image", large=True)
    try:
        root = folder / "root"
        _run(["debootstrap", "--variant=minbase", f"--include={_PACKAGES}", _SUITE, str(root)], progress)
        for name, uid in _USERS.items():
            user = ["useradd", "--no-create-home", "--home-dir", "/tmp", "--uid", uid, "--user-group", name]
            _run(["chroot", str(root), *user], progress)
        _import(client, root, tag, progress)
    finally:
        remove_folder(folder)


def _import(client: DockerClient, root: Path, tag: str, progress: Progress) -> None:
    from docker.utils import parse_repository_tag

    repository, version = parse_repository_tag(tag)
    left_out = [f"--exclude=./{path}/*" for path in _LEAVE_OUT]
    archive = ["tar", "--create", "--numeric-owner", *left_out, f"--directory={root}", "."]
    progress(f"importing as {tag}")
    with subprocess.Popen(archive, stdout=subprocess.PIPE) as tar:
        assert tar.stdout is not None
        try:
            answer = client.api.import_image(
                src=_pieces(tar.stdout.read), stream_src=True, repository=repository, tag=version or "latest",
                changes=["USER agent", "ENV PATH=/usr/local/bin:/usr/bin:/bin"],
            )  # fmt: skip
        except docker_errors() as problem:
            tar.kill()
            raise UserError(f"Docker does not import the image: {brief(problem)}") from problem
    if tar.returncode != 0:
        raise UserError(f"tar failed with exit code {tar.returncode}: the image {tag} is not whole; build it again")
    if '"error"' in answer:
        raise UserError(f"Docker does not import the image: {answer.strip()[-300:]}")


def _pieces(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while piece := read(1024 * 1024):
        yield piece


def follow_build(events: Iterable[Mapping[str, Any]], progress: Progress) -> None:
    """Tell what Docker says of a build from a Dockerfile.

    Raises:
        UserError: it fails, for the reason that Docker gives.
    """
    for event in events:
        if "error" in event:
            raise UserError(f"the image cannot be built from its Dockerfile: {str(event['error']).strip()[-300:]}")
        for line in str(event.get("stream") or event.get("status") or "").splitlines():
            if line.strip():
                progress(line)


def _run(argv: list[str], progress: Progress) -> None:
    """Run a program of the build; its last lines go into the error when it fails."""
    last: collections.deque[str] = collections.deque(maxlen=3)
    environment = {**os.environ, "LC_ALL": "C"}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment) as process:
        assert process.stdout is not None
        for raw in process.stdout:
            line = raw.decode("utf-8", "replace").strip()
            last.append(line)
            progress(line)
    if process.returncode != 0:
        raise UserError(f"{argv[0]} failed: {' | '.join(last)}")
