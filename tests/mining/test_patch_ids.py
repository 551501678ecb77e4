"""Ids of patches, whatever is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.sample_types import patch_ids
from tests.support.repositories import RepositoryBuilder

BASE = b"".join(b"line %d\n" % number for number in range(20))


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "repository.git")


def edited(**lines: bytes) -> bytes:
    content = BASE
    for number, line in lines.items():
        content = content.replace(b"line %d\n" % int(number[1:]), line + b"\n")
    return content


@pytest.mark.parametrize("chunk", [1000, 3])
def test_a_patch_that_cannot_be_read_costs_only_itself(
    repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(patch_ids, "COMMITS_PER_PROCESS", chunk)
    root = repository.commit({b"a": BASE, b"b": BASE})
    oids = [repository.commit({b"a": edited(_5=b"%d" % n), b"b": edited(_5=b"%d" % n)}, [root]) for n in range(8)]
    expected = dict(patch_ids.patch_ids(repository.git, oids))
    for broken in (2, 3, 6):
        blob = repository.git.line("rev-parse", f"{oids[broken]}:b")
        (repository.path / "objects" / blob[:2] / blob[2:]).unlink()
    found = dict(patch_ids.patch_ids(repository.git, oids))
    assert found == {oid: None if position in (2, 3, 6) else expected[oid] for position, oid in enumerate(oids)}
    assert list(found) == oids
    assert len(set(expected.values())) == 8
