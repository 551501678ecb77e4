"""Packs that are kept: what a sample's workspace holds is packed once, by whichever process needs it first.

An entry of the cache is a folder named by what it was made of: the tips, where their history is cut, and the trees
beside them. It appears whole or not at all, under a lock, and only where the pack holds exactly what these reach. Of a
partial clone it says what that lacked, and is made anew where the repository has some of that now. Each process checks
an entry's checksums when it first uses it, so one that is damaged is made anew. Where the cache cannot be written,
everything works without it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from gitgoodbench.errors import InfrastructureFailed, UserError
from gitgoodbench.files import locked
from gitgoodbench.folders import temporary_folder
from gitgoodbench.git.objects import blob_sizes
from gitgoodbench.git.process import Git
from gitgoodbench.workspace.history import PackedHistory, boundary_of, pack_history
from gitgoodbench.workspace.leaks import missing_from
from gitgoodbench.workspace.room import INCOMING, make_room, packs_folder

_FORMAT: Final = 2
_FACTS: Final = "history.json"
_FILE: Final = "file"
_WHOLE: Final[dict[Path, tuple[int, ...]]] = {}
"""Entries whose checksums this process has checked, with inode and size of their files."""


@contextlib.contextmanager
def kept_history(
    repository: Git, tips: Sequence[str], *, boundary: Sequence[str] = (), trees: Sequence[str] = ()
) -> Iterator[PackedHistory]:
    """As `history.pack_history`, from the cache, or into it; the files of what is not kept go with the block.

    Raises:
        GitError: the repository is damaged.
        SetupFailed: the pack holds what it was not asked for.
    """
    cut = boundary_of(repository, boundary)
    asked = json.dumps([_FORMAT, list(tips), cut, sorted(trees)]).encode("ascii")
    with contextlib.ExitStack() as stack:
        history = None
        with contextlib.suppress(OSError, InfrastructureFailed, UserError):  # a cache that is full, or not to be had
            entry = packs_folder() / hashlib.sha256(asked).hexdigest()
            history = _read(entry, repository) or stack.enter_context(_made(entry, repository, tips, boundary, trees))
        if history is None:
            folder = stack.enter_context(temporary_folder("pack"))
            history = pack_history(repository, tips, folder, boundary=boundary, trees=trees)
        yield history


def kept_file(name: str) -> Path | None:
    """A file that was kept under a name; None where there is none. Whoever reads it must see whether it is whole."""
    try:
        file = packs_folder() / name / _FILE
        os.utime(file.parent)
    except (OSError, UserError):
        return None
    return file if file.is_file() else None


def keep_file(name: str, content: bytes) -> None:
    """Keep a file among the packs, under a name. Where the cache cannot be written, nothing is kept."""
    with contextlib.suppress(OSError, UserError):
        entry = packs_folder() / name
        incoming = entry.parent / INCOMING
        incoming.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f"{name}.", dir=incoming))
        try:
            (folder / _FILE).write_bytes(content)
            shutil.rmtree(entry, ignore_errors=True)
            folder.rename(entry)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _made(
    entry: Path, repository: Git, tips: Sequence[str], boundary: Sequence[str], trees: Sequence[str]
) -> Iterator[PackedHistory]:
    """Make an entry, unless another process has made it meanwhile."""
    incoming = entry.parent / INCOMING
    incoming.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as until_used, contextlib.ExitStack() as until_made:
        until_made.enter_context(locked(incoming / f"{entry.name[:2]}.lock", lambda _: None))
        history = _read(entry, repository)
        if history is None:
            folder = Path(tempfile.mkdtemp(prefix=f"{entry.name}.", dir=incoming))
            until_used.callback(shutil.rmtree, folder, ignore_errors=True)
            history = pack_history(repository, tips, folder, boundary=boundary, trees=trees)
            missing = missing_from(repository, history, [*tips, *trees])
            facts = {"boundary": history.boundary, "missing": sorted(missing)}
            (folder / _FACTS).write_text(json.dumps(facts), "ascii")
            shutil.rmtree(folder / "objects")
            (folder / "shallow").unlink()
            for file in (history.pack, history.index):
                file.chmod(0o444)  # for users of sandboxes, too, whatever the umask
            shutil.rmtree(entry, ignore_errors=True)
            folder.rename(entry)
            pack, index = (entry / file.name for file in (history.pack, history.index))
            history = PackedHistory(pack, index, history.boundary, kept=True)
            make_room(entry)
        until_made.close()
        yield history


def _read(entry: Path, repository: Git) -> PackedHistory | None:
    """What an entry holds; None where it is absent or damaged, or the repository has more now."""
    try:
        (pack,) = entry.glob("pack-*.pack")
        index = pack.with_suffix(".idx")
        facts = json.loads((entry / _FACTS).read_bytes())
        boundary, missing = (tuple(map(str, facts[name])) for name in ("boundary", "missing"))
        seen = tuple(number for file in (pack, index) for number in (file.stat().st_ino, file.stat().st_size))
        if _WHOLE.get(entry) != seen:
            if not _is_whole(pack, index):
                return None
            _WHOLE[entry] = seen
        os.utime(entry)
    except (OSError, ValueError, LookupError, TypeError):
        return None
    if missing and any(size is not None for size in blob_sizes(repository, missing).values()):
        return None
    return PackedHistory(pack, index, boundary, kept=True)


def _is_whole(pack: Path, index: Path) -> bool:
    """Whether both files end with the checksums of what is before, and belong together (gitformat-pack(5))."""
    size = 20 if len(pack.stem) == len("pack-") + 40 else 32
    ends = []
    for file in (pack, index):
        with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
            with memoryview(content) as view, view[:-size] as body:
                digest = hashlib.new("sha1" if size == 20 else "sha256", body, usedforsecurity=False).digest()
            if digest != content[-size:]:
                return False
            ends.append(content[-2 * size :])
    return ends[0][size:] == ends[1][:size]
