"""Making locks anew, for maintainers: `python -m gitgoodbench.agents.images.lock NAME [--version VERSION]`.

npm's checksums come from the registry, pip's from a resolution against the index alone, without local wheels.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from gitgoodbench.agents.images.locks import LockedWheel, digest_of, write_package_lock, write_requirements
from gitgoodbench.agents.images.npm import NpmRegistry
from gitgoodbench.agents.images.recipe import PipPackages, Recipe, read_recipe, recipe_names
from gitgoodbench.agents.images.wheels import run_pip, wheels_for
from gitgoodbench.errors import UserError
from gitgoodbench.files import write_atomically
from gitgoodbench.text import for_terminal, on_one_line

_ALONE: Final = {"PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": ""}


def make_lock(recipe: Recipe, version: str | None = None, registry: NpmRegistry | None = None) -> str:
    """The text of a recipe's lock, for a version of the agent or the newest.

    Raises:
        UserError: a registry does not answer, or has no such version.
    """
    if recipe.content.pip is not None:
        return write_requirements(_resolve(recipe.content.pip, version))
    registry = registry or NpmRegistry()
    chosen = version or registry.newest(recipe.content.newest or recipe.content.npm[0].name)
    integrities = {}
    for part in recipe.content.npm:
        integrity = registry.metadata(part.name, part.version.format(version=chosen))["dist"]["integrity"]
        digest_of(integrity)
        integrities[part.lock_key] = integrity
    return write_package_lock(recipe, chosen, integrities)


def _resolve(packages: PipPackages, version: str | None) -> list[LockedWheel]:
    """The wheels for all platforms, at the versions that the first platform's resolution gives."""
    wanted = packages.name if version is None else f"{packages.name}=={version}"
    versions: dict[str, str] = {}
    hashes: defaultdict[str, set[str]] = defaultdict(set)
    for platform in packages.platforms:
        pinned = [f"{name}=={exact}" for name, exact in versions.items()] or [wanted]
        report = _report(pinned, platform, packages.python)
        for item in report:
            name = _normal(item["metadata"]["name"])
            if name in packages.leave_out:
                continue
            if versions.setdefault(name, item["metadata"]["version"]) != item["metadata"]["version"]:
                raise UserError(f"{name} has no wheel of version {versions[name]} for {platform}")
            hashes[name].add(item["download_info"]["archive_info"]["hashes"]["sha256"])
    return [LockedWheel(name, versions[name], frozenset(digests)) for name, digests in hashes.items()]


def _report(requirements: Sequence[str], platform: str, python: str) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        arguments = ["install", "--dry-run", "--ignore-installed", "--target", scratch, "--report", str(report)]
        done = run_pip([*arguments, *wheels_for(platform, python), *requirements], _ALONE)
        if done.returncode != 0:
            raise UserError(f"pip does not resolve {requirements[0]} for {platform}: {done.stdout.strip()[-400:]}")
        items: list[dict[str, Any]] = json.loads(report.read_text("utf-8"))["install"]
    for item in items:
        if urlsplit(item["download_info"]["url"]).scheme != "https":
            raise UserError(f"{item['metadata']['name']} is from {item['download_info']['url']}, which is no index")
    return items


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m gitgoodbench.agents.images.lock", description=__doc__)
    parser.add_argument("agents", nargs="+", metavar="NAME", help=f"one of {', '.join(recipe_names())}, or all")
    parser.add_argument("--version", help="of the agent; default: the newest")
    given = parser.parse_args(arguments)
    try:
        for name in recipe_names() if given.agents == ["all"] else given.agents:
            recipe = read_recipe(name)
            write_atomically(recipe.lock_path, make_lock(recipe, given.version).encode())
            print(on_one_line(str(recipe.lock_path)))
    except UserError as problem:
        print(for_terminal(str(problem)), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
