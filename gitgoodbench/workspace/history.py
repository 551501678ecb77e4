"""Which commits a workspace keeps, packed: everything reachable from its tips, or only so many commits back.

Packing copies what is reachable and nothing else, reusing the deltas on disk, so its cost does not depend on what
else the repository holds. Objects that the repository itself lacks (partial clones) stay absent.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gitgoodbench.folders import temporary_folder
from gitgoodbench.git.mirror import object_folders
from gitgoodbench.git.paths import quote_path
from gitgoodbench.git.process import Git
from gitgoodbench.git.replay import replay_merge


@dataclass(frozen=True)
class PackedHistory:
    """A pack with its index, as files, and the commits whose parents are left out (a shallow boundary).

    kept: the files stay as they are, for other workspaces, too (see `packs`).
    """

    pack: Path
    index: Path
    boundary: tuple[str, ...]
    kept: bool = False


def pack_history(
    repository: Git, tips: Sequence[str], folder: Path, *, boundary: Sequence[str] = (), trees: Sequence[str] = ()
) -> PackedHistory:
    """Pack what is reachable from the commits `tips`, cut at `boundary`, and from `trees`, into files in `folder`.

    A boundary that the repository has itself (a shallow clone) is respected and handed on.
    """
    cut = boundary_of(repository, boundary)
    shallow = folder / "shallow"
    shallow.write_text("".join(f"{commit}\n" for commit in cut), encoding="ascii")
    git = repository.with_env(GIT_SHALLOW_FILE=str(shallow)) if boundary else repository
    revisions = "".join(f"{tip}\n" for tip in tips).encode()
    pack, index = pack_objects(git, revisions + "".join(f"{tree}\n" for tree in trees).encode(), folder)
    if cut:
        reachable = set(git.run("rev-list", "--stdin", stdin=revisions).decode().split())
        cut = [commit for commit in cut if commit in reachable]
    return PackedHistory(pack, index, tuple(cut))


def boundary_of(repository: Git, boundary: Sequence[str]) -> list[str]:
    """The boundary, and that of the repository itself."""
    return sorted({*_own_boundary(repository), *boundary})


def pack_objects(repository: Git, revisions: bytes, folder: Path, *, exactly: bool = False) -> tuple[Path, Path]:
    """A pack and its index in `folder`, with the objects that `revisions` (lines of `git rev-list --stdin`) name.

    `exactly`: with those whose ids are listed, and nothing that these reach.

    Git makes its temporary files in an object directory: one in `folder`, since the repository is only read. Deltas are
    taken over but not searched for: that would cost more than all the rest, for a pack that is some percent smaller.
    """
    name = scratch_objects(repository, folder).line(
        "pack-objects", *(() if exactly else ("--revs", "--missing=allow-any")), "--quiet", "--delta-base-offset",
        "--window=0", "--compression=1", str(folder / "pack"), stdin=revisions,
    )  # fmt: skip
    return folder / f"pack-{name}.pack", folder / f"pack-{name}.idx"


def merge_boundary(repository: Git, parents: tuple[str, str], depth: int) -> tuple[str, ...]:
    """Where to cut history `depth` commits behind both parents without changing what their merge gives.

    Commits that the merge needs (its bases, and theirs in a criss-cross) are kept even where they lie deeper: the
    depth is doubled until the merge of the cut history is, object for object, the merge of the whole.
    """
    listing = repository.run("rev-list", "--parents", "--stdin", stdin="\n".join(parents).encode() + b"\n")
    ancestry = {commit: rest for commit, *rest in (line.split() for line in listing.decode().splitlines())}
    with temporary_folder("history") as scratch:
        whole = replay_merge(scratch_objects(repository, scratch), *parents)
        shallow = scratch / "shallow"
        own = _own_boundary(repository)
        while True:
            boundary = _cut(ancestry, parents, depth)
            if not boundary:
                return ()
            shallow.write_text("".join(f"{commit}\n" for commit in (*own, *boundary)), encoding="ascii")
            cut = scratch_objects(repository.with_env(GIT_SHALLOW_FILE=str(shallow)), scratch)
            if replay_merge(cut, *parents) == whole:
                return boundary
            depth = max(1, depth * 2)


def boundary_behind(repository: Git, tips: Sequence[str], depth: int) -> tuple[str, ...]:
    """Where to cut history `depth` commits behind tips."""
    listing = repository.run("rev-list", "--parents", "--end-of-options", *tips)
    ancestry = {commit: rest for commit, *rest in (line.split() for line in listing.decode().splitlines())}
    return _cut(ancestry, tips, depth)


def scratch_objects(repository: Git, scratch: Path) -> Git:
    """The repository, with every object that a command writes going to `scratch` instead."""
    objects = scratch / "objects"
    (objects / "pack").mkdir(parents=True, exist_ok=True)
    lent = os.pathsep.join(quote_path(bytes(folder)) for folder in object_folders(repository.git_dir))
    return repository.with_env(GIT_OBJECT_DIRECTORY=str(objects), GIT_ALTERNATE_OBJECT_DIRECTORIES=lent)


def _own_boundary(repository: Git) -> list[str]:
    shallow = Path(repository.git_dir) / "shallow"
    return shallow.read_text(encoding="ascii").split() if shallow.is_file() else []


def _cut(ancestry: dict[str, list[str]], tips: Sequence[str], depth: int) -> tuple[str, ...]:
    """Commits exactly `depth` steps behind the nearest tip that have parents: those lose them."""
    seen = set(tips)
    level = list(dict.fromkeys(tips))
    for _ in range(depth):
        level = [
            parent
            for commit in level
            for parent in ancestry.get(commit, [])
            if parent not in seen and not seen.add(parent)  # type: ignore[func-returns-value]
        ]
    return tuple(sorted(commit for commit in level if ancestry.get(commit)))
