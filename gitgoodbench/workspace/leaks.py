"""Looking for the answer in a workspace: which of its objects are there although nothing the agent may know reaches
them.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitgoodbench.git.process import Git


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
