"""What a mirror lends, and that Git runs nowhere but in repositories of our own."""

from __future__ import annotations

import ast
import gc
import os
from pathlib import Path

import pytest

import gitgoodbench
from gitgoodbench.git.mirror import Mirror, UnreadableRepositoryError
from gitgoodbench.git.process import Git
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    repository = RepositoryBuilder(tmp_path / "whole.git")
    repository.branch("main", repository.commit({b"a.py": b"1\n"}))
    return repository


def settings(builder: RepositoryBuilder, text: str) -> Mirror:
    with (builder.path / "config").open("a", encoding="ascii") as file:
        file.write(text)
    return Mirror(builder.path)


def refs(git: Git) -> list[str]:
    return git.run("for-each-ref", "--format=%(refname) %(objectname) %(symref)").decode("utf-8").split("\n")[:-1]


def test_a_borrowed_repository_has_the_objects_and_no_setting_of_the_mirror(builder: RepositoryBuilder) -> None:
    git = settings(builder, "[core]\n\tbigFileThreshold = 1\n[diff]\n\tcolor = always\n").borrow()
    assert git.run("cat-file", "-p", f"{builder.git.line('rev-parse', 'main')}:a.py") == b"1\n"
    listed = git.run("config", "--local", "--list").decode().split("\n")[:-1]
    assert listed == ["core.repositoryformatversion=0", "core.bare=true"]
    assert refs(git) == []


def test_refs_are_copied_as_the_mirror_has_them(builder: RepositoryBuilder, tmp_path: Path) -> None:
    first = builder.git.line("rev-parse", "main")
    builder.branch("packed", first)
    builder.git.run("symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/packed")
    builder.git.run("pack-refs", "--all")
    second = builder.commit({b"a.py": b"2\n"}, [first])
    builder.branch("main", second)
    builder.branch("deep/er/loose", second)
    os.mkfifo(builder.path / "refs" / "heads" / "pipe")
    (builder.path / "refs" / "heads" / "huge").write_bytes(b"x" * 100_000)
    (builder.path / "refs" / "heads" / "outside").symlink_to(tmp_path / "elsewhere")
    (builder.path / "refs" / "heads" / "old").symlink_to("refs/heads/packed")
    git = Mirror(builder.path).borrow(refs=True)
    assert refs(git) == [
        f"refs/heads/deep/er/loose {second} ",
        f"refs/heads/main {second} ",
        f"refs/heads/old {first} refs/heads/packed",
        f"refs/heads/packed {first} ",
        f"refs/remotes/origin/HEAD {first} refs/heads/packed",
    ]
    assert git.line("symbolic-ref", "HEAD") == "refs/heads/main"
    assert not Path(git.git_dir, "refs", "heads", "huge").exists()


def test_a_borrowed_repository_goes_with_its_last_git(builder: RepositoryBuilder) -> None:
    git = Mirror(builder.path).borrow()
    folder, again = Path(git.git_dir), git.with_env(LC_ALL="C")
    del git
    gc.collect()
    assert again.run("rev-parse", "--git-dir")
    del again
    gc.collect()
    assert not folder.exists()


def test_alternates_are_followed_however_long_their_line_is(builder: RepositoryBuilder, tmp_path: Path) -> None:
    commit = builder.git.line("rev-parse", "main")
    for number in range(9):
        link = RepositoryBuilder(tmp_path / f'link "{number}".git')
        before = "whole.git" if number == 0 else rf"link \"{number - 1}\".git"
        (link.path / "objects" / "info").mkdir(exist_ok=True)
        (link.path / "objects" / "info" / "alternates").write_text(f'# from\n"../../{before}/objects"\n')
    assert Mirror(link.path).borrow().line("rev-parse", f"{commit}^{{commit}}") == commit


def test_a_sha256_mirror_lends_sha256_objects(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "long.git", algorithm="sha256")
    commit = repository.commit({b"a.py": b"1\n"})
    repository.branch("main", commit)
    git = Mirror(repository.path).borrow(refs=True)
    assert (len(commit), git.line("rev-parse", "main")) == (64, commit)


def test_a_mirror_that_may_only_be_read_is_enough(builder: RepositoryBuilder) -> None:
    before = sorted((path, path.lstat().st_mtime_ns) for path in builder.path.rglob("*"))
    git = Mirror(builder.path).borrow(refs=True)
    git.run("update-ref", "refs/heads/new", git.line("rev-parse", "main"))
    git.run("hash-object", "-w", "--stdin", stdin=b"new\n")
    assert sorted((path, path.lstat().st_mtime_ns) for path in builder.path.rglob("*")) == before


