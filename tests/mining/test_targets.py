"""Which repositories a command line and a list name, and how they are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.dataset.rows import RowError
from gitgoodbench.errors import UserError
from gitgoodbench.git.mirror import Mirror
from gitgoodbench.git.process import Git
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.seart import read_repository_list
from gitgoodbench.mining.targets import Target, find_targets

SEART = """\
id,name,isFork,commits,branches,releases,forks,mainLanguage,defaultBranch,license,stargazers,contributors,createdAt,\
pushedAt,codeLines,lastCommit,isArchived,topics
7,acme/tool,false,900,12,3,4,Python,main,MIT License,1234,56,2020-05-31T12:00:00,2025-06-30T08:15:00,4321,\
2025-06-29T08:15:00,false,git;merge
8,acme/Other,true,,,,,,,,,,,,,,,
"""


def git_folder(path: Path, remote: str | None = None) -> Path:
    path.mkdir(parents=True)
    Git(path).with_env(GIT_DIR=str(path / ".git")).run("init", "--quiet", "--template=")
    if remote:
        Git(path / ".git").run("config", "remote.origin.url", remote)
    return path


def test_a_list_as_the_search_exports_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(SEART, encoding="utf-8")
    assert read_repository_list(path) == [
        Project(
            name="acme/tool", programming_language="python", default_branch="main", license="MIT License",
            stargazers=1234, created_at="2020-05-31T12:00:00", topics="git;merge", is_fork=False, is_archived=False,
            branches=12, contributors=56, last_commit="2025-06-29T08:15:00", code_lines=4321,
        ),
        Project(name="acme/Other", is_fork=True),
    ]  # fmt: skip


def test_a_list_needs_nothing_but_names_and_is_not_particular_about_headers(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text('Name,Main Language,STARS\nhttps://github.com/acme/tool,Kotlin,"1,234"\nACME/TOOL,,\n', "utf-8")
    assert read_repository_list(path) == [Project(name="acme/tool", programming_language="kotlin", stargazers=1234)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name\ntool\n", "list.csv, row 1: field name: expected a repository as owner/name, got 'tool'"),
        ("stars\n7\n", "list.csv, row 1: field name: expected a repository as owner/name, but it is missing"),
        ("name,stargazers\na/b,many\n", "field stargazers: expected a whole number, 0 or more, got 'many'"),
        ("name,isFork\na/b,maybe\n", "field isfork: expected true or false, got 'maybe'"),
        ("name,createdAt\na/b,soon\n", "field createdat: expected a time as 2024-05-31T12:00:00, got 'soon'"),
    ],
)
def test_what_is_wrong_in_a_list_is_named_with_its_place(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "list.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RowError) as raised:
        read_repository_list(path)
    assert expected in str(raised.value)


def test_local_repositories_are_called_as_their_folders_spell_them_or_their_remotes_or_their_places(
    tmp_path: Path,
) -> None:
    joined = git_folder(tmp_path / "acme__tool")
    mirror = git_folder(tmp_path / "acme+lib" / "repo")
    remote = git_folder(tmp_path / "somewhere", "git@host.example:team/service.git")
    web = git_folder(tmp_path / "elsewhere", "https://host.example/team/site.git/")
    plain = git_folder(tmp_path / "home" / "src")
    found = find_targets([str(path) for path in (joined, mirror, remote, web, plain)] + [f"my/name={plain}"])
    assert [target.name for target in found] == [
        "acme/tool", "acme/lib", "team/service", "team/site", "home/src", "my/name",
    ]  # fmt: skip
    assert found[0].mirror == Mirror(joined / ".git")


def test_a_linked_work_tree_leads_to_the_repository_behind_it(tmp_path: Path) -> None:
    main = git_folder(tmp_path / "acme" / "tool")
    git = Git(main / ".git", main)
    git.run("commit", "--quiet", "--allow-empty", "-m", "first")
    git.run("worktree", "add", "--quiet", str(tmp_path / "linked"))
    (target,) = find_targets([f"acme/tool={tmp_path / 'linked'}"])
    assert target.mirror == Mirror(main / ".git")


def test_what_a_list_says_of_an_argument_counts_for_it(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(SEART, encoding="utf-8")
    found = find_targets(["other/one", "Acme/Tool"], [path])
    assert [target.name for target in found] == ["other/one", "Acme/Tool", "acme/Other"]
    assert found[1].project.stargazers == 1234
    assert found == [Target(target.project) for target in found]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "nothing to mine"),
        (["nowhere"], "'nowhere' is no repository: give owner/name, the path of a repository, or owner/name=PATH"),
        (["a/b=/nowhere"], "there is no folder /nowhere"),
        (["a/b", "A/b"], "two repositories are called A/b (a/b and A/b): write owner/name=PATH to name it"),
    ],
)
def test_a_mistake_is_one_clear_line(arguments: list[str], expected: str) -> None:
    with pytest.raises(UserError) as raised:
        find_targets(arguments)
    assert expected in str(raised.value)


def test_a_folder_that_is_no_repository_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"{tmp_path} is no Git repository"):
        find_targets([str(tmp_path)])
