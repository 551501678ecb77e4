"""Which branch a commit is on, for many commits in one walk."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from gitgoodbench.git.process import Git
from gitgoodbench.text import on_one_line

_HEADS: Final = "refs/heads/"
_REMOTES: Final = "refs/remotes/"


def default_branch(git: Git) -> str | None:
    """The branch that a clone checks out; None where HEAD names none that exists."""
    for head in ("refs/remotes/origin/HEAD", "HEAD"):
        target = git.execute("symbolic-ref", "--quiet", head).stdout.decode("utf-8", "surrogateescape").rstrip("\n")
        if target and git.execute("rev-parse", "--verify", "--quiet", "--end-of-options", target).returncode == 0:
            return short_name(target)
    return None


def branch_tips(git: Git) -> dict[str, str]:
    """Full names of branches, local and remote, and their commits: the default branch first, then by name."""
    listed = git.run("for-each-ref", "--format=%(objectname) %(refname)%00%(symref)", _HEADS, _REMOTES)
    tips: dict[str, str] = {}
    for line in listed.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        head, _, symbolic = line.partition("\0")
        commit, _, name = head.partition(" ")
        if not symbolic:
            tips[name] = commit
    first = default_branch(git)
    return dict(sorted(tips.items(), key=lambda tip: (short_name(tip[0]) != first, tip[0])))


def short_name(ref: str) -> str:
    """The name of a branch, without that of its remote. Bytes that are no UTF-8 become `\\xe9`; no ref has a `\\`."""
    ref = on_one_line(ref.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
    if ref.startswith(_REMOTES):
        return ref.removeprefix(_REMOTES).partition("/")[2]
    return ref.removeprefix(_HEADS)


def branches_of(git: Git, commits: Collection[str]) -> dict[str, str]:
    """For each commit a branch that holds it: the default branch, else the first by name. Others are left out.

    Memory: the commits that are still to come while history is walked from its newest end.

    Raises:
        GitError: the repository cannot be walked.
    """
    wanted = set(commits)
    tips = branch_tips(git)
    names = [short_name(name) for name in tips]
    ranks: dict[str, int] = {}
    for rank, commit in enumerate(tips.values()):
        ranks.setdefault(commit, rank)
    found: dict[str, str] = {}
    command = ("rev-list", "--topo-order", "--parents", "--ignore-missing", "--branches", "--remotes")
    with git.stream(*command) as process:
        assert process.stdout is not None
        for line in process.stdout:
            commit, *parents = line.decode("ascii").split()
            if commit not in ranks:
                continue
            rank = ranks.pop(commit)
            if commit in wanted:
                found[commit] = names[rank]
            for parent in parents:
                ranks[parent] = min(rank, ranks.get(parent, rank))
    return found
