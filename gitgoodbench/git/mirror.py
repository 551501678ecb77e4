"""Repositories of other people, which Git reads but never runs in.

Git does what the configuration, the attributes, the hooks and the grafts of its repository say, and no environment
overrides them all: a merge driver is a program. So a `Mirror` is no `Git`: it lends its objects, and its refs where
they are asked for, to an empty repository in a temporary folder, and Git runs there. Commit-graphs, indexes over packs
and bitmaps lie beside the objects and go on to work.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.folders import make_folder, remove_folder, tie_folder
from gitgoodbench.git.paths import parse_path, quote_path
from gitgoodbench.git.process import Git

_HARMLESS: Final = frozenset(
    ("noop", "noop-v1", "preciousobjects", "partialclone", "worktreeconfig", "relativeworktrees", "compatobjectformat")
)
"""Repository extensions that change neither how objects are read nor how refs are."""

_LONGEST_REF: Final = 4096
"""Bytes of a file under refs/: an object id, or the name of another ref."""

_HEAD: Final = re.compile(rb"ref:\s*refs/|[0-9a-f]{40}")
"""What Git wants of the file HEAD; where that says anything else, Git takes the folder for no repository."""

_REFTABLE_SINCE: Final = (2, 45)


class UnreadableRepositoryError(GitGoodBenchError):
    """A folder that is no repository, or one that Git cannot read; the message is the reason."""


@dataclass(frozen=True)
class Mirror:
    """The Git directory of a repository on this machine that is only read: the one with objects and refs."""

    git_dir: Path

    def borrow(self, *, refs: bool = False) -> Git:
        """A repository of this process with the objects of the mirror, its shallow boundary, and nothing else of it.

        It lasts as long as the `Git` that is returned, or the process.

        Args:
            refs: copy the refs and HEAD as they are now, too.

        Raises:
            UnreadableRepositoryError: the mirror is no repository, or needs a newer Git.
        """
        if not os.path.lexists(self.git_dir / "HEAD") or not (self.git_dir / "objects").is_dir():
            raise UnreadableRepositoryError("not a git repository: it has no HEAD or no objects")
        folder = make_folder("borrowed")
        git = Git(folder)
        tie_folder(folder, git)
        _write_closed(folder, "sha1")
        extensions = self._extensions(git)
        reftable = refs and extensions.get("refstorage", "files") == "reftable"
        if reftable and (version := _version(git)) < _REFTABLE_SINCE:
            raise UnreadableRepositoryError(
                f"its refs are kept as a reftable, which needs a newer Git: {_dotted(_REFTABLE_SINCE)} or later, "
                f"not {_dotted(version)}"
            )
        _write_closed(folder, extensions.get("objectformat", "sha1"), reftable=reftable)
        lent = "".join(f"{quote_path(bytes(place))}\n" for place in object_folders(self.git_dir))
        (folder / "objects" / "info" / "alternates").write_text(lent, encoding="ascii")
        boundary = self.git_dir / "shallow"
        if boundary.is_file():
            (folder / "shallow").write_bytes(boundary.read_bytes())
        if refs:
            _copy_refs(self.git_dir, folder, reftable=reftable)
        return git

    def setting(self, name: str) -> str:
        """What the mirror's own configuration file says, without what that includes; "" where it says nothing."""
        folder = make_folder("borrowed")
        try:
            _write_closed(folder, "sha1")
            return self._settings(Git(folder)).get(name, "")
        finally:
            remove_folder(folder)

    def _settings(self, elsewhere: Git) -> dict[str, str]:
        """Settings by their names as Git writes them: section and variable in small letters."""
        file = self.git_dir / "config"
        if not file.is_file():
            return {}
        listed = elsewhere.execute("config", "--no-includes", "--file", str(file), "--list", "-z")
        if listed.returncode != 0:
            complaint = " ".join(listed.stderr.decode("utf-8", "replace").split())
            raise UnreadableRepositoryError(complaint.removeprefix("fatal: "))
        entries = (entry.partition("\n") for entry in listed.stdout.decode("utf-8", "surrogateescape").split("\0"))
        return {name: value for name, _, value in entries if name}

    def _extensions(self, elsewhere: Git) -> Mapping[str, str]:
        """The repository's extensions, by their names in small letters, refused where they are not known."""
        settings = self._settings(elsewhere)
        version = settings.get("core.repositoryformatversion", "0")
        if version not in ("0", "1"):
            raise UnreadableRepositoryError(f"its format is {version!a}: a newer Git made it")
        found = {
            name.removeprefix("extensions."): value.lower()
            for name, value in settings.items()
            if name.startswith("extensions.")
        }
        unknown = sorted(found.keys() - _HARMLESS - {"objectformat", "refstorage"}) if version == "1" else []
        if unknown:
            raise UnreadableRepositoryError(f"unknown repository extension {unknown[0]!a}: it needs a newer Git")
        if (algorithm := found.get("objectformat", "sha1")) not in ("sha1", "sha256"):
            raise UnreadableRepositoryError(f"unknown object format {algorithm!a}: it needs a newer Git")
        if (storage := found.get("refstorage", "files")) not in ("files", "reftable"):
            raise UnreadableRepositoryError(f"unknown storage of refs {storage!a}: it needs a newer Git")
        return found


