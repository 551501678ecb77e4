"""Objects read one by one through one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.git.batch import MissingObjectError, ObjectReader
from gitgoodbench.git.objects import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, Entry, write_blob
from tests.support.repositories import RepositoryBuilder


@pytest.fixture(params=["sha1", "sha256"])
def repository(tmp_path: Path, request: pytest.FixtureRequest) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "repository.git", algorithm=request.param)


def test_contents_are_read_byte_for_byte(repository: RepositoryBuilder) -> None:
    contents = [b"", b"\n", b"a\0b\r\n", b"missing\n", b"x" * 100_000]
    with ObjectReader(repository.git) as reader:
        oids = [write_blob(repository.git, content) for content in contents]  # written while it is open
        assert [reader.blob(oid) for oid in oids] == contents
        assert reader.blobs(oids) == dict(zip(oids, contents, strict=True))


def test_what_is_missing_is_told(repository: RepositoryBuilder) -> None:
    oid = write_blob(repository.git, b"x")
    absent = "1" * len(oid)
    with ObjectReader(repository.git) as reader:
        assert reader.blob(absent) is None
        assert reader.commit(absent) is None
        assert reader.commit(oid) is None
        for ask in (lambda: reader.blobs([oid, absent]), lambda: reader.entry(absent, b"a")):
            with pytest.raises(MissingObjectError, match=absent):
                ask()
        assert reader.blob(oid) == b"x"


def test_commits_by_abbreviation(repository: RepositoryBuilder) -> None:
    oid = repository.commit({b"a": b"x"})
    with ObjectReader(repository.git) as reader:
        assert reader.commit(oid[:8]) == oid


def test_entries_by_path(repository: RepositoryBuilder) -> None:
    length = len(write_blob(repository.git, b"x"))
    module = Entry(SUBMODULE, "1" * length)
    oid = repository.commit({b"d/e/\xff\n": (EXECUTABLE, b"x"), b"link": (SYMLINK, b"x"), b"sub": module, b"a b": b"x"})
    blob = write_blob(repository.git, b"x")
    with ObjectReader(repository.git) as reader:
        assert reader.entry(oid, b"d/e/\xff\n") == Entry(EXECUTABLE, blob)
        assert reader.entry(oid, b"link") == Entry(SYMLINK, blob)
        assert reader.entry(oid, b"sub") == module
        assert reader.entry(oid, b"a b") == Entry(REGULAR, blob)
        assert [reader.entry(oid, path) for path in (b"x", b"d/x", b"link/x", b"sub/x")] == [None] * 4


def test_differences_of_trees(repository: RepositoryBuilder) -> None:
    before = repository.commit(
        {b"same/a": b"x", b"d/mode": b"x", b"d/gone": b"x", b"folder": b"x", b"f/g": b"x", b"a.b": b"x", b"a/b": b"x"}
    )
    after = repository.commit(
        {b"same/a": b"x", b"d/mode": (EXECUTABLE, b"x"), b"d/new": b"y", b"folder/a": b"x", b"f": b"x", b"a.b": b"y",
         b"a/b": b"x"}
    )  # fmt: skip
    x, y = write_blob(repository.git, b"x"), write_blob(repository.git, b"y")
    with ObjectReader(repository.git) as reader:
        assert reader.differences(before, after) == {
            b"a.b": (Entry(REGULAR, x), Entry(REGULAR, y)),
            b"d/gone": (Entry(REGULAR, x), None),
            b"d/mode": (Entry(REGULAR, x), Entry(EXECUTABLE, x)),
            b"d/new": (None, Entry(REGULAR, y)),
            b"f": (None, Entry(REGULAR, x)),
            b"f/g": (Entry(REGULAR, x), None),
            b"folder": (Entry(REGULAR, x), None),
            b"folder/a": (None, Entry(REGULAR, x)),
        }
        assert reader.differences(before, before) == {}
