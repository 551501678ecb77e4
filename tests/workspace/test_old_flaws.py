"""Flaws that the given history has are no fault of an outcome; new ones are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitgoodbench.git.process import Git
from gitgoodbench.workspace.scratch import BundleError, ScratchRepository
from tests.support.odd_repositories import PLAIN, Entry, ObjectStore, make_commit

EVIL = b'[submodule "lib"]\n\tpath = lib\n\turl = -u./payload\n'


class Case:
    """A mirror with a base, and an agent's copy of it in which more is committed."""

    def __init__(self, folder: Path) -> None:
        self.mirror, self.agent = ObjectStore(folder / "mirror.git"), ObjectStore(folder / "agent.git")
        self.truth: list[str] = []
        self.base = self.commit(self.both(lambda objects: [(b"100644", b"a.py", objects.blob(b"1\n"))]))

    def both(self, entries: object) -> str:
        """A tree of the given history; the agent has it, too."""
        trees = {objects.tree(entries(objects)) for objects in (self.mirror, self.agent)}  # type: ignore[operator]
        (tree,) = trees
        self.truth.append(make_commit(self.mirror, PLAIN, 9, str(tree), []))
        return str(tree)

    def commit(self, tree: str, *parents: str) -> str:
        made = {make_commit(objects, PLAIN, 0, tree, parents) for objects in (self.mirror, self.agent)}
        (oid,) = made
        return oid

    def bundle(self, head: str) -> bytes:
        self.agent.ref(b"refs/heads/main", head)
        return Git(self.agent.path).run("bundle", "create", "--quiet", "-", "HEAD", "--not", self.base, "--")

    def take(self, scratch: ScratchRepository, head: str) -> None:
        scratch.import_bundle(self.bundle(head), [self.base, *self.truth])
        scratch.verify_complete(head, [self.base])


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


@pytest.fixture
def scratch(case: Case) -> Iterator[ScratchRepository]:
    with ScratchRepository(Git(case.mirror.path)) as repository:
        yield repository


def padded(objects: ObjectStore, content: bytes) -> Entry:
    """A folder in a tree, with the mode that Git once wrote."""
    return b"040000", b"lib", objects.tree([(b"100644", b"x", objects.blob(content))])


def test_a_tree_that_the_repository_has_is_not_checked_again(case: Case, scratch: ScratchRepository) -> None:
    tree = case.both(lambda objects: [padded(objects, b"old\n")])
    head = make_commit(case.agent, PLAIN, 1, tree, [case.base])
    case.take(scratch, head)
    assert scratch.git.line("rev-parse", f"{head}^{{tree}}") == tree


@pytest.mark.parametrize("beside_old_ones", [False, True])
def test_a_new_tree_with_the_same_flaw_is_refused(
    case: Case, scratch: ScratchRepository, beside_old_ones: bool
) -> None:
    parent = case.base
    if beside_old_ones:
        old = case.both(lambda objects: [padded(objects, b"old\n")])
        parent = make_commit(case.agent, PLAIN, 1, old, [case.base])
    head = make_commit(case.agent, PLAIN, 2, case.agent.tree([padded(case.agent, b"new\n")]), [parent])
    with pytest.raises(BundleError, match="zeroPaddedFilemode"):
        case.take(scratch, head)
    assert scratch.git.execute("cat-file", "-e", head).returncode != 0


def test_an_old_file_of_submodules_is_not_checked_again_where_a_new_tree_names_it(
    case: Case, scratch: ScratchRepository
) -> None:
    case.both(lambda objects: [(b"100644", b".gitmodules", objects.blob(EVIL)), padded(objects, b"old\n")])
    blob, folder = case.agent.blob(EVIL), padded(case.agent, b"old\n")
    tree = case.agent.tree([(b"100644", b".gitmodules", blob), (b"40000", *folder[1:])])
    head = make_commit(case.agent, PLAIN, 1, tree, [case.base])
    case.take(scratch, head)
    assert scratch.git.line("rev-parse", f"{head}:.gitmodules") == blob


def test_a_new_file_of_submodules_is_checked(case: Case, scratch: ScratchRepository) -> None:
    case.both(lambda objects: [padded(objects, b"old\n")])
    folder = padded(case.agent, b"old\n")
    tree = case.agent.tree([(b"100644", b".gitmodules", case.agent.blob(EVIL)), (b"40000", *folder[1:])])
    with pytest.raises(BundleError, match="gitmodulesUrl"):
        case.take(scratch, make_commit(case.agent, PLAIN, 1, tree, [case.base]))


def test_what_lies_in_the_mirror_beside_the_given_history_is_no_excuse(case: Case, scratch: ScratchRepository) -> None:
    case.both(lambda objects: [(b"100644", b"a.py", objects.blob(b"2\n"))])
    tree, _ = (objects.tree([padded(objects, b"elsewhere\n")]) for objects in (case.mirror, case.agent))
    with pytest.raises(BundleError, match="zeroPaddedFilemode"):
        case.take(scratch, make_commit(case.agent, PLAIN, 1, tree, [case.base]))
