"""Two histories side by side: every commit with its files, figures and patch, and which belong together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gitgoodbench.details import CommitDetail, HistoriesDetail, LineGroup, PairDetail
from gitgoodbench.git.commits import read_commits
from gitgoodbench.git.objects import EXECUTABLE, SUBMODULE, Entry
from gitgoodbench.scoring.history_details import Correspondence, ReadHistory, histories_detail, patch_of
from gitgoodbench.scoring.history_lines import ChangedFile, LineReader
from gitgoodbench.scoring.history_scores import history_scores
from gitgoodbench.scoring.similarity_history import CommitPair
from tests.support.repositories import Content, RepositoryBuilder

Files = Mapping[bytes, Content]


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r.git")


def changes(builder: RepositoryBuilder, before: Files, after: Files) -> tuple[ChangedFile, ...]:
    base = builder.commit(before)
    return LineReader(builder.git).read(base, [builder.commit(after, [base])]).commits[0]


def patch(builder: RepositoryBuilder, before: Files, after: Files) -> bytes:
    made, is_whole = patch_of(changes(builder, before, after))
    assert is_whole
    return made


def numbered(**changed: bytes) -> bytes:
    return b"".join(changed.get(f"l{number}", b"%d\n" % number) for number in range(1, 31))


def test_changed_lines_have_three_kept_ones_around_them(builder: RepositoryBuilder) -> None:
    assert patch(builder, {b"a": numbered()}, {b"a": numbered(l5=b"x\n", l12=b"", l20=b"y\nz\n")}) == (
        b"--- a/a\n+++ b/a\n"
        b"@@ -2 +2 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n 9\n 10\n 11\n-12\n 13\n 14\n 15\n"
        b"@@ -17 +16 @@\n 17\n 18\n 19\n-20\n+y\n+z\n 21\n 22\n 23\n"
    )


def test_hunks_with_a_line_between_them_are_two(builder: RepositoryBuilder) -> None:
    assert patch(builder, {b"a": numbered()}, {b"a": numbered(l1=b"x\n", l9=b"", l30=b"y")}) == (
        b"--- a/a\n+++ b/a\n"
        b"@@ -1 +1 @@\n-1\n+x\n 2\n 3\n 4\n"
        b"@@ -6 +6 @@\n 6\n 7\n 8\n-9\n 10\n 11\n 12\n"
        b"@@ -27 +26 @@\n 27\n 28\n 29\n-30\n+y\n\\ No newline at end of file\n"
    )


def test_what_is_no_line_is_said_in_words(builder: RepositoryBuilder) -> None:
    before: Files = {b"gone": b"1\n", b"mode": b"k\n", b"sub": Entry(SUBMODULE, "1" * 40)}
    after: Files = {b"caf\xe9": b"2\n", b"mode": (EXECUTABLE, b"k\n"), b"sub": Entry(SUBMODULE, "2" * 40)}
    assert patch(builder, before, after) == (
        b'--- /dev/null\n+++ b/"caf\\351"\n@@ -1 +1 @@\n+2\n'
        b"--- a/gone\n+++ /dev/null\n@@ -1 +1 @@\n-1\n"
        b"--- a/mode\n+++ b/mode\nmode 100644, now 100755\n"
        b"--- a/sub\n+++ b/sub\nnot read line by line\n"
    )


def test_a_patch_ends_with_the_line_that_reaches_the_limit(builder: RepositoryBuilder) -> None:
    files = changes(builder, {b"a": b""}, {b"a": b"one\ntwo\n"})
    whole = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n+one\n+two\n"
    assert patch_of(files, len(whole)) == (whole, True)
    assert patch_of(files, len(whole) - 5) == (whole, True)
    assert patch_of(files, len(whole) - 6) == (whole[:-5], False)
    assert patch_of(files, 0) == (b"--- a/a\n", False)
    assert patch_of(changes(builder, {}, {b"a": b"x\n" * 200_000}))[1] is False


def test_both_histories_are_told_with_what_corresponds(builder: RepositoryBuilder) -> None:
    """The agent makes the second change first, and the first one in two steps, of which either has five of its ten
    nodes and lacks one leaf of the others.
    """
    base = builder.commit({b"a.py": b"", b"b.py": b"b = 1\n"})
    versions: list[list[Files]] = [
        [{b"a.py": b"", b"b.py": b"b = 2\n"}, {b"a.py": b"x = 1\n", b"b.py": b"b = 2\n"},
         {b"a.py": b"x = 1\ny = 1\n", b"b.py": b"b = 2\n"}],
        [{b"a.py": b"x = 1\ny = 1\n", b"b.py": b"b = 1\n"}, {b"a.py": b"x = 1\ny = 1\n", b"b.py": b"b = 2\n"}],
    ]  # fmt: skip
    ids: list[list[str]] = []
    for side in versions:
        commits: list[str] = []
        for number, files in enumerate(side, start=1):
            commits.append(builder.commit(files, commits[-1:] or [base], b"Step \x1b %d\n" % number))
        ids.append(commits)
    found = history_scores(builder.git, base, *ids, commits_made=7).details

    def told(commit: str, number: int, file: str, lines: str, same: int | None) -> CommitDetail:
        return CommitDetail(
            id=commit, message=f"Step \\x1b {number}\n", files=(file,), same_as=same,
            added=lines.count("+"), removed=lines.count("-"),
            patch=f"--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n{lines}",
        )  # fmt: skip

    assert found == HistoriesDetail(
        agent=(
            told(ids[0][0], 1, "b.py", "-b = 1\n+b = 2\n", 2),
            told(ids[0][1], 2, "a.py", "+x = 1\n", None),
            told(ids[0][2], 3, "a.py", " x = 1\n+y = 1\n", None),
        ),
        truth=(
            told(ids[1][0], 1, "a.py", "+x = 1\n+y = 1\n", None),
            told(ids[1][1], 2, "b.py", "-b = 1\n+b = 2\n", 1),
        ),
        agent_commits=7,
        truth_commits=2,
        pairs=found.pairs,
        groups=(
            LineGroup(agent=1, truth=2, lines=2), LineGroup(agent=2, truth=1, lines=1),
            LineGroup(agent=3, truth=1, lines=1),
        ),
    )  # fmt: skip
    assert found.pairs is not None
    other = next(pair.agent for pair in found.pairs if pair.truth == 1)
    assert other in (2, 3)
    assert found.pairs == (
        PairDetail(agent=1, truth=2, similarity=1.0, at_least=1.0),
        PairDetail(agent=other, truth=1, similarity=1 - 1 / 15, at_least=1 - 1 / 15),
    )


def test_what_was_not_read_is_not_told(builder: RepositoryBuilder) -> None:
    commit = builder.commit({b"a": b"1\n"}, message=b"Say it\n")
    unread = ReadHistory(read_commits(builder.git, [commit]), None, 3)
    assert histories_detail(unread, ReadHistory((), None, 0), Correspondence()) == HistoriesDetail(
        agent=(CommitDetail(id=commit, message="Say it\n"),), agent_commits=3, truth_commits=0
    )


def test_a_lower_bound_is_never_above_the_similarity() -> None:
    empty = ReadHistory((), None, 0)
    pairs = [CommitPair(0, 1, 0.5, 0.25), CommitPair(1, 0, 0.5, 0.75)]
    assert histories_detail(empty, empty, Correspondence(pairs=pairs, groups={})).model_dump() == {
        "agent": (), "truth": (), "agent_commits": 0, "truth_commits": 0, "groups": (),
        "pairs": ({"agent": 1, "truth": 2, "similarity": 0.5, "at_least": 0.25},
                  {"agent": 2, "truth": 1, "similarity": 0.5, "at_least": 0.5}),
    }  # fmt: skip
