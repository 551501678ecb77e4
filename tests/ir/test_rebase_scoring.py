"""What an outcome scores: gates, history scores, and that any outcome at all ends with a verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from gitgoodbench.git.process import Git
from gitgoodbench.jsontypes import Json
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import Outcome
from gitgoodbench.scoring.chain_edits import FACTS
from gitgoodbench.workspace.outcome import take_outcome
from tests.support.rebases import (
    ALL_MET,
    FIRST,
    IR,
    SECOND,
    RebaseCase,
    begin,
    call,
    make_chain,
    score,
    three_commits,
    update,
)

CLEAN: dict[str, Json] = {"uncommitted": [], "unmerged": [], "merge_in_progress": False, "finished": True}


@pytest.fixture
def case(tmp_path: Path) -> RebaseCase:
    return three_commits(tmp_path / "r.git")


class Left:
    """A clone of the case's repository in which a test commits what it likes."""

    def __init__(self, case: RebaseCase, folder: Path) -> None:
        self.case = case
        folder.mkdir()
        self.git = Git(folder / ".git", folder)
        self.git.run("init", "--quiet", "--template=", "--initial-branch=work")
        info = folder / ".git/objects/info/alternates"
        info.parent.mkdir(exist_ok=True)
        info.write_text(f"{case.builder.path}/objects\n")
        self.git.run("reset", "--hard", "--quiet", case.commits[-1])

    def commit(self, parent: str | None, tree_of: str, message: bytes) -> str:
        tree = self.git.line("rev-parse", f"{tree_of}^{{tree}}")
        parents = [] if parent is None else ["-p", parent]
        commit = self.git.line("commit-tree", *parents, "-F", "-", tree, stdin=message)
        self.git.run("reset", "--hard", "--quiet", commit)
        return commit

    def outcome(self, **state: object) -> Outcome:
        left = take_outcome(self.git, [self.case.commits[-1]])
        return Outcome(left.head, left.bundle, {**left.state, "finished": True, **state}, left.problem)  # type: ignore[dict-item]


@pytest.fixture
def left(case: RebaseCase, tmp_path: Path) -> Left:
    return Left(case, tmp_path / "left")


def unmet(case: RebaseCase, outcome: Outcome) -> list[str]:
    return [gate for gate, met in score(case, outcome).gates.items() if not met]


def test_no_judge_has_spoken_so_nothing_is_solved_or_unsolved(case: RebaseCase, left: Left) -> None:
    left.commit(case.base, case.commits[-1], b"All\n")
    verdict = score(case, left.outcome())
    assert (verdict.solved, verdict.solved_paper, verdict.problem) == (None, None, None)
    assert verdict.gates == ALL_MET


def test_the_scores_of_one_commit_against_the_real_three(case: RebaseCase, left: Left) -> None:
    left.commit(case.base, case.commits[-1], b"Added all\n")
    verdict = score(case, left.outcome())
    assert verdict.scores == {
        "several_commits": 0.0,
        "syntax_valid": 1.0,
        "messages_distinct": 1.0,
        "subjects_short": 1.0,
        "subjects_imperative": 0.0,
        "commits_reproduced": 0.0,
        "line_grouping": 0.0,
        # Most like the last real commit, which adds one() with its 11 nodes: two() is 2 edits from it.
        "history_similarity": pytest.approx((1 - 2 / (22 + 11)) / 3),
    }
    assert verdict.facts["commits_made"] == 1
    assert verdict.facts["history"] == {
        "commits": 1,
        "mean_lines": 7.0,
        "mean_files": 1.0,
        "mean_definitions": 2.0,
        "syntax_valid": 1,
        "repeated_messages": 0,
        "empty_messages": 0,
        "long_subjects": 0,
        "subjects_in_other_moods": 1,
        "mean_subject_length": 9.0,
    }
    assert verdict.facts["real_history"] == {
        "commits": 3,
        "mean_lines": (7 + 4 + 4) / 3,
        "mean_files": 1.0,
        "mean_definitions": (2 + 2 + 1) / 3,
        "syntax_valid": 2,
        "repeated_messages": 1,
        "empty_messages": 0,
        "long_subjects": 0,
        "subjects_in_other_moods": 2,
        "mean_subject_length": (15 + 11 + 11) / 3,
    }


