"""The workspace of a rebase: the chain and what is below it, and nothing of what came later."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.process import Git
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import ToolSet
from tests.support.rebases import RebaseCase, begin, call, play, update
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def case(tmp_path: Path) -> RebaseCase:
    """A chain of three in the middle of a history, with a branch beside it, tags and a pull request's ref."""
    builder = RepositoryBuilder(tmp_path / "r.git")
    line: list[str] = []
    for step in range(10):
        line.append(builder.commit({b"a.py": b"%d\n" % step, b"d/x.py": b"x\n"}, line[-1:], b"Step %d\n" % step))
    side = builder.commit({b"a.py": b"side\n"}, [line[3]], b"Beside\n")
    builder.branch("main", line[-1])
    builder.branch("side", side)
    builder.git.run("update-ref", "refs/tags/v1", line[9])
    builder.git.run("update-ref", "refs/pull/1/head", side)
    return RebaseCase(builder, line[4], tuple(line[5:8]))


def objects_in(git: Git) -> set[str]:
    return set(git.run("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").decode().split())


@pytest.mark.parametrize("name", ["local_provider", pytest.param("docker_provider", marks=pytest.mark.docker)])
def test_exactly_what_the_newest_commit_reaches_is_there(
    case: RebaseCase, name: str, request: pytest.FixtureRequest
) -> None:
    provider: SandboxProvider = request.getfixturevalue(name)
    with begin(case, provider) as (episode, _):
        there = objects_in(episode.git)
    reachable = set(case.git.run("rev-list", "--objects", "--no-object-names", case.commits[-1]).decode().split())
    assert there == reachable
    assert len(objects_in(case.git) - there) == 9  # two later commits and one beside, with a tree and a file each


def test_one_branch_checked_out_clean_no_remote_reflog_or_alternates(
    case: RebaseCase, local_provider: SandboxProvider
) -> None:
    with begin(case, local_provider) as (episode, sandbox):
        refs = episode.git.run("for-each-ref", "--format=%(refname) %(objectname)").decode().splitlines()
        assert refs == [f"refs/heads/work {case.commits[-1]}"]
        assert episode.git.line("symbolic-ref", "HEAD") == "refs/heads/work"
        assert episode.git.run("remote") == b""
        assert episode.git.run("status", "--porcelain") == b""
        assert sandbox.get("a.py", limit=100) == b"7\n"
        for absent in ("logs", "ORIG_HEAD", "objects/info/alternates", "rebase-merge"):
            assert sandbox.exec(["test", "-e", f".git/{absent}"]).returncode == 1


@pytest.mark.parametrize("tools", [ToolSet.PUBLISHED, ToolSet.EXTENDED])
def test_nothing_the_agent_reads_names_the_sample_its_repository_or_what_came_later(
    case: RebaseCase, local_provider: SandboxProvider, tools: ToolSet
) -> None:
    with begin(case, local_provider, tools) as (episode, _):
        told = str(episode.prompt) + str([tool.schema for tool in episode.tools])
        told += update(episode, (0, "pick"), (1, "fixup"), (2, "pick")) + call(episode, "execute_rebase")
    ids = [oid[:7] for oid in case.git.run("rev-list", "--all").decode().split()]
    for secret in (case.sample.id, case.sample.name, "Step 8", "Beside", "main", *ids):
        assert secret not in told


def test_history_can_be_cut_below_the_base(case: RebaseCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider, history=1) as (episode, _):
        kept = episode.git.run("rev-list", "HEAD").decode().split()
        update(episode, (0, "pick"), (1, "fixup"), (2, "pick"))
        call(episode, "execute_rebase")
        assert episode.outcome().problem is None
    assert len(kept) == 5  # the chain, its base, and one below
    assert kept[:3] == list(reversed(case.commits))


def test_a_mirror_without_what_the_chain_does_not_change(case: RebaseCase, local_provider: SandboxProvider) -> None:
    """A partial clone: an old version and a file that no commit of the chain touches are missing."""
    for name in (f"{case.base}~2:a.py", f"{case.base}:d/x.py"):
        oid = case.git.line("rev-parse", name)
        (case.builder.path / "objects" / oid[:2] / oid[2:]).unlink()
    for agent in ("oracle", "squash-all"):
        verdict, _, _ = play(case, local_provider, agent)
        assert all(verdict.gates.values()), (agent, verdict.gates)


def test_a_content_of_the_chain_that_is_missing_is_named(case: RebaseCase, local_provider: SandboxProvider) -> None:
    oid = case.git.line("rev-parse", f"{case.commits[0]}:a.py")
    (case.builder.path / "objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(SetupFailed, match="the chain cannot be read"), begin(case, local_provider):
        pass


def test_the_mirror_is_only_read(case: RebaseCase, local_provider: SandboxProvider) -> None:
    before = {file: file.stat().st_mtime_ns for file in case.builder.path.rglob("*")}
    for agent in ("oracle", "squash-all", "autosquash"):
        play(case, local_provider, agent)
    with begin(case, local_provider, history=1):
        pass
    assert {file: file.stat().st_mtime_ns for file in case.builder.path.rglob("*")} == before
