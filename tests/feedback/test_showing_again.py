"""An answer that shows what an edit of its conversation does counts once: as the edit."""

from __future__ import annotations

import pytest

from gitgoodbench.feedback.records import Edit, EditResult, Part, Session
from tests.feedback.support_scoring import SESSION, change, changed, edit, score, write

ADD = b"def add(first, second):\n    return first + second\n"
AREA = b"def area(width, height):\n    return width * height\n"
FILES = change(changed(None, ADD + b"\n\n" + AREA))


def answer(name: str, code: bytes, *, path: str | None = None, time: float = 910.0, session: str = "s") -> Edit:
    return edit(
        name, Part(None, code), path=path, kind="answer", outcome="unknown", time=time, session=session,
        language="python",
    )  # fmt: skip


def results(*edits: Edit, sessions: tuple[Session, ...] = (SESSION,)) -> dict[str, EditResult]:
    return {one.key.edit: one for one in score(FILES, *edits, sessions=sessions).edits}


@pytest.mark.parametrize("time", [890.0, 910.0], ids=["a plan", "a report"])
@pytest.mark.parametrize("path", [None, "/repo/a.py"])
def test_an_answer_that_shows_an_edit_is_superseded_by_it(path: str | None, time: float) -> None:
    found = results(write("edit", None, ADD), answer("shown", ADD, path=path, time=time))
    assert (found["edit"].state, found["edit"].reward) == ("scored", 1.0)
    assert (found["shown"].state, found["shown"].reward) == ("superseded", None)
    assert found["shown"].reason == "an edit or a later answer of its own conversation has its lines"


def test_the_file_that_several_edits_made_is_shown_by_them_together() -> None:
    both = ADD + b"\n\n" + AREA
    found = results(write("1", None, ADD), write("2", ADD, both, time=905.0), answer("shown", both))
    assert [one.state for one in found.values()] == ["scored", "scored", "superseded"]


def test_an_answer_that_goes_further_than_the_edits_counts() -> None:
    more = ADD + b"\n\n" + AREA + b"\n\ndef volume(width, height, depth):\n    return area(width, height) * depth\n"
    assert results(write("edit", None, ADD), answer("more", more))["more"].state == "scored"


def test_lines_that_are_everywhere_show_nothing() -> None:
    code = b"if (a)\n{\n}\nelse\n{\n}\n"
    found = results(edit("edit", Part(None, code + b"call_this(a);\n")), answer("other", code + b"call_that(b, c);\n"))
    assert found["other"].state != "superseded"


def test_an_answer_about_another_file_or_of_another_conversation_counts() -> None:
    other = Session("agent", "other", folder="/repo")
    found = results(
        write("edit", None, ADD),
        answer("elsewhere", ADD, path="/repo/b.py"),
        answer("stranger", ADD, session="other"),
        sessions=(SESSION, other),
    )
    assert (found["elsewhere"].state, found["stranger"].state) == ("scored", "scored")


def test_a_draft_that_a_later_answer_repeats_in_full_is_superseded_and_an_alternative_is_not() -> None:
    found = results(answer("draft", ADD), answer("full", ADD + b"\n\n" + AREA, time=920.0))
    assert (found["draft"].state, found["full"].state) == ("superseded", "scored")
    alternative = ADD.replace(b"first + second", b"sum((first, second))")
    found = results(answer("one", ADD), answer("two", alternative, time=920.0))
    assert (found["one"].state, found["two"].state) == ("scored", "scored")


def test_an_answer_after_a_refused_edit_counts() -> None:
    refused = edit("edit", Part(None, ADD), whole=True, outcome="denied")
    assert results(refused, answer("shown", ADD))["shown"].state == "scored"


def test_the_net_change_of_a_conversation_has_it_once() -> None:
    alone = score(FILES, write("edit", None, ADD)).conversations[0]
    shown = score(FILES, write("edit", None, ADD), answer("shown", ADD, path="/repo/a.py")).conversations[0]
    assert (shown.size, shown.reward, shown.edits) == (alone.size, alone.reward, 2)
