"""Rebasing and committing a chain, whatever the repository and the user's environment are like (cases 18 and 20 to 23).

Each case ends at the real tree with every gate met, or says what is wrong with the sample.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from gitgoodbench.scenarios.icc import IterativeCommitting
from gitgoodbench.scenarios.ir import InteractiveRebase

from gitgoodbench.agents.reference import ReferenceAgent
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.objects import EXECUTABLE, SYMLINK
from gitgoodbench.models.meter import Budget
from gitgoodbench.sample_types.specs import chain_spec
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import EpisodeOptions, JudgedScenario
from gitgoodbench.workspace.store import open_store
from tests.support.chains import ChainCase, Files, committed, make_chain
from tests.support.repositories import RepositoryBuilder
from tests.support.samples import merge_sample

NOBODY = 65534
GAP = b"".join(b"# %d\n" % number for number in range(8))
VERSIONS: Sequence[Files] = (
    {b"a.py": b"a\n" + GAP + b"b\n", b"other": b"1\n"},
    {b"a.py": b"A\n" + GAP + b"b\n", b"other": b"1\n"},
    {b"a.py": b"A\n" + GAP + b"B\n", b"other": b"1\n"},
    {b"a.py": b"A\n" + GAP + b"B2\n", b"other": b"2\n"},
)


@pytest.fixture(params=["ir", "icc"])
def scenario(request: pytest.FixtureRequest) -> JudgedScenario:
    chosen: JudgedScenario = InteractiveRebase() if request.param == "ir" else IterativeCommitting()
    return chosen


@pytest.fixture
def case(tmp_path: Path) -> ChainCase:
    """Laid out as DIR/test/case.git, so that a store finds it under DIR."""
    return make_chain(tmp_path / "repos" / "test" / "case.git", VERSIONS, history=[{b"older": b"older\n"}])


@contextmanager
def begin(
    scenario: JudgedScenario, case: ChainCase, provider: SandboxProvider, sample: Sample | None = None
) -> Iterator[Any]:
    """The episode, with the repository from a store."""
    store = open_store(repos=case.builder.path.parent.parent, cache_dir=None, offline=True)
    with provider.open(run_id="test", episode_id="case") as sandbox:
        yield scenario.prepare(sample or case.sample, store, sandbox, EpisodeOptions())


def play(scenario: JudgedScenario, case: ChainCase, provider: SandboxProvider) -> list[dict[bytes, Any]]:
    """Let a rule that works through the tools play, and see that every gate is met; the files of every commit left."""
    agent = "squash-all" if scenario.name == "ir" else "per-hunk"
    store = open_store(repos=case.builder.path.parent.parent, cache_dir=None, offline=True)
    with begin(scenario, case, provider) as episode:
        policy = scenario.reference_agents()[agent]
        trajectory = ReferenceAgent(agent, {scenario.name: policy}).run(episode, Budget())
        outcome = episode.outcome()
    assert trajectory.error is None
    verdict = scenario.score(case.sample, store, outcome)
    assert verdict.problem is None
    assert [name for name, met in verdict.gates.items() if not met] == []
    return committed(case, outcome)


# 18: configuration, the repository's and the user's


def test_configuration_of_the_repository_is_overridden(
    scenario: JudgedScenario, case: ChainCase, local_provider: SandboxProvider
) -> None:
    hooks = case.builder.path / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("pre-commit", "post-index-change", "pre-rebase", "reference-transaction"):
        (hooks / name).write_text("#!/bin/sh\nexit 1\n")
        (hooks / name).chmod(0o755)
    for key, value in {
        "core.hooksPath": str(hooks), "core.autocrlf": "true", "core.fsmonitor": "false", "commit.gpgSign": "true",
        "rebase.abbreviateCommands": "true", "rebase.autosquash": "true", "diff.noprefix": "true",
        "diff.external": "false", "diff.algorithm": "patience", "diff.context": "0", "diff.interHunkContext": "50",
        "diff.renames": "copies", "color.ui": "always", "core.quotePath": "true", "log.showSignature": "true",
        "log.follow": "true", "extensions.partialClone": "origin", "core.repositoryFormatVersion": "1",
        "uploadpack.packObjectsHook": "false", "i18n.commitEncoding": "latin-1",
    }.items():  # fmt: skip
        case.git.run("config", key, value)
    assert len(play(scenario, case, local_provider)) == (1 if scenario.name == "ir" else 3)


def test_the_users_git_is_ignored(
    scenario: JudgedScenario,
    case: ChainCase,
    local_provider: SandboxProvider,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / ".gitconfig").write_text("[core\nbroken")
    for name, value in {
        "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/nowhere",
        "GIT_INDEX_FILE": "/nowhere", "GIT_OBJECT_DIRECTORY": "/nowhere", "GIT_CONFIG_PARAMETERS": "'a.b=c'",
        "GIT_EXTERNAL_DIFF": "false", "GIT_DIFF_OPTS": "--unified=0", "GIT_ATTR_SOURCE": "HEAD", "GIT_TRACE": "1",
        "LC_ALL": "de_DE.UTF-8", "GIT_AUTHOR_DATE": "nonsense", "GIT_EDITOR": "false", "GIT_SEQUENCE_EDITOR": "false",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    play(scenario, case, local_provider)


# 20: whose repository it is, and how whole


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
def test_a_repository_of_another_user(
    scenario: JudgedScenario, case: ChainCase, local_provider: SandboxProvider
) -> None:
    for path in [case.builder.path, *case.builder.path.rglob("*")]:
        os.chown(path, NOBODY, NOBODY)
    play(scenario, case, local_provider)


def test_a_read_only_repository(scenario: JudgedScenario, case: ChainCase, local_provider: SandboxProvider) -> None:
    paths = [case.builder.path, *case.builder.path.rglob("*")]
    try:
        for path in paths:
            path.chmod(0o555 if path.is_dir() else 0o444)
        play(scenario, case, local_provider)
    finally:
        for path in paths:
            path.chmod(0o755 if path.is_dir() else 0o644)


def test_a_shallow_repository(scenario: JudgedScenario, case: ChainCase, local_provider: SandboxProvider) -> None:
    older = case.git.line("rev-parse", f"{case.base}^")
    (case.builder.path / "shallow").write_text(f"{case.base}\n")
    (case.builder.path / "objects" / older[:2] / older[2:]).unlink()
    with begin(scenario, case, local_provider) as episode:
        listed = episode.git.run("rev-list", "HEAD").split()
    assert len(listed) == (4 if scenario.name == "ir" else 1)
    play(scenario, case, local_provider)


def test_a_partial_repository_without_a_content_that_no_commit_of_the_chain_touches(
    scenario: JudgedScenario, case: ChainCase, local_provider: SandboxProvider, tmp_path: Path
) -> None:
    versions = [{**files, b"large.bin": b"large\n"} for files in VERSIONS]
    partial = make_chain(tmp_path / "more" / "test" / "case.git", versions)
    blob = partial.git.line("rev-parse", f"{partial.base}:large.bin")
    (partial.builder.path / "objects" / blob[:2] / blob[2:]).unlink()
    assert len(play(scenario, case, local_provider)) == len(play(scenario, partial, local_provider))


# 21: attributes, filters, LFS, grafts and replacements


def test_attributes_and_pointers_change_no_byte(
    scenario: JudgedScenario, tmp_path: Path, local_provider: SandboxProvider
) -> None:
    rules = (
        b"* text=auto eol=crlf\n*.py ident diff=python filter=lfs merge=ours working-tree-encoding=UTF-16 -diff\n"
        b"*.bin filter=lfs diff=lfs merge=lfs -text\nsecret export-ignore\n*.txt export-subst\n"
    )
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 12345\n"
    fixed: Files = {
        b".gitattributes": rules, b"f.bin": pointer % (b"1" * 64), b"run": (EXECUTABLE, b"#!/bin/sh\r\n"),
        b"link": (SYMLINK, b"a.py"), b"v.txt": b"$Format:%H$ $Id$\n",
    }  # fmt: skip
    bodies = (b"$Id$\r\nx\n", b"$Id$\r\nX\r\n", b"$Id$\r\nX\r\n" + GAP + b"$Id: 1$\n", b"$Id$\r\nY\n" + GAP + b"z")
    versions = [{**fixed, b"a.py": body} for body in bodies]
    versions[-1][b"f.bin"] = pointer % (b"2" * 64)
    case = make_chain(tmp_path / "repos" / "test" / "case.git", versions)
    commits = play(scenario, case, local_provider)
    assert commits[-1][b"a.py"] == ("100644", bodies[-1])
    assert commits[-1][b"f.bin"] == ("100644", pointer % (b"2" * 64))
    assert commits[-1][b"v.txt"] == ("100644", b"$Format:%H$ $Id$\n")


def test_grafts_and_replacements_are_ignored(
    scenario: JudgedScenario, case: ChainCase, local_provider: SandboxProvider
) -> None:
    other = case.builder.commit({b"a.py": b"replaced\n"})
    case.git.run("update-ref", f"refs/replace/{case.commits[1]}", other)
    (case.builder.path / "info").mkdir(exist_ok=True)
    (case.builder.path / "info" / "grafts").write_text(f"{case.commits[0]}\n{case.commits[2]} {case.base}\n")
    play(scenario, case, local_provider)


# 22: rows that are wrong


def test_a_commit_that_does_not_exist(
    scenario: JudgedScenario, case: ChainCase, local_provider: SandboxProvider
) -> None:
    spec = chain_spec(case.sample).model_copy(update={"newest_commit": "1" * 40})
    sample = case.sample.model_copy(update={"spec": spec})
    with pytest.raises(SetupFailed, match="1111"), begin(scenario, case, local_provider, sample):
        pass


def test_a_repository_that_is_gone(
    scenario: JudgedScenario, case: ChainCase, local_provider: SandboxProvider, tmp_path: Path
) -> None:
    gone = ChainCase(RepositoryBuilder(tmp_path / "none" / "else" / "x.git"), case.base, case.commits, case.file)
    with pytest.raises(SetupFailed, match="test/case"), begin(scenario, gone, local_provider):
        pass


@pytest.mark.parametrize("file", ["other.py", "a", "older"])
def test_a_file_that_the_chain_does_not_change(case: ChainCase, local_provider: SandboxProvider, file: str) -> None:
    """Iterative committing needs the file; a rebase is of commits, whatever the row says of files."""
    wrong = case.sample.model_copy(update={"spec": chain_spec(case.sample).model_copy(update={"file": file})})
    with (
        pytest.raises(SetupFailed, match=f"leaves its file {file} as it was"),
        begin(IterativeCommitting(), case, local_provider, wrong),
    ):
        pass
    with begin(InteractiveRebase(), case, local_provider, wrong) as episode:
        assert episode.facts["commits"] == 3


def test_a_sample_of_another_type(scenario: JudgedScenario, case: ChainCase, local_provider: SandboxProvider) -> None:
    merge = merge_sample()
    assert not scenario.applies_to(merge)
    with pytest.raises(SetupFailed, match="is no file-commit chain"), begin(scenario, case, local_provider, merge):
        pass


# 23: names that look like options


@pytest.mark.parametrize("name", ["--output=pwned.py", "-x.py", "a b/ä.py", 'q"\n.py'])
def test_names_that_look_like_options_are_names(
    scenario: JudgedScenario, tmp_path: Path, local_provider: SandboxProvider, name: str
) -> None:
    path = name.encode()
    versions = [{path: files[b"a.py"], b"other": files[b"other"]} for files in VERSIONS]
    case = make_chain(tmp_path / "repos" / "test" / "case.git", versions, file=name)
    case.git.run("update-ref", "refs/heads/--output=pwned", case.commits[-1])
    commits = play(scenario, case, local_provider)
    assert commits[-1][path] == ("100644", b"A\n" + GAP + b"B2\n")
    assert list(tmp_path.iterdir()) == [tmp_path / "repos"]
