"""A rebase plan carried out: commits replayed one onto the other, without a working tree and without a todo file.

Each commit is replayed as Git's sequencer does it, by a three-way merge whose base is the commit's own parent. All
merges are made before the first commit is written, so a conflict leaves branch, index and files as they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from gitgoodbench.git.commits import Commit, write_commit
from gitgoodbench.git.objects import read_tree
from gitgoodbench.git.process import Git
from gitgoodbench.git.rebase_plan import Command, Group, Step, groups_of, message_of
from gitgoodbench.git.replay import Replay, replay_merge

_ATTRIBUTES: Final = b".gitattributes"


@dataclass(frozen=True)
class RebaseConflict:
    """A commit that could not be replayed. Nothing was changed.

    step: of the plan. paths: those in conflict. reasons: what Git says of them, such as `CONFLICT (content): ...`.
    """

    step: Step
    paths: tuple[bytes, ...]
    reasons: tuple[bytes, ...]


@dataclass(frozen=True)
class NewCommit:
    """A commit that the plan makes; `tree` is what it holds. group: the steps it comes from."""

    group: Group
    tree: str
    message: bytes


@dataclass(frozen=True)
class RebasedChain:
    """What a plan gives, oldest first, not written yet. left_out: groups that change nothing."""

    commits: tuple[NewCommit, ...]
    left_out: tuple[Group, ...]


class ChainReplay:
    """The commits of a chain, oldest first, to be replayed onto its base in any order.

    base: the commit below the chain; None where the chain begins with a root commit, which is then replayed onto
    nothing, as by `git rebase --root`.
    """

    def __init__(self, git: Git, base: Commit | None, commits: Sequence[Commit]) -> None:
        self._git = git
        self._base = base
        self._commits = tuple(commits)
        start = git.line("hash-object", "-t", "tree", "-w", "--stdin") if base is None else base.tree
        self._trees = (start, *(commit.tree for commit in commits))
        """Of the base, then of each commit: commit number i turned tree i into tree i + 1."""

    def replay(self, steps: Sequence[Step]) -> RebasedChain | RebaseConflict:
        """Replay the commits as planned. A commit that brings no change, and did not before, is left out.

        Git stops there and asks; `--empty=drop` makes it go on as here. Commits melded together count as one: if what
        they change cancels out, the whole is left out.

        Raises:
            GitError: a merge cannot be computed, since an object is missing.
        """
        made: list[NewCommit] = []
        left_out: list[Group] = []
        tip = self._trees[0]
        messages = [commit.message for commit in self._commits]
        for group in groups_of(steps):
            tree = tip
            for step in group:
                applied = self._apply(tree, step)
                if isinstance(applied, RebaseConflict):
                    return applied
                tree = applied
            if tree == tip and not all(self._trees[step.commit] == self._trees[step.commit + 1] for step in group):
                left_out.append(group)
                continue
            made.append(NewCommit(group, tree, message_of(group, messages)))
            tip = tree
        return RebasedChain(tuple(made), tuple(left_out))

    def write(self, rebased: RebasedChain) -> list[str]:
        """Store the commits; returns their ids, oldest first.

        As in Git, a commit that is picked where it was stays the same object. Authors are kept, of melded commits the
        first one's; the committer is the harness's.
        """
        ids: list[str] = []
        parents = () if self._base is None else (self._base.oid,)
        for new in rebased.commits:
            first = new.group[0]
            original = self._commits[first.commit]
            if len(new.group) == 1 and first.command is Command.PICK and original.parents == parents:
                oid = original.oid
            else:
                oid = write_commit(self._git, new.tree, parents, new.message, original.author)
            ids.append(oid)
            parents = (oid,)
        return ids

    def _apply(self, tip: str, step: Step) -> str | RebaseConflict:
        """The tree that the commit's change makes of the tree `tip`."""
        before, after = self._trees[step.commit : step.commit + 2]
        if before == tip:
            return after
        if after in (before, tip):
            return tip
        with self._attributes_of(tip) as git:
            base = git.line("commit-tree", "-F", "-", before)
            ours, theirs = (git.line("commit-tree", "-p", base, "-F", "-", tree) for tree in (tip, after))
            replay = replay_merge(git, ours, theirs)
        if replay.clean:
            return replay.tree
        names = {ours: b"HEAD", theirs: b"commit %d" % step.commit}
        return _conflict(step, replay, names)

    @contextmanager
    def _attributes_of(self, tip: str) -> Iterator[Git]:
        """Git that merges under the in-tree attributes that a checkout of the tree `tip` would have.

        Git reads them from files. The working tree has those of the chain's newest commit; where the chain changes
        them, a folder with nothing but the right ones takes its place.
        """
        if not self._attributes_vary:
            yield self._git
            return
        folder = f"{self._git.git_dir}/rebase-attributes"
        wanted = [path for path, entry in read_tree(self._git, tip).items() if _is_attributes(path) and entry.is_file]
        git = self._git.with_env(GIT_INDEX_FILE=f"{folder}/index")
        try:
            self._run("mkdir", "-p", "--", f"{folder}/files")
            git.run("read-tree", tip)
            names = b"".join(path + b"\0" for path in wanted)
            git.run("checkout-index", "-z", "--stdin", f"--prefix={folder}/files/", stdin=names)
            yield Git(git.git_dir, f"{folder}/files", executor=git.executor)
        finally:
            self._run("rm", "-rf", "--", folder)

    @cached_property
    def _attributes_vary(self) -> bool:
        pairs = zip(self._trees, self._trees[1:], strict=False)
        changed = (self._git.run("diff-tree", "-r", "-z", "--name-only", *pair).split(b"\0") for pair in pairs)
        return any(_is_attributes(path) for paths in changed for path in paths)

    def _run(self, *command: str) -> None:
        self._git.executor.exec(command, env=self._git.environment)


def _is_attributes(path: bytes) -> bool:
    return path.rpartition(b"/")[2] == _ATTRIBUTES


def _conflict(step: Step, replay: Replay, names: dict[str, bytes]) -> RebaseConflict:
    """The conflict in words; the ids of the merged commits, which are nobody's, become names."""
    notices = [notice for notice in replay.notices if notice.is_conflict]
    paths = dict.fromkeys([*replay.conflicted, *(path for notice in notices for path in notice.paths)])
    reasons = []
    for notice in notices:
        text = notice.text
        for oid, name in names.items():
            text = text.replace(oid.encode(), name)
        reasons.append(text)
    return RebaseConflict(step, tuple(paths), tuple(reasons))
