"""Rewards of edits, counted by hand.

`x = 1` is expression_statement(assignment(identifier x, =, integer 1)): 5 nodes.
"""

from __future__ import annotations

import pytest

from gitgoodbench.feedback.changes import FileChange
from gitgoodbench.feedback.records import Part
from gitgoodbench.ted import Snippet, compute_reward
from tests.feedback.support_scoring import change, changed, edit, only, score, write

FUNCTION = b"def area(w, h):\n    if w < 0:\n        raise ValueError(w)\n    total = w * h\n    return total\n"
CHANGED = FUNCTION.replace(b"w * h", b"w * h * 2")


def test_a_changed_leaf_costs_one_node_and_is_not_kept() -> None:
    """Of 5 nodes the integer has another label."""
    result = only(score(change(changed(None, b"x = 2\n")), write("1", None, b"x = 1\n")))
    assert (result.state, result.reward, result.kept, result.normalised) == ("scored", 0.8, 0.8, 0.8)
    assert (result.size, result.measure, result.path, result.language) == (5, "tree", "a.py", "python")
    (piece,) = result.pieces
    assert (piece.snippet, piece.matched, piece.path, piece.line) == (b"x = 1\n", b"x = 2", "a.py", 1)
    assert (piece.size, piece.distance, piece.measure) == (5, 1, "tree")


def test_what_is_inserted_costs_but_takes_nothing_away_from_what_is_kept() -> None:
    """f(a) is call(f, argument_list((, a, ))) in a statement: 7 nodes. f(a, b) has a comma and b more."""
    result = only(score(change(changed(None, b"f(a, b)\n")), write("1", None, b"f(a)\n")))
    assert (result.reward, result.kept, result.size) == (1 - 2 / 7, 1.0, 7)


def test_context_of_an_edit_is_not_its_work() -> None:
    """Committed as it is: its added line alone is 1.0; with the four lines around it the engine gives much less."""
    before, after = FUNCTION[:-1], CHANGED[:-1]
    committed = change(changed(FUNCTION, CHANGED))
    for one in (edit("1", Part(before, after, 1)), edit("1", Part(before, after)), write("1", FUNCTION, CHANGED)):
        result = only(score(committed, one))
        assert (result.state, result.reward, result.kept, result.size) == ("scored", 1.0, 1.0, 11)
        assert [piece.snippet for piece in result.pieces] == [b"    total = w * h * 2\n"]
        assert [piece.matched for piece in result.pieces] == [b"    total = w * h * 2"]
        assert [piece.line for piece in result.pieces] == [4]
    hunk = Snippet(CHANGED, "python", committed.files[0].added)
    as_a_whole = compute_reward([Snippet(after, "python")], [hunk]).value
    assert as_a_whole is not None
    assert as_a_whole < 0.3


def test_a_write_that_found_all_but_one_line_there_adds_one_line() -> None:
    """total = w * h * 2: statement, assignment, name, sign, and two operators with their three and two leaves: 11."""
    result = only(score(change(changed(FUNCTION, CHANGED)), write("1", FUNCTION, CHANGED)))
    assert (result.reward, result.size) == (1.0, 11)
    unknown = only(score(change(changed(FUNCTION, CHANGED)), write("1", None, CHANGED)))
    assert (unknown.reward, unknown.size) == (1.0, 11), "the log does not say what was there, the commit does"


def test_an_edit_that_the_conversation_overwrote_is_superseded() -> None:
    first = b"def area(w, h):\n    return w + h\n"
    last = b"def area(w, h):\n    return w * h\n"
    result = score(
        change(changed(None, last)),
        write("1", None, first),
        edit("2", Part(b"    return w + h\n", b"    return w * h\n"), time=901.0),
    )
    wrote, edited = result.edits
    assert (wrote.state, wrote.reward) == ("superseded", None)
    assert wrote.reason == "1 of 2 lines overwritten by its own conversation"
    assert (edited.state, edited.reward) == ("scored", 1.0)
    (net,) = result.conversations
    assert (net.reward, net.kept, net.normalised, net.edits) == (1.0, 1.0, 1.0, 2)
    whole = compute_reward([Snippet(first, "python")], [Snippet(last, "python")]).value
    assert whole is not None
    assert whole < 1


