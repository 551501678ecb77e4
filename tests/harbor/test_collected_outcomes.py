"""What is collected in an environment says of an operation that waits what an episode's own outcome says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gitgoodbench.git.process import GIT_ENVIRONMENT
from gitgoodbench.harbor.outcome import COLLECTED, collected_outcome, collecting
from gitgoodbench.workspace.outcome import take_outcome
from tests.support.repositories import RepositoryBuilder


@pytest.mark.parametrize("head", [None, "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"])
def test_what_waits_to_be_finished_is_seen(tmp_path: Path, head: str | None) -> None:
    work = tmp_path / "work"
    builder = RepositoryBuilder(work / ".git")
    commit = builder.commit({b"a": b"1\n"}, [])
    builder.branch("main", commit)
    git = builder.git.with_env(GIT_WORK_TREE=str(work))
    git.run("symbolic-ref", "HEAD", "refs/heads/main")
    if head is not None:
        git.run("update-ref", "--no-deref", head, commit)
    line = collecting(str(work), [commit], "episode").replace(COLLECTED, str(tmp_path / "collected"))
    subprocess.run(["sh", "-c", line], check=True, env={**GIT_ENVIRONMENT, "PATH": "/usr/local/bin:/usr/bin:/bin"})
    collected = collected_outcome(tmp_path / "collected", within=tmp_path)
    own = take_outcome(git, [commit])
    assert collected.state["merge_in_progress"] is own.state["merge_in_progress"] is (head is not None)
