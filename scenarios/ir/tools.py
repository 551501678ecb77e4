"""The published tools of interactive rebase: look at the plan and the commits, write the plan anew, carry it out.

A plan is replayed when it is written, so the answer says at once which commit conflicts, and what would be lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gitgoodbench.errors import LimitReached, ToolError
from gitgoodbench.git.commits import Commit
from gitgoodbench.git.histories import CommitView
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git
from gitgoodbench.git.rebase import ChainReplay, RebaseConflict, RebasedChain
from gitgoodbench.git.rebase_plan import Command, Step, groups_of, unchanged_plan
from gitgoodbench.plugin.pages import PAGE, page
from gitgoodbench.tools import Tool
from gitgoodbench.workspace.build import check_out

from .display import show_commit, show_conflict, show_plan, show_rebased
from .todo import TodoItems, read_items, unused_messages

MAX_CONFLICTS = 5
"""Rebases that may stop at a conflict; with the last one the episode ends."""

_LISTED_PATHS = 20


class RebaseTools:
    """The plan, and the chain that it is for. `git` runs inside the sandbox; views are of the chain's commits."""

    def __init__(self, git: Git, base: Commit | None, commits: Sequence[Commit], views: Sequence[CommitView]) -> None:
        self.git = git
        self.commits = tuple(commits)
        self.views = tuple(views)
        self.chain = ChainReplay(git, base, commits)
        self.plan: tuple[Step, ...] = unchanged_plan(len(commits))
        self.replayed: RebasedChain | RebaseConflict = self.chain.replay(self.plan)
        """What the plan gives."""
        self._refused: set[tuple[Step, ...]] = set()
        self._unread_notes: list[str] = []
        self.conflicts = 0
        self.executed = False

    @property
    def finished(self) -> bool:
        return self.executed

    def functions(self) -> list[Callable[..., str]]:
        """Everything that can be offered as a tool."""
        return [self.view_rebase_todo, self.show_changes_in, self.update_rebase_todo_list, self.execute_rebase]

    def tools(self) -> list[Tool]:
        return [Tool.of(function) for function in self.functions()]

    def view_rebase_todo(self, reason: str = "") -> str:  # noqa: ARG002
        """Show the plan as it stands: the commits in the order in which they will be replayed, each with its command.

        Args:
            reason: why you call this tool now.

        Example:
            view_rebase_todo(reason="I want to see where I stand.")
        """
        return show_plan(self.plan, self.views)

    def show_changes_in(self, commit_index: int, reason: str = "", offset: int = 0, length: int = PAGE) -> str:  # noqa: ARG002
        """Show one of the original commits in full: its message and its changes. A long one comes in pages.

        Args:
            commit_index: index of the commit, counted from 0, the oldest.
            reason: why you call this tool now.
            offset: the first character to show; more than 0 for the pages after the first.
            length: how many characters to show at most.

        Example:
            show_changes_in(commit_index=1, reason="I need to see whether it corrects the one before.")
        """
        self._check_index(commit_index)
        return page(show_commit(self.views, commit_index), offset, length)

    def update_rebase_todo_list(self, rebase_todo_list_items: TodoItems, reason: str = "") -> str:  # noqa: ARG002
        """Replace the plan. Nothing is carried out yet; the answer says what the plan would give.

        The items must name every original commit exactly once, in the order in which they are to be replayed.

        Args:
            rebase_todo_list_items: the new plan. commit_msg is required with reword and squash, and is the complete
                message of the resulting commit; with other commands leave it out.
            reason: why you plan it so.

        Example:
            update_rebase_todo_list(rebase_todo_list_items=[{"commit_index": 0, "command": "reword", "commit_msg":
            "Reject empty input\\n\\nThe reader below cannot cope with it."}, {"commit_index": 2, "command": "fixup"},
            {"commit_index": 1, "command": "pick"}], reason="Commit 2 mends what commit 0 broke.")
        """
        self._check_open()
        items: Sequence[Any] = rebase_todo_list_items
        self.plan = read_items(items, len(self.commits))
        self.replayed = self.chain.replay(self.plan)
        made = len(groups_of(self.plan))
        notes = [
            f"Note: the commit_msg of item {position} is not used; only reword and squash take one."
            for position in unused_messages(items)
        ]
        self._unread_notes = notes
        heading = f"The plan is accepted; it makes {made} commit{'' if made == 1 else 's'} of {len(self.commits)}."
        return "\n".join([heading, *notes, show_plan(self.plan, self.views), self._forecast()])

    def execute_rebase(self, reason: str = "") -> str:  # noqa: ARG002
        """Carry out the plan. When it succeeds your work is done; when commits conflict nothing is changed.

        Args:
            reason: why the plan is ready.

        Example:
            execute_rebase(reason="The plan is complete.")
        """
        self._check_open()
        if self._unread_notes:
            raise ToolError(
                f"not carried out, since this call was written before you could read the answer to the update: "
                f"{' '.join(self._unread_notes)} Update the plan if a message shall change, then call execute_rebase."
            )
        rebased = self.replayed
        if isinstance(rebased, RebaseConflict):
            raise self._stopped(rebased)
        if problem := self._nothing_done(rebased):
            raise ToolError(problem)
        if not self.keeps_contents(rebased) and self.plan not in self._refused:
            self._refused.add(self.plan)
            raise ToolError(
                f"not carried out: {self._loss(rebased)} Keep these commits, or meld them into others; if the contents "
                "shall differ, call execute_rebase again."
            )
        self._move_to(rebased)
        self.executed = True
        return f"The rebase is done. {show_rebased(rebased, self.views, unchanged=self.keeps_contents(rebased))}"

    def begin_answer(self) -> None:
        """What the plan was answered has been read."""
        self._unread_notes = []

    def keeps_contents(self, rebased: RebasedChain) -> bool:
        """Whether the chain ends at the tree at which it ended before."""
        return bool(rebased.commits) and rebased.commits[-1].tree == self.commits[-1].tree

    def _forecast(self) -> str:
        """What carrying out the plan would give, and what to do next."""
        rebased = self.replayed
        if isinstance(rebased, RebaseConflict):
            return (
                f"It cannot be carried out: {show_conflict(rebased, self.views)}\n"
                "Update the plan so that commits which touch the same lines keep their order."
            )
        if problem := self._nothing_done(rebased):
            return problem[0].upper() + problem[1:]
        result = show_rebased(rebased, self.views, unchanged=True)
        if self.keeps_contents(rebased):
            return f"Replayed as a trial, it applies. {result}\nCall execute_rebase to carry it out."
        return f"Replayed as a trial, it applies. {result}\nWarning: {self._loss(rebased)}"

    def _nothing_done(self, rebased: RebasedChain) -> str | None:
        """Why a plan that can be replayed is no rebase."""
        if not rebased.commits:
            return "nothing would be left: the changes of the kept commits cancel out; keep some of them"
        made = [(new.tree, new.message) for new in rebased.commits]
        if made == [(commit.tree, commit.message) for commit in self.commits]:
            return (
                "the plan leaves every commit as it is, so there is nothing to carry out; plan a change with "
                "update_rebase_todo_list first"
            )
        return None

    def _loss(self, rebased: RebasedChain) -> str:
        """In which files the contents would differ in the end, and which commits are dropped."""
        trees = (self.commits[-1].tree, rebased.commits[-1].tree)
        names = self.git.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", *trees).split(b"\0")[:-1]
        shown = ", ".join(show_path(name) for name in names[:_LISTED_PATHS])
        more = f" and {len(names) - _LISTED_PATHS} more" if len(names) > _LISTED_PATHS else ""
        dropped = [str(step.commit) for step in self.plan if step.command is Command.DROP]
        since = (
            f", since commit{'' if len(dropped) == 1 else 's'} {', '.join(dropped)} would be dropped" if dropped else ""
        )
        return f"the contents in the end would differ from what they are now in {shown}{more}{since}."

    def _check_index(self, commit_index: int) -> None:
        if not 0 <= commit_index < len(self.commits):
            raise ToolError(f"commit_index must be 0 to {len(self.commits) - 1}")

    def _check_open(self) -> None:
        if self.executed:
            raise ToolError("the rebase has been carried out already")

    def _stopped(self, conflict: RebaseConflict) -> ToolError:
        """Count the conflict, and say what happened.

        Raises:
            LimitReached: it was one too many.
        """
        self.conflicts += 1
        left = MAX_CONFLICTS - self.conflicts
        if not left:
            raise LimitReached(f"{MAX_CONFLICTS} rebases stopped at a conflict")
        return ToolError(
            f"the rebase stopped and was undone: {show_conflict(conflict, self.views)}\n"
            "Everything is as it was before. Update the plan so that commits which touch the same lines keep their "
            f"order, then execute it again. {left} more attempt{'' if left == 1 else 's'} may stop at a conflict."
        )

    def _move_to(self, rebased: RebasedChain) -> None:
        """Write the commits, then let the branch, the index and the files follow."""
        head = self.chain.write(rebased)[-1]
        self.git.run("update-ref", "-m", "rebase", "HEAD", head)
        if not self.keeps_contents(rebased):
            check_out(self.git, head)
            self.git.run("clean", "-ffdxq")
