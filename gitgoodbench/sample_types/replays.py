"""Replay thousands of merges by one `git merge-tree --stdin` process.

Git's answer to a merge in which nothing was changed on both sides costs about a third of a millisecond, since it
leaves out folders that only one side touched. Finding out beforehand that there is nothing to merge would need the
merge base and two comparisons of trees, which is the same work, and to be exact in the presence of renames would have
to do the rest as well. So all merges are asked about.
"""

from __future__ import annotations

import re
import signal
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final

from gitgoodbench.git.process import ExecResult, Git, GitError
from gitgoodbench.git.replay import Replay, parse_merge_tree, read_merge_tree
from gitgoodbench.mining.diffs import batched, read_fields
from gitgoodbench.sample_types.merge_spool import MergeCommit

MERGES_PER_PROCESS: Final = 5000
MARKER_SIZE: Final = 256
"""Length of conflict markers in replays: hardly any content has lines that can be mistaken for those."""

_COMMAND: Final = (
    "-c", "core.fsync=none", "-c", "core.looseCompression=0", "merge-tree", "--write-tree", "-z", "--messages",
)  # fmt: skip
_COMPLAINT: Final = re.compile(rb"^(?:error|fatal): ", re.MULTILINE)
_ENVIRONMENT: Final = re.compile(
    rb"No space left|quota exceeded|[Oo]ut of memory|unable to (?:write|create)|cannot fork|[Pp]ermission", re.MULTILINE
)
_KILLED: Final = (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT)
"""Ends that come from outside. Git ends by others itself: some trees, such as one with a `/` in a name, break an
assertion of it.
"""

_CONFLICTS: Final = b"0"
_CLEAN: Final = b"1"


class Obstacle(StrEnum):
    """Why a merge cannot be replayed."""

    NO_BASE = "no merge base"
    MISSING_OBJECT = "missing object"


def replay_merges(scratch: Git, merges: Iterable[MergeCommit]) -> Iterator[tuple[MergeCommit, Replay | Obstacle]]:
    """What becomes of each merge, in order. A merge that ends the process costs only itself.

    Args:
        scratch: a repository whose working tree holds the attribute files that count; what the automatic merges give
            is written there.
    """
    for chunk in batched(merges, MERGES_PER_PROCESS):
        while chunk:
            done = 0
            with tempfile.TemporaryFile() as stdin:
                stdin.write("".join("{} {}\n".format(*merge.parents) for merge in chunk).encode("ascii"))
                stdin.seek(0)
                with scratch.stream(*_COMMAND, "--stdin", stdin=stdin) as process:
                    assert process.stdout is not None
                    for replay in _parse(read_fields(process.stdout)):
                        yield chunk[done], replay
                        done += 1
            if done < len(chunk):
                yield chunk[done], replay_alone(scratch, *chunk[done].parents)
            chunk = chunk[done + 1 :]


def replay_alone(scratch: Git, local: str, incoming: str) -> Replay | Obstacle:
    """One merge in a process of its own: slower, but it tells what stands in the way.

    Git 2.39 takes a root tree that is missing for an empty one, and only complains.
    """
    command = (*_COMMAND, local, incoming)
    result = scratch.execute(*command)
    if result.returncode not in (0, 1) or _COMPLAINT.search(result.stderr):
        return obstacle(command, result)
    return parse_merge_tree(result.stdout, clean=result.returncode == 0, marker_size=MARKER_SIZE)


def obstacle(command: Sequence[str | bytes], result: ExecResult) -> Obstacle:
    """What stood in the way of a replay that failed.

    Raises:
        GitError: nothing in the repository did, but this machine.
    """
    if b"refusing to merge unrelated histories" in result.stderr and b"error: " not in result.stderr:
        return Obstacle.NO_BASE
    if result.returncode in _KILLED or _ENVIRONMENT.search(result.stderr):
        raise GitError(command, result)
    return Obstacle.MISSING_OBJECT


def _parse(fields: Iterator[bytes]) -> Iterator[Replay]:
    """The answers that are complete; each begins with a status."""
    for status in fields:
        if status not in (_CONFLICTS, _CLEAN):
            return
        replay = read_merge_tree(fields, clean=status == _CLEAN, marker_size=MARKER_SIZE)
        if replay is None:
            return
        yield replay
