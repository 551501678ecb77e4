"""Hunks, byte for byte: read from Git's diff, applied without one another, in any order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitgoodbench.git.conflict_text import split_lines
from gitgoodbench.git.hunks import (
    DiffError,
    Hunk,
    HunkView,
    Line,
    Mark,
    TextChange,
    change_between,
    change_from,
    parse_diff,
)
from gitgoodbench.git.objects import write_blob
from gitgoodbench.git.process import Git
from tests.support.repositories import RepositoryBuilder

LINES = b"".join(b"line %d\n" % number for number in range(20))


@pytest.fixture(scope="session")
def git(tmp_path_factory: pytest.TempPathFactory) -> Git:
    return RepositoryBuilder(tmp_path_factory.mktemp("hunks") / "r.git").git


def change(git: Git, old: bytes, new: bytes, *, paired: bool = False) -> TextChange:
    return change_between(git, (write_blob(git, old), old), (write_blob(git, new), new), paired=paired)


def edited(*edits: tuple[int, bytes]) -> bytes:
    """`LINES` with some lines replaced."""
    lines = split_lines(LINES)
    for number, content in edits:
        lines[number] = content
    return b"".join(lines)


def shown(change: TextChange, hunk: Hunk, *applied: Hunk) -> bytes:
    """The hunk as a diff has it."""
    view = change.view(hunk, applied)
    rows = [view.header]
    for line in view.lines:
        rows.append(line.mark.value + line.content.removesuffix(b"\n"))
        if not line.content.endswith(b"\n"):
            rows.append(b"\\ No newline at end of file")
    return b"".join(row + b"\n" for row in rows)


@pytest.mark.parametrize(
    ("old", "new", "hunk"),
    [
        pytest.param(b"a", b"b\n", b"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", id="no newline before"),
        pytest.param(b"a\n", b"b", b"@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", id="no newline after"),
        pytest.param(
            b"a",
            b"b",
            b"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
            id="no newline on either side",
        ),
        pytest.param(
            b"a\nz", b"b\nz", b"@@ -1,2 +1,2 @@\n-a\n+b\n z\n\\ No newline at end of file\n", id="no newline in context"
        ),
        pytest.param(b"a\n", b"a", b"@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", id="only the newline goes"),
        pytest.param(b"a\n", b"a\nb\n", b"@@ -1 +1,2 @@\n a\n+b\n", id="omitted counts"),
        pytest.param(b"", b"a\nb\n", b"@@ -0,0 +1,2 @@\n+a\n+b\n", id="from nothing"),
        pytest.param(b"a\n", b"", b"@@ -1 +0,0 @@\n-a\n", id="to nothing"),
        pytest.param(b"\n\nx\n", b"\n\ny\n", b"@@ -1,3 +1,3 @@\n \n \n-x\n+y\n", id="blank context"),
        pytest.param(b"\t x \t\n", b"\t x\n", b"@@ -1 +1 @@\n-\t x \t\n+\t x\n", id="trailing whitespace"),
        pytest.param(b"x\r\ny\r\n", b"x\r\nz\n", b"@@ -1,2 +1,2 @@\n x\r\n-y\r\n+z\n", id="CRLF on one side"),
        pytest.param(b"a\rb\x0cc\n", b"a\rb\x0cd\n", b"@@ -1 +1 @@\n-a\rb\x0cc\n+a\rb\x0cd\n", id="CR and FF inside"),
        pytest.param(
            "a\u2028b\x85\x1c\n".encode(),
            "a\u2028c\n".encode(),
            "@@ -1 +1 @@\n-a\u2028b\x85\x1c\n+a\u2028c\n".encode(),
            id="Unicode line ends",
        ),
        pytest.param(b"a\0b\n", b"a\0c\n", b"@@ -1 +1 @@\n-a\0b\n+a\0c\n", id="NUL"),
        pytest.param(b"\xe4\n", b"\xff\n", b"@@ -1 +1 @@\n-\xe4\n+\xff\n", id="no UTF-8"),
        pytest.param(
            b"@@ -1 +1 @@\n\\ x\n--- a\n",
            b"@@ -1 +1 @@\n\\ x\n+++ b\n",
            b"@@ -1,3 +1,3 @@\n @@ -1 +1 @@\n \\ x\n---- a\n++++ b\n",
            id="content that looks like a diff",
        ),
    ],
)
def test_a_hunk_is_shown_and_applied_exactly(git: Git, old: bytes, new: bytes, hunk: bytes) -> None:
    text = change(git, old, new)
    assert [shown(text, only) for only in text.hunks] == [hunk]
    assert text.content([]) == old
    assert text.content(text.hunks) == new


def test_no_change_has_no_hunks(git: Git) -> None:
    assert change(git, LINES, LINES).hunks == ()
    assert change(git, b"", b"").content([]) == b""


def test_hunk_2_before_hunk_1(git: Git) -> None:
    new = edited((1, b"one\nmore\n"), (18, b"eighteen\n"))
    text = change(git, LINES, new)
    first, second = text.hunks
    assert text.content([second]) == edited((18, b"eighteen\n"))
    assert text.content([second, first]) == new
    assert shown(text, first, second).startswith(b"@@ -1,5 +1,6 @@\n line 0\n-line 1\n+one\n+more\n line 2\n")


def test_line_numbers_follow_what_is_committed(git: Git) -> None:
    text = change(git, LINES, edited((1, b"one\nmore\n"), (18, b"eighteen\n")))
    first, second = text.hunks
    assert text.view(second, []).header == b"@@ -16,5 +17,5 @@ line 14"
    assert text.view(second, [first]).header == b"@@ -17,5 +17,5 @@ line 14"


def test_the_same_text_twice_in_a_file(git: Git) -> None:
    block = b"x = 1\ny = 2\n" + b"pass\n" * 8
    old = block * 3
    new = block + block.replace(b"x = 1", b"x = 3") + block.replace(b"x = 1", b"x = 3")
    text = change(git, old, new)
    second, third = text.hunks
    assert text.content([third]) == block * 2 + block.replace(b"x = 1", b"x = 3")
    assert text.content([second]) == block + block.replace(b"x = 1", b"x = 3") + block


def test_hunks_side_by_side(git: Git) -> None:
    text = change(git, b"a\nb\nc\n", b"A\nB\nc\n")
    removed_a, removed_b, added_a, added_b = text.split(text.hunks[0], [1, 2, 3])
    assert shown(text, added_a) == b"@@ -1,3 +1,4 @@\n a\n b\n+A\n c\n"
    assert text.content([removed_b, added_b]) == b"a\nB\nc\n"
    assert shown(text, removed_a, removed_b, added_b) == b"@@ -1,3 +1,2 @@\n-a\n B\n c\n"
    assert text.content([removed_b, added_b, removed_a, added_a]) == b"A\nB\nc\n"


def test_a_removed_line_without_newline_does_not_run_into_a_line_below_it(git: Git) -> None:
    text = change(git, b"x\r\na", b"x\r\na\r\nb\r\n")
    *_, added = text.split(text.hunks[0], [1, 2])
    assert text.content([added]) == b"x\r\na\r\nb\r\n"
    assert text.content(text.hunks) == b"x\r\na\r\nb\r\n"


def test_a_hunk_shows_as_a_change_the_line_end_that_a_last_line_without_one_is_given(git: Git) -> None:
    text = change(git, b"b\r\n\n\n\na", b"b\r\n\n\n\na\n")
    removed, added = text.split(text.hunks[0], [1])
    assert text.content([added]) == b"b\r\n\n\n\na\r\na\n"
    assert shown(text, added) == (b"@@ -3,3 +3,4 @@ b\n \n \n-a\n\\ No newline at end of file\n+a\r\n+a\n")
    assert shown(text, removed, added) == b"@@ -2,5 +2,4 @@ b\n \n \n \n-a\r\n a\n"
    assert text.content([added, removed]) == b"b\r\n\n\n\na\n"


def test_half_a_line_end_is_completed(git: Git) -> None:
    text = change(git, b"x\r\na\r", b"x\r\na\r\nb\r\n")
    *_, added = text.split(text.hunks[0], [1, 2])
    assert text.content([added]) == b"x\r\na\r\nb\r\n"


def test_splitting_takes_changed_lines_only(git: Git) -> None:
    text = change(git, LINES, edited((1, b"one\n"), (4, b"four\nfive\n")))
    (hunk,) = text.hunks
    assert len(hunk.changed) == 5
    parts = text.split(hunk, [4, 2])
    assert [len(part.changed) for part in parts] == [2, 2, 1]
    assert text.content([parts[1]]) == edited((4, b"four\n"))
    for wrong in ([0], [5], [-1], [2, 99]):
        with pytest.raises(ValueError, match="not one of the changed lines 1 to 4"):
            text.split(hunk, wrong)


def test_edited_lines_can_be_told_one_by_one_when_paired(git: Git) -> None:
    old, new = b"first = 1\nsecond = 2\n", b"first = 10\nsecond = 20\n"
    text = change(git, old, new, paired=True)
    assert shown(text, text.hunks[0]) == b"@@ -1,2 +1,2 @@\n-first = 1\n+first = 10\n-second = 2\n+second = 20\n"
    first, second = text.split(text.hunks[0], [2])
    assert text.content([first]) == b"first = 10\nsecond = 2\n"
    assert text.content([second]) == b"first = 1\nsecond = 20\n"


def test_a_hunk_is_what_git_shows_whatever_the_configuration(tmp_path: Path) -> None:
    git = RepositoryBuilder(tmp_path / "r.git").git
    old, new = LINES.replace(b"line 3\n", b"\n"), edited((1, b"one\n"), (3, b"\n"), (12, b"twelve\n"))
    before = change(git, old, new)
    plain = [shown(before, hunk) for hunk in before.hunks]
    for key, value in {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.external": "false",
        "color.ui": "always",
        "color.diff": "always",
        "diff.colorMoved": "zebra",
        "diff.suppressBlankEmpty": "true",
        "diff.algorithm": "patience",
        "diff.context": "0",
        "diff.interHunkContext": "50",
        "diff.indentHeuristic": "false",
        "diff.wsErrorHighlight": "all",
        "diff.x.command": "false",
        "diff.x.textconv": "false",
        "diff.x.binary": "true",
    }.items():
        git.run("config", key, value)
    (tmp_path / "r.git" / "info").mkdir()
    (tmp_path / "r.git" / "info" / "attributes").write_text("* diff=x\n")
    text = change(git, old, new)
    assert [shown(text, hunk) for hunk in text.hunks] == plain
    assert len(plain) == 2


def test_suppressed_blanks_in_a_diff_are_context() -> None:
    (hunk,) = parse_diff(b"@@ -1,2 +1,2 @@\n\n-a\n+b\n")
    assert hunk.lines == (Line(Mark.KEPT, b"\n"), Line(Mark.REMOVED, b"a\n"), Line(Mark.ADDED, b"b\n"))


@pytest.mark.parametrize(
    ("diff", "reason"),
    [
        (b"@@ -1,2 +1,2 @@\n a\n", "ends within"),
        (b"@@ -1 +1 @@\n-a\n*b\n", "within a hunk"),
        (b"@@ -1 +1 @@\n-a\n+b\n+c\n", "behind a hunk"),
        (b"@@ -1 +1 @@\n-a\n-b\n+c\n", "do not fit its lines"),
        (b"@@ -1 +1 @@\n\\ No newline at end of file\n", "within a hunk"),
    ],
)
def test_a_malformed_diff_is_refused(diff: bytes, reason: str) -> None:
    with pytest.raises(DiffError, match=reason):
        parse_diff(diff)


def test_a_diff_that_leads_elsewhere_is_refused() -> None:
    hunks = parse_diff(b"@@ -2 +2 @@\n-b\n+c\n")
    with pytest.raises(DiffError, match="does not lead"):
        change_from(b"a\nx\n", b"a\nc\n", hunks)


NASTY = [
    b"", b"a", b"a", b" ", b"\t", b"b\r", b"c\x0cd", b"\xe2\x80\xa8", b"\0", b"\xff",
    b"\\ No newline", b"@@ -1 +1 @@", b"-", b"+x",
]  # fmt: skip
nasty_lines = st.sampled_from(NASTY)
segments = st.lists(
    st.one_of(
        st.lists(nasty_lines, min_size=5, max_size=12).map(lambda kept: (kept, kept)),
        st.tuples(st.lists(nasty_lines, max_size=3), st.lists(nasty_lines, max_size=3)),
    ),
    max_size=9,
)


@st.composite
def versions(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Two versions of a file of nasty lines, with or without a newline at the end."""
    parts = draw(segments)
    contents = []
    for side in (0, 1):
        lines = [line for part in parts for line in part[side]]
        content = b"".join(line + b"\n" for line in lines)
        contents.append(content[:-1] if content and draw(st.booleans()) else content)
    return contents[0], contents[1]


