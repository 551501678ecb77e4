"""Reading and writing objects: trees as mappings of paths to entries, blobs in batches."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from gitgoodbench.git.process import HOST, ExecResult, Git, GitError
from gitgoodbench.git.reads import Listing, Reads, is_id, kept

REGULAR: Final = "100644"
EXECUTABLE: Final = "100755"
SYMLINK: Final = "120000"
SUBMODULE: Final = "160000"
FOLDER: Final = "040000"
LONGEST_PATH: Final = 16_384
"""Bytes. Disks take 4,096; given trees may have longer paths, whose files are left out of workspaces."""

LISTING_LIMIT: Final = 128 * 1024 * 1024
_MODES: Final = frozenset((REGULAR, EXECUTABLE, SYMLINK, SUBMODULE, FOLDER))


def canonical_mode(mode: str) -> str:
    """The mode that Git takes an entry for which is written with this one (`canon_mode` in its cache.h).

    Git reads modes as octal numbers: the bits above the permissions tell the kind, and what is of no kind is taken for
    a submodule.
    """
    bits = int(mode, 8)
    kind = bits & 0o170000
    if kind == 0o100000:
        return EXECUTABLE if bits & 0o100 else REGULAR
    return {0o120000: SYMLINK, 0o040000: FOLDER}.get(kind, SUBMODULE)


@dataclass(frozen=True)
class Entry:
    """What a tree or the index holds at a path: a mode (octal text, six digits) and an object id.

    The mode is one of the five that Git knows, whatever is written in the tree: Git's own first trees have 100664.
    """

    mode: str
    oid: str

    def __post_init__(self) -> None:
        if self.mode not in _MODES:
            object.__setattr__(self, "mode", canonical_mode(self.mode))

    @property
    def is_file(self) -> bool:
        return self.mode in (REGULAR, EXECUTABLE)


Tree = Mapping[bytes, Entry]


def read_tree(git: Git, treeish: str) -> dict[bytes, Entry]:
    """Every file, link and submodule of a tree, by its path from the root."""
    if (known := _known_listing(git, treeish)) is not None:
        return dict(known.tree)
    return _keep_listing(git, treeish, git.run("ls-tree", "-r", "-z", "--full-tree", "--end-of-options", treeish))


def read_hostile_tree(git: Git, treeish: str, *, limit: int = LISTING_LIMIT) -> dict[bytes, Entry]:
    """As `read_tree`, on this machine, for a tree of unknown origin: folders that repeat can list without end.

    Raises:
        GitError: it cannot be listed, the listing is longer than `limit` bytes, or a path than `LONGEST_PATH`.
    """
    known = _known_listing(git, treeish)
    if known is not None and known.size <= limit and known.longest <= LONGEST_PATH:
        return dict(known.tree)
    args = ("ls-tree", "-r", "-z", "--full-tree", "--end-of-options", treeish)
    with git.stream(*args, stdin=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        listing = process.stdout.read(limit + 1)
        if len(listing) > limit:
            raise GitError(args, ExecResult(-1, stderr=b"the listing is longer than %d bytes" % limit))
        if process.wait() != 0:
            raise GitError(args, ExecResult(process.returncode))
    tree = _keep_listing(git, treeish, listing)
    if max(map(len, tree), default=0) > LONGEST_PATH:
        raise GitError(args, ExecResult(-1, stderr=b"a path has more than %d bytes" % LONGEST_PATH))
    return tree


def _kept_reads(git: Git) -> Reads | None:
    return kept() if git.executor is HOST else None


def _known_listing(git: Git, treeish: str) -> Listing | None:
    reads = _kept_reads(git)
    return None if reads is None else reads.listings.get(treeish)


def _keep_listing(git: Git, treeish: str, listing: bytes) -> dict[bytes, Entry]:
    tree = _parse_tree(listing)
    reads = _kept_reads(git)
    if reads is not None and is_id(treeish) and treeish not in reads.listings and reads.takes(len(listing)):
        reads.listings[treeish] = Listing(dict(tree), len(listing), max(map(len, tree), default=0))
    return tree


def _parse_tree(listing: bytes) -> dict[bytes, Entry]:
    tree: dict[bytes, Entry] = {}
    for record in _records(listing):
        head, _, path = record.partition(b"\t")
        tree[path] = _entry(head)
    return tree


@lru_cache(maxsize=1 << 15)
def _entry(head: bytes) -> Entry:
    """The same object for the same entry: trees of one history have most in common, and are compared often."""
    mode, _, oid = head.split()
    return Entry(mode.decode(), oid.decode())


def read_blobs(git: Git, oids: Iterable[str]) -> dict[str, bytes | None]:
    """The contents of blobs by their ids, all through one process; None where the object is missing."""
    wanted = list(dict.fromkeys(oids))
    reads = _kept_reads(git)
    known = {} if reads is None else {oid: reads.blobs[oid] for oid in wanted if oid in reads.blobs}
    read = _read_blobs(git, [oid for oid in wanted if oid not in known])
    if reads is not None:
        for oid, content in read.items():
            if content is not None and is_id(oid) and reads.takes(len(content)):
                reads.blobs[oid] = content
    return {oid: known[oid] if oid in known else read[oid] for oid in wanted}


def _read_blobs(git: Git, wanted: Sequence[str]) -> dict[str, bytes | None]:
    if not wanted:
        return {}
    output = git.run("cat-file", "--batch", stdin="".join(f"{oid}\n" for oid in wanted).encode())
    blobs: dict[str, bytes | None] = {}
    start = 0
    for oid in wanted:
        end = output.index(b"\n", start)
        header = output[start:end].split()
        start = end + 1
        if header[-1] == b"missing":
            blobs[oid] = None
            continue
        size = int(header[2])
        blobs[oid] = output[start : start + size]
        start += size + 1
    return blobs


def blob_sizes(git: Git, oids: Iterable[str]) -> dict[str, int | None]:
    """Sizes in bytes by object id, without reading contents; None where the object is missing."""
    wanted = list(dict.fromkeys(oids))
    reads = _kept_reads(git)
    known = {} if reads is None else {oid: len(reads.blobs[oid]) for oid in wanted if oid in reads.blobs}
    asked = [oid for oid in wanted if oid not in known]
    if not asked:
        return dict(known)
    output = git.run("cat-file", "--batch-check=%(objectsize)", stdin="".join(f"{oid}\n" for oid in asked).encode())
    lines = output.split(b"\n")
    sizes = {oid: int(line) if line.isdigit() else None for oid, line in zip(asked, lines, strict=False)}
    return {oid: known[oid] if oid in known else sizes[oid] for oid in wanted if oid in known or oid in sizes}


def blobs_present(git: Git, oids: Iterable[str]) -> set[str]:
    """Which of the ids are of blobs that the repository has."""
    wanted = dict.fromkeys(oids)
    options = ("--batch-check=%(objecttype) %(objectname)", "--buffer")
    output = git.run("cat-file", *options, stdin="".join(f"{oid}\n" for oid in wanted).encode())
    return {line[5:].decode("ascii") for line in output.split(b"\n") if line.startswith(b"blob ")}


def write_blob(git: Git, data: bytes) -> str:
    """Store a blob exactly as given, whatever filters the repository names."""
    return git.line("hash-object", "-w", "--no-filters", "--stdin", stdin=data)


def stage(git: Git, changes: Mapping[bytes, Entry | None]) -> None:
    """Put entries into the index at stage 0, removing every other stage; None removes the path."""
    known = next((entry.oid for entry in changes.values() if entry is not None), None)
    null = b"0" * len(known or git.line("hash-object", "--stdin"))
    lines = []
    for path, entry in changes.items():
        # A removal first: it drops the higher stages, and a file that stands where a folder must be.
        lines.append(b"0 %s\t%s\0" % (null, path))
        if entry is not None:
            lines.append(b"%s %s\t%s\0" % (entry.mode.encode(), entry.oid.encode(), path))
    git.run("update-index", "-z", "--index-info", stdin=b"".join(lines))


def changed_paths(before: Tree, after: Tree) -> dict[bytes, tuple[Entry | None, Entry | None]]:
    """Paths whose entries differ, with both entries."""
    return {
        path: (old, new)
        for path in before.keys() | after.keys()
        if (old := before.get(path)) is not (new := after.get(path)) and old != new
    }


def _records(output: bytes) -> list[bytes]:
    return output.split(b"\0")[:-1]
