"""What a score says of histories that are right, wrong, left undone, or hostile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from gitgoodbench.details import Details, Trees
from gitgoodbench.git.objects import EXECUTABLE
from gitgoodbench.jsontypes import Json
from gitgoodbench.scenario import Outcome, Verdict
from gitgoodbench.scoring.chain_edits import FACTS
from tests.support.chains import ICC, ChainCase, Files, make_chain

STATE: dict[str, Json] = {"uncommitted": [], "unmerged": [], "merge_in_progress": False, "finished": True}
VERSIONS: Sequence[Files] = (
    {b"a.py": b"def f():\n    return 1\n", b"b.py": b"b = 1\n"},
    {b"a.py": b"def f():\n    return 2\n", b"b.py": b"b = 1\n"},
    {b"a.py": b"def f():\n    return 2\n", b"b.py": b"b = 2\n"},
    {b"a.py": b"def f():\n    return 3\n", b"b.py": b"b = 2\n"},
)
FINAL = VERSIONS[-1]


@pytest.fixture
def case(tmp_path: Path) -> ChainCase:
    return make_chain(tmp_path / "r.git", VERSIONS)


def outcome_of(
    case: ChainCase, *trees: Files, onto: str | None = None, state: Mapping[str, Json] | None = None
) -> Outcome:
    """The outcome of an agent that committed these trees, one upon the other."""
    head = onto or case.base
    for number, files in enumerate(trees):
        head = case.builder.commit(files, [head], b"Commit %d\n" % number)
    case.builder.branch("outcome", head)
    bundle = (
        case.git.run("bundle", "create", "--quiet", "-", "outcome", "--not", case.base) if head != case.base else None
    )
    case.git.run("update-ref", "-d", "refs/heads/outcome")
    return Outcome(head, bundle, {**STATE, "hunks": "chain-file", **(state or {})})


def score(case: ChainCase, outcome: Outcome) -> Verdict:
    verdict: Verdict = ICC.score(case.sample, case.store, outcome)
    return verdict


def details_of(case: ChainCase, outcome: Outcome) -> Details:
    details = score(case, outcome).details
    assert details is not None
    return details


def test_all_requirements_met(case: ChainCase) -> None:
    verdict = score(case, outcome_of(case, VERSIONS[1], FINAL))
    assert verdict.gates == {
        "finished": True, "base_is_ancestor": True, "linear": True, "no_empty_commits": True,
        "final_tree_exact": True, "nothing_uncommitted": True,
    }  # fmt: skip
    assert (verdict.solved, verdict.solved_paper, verdict.problem) == (None, None, None)
    assert verdict.facts["commits_made"] == 2
    assert verdict.scores["several_commits"] == 1
    assert verdict.scores["syntax_valid"] == 1


def test_a_verdict_tells_the_sample_both_trees_the_diff_and_both_histories(case: ChainCase) -> None:
    """Which a result shows; here the agent's second commit lacks the last change."""
    outcome = outcome_of(case, *VERSIONS[1:3])
    details = details_of(case, outcome)
    assert details.ids == {"base": case.base, "newest": case.commits[-1]}
    assert outcome.head is not None
    assert details.trees == Trees(
        agent=case.git.line("rev-parse", f"{outcome.head}^{{tree}}"),
        truth=case.git.line("rev-parse", f"{case.commits[-1]}^{{tree}}"),
    )
    assert details.diff == (
        "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 2\n+    return 3\n"
    )
    assert details.histories is not None
    assert [commit.same_as for commit in details.histories.agent] == [1, 2]
    assert [commit.same_as for commit in details.histories.truth] == [1, 2, None]
    assert details_of(case, outcome_of(case, FINAL)).diff == ""
    assert details_of(case, Outcome(None, None, {})) == Details(ids=details.ids)


def test_the_real_commits_are_reproduced_in_full(case: ChainCase) -> None:
    scores = score(case, outcome_of(case, *VERSIONS[1:])).scores
    assert (scores["commits_reproduced"], scores["line_grouping"]) == (1, 1)


def test_a_single_commit_reproduces_none(case: ChainCase) -> None:
    scores = score(case, outcome_of(case, FINAL)).scores
    assert (scores["commits_reproduced"], scores["line_grouping"], scores["several_commits"]) == (0, 0, 0)


def failed(verdict: Verdict) -> list[str]:
    return [name for name, met in verdict.gates.items() if not met]


