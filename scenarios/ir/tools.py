"""The published tools of interactive rebase: look at the plan and the commits, write the plan anew, carry it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gitgoodbench.errors import LimitReached, ToolError
from gitgoodbench.git.commits import Commit
from gitgoodbench.git.histories import CommitView
from gitgoodbench.git.process import Git
from gitgoodbench.git.rebase import ChainReplay, RebaseConflict, RebasedChain
from gitgoodbench.git.rebase_plan import Step, groups_of, unchanged_plan
from gitgoodbench.tools import Tool
from gitgoodbench.workspace.build import check_out

from .display import show_commit, show_conflict, show_plan, show_rebased
from .todo import TodoItem, read_items, unused_messages

MAX_CONFLICTS = 5
"""Rebases that may stop at a conflict; with the last one the episode ends."""


class RebaseTools:
    """The plan, and the chain that it is for. `git` runs inside the sandbox; views are of the chain's commits."""

    def __init__(self, git: Git, base: Commit | None, commits: Sequence[Commit], views: Sequence[CommitView]) -> None:
        self.git = git
        self.commits = tuple(commits)
        self.views = tuple(views)
        self.chain = ChainReplay(git, base, commits)
        self.plan: tuple[Step, ...] = unchanged_plan(len(commits))
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

    def view_rebase_todo(self, reason: str) -> str:  # noqa: ARG002
        """Show the plan as it stands: the commits in the order in which they will be replayed, each with its command.

        Args:
            reason: why you call this tool now.
        """
        return show_plan(self.plan, self.views)

    def show_changes_in(self, commit_index: int, reason: str) -> str:  # noqa: ARG002
        """Show one of the original commits in full: its message and its changes.

        Args:
            commit_index: index of the commit, counted from 0, the oldest.
            reason: why you call this tool now.
        """
        self._check_index(commit_index)
        return show_commit(self.views, commit_index)

    def update_rebase_todo_list(self, rebase_todo_list_items: list[TodoItem], reason: str) -> str:  # noqa: ARG002
        """Replace the plan. Nothing is carried out yet.

        The items must name every original commit exactly once, in the order in which they are to be replayed.

        Args:
            rebase_todo_list_items: the new plan. commit_msg is required with reword and squash, and is the complete
                message of the resulting commit; with other commands leave it out.
            reason: why you plan it so.
        """
        self._check_open()
        self.plan = read_items(rebase_todo_list_items, len(self.commits))
        made = len(groups_of(self.plan))
        notes = [
            f"Note: the commit_msg of item {position} is not used; only reword and squash take one."
            for position in unused_messages(rebase_todo_list_items)
        ]
        heading = f"The plan is accepted; it makes {made} commit{'' if made == 1 else 's'} of {len(self.commits)}."
        return "\n".join([heading, *notes, show_plan(self.plan, self.views)])

    def execute_rebase(self, reason: str) -> str:  # noqa: ARG002
        """Carry out the plan. When it succeeds your work is done; when commits conflict nothing is changed.

        Args:
            reason: why the plan is ready.
        """
        self._check_open()
        rebased = self.chain.replay(self.plan)
        if isinstance(rebased, RebaseConflict):
            raise self._stopped(rebased)
        self._move_to(rebased)
        self.executed = True
        return f"The rebase is done. {show_rebased(rebased, self.views, unchanged=self.keeps_contents(rebased))}"

    def keeps_contents(self, rebased: RebasedChain) -> bool:
        """Whether the chain ends at the tree at which it ended before."""
        return bool(rebased.commits) and rebased.commits[-1].tree == self.commits[-1].tree

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
        """Write the commits, then let the branch, the index and the files follow.

        Raises:
            ToolError: no commit would be left.
        """
        if not rebased.commits:
            raise ToolError("nothing would be left: the changes of the kept commits cancel out")
        head = self.chain.write(rebased)[-1]
        self.git.run("update-ref", "-m", "rebase", "HEAD", head)
        if not self.keeps_contents(rebased):
            check_out(self.git, head)
            self.git.run("clean", "-ffdxq")
