"""The answer is not in the sandbox, and neither is anything else that its parents lack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.git.process import Git
from gitgoodbench.sample_types.specs import MergeSpec
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import EpisodeOptions, ToolSet
from gitgoodbench.workspace.history import merge_boundary
from gitgoodbench.workspace.leaks import leaked_objects
from gitgoodbench.workspace.store import open_store
from tests.support.merges import MCR, MergeCase, begin, play
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def case(tmp_path: Path) -> MergeCase:
    """A merge with history before it and a branch after it."""
    builder = RepositoryBuilder(tmp_path / "r.git")
    tip = builder.commit({b"a.py": b"0\n"})
    for step in range(1, 8):
        tip = builder.commit({b"a.py": b"%d\n" % step}, [tip])
    ours = builder.commit({b"a.py": b"ours\n", b"b.py": b"b\n"}, [tip])
    theirs = builder.commit({b"a.py": b"theirs\n"}, [tip])
    merge = builder.commit({b"a.py": b"the answer\n", b"b.py": b"b\n"}, [ours, theirs])
    later = builder.commit({b"a.py": b"later\n"}, [merge])
    builder.branch("main", later)
    builder.git.run("update-ref", "refs/tags/v1", merge)
    builder.git.run("update-ref", "refs/pull/1/head", merge)
    return MergeCase(builder, tip, ours, theirs, merge)


def objects_in(git: Git) -> set[str]:
    return set(git.run("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").decode().split())


def reachable(git: Git, *tips: str) -> set[str]:
    return set(git.run("rev-list", "--objects", "--no-object-names", *tips).decode().split())


@pytest.mark.parametrize("name", ["local_provider", pytest.param("docker_provider", marks=pytest.mark.docker)])
def test_only_what_the_parents_reach_and_the_replay_makes_is_there(
    case: MergeCase, name: str, request: pytest.FixtureRequest
) -> None:
    provider: SandboxProvider = request.getfixturevalue(name)
    with begin(case, provider) as (episode, _):
        there = objects_in(episode.git)
    parents = reachable(case.git, case.local, case.incoming)
    answer = reachable(case.git, "--all") - parents
    assert case.merge in answer
    assert len(answer) == 6  # two commits, two trees, two blobs
    assert there.isdisjoint(answer)
    assert there >= parents
    assert len(there - parents) == 2  # the automatic merge: a tree, and a.py with markers


def test_no_remote_reflog_alternates_or_other_ref(case: MergeCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, sandbox):
        assert episode.git.run("for-each-ref", "--format=%(refname) %(objectname)").decode().splitlines() == [
            f"refs/heads/incoming {case.incoming}",
            f"refs/heads/local {case.local}",
        ]
        assert episode.git.run("remote") == b""
        files = sandbox.exec(["find", ".git", "-type", "f", "-not", "-path", "*/objects/*"]).stdout.split()
        assert sandbox.exec(["test", "-e", ".git/objects/info/alternates"]).returncode == 1
    assert b".git/logs/HEAD" not in files
    assert b".git/ORIG_HEAD" not in files
    assert b".git/MERGE_HEAD" in files


def test_the_merge_is_stopped_with_the_first_parent_checked_out(
    case: MergeCase, local_provider: SandboxProvider
) -> None:
    with begin(case, local_provider) as (episode, sandbox):
        assert episode.git.line("rev-parse", "HEAD") == case.local
        assert episode.git.line("rev-parse", "MERGE_HEAD") == case.incoming
        assert episode.git.run("ls-files", "--unmerged", "--format=%(stage) %(path)") == b"1 a.py\n2 a.py\n3 a.py\n"
        assert sandbox.get("a.py", limit=1000) == b"<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> incoming\n"


def test_nothing_the_agent_reads_names_the_sample_the_merge_or_its_repository(
    case: MergeCase, local_provider: SandboxProvider
) -> None:
    with begin(case, local_provider) as (episode, _):
        told = str(episode.prompt) + str([tool.schema for tool in episode.tools])
    for secret in (case.merge, case.merge[:8], case.sample.id, case.sample.name, "the answer"):
        assert secret not in told


def test_history_can_be_cut(case: MergeCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider, history=2) as (episode, _):
        commits = episode.git.run("rev-list", "HEAD", "MERGE_HEAD").split()
        assert len(commits) == 4  # both sides, their base, and one before it
        assert len(objects_in(episode.git)) < len(reachable(case.git, case.local, case.incoming))


def test_a_cut_never_changes_the_merge(tmp_path: Path, local_provider: SandboxProvider) -> None:
    """The base of the merge lies deeper than the history that is to be kept: it stays."""
    builder = RepositoryBuilder(tmp_path / "r.git")
    old = builder.commit({b"a.py": b"0\n1\n2\n3\n4\n"})
    root = builder.commit({b"a.py": b"0\n1\n2\n3\n4\n", b"b": b""}, [old])
    ours = builder.commit({b"a.py": b"0\nours\n2\n3\n4\n"}, [root])
    theirs = builder.commit({b"a.py": b"0\ntheirs\n2\n3\nfour\n"}, [root])
    for step in range(5):
        ours = builder.commit({b"a.py": b"0\nours\n2\n3\n4\n", b"c": b"%d" % step}, [ours])
    merge = builder.commit({b"a.py": b"0\nours\ntheirs\n2\n3\nfour\n", b"c": b"4"}, [ours, theirs])
    case = MergeCase(builder, root, ours, theirs, merge)
    for depth in (0, 1, 3):
        boundary = merge_boundary(builder.git, (ours, theirs), depth)
        assert set(boundary) <= {root}
        with begin(case, local_provider, history=depth) as (episode, sandbox):
            assert episode.facts["conflicts"] == 1
            assert sandbox.get("a.py", limit=1000).endswith(b">>>>>>> incoming\n2\n3\nfour\n")


def test_a_mirror_without_what_the_sample_does_not_need(case: MergeCase, local_provider: SandboxProvider) -> None:
    """A partial clone: an old blob of the history is missing."""
    old = case.git.line("rev-parse", f"{case.base}~3:a.py")
    (case.builder.path / "objects" / old[:2] / old[2:]).unlink()
    verdict, _, episode = play(case, local_provider, "tool-oracle")
    assert verdict.solved
    assert episode.facts["attainable"]


def test_a_file_whose_content_is_missing_and_not_in_conflict(case: MergeCase, local_provider: SandboxProvider) -> None:
    blob = case.git.line("rev-parse", f"{case.local}:b.py")
    (case.builder.path / "objects" / blob[:2] / blob[2:]).unlink()
    for agent in ("oracle", "tool-oracle"):
        verdict, _, _ = play(case, local_provider, agent)
        assert verdict.solved
        assert all(verdict.gates.values()), verdict.gates


@pytest.mark.docker
def test_a_shell_can_commit_although_a_file_is_missing(case: MergeCase, docker_provider: SandboxProvider) -> None:
    blob = case.git.line("rev-parse", f"{case.local}:b.py")
    (case.builder.path / "objects" / blob[:2] / blob[2:]).unlink()
    verdict, _, _ = play(case, docker_provider, "tool-oracle", ToolSet.SHELL)
    assert verdict.solved
    assert all(verdict.gates.values()), verdict.gates


def test_the_mirror_is_only_read(case: MergeCase, local_provider: SandboxProvider) -> None:
    before = {file: file.stat().st_mtime_ns for file in case.builder.path.rglob("*")}
    play(case, local_provider, "union")
    with begin(case, local_provider, history=1):
        pass
    assert {file: file.stat().st_mtime_ns for file in case.builder.path.rglob("*")} == before


def test_no_sample_of_the_built_in_suite_holds_its_answer(local_provider: SandboxProvider) -> None:
    store = open_store(repos=None, cache_dir=None, offline=True)
    checked = 0
    for sample in load_suite("mini").samples:
        if not isinstance(sample.spec, MergeSpec):
            continue
        with local_provider.open(run_id="test", episode_id=sample.id) as sandbox:
            episode: Any = MCR.prepare(sample, store, sandbox, EpisodeOptions())
            answer, known = [sample.spec.merge_commit_hash], sample.spec.parents
            mirror, derived = episode.reference.mirror, [episode.facts["automatic_tree"]]
            assert leaked_objects(episode.git, mirror, answer, known, derived) == []
            checked += 1
    assert checked >= 18


def test_a_planted_answer_is_found(case: MergeCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, _):
        blob = case.git.run("cat-file", "blob", f"{case.merge}:a.py")
        planted = episode.git.line("hash-object", "-w", "--stdin", stdin=blob)
        known, derived = (case.local, case.incoming), [episode.facts["automatic_tree"]]
        assert leaked_objects(episode.git, case.git, [case.merge], known, derived) == [planted]
