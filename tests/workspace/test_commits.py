from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from gitgoodbench.git.mirror import Mirror, UnreadableRepositoryError
from gitgoodbench.git.process import Git
from gitgoodbench.workspace.commits import commit_problems
from tests.support.repositories import RepositoryBuilder

ABSENT = "1" * 40


@pytest.fixture
def history(tmp_path: Path) -> tuple[RepositoryBuilder, list[str]]:
    """Three commits on main."""
    repository = RepositoryBuilder(tmp_path / "whole.git")
    commits: list[str] = []
    for number in range(3):
        commits.append(repository.commit({b"a.py": b"%d\n" % number}, commits[-1:]))
    repository.branch("main", commits[-1])
    return repository, commits


def problems(git_dir: Path, *commits: str) -> list[str]:
    return [str(problem) for problem in commit_problems(Mirror(git_dir), commits)]


def loose(git_dir: Path, oid: str) -> Path:
    return git_dir / "objects" / oid[:2] / oid[2:]


def test_commits_that_are_there_are_no_problem(history: tuple[RepositoryBuilder, list[str]]) -> None:
    repository, commits = history
    assert problems(repository.path, *commits) == []
    assert problems(repository.path) == []


def test_each_flaw_has_its_own_words(history: tuple[RepositoryBuilder, list[str]]) -> None:
    repository, commits = history
    tree = repository.git.line("rev-parse", f"{commits[0]}^{{tree}}")
    blob = repository.git.line("rev-parse", f"{commits[0]}:a.py")
    repository.git.run("tag", "-a", "-m", "v1", "v1", commits[1])
    tag = repository.git.line("rev-parse", "v1")
    asked = (commits[2], ABSENT, tree, blob, tag, "HEAD", "--all", commits[0][:10], commits[0].upper(), "")
    assert problems(repository.path, *asked) == [
        f"{ABSENT} is missing",
        f"{tree} is a tree, not a commit",
        f"{blob} is a blob, not a commit",
        f"{tag} is a tag, not a commit",
        "HEAD is not a commit id",
        "--all is not a commit id",
        f"{commits[0][:10]} is not a commit id",
        f"{commits[0].upper()} is not a commit id",
        " is not a commit id",
    ]
    assert [problem.absent for problem in commit_problems(Mirror(repository.path), [ABSENT, tree])] == [True, False]


def test_a_missing_tree_is_told_from_a_missing_commit(history: tuple[RepositoryBuilder, list[str]]) -> None:
    repository, commits = history
    loose(repository.path, repository.git.line("rev-parse", f"{commits[1]}^{{tree}}")).unlink()
    assert problems(repository.path, *commits) == [f"{commits[1]} is there, but the tree of its files is missing"]


def test_a_repository_without_config_is_read(history: tuple[RepositoryBuilder, list[str]]) -> None:
    repository, commits = history
    (repository.path / "config").unlink()
    assert problems(repository.path, *commits, ABSENT) == [f"{ABSENT} is missing"]


def test_a_shallow_repository_is_read(history: tuple[RepositoryBuilder, list[str]], tmp_path: Path) -> None:
    repository, commits = history
    url = f"file://{repository.path}"
    Git(tmp_path).with_env(GIT_ALLOW_PROTOCOL="file").run("clone", "-q", "--bare", "--depth=1", url, "shallow.git")
    assert problems(tmp_path / "shallow.git", *commits) == [f"{commits[0]} is missing", f"{commits[1]} is missing"]


def test_a_partial_repository_is_read_and_fetches_nothing(
    history: tuple[RepositoryBuilder, list[str]], tmp_path: Path
) -> None:
    repository, commits = history
    repository.git.run("config", "uploadpack.allowFilter", "true")
    repository.git.run("config", "uploadpack.allowAnySHA1InWant", "true")
    url = f"file://{repository.path}"
    network = Git(tmp_path).with_env(GIT_ALLOW_PROTOCOL="file")
    network.run("clone", "-q", "--bare", "--filter=tree:0", url, "partial.git")
    missing = [f"{commit} is there, but the tree of its files is missing" for commit in commits]
    assert problems(tmp_path / "partial.git", ABSENT, *commits) == [f"{ABSENT} is missing", *missing]

    network.run("clone", "-q", "--bare", "--filter=blob:none", url, "blobless.git")
    assert problems(tmp_path / "blobless.git", *commits, ABSENT) == [f"{ABSENT} is missing"]


def test_alternates_are_followed(history: tuple[RepositoryBuilder, list[str]], tmp_path: Path) -> None:
    _, commits = history
    borrower = RepositoryBuilder(tmp_path / "borrower.git")
    (borrower.path / "objects" / "info").mkdir(exist_ok=True)
    (borrower.path / "objects" / "info" / "alternates").write_text("../../whole.git/objects\n")
    assert problems(borrower.path, *commits) == []


def test_sha256_ids_are_read_and_never_abbreviated(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "sha256.git", algorithm="sha256")
    commit = repository.commit({b"a.py": b"1\n"})
    assert len(commit) == 64
    assert problems(repository.path, commit, commit[:40]) == [f"{commit[:40]} is missing"]


def test_a_ref_that_looks_like_an_id_is_no_object(history: tuple[RepositoryBuilder, list[str]]) -> None:
    repository, commits = history
    repository.git.run("update-ref", f"refs/heads/{'2' * 64}", commits[0])
    assert problems(repository.path, "2" * 64) == [f"{'2' * 64} is missing"]


def test_replacements_and_grafts_change_nothing(history: tuple[RepositoryBuilder, list[str]]) -> None:
    repository, commits = history
    stranger = repository.commit({b"other.py": b"x\n"})
    repository.git.run("replace", commits[2], stranger)
    (repository.path / "info").mkdir(exist_ok=True)
    (repository.path / "info" / "grafts").write_text(f"{commits[2]} {stranger}\n{commits[1]}\n")
    assert problems(repository.path, *commits) == []
    assert repository.git.run("rev-list", "--parents", commits[2]).decode().split("\n")[:-1] == [
        f"{commits[2]} {commits[1]}",
        f"{commits[1]} {commits[0]}",
        commits[0],
    ]
    assert repository.git.run("cat-file", "-p", f"{commits[2]}:a.py") == b"2\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_of_another_user_is_read(history: tuple[RepositoryBuilder, list[str]]) -> None:
    repository, commits = history
    for path in [repository.path, *repository.path.rglob("*")]:
        os.chown(path, 12345, 12345)
    assert problems(repository.path, *commits) == []


def test_a_corrupt_object_is_missing(history: tuple[RepositoryBuilder, list[str]]) -> None:
    repository, commits = history
    file = loose(repository.path, commits[1])
    file.chmod(0o644)
    file.write_bytes(b"garbage")
    assert problems(repository.path, *commits) == [f"{commits[1]} is missing"]


def test_what_is_no_repository_says_why(history: tuple[RepositoryBuilder, list[str]], tmp_path: Path) -> None:
    repository, commits = history
    with pytest.raises(UnreadableRepositoryError, match="not a git repository"):
        commit_problems(Mirror(tmp_path), commits)
    repository.git.run("config", "core.repositoryFormatVersion", "1")
    repository.git.run("config", "extensions.fromTheFuture", "yes")
    with pytest.raises(UnreadableRepositoryError, match=r"^unknown repository extension 'fromthefuture': it needs a"):
        commit_problems(Mirror(repository.path), commits)
    shutil.rmtree(repository.path / "objects")
    with pytest.raises(UnreadableRepositoryError):
        commit_problems(Mirror(repository.path), commits)