def test_an_edit_of_which_most_is_left_counts_for_what_is_left() -> None:
    first = b"a = 1\nb = 2\nc = 3\n"
    result = score(
        change(changed(None, b"a = 1\nb = 2\nc = 4\n")),
        write("1", None, first),
        edit("2", Part(b"c = 3", b"c = 4"), time=901.0),
    )
    wrote, edited = result.edits
    assert (wrote.state, wrote.reward, wrote.size) == ("scored", 1.0, 10)
    assert wrote.reason == "without 1 of 3 lines that its own conversation overwrote"
    assert (edited.reward, edited.size) == (1.0, 5)
    assert result.conversations[0].size == 15


def test_what_a_person_overwrites_counts() -> None:
    """Between the two edits the person changed b: that is a change of the assistant's line."""
    result = score(
        change(changed(None, b"a = 1\nb = 9\nc = 4\n")),
        write("1", None, b"a = 1\nb = 2\n"),
        write("2", b"a = 1\nb = 9\n", b"a = 1\nb = 9\nc = 4\n", time=901.0),
    )
    wrote, edited = result.edits
    assert (wrote.state, wrote.reward, wrote.size) == ("scored", 0.9, 10)
    assert (edited.reward, edited.size) == (1.0, 5)
    (net,) = result.conversations
    assert (net.reward, net.size) == (1 - 1 / 15, 15)


@pytest.mark.parametrize(
    ("path", "edited", "committed"),
    [
        ("a.py", b"x = f('a', u'b')\n", b'x = f("a", u"b")\n'),
        ("a.ts", b"let x = f('a', 'b')\n", b'let x = f("a", "b")\n'),
        ("a.py", b"#  one   two\nx = 1\n", b"# one two\nx = 1\n"),
        ("a.py", b'def f():\n  """One\n\n  two."""\n', b'def f():\n    """One\n\n    two."""\n'),
    ],
)
def test_a_formatters_quotes_and_blanks_are_no_difference_to_the_normalised_score(
    path: str, edited: bytes, committed: bytes
) -> None:
    result = only(
        score(change(changed(None, committed, path.encode())), write("1", None, edited, path=f"/repo/{path}"))
    )
    assert result.reward is not None
    assert result.reward < 1
    assert result.normalised == 1.0


@pytest.mark.parametrize(("path", "edited", "committed"), [("a.kt", b"val x = 'a'\n", b'val x = "a"\n')])
def test_quotes_that_mean_something_are_a_difference(path: str, edited: bytes, committed: bytes) -> None:
    result = only(
        score(change(changed(None, committed, path.encode())), write("1", None, edited, path=f"/repo/{path}"))
    )
    assert result.normalised == result.reward
    assert result.reward is not None
    assert result.reward < 1


def test_work_without_lines_is_indirect_and_never_zero() -> None:
    removed = edit("1", Part(b"a = 1\nb = 2\n", b"a = 1\n"))
    plan = edit("2", kind="indirect", outcome="applied")
    denied = edit("3", Part(None, b"x = 1\n"), outcome="denied")
    blank = edit("4", Part(b"a = 1\n", b"a = 1\n\n\n"))
    result = score(change(changed(b"a = 1\nb = 2\n", b"a = 1\n")), removed, plan, denied, blank)
    states = {one.key.edit: (one.state, one.reward, one.reason) for one in result.edits}
    assert states == {
        "1": ("indirect", None, "adds no lines"),
        "2": ("indirect", None, "Edit"),
        "3": ("not_applied", None, "denied"),
        "4": ("indirect", None, "adds no lines"),
    }
    assert result.conversations == ()


