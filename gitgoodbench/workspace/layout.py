"""A workspace that was laid out once, as the few files that lay it out again: what a tool set without a shell needs.

Files that are as the index has them stay out, marked in the index (skip-worktree): Git then takes them for unchanged,
and no tool reads them from the disk. So a layout has the size of the index and of what is changed, and taking the
layout of a large repository out again costs milliseconds.
"""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitgoodbench.git.process import Git
from gitgoodbench.sandbox.base import Placed, Sandbox, SandboxPathError, SharingSandbox
from gitgoodbench.workspace.build import workspace_git

_MOST_BYTES: Final = 16 * 1024**2
"""Of a layout. Where more is changed, each workspace is built."""

_PACKS: Final = ".git/objects/pack/"


@dataclass(frozen=True)
class Layout:
    """files: all but the packs. shared: packs on this machine, by their paths in the work folder or where they are lent
    (`SharingSandbox.lent_folder`).
    """

    files: Sequence[Placed]
    shared: Mapping[str, Path]


def take_layout(sandbox: Sandbox) -> Layout | None:
    """The layout of a workspace in which nothing was done yet; None where it cannot be had.

    It marks the files that stay out in this workspace, too, so that all that come of it are alike.
    """
    if not isinstance(sandbox, SharingSandbox) or not sandbox.shared:
        return None
    git = workspace_git(sandbox)
    packs = sandbox.exec(["ls", _PACKS]).stdout.decode("utf-8", "replace").split()
    if {f"{_PACKS}{name}" for name in packs} != {path for path in sandbox.shared if path.startswith(_PACKS)}:
        return None
    changed = b"".join(b"./%s\0" % path for path in _leave_unchanged_out(git))
    archive = sandbox.exec(
        ["tar", "-c", "-f", "-", f"--exclude=./{_PACKS}*", "--null", "-T", "-"],
        stdin=b"./.git\0" + changed, output_limit=_MOST_BYTES,
    )  # fmt: skip
    if archive.returncode != 0 or archive.truncated:
        return None
    files = _placed(archive.stdout)
    return None if files is None else Layout(files, dict(sandbox.shared))


def put_layout(sandbox: Sandbox, layout: Layout) -> bool:
    """Lay out a workspace in a sandbox, whatever that holds; whether that went well.

    Raises:
        SandboxDied: the sandbox no longer answers, or cannot be emptied.
    """
    if not isinstance(sandbox, SharingSandbox):
        return False
    sandbox.refill(layout.files, [path for path, file in sandbox.shared.items() if layout.shared.get(path) == file])
    try:
        for path, file in layout.shared.items():
            if sandbox.shared.get(path) != file:
                sandbox.share(path, file)
    except (OSError, SandboxPathError):  # the cache has let go of it
        return False
    return True


def _placed(archive: bytes) -> tuple[Placed, ...] | None:
    """What an archive of tar holds; None where it is more than folders, files and links."""
    files = []
    with tarfile.open(fileobj=io.BytesIO(archive), encoding="utf-8", errors="surrogateescape") as opened:
        for entry in opened:
            path = os.fsencode(entry.name)
            if entry.isdir():
                files.append(Placed(path, "folder"))
            elif entry.issym():
                files.append(Placed(path, "link", content=os.fsencode(entry.linkname)))
            elif entry.isreg() and (content := opened.extractfile(entry)) is not None:
                files.append(Placed(path, "file", entry.mode & 0o777, content.read()))
            else:
                return None
    return tuple(files)


def _leave_unchanged_out(git: Git) -> list[bytes]:
    """Mark what is as the index has it; returns the paths of all other files that are there."""
    named: dict[bytes, set[bytes]] = {}
    listing = git.run("ls-files", "-z", "-t", "--cached", "--modified", "--deleted", "--others")
    for record in listing.split(b"\0")[:-1]:
        named.setdefault(record[2:], set()).add(record[:1])
    unchanged = [path for path, tags in named.items() if tags == {b"H"}]
    if unchanged:
        git.run(
            "update-index", "-z", "--skip-worktree", "--stdin", stdin=b"".join(b"%s\0" % path for path in unchanged)
        )
    return [path for path, tags in named.items() if tags & {b"C", b"M", b"?"} and b"R" not in tags]