def test_extensions_that_change_neither_objects_nor_refs_need_no_newer_git(builder: RepositoryBuilder) -> None:
    commit = builder.git.line("rev-parse", "main")
    odd = "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\trelativeWorktrees = true\n\tpreciousObjects = true\n"
    assert settings(builder, odd).borrow(refs=True).line("rev-parse", "main") == commit


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[core]\n\trepositoryFormatVersion = 7\n", "its format is '7': a newer Git made it"),
        ("[extensions]\n\tobjectFormat = sha3\n", "unknown object format 'sha3': it needs a newer Git"),
        ("[extensions]\n\trefStorage = ledger\n", "unknown storage of refs 'ledger': it needs a newer Git"),
        (
            "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tsoon = true\n",
            "unknown repository extension 'soon': it needs a newer Git",
        ),
    ],
)
def test_what_needs_a_newer_git_says_so(builder: RepositoryBuilder, text: str, message: str) -> None:
    with pytest.raises(UnreadableRepositoryError) as caught:
        settings(builder, text).borrow()
    assert str(caught.value) == message


def test_a_reftable_needs_a_newer_git_only_where_refs_are_read(
    builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = builder.git.line("rev-parse", "main")
    mirror = settings(builder, "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\trefStorage = reftable\n")
    assert mirror.borrow().line("rev-parse", commit) == commit
    monkeypatch.setattr("gitgoodbench.git.mirror._version", lambda _: (2, 39))
    with pytest.raises(UnreadableRepositoryError, match=r"^its refs are kept as a reftable, .*: 2\.45 or later, not"):
        mirror.borrow(refs=True)


def test_git_runs_only_where_our_own_repositories_are_made() -> None:
    """Whoever gets a repository from elsewhere gets a `Mirror`, which no function takes for a `Git`."""
    package = Path(gitgoodbench.__file__).parent
    makers = {
        str(file.relative_to(package.parent))
        for folder in (package, package.parent / "scenarios")
        for file in folder.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Git"
    }
    assert makers == {
        "gitgoodbench/feedback/added_lines.py",  # an empty one, for a diff without attributes
        "gitgoodbench/feedback/sinks/notes.py",  # the developer's own
        "gitgoodbench/feedback/sources/opencode_snapshots.py",  # those that the developer's opencode keeps
        "gitgoodbench/feedback/repository.py",  # the developer's own, in which Git runs at every command of theirs
        "gitgoodbench/harbor/verify.py",  # an empty one, for the truth of one task
        "gitgoodbench/stories/build.py",  # builds the built-in suite
        "gitgoodbench/git/mirror.py",  # the borrowed repository
        "gitgoodbench/git/process.py",  # the same repository, with another environment
        "gitgoodbench/git/rebase.py",  # the workspace's repository, with another folder
        "gitgoodbench/runs/cluster/mirrors.py",  # an empty one, for a pack that our own process sent
        "gitgoodbench/workspace/build.py",  # the workspace, inside a sandbox
        "gitgoodbench/workspace/network.py",  # clones into an empty folder
        "gitgoodbench/workspace/remote.py",  # GitPython's, which runs what `network` asks for
        "gitgoodbench/workspace/scratch.py",  # the scratch repository
    }


@pytest.mark.parametrize("head", [b"", b"garbage\n", b"ref: ../../outside\n", b"ref: HEAD\n", b"\xff" * 40])
def test_a_broken_head_costs_no_ref(builder: RepositoryBuilder, head: bytes) -> None:
    tip = builder.git.line("rev-parse", "main")
    (builder.path / "HEAD").write_bytes(head)
    git = Mirror(builder.path).borrow(refs=True)
    assert refs(git) == [f"refs/heads/main {tip} "]
    assert git.execute("rev-parse", "--verify", "--quiet", "HEAD").returncode != 0


def test_a_head_on_a_commit_stays_there(builder: RepositoryBuilder) -> None:
    tip = builder.git.line("rev-parse", "main")
    (builder.path / "HEAD").write_text(f"{tip}\n", encoding="ascii")
    assert Mirror(builder.path).borrow(refs=True).line("rev-parse", "HEAD") == tip
