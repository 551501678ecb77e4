"""The database: what is written comes back, twice written is once there, and nothing is half written."""

from __future__ import annotations

import errno
import sqlite3
import threading
from pathlib import Path

import pytest

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import Log
from gitgoodbench.feedback.records import (
    Commit,
    CommitResult,
    ConversationResult,
    Edit,
    EditResult,
    Evidence,
    Key,
    Link,
    MatchedPiece,
    Message,
    Part,
    Reading,
    Session,
    Survival,
)
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.commits import (
    commit_of,
    commits_moved_to,
    link_of,
    links_of,
    move_commit,
    save_commit,
    save_links,
    unscored_commits,
)
from gitgoodbench.feedback.store.readings import (
    edit_of,
    edits_of,
    messages_of,
    read_log,
    save_readings,
    session_of,
    unlinked_edits,
)
from gitgoodbench.feedback.store.results import (
    edit_result_of,
    problems,
    result_of,
    save_problem,
    save_result,
    save_survival,
    survivals,
)

KEY = Key("claude-code", "s1", "toolu_1")
EDIT = Edit(
    KEY, "edit", "Write", 100.5, path="/users/ada/a.py", parts=(Part(None, b"\xff\x00\r\n\xc3\xa9", 1),), whole=True,
    outcome="applied", model="m", message="msg", commits=("abc1234",),
)  # fmt: skip
READING = Reading(
    Session("claude-code", "s1", version="2.1", folder="/home/ada", tags=(("agent", "x"),)),
    (EDIT,),
    (Message("msg", 100.0, "m", 10, None, 3),),
    understood=4,
    not_understood=1,
    problems=("type 'odd'",),
)
OLD = Commit("a" * 40, (), 200, "Ada", "ada@example.invalid", patch="p", hints=(("CLAUDECODE", "1"),))
NEW = Commit("b" * 40, ("c" * 40,), 300, "Ada", "ada@example.invalid", seen_by="rewrite")
EVIDENCE = (Evidence("environment", "session s1"), Evidence("time", "12 s before"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def test_a_reading_comes_back_byte_for_byte_and_is_replaced_when_the_log_is_read_again(store: Store) -> None:
    for _ in range(2):
        save_readings(store, "claude-code", Log("log.jsonl", "f1"), [READING], 5.0)
    assert edits_of(store, "claude-code", "s1") == [EDIT]
    assert edit_of(store, KEY) == EDIT
    assert session_of(store, "claude-code", "s1") == READING.session
    assert messages_of(store, "claude-code", "s1") == list(READING.messages)
    log = read_log(store, "claude-code", "log.jsonl")
    assert log is not None
    assert (log.fingerprint, log.read_at, log.understood, log.not_understood) == ("f1", 5.0, 4, 1)
    assert log.problems == ("type 'odd'",)


def test_an_edit_that_a_shorter_log_no_longer_has_is_kept(store: Store) -> None:
    save_readings(store, "claude-code", Log("log.jsonl", "f1"), [READING], 5.0)
    save_readings(store, "claude-code", Log("log.jsonl", "f2"), [Reading(READING.session)], 6.0)
    assert edit_of(store, KEY) == EDIT


def test_an_edit_counts_for_one_commit_and_moves_with_it(store: Store) -> None:
    save_readings(store, "claude-code", Log("log.jsonl", "f1"), [READING], 5.0)
    save_commit(store, OLD)
    save_commit(store, NEW)
    assert [edit.key for edit in unlinked_edits(store)] == [KEY]
    assert not list(unlinked_edits(store, since=101))
    save_links(store, [Link(KEY, OLD.id, EVIDENCE)])
    assert not list(unlinked_edits(store))
    assert move_commit(store, OLD.id, NEW.id) == [KEY]
    assert move_commit(store, OLD.id, NEW.id) == []
    assert links_of(store, OLD.id) == []
    assert link_of(store, KEY) == Link(KEY, NEW.id, EVIDENCE)
    moved = commit_of(store, OLD.id)
    assert moved is not None
    assert moved.moved_to == NEW.id
    assert commits_moved_to(store, NEW.id) == [moved]
    assert unscored_commits(store, "r1") == [NEW]


def test_results_of_a_commit_are_replaced_together(store: Store) -> None:
    save_commit(store, NEW)
    piece = MatchedPiece(b"\xfe", b"x", "a.py", 3, 5, 1, "tree")
    scored = EditResult(
        KEY, "scored", NEW.id, "a.py", "python", "m", 0.8, 0.8, 1.0, 5, "tree", None, EVIDENCE, (piece,)
    )
    other = EditResult(Key("codex", "t", "1"), "superseded", NEW.id, reason="overwritten")
    net = ConversationResult("claude-code", "s1", NEW.id, 1.0, 1.0, 1.0, 5, 2)
    save_result(store, CommitResult(NEW, (scored, other), (net,), "r1", 0.5))
    assert result_of(store, NEW.id) == CommitResult(NEW, (scored, other), (net,), "r1", 0.5)
    save_result(store, CommitResult(NEW, (scored,), (), "r2"))
    assert result_of(store, NEW.id) == CommitResult(NEW, (scored,), (), "r2")
    assert edit_result_of(store, other.key) is None
    assert unscored_commits(store, "r2") == []
    assert unscored_commits(store, "r3") == [NEW]


def test_a_commit_that_could_not_be_scored_is_tried_again(store: Store) -> None:
    save_commit(store, NEW)
    save_result(store, CommitResult(NEW, (), (), "r1"))
    save_problem(store, NEW.id, "no object")
    assert problems(store) == {NEW.id: "no object"}
    assert unscored_commits(store, "r1") == [NEW]


def test_what_stands_on_a_day_is_kept_once(store: Store) -> None:
    first = Survival(KEY, NEW.id, 1, "d" * 40, 10, 9)
    again = Survival(KEY, NEW.id, 1, "e" * 40, 10, 8)
    save_survival(store, [first])
    save_survival(store, [again])
    assert list(survivals(store)) == [again]


def test_a_transaction_that_fails_leaves_nothing(store: Store) -> None:
    def fail() -> None:
        with store.writing():
            save_commit(store, NEW)
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        fail()
    assert commit_of(store, NEW.id) is None


def test_writers_wait_for_each_other(tmp_path: Path) -> None:
    def write(number: int) -> None:
        with Store(tmp_path) as own:
            save_commit(own, Commit(f"{number:040x}", (), number, "Ada", "ada@example.invalid"))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Store(tmp_path) as store:
        assert len(unscored_commits(store, "r")) == 8


def test_a_damaged_or_newer_database_is_named(tmp_path: Path) -> None:
    path = Store(tmp_path).path
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(UserError, match="newer gitgoodbench"):
        Store(tmp_path)
    for file in path.parent.iterdir():
        file.unlink()
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(UserError, match="is damaged"):
        Store(tmp_path)


def fill(store: Store) -> None:
    """Write more than there is room for."""
    with store:
        (pages,) = store.connection.execute("PRAGMA page_count").fetchone()
        store.connection.execute(f"PRAGMA max_page_count = {pages}")
        with store.writing() as connection:
            connection.execute("CREATE TABLE big AS SELECT randomblob(1000000)")


def test_a_full_disk_is_an_error_of_the_machine(store: Store) -> None:
    with pytest.raises(OSError, match="full") as caught:
        fill(store)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(store.path))


def test_a_database_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "gitgoodbench/feedback/feedback.sqlite3").mkdir(parents=True)
    with pytest.raises(OSError, match="unable to open") as caught:
        Store(tmp_path)
    assert caught.value.errno == errno.EACCES


def test_a_database_that_is_found_damaged_later_is_named(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = store.path.read_bytes()
    store.path.write_bytes(content[:4096] + b"x" * (len(content) - 4096))
    with pytest.raises(UserError, match="is damaged"), Store(tmp_path) as store:
        store.connection.execute("SELECT * FROM commits").fetchall()


def test_a_mistake_in_a_statement_stays_one(store: Store) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"), store:
        store.connection.execute("SELECT * FROM no_table")
