"""What a score says of merges that are right, nearly right, left undone, or hostile."""

from __future__ import annotations

import hashlib
import struct
import zlib
from pathlib import Path

import pytest

from gitgoodbench.details import ConflictSides
from gitgoodbench.jsontypes import Json
from gitgoodbench.scenario import Outcome, Verdict
from gitgoodbench.workspace import outcome as outcome_module
from gitgoodbench.workspace.scratch import MAX_BUNDLE_BYTES, BundleError, ScratchRepository
from tests.support.merges import Files, MergeCase, make_merge, score

SCORES = (
    "exact_match", "normalized_match", "files_exact", "conflicts_exact", "ted_similarity", "ted_precision",
    "ted_recall", "ast_match",
)  # fmt: skip
CLEAN: dict[str, Json] = {"uncommitted": [], "unmerged": [], "merge_in_progress": False}
LINES = b"".join(b"line %d\n" % i for i in range(10))


def with_lines(first: bytes, second: bytes) -> bytes:
    return first + b"\n" + LINES + second + b"\n"


TRUTH: Files = {b"a.py": with_lines(b"x", b"y"), b"b.py": b"both\n", b"doc": b"d\n"}


@pytest.fixture
def case(tmp_path: Path) -> MergeCase:
    """Three conflicts in two files."""
    return make_merge(
        tmp_path / "r.git",
        {b"a.py": with_lines(b"0", b"0"), b"b.py": b"0\n", b"doc": b"d\n"},
        {b"a.py": with_lines(b"1", b"1"), b"b.py": b"1\n", b"doc": b"d\n"},
        {b"a.py": with_lines(b"2", b"2"), b"b.py": b"2\n", b"doc": b"d\n"},
        TRUTH,
    )


def outcome_of(case: MergeCase, files: Files) -> Outcome:
    """The outcome of an agent that committed these files as the merge."""
    commit = case.builder.commit(files, [case.local, case.incoming])
    case.git.run("update-ref", "refs/heads/outcome", commit)
    bundle = case.git.run("bundle", "create", "--quiet", "-", "outcome", "--not", case.local, case.incoming)
    case.git.run("update-ref", "-d", "refs/heads/outcome")
    return Outcome(commit, bundle, CLEAN)


def scores_of(case: MergeCase, **changed: bytes) -> Verdict:
    files = {**TRUTH, **{name.replace("_py", ".py").encode(): content for name, content in changed.items()}}
    return score(case, outcome_of(case, files))


def test_the_same_tree_is_solved(case: MergeCase) -> None:
    verdict = scores_of(case)
    assert verdict.solved
    assert verdict.solved_paper
    assert verdict.scores == dict.fromkeys(SCORES, 1)
    assert all(verdict.gates.values())


@pytest.mark.parametrize(
    ("content", "normalized"),
    [
        (b"both\r\n", 1),
        (b"both \t\n", 1),
        (b"both", 1),
        (b"both\n\n", 1),
        (b" both\n", 0),
        (b"b oth\n", 0),
        (b"both\x0c\n", 0),
        (b"both\n\nx\n", 0),
    ],
)
def test_normalized_match_forgives_line_ends_trailing_blanks_and_the_final_newline(
    case: MergeCase, content: bytes, normalized: float
) -> None:
    verdict = scores_of(case, b_py=content)
    assert not verdict.solved
    assert verdict.scores["normalized_match"] == normalized


def test_shares_of_files_and_conflicts(case: MergeCase) -> None:
    verdict = scores_of(case, a_py=with_lines(b"x", b"wrong"))
    assert verdict.scores["files_exact"] == 1 / 2
    assert verdict.scores["conflicts_exact"] == pytest.approx(2 / 3)


def test_a_change_outside_the_conflicts_spoils_the_match_but_not_the_conflicts(case: MergeCase) -> None:
    verdict = scores_of(case, doc=b"changed\n")
    assert not verdict.solved
    assert verdict.scores["files_exact"] == 1
    assert verdict.scores["conflicts_exact"] == 1
    assert verdict.scores["normalized_match"] == 0


