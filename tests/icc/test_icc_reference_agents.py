"""What the reference agents make of chains: floors, rules and ceilings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from gitgoodbench.scenarios.icc.options import CommitOptions

from gitgoodbench.agents.reference import NoopAgent, ReferenceAgent
from gitgoodbench.errors import Status
from gitgoodbench.git.objects import REGULAR
from gitgoodbench.models.meter import Budget
from gitgoodbench.runs.config import make_config
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import EpisodeOptions, ToolSet
from tests.support.chains import ICC, ChainCase, Files, begin, icc_options, make_chain, play

GAP = "".join(f"# {number}\n" for number in range(8))
AGENTS = ("one-commit", "per-hunk", "by-definition", "tool-oracle", "oracle")


def source(first: str, second: str, third: str) -> bytes:
    return (
        f"class A:\n    def f(self):\n        {first}\n{GAP}        {second}\n\n    def g(self):\n        pass\n"
        f"{GAP}\nx = 1\n{GAP}{third}\n"
    ).encode()


BASE = source("a = 1", "return a", "y = 2")
VERSIONS: Sequence[Files] = (
    {b"a.py": BASE, b"b.py": b"b\n"},
    {b"a.py": source("b = 1", "return b", "y = 2"), b"b.py": b"b\n"},
    {b"a.py": source("b = 1", "return b", "y = 3"), b"b.py": b"B\n"},
)


@pytest.fixture
def case(tmp_path: Path) -> ChainCase:
    """Two hunks in one method by the first commit, one at the top level by the second, which also changes b.py."""
    return make_chain(tmp_path / "r.git", VERSIONS)


def contents(commits: list[dict[bytes, tuple[str, bytes | None]]]) -> list[tuple[bytes | None, bytes | None]]:
    return [(files[b"a.py"][1], files[b"b.py"][1]) for files in commits]


def messages(case: ChainCase, provider: SandboxProvider, agent: str, options: EpisodeOptions | None = None) -> bytes:
    with begin(case, provider, options) as (episode, _):
        ReferenceAgent(agent, {"icc": ICC.reference_agents()[agent]}).run(episode, Budget())
        log: bytes = episode.git.run("log", "--reverse", "--format=%s", f"{case.base}..HEAD")
    return log


def test_the_facts_of_the_sample(case: ChainCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, _):
        assert episode.facts == {
            "hunks_offered": "chain-file", "hunks": 3, "splittable": True, "hunks_pure": True, "attainable": False,
            "commits": 2, "commits_visible": 2, "files_changed": 2,
        }  # fmt: skip
    with begin(case, local_provider, icc_options(hunks="all")) as (episode, _):
        assert (episode.facts["hunks"], episode.facts["attainable"]) == (4, True)
        assert episode.facts["hunks_offered"] == "all"


def test_noop_leaves_the_base(case: ChainCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, _):
        assert NoopAgent().run(episode, Budget()).status is Status.GAVE_UP
        outcome = episode.outcome()
    verdict = ICC.score(case.sample, case.store, outcome)
    assert verdict.problem is None
    assert not any(verdict.gates.values())
    assert ICC.histories(case.sample, case.store, outcome) is None


@pytest.mark.parametrize("tools", [ToolSet.PUBLISHED, ToolSet.EXTENDED])
@pytest.mark.parametrize("hunks", ["chain-file", "all"])
def test_every_agent_ends_at_the_exact_tree(
    case: ChainCase, local_provider: SandboxProvider, tools: ToolSet, hunks: str
) -> None:
    for agent in AGENTS:
        verdict, trajectory, _, commits = play(case, local_provider, agent, icc_options(tools, hunks=hunks))
        assert trajectory.status is Status.COMPLETED, trajectory.error
        assert all(verdict.gates.values()), (agent, verdict.gates)
        assert verdict.solved is None
        assert verdict.solved_paper is None
        assert contents(commits)[-1] == (VERSIONS[-1][b"a.py"], b"B\n")


def test_one_commit_puts_all_hunks_together(case: ChainCase, local_provider: SandboxProvider) -> None:
    _, _, _, commits = play(case, local_provider, "one-commit")
    assert contents(commits) == [(VERSIONS[2][b"a.py"], b"b\n"), (VERSIONS[2][b"a.py"], b"B\n")]
    _, _, _, commits = play(case, local_provider, "one-commit", icc_options(hunks="all"))
    assert len(commits) == 1


def test_per_hunk_commits_hunks_in_their_order(case: ChainCase, local_provider: SandboxProvider) -> None:
    _, _, _, commits = play(case, local_provider, "per-hunk")
    assert [first for first, _ in contents(commits)] == [
        source("b = 1", "return a", "y = 2"),
        source("b = 1", "return b", "y = 2"),
        source("b = 1", "return b", "y = 3"),
        source("b = 1", "return b", "y = 3"),
    ]


def test_by_definition_joins_the_hunks_of_a_method(case: ChainCase, local_provider: SandboxProvider) -> None:
    _, _, _, commits = play(case, local_provider, "by-definition")
    assert [first for first, _ in contents(commits)][:2] == [VERSIONS[1][b"a.py"], VERSIONS[2][b"a.py"]]
    assert messages(case, local_provider, "by-definition") == b"Change A.f\nChange a.py\nChange the other files\n"


def test_tool_oracle_reproduces_the_real_commits_where_hunks_allow(
    case: ChainCase, local_provider: SandboxProvider
) -> None:
    _, _, _, commits = play(case, local_provider, "tool-oracle", icc_options(hunks="all"))
    assert contents(commits) == [(files[b"a.py"], files[b"b.py"]) for files in VERSIONS[1:]]
    assert messages(case, local_provider, "tool-oracle") == b"Step 1\nStep 2\nStep 2\n"


def test_oracle_reproduces_the_real_trees_and_messages(case: ChainCase, local_provider: SandboxProvider) -> None:
    verdict, _, _, commits = play(case, local_provider, "oracle")
    assert commits == [{path: (REGULAR, content) for path, content in files.items()} for files in VERSIONS[1:]]
    assert messages(case, local_provider, "oracle") == b"Step 1\nStep 2\n"
    assert verdict.scores["syntax_valid"] == 1


def test_a_mixed_hunk_is_unattainable_whole_and_attainable_split(
    tmp_path: Path, local_provider: SandboxProvider
) -> None:
    versions: Sequence[Files] = (
        {b"a.py": b"first = 1\nsecond = 2\n"},
        {b"a.py": b"first = 1\nsecond = 20\n"},
        {b"a.py": b"first = 10\nsecond = 20\n"},
    )
    case = make_chain(tmp_path / "r.git", versions)
    _, _, episode, commits = play(case, local_provider, "tool-oracle")
    assert not episode.facts["attainable"]
    assert not episode.facts["splittable"]
    assert [files[b"a.py"][1] for files in commits] == [versions[2][b"a.py"]]
    _, _, episode, commits = play(case, local_provider, "tool-oracle", EpisodeOptions(ToolSet.EXTENDED))
    assert episode.facts["attainable"]
    assert not episode.facts["hunks_pure"]
    assert [files[b"a.py"][1] for files in commits] == [versions[1][b"a.py"], versions[2][b"a.py"]]


def test_commits_that_leave_no_trace_are_not_visible(tmp_path: Path, local_provider: SandboxProvider) -> None:
    contents = (b"1\n", b"2\n", b"3\n", b"3\nx\n", b"3\n")
    case = make_chain(tmp_path / "r.git", [{b"a.py": content} for content in contents])
    with begin(case, local_provider) as (episode, _):
        assert episode.facts["commits"] == 4
        assert episode.facts["commits_visible"] == 2
        assert not episode.facts["attainable"]


@pytest.mark.docker
@pytest.mark.parametrize("agent", AGENTS)
def test_the_same_through_a_shell(case: ChainCase, docker_provider: SandboxProvider, agent: str) -> None:
    verdict, trajectory, _, commits = play(case, docker_provider, agent, EpisodeOptions(ToolSet.SHELL))
    assert trajectory.error is None
    assert all(verdict.gates.values()), verdict.gates
    if agent.endswith("oracle"):
        assert contents(commits) == [(files[b"a.py"], files[b"b.py"]) for files in VERSIONS[1:]]


def test_the_variant_is_chosen_by_a_flag_of_the_run() -> None:
    assert make_config(suite="mini").options.of(CommitOptions).hunks == "chain-file"
    assert make_config(suite="mini", opt=("icc.hunks=all",)).options == icc_options(hunks="all")
    assert make_config(suite="mini", hunks="all").options == icc_options(hunks="all")
