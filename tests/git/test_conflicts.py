"""The conflicts of a merge: their numbers, what each choice places where, and the answers that reach a truth."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gitgoodbench.git.attainable import Solution, solve, truth_blobs_needed
from gitgoodbench.git.conflicts import Choice, ConflictModel, PathConflict, TextConflict, read_conflicts
from gitgoodbench.git.objects import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, Entry, read_blobs, read_tree
from gitgoodbench.git.replay import replay_merge
from tests.support.repositories import Content, RepositoryBuilder

Files = Mapping[bytes, Content]
LOCAL, INCOMING, DELETION = Choice.LOCAL, Choice.INCOMING, Choice.DELETION
BODY = b"".join(b"line %d\n" % number for number in range(30))
LINES, OURS, THEIRS = BODY, BODY.replace(b"9\n", b"9 ours\n", 1), BODY.replace(b"9\n", b"9 theirs\n", 1)


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r.git")


def merged(builder: RepositoryBuilder, base: Files, ours: Files, theirs: Files) -> ConflictModel:
    root = builder.commit(base)
    local, incoming = builder.commit(ours, [root]), builder.commit(theirs, [root])
    builder.branch("HEAD-side", local)
    return read_conflicts(builder.git, replay_merge(builder.git, local, incoming))


def solved(builder: RepositoryBuilder, model: ConflictModel, truth: Files) -> Solution:
    tree = read_tree(builder.git, builder.tree(truth))
    return solve(model, tree, read_blobs(builder.git, truth_blobs_needed(model, tree)))


def placed(builder: RepositoryBuilder, model: ConflictModel) -> list[object]:
    """Each conflict: path and number of a text, or kind, paths, and contents (modes but for plain files) by choice."""

    def shown(entry: Entry | None) -> object:
        if entry is None or entry.mode == SUBMODULE:
            return entry and entry.oid
        content = read_blobs(builder.git, [entry.oid])[entry.oid]
        return content if entry.mode == REGULAR else (entry.mode, content)

    def listed(conflict: PathConflict) -> list[object]:
        return [{path: shown(entry) for path, entry in conflict.placements[choice].items()} for choice in Choice]

    return [
        (conflict.path, conflict.position) if isinstance(conflict, TextConflict)
        else (conflict.kind, conflict.paths, *listed(conflict))
        for conflict in model.conflicts
    ]  # fmt: skip


TEXT: tuple[Files, Files, Files] = (
    {b"b.py": BODY, b"a.py": b"1\n", b"c": b"0\n"},
    {b"b.py": BODY.replace(b"line 2\n", b"x\n").replace(b"line 29\n", b"x\n"), b"a.py": b"2\n", b"c": b"1\n"},
    {b"b.py": BODY.replace(b"line 2\n", b"y\n").replace(b"line 29\n", b"y\n"), b"a.py": b"3\n", b"c": b"0\n"},
)


def test_text_conflicts_are_numbered_by_path_and_place(builder: RepositoryBuilder) -> None:
    model = merged(builder, *TEXT)
    assert placed(builder, model) == [(b"a.py", 0), (b"b.py", 0), (b"b.py", 1)]
    assert model.paths == [b"a.py", b"b.py"]
    assert [(model.region(one).local, model.region(one).incoming) for one in model.text_conflicts] == [
        (b"2\n", b"3\n"), (b"x\n", b"y\n"), (b"x\n", b"y\n"),
    ]  # fmt: skip
    assert [model.files[b"b.py"].ends_in_region(position) for position in (0, 1)] == [False, True]
    inner = merged(builder, {b"a": b"1\n\n2\n"}, {b"a": b"2\n\n2\n"}, {b"a": b"3\n\n2\n"})
    assert inner.files[b"a"].ends_in_region(0) is False


@pytest.mark.parametrize(("ours", "theirs"), [(b"2", b"3\n"), (b"2\n", b"3"), (b"2", b"3")])
def test_a_side_without_a_final_newline_is_given_without_it(
    builder: RepositoryBuilder, ours: bytes, theirs: bytes
) -> None:
    model = merged(builder, {b"a": b"1\n"}, {b"a": ours}, {b"a": theirs})
    region = model.region(model.text_conflicts[0])
    assert (region.local, region.incoming) == (ours, theirs)


def test_the_answers_that_reach_the_truth_are_found(builder: RepositoryBuilder) -> None:
    model = merged(builder, *TEXT)
    truth = {b"b.py": BODY.replace(b"line 2\n", b"x\ny\n").replace(b"line 29\n", b""), b"a.py": b"3\n4\n", b"c": b"1\n"}
    assert solved(builder, model, truth) == Solution(True, (b"3\n4\n", b"x\ny\n", b""))
    assert solved(builder, model, {**truth, b"c": b"0\n"}) == Solution(False, (b"3\n4\n", b"x\ny\n", b""))
    assert solved(builder, model, {**truth, b"new": b""}) == Solution(False, (b"3\n4\n", b"x\ny\n", b""))
    executable: Files = {**truth, b"a.py": (EXECUTABLE, b"3\n4\n")}
    assert solved(builder, model, executable) == Solution(False, (b"3\n4\n", b"x\ny\n", b""))
    gone = {path: content for path, content in truth.items() if path != b"b.py"}
    assert solved(builder, model, gone) == Solution(False, (b"3\n4\n", b"x\n", b"x\n"))
    linked: Files = {**truth, b"a.py": (SYMLINK, b"3\n4\n")}
    assert solved(builder, model, linked) == Solution(False, (b"2\n", b"x\ny\n", b""))


def test_a_truth_that_changes_more_has_the_nearest_answers(builder: RepositoryBuilder) -> None:
    model = merged(builder, *TEXT)
    truth = {b"b.py": TEXT[1][b"b.py"], b"a.py": b"3\n", b"c": b"1\n"}
    assert isinstance(truth[b"b.py"], bytes)
    more = {**truth, b"b.py": truth[b"b.py"].replace(b"line 15\n", b"line fifteen\n")}
    assert solved(builder, model, truth) == Solution(True, (b"3\n", b"x\n", b"x\n"))
    assert solved(builder, model, more) == Solution(False, (b"3\n", b"x\n", b"x\n"))


def test_only_contents_of_files_in_conflict_are_needed(builder: RepositoryBuilder) -> None:
    model = merged(builder, *TEXT)
    tree = {b"a.py": Entry(REGULAR, "1" * 40), b"b.py": Entry(SYMLINK, "2" * 40), b"c": Entry(REGULAR, "3" * 40)}
    assert truth_blobs_needed(model, tree) == ["1" * 40]
    assert truth_blobs_needed(model, {}) == []
    assert solve(model, tree, {}) == Solution(False, (b"2\n", b"x\n", b"x\n"))


def test_what_one_side_deleted_is_kept_or_deleted(builder: RepositoryBuilder) -> None:
    model = merged(builder, {b"a": b"1\n", b"z": b""}, {b"z": b""}, {b"a": b"2\n", b"z": b""})
    assert placed(builder, model) == [("modify/delete", (b"a",), {b"a": None}, {b"a": b"2\n"}, {b"a": None})]
    assert model.paths == [b"a"]
    assert solved(builder, model, {b"z": b"", b"a": b"2\n"}) == Solution(True, (INCOMING,))
    assert solved(builder, model, {b"z": b""}) == Solution(True, (LOCAL,))
    assert solved(builder, model, {b"z": b"", b"a": b"3\n"}) == Solution(False, (LOCAL,))


def test_two_names_of_one_file_are_one_conflict_and_the_text_within_follows(builder: RepositoryBuilder) -> None:
    ours: Files = {b"left": OURS, b"z": b"2\n"}
    model = merged(builder, {b"old": BODY, b"z": b"1\n"}, ours, {b"right": THEIRS, b"z": b"3\n"})
    first = model.conflicts[0]
    assert isinstance(first, PathConflict)
    assert (first.kind, first.paths) == ("rename/rename", (b"left", b"old", b"right"))
    automatic, nothing = model.automatic, dict.fromkeys([b"left", b"old", b"right"])
    assert first.placements == {
        LOCAL: {**nothing, b"left": automatic[b"left"]}, INCOMING: {**nothing, b"right": automatic[b"right"]},
        DELETION: nothing,
    }  # fmt: skip
    assert placed(builder, model)[1:] == [(b"left", 0), (b"right", 0), (b"z", 0)]
    assert model.paths == [b"left", b"old", b"right", b"z"]
    both = BODY.replace(b"9\n", b"9 both\n", 1)
    answers = solved(builder, model, {b"right": both, b"z": b"2\n"})
    assert answers == Solution(True, (INCOMING, b"line 9 ours\n", b"line 9 both\n", b"2\n"))
    assert solved(builder, model, {b"right": both, b"z": b"2\n", b"old": BODY}).attainable is False


@pytest.mark.parametrize(
    ("kind", "base", "ours", "theirs"),
    [
        ("binary", b"\0\1", b"\0\2", b"\0\3"),
        ("symbolic link", (SYMLINK, b"a"), (SYMLINK, b"b"), (SYMLINK, b"c")),
        ("submodule", Entry(SUBMODULE, "1" * 40), Entry(SUBMODULE, "2" * 40), Entry(SUBMODULE, "3" * 40)),
    ],
)
def test_whole_entries_are_chosen_from(
    builder: RepositoryBuilder, kind: str, base: Content, ours: Content, theirs: Content
) -> None:
    model = merged(builder, *({b"x": content} for content in (base, ours, theirs)))
    sides = [content.oid if isinstance(content, Entry) else content for content in (ours, theirs)]
    assert placed(builder, model) == [(kind, (b"x",), {b"x": sides[0]}, {b"x": sides[1]}, {b"x": None})]
    for truth, choice in ({b"x": ours}, LOCAL), ({b"x": theirs}, INCOMING), ({}, DELETION):
        assert solved(builder, model, truth) == Solution(True, (choice,))


def test_modes_that_clash_are_chosen_from_beside_the_text(builder: RepositoryBuilder) -> None:
    model = merged(builder, {}, {b"a": b"1\n"}, {b"a": (EXECUTABLE, b"2\n")})
    text = read_blobs(builder.git, [model.automatic[b"a"].oid])[model.automatic[b"a"].oid]
    assert placed(builder, model) == [
        ("mode", (b"a",), {b"a": text}, {b"a": (EXECUTABLE, text)}, {b"a": None}), (b"a", 0),
    ]  # fmt: skip
    assert solved(builder, model, {b"a": (EXECUTABLE, b"1\n")}) == Solution(True, (INCOMING, b"1\n"))
    assert solved(builder, model, {b"a": b"2\n"}) == Solution(True, (LOCAL, b"2\n"))
    same = merged(builder, {}, {b"a": b"1\n"}, {b"a": (EXECUTABLE, b"1\n")})
    assert placed(builder, same) == [("mode", (b"a",), {b"a": b"1\n"}, {b"a": (EXECUTABLE, b"1\n")}, {b"a": None})]


def test_a_mode_that_one_side_changed_is_no_conflict(builder: RepositoryBuilder) -> None:
    model = merged(builder, {b"a": b"1\n"}, {b"a": (EXECUTABLE, b"2\n")}, {b"a": b"3\n"})
    assert placed(builder, model) == [(b"a", 0)]
    assert solved(builder, model, {b"a": (EXECUTABLE, b"3\n")}) == Solution(True, (b"3\n",))


def test_a_file_that_had_to_move_aside_comes_back_where_its_place_is_free(builder: RepositoryBuilder) -> None:
    root = builder.commit({b"z": b""})
    local = builder.commit({b"z": b"", b"x": b"file\n"}, [root])
    incoming = builder.commit({b"z": b"", b"x/in": b"inside\n"}, [root])
    builder.branch("incoming", incoming)
    builder.git.run("symbolic-ref", "HEAD", "refs/heads/main")
    builder.branch("main", local)
    model = read_conflicts(builder.git, replay_merge(builder.git, "HEAD", "incoming"))
    assert placed(builder, model) == [
        ("file/directory", (b"x~HEAD",), {b"x~HEAD": b"file\n"}, {b"x~HEAD": None}, {b"x~HEAD": None}),
    ]  # fmt: skip
    link = builder.commit({b"z": b"", b"x": (SYMLINK, b"z")}, [root])
    builder.branch("incoming", link)
    model = read_conflicts(builder.git, replay_merge(builder.git, "HEAD", "incoming"))
    assert placed(builder, model) == [
        ("distinct modes", (b"x", b"x~HEAD"), {b"x": b"file\n", b"x~HEAD": None},
         {b"x": (SYMLINK, b"z"), b"x~HEAD": None}, {b"x": None, b"x~HEAD": None}),
    ]  # fmt: skip
    assert solved(builder, model, {b"z": b"", b"x": b"file\n"}) == Solution(True, (LOCAL,))


def test_names_that_only_look_moved_aside_stay(builder: RepositoryBuilder) -> None:
    model = merged(builder, {b"a~HEAD": b"1\n"}, {b"a~HEAD": b"2\n"}, {})
    assert placed(builder, model) == [
        ("modify/delete", (b"a~HEAD",), {b"a~HEAD": b"2\n"}, {b"a~HEAD": None}, {b"a~HEAD": None})
    ]