def test_markers_left_behind_fail_their_gate(case: MergeCase) -> None:
    left = b"<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> incoming\n"
    assert not scores_of(case, b_py=left).gates["no_leftover_markers"]
    assert scores_of(case, b_py=b"======= a heading\n<<<<<<< something else\n").gates["no_leftover_markers"]


def test_markers_that_the_real_merge_kept_are_not_held_against_anyone(tmp_path: Path) -> None:
    truth = {b"a": b"<<<<<<< HEAD\n1\n"}
    case = make_merge(tmp_path / "r.git", {b"a": b"0\n"}, {b"a": b"1\n"}, {b"a": b"2\n"}, truth)
    assert score(case, outcome_of(case, truth)).gates["no_leftover_markers"]


def test_a_truth_that_is_ours_is_not_solved_by_doing_nothing(tmp_path: Path) -> None:
    ours: Files = {b"a": b"1\n"}
    case = make_merge(tmp_path / "r.git", {b"a": b"0\n"}, ours, {b"a": b"2\n"}, ours)
    verdict = score(case, Outcome(case.local, None, CLEAN))
    assert not verdict.solved
    assert not verdict.gates["committed"]
    assert score(case, outcome_of(case, ours)).solved


def test_a_commit_that_is_no_merge_of_both_sides_is_not_solved(case: MergeCase) -> None:
    commit = case.builder.commit(TRUTH, [case.local])
    case.builder.branch("outcome", commit)
    bundle = case.git.run("bundle", "create", "--quiet", "-", "outcome", "--not", case.local)
    verdict = score(case, Outcome(commit, bundle, CLEAN))
    assert not verdict.solved
    assert not verdict.gates["committed"]


def test_commits_after_the_merge_count(case: MergeCase) -> None:
    merge = case.builder.commit({**TRUTH, b"b.py": b"not yet\n"}, [case.local, case.incoming])
    commit = case.builder.commit(TRUTH, [merge])
    case.builder.branch("outcome", commit)
    bundle = case.git.run("bundle", "create", "--quiet", "-", "outcome", "--not", case.local, case.incoming)
    assert score(case, Outcome(commit, bundle, CLEAN)).solved


METHODS = b"".join(b"\n\ndef g%d(x):\n    return x + %d\n" % (i, i) for i in range(6))


def with_function(body: bytes) -> bytes:
    return b"import os\nimport sys\n\n\ndef f(x, y):\n" + body + METHODS


FUNCTION = with_function(b"    total = x + y\n    print(total, file=sys.stderr)\n    return os.path.join(total, x)\n")
OURS, THEIRS = (with_function(b"    total = x + %d\n    return os.path.join(total, x)\n" % i) for i in (1, 2))


@pytest.fixture
def function_case(tmp_path: Path) -> MergeCase:
    base = {b"a.py": with_function(b"    total = x\n    return total\n")}
    return make_merge(tmp_path / "r.git", base, {b"a.py": OURS}, {b"a.py": THEIRS}, {b"a.py": FUNCTION})


@pytest.mark.parametrize(
    ("answer", "bound"),
    [
        (b"", 0.0),
        (b"<<<<<<< HEAD\n    total = x + 1\n=======\n    total = x + 2\n>>>>>>> incoming\n", 0.0),
        (b"}\n", 0.1),
        (b";\n", 0.1),
        (b"import os\n", 0.2),
        (FUNCTION, 0.3),
    ],
)
def test_an_answer_that_knows_nothing_is_not_like_the_truth(
    function_case: MergeCase, answer: bytes, bound: float
) -> None:
    """The conflict is the line that sets `total`."""
    ours = score(function_case, outcome_of(function_case, {b"a.py": OURS})).scores["ted_similarity"]
    found = score(
        function_case, outcome_of(function_case, {b"a.py": OURS.replace(b"    total = x + 1\n", answer)})
    ).scores["ted_similarity"]
    assert found is not None
    assert ours is not None
    assert found <= bound < ours


