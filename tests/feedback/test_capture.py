"""Logs get into the database once, early, and as far as the commit that is being scored."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.capture import Awaited, Captured, capture
from gitgoodbench.feedback.contract import Committer, Log, Place
from gitgoodbench.feedback.records import Reading
from gitgoodbench.feedback.sources.claude_code import ClaudeCode
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.readings import edits_of, messages_of, read_logs, session_of
from tests.feedback.support_logs import START, ClaudeLog, place_of

HINTS = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}


class Clock:
    """A clock that only moves when somebody sleeps, and what happens then."""

    def __init__(self, now: float, *steps: tuple[float, object]) -> None:
        self.now = now
        self.steps = list(steps)

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        while self.steps and self.steps[0][0] <= self.now:
            step = self.steps.pop(0)[1]
            assert callable(step)
            step()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app/.git").mkdir(parents=True)
    return tmp_path / "app"


@pytest.fixture
def place(root: Path, tmp_path: Path) -> Place:
    return place_of(root, home=tmp_path / "home")


@pytest.fixture
def store(root: Path) -> Iterable[Store]:
    with Store(root / ".git") as made:
        yield made


@pytest.fixture
def log(root: Path, tmp_path: Path) -> ClaudeLog:
    return ClaudeLog(tmp_path / "home/.claude/projects/x/s1.jsonl", root)


def ids(store: Store, session: str = "s1") -> list[str]:
    return [edit.key.edit for edit in edits_of(store, "claude-code", session)]


def test_a_log_is_read_once_and_again_when_it_grew(store: Store, place: Place, log: ClaudeLog, root: Path) -> None:
    log.write("t1", root / "a.py", "x = 1\n")
    log.save()
    assert capture(store, place, [ClaudeCode()]) == Captured(read=1)
    assert capture(store, place, [ClaudeCode()]) == Captured(unchanged=1)
    log.write("t2", root / "b.py", "y = 1\n")
    log.save()
    assert capture(store, place, [ClaudeCode()]) == Captured(read=1)
    assert ids(store) == ["t1", "t2"]
    assert [(one.understood, one.not_understood) for one in read_logs(store)] == [(4, 0)]


def test_what_was_captured_stays_when_the_program_deletes_its_log(
    store: Store, place: Place, log: ClaudeLog, root: Path
) -> None:
    log.write("t1", root / "a.py", "x = 1\n")
    log.save()
    capture(store, place, [ClaudeCode()])
    log.path.unlink()
    assert capture(store, place, [ClaudeCode()]) == Captured()
    assert ids(store) == ["t1"]


def test_a_log_that_lags_behind_the_commit_is_waited_for(
    store: Store, place: Place, log: ClaudeLog, root: Path
) -> None:
    log.write("t1", root / "a.py", "x = 1\n")
    log.save()

    def finish() -> None:
        log.write("t2", root / "b.py", "y = 1\n")
        log.bash("t3", "git commit -m x", "[main 1234abc] x")
        log.save()

    commit = START + 5.0  # the second in which the command that commits ends
    clock = Clock(commit, (commit + 1.0, finish))
    done = capture(
        store, place, [ClaudeCode()], wait_for=[Awaited(HINTS, commit)], until=commit + 10,
        clock=clock.time, sleep=clock.sleep,
    )  # fmt: skip
    assert (done.late, done.read) == ((), 2)
    assert commit + 1.0 <= clock.now < commit + 1.5
    assert ids(store) == ["t1", "t2", "t3"]
    session = session_of(store, "claude-code", "s1")
    assert session is not None
    assert [made.id for made in session.commits] == ["1234abc"]


def test_waiting_ends(store: Store, place: Place, log: ClaudeLog, root: Path) -> None:
    log.write("t1", root / "a.py", "x = 1\n")
    log.call("t2", "Bash", {"command": "git commit"})  # still at work: its result is not there
    log.save()
    clock = Clock(START + 2)
    done = capture(
        store, place, [ClaudeCode()], wait_for=[Awaited(HINTS, START + 2)], until=START + 5,
        clock=clock.time, sleep=clock.sleep,
    )  # fmt: skip
    assert done.late == ("claude-code",)
    assert clock.now == pytest.approx(START + 5)
    clock = Clock(START + 2)
    capture(store, place, [ClaudeCode()], wait_for=[Awaited(HINTS, START + 2)], clock=clock.time, sleep=clock.sleep)
    assert clock.now == START + 2


def test_a_commit_of_a_person_or_of_another_session_is_not_waited_for(
    store: Store, place: Place, log: ClaudeLog
) -> None:
    log.bash("t1", "true", "")
    log.save()
    clock = Clock(START)
    hints: list[Mapping[str, str]] = [{}, {"EDITOR": "vi"}]
    done = capture(
        store, place, [ClaudeCode()], wait_for=[Awaited(one, START) for one in hints], until=START + 9,
        clock=clock.time, sleep=clock.sleep,
    )  # fmt: skip
    assert (done.late, clock.now) == ((), START)
    other = {**HINTS, "CLAUDE_CODE_SESSION_ID": "s2"}
    done = capture(
        store, place, [ClaudeCode()], wait_for=[Awaited(other, START)], until=START + 1,
        clock=clock.time, sleep=clock.sleep,
    )  # fmt: skip
    assert done.late == ("claude-code",)


def test_what_a_resumed_session_copies_counts_once(store: Store, place: Place, log: ClaudeLog, root: Path) -> None:
    log.write("t1", root / "a.py", "x = 1\n")
    log.save()
    capture(store, place, [ClaudeCode()])
    again = ClaudeLog(log.path.with_name("s2.jsonl"), root, "s2")
    again.records = [{**record, "sessionId": "s2"} for record in log.records]
    again.time = log.time
    again.write("t2", root / "b.py", "y = 1\n")
    again.save()
    capture(store, place, [ClaudeCode()])
    assert (ids(store, "s1"), ids(store, "s2")) == (["t1"], ["t2"])
    assert [one.id for one in messages_of(store, "claude-code", "s2")] == ["msg-t2"]


class Broken(ClaudeCode):
    """A source that somebody wrote badly."""

    name = "broken"

    def __init__(self, where: str, error: Exception) -> None:
        self.where, self.error = where, error

    def committer(self, hints: Mapping[str, str]) -> Committer | None:
        if self.where == "committer":
            raise self.error
        return super().committer(hints)

    def logs(self, place: Place) -> Iterator[Log]:
        del place
        if self.where == "logs":
            raise self.error
        yield from [Log("x", "1"), Log("y", "1")]

    def read(self, log: Log, place: Place) -> Iterable[Reading]:
        del place
        if self.where == "read" and log.name == "x":
            raise self.error
        return []


@pytest.mark.parametrize(
    ("where", "error", "problem"),
    [
        ("logs", UserError("set up x first"), "broken: set up x first"),
        ("logs", KeyError("secret"), "broken: its logs cannot be listed: KeyError"),
        ("read", ValueError("secret"), "broken: x cannot be read: ValueError"),
        ("read", PermissionError(13, "Permission denied"), "broken: x cannot be read: [Errno 13] Permission denied"),
        ("committer", TypeError("secret"), None),
    ],
)
def test_a_broken_source_is_reported_and_the_others_are_read(
    store: Store, place: Place, log: ClaudeLog, root: Path, where: str, error: Exception, problem: str | None
) -> None:
    log.write("t1", root / "a.py", "x = 1\n")
    log.save()
    sources = [Broken(where, error), ClaudeCode()]
    done = capture(store, place, sources, wait_for=[Awaited({}, START)], until=START)
    assert done.problems == (() if problem is None else (problem,))
    assert ids(store) == ["t1"]


def test_each_source_has_its_own_options(store: Store, place: Place, log: ClaudeLog, root: Path) -> None:
    log.path = root.parent / "elsewhere/projects/x/s1.jsonl"
    log.write("t1", root / "a.py", "x = 1\n")
    log.save()
    place = dataclasses.replace(place, options={"folder": "/nowhere"})
    assert capture(store, place, [ClaudeCode()]) == Captured()
    options = {"claude-code": {"folder": str(root.parent / "elsewhere")}}
    assert capture(store, place, [ClaudeCode()], options=options) == Captured(read=1)
