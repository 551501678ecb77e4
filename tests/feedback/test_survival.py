"""What still stands of assistants' lines: counted by hand after edits, renames, reverts, merges and rebases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gitgoodbench.feedback import survival
from gitgoodbench.feedback.records import CommitResult, Survival
from gitgoodbench.feedback.store.commits import commit_of, move_commit, save_commit
from gitgoodbench.feedback.store.results import save_result, survivals
from gitgoodbench.feedback.survival import DAY
from tests.feedback.support_survival import FIRST, Story, key, wrote

BASE = b"import os\n\n\ndef old():\n    return os.name\n"
NEW = b"\n\ndef new(a, b):\n    total = a + b\n    return total\n"


@pytest.fixture
def story(tmp_path: Path) -> Iterator[Story]:
    made = Story(tmp_path / "r")
    yield made
    made.store.close()


def counts(found: dict[str, Survival]) -> dict[str, tuple[int, int | None]]:
    return {name: (one.lines, one.standing) for name, one in found.items()}


def test_lines_that_are_rewritten_stand_no_more(story: Story) -> None:
    base = story.commit({b"a.py": BASE})
    commit = story.commit({b"a.py": BASE + NEW, b"b.py": b"x = 1\n"}, base)
    story.edits(commit, {"new": wrote(NEW, line=6), "x": wrote(b"x = 1\n", "b.py")})
    changed = NEW.replace(b"a + b", b"sum((a, b))")
    tip = story.commit({b"a.py": b"# top\n" + BASE + changed, b"b.py": b"x = 1\ny = 2\n"}, commit)
    found = story.follow(2)
    assert found["new"] == Survival(key("new"), commit, day=1, tip=tip, lines=5, standing=4)
    assert counts(found) == {"new": (5, 4), "x": (1, 1)}


def test_lines_in_a_renamed_file_still_stand(story: Story) -> None:
    base = story.commit({b"a.py": BASE})
    commit = story.commit({b"a.py": BASE + NEW}, base)
    story.edits(commit, {"new": wrote(NEW, line=6)})
    moved = story.commit({b"lib/b c.py": BASE + NEW}, commit)
    story.commit({b"lib/\xc3\xa9.py": BASE + NEW.replace(b"total", b"both")}, moved)
    assert counts(story.follow(3)) == {"new": (5, 3)}


def test_each_edit_has_its_own_lines(story: Story) -> None:
    content = b"".join(b"line %d\n" % number for number in range(1, 11))
    commit = story.commit({b"a.py": content})
    story.edits(commit, {"1": wrote(b"line 1\nline 2\nline 3\n"), "2": wrote(b"line 8\nline 9\nline 10\n", line=8)})
    story.commit({b"a.py": content.replace(b"line 9\n", b"")}, commit)
    assert counts(story.follow(1)) == {"1": (3, 3), "2": (3, 2)}


def test_a_match_of_several_items_is_found_line_by_line(story: Story) -> None:
    content = b"def a():\n    return 1\n\n\ndef b():\n    return 2\n    # two\n"
    commit = story.commit({b"a.py": content})
    whole = b"def a():\n    return 1\n\n\ndef b():\n    return 2"
    apart = b"def b():\n    return 2\n    # two\ndef a():"
    story.edits(commit, {"whole": wrote(whole, line=5), "apart": wrote(apart, line=5), "none": wrote(b"else\n")})
    story.commit({b"a.py": content.replace(b"return 2", b"return 3")}, commit)
    assert counts(story.follow(1)) == {"whole": (6, 5), "apart": (3, 2), "none": (0, 0)}


def test_what_was_less_than_half_kept_has_no_lines_of_its_own(story: Story) -> None:
    commit = story.commit({b"a.py": BASE})
    story.edits(commit, {"half": wrote(BASE, distance=5), "less": wrote(BASE, distance=6)})
    assert counts(story.follow(0)) == {"half": (5, 5), "less": (0, 0)}


def test_a_commit_that_was_reverted_by_name(story: Story) -> None:
    base = story.commit({b"a.py": BASE})
    commit = story.commit({b"a.py": BASE + NEW}, base)
    story.edits(commit, {"new": wrote(NEW, line=6)})
    message = b'Revert "A commit"\n\nThis reverts commit %s.\n' % commit.encode()
    revert = story.commit({b"a.py": BASE}, commit, message=message)
    found = story.follow(2)
    assert (counts(found), found["new"].reverted) == ({"new": (5, 0)}, True)
    back = b"This reverts commit %s.\n" % revert.encode()
    story.commit({b"a.py": BASE + NEW}, revert, message=back)
    found = story.follow(3)
    assert (counts(found), found["new"].reverted) == ({"new": (5, 0)}, False)


def test_a_commit_that_was_undone_without_saying_so(story: Story) -> None:
    base = story.commit({b"a.py": BASE})
    commit = story.commit({b"a.py": BASE + NEW, b"b.py": b"1\n"}, base)
    story.edits(commit, {"new": wrote(NEW, line=6)})
    later = story.commit({b"a.py": b"# x\n" + BASE + NEW, b"b.py": b"1\n"}, commit)
    gone = story.commit({b"a.py": b"# x\n" + BASE, b"b.py": b"1\n"}, later)
    assert [one.reverted for one in story.follow(3).values()] == [False]
    back = story.commit({b"a.py": b"# x\n" + BASE + NEW, b"b.py": b"1\n"}, gone)
    story.commit({b"a.py": b"# x\n" + BASE}, back)
    found = story.follow(4)
    assert (counts(found), found["new"].reverted) == ({"new": (5, 0)}, True)


def test_lines_that_come_through_a_merge_still_stand(story: Story) -> None:
    base = story.commit({b"a.py": BASE, b"b.py": b"1\n"})
    side = story.commit({b"a.py": BASE + NEW, b"b.py": b"1\n"}, base)
    other = story.commit({b"a.py": b"# x\n" + BASE, b"b.py": b"2\n"}, base)
    merged = {b"a.py": b"# x\n" + BASE + NEW.replace(b"    return total\n", b""), b"b.py": b"2\n"}
    merge = story.commit(merged, other, side)
    story.edits(side, {"new": wrote(NEW, line=6)}, branch="gone")
    story.edits(other, {"b": wrote(b"2\n", "b.py")}, branch="gone")
    found = story.follow(3)
    assert (counts(found), {one.tip for one in found.values()}) == ({"new": (5, 4), "b": (1, 1)}, {merge})


def test_a_rebased_commit_is_followed_at_its_new_place(story: Story) -> None:
    base = story.commit({b"a.py": BASE})
    old = story.commit({b"a.py": BASE + NEW}, base)
    story.edits(old, {"new": wrote(NEW, line=6)})
    assert counts(story.follow(1)) == {"new": (5, 5)}
    other = story.commit({b"a.py": b"# x\n" + BASE}, base)
    new = story.commit({b"a.py": b"# x\n" + BASE + NEW}, other)
    move_commit(story.store, old, new)
    moved = commit_of(story.store, old)
    assert moved is not None
    save_result(story.store, CommitResult(moved, (), (), rule="1"))
    story.edits(new, {"new": wrote(NEW, line=7)})
    found = story.follow(4)
    assert found["new"] == Survival(key("new"), new, day=1, tip=new, lines=5, standing=5)
    assert [(one.commit, one.day) for one in survivals(story.store)] == [(old, 0), (new, 1)]


def test_a_commit_that_no_branch_leads_to_any_more_says_nothing(story: Story) -> None:
    base = story.commit({b"a.py": BASE})
    commit = story.commit({b"a.py": BASE + NEW}, base)
    story.edits(commit, {"new": wrote(NEW, line=6)})
    story.repo.branch("main", base)
    assert story.follow(2)["new"] == Survival(key("new"), commit, 1, tip=None, lines=5, standing=None)
    story.repo.branch("elsewhere", commit)
    assert story.follow(3)["new"].tip == commit
    story.git.run("update-ref", "-d", "refs/heads/elsewhere")
    story.git.run("update-ref", "refs/remotes/origin/topic", commit)
    assert story.follow(4)["new"].tip == commit


def test_the_own_branch_counts_until_what_is_checked_out_has_all_of_it(story: Story) -> None:
    base = story.commit({b"a.py": BASE})
    commit = story.commit({b"a.py": BASE + NEW}, base)
    on_topic = story.commit({b"a.py": BASE + NEW + b"# t\n"}, commit)
    story.repo.branch("topic", on_topic)
    story.repo.branch("main", commit)
    story.edits(commit, {"new": wrote(NEW, line=6)}, branch="topic")
    assert story.follow(2)["new"].tip == on_topic
    merged = story.commit({b"a.py": BASE}, on_topic)
    found = story.follow(4)
    assert (found["new"].tip, found["new"].standing) == (merged, 0)


def test_there_is_one_row_a_day_and_one_last_after_the_last_day(story: Story) -> None:
    commit = story.commit({b"a.py": BASE})
    story.edits(commit, {"1": wrote(BASE)})
    days = [0.2, 0.9, 1.5, 1.6, 4, 30, 31, 60]
    assert [[one.day for one in story.follow(day, days=14).values()] for day in days] == [
        [0],
        [],  # the same day and tip
        [1],
        [],
        [4],
        [30],
        [],
        [],
    ]
    assert [one.day for one in survivals(story.store)] == [0, 1, 4, 30]


def test_a_new_tip_on_the_same_day_replaces_the_row(story: Story) -> None:
    commit = story.commit({b"a.py": BASE})
    story.edits(commit, {"1": wrote(BASE)})
    assert counts(story.follow(0.1)) == {"1": (5, 5)}
    story.commit({b"a.py": BASE.replace(b"old", b"new")}, commit)
    assert counts(story.follow(0.2)) == {"1": (5, 4)}
    assert [(one.day, one.standing) for one in survivals(story.store)] == [(0, 4)]


def test_commits_of_the_future_copies_and_unscored_ones_are_left_out(story: Story) -> None:
    commits = [story.commit({b"a.py": BASE + b"%d\n" % number}) for number in range(2)]
    for commit in commits:
        story.edits(commit, {commit: wrote(BASE)})
    assert list(story.follow(0.5)) == [commits[0]]
    known = commit_of(story.store, commits[0])
    assert known is not None
    save_commit(story.store, replace(known, moved_to=commits[1]))
    assert list(story.follow(0.6)) == []


def test_a_run_does_a_part_and_the_next_one_the_rest(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survival, "MOST_FILES", 2)
    files: dict[bytes, bytes] = {}
    commits: list[str] = []
    for number in range(3):
        files[b"%d.py" % number] = b"%d\n" % number
        commits.append(story.commit(dict(files), *commits[-1:]))
        story.edits(commits[-1], {str(number): wrote(b"%d\n" % number, f"{number}.py")})
    assert sorted(story.follow(3)) == ["0", "1"]
    assert sorted(story.follow(3)) == ["2"]
    assert sorted(story.follow(3)) == []


def test_settings_and_attributes_of_the_repository_change_nothing(story: Story, tmp_path: Path) -> None:
    commit = story.commit({b"a.py": BASE, b".gitattributes": b"*.py diff=x -text\n"})
    story.edits(commit, {"1": wrote(BASE)})
    ignored = tmp_path / "ignored"
    ignored.write_text(commit + "\n")
    for name, value in {
        "blame.ignoreRevsFile": str(ignored),
        "blame.markIgnoredLines": "true",
        "diff.x.textconv": "false",
        "blame.showRoot": "false",
        "log.showSignature": "true",
    }.items():
        story.git.run("config", name, value)
    assert counts(story.follow(0)) == {"1": (5, 5)}


def test_a_submodule_or_a_vanished_file_has_no_lines(story: Story) -> None:
    commit = story.commit({b"a.py": BASE})
    story.edits(commit, {"1": [*wrote(BASE), *wrote(b"x\n", "gone.py"), *wrote(b"x\n", '"\\q"')]})
    story.commit({b"b.py": b"1\n"}, commit)
    assert counts(story.follow(1)) == {"1": (5, 0)}


def test_times_are_those_of_the_builder(story: Story) -> None:
    assert story.time_of(story.commit({b"a.py": BASE})) == FIRST
    assert DAY == 86_400