def shared_git_dir(place: Path) -> Path:
    """The Git directory with the objects: of a bare repository, a work tree, a linked work tree or a submodule.

    A path, whether or not anything is there.
    """
    git_dir = place / ".git"
    if git_dir.is_file():
        git_dir = place / _first_line(git_dir).removeprefix("gitdir: ")
    elif not git_dir.is_dir():
        git_dir = place
    shared = git_dir / "commondir"
    return Path(os.path.normpath(git_dir / _first_line(shared))) if shared.is_file() else git_dir


def object_folders(git_dir: Path | str) -> list[Path]:
    """Absolute paths of the folders with a repository's objects: its own, then those that it borrows from.

    Git follows five steps from repository to repository; whoever lists all of them takes none.
    """
    found: dict[Path, None] = {}
    waiting = [Path(git_dir, "objects").resolve()]
    while waiting:
        folder = waiting.pop(0)
        if folder not in found and folder.is_dir():
            found[folder] = None
            waiting += _alternates(folder)
    return list(found)


def _alternates(objects: Path) -> Iterator[Path]:
    try:
        lines = (objects / "info" / "alternates").read_bytes().split(b"\n")
    except OSError:
        return
    for line in lines:
        if line and not line.startswith(b"#"):
            try:
                path = parse_path(os.fsdecode(line))
            except ValueError:
                path = line  # so does Git
            yield (objects / os.fsdecode(path)).resolve()


def _write_closed(folder: Path, algorithm: str, *, reftable: bool = False) -> None:
    """What makes an empty folder a repository."""
    for part in ("objects/info", "objects/pack", "refs"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "HEAD").write_bytes(b"ref: refs/heads/main\n")
    storage = "\trefStorage = reftable\n" if reftable else ""
    format_version, extensions = ("1", f"[extensions]\n\tobjectFormat = {algorithm}\n{storage}")
    if algorithm == "sha1" and not reftable:
        format_version, extensions = "0", ""
    core = f"[core]\n\trepositoryFormatVersion = {format_version}\n\tbare = true\n"
    (folder / "config").write_text(core + extensions, encoding="ascii")


def _copy_refs(source: Path, target: Path, *, reftable: bool) -> None:
    """Copy the files in which refs are kept. Loose refs go first: what is packed meanwhile is then found packed."""
    for folder in ("refs", "reftable") if reftable else ("refs",):
        for place, _, names in os.walk(source / folder):
            copied = target / Path(place).relative_to(source)
            copied.mkdir(exist_ok=True)
            for name in names:
                content = _read_ref(Path(place, name), whole=folder == "reftable")
                if content is not None and not name.endswith(".lock"):
                    (copied / name).write_bytes(content)
    if (packed := _read_ref(source / "packed-refs", whole=True)) is not None:
        (target / "packed-refs").write_bytes(packed)
    head = _read_ref(source / "HEAD", whole=False) or b""
    (target / "HEAD").write_bytes(head if _HEAD.match(head) else b"ref: refs/none\n")


def _read_ref(path: Path, *, whole: bool) -> bytes | None:
    """The content of a file with a ref, or with all of them; None where there is none that Git would read."""
    try:
        if path.is_symlink() and (named := os.fsencode(path.readlink())).startswith(b"refs/"):
            return b"ref: " + named + b"\n"  # as Git once wrote a ref that names another
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode) or (not whole and facts.st_size > _LONGEST_REF):
            return None
        return path.read_bytes()
    except OSError:
        return None


def _first_line(file: Path) -> str:
    try:
        return os.fsdecode(file.read_bytes().split(b"\n")[0]).rstrip("\r")
    except OSError:
        return ""


def _version(git: Git) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", git.run("version").decode("ascii", "replace"))[:2]))


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