def by_headers(diff: bytes, old: bytes, new: bytes, chosen: set[int]) -> bytes:
    """The chosen hunks applied by the ranges of their `@@` lines alone, from the bottom up."""
    lines, target = split_lines(old), split_lines(new)
    headers = re.findall(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", diff, re.MULTILINE)
    for number in sorted(chosen, reverse=True):
        start, count, new_start, new_count = headers[number]
        size, new_size = int(count or 1), int(new_count or 1)
        at, new_at = int(start) - (size > 0), int(new_start) - (new_size > 0)
        lines[at : at + size] = target[new_at : new_at + new_size]
    return b"".join(lines)


def patched(content: bytes, view: HunkView) -> list[bytes]:
    """The lines that a hunk, as it is shown, makes of a file. What the file lacks at its end, a kept line may have."""
    lines = split_lines(content)
    at = view.old_start - (view.old_count > 0)
    old = [line for line in view.lines if line.mark is not Mark.ADDED]
    new = [line.content for line in view.lines if line.mark is not Mark.REMOVED]
    replaced = lines[at : at + view.old_count]
    for line, expected in zip(replaced, old, strict=True):
        assert line == expected.content if expected.mark is Mark.REMOVED else bare(line) == bare(expected.content)
    return [*lines[:at], *new, *lines[at + view.old_count :]]


def bare(line: bytes) -> bytes:
    return line.removesuffix(b"\n").removesuffix(b"\r")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pair=versions(), data=st.data())
