"""Repositories as developers have them: Git as it is installed, a user's own configuration, real hooks."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from gitgoodbench.feedback import hook
from gitgoodbench.feedback.repository import Repository, discover
from gitgoodbench.feedback.store import folder_of

PROGRAM = hook.Program("/bin/true", "/bin/true")
"""A hook that starts a worker which does nothing: the queue stays as it is."""


class Developer:
    """A person with a home, who runs Git. Commits are made a minute apart."""

    def __init__(self, home: Path) -> None:
        self.home = home
        home.mkdir(parents=True, exist_ok=True)
        self.clock = 1_790_000_000
        (home / ".gitconfig").write_text(
            "[user]\n\tname = Ada\n\temail = ada@example.invalid\n[init]\n\tdefaultBranch = main\n"
        )

    @property
    def environment(self) -> dict[str, str]:
        """What a shell of theirs has."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": f"{self.clock} +0000",
            "GIT_COMMITTER_DATE": f"{self.clock} +0000",
        }

    def run(self, folder: Path, *command: str | bytes, **variables: str) -> subprocess.CompletedProcess[bytes]:
        """Run a command, whatever its exit status."""
        environment: Mapping[str, str] = {**self.environment, **variables}
        return subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )

    def git(self, folder: Path, *arguments: str | bytes, **variables: str) -> str:
        """Run Git, which must not fail."""
        done = self.run(folder, "git", *arguments, **variables)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return os.fsdecode(done.stdout).strip()

    def commit(
        self, folder: Path, files: Mapping[str, bytes], message: str = "A commit", *more: str, **variables: str
    ) -> str:
        """Write files, add all, commit; gives the id."""
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        self.git(folder, "add", "--all")
        self.clock += 60
        self.git(folder, "commit", "--quiet", "--allow-empty", "--message", message, *more, **variables)
        return self.head(folder)

    def head(self, folder: Path) -> str:
        """The commit that is checked out."""
        return self.git(folder, "rev-parse", "HEAD")

    def repository(self, folder: Path, *options: str) -> Path:
        """A new repository."""
        self.git(self.home, "init", "--quiet", *options, "--", str(folder))
        return folder


def install_quietly(folder: Path, variables: tuple[str, ...] = ()) -> Repository:
    """Install hooks whose worker does nothing."""
    from gitgoodbench.feedback.install import install_in

    repository = discover(folder)
    install_in(repository, variables)
    script = folder_of(repository.common) / "hook"
    script.write_text(hook.script(PROGRAM, variables))
    return repository
