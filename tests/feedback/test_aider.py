"""Histories of aider: who says what, what became of each block, and in which commit it is."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gitgoodbench.feedback.contract import Place
from gitgoodbench.feedback.records import Edit, MadeCommit, Message, Part, Reading
from gitgoodbench.feedback.sources.aider import Aider
from gitgoodbench.feedback.sources.aider_chat import Turn, turns
from tests.feedback.support_logs import by_id, place_of, readings_of
from tests.feedback.support_logs_b import ADD, INT, AiderChat, search_replace

SOURCE = Aider()
FAILED = """# 1 SEARCH/REPLACE block failed to match!

## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in a.py
<<<<<<< SEARCH
nowhere
=======
y
>>>>>>> REPLACE

The SEARCH section must exactly match an existing block of lines

# The other 1 SEARCH/REPLACE block were applied successfully."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    return tmp_path / "app"


@pytest.fixture
def place(root: Path, tmp_path: Path) -> Place:
    return place_of(root, home=tmp_path / "home")


@pytest.fixture
def chat() -> AiderChat:
    return AiderChat()


def read(chat: AiderChat, place: Place) -> Reading:
    chat.save(place.roots[0])
    (reading,) = readings_of(SOURCE, place)
    return reading


def edits(chat: AiderChat, place: Place) -> dict[str, Edit]:
    return by_id(read(chat, place))


def test_blocks_are_in_the_commit_that_follows_them(chat: AiderChat, place: Place, root: Path) -> None:
    chat.start()
    chat.ask("write add")
    chat.answer(
        search_replace("a.py", "", ADD),
        "Tokens: 2.4k sent, 1.2k cache hit, 27 received. Cost: $0.01 message, $0.02 session.",
    )
    chat.tell("Committing a.py before applying edits.", "Commit 1111111 feat: hers", "Applied edit to a.py")
    chat.tell("Commit 2222222 feat: its", "You can use /undo to undo and discard each aider commit.")
    chat.ask("again")
    chat.answer(search_replace("a.py", "    return a + b\n", "    return int(a) + int(b)\n"))
    chat.tell("Applied edit to a.py", "Commit 3333333 feat: more")
    reading = read(chat, place)
    first, second = reading.edits
    assert (first.path, first.parts, first.outcome, first.commits, first.tool, first.model, first.time) == (
        str(root / "a.py"), (Part(None, ADD.encode()),), "applied", ("2222222",), "diff", "openai/fake", None,
    )  # fmt: skip
    assert (second.parts, second.commits) == (
        (Part(b"    return a + b\n", b"    return int(a) + int(b)\n"),), ("3333333",),
    )  # fmt: skip
    assert reading.session.commits == (MadeCommit("2222222", None), MadeCommit("3333333", None))
    assert reading.messages[0] == Message("1", None, "openai/fake", 2400, 1200, 27, cost=0.01)
    assert reading.session.version == "0.86.2"


def test_what_the_person_undid_is_reverted(chat: AiderChat, place: Place) -> None:
    chat.start()
    chat.answer(search_replace("a.py", "", ADD))
    chat.tell("Applied edit to a.py", "Commit 2222222 feat: its")
    chat.ask("/undo")
    chat.tell("Removed: 2222222 feat: its", "Now at:  1111111 start")
    found = edits(chat, place)["1.0"]
    assert (found.outcome, found.commits) == ("reverted", ("2222222",))


def test_blocks_that_failed_and_those_beside_them(chat: AiderChat, place: Place) -> None:
    chat.start()
    chat.answer(search_replace("a.py", "nowhere\n", "y\n") + "\n" + search_replace("a.py", "b\n", "c\n"))
    chat.tell("The LLM did not conform to the edit format.", FAILED)
    chat.answer(search_replace("a.py", "there\n", "y\n"))
    chat.tell("Applied edit to a.py", "Commit 2222222 feat: both")
    found = edits(chat, place)
    assert {key: (edit.outcome, edit.commits) for key, edit in found.items()} == {
        "1.0": ("failed", ()),
        "1.1": ("applied", ("2222222",)),
        "2.0": ("applied", ("2222222",)),
    }


def test_edits_that_were_not_wanted(chat: AiderChat, place: Place) -> None:
    chat.start()
    blocks = [search_replace(name, "", "x\n") for name in ("a.py", "b.py", "c.py", "d.py")]
    chat.answer("\n".join(blocks))
    chat.tell("Skipping edits to a.py", "Skipping edits to b.py that matches gitignore spec.")
    chat.tell("Did not apply edit to c.py (--dry-run)")
    assert [edit.outcome for edit in read(chat, place).edits] == ["denied", "failed", "failed", "unknown"]


def test_whole_files_know_what_was_there_before(chat: AiderChat, place: Place) -> None:
    chat.start(edit_format="whole")
    for content, commit in ((ADD, "1111111"), (INT, "2222222")):
        chat.answer(f"a.py\n```python\n{content}```\n")
        chat.tell("Applied edit to a.py", f"Commit {commit} feat")
    first, second = read(chat, place).edits
    assert (first.whole, first.parts) == (True, (Part(None, ADD.encode(), 1),))
    assert (second.whole, second.parts) == (True, (Part(ADD.encode(), INT.encode(), 1),))


