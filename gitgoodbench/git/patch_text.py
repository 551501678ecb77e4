"""A patch as people read it: no ids of blobs; the mode of what is no plain file, and sizes in place of binary content.

Git names modes and blobs of a change in one line, `index <old>..<new> <mode>`. The ids would tell histories apart that
read the same, and so the line goes; what else it told is said in words. Targets of symbolic links and commits of
submodules are lines of the patch itself.
"""

from __future__ import annotations

import re
from typing import Final

from gitgoodbench.git.objects import blob_sizes
from gitgoodbench.git.process import Git

_INDEX: Final = re.compile(
    rb"^index (?P<old>[0-9a-f]+)(?:\.\.(?P<new>[0-9a-f]*)(?: (?P<mode>[0-7]*))?)?(?:\n|\Z)(?P<binary>Binary files .*)?",
    re.MULTILINE,
)
_PLAIN: Final = b"100644"


def readable_patch(git: Git, patch: bytes) -> bytes:
    """The patch, made with `--full-index`, as the module describes it. git: a repository that holds its blobs."""
    binaries = [match for match in _INDEX.finditer(patch) if match["binary"] is not None]
    sizes = blob_sizes(git, [oid.decode() for match in binaries for oid in _ids(match)]) if binaries else {}

    def in_words(match: re.Match[bytes]) -> bytes:
        mode = match["mode"]
        line = b"mode %s\n" % mode if mode and mode != _PLAIN else b""
        if match["binary"] is None:
            return line
        known = [sizes.get(oid.decode()) for oid in _ids(match)]
        text = ", now ".join("size unknown" if size is None else f"{size} bytes" for size in known)
        return b"%s%s (%s)" % (line, match["binary"], text.encode())

    return _INDEX.sub(in_words, patch)


def _ids(match: re.Match[bytes]) -> list[bytes]:
    """The blobs before and after; nothing for a file that is not there."""
    return [oid for oid in (match["old"], match["new"]) if oid and oid.strip(b"0")]
