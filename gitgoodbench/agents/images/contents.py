"""What goes into an agent's image, read from checked archives and written as a build context. Archives are not trusted.

Nothing is unpacked on this machine: files go from one archive into another. Names that would leave the agent's folder,
links and devices are refused; owner, mode and times are ours.
"""

from __future__ import annotations

import io
import posixpath
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Final

from gitgoodbench.agents.images.recipe import NpmPackage, PipPackages
from gitgoodbench.errors import UserError

_PROGRAM: Final = 0o555
_FILE: Final = 0o444
_FOLDER: Final = 0o755
_PROGRAMS: Final = "bin/"
"""Folder of programs, whatever the mode that their package gives them."""

_WRITTEN: Final = 1_000_000_000
"""The time of every file, so that equal contents are equal to Docker's cache."""

_MOST: Final = 4 * 1024**3
"""Bytes that the files of one image may have."""


class ContextWriter:
    """Writes the files of a build context into a tar archive. folder: where those of the agent go."""

    def __init__(self, archive: tarfile.TarFile, folder: str) -> None:
        self._archive = archive
        self._folder = folder
        self._made: set[str] = set()
        self._size = 0

    def add(self, place: str, size: int, content: IO[bytes], *, program: bool = False) -> None:
        """Add a file of the agent.

        Raises:
            UserError: its name leaves the folder or is taken, or there is too much.
        """
        self._size += size
        if self._size > _MOST:
            raise UserError(f"the agent's files have more than {_MOST} bytes")
        self.write(f"{self._folder}/{checked(place, place)}", size, content, program=program)

    def write(self, place: str, size: int, content: IO[bytes], *, program: bool = False) -> None:
        """Add any file of the context."""
        if place in self._made:
            raise UserError(f"two files of the agent would be {place}")
        for parent in reversed(list(_parents(place))):
            if parent not in self._made:
                self._made.add(parent)
                self._archive.addfile(_entry(parent, _FOLDER, tarfile.DIRTYPE))
        self._made.add(place)
        entry = _entry(place, _PROGRAM if program else _FILE, tarfile.REGTYPE)
        entry.size = size
        self._archive.addfile(entry, content)

    def write_text(self, place: str, text: str) -> None:
        """Add a small file of the context."""
        data = text.encode()
        self.write(place, len(data), io.BytesIO(data))


def _entry(name: str, mode: int, kind: bytes) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.mtime = kind, mode, _WRITTEN
    return entry


def _parents(place: str) -> Iterator[str]:
    while place := posixpath.dirname(place):
        yield place


def add_tarball(writer: ContextWriter, package: NpmPackage, tarball: Path) -> None:
    """Add what a recipe takes of a package.

    Raises:
        UserError: it is no tarball of npm, or has not what the recipe takes.
    """
    missing = set(package.files)
    try:
        with tarfile.open(tarball, "r:gz") as archive:
            for member in archive:
                name = checked(member.name, f"{package.name}: {member.name}")
                source = _source(name, package.files)
                if source is None or member.isdir() or _matches(name, package.skip):
                    continue
                content = archive.extractfile(member) if member.isreg() else None
                if content is None:
                    raise UserError(f"{package.name}: {name} is a link or a device, and nothing of that is taken")
                missing.discard(source)
                place = package.files[source] + name[len(source) :] if source.endswith("/") else package.files[source]
                program = bool(member.mode & 0o111) or place.startswith(_PROGRAMS)
                writer.add(place, member.size, content, program=program)
    except (tarfile.TarError, EOFError, OSError) as problem:
        raise UserError(f"the tarball of {package.name} cannot be read: {problem}") from problem
    if missing:
        raise UserError(f"{package.name} has no {', '.join(sorted(missing))}, which the recipe takes")


def _source(name: str, files: Iterable[str]) -> str | None:
    """The entry of `files` that a file goes by: its own, else that of the nearest folder."""
    fitting = [source for source in files if name == source or (source.endswith("/") and name.startswith(source))]
    return max(fitting, key=len, default=None)


def add_wheel(writer: ContextWriter, packages: PipPackages, wheel: Path) -> None:
    """Add the modules of a wheel; scripts, headers and further data stay out.

    Raises:
        UserError: it is no wheel.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.infolist():
                name = checked(member.filename, f"{wheel.name}: {member.filename}")
                place = _module(name)
                if place is None or member.is_dir() or _matches(place, packages.skip):
                    continue
                if (member.external_attr >> 16) & 0o170000 not in (0, 0o100000):
                    raise UserError(f"{wheel.name}: {name} is a link or a device, and nothing of that is taken")
                with archive.open(member) as content:
                    writer.add(f"{packages.into}/{place}", member.file_size, content)
    except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError) as problem:
        raise UserError(f"the wheel {wheel.name} cannot be read: {problem}") from problem


def _module(name: str) -> str | None:
    """Where a file of a wheel goes among the modules; None where it is none."""
    top, _, rest = name.partition("/")
    if not top.endswith(".data"):
        return name
    kind, _, place = rest.partition("/")
    return place if kind in ("purelib", "platlib") and place else None


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def checked(name: str, shown: str) -> str:
    """A path that stays in its folder, without a slash at its end.

    Raises:
        UserError: it does not.
    """
    plain = name.rstrip("/").removeprefix("./")
    if (
        not plain
        or plain.startswith("/")
        or "\0" in plain
        or "\\" in plain
        or posixpath.normpath(plain) != plain
        or plain.split("/")[0] == ".."
    ):
        raise UserError(f"{shown!r} is no path inside its folder, so nothing of that archive is taken")
    return plain