def test_the_first_real_commit_kept_and_the_others_melded(case: RebaseCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, _):
        update(episode, (0, "pick"), (1, "pick"), (2, "squash", "Return others"))
        call(episode, "execute_rebase")
        outcome = episode.outcome()
    scores = score(case, outcome).scores
    assert scores["commits_reproduced"] == 1 / 3
    assert scores["syntax_valid"] == scores["messages_distinct"] == scores["several_commits"] == 1.0
    # Of seven lines: x = 0 and three of the first commit alike in both; def one() was restored by the last real commit
    # alone, so it is the first one's here; return 3 and return 11 are apart in the real history. That makes 6 pairs
    # together in both, 11 here, 7 there, of 21: (6 - 11 * 7 / 21) / ((11 + 7) / 2 - 11 * 7 / 21).
    assert scores["line_grouping"] == pytest.approx(0.4375)


def anew(left: Left, *messages: bytes) -> None:
    """The chain's trees again, in new commits."""
    tip = left.case.base
    for real, message in zip(left.case.commits, messages, strict=True):
        tip = left.commit(tip, real, message)


def merge(left: Left, tree_of: str, *parents: str) -> str:
    tree = left.git.line("rev-parse", f"{tree_of}^{{tree}}")
    named = [argument for parent in parents for argument in ("-p", parent)]
    commit = left.git.line("commit-tree", *named, "-F", "-", tree, stdin=b"Merge\n")
    left.git.run("reset", "--hard", "--quiet", commit)
    return commit


def merge_of_a_side_branch(left: Left) -> None:
    base, newest = str(left.case.base), left.case.commits[-1]
    merge(left, newest, base, left.commit(base, left.case.commits[0], b"Side\n"))


def octopus(left: Left) -> None:
    base, newest = str(left.case.base), left.case.commits[-1]
    merge(left, newest, base, *(left.commit(base, commit, b"Side\n") for commit in left.case.commits))


def merge_below_the_top(left: Left) -> None:
    """A merge in the middle, whose second parent is the chain as it was."""
    left.commit(
        merge(left, left.case.commits[1], str(left.case.base), left.case.commits[-1]), left.case.commits[-1], b"x"
    )


def merge_that_is_hidden(left: Left) -> None:
    """The first parents are those of a chain; the merge is reached through a second parent alone."""
    first, second, newest = left.case.commits
    side = merge(left, second, first, left.commit(left.case.base, second, b"Side\n"))
    merge(left, newest, left.commit(left.case.base, first, b"One\n"), side)


def merge_of_another_root(left: Left) -> None:
    merge(left, left.case.commits[-1], str(left.case.base), left.commit(None, left.case.commits[0], b"Root\n"))


def evil_merge(left: Left) -> None:
    """It holds what neither parent does, and the next commit takes that out again."""
    path = Path(left.git.work_tree or "", "evil")
    path.write_text("x")
    left.git.run("add", "evil")
    tree = left.git.line("write-tree")
    evil = left.git.line("commit-tree", "-p", str(left.case.base), "-p", left.case.commits[0], "-m", "Merge", tree)
    left.commit(evil, left.case.commits[-1], b"All\n")


def anew_and(left: Left, *more: str, messages: Sequence[bytes] = (b"Add one and two\n", b"Added three\n")) -> None:
    """The chain as it was, and commits of these trees above it."""
    anew(left, messages[0], messages[-1], messages[-1])
    for tree_of in more:
        left.commit("HEAD", tree_of, b"More\n")


def empty_below(left: Left) -> None:
    tip = left.commit(left.case.base, str(left.case.base), b"Nothing\n")
    for real, message in zip(left.case.commits, MESSAGES, strict=True):
        tip = left.commit(tip, real, message)


def one_of_all_and_empty(left: Left) -> None:
    tip = left.commit(left.case.base, left.case.commits[-1], b"All\n")
    for number in range(5):
        tip = left.commit(tip, left.case.commits[-1], b"Nothing %d\n" % number)


def base_rewritten(left: Left) -> None:
    tip = left.commit(None, str(left.case.base), b"Another base\n")
    for real in left.case.commits:
        tip = left.commit(tip, real, b"Change\n")


def left_over_file(left: Left) -> None:
    left.commit(left.case.base, left.case.commits[-1], b"All\n")
    Path(left.git.work_tree or "", "left-over").write_text("x")