def garbage_pack(payload: bytes) -> bytes:
    """A pack that claims one blob and holds these compressed bytes for it."""
    body = b"PACK" + struct.pack(">II", 2, 1) + bytes([0x30 | (len(payload) & 15)]) + zlib.compress(payload)
    return body + hashlib.sha1(body).digest()


@pytest.mark.parametrize(
    ("bundle", "reason"),
    [
        pytest.param(b"", "not a Git bundle", id="empty"),
        pytest.param(b"\0" * 1000, "not a Git bundle", id="zeros"),
        pytest.param(b"# v2 git bundle\n", "without a pack", id="header only"),
        pytest.param(b"# v2 git bundle\n\nPACK\0\0\0\2\0\0\0\1garbage", "refused", id="broken pack"),
        pytest.param(b"# v2 git bundle\n\n" + garbage_pack(b"x")[:-1], "refused", id="cut short"),
    ],
)
def test_garbage_for_a_bundle_is_reported_and_unsolved(case: MergeCase, bundle: bytes, reason: str) -> None:
    verdict = score(case, Outcome("1" * 40, bundle, CLEAN))
    assert not verdict.solved
    assert verdict.problem is not None
    assert reason in verdict.problem


def test_a_bundle_over_the_limit_is_refused_unread(case: MergeCase) -> None:
    with ScratchRepository(case.git) as scratch, pytest.raises(BundleError, match="larger than"):
        scratch.import_bundle(b"# v2 git bundle\n" + b"\0" * MAX_BUNDLE_BYTES)


def test_a_bundle_without_the_commit_it_should_hold(case: MergeCase) -> None:
    bundle = outcome_of(case, TRUTH).bundle
    verdict = score(case, Outcome("1" * 40, bundle, CLEAN))
    assert verdict.problem == f"the bundle lacks the commit {'1' * 40} that HEAD named"


def test_naming_the_real_merge_without_bringing_it_is_no_solution(case: MergeCase) -> None:
    """Its id stands in public rows, and the scorer's mirror has it."""
    for bundle in (None, outcome_of(case, {**TRUTH, b"a.py": b"wrong\n"}).bundle):
        verdict = score(case, Outcome(case.merge, bundle, CLEAN))
        assert not verdict.solved
        assert not verdict.gates["committed"]
        assert verdict.problem == f"the bundle lacks the object {case.merge} of the commit {case.merge}"


def test_a_commit_of_the_real_tree_that_did_not_bring_its_files_is_no_solution(case: MergeCase) -> None:
    tree = case.git.line("rev-parse", f"{case.merge}^{{tree}}")
    commit = case.git.line("commit-tree", "-p", case.local, "-p", case.incoming, "-m", "x", tree)
    pack = case.git.run("pack-objects", "--stdout", "--quiet", stdin=commit.encode() + b"\n")
    verdict = score(case, Outcome(commit, f"# v2 git bundle\n{commit} HEAD\n\n".encode() + pack, CLEAN))
    assert not verdict.solved
    assert verdict.problem == f"the bundle lacks the object {tree} of the commit {commit}"


def test_a_small_bundle_whose_tree_lists_without_end_is_reported(case: MergeCase) -> None:
    blob = case.git.line("hash-object", "-w", "--stdin", stdin=b"x")
    tree = case.git.line("mktree", stdin=f"100644 blob {blob}\tf\n".encode())
    for _ in range(10):
        tree = case.git.line("mktree", stdin="".join(f"040000 tree {tree}\t{i}\n" for i in range(10)).encode())
    commit = case.git.line("commit-tree", "-p", case.local, "-p", case.incoming, "-m", "x", tree)
    case.builder.branch("outcome", commit)
    bundle = case.git.run("bundle", "create", "--quiet", "-", "outcome", "--not", case.local, case.incoming)
    assert len(bundle) < 2000
    verdict = score(case, Outcome(commit, bundle, CLEAN))
    assert not verdict.solved
    assert "the listing is longer than" in str(verdict.problem)


