"""Packages with plug-ins, installed for a test: modules and a dist-info folder in a folder on sys.path."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from gitgoodbench.plugins import plugins


def write_package(
    folder: Path, name: str, files: Mapping[str, str], points: Mapping[str, Mapping[str, str]], version: str = "1.0"
) -> None:
    """Lay a package out as pip does."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    groups = [
        f"[{group}]\n" + "".join(f"{point} = {value}\n" for point, value in entries.items())
        for group, entries in points.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(groups))


@contextmanager
def installed(folder: Path) -> Iterator[None]:
    """What lies in the folder is found while this lasts."""
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    forget()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            if getattr(sys.modules[name], "__file__", None) and str(folder) in str(sys.modules[name].__file__):
                del sys.modules[name]
        forget()


def forget() -> None:
    """Look at what is installed anew."""
    importlib.invalidate_caches()
    plugins.cache_clear()
