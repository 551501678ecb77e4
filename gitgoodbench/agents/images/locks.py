"""Locks: the exact packages of an agent, with checksums. npm's are in its package-lock.json, pip's in requirements.

Neither names a registry, so that each user's own configuration says where packages come from.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gitgoodbench.agents.images.recipe import NpmPackage, PipPackages, Recipe
from gitgoodbench.errors import UserError

_ALGORITHM: Final = "sha512"
_REQUIREMENT: Final = re.compile(r"([A-Za-z0-9][\w.-]*)==([\w.!+-]+)((?:\s+--hash=sha256:[0-9a-f]{64})+)")


@dataclass(frozen=True)
class LockedTarball:
    """A package of the npm registry. sha512: of its tarball, in hexadecimal digits."""

    name: str
    version: str
    sha512: str

    @property
    def integrity(self) -> str:
        """The checksum as npm writes it."""
        return integrity_of(self.sha512)

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"


@dataclass(frozen=True)
class LockedWheel:
    """A package of the Python index. sha256: of each file that it may be."""

    name: str
    version: str
    sha256: frozenset[str]

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"


@dataclass(frozen=True)
class Lock:
    """What a recipe's lock says. version: of the agent. tarballs: by their keys."""

    version: str
    tarballs: Mapping[str, LockedTarball]
    wheels: tuple[LockedWheel, ...]


def read_lock(recipe: Recipe) -> Lock:
    """The lock of a recipe.

    Raises:
        UserError: it is not there, cannot be read, or does not pin what the recipe takes.
    """
    try:
        text = recipe.lock_path.read_text("utf-8")
        if recipe.content.pip is not None:
            return _read_requirements(text, recipe.content.pip)
        return _read_package_lock(json.loads(text), recipe.content.npm)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise UserError(
            f"{recipe.lock_path.name} does not pin what the recipe of {recipe.name} takes ({problem}): "
            f"make it anew with `python -m gitgoodbench.agents.images.lock {recipe.name}`"
        ) from problem


def _read_package_lock(content: Any, packages: Iterable[NpmPackage]) -> Lock:
    version = str(content["version"])
    tarballs = {}
    for package in packages:
        entry = content["packages"][f"node_modules/{package.lock_key}"]
        locked = LockedTarball(package.name, str(entry["version"]), digest_of(str(entry["integrity"])))
        if locked.version != package.version.format(version=version):
            raise ValueError(f"it has {locked}")
        tarballs[package.lock_key] = locked
    return Lock(version, tarballs, ())


def _read_requirements(text: str, packages: PipPackages) -> Lock:
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")]
    wheels = []
    for line in lines:
        found = _REQUIREMENT.fullmatch(line.strip())
        if found is None:
            raise ValueError(f"line {line.strip()[:80]!r}")
        hashes = frozenset(part.removeprefix("--hash=sha256:") for part in found[3].split())
        wheels.append(LockedWheel(found[1], found[2], hashes))
    version = next((wheel.version for wheel in wheels if wheel.name == packages.name), None)
    if version is None:
        raise ValueError(f"no {packages.name}")
    return Lock(version, {}, tuple(wheels))


def write_package_lock(recipe: Recipe, version: str, integrities: Mapping[str, str]) -> str:
    """The text of npm's lock. integrities: of each package by its key."""
    packages: dict[str, Any] = {
        "": {
            "name": recipe.name,
            "version": version,
            "optionalDependencies": {
                part.lock_key: _wanted(part, version)
                for part in sorted(recipe.content.npm, key=lambda part: part.lock_key)
            },
        }
    }
    for part in sorted(recipe.content.npm, key=lambda part: part.lock_key):
        system, _, processor = part.platform.partition("/")
        packages[f"node_modules/{part.lock_key}"] = {
            **({"name": part.name} if part.key else {}),
            "version": part.version.format(version=version),
            "integrity": integrities[part.lock_key],
            "cpu": [{"amd64": "x64"}.get(processor, processor)],
            "os": [system],
            "optional": True,
        }
    content = {"name": recipe.name, "version": version, "lockfileVersion": 3, "requires": True, "packages": packages}
    return json.dumps(content, indent=2) + "\n"


def _wanted(part: NpmPackage, version: str) -> str:
    exact = part.version.format(version=version)
    return f"npm:{part.name}@{exact}" if part.key else exact


def write_requirements(wheels: Iterable[LockedWheel]) -> str:
    """The text of pip's lock, as `--require-hashes` takes it."""
    blocks = []
    for wheel in sorted(wheels, key=lambda wheel: wheel.name):
        blocks.append(" \\\n".join([str(wheel), *(f"    --hash=sha256:{digest}" for digest in sorted(wheel.sha256))]))
    return "\n".join(blocks) + "\n"


def digest_of(integrity: str) -> str:
    """The SHA-512 of npm's `sha512-…`, in hexadecimal digits.

    Raises:
        ValueError: it is none.
    """
    algorithm, _, encoded = integrity.partition("-")
    digest = base64.b64decode(encoded, validate=True)
    if algorithm != _ALGORITHM or len(digest) != 64:
        raise ValueError(f"{integrity!r} is no sha512")
    return digest.hex()


def integrity_of(digest: str) -> str:
    """What `digest_of` reads."""
    return f"{_ALGORITHM}-{base64.b64encode(bytes.fromhex(digest)).decode('ascii')}"
