"""Patches become pieces of files, and pieces can be applied and undone."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.feedback.records import Part
from gitgoodbench.feedback.sources.patches import FilePatch, apply, begin_patch, hunks_of, parts_of, undo

LINES = st.lists(
    st.sampled_from([b"a\n", b"b\n", b"\n", b"c\r\n", b"--- x\n", b"@@ -1 +1 @@\n", b"\x0c\xff\n"]), max_size=12
)
TEXT = st.builds(lambda lines, rest: b"".join(lines) + rest, LINES, st.sampled_from([b"", b"end"]))


def unified(before: bytes, after: bytes, context: int = 3) -> bytes:
    """As `diff -u` writes it."""
    old, new = ([line + "\n" for line in text.decode("latin-1").split("\n")] for text in (before, after))
    for lines in (old, new):
        lines[-1] = lines[-1][:-1]
        if not lines[-1]:
            lines.pop()
    out = []
    for line in difflib.unified_diff(old, new, "a", "b", n=context):
        out.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(out).encode("latin-1")


@given(TEXT, TEXT, st.integers(0, 3))
def test_a_patch_applied_gives_the_file_and_undone_the_one_before(before: bytes, after: bytes, context: int) -> None:
    hunks = hunks_of(unified(before, after, context))
    assert apply(before, hunks) == after
    assert undo(after, hunks) == before


@given(st.binary(max_size=400), st.binary(max_size=100))
def test_no_bytes_break_the_reader(patch: bytes, content: bytes) -> None:
    hunks = hunks_of(b"@@ -1,2 +1,2 @@\n" + patch)
    parts_of(hunks)
    apply(content, hunks)
    list(begin_patch("*** Begin Patch\n" + patch.decode("latin-1")))


def test_pieces_have_context_and_line() -> None:
    patch = b"Index: a.py\n====\n--- a.py\n+++ a.py\n@@ -4,2 +5,2 @@ def f():\n x\n-y\n+z\n@@ -9 +10,0 @@\n-w\n"
    assert parts_of(hunks_of(patch)) == (Part(b"x\ny\n", b"x\nz\n", 5), Part(b"w\n", b"", 10))


def test_hunks_that_do_not_fit() -> None:
    hunks = hunks_of(b"@@ -1 +1 @@\n-x\n+y\n")
    assert apply(b"z\n", hunks) is None
    assert undo(b"z\n", hunks) is None


PATCH = """\
noise
*** Begin Patch
*** Add File: new.py
+one
+
*** Update File: old dir/old.py
*** Move to: moved.py
@@ def f():
 keep
-gone
+come

@@
-x
+y
*** End of File
*** Delete File: dead.py
*** End Patch
more noise
"""


def test_files_of_a_begin_patch() -> None:
    assert list(begin_patch(PATCH)) == [
        FilePatch("new.py", "add", (Part(None, b"one\n\n", 1),)),
        FilePatch(
            "old dir/old.py", "update", (Part(b"keep\ngone\n\n", b"keep\ncome\n\n"), Part(b"x\n", b"y\n")), "moved.py"
        ),
        FilePatch("dead.py", "delete", ()),
    ]


@pytest.mark.parametrize("text", ["", "*** Begin Patch", "*** Add File: a\n+x", "*** Begin Patch\n*** Add File: \n+x"])
def test_what_is_no_begin_patch(text: str) -> None:
    assert list(begin_patch(text)) == []


def test_a_begin_patch_that_was_cut_gives_what_it_has() -> None:
    assert list(begin_patch("*** Begin Patch\n*** Add File: a\n+x")) == [
        FilePatch("a", "add", (Part(None, b"x\n", 1),))
    ]
