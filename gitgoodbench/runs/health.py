"""Whether this machine has what a run needs, what is missing, and how to get it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gitgoodbench.cache import cache_home
from gitgoodbench.errors import UserError
from gitgoodbench.git.version import GIT_NEEDED, host_git_version, is_new_enough
from gitgoodbench.workspace.room import Kept, describe_kept

_ENOUGH_DISK = 5 * 1024**3
_HUB_TIMEOUT_S = 10.0
_GIB = 1024**3


@dataclass(frozen=True)
class Check:
    """The result of one check.

    needed_for: what fails without it. hint: how to get it; empty where it is present. stale: it is there, and works,
    but is not what would be made now.
    """

    name: str
    ok: bool
    detail: str
    needed_for: str = ""
    hint: str = ""
    stale: bool = False


def check_all() -> Iterator[Check]:
    """Every check, one after the other; none takes longer than some seconds, and none raises."""
    yield Check("Python", True, sys.version.split()[0])
    yield check_git()
    yield from check_docker()
    yield from check_podman()
    yield from check_agent_images()
    yield from check_disk()
    yield from check_cache()
    yield check_key()
    yield check_built_in_suite()
    yield check_hub()


def check_git() -> Check:
    """Git on this machine, and whether it is new enough."""
    try:
        version = host_git_version()
    except UserError as problem:
        return Check("Git", False, str(problem), "everything", GIT_NEEDED)
    if is_new_enough(version):
        return Check("Git", True, version)
    return Check("Git", False, version, "everything", GIT_NEEDED)


def check_docker() -> Iterator[Check]:
    """The Docker daemon, and the sandbox image in it."""
    from gitgoodbench.sandbox.daemon import DEFAULT_IMAGE, connect_to_docker
    from gitgoodbench.sandbox.docker import DockerProvider

    needed = "--sandbox docker and --tools shell"
    try:
        client = connect_to_docker()
        version = str(client.version().get("Version"))
        client.close()
    except Exception as problem:  # the SDK raises whatever its parts raise
        yield Check("Docker", False, str(problem), needed, "install Docker, start it, and join the group docker")
        return
    yield Check("Docker", True, version)
    try:
        provider = DockerProvider(DEFAULT_IMAGE)
    except Exception as problem:  # the SDK raises whatever its parts raise
        yield Check("Image", False, str(problem), needed, "gitgoodbench image build")
        return
    yield Check("Image", True, f"{DEFAULT_IMAGE} {provider.image_id[:19]}")


def check_podman() -> Iterator[Check]:
    """Podman's API, where there is one."""
    from gitgoodbench.sandbox.podman import PodmanProvider, podman_is_there

    if not podman_is_there():
        return
    needed = "--sandbox podman"
    try:
        provider = PodmanProvider()
    except Exception as problem:  # the SDK raises whatever its parts raise
        yield Check("Podman", False, str(problem), needed, "docker save gitgoodbench-sandbox | podman load")
        return
    yield Check("Podman", True, f"image {provider.image} {provider.image_id[:19]}")


def check_agent_images() -> Iterator[Check]:
    """The images of command-line agents: a line for each that there is, and one for all others."""
    from gitgoodbench.agents.images.status import agent_states
    from gitgoodbench.sandbox.daemon import connect_to_docker

    try:
        client = connect_to_docker()
        states = list(agent_states(client))
        client.close()
    except Exception:  # without Docker there are none, and `check_docker` says so
        return
    for state in states:
        if state.found is None:
            continue
        if state.stale:
            hint = f"gitgoodbench image build --agent {state.agent}"
            yield Check("Agent", False, f"{state.found}: {state.stale}", f"--agent {state.agent}", hint, stale=True)
        else:
            yield Check("Agent", True, state.found)
    if absent := [state.agent for state in states if state.found is None]:
        hint = "gitgoodbench image build --agent NAME"
        yield Check("Agent", False, f"no image of {', '.join(absent)}", "--agent with one of these", hint)


def check_disk() -> Iterator[Check]:
    """Free space where repositories are cached and where sandboxes and scoring work."""
    try:
        places = {"cache": cache_home(), "temporary files": Path(tempfile.gettempdir())}
    except UserError as problem:
        yield Check("Disk", False, str(problem), "the repository cache", "set GITGOODBENCH_CACHE to a folder")
        return
    for name, folder in places.items():
        there = next(parent for parent in (folder, *folder.parents) if parent.exists())
        free = shutil.disk_usage(there).free
        detail = f"{free / _GIB:.1f} GiB free for {name} in {folder}"
        if free >= _ENOUGH_DISK and os.access(there, os.W_OK):
            yield Check("Disk", True, detail)
        else:
            variable = "GITGOODBENCH_CACHE" if name == "cache" else "TMPDIR"
            yield Check("Disk", False, detail, "large repositories", f"make room, or set {variable} to another folder")


def check_cache() -> Iterator[Check]:
    """What is kept prepared of samples, and of repositories that were sent to this machine."""
    try:
        samples, sent = describe_kept()
    except UserError:  # said of the disk
        return
    yield Check("Cache", True, _kept(samples, "prepared samples"))
    if sent.entries or sent.stale:
        yield Check("Cache", True, _kept(sent, "repositories that a run on a cluster has sent"))


def _kept(kept: Kept, what: str) -> str:
    left = f", and {kept.stale} left by processes that were killed (gitgoodbench clean)" if kept.stale else ""
    return f"{kept.entries} {what}, {kept.bytes / _GIB:.1f} GiB in {kept.folder}{left}"


def check_key() -> Check:
    """Whether a key, or another server, is set; the key itself is never shown."""
    server = os.environ.get("OPENAI_BASE_URL")
    if os.environ.get("OPENAI_API_KEY", "").strip():
        return Check("Key", True, "OPENAI_API_KEY is set" + (f", for {server}" if server else ""))
    if os.environ.get("ANTHROPIC_API_KEY", "").strip():
        return Check("Key", True, "ANTHROPIC_API_KEY is set, for --api anthropic")
    if server:
        return Check("Key", True, f"none, and perhaps none is needed by {server}")
    hint = "set OPENAI_API_KEY, or name a server of your own with --base-url; reference agents need neither"
    return Check("Key", False, "OPENAI_API_KEY is not set", "--agent openai", hint)


def check_built_in_suite() -> Check:
    """The suite `mini`."""
    from gitgoodbench.dataset.loaders import load_suite

    try:
        return Check("Suite mini", True, f"{len(load_suite('mini').samples)} samples")
    except UserError as problem:
        return Check("Suite mini", False, str(problem), "eval mini", "reinstall gitgoodbench")


def check_hub() -> Check:
    """The published suites: in the local cache, or on the hub."""
    from gitgoodbench.dataset.loaders import PUBLISHED, load_suite

    name = "Suite lite"
    try:
        return Check(name, True, f"{len(load_suite('lite', offline=True).samples)} samples in the local cache")
    except UserError:
        pass
    try:
        from huggingface_hub import HfApi

        HfApi().dataset_info(PUBLISHED["lite"].name, timeout=_HUB_TIMEOUT_S)
    except Exception as problem:  # the client raises whatever its parts raise
        hint = "connect, set HF_ENDPOINT to a mirror, or name a file of the same schema"
        detail = f"the hub does not answer: {' '.join(str(problem).split())[:160]}"
        return Check(name, False, detail, "eval lite, full, train", hint)
    return Check(name, True, "the hub answers; it is loaded at first use")
