"""The extended tools: the published ones, a look at files as a commit left them, and at what a plan would give."""

from __future__ import annotations

from collections.abc import Callable

from gitgoodbench.errors import ToolError
from gitgoodbench.git.objects import SUBMODULE
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.rebase import RebaseConflict
from gitgoodbench.git.tree_paths import is_tree_path
from gitgoodbench.plugin.arguments import path_argument
from gitgoodbench.plugin.pages import PAGE, page

from .display import show_conflict, show_rebased, show_text
from .tools import RebaseTools

VIEW_LIMIT = 8 * 1024 * 1024


class ExtendedRebaseTools(RebaseTools):
    """A conflict can be found out before it counts."""

    def functions(self) -> list[Callable[..., str]]:
        return [*super().functions(), self.preview_rebase, self.view_file_at]

    def preview_rebase(self, reason: str = "") -> str:  # noqa: ARG002
        """Show what carrying out the plan would give: the commits, or the conflict. Nothing is changed, nothing counts.

        Args:
            reason: why you call this tool now.

        Example:
            preview_rebase(reason="I moved a commit and want to know whether it still applies.")
        """
        self._check_open()
        rebased = self.replayed
        if isinstance(rebased, RebaseConflict):
            return f"The rebase would stop: {show_conflict(rebased, self.views)}"
        return f"The rebase would succeed. {show_rebased(rebased, self.views, unchanged=self.keeps_contents(rebased))}"

    def view_file_at(
        self,
        commit_index: int,
        relative_path_from_project_root: str,
        reason: str = "",  # noqa: ARG002
        offset: int = 0,
        length: int = PAGE,
    ) -> str:
        """Show a file as one of the original commits left it. A long one comes in pages.

        Args:
            commit_index: index of the commit, counted from 0, the oldest.
            relative_path_from_project_root: path of the file, from the project's root.
            reason: why you call this tool now.
            offset: the first character to show; more than 0 for the pages after the first.
            length: how many characters to show at most.

        Example:
            view_file_at(commit_index=0, relative_path_from_project_root="src/app.py", reason="I need all of it.")
        """
        self._check_index(commit_index)
        path = path_argument(relative_path_from_project_root)
        if not is_tree_path(path):
            raise ToolError(f"{show_path(path)} is not a path inside the project")
        listed = self.git.run("ls-tree", "-z", "--full-tree", self.commits[commit_index].tree, "--", path)
        head = listed.partition(b"\t")[0].split()
        if len(head) != 3 or head[1] == b"tree":
            raise ToolError(f"{show_path(path)} {'is a folder' if head else 'does not exist'} in commit {commit_index}")
        oid = head[2].decode("ascii")
        if head[0] == SUBMODULE.encode():
            return f"{show_path(path)} is a submodule at commit {oid}"
        result = self.git.execute("cat-file", "blob", oid, output_limit=VIEW_LIMIT)
        if result.returncode != 0 or result.truncated:
            problem = f"is larger than {VIEW_LIMIT} bytes" if result.truncated else "is missing from this repository"
            raise ToolError(f"the content of {show_path(path)} {problem}")
        return page(show_text(result.stdout), offset, length)
