"""Looking for the answer in a workspace, or in a pack for it: which objects are there although nothing the agent may
know reaches them.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.process import Git
from gitgoodbench.workspace.history import PackedHistory


def leaked_objects(
    workspace: Git, mirror: Git, answers: Sequence[str], known: Sequence[str], derived: Sequence[str] = ()
) -> list[str]:
    """Ids of objects in the workspace that the answers reach and that it should not contain.

    Args:
        answers: commits of the real outcome, in the mirror.
        known: commits whose whole history the agent may know.
        derived: trees in the workspace that the agent could make itself (the automatic merge of the known commits).
    """
    listing = ("rev-list", "--objects", "--no-object-names", "--missing=allow-any")
    # `--not` looks only at the edges of history, so the first answer may hold more than the true difference.
    secret = mirror.run(*listing, *answers, "--not", *known)
    checked = workspace.run("cat-file", "--batch-check=%(objectname)", stdin=secret).decode().splitlines()
    present = {line for line in checked if not line.endswith("missing")}
    if present:
        present -= set(mirror.run(*listing, *known).decode().split())
    for tree in derived if present else ():
        below = workspace.run("ls-tree", "-r", "-t", "--format=%(objectname)", tree)
        present -= {tree, *below.decode().split()}
    return sorted(present)


def missing_from(repository: Git, history: PackedHistory, asked: Sequence[str]) -> frozenset[str]:
    """What is reachable from what was asked for, cut at the pack's boundary, and not in the repository: a partial clone
    lacks some contents. The pack has all the rest.

    Args:
        repository: which the pack was made from. asked: commits, trees and blobs.

    Raises:
        SetupFailed: the pack holds more, or less.
    """
    cut = "".join(f"{commit}\n" for commit in history.boundary)
    shallow = history.pack.with_name("checked")
    shallow.write_text(cut, encoding="ascii")
    git = repository.with_env(GIT_SHALLOW_FILE=str(shallow))
    listing = ("rev-list", "--objects", "--no-object-names", "--missing=print", "--stdin")
    reached = set(git.run(*listing, stdin="".join(f"{oid}\n" for oid in asked).encode("ascii")).split(b"\n")[:-1])
    held = {line.split()[1] for line in git.run("show-index", stdin=history.index.read_bytes()).split(b"\n")[:-1]}
    shallow.unlink()
    missing = {oid for oid in reached if oid.startswith(b"?")}
    for extra, words in ((held - reached, "objects that it must not hold"), (reached - missing - held, "too few")):
        if extra:
            oid = min(extra).decode("ascii")
            raise SetupFailed(f"the pack for the workspace holds {len(extra)} {words}, such as {oid}")
    return frozenset(oid[1:].decode("ascii") for oid in missing)