def test_one_commit_of_everything_and_empty_ones_is_one_commit(case: ChainCase) -> None:
    verdict = score(case, outcome_of(case, *[FINAL] * 301))
    assert failed(verdict) == ["no_empty_commits"]
    assert verdict.scores["several_commits"] == 0
    assert verdict.facts["commits_made"] == 301


def test_one_commit_of_everything_and_a_mode_there_and_back_is_one_commit(case: ChainCase) -> None:
    content = FINAL[b"a.py"]
    assert isinstance(content, bytes)
    flipped: Files = {**FINAL, b"a.py": (EXECUTABLE, content)}
    verdict = score(case, outcome_of(case, *[FINAL, flipped] * 3, FINAL))
    assert failed(verdict) == ["no_empty_commits"]
    assert verdict.scores["several_commits"] == 0


def test_commits_that_are_undone_make_no_several(case: ChainCase) -> None:
    junk = {**FINAL, b"junk": b"x"}
    verdict = score(case, outcome_of(case, FINAL, junk, FINAL, junk, FINAL))
    assert failed(verdict) == ["no_empty_commits"]
    assert verdict.scores["several_commits"] == 0
    assert verdict.facts["commits_combined"] is True


def test_a_commit_that_changes_a_mode_alone_is_not_empty(tmp_path: Path) -> None:
    versions: Sequence[Files] = (
        {b"a.py": b"1\n"}, {b"a.py": b"2\n"}, {b"a.py": b"3\n"}, {b"a.py": (EXECUTABLE, b"3\n")},
    )  # fmt: skip
    case = make_chain(tmp_path / "r.git", versions)
    verdict = score(case, outcome_of(case, versions[2], versions[3]))
    assert failed(verdict) == []
    assert verdict.scores["several_commits"] == 1


def test_a_merge_is_not_linear(case: ChainCase) -> None:
    side = case.builder.commit(VERSIONS[1], [case.base])
    merge = case.builder.commit(FINAL, [case.base, side])
    verdict = score(case, outcome_of(case, onto=merge))
    assert failed(verdict) == ["linear"]
    assert {verdict.facts[name] for name in FACTS} == {None}


def test_how_a_division_stands_to_the_real_one(case: ChainCase) -> None:
    def told(*trees: Files) -> list[str]:
        facts = score(case, outcome_of(case, *trees)).facts
        return [name for name in FACTS if facts[name]]

    assert told(*VERSIONS[1:]) == ["only_reworded"]
    assert told(VERSIONS[2], FINAL) == told(FINAL) == ["commits_combined"]
    assert told({**VERSIONS[0], b"b.py": b"b = 2\n"}, FINAL) == ["commits_combined", "commits_reordered"]
    assert told(VERSIONS[1], {**VERSIONS[2], b"b.py": b"b =\n"}, *VERSIONS[2:]) == ["commits_split"]


def test_dropped_work_fails_its_gate(case: ChainCase) -> None:
    assert failed(score(case, outcome_of(case, VERSIONS[1]))) == ["final_tree_exact"]


def test_added_work_fails_its_gate(case: ChainCase) -> None:
    assert failed(score(case, outcome_of(case, {**FINAL, b"c.py": b""}))) == ["final_tree_exact"]


@pytest.mark.parametrize(
    ("state", "gate"),
    [
        ({"finished": False}, "finished"),
        ({"uncommitted": ["x"]}, "nothing_uncommitted"),
        ({"uncommitted": None}, "nothing_uncommitted"),
        ({"merge_in_progress": True}, "nothing_uncommitted"),
    ],
)
def test_a_state_that_is_not_clean_fails_its_gate(case: ChainCase, state: dict[str, Json], gate: str) -> None:
    assert failed(score(case, outcome_of(case, FINAL, state=state))) == [gate]


def test_a_history_that_does_not_stand_on_the_base_fails_its_gate(case: ChainCase) -> None:
    other = case.builder.commit(VERSIONS[0], [])
    outcome = outcome_of(case, FINAL, onto=other)
    verdict = score(case, outcome)
    assert failed(verdict) == ["base_is_ancestor", "linear", "no_empty_commits"]
    assert ICC.histories(case.sample, case.store, outcome) is None


def test_a_merge_that_hides_the_base_behind_a_second_parent_does_not_stand_on_it(case: ChainCase) -> None:
    other = case.builder.commit(VERSIONS[0], [])
    merge = case.builder.commit(FINAL, [other, case.base])
    assert failed(score(case, outcome_of(case, onto=merge))) == ["base_is_ancestor", "linear", "no_empty_commits"]


