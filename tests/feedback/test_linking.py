"""Each edit counts for one commit: which, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from gitgoodbench.feedback.changes import CommitChange, FileChange
from gitgoodbench.feedback.linking import link_edits
from gitgoodbench.feedback.records import Attribution, Commit, Edit, Link, MadeCommit, Part, Session
from gitgoodbench.feedback.scoring import results_without_commit
from tests.feedback.support_scoring import SESSION, changed, edit, write

ONE = b"def first(a, b):\n    return a + b\n"
TWO = b"def second(a, b):\n    return a * b\n"


def commit(letter: str, time: int, **more: Any) -> Commit:
    values = {"root": "/repo", **more}
    return Commit(letter * 40, (), time, "Ada", "ada@example.invalid", **values)


def linked(
    edits: Sequence[Edit],
    commits: Sequence[tuple[Commit, Sequence[FileChange]]],
    *,
    sessions: Sequence[Session] = (SESSION,),
    **more: Any,
) -> dict[str, Link]:
    files = {one.id: CommitChange(one.id, tuple(changed)) for one, changed in commits}
    found = link_edits(edits, [one for one, _ in commits], sessions, files.__getitem__, **more)
    assert len({link.key for link in found}) == len(found)
    return {link.key.edit: link for link in found}


def where(links: dict[str, Link]) -> dict[str, str]:
    return {name: link.commit[0] for name, link in links.items()}


def kinds(link: Link) -> list[str]:
    return [one.kind for one in link.evidence]


def test_path_and_content_are_evidence_that_can_be_read() -> None:
    link = linked([write("1", None, ONE, time=995.5)], [(commit("a", 1000), [changed(None, ONE)])])["1"]
    assert [(one.kind, one.detail) for one in link.evidence] == [
        ("content", "2 of 2 lines, in a.py"),
        ("time", "4.5 s before the commit"),
    ]


@pytest.mark.parametrize(("time", "found"), [(999.0, True), (1000.0, True), (1000.999, True), (1001.0, False)])
def test_the_commits_own_second_belongs_to_it(time: float, found: bool) -> None:
    """Nothing of the edit is in the commit, so time alone speaks for it."""
    links = linked([write("1", ONE, TWO, time=time)], [(commit("a", 1000), [changed(ONE, b"pass\n")])])
    assert where(links) == ({"1": "a"} if found else {})


def test_an_edit_counts_for_the_first_commit_of_its_file_after_it() -> None:
    commits = [
        (commit("a", 1000), [changed(ONE, b"x = 1\n")]),
        (commit("b", 2000), [changed(None, ONE, b"other.py")]),
        (commit("c", 3000), [changed(b"x = 1\n", b"y = 1\n")]),
        (commit("d", 4000), [changed(b"y = 1\n", b"z = 1\n")]),
    ]
    assert where(linked([write("1", ONE, TWO, time=1500.0)], commits)) == {"1": "c"}


def test_an_edit_committed_in_pieces_counts_for_the_commit_with_most_of_it() -> None:
    lines = [b"alpha = 1\n", b"beta = 2\n", b"gamma = 3\n", b"delta = 4\n", b"epsilon = 5\n"]
    first, both = lines[0], b"".join(lines)
    commits = [(commit("a", 1000), [changed(b"", first)]), (commit("b", 1010), [changed(first, both)])]
    links = linked([write("1", b"", both)], commits)
    assert where(links) == {"1": "b"}
    assert links["1"].evidence[0].detail == "4 of 5 lines, in a.py"
    assert where(linked([write("1", b"", both)], commits[:1])) == {"1": "a"}, "until the other is there"


def test_of_two_commits_that_hold_it_the_earlier_counts() -> None:
    commits = [
        (commit("a", 1000), [changed(b"", ONE)]),
        (commit("b", 1010), [changed(ONE, b"")]),
        (commit("c", 1020), [changed(b"", ONE)]),
    ]
    assert where(linked([write("1", b"", ONE)], commits)) == {"1": "a"}


def test_an_edit_that_still_stands_uncommitted_waits() -> None:
    mine = [(commit("a", 1000), [changed(ONE, ONE + b"# by hand\n")])]
    one = edit("1", Part(b"    return a + b\n", b"    return sum((a, b))\n"))

    def uncommitted(root: str, path: str) -> bytes | None:
        assert (root, path) == ("/repo", "/repo/a.py")
        return b"def first(a, b):\n    return sum((a, b))\n# by hand\n"

    assert linked([one], mine, work_tree=uncommitted) == {}
    assert where(linked([one], mine)) == {"1": "a"}


def test_parallel_sessions_each_get_their_own_commit() -> None:
    sessions = [SESSION, replace(SESSION, id="t")]
    edits = [write("1", b"", ONE, time=900.0), edit("2", Part(b"", TWO), session="t", time=901.0)]
    commits = [
        (commit("a", 1000, hints=(("AGENT_SESSION", "t"),)), [changed(b"", TWO)]),
        (commit("b", 1001, hints=(("AGENT_SESSION", "s"),)), [changed(TWO, TWO + ONE)]),
    ]
    links = linked(edits, commits, sessions=sessions)
    assert where(links) == {"1": "b", "2": "a"}
    assert kinds(links["1"]) == ["environment", "content", "time"]
    assert links["1"].evidence[0].detail == "committed by session s of agent"


def test_a_session_that_made_the_commit_comes_before_an_earlier_commit() -> None:
    """Nothing of the edit is left in either."""
    commits = [
        (commit("a", 1000), [changed(ONE, b"x = 1\n")]),
        (commit("b", 1010, hints=(("AGENT_SESSION", "s"),)), [changed(b"x = 1\n", b"y = 1\n")]),
    ]
    assert where(linked([write("1", ONE, TWO)], commits)) == {"1": "b"}
    made = replace(SESSION, commits=(MadeCommit("b" * 7, 1010.0),))
    links = linked([write("1", ONE, TWO)], [(replace(one, hints=()), files) for one, files in commits], sessions=[made])
    assert where(links) == {"1": "b"}
    assert links["1"].evidence[0].detail == "the log shows its session making the commit"


def test_the_commit_that_the_log_names_comes_first() -> None:
    one = edit("1", Part(b"", ONE), time=None, commits=("b" * 7,))
    commits = [(commit("a", 1000), [changed(b"", ONE)]), (commit("b", 1010), [changed(None, TWO, b"z.py")])]
    links = linked([one], commits)
    assert where(links) == {"1": "b"}
    assert kinds(links["1"]) == ["hash"]
    assert where(linked([replace(one, commits=("b",))], commits)) == {"1": "a"}, "one digit names nothing"


def test_a_clock_that_is_ahead_is_tolerated_where_the_commit_holds_the_edit() -> None:
    own = (commit("a", 1000, hints=(("AGENT_SESSION", "s"),)), [changed(b"", ONE)])
    other = (commit("a", 1000), [changed(b"", ONE)])
    empty = (own[0], [changed(b"", b"pass\n")])
    assert where(linked([write("1", b"", ONE, time=4600.0)], [own])) == {"1": "a"}
    link = linked([write("1", b"", ONE, time=1060.0)], [other])["1"]
    assert link.evidence[-1].detail == "59.0 s after the commit: the clocks differ"
    assert linked([write("1", b"", ONE, time=4600.0)], [other]) == {}
    assert linked([write("1", b"", ONE, time=1060.0)], [empty]) == {}, "its session goes on after the commit"


def test_files_of_other_repositories_and_worktrees_are_none_of_the_commits() -> None:
    commits = [(commit("a", 1000), [changed(None, ONE)])]
    edits = [
        write("other repository", None, ONE, path="/elsewhere/a.py"),
        write("worktree", None, ONE, path="/repo/.trees/x/a.py"),
    ]
    assert linked(edits, commits, roots=("/repo", "/repo/.trees/x")) == {}
    inside = [(commit("a", 1000, root="/repo/.trees/x"), [changed(None, ONE)])]
    assert where(linked(edits, inside, roots=("/repo", "/repo/.trees/x"))) == {"worktree": "a"}


def test_of_two_files_with_the_same_content_only_the_committed_one_counts() -> None:
    edits = [write("1", None, ONE, path="/repo/a.py"), write("2", None, ONE, path="/repo/b.py")]
    links = linked(edits, [(commit("a", 1000), [changed(None, ONE, b"b.py")])])
    assert where(links) == {"2": "a"}


def test_code_that_a_person_moved_to_another_file_is_found() -> None:
    commits = [(commit("a", 1000), [changed(None, b"import x\n\n\n" + ONE, b"moved.py")])]
    links = linked([write("1", None, ONE)], commits)
    assert where(links) == {"1": "a"}
    assert links["1"].evidence[0].detail == "2 of 2 lines, in another place"
    trifle = [write("1", None, b"}\n")]
    assert linked(trifle, [(commit("a", 1000), [changed(None, b"}\n", b"moved.py")])]) == {}


def test_an_answer_counts_only_where_its_code_is() -> None:
    answer = edit("1", Part(None, ONE), path=None, language="python", kind="answer", outcome="unknown")
    named = replace(answer, path="a.py")
    held, other = [changed(b"", ONE)], [changed(b"", TWO)]
    for one in (answer, named):
        assert where(linked([one], [(commit("a", 1000), held)])) == {"1": "a"}
        assert linked([one], [(commit("a", 1000), other)]) == {}


def test_an_answer_whose_code_an_edit_brought_is_not_counted_twice() -> None:
    answer = edit("1", Part(None, ONE), path=None, language="python", kind="answer", outcome="unknown")
    links = linked([answer, write("2", b"", ONE)], [(commit("a", 1000), [changed(b"", ONE)])])
    assert where(links) == {"2": "a"}


def test_indirect_work_goes_with_its_conversation() -> None:
    def tool(name: str, time: float) -> Edit:
        return edit(name, kind="indirect", path=None, time=time)

    edits = [
        tool("plan", 100.0),
        write("1", b"", ONE, time=200.0),
        tool("test", 300.0),
        write("2", ONE, ONE + TWO, time=1200.0),
        tool("review", 1300.0),
        tool("afterwards", 9000.0),
    ]
    commits = [(commit("a", 1000), [changed(b"", ONE)]), (commit("b", 2000), [changed(ONE, ONE + TWO)])]
    links = linked(edits, commits)
    assert where(links) == {"1": "a", "2": "b", "plan": "a", "test": "b", "review": "b"}
    assert links["plan"].evidence[0].detail == "with 1 of its conversation"


def test_a_sub_agent_belongs_to_the_conversation_that_started_it() -> None:
    child = replace(SESSION, id="child", parent="s")
    made = commit("a", 1000, hints=(("AGENT_SESSION", "s"),))
    one = edit("1", Part(b"", ONE), session="child")
    links = linked([one], [(made, [changed(b"", ONE)])], sessions=[SESSION, child])
    assert kinds(links["1"]) == ["environment", "content", "time"]


def test_what_other_tools_recorded_is_evidence() -> None:
    commits = [(commit("a", 1000), [changed(ONE, b"x = 1\n")]), (commit("b", 1010), [changed(b"x = 1\n", b"y = 1\n")])]
    said = Attribution("git-ai", "ai", tool="agent", path="a.py")
    records = {"b" * 40: [said], "a" * 40: [replace(said, contributor="human")]}
    links = linked([write("1", ONE, TWO)], commits, attribution=lambda name: records.get(name, []))
    assert where(links) == {"1": "b"}
    assert kinds(links["1"]) == ["attribution", "time"]


def test_work_that_was_not_applied_is_never_linked_nor_scored() -> None:
    denied = replace(edit("1", Part(b"", ONE), outcome="denied"), reason="by the user")
    assert linked([denied], [(commit("a", 1000), [changed(b"", ONE)])]) == {}
    plan = edit("2", kind="indirect", path=None)
    waiting, late = edit("3", Part(b"", ONE)), edit("4", Part(b"", ONE), time=900.0 - 31 * 86_400)
    results = results_without_commit([denied, plan, waiting, late], 1000.0, roots=["/repo"])
    assert [(one.key.edit, one.state, one.reason, one.reward, one.commit, one.path) for one in results] == [
        ("1", "not_applied", "by the user", None, None, "a.py"),
        ("2", "indirect", "Edit", None, None, None),
        ("3", "pending", "in no commit yet", None, None, "a.py"),
        ("4", "pending", "in no commit after 30 days", None, None, "a.py"),
    ]
