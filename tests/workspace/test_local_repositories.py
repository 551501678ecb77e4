from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.process import Git
from gitgoodbench.workspace.local import LocalRepositories
from tests.support.repositories import RepositoryBuilder

ABSENT = "1" * 40


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    repository = RepositoryBuilder(tmp_path / "source.git")
    repository.branch("main", repository.commit({b"a.py": b"1\n"}))
    return repository.path


@pytest.fixture
def repos(tmp_path: Path) -> Path:
    (tmp_path / "repos").mkdir()
    return tmp_path / "repos"


def head(git_dir: Path) -> str:
    return Git(git_dir).line("rev-parse", "main")


def snapshot(folder: Path) -> list[tuple[str, int, int]]:
    files = sorted(folder.rglob("*"))
    return [(str(path), path.lstat().st_mtime_ns, path.lstat().st_size) for path in files]


def refusal(repos: Path, name: str, *commits: str) -> str:
    with pytest.raises(SetupFailed) as caught:
        LocalRepositories(repos).mirror(name, commits)
    return str(caught.value)


@pytest.mark.parametrize(
    "place",
    ["acme/tool", "acme/tool.git", "acme__tool", "acme__tool.git", "acme+tool/repo", "ACME/Tool.git", "Acme+tOOl/repo"],
)
@pytest.mark.parametrize("with_work_tree", [False, True])
def test_every_layout_is_found_and_left_as_it_is(place: str, with_work_tree: bool, repos: Path, bare: Path) -> None:
    git_dir = repos / place / ".git" if with_work_tree else repos / place
    shutil.copytree(bare, git_dir)
    before = snapshot(repos)
    assert LocalRepositories(repos).mirror("acme/tool", [head(bare)]).git_dir == git_dir
    assert snapshot(repos) == before


def test_the_exact_name_wins_over_another_case(repos: Path, bare: Path) -> None:
    shutil.copytree(bare, repos / "ACME" / "tool")
    shutil.copytree(bare, repos / "acme__tool.git")
    assert LocalRepositories(repos).mirror("acme/tool", []).git_dir == repos / "acme__tool.git"


def test_a_linked_work_tree_leads_to_the_repository_it_belongs_to(repos: Path, bare: Path) -> None:
    Git(bare).run("worktree", "add", "-q", "--detach", str(repos / "acme" / "tool"), "main")
    assert (repos / "acme" / "tool" / ".git").is_file()
    assert LocalRepositories(repos).mirror("acme/tool", [head(bare)]).git_dir == bare


def test_a_submodule_leads_to_its_git_directory(repos: Path, bare: Path) -> None:
    (repos / "acme" / "tool").mkdir(parents=True)
    shutil.copytree(bare, repos / "modules" / "tool")
    (repos / "acme" / "tool" / ".git").write_text("gitdir: ../../modules/tool\r\n")
    found = LocalRepositories(repos).mirror("acme/tool", [head(bare)]).git_dir
    assert found.resolve() == repos / "modules" / "tool"


def test_a_folder_that_is_no_repository_is_passed_over(repos: Path, bare: Path) -> None:
    (repos / "acme" / "tool").mkdir(parents=True)
    shutil.copytree(bare, repos / "acme+tool" / "repo")
    assert LocalRepositories(repos).mirror("acme/tool", []).git_dir == repos / "acme+tool" / "repo"


def test_a_repository_that_is_not_there_names_the_places_tried(repos: Path) -> None:
    assert refusal(repos, "acme/tool") == (
        f"acme/tool is not in {repos}: tried acme/tool, acme/tool.git, acme__tool, acme__tool.git, acme+tool/repo"
    )


def test_broken_repositories_are_named_with_their_flaw(repos: Path, bare: Path) -> None:
    (repos / "acme" / "tool").mkdir(parents=True)
    shutil.copytree(bare, repos / "acme" / "tool.git")
    (repos / "acme" / "tool.git" / "HEAD").unlink()
    (repos / "acme__tool").mkdir()
    (repos / "acme__tool" / ".git").write_text("gitdir: /nowhere/at/all\n")
    (repos / "acme__tool.git").write_text("a file")
    assert refusal(repos, "acme/tool") == (
        f"acme/tool is not in {repos}: tried "
        f"{repos}/acme/tool (not a Git repository: it has no HEAD), "
        f"{repos}/acme/tool.git (not a Git repository: it has no HEAD), "
        f"{repos}/acme__tool (its .git points to /nowhere/at/all, which is no folder), "
        f"{repos}/acme__tool.git (no folder)"
    )


def test_a_missing_commit_is_named_with_the_repository(repos: Path, bare: Path) -> None:
    shutil.copytree(bare, repos / "acme" / "tool")
    assert refusal(repos, "acme/tool", head(bare), ABSENT) == (
        f"acme/tool: commit {ABSENT} is missing in {repos}/acme/tool; fetch it there, or run without --repos"
    )


def test_a_repository_that_git_cannot_read_says_why(repos: Path, bare: Path) -> None:
    shutil.copytree(bare, repos / "acme" / "tool")
    Git(repos / "acme" / "tool").run("config", "core.repositoryFormatVersion", "99")
    assert refusal(repos, "acme/tool").startswith(f"acme/tool: Git cannot read {repos}/acme/tool: ")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_of_another_user_is_used(repos: Path, bare: Path) -> None:
    shutil.copytree(bare, repos / "acme" / "tool")
    for path in [repos, *repos.rglob("*")]:
        os.chown(path, 12345, 12345)
    assert LocalRepositories(repos).mirror("acme/tool", [head(bare)]).git_dir == repos / "acme" / "tool"
