from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.cache import cache_home
from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.dataset.types import sample_type
from gitgoodbench.errors import InfrastructureFailed, SetupFailed, UserError
from gitgoodbench.workspace.store import open_store
from tests.support.repositories import RepositoryBuilder


def make(path: Path) -> str:
    repository = RepositoryBuilder(path)
    commit = repository.commit({b"a.py": b"1\n"})
    repository.branch("main", commit)
    return commit


def test_local_repositories_are_used_instead_of_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = make(tmp_path / "repos" / "acme" / "tool")
    monkeypatch.chdir(tmp_path)
    store = open_store(Path("repos"), tmp_path / "cache", offline=True)
    assert store.mirror("acme/tool", [commit]).git_dir == tmp_path / "repos" / "acme" / "tool"
    with pytest.raises(SetupFailed, match=f"^acme/other is not in {tmp_path}/repos: tried acme/other, "):
        store.mirror("acme/other", [])
    assert not (tmp_path / "cache").exists()


def test_mirrors_go_to_the_folder_repos_of_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = make(tmp_path / "server" / "acme" / "tool.git")
    said: list[str] = []
    url = f"file://{tmp_path}/server/"
    store = open_store(None, tmp_path / "cache", False, lambda event: said.append(str(event)), base_url=url)
    assert store.mirror("acme/tool", [commit]).git_dir == tmp_path / "cache" / "repos" / "acme__tool.git"
    assert (said[0], said[-1]) == (f"acme/tool: cloning {url}acme/tool.git", "acme/tool: cloned")
    monkeypatch.setenv("GITGOODBENCH_CACHE", str(tmp_path / "cache"))
    assert (
        open_store(offline=True).mirror("acme/tool", [commit]).git_dir
        == tmp_path / "cache" / "repos" / "acme__tool.git"
    )


def test_every_sample_of_the_built_in_suite_has_its_commits(tmp_path: Path) -> None:
    (tmp_path / "repos").mkdir()
    store = open_store(tmp_path / "repos", tmp_path / "cache", offline=True)
    for sample in load_suite("mini").samples:
        commits = sample_type(sample.sample_type).commits(sample.spec)
        assert store.mirror(sample.name, commits).git_dir.is_relative_to(tmp_path / "cache")
    with pytest.raises(SetupFailed, match=f"^mini/tidewater: commit {'1' * 40} is missing in the built-in suite$"):
        store.mirror("mini/tidewater", ["1" * 40])
    with pytest.raises(SetupFailed, match="no repository 'mini/absent'"):
        store.mirror("mini/absent", [])
    built = store.mirror("mini/tidewater", []).git_dir
    (built / "HEAD").unlink()
    with pytest.raises(InfrastructureFailed, match=rf"^mini/tidewater: {built} is damaged \(not a git repository"):
        store.mirror("mini/tidewater", [])


@pytest.mark.parametrize(
    "name", ["", "tool", "acme/", "a/b/c", "acme/..", "../tool", "./x", "acme/tool\n", "-u/x y", "/etc"]
)
def test_a_name_that_is_none_never_becomes_a_path(name: str, tmp_path: Path) -> None:
    for store in (open_store(tmp_path), open_store(None, tmp_path, True)):
        with pytest.raises(SetupFailed, match=r"is not a repository name \(owner/name\)"):
            store.mirror(name, [])


def test_a_folder_of_repositories_that_is_none_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"^--repos {tmp_path}/absent is not a folder$"):
        open_store(tmp_path / "absent")


@pytest.mark.parametrize(
    "url", ["ssh://git@host", "git@github.com:", "ext::sh -c x", "https://me:secret@host", "", "/srv/git"]
)
def test_repositories_are_cloned_from_plain_urls_alone(url: str) -> None:
    with pytest.raises(UserError, match="without user name and password") as caught:
        open_store(base_url=url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("own", "xdg", "expected"),
    [
        ("/big/disk", "/xdg", Path("/big/disk")),
        (None, "/xdg", Path("/xdg/gitgoodbench")),
        (None, "relative", Path("home/.cache/gitgoodbench")),
        (None, None, Path("home/.cache/gitgoodbench")),
        ("~/disk", None, Path("home/disk")),
    ],
)
def test_the_cache_is_where_the_user_wants_it(
    own: str | None, xdg: str | None, expected: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is expected is below the temporary folder that has the user's home, or absolute."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name, value in (("GITGOODBENCH_CACHE", own), ("XDG_CACHE_HOME", xdg)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    assert cache_home() == tmp_path / expected
