"""Wheels of the Python index: downloaded by this interpreter's pip for the image's Python, and checked."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from gitgoodbench.agents.images.locks import LockedWheel
from gitgoodbench.agents.images.npm import Progress
from gitgoodbench.errors import UserError

_GLIBC: Final = 36
"""Debian bookworm's glibc is 2.36."""

_PIP: Final = {"PIP_CONSTRAINT": os.devnull, "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
_MACHINES: Final = {"linux/amd64": "x86_64", "linux/arm64": "aarch64"}
_WAYS: Final = (
    "check the network; PIP_INDEX_URL names a mirror, HTTPS_PROXY a proxy, PIP_CERT the certificates to trust"
)


def download_wheels(
    requirements: Path, wheels: Sequence[LockedWheel], platform: str, python: str, folder: Path, progress: Progress
) -> list[Path]:
    """Download each wheel of a lock for a platform into `folder`.

    Args:
        requirements: the file of the lock.
        python: version of the Python that they are for, such as `3.11`.

    Raises:
        UserError: there is no pip, no index answers, or what it has is not what the lock says.
    """
    progress(f"downloading {len(wheels)} wheels")
    arguments = ["download", "--no-deps", "--require-hashes", "--requirement", str(requirements)]
    done = run_pip([*arguments, "--dest", str(folder), *wheels_for(platform, python)])
    if done.returncode != 0:
        raise UserError(f"the wheels of {requirements.name} cannot be downloaded: {_why(done.stdout)}")
    files = sorted(folder.glob("*.whl"))
    if len(files) != len(wheels):
        raise UserError(f"pip downloaded {len(files)} wheels of the {len(wheels)} in {requirements.name}")
    check_wheels(files, wheels)
    return files


def check_wheels(files: Iterable[Path], wheels: Iterable[LockedWheel]) -> None:
    """Compare files with their lock.

    Raises:
        UserError: a file is none of it.
    """
    known = {digest: wheel for wheel in wheels for digest in wheel.sha256}
    for path in files:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest not in known:
            raise UserError(f"{path.name} is not in the lock: got sha256:{digest}; nothing is installed")


def wheels_for(platform: str, python: str) -> list[str]:
    """pip's options for wheels of a platform and Python, whatever those of this process are."""
    return [
        "--only-binary=:all:", "--implementation=cp", f"--python-version={python}",
        *(f"--platform={tag}" for tag in _tags(_MACHINES[platform])),
    ]  # fmt: skip


def _tags(machine: str) -> Iterator[str]:
    for minor in range(_GLIBC, 4, -1):
        yield f"manylinux_2_{minor}_{machine}"
    for old in ("manylinux2014", "manylinux2010", "manylinux1", "linux"):
        yield f"{old}_{machine}"


def run_pip(arguments: Sequence[str], variables: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run this interpreter's pip, by the user's configuration but for constraints, which are of other environments.

    variables: set besides; an empty one is not set.

    Raises:
        UserError: there is none.
    """
    environment = {**os.environ, **_PIP, **(variables or {})}
    environment = {name: value for name, value in environment.items() if value}
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--no-color", "--quiet", *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
        encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    if done.returncode != 0 and "No module named pip" in done.stdout:
        raise UserError(f"{sys.executable} has no pip, which downloads wheels: run `{sys.executable} -m ensurepip`")
    return done


def _why(output: str) -> str:
    """The lines of pip's output that say why it failed."""
    if "DO NOT MATCH THE HASHES" in output:
        name = re.search(r"^\s+(\S.*?)(?: from \S+.*)?:$", output, re.MULTILINE)
        expected = re.findall(r"Expected (?:or )?sha256 (\w+)|^\s+or (\w{64})", output, re.MULTILINE)
        got = re.search(r"Got\s+(\w+)", output)
        wanted = " or ".join(f"sha256:{first or second}" for first, second in expected)
        return (
            f"{name[1] if name else 'a wheel'} is not the file of the lock: expected {wanted}, "
            f"got sha256:{got[1] if got else '?'}; nothing is installed"
        )
    errors = [line.removeprefix("ERROR: ") for line in output.splitlines() if line.startswith("ERROR: ")]
    said = " ".join((errors or output.strip().splitlines() or ["pip says nothing"])[-2:])
    unreachable = re.search(r"connection broken by '(\w+)", output) or "Could not find a version" in said
    return f"{said[:300]}: {_WAYS}" if unreachable else said[:300]
