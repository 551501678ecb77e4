"""Chains as a reviewer sees them: exact messages and patches, no ids, whatever the commits hold."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitgoodbench.git import histories
from gitgoodbench.git.histories import ChainHistory, CommitView, HistoryError, read_history
from gitgoodbench.git.objects import EXECUTABLE, SUBMODULE, SYMLINK, Entry, write_blob
from gitgoodbench.git.patch_text import readable_patch
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r.git")


def write_commit(repository: RepositoryBuilder, parent: str, ending: bytes, *, tree_of: str | None = None) -> str:
    """A commit object whose further headers and message are exactly `ending` (`git commit-tree` mends messages)."""
    tree = repository.git.line("rev-parse", f"{tree_of or parent}^{{tree}}")
    people = b"author A <a@x> 1600000000 +0000\ncommitter C <c@x> 1600000000 +0000\n"
    raw = b"tree %s\nparent %s\n%s%s" % (tree.encode(), parent.encode(), people, ending)
    return repository.git.line("hash-object", "-t", "commit", "-w", "--stdin", stdin=raw)


def test_a_chain_is_read_oldest_first_without_ids_people_and_dates(repository: RepositoryBuilder) -> None:
    base = repository.commit({b"a.py": b"one\n"})
    first = repository.commit({b"a.py": b"one\ntwo\n"}, [base], b"Add two\n\nBecause.\n")
    second = repository.commit({b"a.py": b"one\ntwo\n", b"b.py": b"b"}, [first], b"Add b")
    chain = read_history(repository.git, base, second)
    assert chain == ChainHistory(
        (
            CommitView(
                b"Add two\n\nBecause.\n",
                b"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n one\n+two\n",
            ),
            CommitView(
                b"Add b",
                b"diff --git a/b.py b/b.py\nnew file mode 100644\n--- /dev/null\n+++ b/b.py\n@@ -0,0 +1 @@\n+b\n"
                b"\\ No newline at end of file\n",
            ),
        )
    )
    assert read_history(repository.git, second, second) == ChainHistory(())


def test_a_chain_from_the_root(repository: RepositoryBuilder) -> None:
    root = repository.commit({b"a": b"1\n"}, [], b"Begin\n")
    tip = repository.commit({b"a": b"2\n"}, [root], b"Go on\n")
    chain = read_history(repository.git, None, tip)
    assert [commit.message for commit in chain.commits] == [b"Begin\n", b"Go on\n"]
    assert b"new file mode 100644\n" in chain.commits[0].patch


def test_one_path_alone_keeps_the_other_commits_without_a_patch(repository: RepositoryBuilder) -> None:
    base = repository.commit({b"-x.py": b"1\n", b"*": b"1\n"})
    first = repository.commit({b"-x.py": b"2\n", b"*": b"2\n"}, [base], b"both\n")
    tip = repository.commit({b"-x.py": b"2\n", b"*": b"3\n"}, [first], b"star\n")
    chain = read_history(repository.git, base, tip, path=b"-x.py")
    assert [commit.patch.count(b"diff --git") for commit in chain.commits] == [1, 0]
    assert b"-x.py" in chain.commits[0].patch
    star = read_history(repository.git, base, tip, path=b"*")
    assert [commit.patch.count(b"diff --git") for commit in star.commits] == [1, 1]


def test_only_the_first_parents_of_merges_are_followed(repository: RepositoryBuilder) -> None:
    base = repository.commit({b"a": b"1\n"})
    side = repository.commit({b"a": b"1\n", b"s": b"s\n"}, [base], b"side\n")
    main = repository.commit({b"a": b"2\n"}, [base], b"main\n")
    merge = repository.commit({b"a": b"2\n", b"s": b"s\n"}, [main, side], b"merge\n")
    chain = read_history(repository.git, base, merge)
    assert [commit.message for commit in chain.commits] == [b"main\n", b"merge\n"]
    assert b"+s\n" in chain.commits[1].patch


def test_a_base_that_is_not_below_is_an_error(repository: RepositoryBuilder) -> None:
    base = repository.commit({b"a": b"1\n"})
    other = repository.commit({b"a": b"2\n"}, [], b"other\n")
    tip = repository.commit({b"a": b"3\n"}, [base], b"tip\n")
    for wrong, top in ((other, tip), (tip, base), (base, other)):
        with pytest.raises(HistoryError):
            read_history(repository.git, wrong, top)
    with pytest.raises(HistoryError, match="rev-list fails"):
        read_history(repository.git, base, "0" * 40)


def test_bytes_of_any_kind_come_out_as_they_are(repository: RepositoryBuilder) -> None:
    strange = b"caf\xe9\r\n\x0c\xe2\x80\xa8\tx \n\nindex 0123456..89abcde 100644\n"
    base = repository.commit({b"a": b"x\n"})
    changed = repository.commit({b"a": b"x\n" + strange}, [base])
    tip = write_commit(repository, base, b"\nindex 0..1\n\n\xff\xfe \r\n# not a comment\n", tree_of=changed)
    (commit,) = read_history(repository.git, base, tip).commits
    assert commit.message == b"index 0..1\n\n\xff\xfe \r\n# not a comment\n"
    added = b"".join(b"+" + line + b"\n" for line in strange.split(b"\n")[:-1])
    assert commit.patch.endswith(b"@@ -1 +1,5 @@\n x\n" + added)


def test_modes_renames_submodules_and_binaries_leave_no_ids(repository: RepositoryBuilder) -> None:
    lines = b"".join(b"%d\n" % number for number in range(40))
    base = repository.commit({b"a": lines, b"m": b"x\n", b"z": b"\0\1"})
    tip = repository.commit(
        {b"b": lines + b"more\n", b"m": (EXECUTABLE, b"x\n"), b"z": b"\0\2", b"sub": Entry(SUBMODULE, "1" * 40)}, [base]
    )
    (commit,) = read_history(repository.git, base, tip).commits
    assert b"rename from a\nrename to b\n" in commit.patch
    assert b"old mode 100644\nnew mode 100755\n" in commit.patch
    assert b"Binary files a/z and b/z differ (2 bytes, now 2 bytes)\n" in commit.patch
    assert b"+Subproject commit 1111111111111111111111111111111111111111\n" in commit.patch
    assert not [line for line in commit.patch.split(b"\n") if line.startswith(b"index ")]


def test_what_has_no_text_of_its_own_is_told_in_words(repository: RepositoryBuilder) -> None:
    base = repository.commit({b"gone": b"\0" * 4, b"run": (EXECUTABLE, b"x\n"), b"link": (SYMLINK, b"old/target")})
    tip = repository.commit(
        {b"new": b"\0" * 5, b"run": (EXECUTABLE, b"y\n"), b"link": (SYMLINK, b"new/target")}, [base]
    )
    patch = read_history(repository.git, base, tip).commits[0].patch
    assert patch == (
        b"diff --git a/gone b/gone\ndeleted file mode 100644\nBinary files a/gone and /dev/null differ (4 bytes)\n"
        b"diff --git a/link b/link\nmode 120000\n--- a/link\n+++ b/link\n@@ -1 +1 @@\n"
        b"-old/target\n\\ No newline at end of file\n+new/target\n\\ No newline at end of file\n"
        b"diff --git a/new b/new\nnew file mode 100644\nBinary files /dev/null and b/new differ (5 bytes)\n"
        b"diff --git a/run b/run\nmode 100755\n--- a/run\n+++ b/run\n@@ -1 +1 @@\n-x\n+y\n"
    )


def test_commits_that_change_nothing_of_what_is_shown_can_be_left_out(repository: RepositoryBuilder) -> None:
    base = tip = repository.commit({b"a": b"0\n", b"o": b"0\n"})
    tip = repository.commit({b"a": b"1\n", b"o": b"0\n"}, [tip], b"a\n")
    tip = repository.commit({b"a": b"1\n", b"o": b"0\n"}, [tip], b"nothing\n")
    tip = repository.commit({b"a": b"1\n", b"o": b"1\n"}, [tip], b"o\n")
    side = repository.commit({b"a": b"2\n", b"o": b"1\n"}, [tip], b"side\n")
    tip = repository.commit({b"a": b"2\n", b"o": b"1\n"}, [tip, side], b"merge\n")
    everything = read_history(repository.git, base, tip, changes_only=True)
    assert [commit.message for commit in everything.commits] == [b"a\n", b"o\n", b"merge\n"]
    assert (everything.unchanging, everything.left_out) == (1, 0)
    one_file = read_history(repository.git, base, tip, path=b"a", changes_only=True)
    assert [commit.message for commit in one_file.commits] == [b"a\n", b"merge\n"]
    assert one_file.unchanging == 2
    from_the_root = read_history(repository.git, None, tip, path=b"o", changes_only=True)
    assert [commit.message for commit in from_the_root.commits] == [b"A commit\n", b"o\n"]
    assert read_history(repository.git, base, tip).unchanging == 0


def test_commits_without_a_change_take_no_room_from_the_others(
    repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(histories, "MAX_COMMITS", 2)
    base = tip = repository.commit({b"a": b"0\n"})
    for content in (b"1\n", b"1\n", b"1\n", b"2\n"):
        tip = repository.commit({b"a": content}, [tip])
    chain = read_history(repository.git, base, tip, changes_only=True)
    assert [commit.patch[-6:] for commit in chain.commits] == [b"-0\n+1\n", b"-1\n+2\n"]
    assert (chain.left_out, chain.unchanging) == (0, 2)


def test_equal_digests_mean_the_same_change_beyond_what_is_read(
    repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(histories, "MAX_PATCH_BYTES", 100)
    base = repository.commit({b"a": b"", b"z": b"1\n"})
    long = b"x" * 500 + b"\n"
    one, other = (repository.commit({b"a": long, b"z": last}, [base]) for last in (b"2\n", b"3\n"))
    again = repository.commit({b"a": long, b"z": b"2\n"}, [base], b"Another message\n")
    (first,), (second,), (third,) = (read_history(repository.git, base, tip).commits for tip in (one, other, again))
    assert first.patch == second.patch
    whole = repository.git.run("diff-tree", "-p", "--no-commit-id", "--full-index", base, one)
    assert first.patch_unread == len(whole) - 100
    assert first.digest != second.digest
    assert first.digest == third.digest


def test_a_message_in_another_encoding_becomes_utf_8(repository: RepositoryBuilder) -> None:
    base = repository.commit({b"a": b"1\n"})
    tip = write_commit(repository, base, b"encoding ISO-8859-1\n\ncaf\xe9\n")
    (commit,) = read_history(repository.git, base, tip).commits
    assert commit.message == "café\n".encode()


def test_what_is_too_long_is_cut_and_said(repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(histories, "MAX_PATCH_BYTES", 300)
    monkeypatch.setattr(histories, "MAX_COMMITS", 2)
    base = tip = repository.commit({b"a": b"0\n"})
    for number in range(5):
        tip = repository.commit({b"a": b"x" * (500 if number == 1 else 5) + b"\n"}, [tip], b"c%d\n" % number)
    chain = read_history(repository.git, base, tip)
    assert [(commit.message, commit.truncated) for commit in chain.commits] == [(b"c0\n", False), (b"c1\n", True)]
    assert chain.commits[1].patch.startswith(b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-xxxxx\n+xxx")
    assert 200 < len(chain.commits[1].patch) < 300
    assert chain.left_out == 3


def test_a_command_that_takes_too_long_is_ended(
    repository: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = repository.commit({b"a": b"0\n"})
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(slow.parent), prepend=os.pathsep)
    monkeypatch.setattr(histories, "_TIMEOUT_S", 0.1)
    with pytest.raises(HistoryError, match=f"^git rev-list takes too long on '\\^{base}'$"):
        read_history(repository.git, base, base)


def test_the_configuration_of_the_repository_reshapes_nothing(repository: RepositoryBuilder) -> None:
    base = repository.commit({b"a": b"1\n2\n3\n4\n5\n"})
    tip = repository.commit({b"a": b"1\n2\nX\n4\n5\n"}, [base])
    before = read_history(repository.git, base, tip)
    for setting in (
        "diff.noprefix true",
        "diff.context 0",
        "color.ui always",
        "diff.algorithm patience",
        "diff.external /bin/false",
    ):
        repository.git.run("config", *setting.split())
    assert read_history(repository.git, base, tip) == before
    assert b"@@ -1,5 +1,5 @@\n 1\n 2\n-3\n+X\n 4\n 5\n" in before.commits[0].patch


def test_a_binary_file_whose_content_is_not_there_has_an_unknown_size(repository: RepositoryBuilder) -> None:
    known, lost, none = write_blob(repository.git, b"\0" * 12), "1" * 40, "0" * 40
    patch = "".join(
        f"diff --git a/x b/x\nindex {old}..{new} 100644\nBinary files a/x and b/x differ\n"
        for old, new in ((lost, known), (known, lost), (none, lost))
    )
    differ = [b"diff --git a/x b/x", b"Binary files a/x and b/x differ"]
    assert readable_patch(repository.git, patch.encode()).splitlines() == [
        *(differ[0], differ[1] + b" (size unknown, now 12 bytes)"),
        *(differ[0], differ[1] + b" (12 bytes, now size unknown)"),
        *(differ[0], differ[1] + b" (size unknown)"),
    ]