MESSAGES = (b"Add one and two\n", b"Added three\n", b"Added three\n")
HISTORIES: dict[str, tuple[Callable[[Left], object], list[str]]] = {
    "untouched": (lambda _: None, ["history_changed"]),
    "written anew": (lambda left: anew(left, *MESSAGES), ["history_changed"]),
    "other blanks": (lambda left: anew(left, *MESSAGES[:2], b"\nAdded three  \n\n\n"), ["history_changed"]),
    "reworded": (lambda left: anew(left, MESSAGES[0], b"Broke one\n", MESSAGES[2]), []),
    "less than all": (lambda left: left.commit(left.case.base, left.case.commits[1], b"Two\n"), ["final_tree_exact"]),
    "without the base": (
        lambda left: left.commit(None, left.case.commits[-1], b"All\n"),
        ["base_is_ancestor", "linear", "no_empty_commits", "history_changed"],
    ),
    "the base itself": (
        lambda left: left.git.run("reset", "--hard", "--quiet", left.case.base or ""),
        ["base_is_ancestor", "linear", "no_empty_commits", "final_tree_exact", "history_changed"],
    ),
    "the base in other words": (
        lambda left: left.commit(None, left.case.base or "", b"Base\n"),
        ["base_is_ancestor", "linear", "no_empty_commits", "final_tree_exact", "history_changed"],
    ),
    "base rewritten": (base_rewritten, ["base_is_ancestor", "linear", "no_empty_commits", "history_changed"]),
    "a merge of a side branch": (merge_of_a_side_branch, ["linear"]),
    "a merge of base and old tip": (
        lambda left: merge(left, left.case.commits[-1], str(left.case.base), left.case.commits[-1]),
        ["linear"],
    ),
    "an octopus": (octopus, ["linear"]),
    "a merge below the top": (merge_below_the_top, ["linear"]),
    "a merge behind a second parent": (merge_that_is_hidden, ["linear"]),
    "a merge of another root": (merge_of_another_root, ["linear"]),
    "an evil merge": (evil_merge, ["linear"]),
    "an empty commit above": (lambda left: anew_and(left, "HEAD"), ["no_empty_commits", "history_changed"]),
    "an empty commit below": (empty_below, ["no_empty_commits", "history_changed"]),
    "all in one and empty commits": (one_of_all_and_empty, ["no_empty_commits"]),
    "a commit and its revert above": (
        lambda left: anew_and(left, left.case.commits[0], left.case.commits[-1]),
        ["no_empty_commits", "history_changed"],
    ),
    "work undone and done again": (
        lambda left: anew_and(left, str(left.case.base), left.case.commits[-1]),
        ["no_empty_commits", "history_changed"],
    ),
    "a full stop": (lambda left: anew(left, *MESSAGES[:2], b"Added three.\n"), []),
    "a file left over": (left_over_file, ["nothing_uncommitted"]),
}


@pytest.mark.parametrize("kind", HISTORIES, ids=lambda kind: kind.replace(" ", "-"))
def test_the_gates_of_each_kind_of_history(case: RebaseCase, left: Left, kind: str) -> None:
    make, gates = HISTORIES[kind]
    make(left)
    assert unmet(case, left.outcome()) == gates


def test_empty_commits_of_the_chain_may_stay_move_and_be_reworded(tmp_path: Path) -> None:
    one, two = {b"a.py": FIRST}, {b"a.py": SECOND}
    case = make_chain(tmp_path / "r.git", {b"a.py": b"x = 0\n"}, one, one, two)
    left = Left(case, tmp_path / "left")
    anew(left, b"One\n", b"A note\n", b"Two\n")
    assert unmet(case, left.outcome()) == []
    left.commit(
        left.commit(left.commit(case.base, case.commits[0], b"One\n"), case.commits[2], b"Two\n"), "HEAD", b"A note"
    )
    assert unmet(case, left.outcome()) == []
    left.commit("HEAD", "HEAD", b"One more\n")
    assert unmet(case, left.outcome()) == ["no_empty_commits"]
    left.commit(left.commit(case.base, case.commits[0], b"Step 0\n"), case.commits[2], b"Step 2\n")
    assert unmet(case, left.outcome()) == []


EDITS: dict[str, tuple[Callable[[Left], object], list[str] | None, float]] = {
    "untouched": (lambda _: None, [], 1),
    "a full stop": (lambda left: anew(left, *MESSAGES[:2], b"Added three.\n"), ["only_reworded"], 1),
    "all in one": (lambda left: left.commit(left.case.base, left.case.commits[-1], b"All\n"), ["commits_combined"], 0),
    "all in one and empty commits": (one_of_all_and_empty, ["commits_combined"], 0),
    "a merge": (merge_of_a_side_branch, None, 0),
    "less than all": (lambda left: left.commit(left.case.base, left.case.commits[1], b"Two\n"), None, 0),
}


