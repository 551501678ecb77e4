"""The repository, its configuration and the user's environment may be anything: the merge is the same (cases 20 to
23).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitgoodbench.errors import SetupFailed
from gitgoodbench.folders import find_folders
from gitgoodbench.git.process import Git
from gitgoodbench.owner import Owner
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import EpisodeOptions
from gitgoodbench.workspace.store import open_store
from tests.support.merges import MCR, MergeCase, begin, make_merge, play
from tests.support.repositories import RepositoryBuilder

NOBODY = 65534


@pytest.fixture
def case(tmp_path: Path) -> MergeCase:
    """Laid out as DIR/test/case.git, so that a store finds it under DIR."""
    return make_merge(
        tmp_path / "repos" / "test" / "case.git",
        {b"a.py": b"0\n"}, {b"a.py": b"1\n"}, {b"a.py": b"2\n"}, {b"a.py": b"1\n2\n"},
    )  # fmt: skip


def solved_through_store(case: MergeCase, provider: SandboxProvider) -> bool:
    """Whether `tool-oracle` solves the case when the repository comes from a store."""
    store = open_store(repos=case.builder.path.parent.parent, cache_dir=None, offline=True)
    policy = MCR.reference_agents()["tool-oracle"]
    with provider.open(run_id="test", episode_id="case") as sandbox:
        episode = MCR.prepare(case.sample, store, sandbox, EpisodeOptions())

        def call(name: str, **arguments: object) -> str:
            return next(tool for tool in episode.tools if tool.name == name).call(arguments)

        policy(episode, call)
        outcome = episode.outcome()
    return MCR.score(case.sample, store, outcome).solved is True


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
def test_a_repository_of_another_user(case: MergeCase, local_provider: SandboxProvider) -> None:
    for path in [case.builder.path, *case.builder.path.rglob("*")]:
        os.chown(path, NOBODY, NOBODY)
    assert solved_through_store(case, local_provider)


def test_a_read_only_repository(case: MergeCase, local_provider: SandboxProvider) -> None:
    paths = [case.builder.path, *case.builder.path.rglob("*")]
    try:
        for path in paths:
            path.chmod(0o555 if path.is_dir() else 0o444)
        assert solved_through_store(case, local_provider)
    finally:
        for path in paths:
            path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.parametrize("folder", ["a:b", '"quoted"', "#x", "new\nline", " blank ", "back\\slash"])
def test_a_repository_in_a_folder_with_an_odd_name(
    tmp_path: Path, local_provider: SandboxProvider, folder: str
) -> None:
    case = make_merge(
        tmp_path / folder / "test" / "case.git",
        {b"a.py": b"0\n"}, {b"a.py": b"1\n"}, {b"a.py": b"2\n"}, {b"a.py": b"1\n2\n"},
    )  # fmt: skip
    assert solved_through_store(case, local_provider)
    with begin(case, local_provider, history=1) as (episode, _):
        assert episode.facts["attainable"]


def test_a_shallow_repository(case: MergeCase, local_provider: SandboxProvider) -> None:
    assert case.base is not None
    deep = case.builder.commit({b"a.py": b"older\n"})
    base = case.builder.commit({b"a.py": b"0\n"}, [deep])
    ours, theirs = case.builder.commit({b"a.py": b"1\n"}, [base]), case.builder.commit({b"a.py": b"2\n"}, [base])
    merge = case.builder.commit({b"a.py": b"1\n2\n"}, [ours, theirs])
    (case.builder.path / "shallow").write_text(f"{base}\n")
    (case.builder.path / "objects" / deep[:2] / deep[2:]).unlink()
    shallow = MergeCase(case.builder, base, ours, theirs, merge)
    assert solved_through_store(shallow, local_provider)
    with begin(shallow, local_provider) as (episode, _):
        assert len(episode.git.run("rev-list", "HEAD", "MERGE_HEAD").split()) == 3


def test_a_repository_that_borrows_objects(case: MergeCase, local_provider: SandboxProvider, tmp_path: Path) -> None:
    borrower = tmp_path / "more" / "test" / "case.git"
    builder = RepositoryBuilder(borrower)
    (borrower / "objects" / "info").mkdir(exist_ok=True)
    (borrower / "objects" / "info" / "alternates").write_text(f"{case.builder.path}/objects\n")
    assert solved_through_store(MergeCase(builder, case.base, case.local, case.incoming, case.merge), local_provider)


def test_grafts_and_replacements_are_ignored(case: MergeCase, local_provider: SandboxProvider) -> None:
    other = case.builder.commit({b"a.py": b"replaced\n"})
    case.git.run("update-ref", f"refs/replace/{case.local}", other)
    (case.builder.path / "info").mkdir(exist_ok=True)
    (case.builder.path / "info" / "grafts").write_text(f"{case.incoming}\n")
    assert solved_through_store(case, local_provider)


def test_configuration_of_the_repository_is_overridden(case: MergeCase, local_provider: SandboxProvider) -> None:
    hook = case.builder.path / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    for key, value in {
        "core.hooksPath": str(hook.parent), "core.autocrlf": "true", "core.fsmonitor": "false",
        "commit.gpgSign": "true",
        "merge.conflictStyle": "diff3", "merge.renames": "false", "diff.noprefix": "true", "diff.external": "false",
        "core.quotePath": "true", "color.ui": "always", "rerere.enabled": "true", "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1", "core.attributesFile": "/nowhere", "uploadpack.packObjectsHook": "false",
        "merge.default": "none", "merge.none.driver": "false",
    }.items():  # fmt: skip
        case.git.run("config", key, value)
    assert solved_through_store(case, local_provider)


def test_the_users_git_is_ignored(
    case: MergeCase, local_provider: SandboxProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".gitconfig").write_text("[core\nbroken")
    for name, value in {
        "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/nowhere",
        "GIT_INDEX_FILE": "/nowhere", "GIT_OBJECT_DIRECTORY": "/nowhere", "GIT_CONFIG_PARAMETERS": "'a.b=c'",
        "GIT_EXTERNAL_DIFF": "false", "GIT_ATTR_SOURCE": "HEAD", "GIT_TRACE": "1", "LC_ALL": "de_DE.UTF-8",
        "GIT_AUTHOR_DATE": "nonsense", "GIT_SSH_COMMAND": "false", "GIT_EDITOR": "false",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    assert solved_through_store(case, local_provider)


def test_custom_merge_drivers_without_a_definition_are_plain_text_merges(
    tmp_path: Path, local_provider: SandboxProvider
) -> None:
    attributes = {b".gitattributes": b"*.py merge=ours\n"}
    case = make_merge(
        tmp_path / "r.git", {b"a.py": b"0\n", **attributes}, {b"a.py": b"1\n", **attributes},
        {b"a.py": b"2\n", **attributes}, {b"a.py": b"1\n2\n", **attributes},
    )  # fmt: skip
    verdict, _, episode = play(case, local_provider, "tool-oracle")
    assert verdict.solved
    assert episode.facts["text_conflicts"] == 1


@pytest.mark.parametrize("name", ["--output=pwned", "-x", "--upload-pack=touch pwned"])
def test_names_that_look_like_options_are_names(tmp_path: Path, local_provider: SandboxProvider, name: str) -> None:
    path = name.encode()
    case = make_merge(tmp_path / "r.git", {path: b"0\n"}, {path: b"1\n"}, {path: b"2\n"}, {path: b"2\n"})
    case.git.run("update-ref", f"refs/heads/{name.replace(' ', '_')}", case.merge)
    verdict, _, _ = play(case, local_provider, "tool-oracle")
    assert verdict.solved
    assert list(tmp_path.iterdir()) == [tmp_path / "r.git"]


def test_a_commit_that_does_not_exist(case: MergeCase, local_provider: SandboxProvider) -> None:
    store = open_store(repos=case.builder.path.parent.parent, cache_dir=None, offline=True)
    gone = MergeCase(case.builder, None, case.local, case.incoming, "1" * 40)
    with (
        pytest.raises(SetupFailed, match="1111"),
        local_provider.open(run_id="test", episode_id="case") as sandbox,
    ):
        MCR.prepare(gone.sample, store, sandbox, EpisodeOptions())


def test_a_repository_that_is_gone(case: MergeCase, local_provider: SandboxProvider, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    store = open_store(repos=tmp_path / "empty", cache_dir=None, offline=True)
    with (
        pytest.raises(SetupFailed, match="test/case"),
        local_provider.open(run_id="test", episode_id="case") as sandbox,
    ):
        MCR.prepare(case.sample, store, sandbox, EpisodeOptions())


def test_a_parent_whose_conflicting_content_is_missing(case: MergeCase, local_provider: SandboxProvider) -> None:
    blob = case.git.line("rev-parse", f"{case.local}:a.py")
    (case.builder.path / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(SetupFailed, match="cannot be replayed"), begin(case, local_provider):
        pass


def test_a_real_merge_whose_own_content_is_missing(case: MergeCase, local_provider: SandboxProvider) -> None:
    blob = case.git.line("rev-parse", f"{case.merge}:a.py")
    (case.builder.path / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(SetupFailed, match=f"lacks content of the real merge: {blob}"), begin(case, local_provider):
        pass


def test_nothing_is_left_in_the_systems_temporary_folder(case: MergeCase, local_provider: SandboxProvider) -> None:
    def ours() -> set[Path]:
        return {folder for folder, owner in find_folders() if owner == Owner.current()}

    before = ours()
    with begin(case, local_provider, history=1):
        assert ours() - before
    play(case, local_provider, "oracle")
    assert ours() == before


def test_git_never_sees_the_users_environment(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "r.git")
    probe = "!env"
    shown = Git(builder.path).run("-c", f"alias.probe={probe}", "probe").decode()
    ours = {line.split("=", 1)[0] for line in shown.splitlines() if "=" in line}
    assert not {name for name in ours if name in os.environ} - {
        "PATH",
        "HOME",
        "LC_ALL",
        "PWD",
        "SHLVL",
        "_",
        "TZ",
        "PAGER",
    }