def test_hunks_in_any_order_and_grouping_end_at_the_exact_file(
    git: Git, pair: tuple[bytes, bytes], data: st.DataObject
) -> None:
    old, new = pair
    text = change(git, old, new)
    diff = git.run("diff", "--text", write_blob(git, old), write_blob(git, new))
    assert b"".join(shown(text, hunk) for hunk in text.hunks) == diff[diff.find(b"\n@@") + 1 :] * bool(text.hunks)
    order = data.draw(st.permutations(range(len(text.hunks))))
    done: list[Hunk] = []
    for position, number in enumerate(order, 1):
        done.append(text.hunks[number])
        assert text.content(done) == by_headers(diff, old, new, set(order[:position]))
    assert text.content(done) == new


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pair=versions(), paired=st.booleans(), data=st.data())
def test_split_hunks_in_any_order_end_at_the_exact_file(
    git: Git, pair: tuple[bytes, bytes], paired: bool, data: st.DataObject
) -> None:
    old, new = pair
    text = change(git, old, new, paired=paired)
    parts: list[Hunk] = []
    for hunk in text.hunks:
        cuts = data.draw(st.sets(st.integers(1, len(hunk.changed) - 1))) if len(hunk.changed) > 1 else set()
        parts += text.split(hunk, cuts)
    order = data.draw(st.permutations(parts))
    for end, part in enumerate(order):
        after = text.content(order[: end + 1])
        assert patched(text.content(order[:end]), text.view(part, order[:end])) == split_lines(after)
    assert text.content(order) == new
