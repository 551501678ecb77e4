"""Notes in real repositories: one for each commit, whoever else writes there at the same time."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import Item, Refused
from gitgoodbench.feedback.notes import edit_digest, note_line
from gitgoodbench.feedback.records import Key
from gitgoodbench.feedback.sinks import notes
from gitgoodbench.feedback.sinks.notes import REF, Notes, read_note, write_note
from gitgoodbench.git.process import Git
from tests.feedback.support_notes import commit_result, edit_result, place, repository
from tests.support.repositories import RepositoryBuilder


def chain(repo: RepositoryBuilder, count: int) -> list[str]:
    commits: list[str] = []
    for number in range(count):
        commits.append(repo.commit({b"a.py": b"%d\n" % number}, commits[-1:]))
    repo.branch("main", commits[-1])
    return commits


def item(repo: RepositoryBuilder, commit: str, name: str, **fields: object) -> Item:
    (made,) = Notes().items(commit_result(commit, edit_result(commit, name, **fields)), place(repo.path))  # type: ignore[arg-type]
    return made


def payload(repo: RepositoryBuilder, commit: str, name: str) -> Mapping[str, Any]:
    made = item(repo, commit, name).payload
    assert made is not None
    return made


def noted(repo: RepositoryBuilder, commit: str) -> list[str]:
    return [edit.edit for edit in read_note(repo.git, commit).edits]


def digest(name: str) -> str:
    return edit_digest(Key("claude-code", "s1", name))


def test_a_note_is_written_confirmed_replaced_and_taken_away(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    commit, other = chain(repo, 2)
    sink, where = Notes(), place(repo.path)
    first, second = item(repo, commit, "1"), item(repo, commit, "2")
    assert first.key == commit
    reference = sink.send(first, where)
    sink.send(item(repo, other, "o"), where)
    assert sink.confirm(first, reference, where)
    assert not sink.confirm(second, reference, where)
    sink.send(second, where)
    assert (noted(repo, commit), noted(repo, other)) == ([digest("2")], [digest("o")])
    assert sink.confirm(second, reference, where)
    gone = Item(commit, None)
    sink.send(gone, where)
    assert sink.confirm(gone, reference, where)
    assert (noted(repo, commit), noted(repo, other)) == ([], [digest("o")])
    assert repo.git.run("notes", f"--ref={REF}", "list").split()[1::2] == [other.encode()]


def test_git_shows_the_note(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    (commit,) = chain(repo, 1)
    Notes().send(item(repo, commit, "1"), place(repo.path))
    shown = repo.git.run("notes", f"--ref={REF}", "show", commit)
    assert shown.startswith(b'{"commit":"%s"' % commit.encode())
    assert shown.count(b"\n") == 1


def test_sending_the_same_again_changes_nothing(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    (commit,) = chain(repo, 1)
    Notes().send(item(repo, commit, "1"), place(repo.path))
    tip = repo.git.line("rev-parse", REF)
    Notes().send(item(repo, commit, "1"), place(repo.path))
    Notes().send(item(repo, commit, "2"), place(repo.path), dry=True)
    Notes().send(Item("3" * 40, None), place(repo.path))
    assert repo.git.line("rev-parse", REF) == tip


def test_paths_that_are_not_in_the_commit_are_left_out(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    commit = repo.commit({b"src/a.py": b"1\n", b"b c.py": b"1\n"})
    paths = ["src/a.py", "b c.py", ".env", "../else/a.py", "/etc/passwd", "", "src/", '"\\777"']
    sent = [item(repo, commit, "1", path=path).payload for path in paths]
    assert [one["edits"][0]["path"] for one in sent if one is not None] == ["src/a.py", "b c.py", *6 * [None]]


def test_of_twenty_written_at_once_by_processes_and_threads_none_is_lost(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    commits = chain(repo, 20)
    write = (
        "import json, sys; from pathlib import Path; from gitgoodbench.feedback.sinks.notes import write_note; "
        "[write_note(Path(sys.argv[1]), one['commit'], one) for one in json.load(sys.stdin)]"
    )
    started = []
    for part in range(2):
        documents = b"[%s]" % b",".join(note_line(payload(repo, one, "p")) for one in commits[part::4])
        process = subprocess.Popen([sys.executable, "-c", write, str(repo.path)], stdin=subprocess.PIPE)
        assert process.stdin is not None
        process.stdin.write(documents)
        process.stdin.close()
        started.append(process)
    rest = commits[2::4] + commits[3::4]
    with ThreadPoolExecutor(len(rest)) as pool:
        list(pool.map(lambda one: Notes().send(item(repo, one, "t"), place(repo.path)), rest))
    assert [process.wait(60) for process in started] == [0, 0]
    assert [len(noted(repo, commit)) for commit in commits] == [1] * 20


def test_what_another_process_writes_meanwhile_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = repository(tmp_path / "r")
    first, second, third = chain(repo, 3)
    Notes().send(item(repo, first, "1"), place(repo.path))
    real = notes._import
    times: list[None] = []

    def interrupted(*args: Any) -> None:
        if not times:
            repo.git.run("notes", f"--ref={REF}", "add", "-m", "by hand", second)
        times.append(None)
        real(*args)

    monkeypatch.setattr(notes, "_import", interrupted)
    Notes().send(item(repo, third, "3"), place(repo.path))
    assert len(times) == 2
    assert noted(repo, first) == [digest("1")]
    assert read_note(repo.git, second).others == (b"by hand",)
    assert noted(repo, third) == [digest("3")]
    assert not list(repo.path.glob("fast_import_crash*"))


def test_a_note_that_git_appended_when_it_rewrote_a_commit_is_read_and_replaced_by_one(tmp_path: Path) -> None:
    work = tmp_path / "w"
    settings = ("user.name=A", "user.email=a@b.c", "notes.rewriteRef=refs/notes/*")
    git = ["git", *(word for setting in settings for word in ("-c", setting))]

    def run(*args: str) -> str:
        done = subprocess.run([*git, *args], cwd=work, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    work.mkdir()
    run("init", "-q")
    (work / "a.py").write_text("1\n")
    run("add", ".")
    run("commit", "-qm", "one")
    old, where = run("rev-parse", "HEAD"), place(work / ".git")

    def made(commit: str, name: str) -> Item:
        (one,) = Notes().items(commit_result(commit, edit_result(commit, name)), where)
        return one

    Notes().send(made(old, "1"), where)
    run("commit", "-q", "--amend", "-m", "two")  # Git copies the note
    new = run("rev-parse", "HEAD")
    Notes().send(made(new, "2"), where)
    assert run("notes", f"--ref={REF}", "show", new).count('"schema"') == 1
    run("notes", f"--ref={REF}", "append", "-m", run("notes", f"--ref={REF}", "show", old), new)
    note = read_note(Git(work / ".git"), new)
    assert [one.commit for one in note.documents] == [new, old]
    Notes().send(made(new, "3"), where)
    Notes().send(Item(old, None), where)
    assert [one.commit for one in read_note(Git(work / ".git"), new).documents] == [new]
    assert read_note(Git(work / ".git"), old).documents == ()


def test_documents_of_other_clones_stay_and_are_never_taken_away(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    (commit,) = chain(repo, 1)
    theirs = note_line({**payload(repo, commit, "theirs"), "writer": "another"})
    repo.git.run("notes", f"--ref={REF}", "add", "-F", "-", commit, stdin=theirs)
    Notes().send(item(repo, commit, "mine"), place(repo.path))
    assert noted(repo, commit) == [digest("theirs"), digest("mine")]
    Notes().send(Item(commit, None), place(repo.path))
    Notes().send(Item(commit, None), place(repo.path))
    assert noted(repo, commit) == [digest("theirs")]


def test_notes_of_two_clones_are_merged_by_git(tmp_path: Path) -> None:
    repo, clone = repository(tmp_path / "r"), repository(tmp_path / "c")
    (commit,) = chain(repo, 1)
    assert chain(clone, 1) == [commit]
    Notes().send(item(repo, commit, "1"), place(repo.path))
    Notes().send(item(clone, commit, "2"), place(clone.path))
    tip = clone.git.line("rev-parse", REF)
    pack = clone.git.run("pack-objects", "--revs", "--stdout", stdin=tip.encode() + b"\n")
    repo.git.run("index-pack", "--stdin", stdin=pack)
    repo.git.run("update-ref", "refs/notes/origin", tip)
    repo.git.run("notes", f"--ref={REF}", "merge", "-s", "cat_sort_uniq", "refs/notes/origin")
    assert sorted(noted(repo, commit)) == sorted([digest("1"), digest("2")])


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_notes_lie_where_git_finds_them_however_many_there_are(tmp_path: Path, algorithm: str) -> None:
    repo = RepositoryBuilder(tmp_path / "r", algorithm=algorithm)
    flat, deep, new = chain(repo, 3)
    digits = deep.encode("ascii")
    places = {flat.encode(): b"old\n", digits[:2] + b"/" + digits[2:]: b"old\n", digits: b"old too\n"}
    repo.git.run("update-ref", REF, repo.git.line("commit-tree", repo.tree(places), "-m", "notes"))
    assert len(read_note(repo.git, deep).others) == 2
    for commit in (flat, deep, new):
        Notes().send(item(repo, commit, "1"), place(repo.path))
    listed = repo.git.run("notes", f"--ref={REF}", "list").split()
    assert sorted(listed[1::2]) == sorted(commit.encode() for commit in (flat, deep, new))
    for commit in (flat, deep, new):
        shown = repo.git.run("notes", f"--ref={REF}", "show", commit)
        assert (shown.count(b"\n"), noted(repo, commit)) == (1, [digest("1")])


def test_a_commit_that_is_gone_is_refused(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    chain(repo, 1)
    with pytest.raises(Refused, match="does not have the commit"):
        Notes().send(item(repo, "4" * 40, "1"), place(repo.path))


def test_git_that_cannot_write_is_asked_again_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = repository(tmp_path / "r")
    (commit,) = chain(repo, 1)
    made = item(repo, commit, "1")
    (repo.path / "refs/notes").mkdir(parents=True)
    (repo.path / "refs/notes/gitgoodbench.lock").touch()
    monkeypatch.setattr(time, "sleep", lambda _: None)
    monkeypatch.setattr(notes, "_ATTEMPTS", 2)
    with pytest.raises(OSError, match="note could not be written"):
        Notes().send(made, place(repo.path))


def test_checking_counts_the_notes_and_tells_what_is_none(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    commits = chain(repo, 2)
    assert "with the first note" in Notes().check(place(repo.path))
    for commit in commits:
        Notes().send(item(repo, commit, "1"), place(repo.path))
    assert Notes().check(place(repo.path)).startswith("2 notes under refs/notes/gitgoodbench")
    blob = repo.git.line("hash-object", "-w", "--stdin", stdin=b"x\n")
    repo.git.run("update-ref", REF, blob)
    with pytest.raises(UserError, match="update-ref -d"):
        Notes().check(place(repo.path))


def test_a_damaged_note_is_no_obstacle(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    (commit,) = chain(repo, 1)
    repo.git.run("notes", f"--ref={REF}", "add", "-F", "-", commit, stdin=b'{"schema":"gitgoodbench-feedback/1","wr')
    assert read_note(repo.git, commit).documents == ()
    write_note(repo.path, commit, payload(repo, commit, "1"))
    assert (noted(repo, commit), read_note(repo.git, commit).others) == ([digest("1")], ())