@pytest.mark.parametrize("kind", EDITS, ids=lambda kind: kind.replace(" ", "-"))
def test_what_was_done_to_the_commits_is_a_fact_of_the_verdict(case: RebaseCase, left: Left, kind: str) -> None:
    make, wanted, several = EDITS[kind]
    make(left)
    verdict = score(case, left.outcome())
    known = {name: verdict.facts[name] for name in FACTS}
    assert [name for name, done in known.items() if done] == (wanted or [])
    assert (None in known.values()) == (wanted is None)
    assert verdict.scores["several_commits"] == several


def test_the_gates_of_work_that_is_not_done(case: RebaseCase, left: Left) -> None:
    anew(left, b"One\n", b"Two\n", b"Three\n")
    assert unmet(case, left.outcome(finished=False)) == ["finished"]
    assert unmet(case, left.outcome(rebase_in_progress=True)) == ["nothing_uncommitted"]
    assert unmet(case, left.outcome(uncommitted=None)) == ["nothing_uncommitted"]


@pytest.mark.parametrize(
    ("outcome", "problem"),
    [
        (Outcome(None, None, CLEAN, "HEAD names no commit"), "HEAD names no commit"),
        (Outcome(None, None, {}), "HEAD names no commit"),
        (Outcome("1" * 40, None, CLEAN), "lacks the commit"),
        (Outcome("1" * 40, b"# v2 git bundle\n\nPACK\0\0\0\2\0\0\0\1garbage", CLEAN), "refused"),
        (Outcome("1" * 40, b"garbage", CLEAN), "not a Git bundle"),
    ],
)
def test_an_outcome_that_cannot_be_read_is_not_solved(case: RebaseCase, outcome: Outcome, problem: str) -> None:
    verdict = score(case, outcome)
    assert verdict.solved is False
    assert problem in str(verdict.problem)
    assert not verdict.gates["final_tree_exact"]
    assert set(verdict.scores.values()) == {None}
    assert IR.histories(case.sample, case.store, outcome) is None


def test_of_very_many_commits_a_judge_sees_those_with_a_change(case: RebaseCase, left: Left) -> None:
    stream = [b"commit refs/heads/work\ncommitter a <a@b> 1 +0000\ndata 1\nx\nfrom %s\n" % str(case.base).encode()]
    stream += [b"commit refs/heads/work\ncommitter a <a@b> 1 +0000\ndata 1\nx\n"] * 1500
    left.git.run("fast-import", "--quiet", "--force", stdin=b"\n".join(stream))
    left.commit("refs/heads/work", case.commits[-1], b"All\n")
    verdict = score(case, left.outcome())
    assert verdict.gates == {**ALL_MET, "no_empty_commits": False}
    assert verdict.facts["commits_made"] == 1502
    pair = IR.histories(case.sample, case.store, left.outcome())
    assert pair is not None
    assert (len(pair.agent.commits), pair.agent.left_out, pair.agent.unchanging) == (1, 0, 1501)


def test_a_tree_without_end_is_not_listed(case: RebaseCase, left: Left) -> None:
    """Ten levels of a tree that holds the one below ten times."""
    oid = left.git.line("hash-object", "-w", "--stdin", stdin=b"x")
    entry = f"100644 blob {oid}\tf%d\n"
    for _ in range(10):
        oid = left.git.line("mktree", stdin="".join(entry % number for number in range(10)).encode())
        entry = f"040000 tree {oid}\td%d\n"
    commit = left.git.line("commit-tree", "-p", str(case.base), "-F", "-", oid, stdin=b"Bomb\n")
    left.git.run("update-ref", "HEAD", commit)
    bundle = left.git.run("bundle", "create", "--quiet", "-", "HEAD", "--not", case.commits[-1])
    outcome = Outcome(commit, bundle, CLEAN)
    verdict = score(case, outcome)
    assert verdict.solved is False
    assert f"the files of {commit} cannot be listed" in str(verdict.problem)
    assert IR.histories(case.sample, case.store, outcome) is None


def test_what_a_judge_compares(case: RebaseCase, left: Left) -> None:
    left.commit(case.base, case.commits[-1], b"All\n")
    pair = IR.histories(case.sample, case.store, left.outcome())
    assert pair is not None
    assert [view.message for view in pair.agent.commits] == [b"All\n"]
    assert [view.message for view in pair.real.commits] == [b"Add one and two\n", b"Added three\n", b"Added three\n"]
    assert b"+    return 11\n" in pair.agent.commits[0].patch
