"""Changes that are no edit of lines: each is offered once, described, and committed exactly."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.errors import ToolError
from gitgoodbench.git.objects import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, Entry
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import EpisodeOptions, ToolSet
from tests.support.chains import Files, begin, call, commit, committed, icc_options, make_chain, play

ALL = icc_options(hunks="all")
A = b"print(1)\n"
LONG = b"".join(b"line %d\n" % number for number in range(12))
BINARY = b"\x89PNG\0\xff"


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        pytest.param(
            {b"f": b"x\n"},
            {b"f": (EXECUTABLE, b"x\n")},
            ["in f: the mode changes from 100644 to 100755"],
            id="mode",
        ),
        pytest.param(
            {b"f": b"x\n"},
            {b"f": (EXECUTABLE, b"y\n")},
            ["in f: the mode changes from 100644 to 100755", "in f:\n@@ -1 +1 @@\n-x\n+y"],
            id="mode and lines",
        ),
        pytest.param({}, {b"f": b"x\ny"}, ["in f:\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file"], id="new"),
        pytest.param({b"f": b"x\n"}, {}, ["in f:\n@@ -1 +0,0 @@\n-x"], id="deleted"),
        pytest.param({}, {b"f": b""}, ["in f: it is new: a file of 0 bytes"], id="new empty"),
        pytest.param(
            {b"f": b""},
            {},
            ["in f: it is deleted; it was a file of 0 bytes"],
            id="empty gone",
        ),
        pytest.param({b"f": b""}, {b"f": b"x\n"}, ["in f:\n@@ -0,0 +1 @@\n+x"], id="empty filled"),
        pytest.param(
            {b"f": LONG}, {b"g h\n": LONG}, ['in "g h\\n": the file is renamed from f to "g h\\n"'], id="renamed"
        ),
        pytest.param(
            {b"f": LONG},
            {b"g": (EXECUTABLE, LONG + b"more\n")},
            [
                "in g: the file is renamed from f to g",
                "in g: the mode changes from 100644 to 100755",
                "in g:\n@@ -10,3 +10,4 @@ line 8\n line 9\n line 10\n line 11\n+more",
            ],
            id="renamed, mode and lines",
        ),
        pytest.param(
            {b"f": BINARY},
            {b"f": BINARY + b"x"},
            ["in f: it changes as a whole, from a file of 6 bytes to a file of 7 bytes"],
            id="binary",
        ),
        pytest.param(
            {b"f": b"x\n"},
            {b"f": (SYMLINK, b"x\n")},
            ['in f: it changes as a whole, from a file of 2 bytes to a symbolic link to "x\\n"'],
            id="file to link",
        ),
        pytest.param(
            {b"f": Entry(SUBMODULE, "1" * 40)},
            {b"f": Entry(SUBMODULE, "2" * 40)},
            [f"in f: it changes as a whole, from a submodule at {'1' * 40} to a submodule at {'2' * 40}"],
            id="submodule",
        ),
        pytest.param({b"f": b"\xe4\r\n"}, {b"f": b"\xf6\r\n"}, ["in f:\n@@ -1 +1 @@\n-ä\r\n+ö\r"], id="latin-1"),
        pytest.param(
            {b"f": b"a\0b\n"}, {b"f": b"a\0c\n"}, ["in f:\n@@ -1 +1 @@\n-a\\x00b\n+a\\x00c"], id="NUL in text"
        ),
    ],
)
def test_a_kind_of_change(
    tmp_path: Path, local_provider: SandboxProvider, before: Files, after: Files, shown: list[str]
) -> None:
    case = make_chain(tmp_path / "r.git", [{b"a.py": A, **before}, {b"a.py": A, **after}], file="f")
    with begin(case, local_provider, ALL) as (episode, _):
        count = len(shown)
        told = episode.prompt[1]["content"].split("\n\nHunk ")[1:]
        told[-1] = told[-1].removesuffix("\n\nCommit all of it, step by step.")
        assert told == [f"{number} (of {count}) {text}" for number, text in enumerate(shown, 1)]
    for agent in ("one-commit", "per-hunk", "by-definition", "tool-oracle", "oracle"):
        verdict, trajectory, episode, commits = play(case, local_provider, agent, ALL)
        assert trajectory.error is None
        assert all(verdict.gates.values()), (agent, verdict.gates)
        assert len(commits) == (count if agent == "per-hunk" else 1)
        assert episode.facts["attainable"]
        assert episode.facts["splittable"] == (count > 1)


def test_mode_and_lines_of_a_renamed_file_in_any_order(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_chain(tmp_path / "r.git", [{b"f": LONG}, {b"g": (EXECUTABLE, b"0\n" + LONG)}])
    with begin(case, local_provider, ALL) as (episode, _):
        for number in (3, 2, 1):
            commit(episode, number)
        assert committed(case, episode.outcome()) == [
            {b"f": (REGULAR, b"0\n" + LONG)},
            {b"f": (EXECUTABLE, b"0\n" + LONG)},
            {b"g": (EXECUTABLE, b"0\n" + LONG)},
        ]


def test_a_new_file_comes_and_a_deleted_one_goes_piece_by_piece(
    tmp_path: Path, local_provider: SandboxProvider
) -> None:
    case = make_chain(tmp_path / "r.git", [{b"gone": b"1\n2\n"}, {b"new": (EXECUTABLE, b"a\nb\n")}])
    with begin(case, local_provider, icc_options(ToolSet.EXTENDED, hunks="all")) as (episode, _):
        call(episode, "split_hunk", hunk=2, after_lines=[1])
        call(episode, "split_hunk", hunk=1, after_lines=[1])
        for number in (4, 1, 2, 1):
            commit(episode, number)
        assert committed(case, episode.outcome()) == [
            {b"gone": (REGULAR, b"1\n2\n"), b"new": (EXECUTABLE, b"b\n")},
            {b"gone": (REGULAR, b"2\n"), b"new": (EXECUTABLE, b"b\n")},
            {b"gone": (REGULAR, b"2\n"), b"new": (EXECUTABLE, b"a\nb\n")},
            {b"new": (EXECUTABLE, b"a\nb\n")},
        ]


@pytest.mark.parametrize("order", [(1, 1, 1, 1), (4, 3, 2, 1), (2, 1, 2, 1), (3, 1, 2, 1)])
def test_a_file_where_a_folder_was_and_the_other_way_round(
    tmp_path: Path, local_provider: SandboxProvider, order: tuple[int, ...]
) -> None:
    final = {b"f": b"once a folder\n", b"d/y": b"once a file\n"}
    case = make_chain(tmp_path / "r.git", [{b"f/x": b"1\n", b"d": b"2\n"}, final])
    with begin(case, local_provider, ALL) as (episode, _):
        for number in order:
            commit(episode, number)
        outcome = episode.outcome()
        assert outcome.state["uncommitted"] == []
        assert committed(case, outcome)[-1] == {path: (REGULAR, content) for path, content in final.items()}


def test_what_has_no_lines_cannot_be_split(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_chain(tmp_path / "r.git", [{b"a.py": A}, {b"a.py": (EXECUTABLE, A)}])
    with (
        begin(case, local_provider, EpisodeOptions(ToolSet.EXTENDED)) as (episode, _),
        pytest.raises(ToolError, match="hunk 1 has no lines, so it cannot be split"),
    ):
        call(episode, "split_hunk", hunk=1, after_lines=[1])


def test_a_mode_change_of_the_chains_file_is_one_of_its_hunks(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_chain(tmp_path / "r.git", [{b"a.py": A}, {b"a.py": b"2\n"}, {b"a.py": (EXECUTABLE, b"2\n")}])
    with begin(case, local_provider) as (episode, _):
        assert episode.facts == {
            "hunks_offered": "chain-file", "hunks": 2, "splittable": True, "hunks_pure": True, "attainable": True,
            "commits": 2, "commits_visible": 2, "files_changed": 1,
        }  # fmt: skip
    _, _, _, commits = play(case, local_provider, "tool-oracle")
    assert commits == [{b"a.py": (REGULAR, b"2\n")}, {b"a.py": (EXECUTABLE, b"2\n")}]


def test_the_chains_file_may_be_new_or_go(tmp_path: Path, local_provider: SandboxProvider) -> None:
    """Rows should not be so; some are."""
    without, with_it = {b"b": b""}, {b"a.py": A, b"b": b""}
    for number, versions in enumerate(([without, with_it], [with_it, without])):
        case = make_chain(tmp_path / f"{number}.git", versions)
        verdict, _, _, _ = play(case, local_provider, "per-hunk")
        assert all(verdict.gates.values())
