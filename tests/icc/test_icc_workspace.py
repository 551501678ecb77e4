"""What an agent finds: the base checked out, the final contents uncommitted, and nothing of the commits between."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.objects import EXECUTABLE, SUBMODULE, SYMLINK, Entry
from gitgoodbench.git.process import Git
from gitgoodbench.sample_types.specs import FileCommitChainSpec, chain_spec
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import EpisodeOptions, ToolSet
from tests.support.chains import ICC, ChainCase, Files, begin, icc_options, make_chain, play

LINES = [b"line %d\n" % number for number in range(30)]


def text(*edits: tuple[int, bytes]) -> bytes:
    lines = list(LINES)
    for number, line in edits:
        lines[number] = line
    return b"".join(lines)


VERSIONS: Sequence[Files] = (
    {b"a.py": text(), b"b.py": b"b\n", b"old": b"old\n", b"dir/kept": b"k\n"},
    {b"a.py": text((2, b"first try\n")), b"b.py": b"b\n", b"old": b"old\n", b"dir/kept": b"k\n"},
    {b"a.py": text((2, b"two\n"), (20, b"twenty\n")), b"b.py": b"between\n", b"old": b"old\n", b"dir/kept": b"k\n"},
    {b"a.py": text((2, b"two\n"), (20, b"TWENTY\n")), b"b.py": b"B\n", b"dir/kept": b"k\n", b"dir/new": b"new\n"},
)


@pytest.fixture
def case(tmp_path: Path) -> ChainCase:
    """A chain with history before it and commits, tags and pull requests after it."""
    made = make_chain(tmp_path / "r.git", VERSIONS, history=[{b"a.py": b"%d\n" % number} for number in range(5)])
    later = made.builder.commit({b"a.py": b"later\n"}, [made.commits[-1]])
    made.builder.branch("main", later)
    made.git.run("update-ref", "refs/tags/v1", made.commits[1])
    made.git.run("update-ref", "refs/pull/1/head", made.commits[0])
    return made


def objects_in(git: Git) -> set[str]:
    return set(git.run("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").decode().split())


def reachable(git: Git, *tips: str) -> set[str]:
    return set(git.run("rev-list", "--objects", "--no-object-names", *tips).decode().split())


@pytest.mark.parametrize("hunks", ["chain-file", "all"])
@pytest.mark.parametrize("name", ["local_provider", pytest.param("docker_provider", marks=pytest.mark.docker)])
def test_only_the_base_and_the_final_contents_are_there(
    case: ChainCase, name: str, hunks: str, request: pytest.FixtureRequest
) -> None:
    provider: SandboxProvider = request.getfixturevalue(name)
    with begin(case, provider, icc_options(hunks=hunks)) as (episode, _):
        there = objects_in(episode.git)
    base = reachable(case.git, case.base)
    finals = {case.git.line("rev-parse", f"{case.commits[-1]}:{path}") for path in ("a.py", "b.py", "dir/new")}
    assert there == base | finals
    answer = reachable(case.git, "--all") - base - finals
    assert len(answer) == 4 + 4 + 1 + 4  # commits, their trees, the last one's folder, contents in between
    assert set(case.commits) <= answer


def test_no_remote_reflog_alternates_or_other_ref(case: ChainCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, sandbox):
        assert episode.git.run("for-each-ref", "--format=%(refname) %(objectname)").decode() == (
            f"refs/heads/main {case.base}\n"
        )
        assert episode.git.run("remote") == b""
        assert sandbox.exec(["test", "-e", ".git/objects/info/alternates"]).returncode == 1
        assert sandbox.exec(["find", ".git", "-path", "*logs*", "-o", "-name", "*_HEAD"]).stdout == b""


def test_the_final_contents_lie_uncommitted_over_the_base(case: ChainCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, sandbox):
        assert episode.git.line("rev-parse", "HEAD") == case.base
        status = episode.git.run("status", "--porcelain", "-z", "--untracked-files=all")
        assert status == b" M a.py\0 M b.py\0 D old\0?? dir/new\0"
        assert sandbox.get("a.py", limit=1000) == VERSIONS[-1][b"a.py"]
        assert episode.git.run("diff", "--cached", "--raw") == b""


def test_every_kind_of_file_is_laid_out(tmp_path: Path, local_provider: SandboxProvider) -> None:
    submodule = Entry(SUBMODULE, "1" * 40)
    base: Files = {b"a.py": b"0\n", b"was": b"a file\n", b"f/x": b"in a folder\n", b"run": b"#!\n", b"s": submodule}
    final: Files = {
        b"a.py": b"1\r\n",
        b"was/now": b"in a folder\n",
        b"f": b"a file\n",
        b"run": (EXECUTABLE, b"#!\n"),
        b"link": (SYMLINK, b"/etc/passwd"),
        b"caf\xe9 -x": b"\xe9",
        b"s": Entry(SUBMODULE, "2" * 40),
        b".gitattributes": b"* text eol=crlf filter=x ident\n",
        b".gitignore": b"*\n",
        b"empty": b"",
    }
    case = make_chain(tmp_path / "r.git", [base, {**base, b"a.py": b"?\n"}, final])
    with begin(case, local_provider) as (_, sandbox):
        assert sandbox.get(b"a.py", limit=99) == b"1\r\n"
        assert sandbox.get(b"was/now", limit=99) == b"in a folder\n"
        assert sandbox.get(b"f", limit=99) == b"a file\n"
        assert sandbox.get(b"caf\xe9 -x", limit=99) == b"\xe9"
        assert sandbox.get(b"empty", limit=99) == b""
        assert sandbox.exec(["readlink", "link"]).stdout == b"/etc/passwd\n"
        assert sandbox.exec(["test", "-x", "run"]).returncode == 0
        assert sandbox.exec(["ls", "-d", "s"]).stdout == b"s\n"
    for agent in ("one-commit", "per-hunk", "tool-oracle", "oracle"):
        verdict, trajectory, _, _ = play(case, local_provider, agent)
        assert trajectory.error is None
        assert verdict.gates["final_tree_exact"], agent


def test_nothing_the_agent_reads_names_the_sample_or_its_commits(
    case: ChainCase, local_provider: SandboxProvider
) -> None:
    for tools in (ToolSet.PUBLISHED, ToolSet.EXTENDED):
        with begin(case, local_provider, EpisodeOptions(tools)) as (episode, _):
            told = str(episode.prompt) + str([tool.schema for tool in episode.tools])
        for secret in (*(commit[:8] for commit in case.commits), case.sample.id, case.sample.name, "first try", "Step"):
            assert secret not in told


def test_history_can_be_cut(case: ChainCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider, EpisodeOptions(history=2)) as (episode, _):
        assert len(episode.git.run("rev-list", "HEAD").split()) == 3
    verdict, _, _, _ = play(case, local_provider, "per-hunk", EpisodeOptions(history=0))
    assert all(verdict.gates.values())


def test_sha256(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_chain(tmp_path / "r.git", VERSIONS, algorithm="sha256")
    for agent in ("per-hunk", "oracle"):
        verdict, _, _, _ = play(case, local_provider, agent)
        assert all(verdict.gates.values())


def test_the_mirror_is_only_read(case: ChainCase, local_provider: SandboxProvider) -> None:
    before = {file: file.stat().st_mtime_ns for file in case.builder.path.rglob("*")}
    for agent in ("tool-oracle", "oracle"):
        play(case, local_provider, agent, icc_options(ToolSet.EXTENDED, history=1, hunks="all"))
    assert {file: file.stat().st_mtime_ns for file in case.builder.path.rglob("*")} == before


def lose(case: ChainCase, blob: str) -> None:
    (case.builder.path / "objects" / blob[:2] / blob[2:]).unlink()


def test_a_mirror_without_contents_that_are_not_needed(case: ChainCase, local_provider: SandboxProvider) -> None:
    lose(case, case.git.line("rev-parse", f"{case.base}~3:a.py"))
    lose(case, case.git.line("rev-parse", f"{case.base}:dir/kept"))
    for agent in ("per-hunk", "tool-oracle"):
        verdict, _, episode, _ = play(case, local_provider, agent)
        assert all(verdict.gates.values()), verdict.gates
        assert episode.facts["attainable"] is False  # known: nothing is missing that it asks for


def test_a_mirror_without_a_content_between_cannot_tell_the_grouping(
    case: ChainCase, local_provider: SandboxProvider
) -> None:
    lose(case, case.git.line("rev-parse", f"{case.commits[0]}:a.py"))
    verdict, _, episode, _ = play(case, local_provider, "tool-oracle")
    assert all(verdict.gates.values())
    assert episode.facts["attainable"] is episode.facts["hunks_pure"] is None
    assert episode.facts["splittable"]


def test_a_content_that_the_chain_leaves_alone_may_be_missing(tmp_path: Path, local_provider: SandboxProvider) -> None:
    others = {b"large.bin": b"\0", b"b.py": b"b\n"}
    case = make_chain(tmp_path / "r.git", [{**others, b"a.py": b"%d\n" % number} for number in range(4)])
    lose(case, case.git.line("rev-parse", f"{case.commits[0]}:large.bin"))
    for agent in ("one-commit", "tool-oracle", "oracle"):
        verdict, _, _, commits = play(case, local_provider, agent)
        assert all(verdict.gates.values()), (agent, verdict.gates)
        assert set(commits[-1]) == {b"a.py", *others}


def test_a_final_content_that_is_missing_fails_the_set_up(case: ChainCase, local_provider: SandboxProvider) -> None:
    lose(case, case.git.line("rev-parse", f"{case.commits[-1]}:b.py"))
    with pytest.raises(SetupFailed, match=r"lacks the content [0-9a-f]{40} of b\.py"), begin(case, local_provider):
        pass


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"times_seen_consecutively": 9}, "begins with a root commit"),
        ({"times_seen_consecutively": 10}, "has 9 commits on its first-parent line, not 10"),
        ({"file": "absent.py"}, r"leaves its file absent\.py as it was"),
        ({"file": "dir/kept"}, "leaves its file dir/kept as it was"),
        ({"file": "--output=pwned"}, "leaves its file --output=pwned as it was"),
    ],
)
def test_a_row_that_is_wrong_fails_the_set_up(
    case: ChainCase, local_provider: SandboxProvider, change: dict[str, object], reason: str
) -> None:
    chain = FileCommitChainSpec.model_validate({**chain_spec(case.sample).model_dump(), **change})
    sample = case.sample.model_copy(update={"spec": chain})
    with local_provider.open(run_id="test", episode_id="x") as sandbox, pytest.raises(SetupFailed, match=reason):
        ICC.prepare(sample, case.store, sandbox, EpisodeOptions())


def test_an_oldest_commit_that_is_not_in_the_chain_is_not_believed(
    case: ChainCase, local_provider: SandboxProvider
) -> None:
    chain = chain_spec(case.sample).model_copy(update={"oldest_commit": "1" * 40})
    sample = case.sample.model_copy(update={"spec": chain})
    with local_provider.open(run_id="test", episode_id="x") as sandbox:
        episode: Any = ICC.prepare(sample, case.store, sandbox, EpisodeOptions())
        assert episode.base == case.base