def test_objects_that_break_the_rules_are_refused(case: MergeCase) -> None:
    """A tree that would write into .git when checked out."""
    blob = case.git.line("hash-object", "-w", "--stdin", stdin=b"x")
    tree = case.git.line("mktree", stdin=f"100644 blob {blob}\t.git\n".encode())
    commit = case.git.line("commit-tree", "-p", case.local, "-p", case.incoming, "-m", "x", tree)
    case.builder.branch("outcome", commit)
    bundle = case.git.run("bundle", "create", "--quiet", "-", "outcome", "--not", case.local, case.incoming)
    verdict = score(case, Outcome(commit, bundle, CLEAN))
    assert not verdict.solved
    assert verdict.problem is not None
    assert "hasDotgit" in verdict.problem


def test_the_mirror_gains_nothing_from_an_outcome(case: MergeCase) -> None:
    objects = case.git.run("count-objects", "-v")
    outcome = outcome_of(case, {**TRUTH, b"a.py": b"something new\n"})
    case.git.run("prune", "--expire=now")
    before = case.git.run("count-objects", "-v")
    assert before == objects
    score(case, outcome)
    assert case.git.run("count-objects", "-v") == before


def test_status_records_of_every_kind_are_read() -> None:
    output = (
        b"1 M. N... 100644 100644 100644 aaa bbb a b.py\0"
        b"2 R. N... 100644 100644 100644 aaa bbb R100 new name\0old name\0"
        b"u UU N... 100644 100644 100644 100644 a b c caf\xe9.py\0"
        b"? un tracked\0"
    )
    uncommitted, unmerged = outcome_module.read_status(output)
    assert uncommitted == [b"a b.py", b"new name", b"caf\xe9.py", b"un tracked"]
    assert unmerged == [b"caf\xe9.py"]


def test_details_tell_what_met_in_each_conflict(case: MergeCase) -> None:
    details = scores_of(case, b_py=b"mine\n").details
    assert details is not None
    found = [(file.path, one.sides, one.agent_text) for file in details.files for one in file.conflicts]
    assert found == [
        ("a.py", ConflictSides(base="0\n", ours="1\n", theirs="2\n"), "x\n"),
        ("a.py", ConflictSides(base="0\n", ours="1\n", theirs="2\n"), "y\n"),
        ("b.py", ConflictSides(base="0\n", ours="1\n", theirs="2\n"), "mine\n"),
    ]
    assert [(file.path, file.exact, file.out_of_reach) for file in details.files] == [
        ("a.py", True, False), ("b.py", False, False)
    ]  # fmt: skip


def test_files_that_the_truth_changes_outside_of_its_conflicts_are_out_of_reach(tmp_path: Path) -> None:
    base: Files = {b"a.py": with_lines(b"0", b"0"), b"b.py": b"0\n", b"gone": b"1\n", b"kept": b"1\n"}
    ours, theirs = ({**base, b"a.py": with_lines(side, b"0"), b"b.py": side + b"\n"} for side in (b"1", b"2"))
    truth: Files = {b"a.py": with_lines(b"x", b"y"), b"b.py": b"both\n", b"kept": b"1\n", b"new": b"2\n"}
    case = make_merge(tmp_path / "r.git", base, ours, theirs, truth)
    for written in (truth, {**truth, b"a.py": with_lines(b"x", b"0")}):
        details = score(case, outcome_of(case, written)).details
        assert details is not None
        assert {file.path for file in details.files if file.out_of_reach} == {"a.py", "gone", "new"}
        assert [file.path for file in details.files if not file.exact] == ([] if written is truth else ["a.py"])


def test_a_conflict_without_text_tells_what_each_side_had_at_its_paths(tmp_path: Path) -> None:
    case = make_merge(tmp_path / "r.git", {b"a": b"0\n"}, {b"b": b"1\n"}, {b"a": b"2\n"}, {b"b": b"1\n"})
    details = score(case, outcome_of(case, {b"b": b"1\n"})).details
    assert details is not None
    (conflict,) = details.files[0].conflicts
    assert conflict.sides is not None
    assert conflict.sides.ours == "a: nothing\n"
    assert (conflict.sides.base or "").startswith("a: 100644 ")
    assert (conflict.sides.theirs or "").startswith("a: 100644 ")