def test_commits_that_do_not_parse_are_counted(case: ChainCase) -> None:
    broken = {**FINAL, b"a.py": b"def f(:\n    return (2\n"}
    verdict = score(case, outcome_of(case, broken, {**broken, b"b.py": b"b = 2\n"}, FINAL, FINAL))
    assert verdict.scores["syntax_valid"] == 3 / 4
    assert verdict.gates["final_tree_exact"]


def test_one_commit_for_a_chain_of_two_is_not_held_against_anyone(tmp_path: Path) -> None:
    case = make_chain(tmp_path / "r.git", VERSIONS[:3])
    assert score(case, outcome_of(case, VERSIONS[2])).scores["several_commits"] is None


def test_a_judge_sees_only_the_chains_file_as_published(case: ChainCase) -> None:
    pair = ICC.histories(case.sample, case.store, outcome_of(case, VERSIONS[2], FINAL))
    assert pair is not None
    assert [commit.message for commit in pair.agent.commits] == [b"Commit 0\n", b"Commit 1\n"]
    assert [b"b = 2" in commit.patch for commit in pair.agent.commits] == [False, False]
    assert [commit.message[:6] for commit in pair.real.commits] == [b"Step 1", b"Step 3"]
    assert [commit.patch.count(b"return") for commit in pair.real.commits] == [2, 2]


def test_a_judge_sees_all_files_where_all_hunks_were_offered(case: ChainCase) -> None:
    pair = ICC.histories(case.sample, case.store, outcome_of(case, VERSIONS[2], FINAL, state={"hunks": "all"}))
    assert pair is not None
    assert [b"b = 2" in commit.patch for commit in pair.agent.commits] == [True, False]


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (Outcome(None, None, {}), "HEAD names no commit"),
        (Outcome("1" * 40, b"", {}), "not a Git bundle"),
        (Outcome("1" * 40, b"# v2 git bundle\n\nPACK\0\0\0\2\0\0\0\1garbage", {}), "refused"),
        (Outcome("1" * 40, None, {}), "the bundle lacks the commit"),
        (Outcome(None, None, {}, problem="git bundle gave more than 67108864 bytes"), "gave more than"),
    ],
)
def test_an_outcome_that_cannot_be_read_is_reported(case: ChainCase, outcome: Outcome, reason: str) -> None:
    verdict = score(case, outcome)
    assert verdict.problem is not None
    assert reason in verdict.problem
    assert verdict.solved is False
    assert not any(verdict.gates.values())


def test_who_only_names_the_real_tree_has_not_made_it(case: ChainCase) -> None:
    tree = case.git.line("rev-parse", f"{case.commits[-1]}^{{tree}}")
    commit = case.git.line("commit-tree", "-p", case.base, "-m", "x", tree)
    pack = case.git.run("pack-objects", "--stdout", "--quiet", stdin=f"{commit}\n".encode())
    verdict = score(case, Outcome(commit, b"# v2 git bundle\n\n" + pack, STATE))
    assert verdict.problem == f"the bundle lacks the object {tree} of the commit {commit}"


def test_a_history_of_many_commits_is_looked_at_only_so_far(case: ChainCase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitgoodbench.scoring.chain_gates.MAX_COMMITS", 3)
    outcome = outcome_of(case, *[{**FINAL, b"b.py": b"b = %d\n" % n} for n in range(3, 8)], FINAL)
    verdict = score(case, outcome)
    assert verdict.facts["commits_made"] == 6
    histories = details_of(case, outcome).histories
    assert histories is not None
    assert (len(histories.agent), histories.agent_commits, histories.truth_commits) == (3, 6, 3)
    assert all(verdict.gates.values())


def test_a_tree_with_broken_parts_ends_in_a_verdict(case: ChainCase) -> None:
    """A submodule entry and a missing blob where source files were."""
    missing = case.git.line("hash-object", "--stdin", stdin=b"never stored")
    tree = case.git.line(
        "mktree", "--missing", stdin=f"100644 blob {missing}\ta.py\n160000 commit {missing}\tb.py\n".encode()
    )
    commit = case.git.line("commit-tree", "-p", case.base, "-m", "x", tree)
    pack = case.git.run("pack-objects", "--stdout", "--quiet", stdin=f"{commit}\n{tree}\n".encode())
    outcome = Outcome(commit, b"# v2 git bundle\n" + f"{commit} HEAD\n\n".encode() + pack, STATE)
    verdict = score(case, outcome)
    assert verdict.problem is None
    assert failed(verdict) == ["final_tree_exact"]