def test_of_equal_hunks_the_one_in_the_edits_own_file_is_the_match() -> None:
    files = change(changed(None, b"x = 1\n", b"a.py"), changed(None, b"x = 1\n", b"b.py"))
    result = only(score(files, write("1", None, b"x = 1\n", path="/repo/b.py")))
    assert (result.reward, result.pieces[0].path) == (1.0, "b.py")


def test_code_that_moved_to_another_file_is_found_there() -> None:
    files = change(changed(None, b"import os\n", b"a.py"), changed(None, FUNCTION, b"b.py"))
    result = only(score(files, write("1", None, FUNCTION)))
    assert (result.reward, result.pieces[0].path) == (1.0, "b.py")


def test_nothing_of_its_language_in_the_commit_is_nothing_kept() -> None:
    files = change(changed(b"a = 1\nb = 2\n", b"a = 1\n"), changed(None, b"text\n", b"b.md"))
    result = only(score(files, write("1", b"a = 1\nb = 2\n", b"a = 1\nb = 2\nx = 3\n")))
    assert (result.state, result.reward, result.kept, result.size) == ("scored", 0.0, 0.0, 5)
    assert result.reason == "the commit adds nothing of its language"


def test_work_on_a_file_that_is_not_read_has_no_reward() -> None:
    """Nothing is known of it, so it is neither kept nor thrown away."""
    files = change(FileChange(b"a.py", None, None, None, skipped="too large"), changed(None, b"y = 1\n", b"b.py"))
    result = only(score(files, write("1", None, b"x = 1\n")))
    assert (result.state, result.reward, result.reason) == ("indirect", None, "its file is not compared: too large")


def test_a_file_without_a_grammar_is_compared_by_lines() -> None:
    files = change(changed(None, b"one\ntwo\n3\n", b"Makefile"))
    result = only(score(files, write("1", None, b"one\ntwo\nthree\nfour\n", path="/repo/Makefile")))
    assert (result.measure, result.size, result.reward, result.kept) == ("lines", 4, 0.5, 0.5)
    assert (result.pieces[0].matched, result.pieces[0].line) == (b"one\ntwo\n", 1)


def test_lines_inside_a_string_are_compared_as_lines() -> None:
    before, after = (b'"""One.\n\n%s\nThree.\n"""\n' % line for line in (b"Two", b"Second"))
    result = only(score(change(changed(before, after)), write("1", before, after)))
    assert (result.measure, result.size, result.reward) == ("lines", 1, 1.0)


def test_a_piece_of_an_answer_is_parsed_by_itself() -> None:
    piece = b"    def area(self):\n        return self.w\n"
    committed = b"class A:\n    def area(self):\n        return self.w\n"
    one = edit("1", Part(None, piece), path=None, language="python", kind="answer", outcome="unknown")
    result = only(score(change(changed(None, committed)), one))
    assert (result.state, result.reward, result.pieces[0].line) == ("scored", 1.0, 2)


def test_an_answer_that_repeats_the_file_adds_what_it_changes() -> None:
    one = edit("1", Part(None, CHANGED), path="/repo/a.py", kind="answer", outcome="unknown")
    result = only(score(change(changed(FUNCTION, CHANGED)), one))
    assert (result.reward, [piece.snippet for piece in result.pieces]) == (1.0, [b"    total = w * h * 2\n"])


def test_skew_is_what_a_sure_edit_is_later_than_the_commits_own_second() -> None:
    inside = write("1", None, b"x = 1\n", time=1000.7)
    later = write("2", None, b"x = 1\n", path="/repo/b.py", time=1005.0)
    files = change(changed(None, b"x = 1\n"), changed(None, b"x = 1\n", b"b.py"))
    assert score(files, inside).skew is None
    assert score(files, inside, later).skew == 4.0
