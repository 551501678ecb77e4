"""Gates of the scenarios that leave a chain of commits (IR and ICC), and which of the commits parse.

Everything is read from Git objects in a scratch repository. The history is the agent's, so it may hold anything: it
is followed along first parents only, and only so far.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.git.chain_walk import ChainWalk, same_content, walk_chain
from gitgoodbench.git.objects import Entry, Tree, blob_sizes, changed_paths, read_blobs, read_hostile_tree, read_tree
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.scenario import Outcome
from gitgoodbench.scoring.syntax import MAX_SOURCE_BYTES, Language, count_errors, language_of
from gitgoodbench.workspace.chain import CommitChain
from gitgoodbench.workspace.imports import import_outcome
from gitgoodbench.workspace.scratch import ScratchRepository

GATES: Final = (
    "finished", "base_is_ancestor", "linear", "no_empty_commits", "final_tree_exact", "nothing_uncommitted",
)  # fmt: skip
MAX_COMMITS: Final = 200
"""Commits that are looked at one by one, the oldest first."""

MAX_LISTING_BYTES: Final = 64 * 1024 * 1024
"""Bytes of the list of one commit's files."""

_TIMEOUT_S: Final = 60.0


@dataclass(frozen=True)
class AgentChain:
    """What an agent left above the base.

    head: the commit that HEAD named, if the scratch repository now has it. commits: from the oldest to the head along
    first parents, without the base; None where the base is not on that line. problem: why the outcome cannot be read.
    """

    head: str | None
    commits: tuple[str, ...] | None
    problem: str | None = None

    @property
    def shown(self) -> tuple[str, ...]:
        """The commits that are looked at one by one."""
        return (self.commits or ())[:MAX_COMMITS]


def import_chain(
    scratch: ScratchRepository, base: str | None, outcome: Outcome, *, begun_with: str, truth: Sequence[str] = ()
) -> AgentChain:
    """Import an outcome and find its commits.

    Args:
        base: the commit below the chain; None where the chain begins with a root commit.
        begun_with: the commit that the workspace began with. All else must have come with the outcome.
        truth: as in `import_outcome`.
    """
    imported = import_outcome(scratch, outcome, [begun_with], truth=truth)
    head = imported.head
    if head is None:
        return AgentChain(None, None, imported.problem)
    commits = _first_parents(scratch.git, base, head)
    new = (commits or ())[:MAX_COMMITS] if outcome.bundle is not None else ()
    problem = next(filter(None, (_listing_problem(scratch.git, commit) for commit in new)), None)
    return AgentChain(head, commits) if problem is None else AgentChain(None, None, problem)


@dataclass(frozen=True)
class ChainWalks:
    """What the agent left and the real chain, as the states that they go through from the base on.

    agent: None where the agent left no commits on the base, or they change more than is read. linear: whether none of
    them is a merge, anywhere above the base.
    """

    agent: ChainWalk | None
    truth: ChainWalk
    linear: bool


def walk_chains(git: Git, left: AgentChain, chain: CommitChain) -> ChainWalks:
    """Read what the agent left and what it is compared with."""
    truth = walk_chain(git, chain.base, chain.commits)
    if not left.commits or left.head is None:
        return ChainWalks(None, truth, linear=False)
    try:
        agent = walk_chain(git, chain.base, left.commits)
    except GitError:
        agent = None
    return ChainWalks(agent, truth, _is_linear(git, chain.base, left.head))


def chain_gates(git: Git, left: AgentChain, newest: str, outcome: Outcome, walks: ChainWalks) -> dict[str, bool]:
    """Requirement -> met, for every name in `GATES`.

    finished: the episode was, as `Episode.outcome` noted in the outcome's state. base_is_ancestor: there are commits,
    and the base is right below the oldest. linear: nothing above the base is a merge. no_empty_commits: no more commits
    that lead nowhere than the chain has: empty ones, or such that others take back. final_tree_exact: HEAD's tree holds
    what that of `newest` does, the chain's last commit. nothing_uncommitted: neither a change nor an operation is left
    halfway.
    """
    state = outcome.state
    under_way = any(state.get(name) for name in ("merge_in_progress", "rebase_in_progress"))
    met = (
        state.get("finished") is True,
        bool(left.commits),
        walks.linear,
        walks.agent is not None and walks.agent.detour <= walks.truth.detour,
        left.head is not None and same_content(git, left.head, newest),
        state.get("uncommitted") == [] and state.get("unmerged") == [] and not under_way,
    )
    return dict(zip(GATES, met, strict=True))


