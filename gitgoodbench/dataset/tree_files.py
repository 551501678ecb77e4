"""All files of a tree of a small repository, read at once."""

from __future__ import annotations

from gitgoodbench.git.process import Git


def read_files(git: Git, tree: str) -> dict[bytes, tuple[bytes, bytes]]:
    """Mode and contents of every file of a tree-ish, by path, in two processes."""
    listed: dict[bytes, tuple[bytes, bytes]] = {}
    for record in git.run("ls-tree", "-r", "-z", tree).split(b"\0")[:-1]:
        info, path = record.split(b"\t", 1)
        mode, _, oid = info.split(b" ")
        listed[path] = (mode, oid)
    blobs = _read_blobs(git, sorted({oid for _, oid in listed.values()}))
    return {path: (mode, blobs[oid]) for path, (mode, oid) in listed.items()}


def _read_blobs(git: Git, ids: list[bytes]) -> dict[bytes, bytes]:
    output = git.run("cat-file", "--batch", stdin=b"".join(oid + b"\n" for oid in ids))
    blobs: dict[bytes, bytes] = {}
    at = 0
    for oid in ids:
        start = output.index(b"\n", at) + 1
        end = start + int(output[at:start].split(b" ")[2])
        blobs[oid] = output[start:end]
        at = end + 1
    return blobs
