"""What reference agents make of a chain, and what it scores."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.errors import Status
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import ToolSet
from gitgoodbench.scoring.chain_edits import FACTS
from tests.support.rebases import (
    ALL_MET,
    IR,
    RebaseCase,
    begin,
    call,
    left_history,
    make_chain,
    play,
    score,
    three_commits,
)


@pytest.fixture
def case(tmp_path: Path) -> RebaseCase:
    return three_commits(tmp_path / "r.git")


def test_oracle_passes_every_gate_and_keeps_every_real_commit(
    case: RebaseCase, local_provider: SandboxProvider
) -> None:
    verdict, trajectory, commits = play(case, local_provider, "oracle")
    assert trajectory.status is Status.COMPLETED
    assert verdict.gates == ALL_MET
    assert verdict.scores["commits_reproduced"] == verdict.scores["line_grouping"] == 1.0
    assert [commit.oid for commit in commits[:2]] == list(case.commits[:2])
    assert commits[2].message == b"Added three\n\nThis completes a series of changes.\n"


@pytest.mark.parametrize("tools", [ToolSet.PUBLISHED, ToolSet.EXTENDED])
def test_squash_all_makes_one_commit_of_all_messages(
    case: RebaseCase, local_provider: SandboxProvider, tools: ToolSet
) -> None:
    verdict, _, commits = play(case, local_provider, "squash-all", tools)
    assert verdict.gates == ALL_MET
    assert verdict.scores["several_commits"] == 0.0
    assert [commit.message for commit in commits] == [b"Add one and two\n\nAdded three\n\nAdded three\n"]


def test_autosquash_folds_commits_into_those_whose_lines_they_change(
    tmp_path: Path, local_provider: SandboxProvider
) -> None:
    """Commit 2 changes lines of 0, commit 3 adds within those of 1, commit 4 changes what was there before."""
    one, two = b"".join(b"one %d\n" % n for n in range(9)), b"".join(b"two %d\n" % n for n in range(9))
    base = b"base\n" * 9
    fixed_one, fixed_two = one.replace(b"one 4", b"ONE"), two.replace(b"two 4\n", b"two 4\nTWO\n")
    versions = [one + base, one + base + two, fixed_one + base + two, fixed_one + base + fixed_two]
    versions.append(fixed_one + base.replace(b"base\n", b"BASE\n", 5) + fixed_two)
    case = make_chain(tmp_path / "r.git", {b"a.py": base}, *({b"a.py": version} for version in versions))
    with begin(case, local_provider) as (episode, _):
        IR.reference_agents()["autosquash"](episode, lambda name, **arguments: call(episode, name, **arguments))
        outcome = episode.outcome()
    history = left_history(case, outcome)
    assert [commit.message for commit, _ in history] == [b"Step 0\n", b"Step 1\n", b"Step 4\n"]
    assert [files[b"a.py"] for _, files in history] == [fixed_one + base, fixed_one + base + fixed_two, versions[-1]]
    assert score(case, outcome).gates == ALL_MET


def test_autosquash_folds_only_neighbours_where_moving_conflicts(
    tmp_path: Path, local_provider: SandboxProvider
) -> None:
    """Commit 2 belongs to 0 but also changes a line that 1 has changed; commit 3 belongs to 2, which it follows."""
    old, block = [b"base %d" % n for n in range(9)], [b"new %d" % n for n in range(9)]
    first = [*block, *old]
    second = [*block[:8], *[b"both %d" % n for n in range(4)], *old[3:]]
    third = [*block[:5], b"again 5", b"again 6", b"again 7", b"again 8", *second[9:]]
    fourth = [*third[:6], b"AGAIN 6", *third[7:]]
    versions = [{b"a.py": b"\n".join(lines) + b"\n"} for lines in (old, first, second, third, fourth)]
    case = make_chain(tmp_path / "r.git", *versions)
    verdict, trajectory, commits = play(case, local_provider, "autosquash")
    assert "the rebase stopped and was undone: commit 2" in str(trajectory.messages)
    assert trajectory.status is Status.COMPLETED
    assert verdict.gates == ALL_MET
    assert [commit.message for commit in commits] == [b"Step 0\n", b"Step 1\n", b"Step 2\n"]


@pytest.mark.parametrize("tools", ["published", "extended"])
def test_reword_last_changes_one_character_of_the_last_subject(
    case: RebaseCase, local_provider: SandboxProvider, tools: str
) -> None:
    verdict, trajectory, commits = play(case, local_provider, "reword-last", ToolSet(tools))
    assert trajectory.status is Status.COMPLETED
    assert verdict.gates == ALL_MET
    assert [commit.message for commit in commits] == [b"Add one and two\n", b"Added three\n", b"Added three.\n"]
    assert [name for name in FACTS if verdict.facts[name]] == ["only_reworded"]


@pytest.mark.parametrize(
    ("message", "reworded"),
    [
        (b"Add it.\n\nWhy.\n", b"Add it\n\nWhy.\n"),
        (b"Add it\n\nWhy\n", b"Add it.\n\nWhy\n"),
        (b"\n", b"No message.\n"),
        (b".", b"..\n"),
    ],
)
def test_reword_last_changes_any_message(
    tmp_path: Path, local_provider: SandboxProvider, message: bytes, reworded: bytes
) -> None:
    case = make_chain(tmp_path / "r.git", {b"a.py": b"0\n"}, {b"a.py": b"1\n"}, ({b"a.py": b"2\n"}, message))
    verdict, _, commits = play(case, local_provider, "reword-last")
    assert [commit.message for commit in commits] == [b"Step 0\n", reworded]
    assert verdict.gates == ALL_MET


@pytest.mark.parametrize(
    ("agent", "status"),
    [("squash-all", Status.COMPLETED), ("reword-last", Status.COMPLETED), ("autosquash", Status.GAVE_UP)],
)
def test_reference_agents_take_chains_of_one_commit(
    tmp_path: Path, local_provider: SandboxProvider, agent: str, status: Status
) -> None:
    """Folding has nothing to do in one, and a plan that changes nothing is never carried out."""
    case = make_chain(tmp_path / "r.git", {b"a.py": b"0\n"}, ({b"a.py": b"1\n"}, b""))
    verdict, trajectory, _ = play(case, local_provider, agent)
    assert trajectory.status is status
    assert verdict.gates["final_tree_exact"]
    assert verdict.scores["several_commits"] is None
