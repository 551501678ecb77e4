"""An automatic merge as Git tells it: its tree, the stages of what is in conflict, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.git.objects import REGULAR, SUBMODULE, SYMLINK, Entry, read_blobs, read_tree, write_blob
from gitgoodbench.git.process import GitError
from gitgoodbench.git.replay import (
    Notice,
    Replay,
    Stages,
    needed_marker_size,
    parse_merge_tree,
    read_merge_tree,
    replay_merge,
)
from tests.support.repositories import RepositoryBuilder

TREE, ONE, TWO, THREE = (digit * 40 for digit in "0123")
STAGES = b"100644 %s 1\ta b\x00100755 %s 2\ta b\x00120000 %s 3\tc\td\0" % (ONE.encode(), TWO.encode(), THREE.encode())
NOTICES = (
    b"1\0a b\0Auto-merging\0Auto-merging a b\n\x002\0a b\0c\td\0CONFLICT (contents)\0CONFLICT (content): two\n\n\0"
)
ANSWER = b"%s\0%s\0%s\0" % (TREE.encode(), STAGES, NOTICES)
REPLAY = Replay(
    TREE,
    {b"a b": Stages(base=Entry(REGULAR, ONE), local=Entry("100755", TWO)),
     b"c\td": Stages(incoming=Entry(SYMLINK, THREE))},
    (Notice("Auto-merging", (b"a b",), b"Auto-merging a b"),
     Notice("CONFLICT (contents)", (b"a b", b"c\td"), b"CONFLICT (content): two")),
    clean=False,
)  # fmt: skip


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r.git")


def test_an_answer_is_read_field_by_field() -> None:
    assert parse_merge_tree(ANSWER, clean=False) == REPLAY
    assert REPLAY.marker_size == 7
    assert [notice.is_conflict for notice in REPLAY.notices] == [False, True]
    assert REPLAY.conflicted[b"a b"].entries == [Entry(REGULAR, ONE), Entry("100755", TWO)]
    assert parse_merge_tree(TREE.encode() + b"\0\0\0", clean=True, marker_size=9) == Replay(TREE, {}, (), True, 9)


def test_one_answer_after_another_is_read_and_no_field_of_the_next() -> None:
    advice = ANSWER[:-1] + b"Recursive merging with submodules is a matter of a person\0"
    fields = iter((advice + ANSWER + TREE.encode() + b"\0").split(b"\0"))
    assert read_merge_tree(fields, clean=False) == REPLAY
    assert read_merge_tree(fields, clean=False, marker_size=8) == Replay(
        REPLAY.tree, REPLAY.conflicted, REPLAY.notices, False, 8
    )
    assert next(fields) == TREE.encode()


@pytest.mark.parametrize("kept", range(ANSWER[:-1].count(b"\0")))
def test_an_answer_that_is_cut_short_is_none(kept: int) -> None:
    fields = ANSWER.split(b"\0")[: kept + 1]
    assert read_merge_tree(iter(fields), clean=False) is None
    with pytest.raises(ValueError, match=r"^the output of git merge-tree is cut short$"):
        parse_merge_tree(b"\0".join(fields), clean=False)


def test_a_merge_in_conflict_has_markers_named_after_its_sides(builder: RepositoryBuilder) -> None:
    base = builder.commit({b"a": b"1\n", b"b": b"1\n"})
    builder.branch("ours", builder.commit({b"a": b"2\n", b"b": b"2\n"}, [base]))
    builder.branch("theirs", builder.commit({b"a": b"3\n", b"b": b"1\n"}, [base]))
    replay = replay_merge(builder.git, "ours", "theirs", marker_size=11)
    blobs = [write_blob(builder.git, content) for content in (b"1\n", b"2\n", b"3\n")]
    assert replay.conflicted == {b"a": Stages(*(Entry(REGULAR, blob) for blob in blobs))}
    assert (replay.clean, replay.marker_size) == (False, 11)
    assert [(notice.kind, notice.paths) for notice in replay.notices] == [
        ("Auto-merging", (b"a",)), ("CONFLICT (contents)", (b"a",)),
    ]  # fmt: skip
    tree = read_tree(builder.git, replay.tree)
    assert read_blobs(builder.git, [tree[b"a"].oid, tree[b"b"].oid]) == {
        tree[b"a"].oid: b"<<<<<<< ours\n2\n=======\n3\n>>>>>>> theirs\n", blobs[1]: b"2\n",
    }  # fmt: skip


def test_a_merge_without_conflict_is_clean_also_without_an_ancestor(builder: RepositoryBuilder) -> None:
    one, other = builder.commit({b"a": b"1\n"}), builder.commit({b"b": b"2\n"})
    assert replay_merge(builder.git, one, other) == Replay(builder.tree({b"a": b"1\n", b"b": b"2\n"}), {}, (), True, 7)


def test_a_merge_that_cannot_be_computed_is_an_error(builder: RepositoryBuilder) -> None:
    one = builder.commit({b"a": b"1\n"})
    with pytest.raises(GitError, match="merge-tree --write-tree -z --messages"):
        replay_merge(builder.git, one, "9" * 40)


def test_markers_are_longer_than_what_the_files_have_in_common_with_them(builder: RepositoryBuilder) -> None:
    def entry(content: bytes, mode: str = REGULAR) -> Entry:
        return Entry(mode, write_blob(builder.git, content))

    plain, marked = entry(b"x\n"), entry(b"<<<<<<<<< a\n")
    assert needed_marker_size(builder.git, [Stages(plain, plain, plain)]) == 7
    assert needed_marker_size(builder.git, [Stages(plain, plain), Stages(incoming=marked)]) == 10
    others = Stages(entry(b"<<<<<<<<< a\n", SYMLINK), Entry(SUBMODULE, ONE), Entry(REGULAR, TWO))
    assert needed_marker_size(builder.git, [others]) == 7