def valid_syntax(git: Git, base: str | None, commits: Sequence[str], newest: str) -> list[bool]:
    """For each commit, whether every file that it changes parses no worse than in the base or at the chain's end.

    Real files need not be free of errors, since grammars lag behind their languages: an error counts when a file has
    more of them than both before and after the chain. A commit that cannot be read is not valid, nor is one with a file
    that cannot be parsed although it could be before and after.
    """
    ends = [read_tree(git, commit) if commit else {} for commit in (base, newest)]
    counter = _ErrorCounter(git)
    marks: list[bool] = []
    before: Tree | None = ends[0]
    for commit in commits:
        try:
            after = read_tree(git, commit)
            marks.append(before is not None and _parses(counter, changed_paths(before, after), ends))
            before = after
        except GitError:
            marks.append(False)
            before = None
    return marks


Pair = tuple[Entry | None, Entry | None]


def _parses(counter: _ErrorCounter, changes: Mapping[bytes, Pair], ends: Sequence[Tree]) -> bool:
    versions = {path: [tree.get(path) for tree in ends] for path in changes}
    new = {path: entry for path, (_, entry) in changes.items() if entry not in versions[path]}
    counter.read((path, entry) for path in new for entry in (new[path], *versions[path]))
    for path, entry in new.items():
        if _source(path, entry) is None:
            continue
        allowed = [counter.count(path, end) for end in versions[path] if _source(path, end) is not None]
        if None in allowed:
            continue  # the file is one that cannot be parsed
        found = counter.count(path, entry)
        if found is None or found > max((count for count in allowed if count is not None), default=0):
            return False
    return True


class _ErrorCounter:
    """Errors of files, each content parsed once."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._known: dict[tuple[str, Language], int | None] = {}

    def read(self, files: Iterable[tuple[bytes, Entry | None]]) -> None:
        """Parse those that are source files, all read through one process."""
        keys = {key for path, entry in files if (key := _source(path, entry)) is not None and key not in self._known}
        sizes = blob_sizes(self._git, [oid for oid, _ in keys]) if keys else {}
        small = [oid for oid, size in sizes.items() if size is not None and size <= MAX_SOURCE_BYTES]
        contents = read_blobs(self._git, small)
        for oid, language in keys:
            content = contents.get(oid)
            self._known[oid, language] = None if content is None else count_errors(content, language)

    def count(self, path: bytes, entry: Entry | None) -> int | None:
        """The errors in a file that was read. None where it is no source file or cannot be parsed."""
        key = _source(path, entry)
        return None if key is None else self._known[key]


def _source(path: bytes, entry: Entry | None) -> tuple[str, Language] | None:
    language = language_of(path)
    return None if language is None or entry is None or not entry.is_file else (entry.oid, language)


def _listing_problem(git: Git, commit: str) -> str | None:
    """Why the files of a commit cannot be listed: a few small folders that hold each other can list without end."""
    try:
        read_hostile_tree(git, commit, limit=MAX_LISTING_BYTES)
    except GitError as problem:
        return f"the files of {commit} cannot be listed: {problem}"
    return None


def _first_parents(git: Git, base: str | None, head: str) -> tuple[str, ...] | None:
    """Commits above the base, oldest first; None where the base is not on the first-parent line of `head`."""
    above = [f"^{base}"] if base is not None else []
    result = git.execute(
        "rev-list", "--first-parent", "--parents", "--end-of-options", head, *above, timeout_s=_TIMEOUT_S
    )
    if result.returncode != 0 or result.timed_out:
        return None
    lines = [line.split() for line in reversed(result.stdout.decode("ascii").splitlines())]
    if not lines:
        return () if head == base else None
    parent = lines[0][1] if len(lines[0]) > 1 else None
    return tuple(commit for commit, *_ in lines) if parent == base else None


def _is_linear(git: Git, base: str | None, head: str) -> bool:
    """Whether no merge is reachable from `head` and not from the base, on whatever line."""
    above = [f"^{base}"] if base is not None else []
    result = git.execute(
        "rev-list", "--min-parents=2", "--max-count=1", "--end-of-options", head, *above, timeout_s=_TIMEOUT_S
    )
    return result.returncode == 0 and not result.timed_out and result.stdout == b""