def test_unified_diffs_and_files_in_the_fence(chat: AiderChat, place: Place, root: Path) -> None:
    chat.start(edit_format="udiff")
    chat.answer("```diff\n--- a.py\n+++ a.py\n@@ ... @@\n def add(a, b):\n-    return a + b\n+    return 1\n```\n")
    chat.tell("Applied edit to a.py")
    chat.answer("```diff\n--- b.py\n+++ b.py\n@@ ... @@\n-x\n+y\n```\n")
    chat.tell(
        "UnifiedDiffNoMatch: hunk failed to apply!\n\nb.py does not contain lines that match the diff you provided!"
    )
    chat.tell("Model: m2 with diff-fenced edit format, infinite output")
    chat.answer("```python\nc.py\n<<<<<<< SEARCH\n=======\nz\n>>>>>>> REPLACE\n```\n")
    chat.tell("Applied edit to c.py")
    assert [(edit.path, edit.tool, edit.outcome, edit.parts, edit.model) for edit in read(chat, place).edits] == [
        (str(root / "a.py"), "udiff", "applied",
         (Part(b"def add(a, b):\n    return a + b\n", b"def add(a, b):\n    return 1\n"),), "openai/fake"),
        (str(root / "b.py"), "udiff", "failed", (Part(b"x\n", b"y\n"),), "openai/fake"),
        (str(root / "c.py"), "diff-fenced", "applied", (Part(None, b"z\n"),), "m2"),
    ]  # fmt: skip


def test_answers_to_questions_and_commits_of_the_person(chat: AiderChat, place: Place) -> None:
    chat.start(edit_format="ask")
    chat.ask("/ask how?")
    chat.answer(f"Like this:\n\n```python\n{ADD}```\n")
    chat.ask("/commit")
    chat.tell("Commit 2222222 feat: hers")
    reading = read(chat, place)
    assert [(edit.kind, edit.tool, edit.outcome, edit.commits) for edit in reading.edits] == [
        ("answer", "text", "unknown", ())
    ]
    assert reading.session.commits == ()


def test_edits_that_wait_for_a_commit_are_in_the_one_that_the_person_asks_for(chat: AiderChat, place: Place) -> None:
    chat.start()
    chat.answer(search_replace("a.py", "", ADD))
    chat.tell("Applied edit to a.py")
    chat.ask("/commit")
    chat.tell("Commit 2222222 feat: hers")
    reading = read(chat, place)
    assert reading.edits[0].commits == ("2222222",)
    assert reading.session.commits == ()


def test_commit_messages_and_questions_with_fences_are_no_answers() -> None:
    text = (
        "\n#### first  \n#### ```python  \n#### second  \n\nIt is\n> quoted\n\n```py\nx\n```\n\n"
        "> Tokens: 1 sent, 2 received.  \n"
        "> Commit 1234567 Done:\n\n```python:hello.py\ny\n```  \n> Applied edit to a.py  \n"
    )
    assert list(turns(text)) == [
        Turn("person", "first"),
        Turn("person", "```python"),
        Turn("person", "second"),
        Turn("model", "It is\n> quoted\n\n```py\nx\n```\n"),
        Turn("aider", "Tokens: 1 sent, 2 received."),
        Turn("aider", "Commit 1234567 Done:\n\n```python:hello.py\ny\n```"),
        Turn("aider", "Applied edit to a.py"),
    ]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York"])
def test_times_are_this_machines(chat: AiderChat, place: Place, monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        chat.start("2026-06-30 11:36:39")
        hours = {"UTC": 0, "Europe/Berlin": -2, "America/New_York": 4}[zone]
        assert read(chat, place).session.started == 1_782_819_399 + hours * 3600
        chat.text = ""
        chat.start("2026-10-25 02:30:00")  # twice, in Berlin
        assert read(chat, place).session.started is not None
    finally:
        monkeypatch.undo()
        time.tzset()


def test_each_start_is_a_session_and_old_ones_are_passed_over(chat: AiderChat, root: Path, tmp_path: Path) -> None:
    for when in ("2024-01-01 10:00:00", "2024-01-01 10:00:00", "2026-11-01 10:00:00", "2026-11-30 10:00:00"):
        chat.start(when)
        chat.answer(search_replace("a.py", "", ADD))
    chat.save(root)
    place = place_of(root, home=tmp_path)
    ids = [reading.session.id.partition("-")[2] for reading in readings_of(SOURCE, place)]
    assert ids == ["2024-01-01T10:00:00", "2024-01-01T10:00:00-2", "2026-11-01T10:00:00", "2026-11-30T10:00:00"]
    since = Place(place.roots, place.common, place.home, since=1_795_000_000.0)
    kept = [reading.session.id.partition("-")[2] for reading in readings_of(SOURCE, since)]
    assert kept == ["2026-11-01T10:00:00", "2026-11-30T10:00:00"]


def test_worktrees_have_histories_of_their_own(chat: AiderChat, root: Path, tmp_path: Path) -> None:
    other = tmp_path / "tree"
    other.mkdir()
    chat.start()
    chat.answer(search_replace("a.py", "", ADD))
    chat.save(root)
    chat.save(other)
    first, second = readings_of(SOURCE, place_of(root, other, home=tmp_path))
    assert first.session.id != second.session.id
    assert [reading.edits[0].path for reading in (first, second)] == [str(root / "a.py"), str(other / "a.py")]


def test_a_history_elsewhere(chat: AiderChat, root: Path, tmp_path: Path) -> None:
    chat.start()
    chat.answer(search_replace("a.py", "", ADD))
    (tmp_path / "notes").mkdir()
    path = chat.save(tmp_path / "notes")
    (reading,) = readings_of(SOURCE, place_of(root, home=tmp_path, path=str(path)))
    assert reading.edits[0].path == str(root / "a.py")
