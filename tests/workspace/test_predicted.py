"""Predictions become outcomes: exact bytes and modes, both parents, and a stated end for what cannot be applied."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.contained.scenario import contained
from gitgoodbench.errors import AgentFailed
from gitgoodbench.git.commits import read_commits
from gitgoodbench.limits import LIMITS
from gitgoodbench.scenario import Outcome, load_scenarios
from gitgoodbench.workspace.predicted import bundled_head
from gitgoodbench.workspace.prediction import Bundle, Files, FileState, Patch, Prediction, Series, Step
from gitgoodbench.workspace.scratch import ScratchRepository
from tests.support import merges, rebases
from tests.support.merges import MergeCase

BASE: dict[bytes, Any] = {b"a.py": b"x = 1\n", b"old.txt": b"old\n", b"run.sh": ("100755", b"#!/bin/sh\n")}
LOCAL = {**BASE, b"a.py": b"x = 2\n"}
INCOMING = {**BASE, b"a.py": b"x = 3\n"}
TRUTH: dict[bytes, Any] = {
    b"a.py": b"x = 5\r\n\xff\n",
    b"run.sh": ("100755", b"#!/bin/sh\nexit 1\n"),
    b"new/bin": b"\0\1\2" * 100,
    b"link": ("120000", b"a.py"),
}
DIFF = ("diff", "--binary", "--full-index", "--no-renames")
SCENARIOS = load_scenarios()


@pytest.fixture
def case(tmp_path: Path) -> MergeCase:
    return merges.make_merge(tmp_path / "merge.git", BASE, LOCAL, INCOMING, TRUTH)


def predicted(case: Any, prediction: Prediction, name: str = "mcr") -> Outcome:
    scenario: Any = SCENARIOS[name]
    return scenario.predicted(case.sample, case.store, prediction)  # type: ignore[no-any-return]


def one(change: Patch | Files, message: bytes | None = None) -> Prediction:
    return Prediction(Series((Step(change, message),)))


def parents_of(case: Any, outcome: Outcome) -> tuple[str, ...]:
    assert outcome.bundle is not None
    assert outcome.head is not None
    with ScratchRepository(case.git) as scratch:
        scratch.import_bundle(outcome.bundle)
        (commit,) = read_commits(scratch.git, [outcome.head])
    return commit.parents


def test_a_patch_with_binary_files_links_and_modes_gives_the_real_tree(case: MergeCase) -> None:
    outcome = predicted(case, one(Patch(case.git.run(*DIFF, case.local, case.merge))))
    assert merges.committed_files(case, outcome) == {
        b"a.py": ("100644", b"x = 5\r\n\xff\n"),
        b"run.sh": ("100755", b"#!/bin/sh\nexit 1\n"),
        b"new/bin": ("100644", b"\0\1\2" * 100),
        b"link": ("120000", b"a.py"),
    }
    assert parents_of(case, outcome) == (case.local, case.incoming)
    assert merges.score(case, outcome).solved is True


def test_a_patch_whose_last_line_ends_were_stripped_is_the_same(case: MergeCase) -> None:
    patch = case.git.run(*DIFF, case.local, case.merge)
    assert merges.score(case, predicted(case, one(Patch(patch.rstrip(b"\n"))))).solved is True


def test_files_keep_the_mode_that_they_have_and_null_deletes(case: MergeCase) -> None:
    files = Files(
        {
            b"a.py": FileState(b"x = 5\r\n\xff\n"),
            b"run.sh": FileState(b"#!/bin/sh\nexit 1\n"),
            b"new/bin": FileState(b"\0\1\2" * 100),
            b"link": FileState(b"a.py", "120000"),
            b"old.txt": None,
        }
    )
    assert merges.score(case, predicted(case, one(files))).solved is True


def test_a_file_takes_the_place_of_a_folder(case: MergeCase) -> None:
    first = one(Files({b"d/x": FileState(b"1"), b"old.txt": None, b"old.txt/y": FileState(b"2")}))
    assert set(merges.committed_files(case, predicted(case, first))) == {b"a.py", b"run.sh", b"d/x", b"old.txt/y"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (Patch(b"no patch"), "does not apply"),
        (Patch(b"--- a/zz\n+++ b/zz\n@@ -1 +1 @@\n-a\n+b\n"), "zz: does not exist in index"),
        (Patch(b"--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 9\n+b\n"), "patch failed: a.py:1"),
        (Patch(b"--- /dev/null\n+++ b/../../x\n@@ -0,0 +1 @@\n+b\n"), "invalid path '../../x'"),
        (Patch(b"diff --git a/.GIT/x b/.GIT/x\nnew file mode 100644\n--- /dev/null\n+++ b/.GIT/x\n@@ -0,0 +1 @@\n+b\n"),
         "invalid path '.GIT/x'"),
        (Patch(b"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n"
               b"diff --git a/l/x b/l/x\nnew file mode 100644\n--- /dev/null\n+++ b/l/x\n@@ -0,0 +1 @@\n+b\n"),
         "l/x"),
        (Files({b".git/config": FileState(b"")}), ".git/config cannot be the path of a file"),
        (Files({b"/etc/x": FileState(b"")}), "/etc/x cannot be the path of a file"),
        (Files({b"a\0b": None}), "cannot be the path of a file"),
        (Files({b"m": FileState(b"", "160000")}), "a mode is 100644, 100755 or 120000"),
    ],
)  # fmt: skip
def test_what_cannot_be_applied_is_the_agents_failure(case: MergeCase, change: Patch | Files, reason: str) -> None:
    with pytest.raises(AgentFailed) as problem:
        predicted(case, one(change))
    assert reason in str(problem.value)


def test_a_merge_is_one_commit(case: MergeCase) -> None:
    step = Step(Patch(b""))
    with pytest.raises(AgentFailed, match="a merge is one commit, not 2"):
        predicted(case, Prediction(Series((step, step))))


def test_nothing_leaves_the_merge_uncommitted(case: MergeCase) -> None:
    outcome = predicted(case, Prediction())
    verdict = merges.score(case, outcome)
    assert (outcome.head, outcome.bundle) == (case.local, None)
    assert verdict.problem is None
    assert verdict.solved is False
    assert verdict.gates["committed"] is False


def test_an_empty_patch_that_was_committed_is_the_local_tree_with_both_parents(case: MergeCase) -> None:
    outcome = predicted(case, one(Patch(b"")))
    assert merges.committed_files(case, outcome)[b"a.py"] == ("100644", b"x = 2\n")
    assert parents_of(case, outcome) == (case.local, case.incoming)


def test_a_contained_patch_ends_at_its_limit(case: MergeCase) -> None:
    hunks = b"".join(b"@@ -%d,0 +%d @@\n+x\n" % (line, line) for line in range(1, 200_000))
    scenario: Any = contained(SCENARIOS["mcr"], limits=dataclasses.replace(LIMITS, git_memory=8 * 1024 * 1024))
    with pytest.raises(AgentFailed, match="cannot be applied: Git needs more than the limit of 8 MiB"):
        scenario.predicted(case.sample, case.store, one(Patch(b"--- a/a.py\n+++ b/a.py\n" + hunks)))


def test_a_contained_prediction_is_what_the_scenario_makes_of_it(case: MergeCase) -> None:
    prediction = one(Files({b"a.py": FileState(b"both\n")}), b"Merge it\n")
    scenario: Any = contained(SCENARIOS["mcr"])
    assert scenario.predicted(case.sample, case.store, prediction) == predicted(case, prediction)


def test_a_series_of_commits_is_a_history(tmp_path: Path) -> None:
    chain = rebases.make_chain(tmp_path / "chain.git", BASE, {b"a.py": b"1\n"}, {b"a.py": b"2\n"}, {b"a.py": b"3\n"})
    patch = chain.git.run(*DIFF, chain.commits[0], chain.commits[2])
    first = Files({b"a.py": FileState(b"1\n"), b"old.txt": None, b"run.sh": None})
    outcome = predicted(chain, Prediction(Series((Step(first, b"One\n"), Step(Patch(patch), b"Rest\n")))), "ir")
    verdict = rebases.score(chain, outcome)
    assert all(verdict.gates.values()), verdict.gates
    assert verdict.facts["commits_made"] == 2
    nothing = rebases.score(chain, predicted(chain, Prediction(), "ir"))
    assert nothing.gates["history_changed"] is False
    assert nothing.gates["finished"] is False


def test_commits_over_no_base_begin_with_a_root(tmp_path: Path) -> None:
    chain = rebases.make_chain(tmp_path / "chain.git", None, {b"a.py": b"1\n"}, {b"a.py": b"2\n"})
    outcome = predicted(chain, one(Files({b"a.py": FileState(b"2\n")}), b"Both\n"), "ir")
    assert all(rebases.score(chain, outcome).gates.values())


def test_a_bundle_is_taken_as_it_is(case: MergeCase) -> None:
    case.git.run("update-ref", "refs/heads/done", case.merge)
    bundle = case.git.run("bundle", "create", "-", "done", f"^{case.local}", f"^{case.incoming}")
    outcome = predicted(case, Prediction(Bundle(bundle)))
    assert outcome.head == case.merge
    assert outcome.bundle == bundle
    assert merges.score(case, outcome).solved is True


@pytest.mark.parametrize(
    ("bundle", "reason"),
    [
        (b"", "no Git bundle"),
        (b"# v2 git bundle\n\nPACK", "names 0 commits"),
        (b"# v2 git bundle\n" + b"1" * 40 + b" refs/heads/a\n" + b"2" * 40 + b" refs/heads/b\n\nPACK", "2 commits"),
    ],
)
def test_a_bundle_must_say_what_it_is_about(bundle: bytes, reason: str) -> None:
    with pytest.raises(AgentFailed, match=reason):
        bundled_head(bundle)


def test_a_bundle_is_about_its_head() -> None:
    lines = b"# v3 git bundle\n@object-format=sha1\n-" + b"3" * 40 + b" x\n" + b"1" * 40 + b" HEAD\n"
    assert bundled_head(lines + b"2" * 40 + b" refs/heads/b\n\nPACK") == "1" * 40
