"""The tools of picking: those that resolve conflicts, and two that show the commit that is applied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from gitgoodbench.errors import ToolError
from gitgoodbench.git.objects import SUBMODULE, SYMLINK, Entry
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.picks import PickedCommit
from gitgoodbench.git.process import Git
from gitgoodbench.git.text import encoding_of, to_text
from gitgoodbench.plugin.arguments import path_argument
from gitgoodbench.plugin.pages import PAGE, page
from gitgoodbench.resolving.extended import EditingTools
from gitgoodbench.resolving.resolution import Resolution
from gitgoodbench.resolving.task import Task
from gitgoodbench.resolving.tools import ResolvingTools
from gitgoodbench.resolving.working_tree import VIEW_LIMIT, WorkingTree


class PickTools(ResolvingTools):
    """The published tools; `picked` is the commit that is applied or undone."""

    def __init__(self, resolution: Resolution, files: WorkingTree, git: Git, task: Task, picked: PickedCommit) -> None:
        super().__init__(resolution, files, git, task)
        self.picked = picked

    def functions(self) -> list[Callable[..., str]]:
        return [*super().functions(), self.view_picked_commit, self.view_file_at_source]

    def view_picked_commit(
        self,
        reason: str = "",  # noqa: ARG002
        offset: int = 0,
        length: int = PAGE,
    ) -> str:
        """Show the commit that is picked or reverted: its message and what it changed where it was made.

        Args:
            reason: why you call this tool now.
            offset: the first character to show; more than 0 for the pages after the first.
            length: how many characters to show at most.

        Example:
            view_picked_commit(reason="I want to know what the commit is for.")
        """
        commit = self.picked.commit
        before = self.picked.parent or self.git.line("hash-object", "-t", "tree", "--stdin", stdin=b"")
        result = self.git.execute(
            "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", before, commit.oid,
            output_limit=VIEW_LIMIT,
        )  # fmt: skip
        if result.returncode != 0 and not result.truncated:
            raise ToolError(f"the commit cannot be shown: {result.stderr.decode('utf-8', 'replace').strip()}")
        more = f"\n[what follows the first {VIEW_LIMIT} bytes is left out]" if result.truncated else ""
        message = to_text(commit.message, "utf-8").strip("\n")
        patch = to_text(result.stdout, encoding_of(result.stdout)) or "[it changes nothing]\n"
        return page(f"commit {commit.oid}\n\n{message}\n\n{patch}{more}", offset, length)

    def view_file_at_source(
        self,
        relative_path_from_project_root: str,
        version: Literal["after", "before"] = "after",
        reason: str = "",
        offset: int = 0,
        length: int = PAGE,
    ) -> str:
        """Show a file as it is where the commit was made: after the commit, or before it.

        Args:
            relative_path_from_project_root: path of the file, from the project's root.
            version: after the commit, or before it.
            reason: why you call this tool now.
            offset: the first character to show; more than 0 for the pages after the first.
            length: how many characters to show at most.

        Example:
            view_file_at_source(relative_path_from_project_root="src/app.py", version="before", reason="How it was.")
        """
        path = path_argument(relative_path_from_project_root)
        commit = self.picked.oid if version == "after" else self.picked.parent
        entry = None if commit is None else _entry(self.git, commit, path)
        if entry is None:
            raise ToolError(f"{version} the commit there is no file {show_path(path)}")
        if entry.mode == SUBMODULE:
            return f"{show_path(path)} is a submodule at commit {entry.oid}"
        result = self.git.execute("cat-file", "blob", entry.oid, output_limit=VIEW_LIMIT)
        if result.returncode != 0 or result.truncated:
            reason = f"is larger than {VIEW_LIMIT} bytes" if result.truncated else "is missing from this repository"
            raise ToolError(f"the content of {show_path(path)} {reason}")
        text = to_text(result.stdout, encoding_of(result.stdout))
        if entry.mode == SYMLINK:
            return f"{show_path(path)} is a symbolic link to {text}"
        return page(text, offset, length)


def _entry(git: Git, commit: str, path: bytes) -> Entry | None:
    found = git.run("ls-tree", "-z", "--full-tree", "--end-of-options", commit, path)
    head, _, name = found.partition(b"\0")[0].partition(b"\t")
    mode, kind, oid = head.decode("ascii").split() if head else ("", "tree", "")
    return Entry(mode, oid) if name == path and kind != "tree" else None


class ExtendedPickTools(PickTools, EditingTools):
    """The extended ones: `finish` commits."""

    def finish(self, message: str) -> str:
        """Commit the result. Nothing can be changed afterwards.

        Args:
            message: message of the commit.

        Example:
            finish(message="Fix the rounding of totals")
        """
        return self.commit_as(message)
