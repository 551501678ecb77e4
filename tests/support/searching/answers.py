"""What would give an answer away: ids, messages and lines that only the real commits have, and those after them."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator

from gitgoodbench.scenarios.pick.episode import open_pick

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.git.process import Git
from gitgoodbench.sample_types.specs import chain_spec, merge_spec
from gitgoodbench.scenario import RepositoryStore
from gitgoodbench.workspace.chain import open_chain
from gitgoodbench.workspace.scratch import ScratchRepository

_TELLING = 30
"""Characters of a line that says where it comes from."""


def answer_of(scenario: str, sample: Sample, store: RepositoryStore) -> frozenset[bytes]:
    """Every id of an object that the agent may not know, and every telling line that only such objects have."""
    git, known, contents = _known(scenario, sample, store)
    reached = _objects(git, known) | contents
    everything = git.run("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").decode().split()
    secret = set(everything) - reached
    ordinary = set(_lines(git, reached))
    telling = {line for line in _lines(git, secret) if len(line) >= _TELLING} - ordinary
    return frozenset({oid.encode() for oid in secret} | telling)


def _known(scenario: str, sample: Sample, store: RepositoryStore) -> tuple[Git, list[str], set[str]]:
    """The repository, the commits whose history the agent may know, and objects whose contents it may know, too."""
    if scenario == "mcr":
        spec = merge_spec(sample)
        git = store.mirror(sample.name, [spec.merge_commit_hash, *spec.parents]).borrow()
        return git, list(spec.parents), _merged(git, *spec.parents)
    if scenario == "pick":
        opened = open_pick(sample, store)
        with contextlib.closing(ScratchRepository(opened.mirror)) as scratch:
            tree = scratch.replay_pick(opened.spec.onto, opened.picked).tree
            return opened.mirror, list(opened.begun_with), {tree, *_within(scratch.git, tree)}
    chain_of = chain_spec(sample)
    git, chain = open_chain(store, sample.name, chain_of.newest_commit, chain_of.times_seen_consecutively)
    if scenario == "ir":
        return git, [chain.newest], set()
    assert chain.base is not None
    return git, [chain.base], {*_within(git, chain.newest), git.line("rev-parse", f"{chain.newest}^{{tree}}")}


def _merged(git: Git, ours: str, theirs: str) -> set[str]:
    """What `git merge` itself can make of both sides."""
    tree = git.execute("merge-tree", "--write-tree", "-z", ours, theirs).stdout.split(b"\0")[0].decode()
    if git.execute("cat-file", "-e", tree).returncode != 0:
        return set()
    return {tree, *_within(git, tree)}


def _within(git: Git, treeish: str) -> list[str]:
    return git.run("ls-tree", "-r", "-t", "--format=%(objectname)", treeish).decode().split()


def _objects(git: Git, tips: Collection[str]) -> set[str]:
    return set(git.run("rev-list", "--objects", "--no-object-names", *tips).decode().split())


def _lines(git: Git, oids: Iterable[str]) -> Iterator[bytes]:
    """Of commits' messages and blobs' contents; what only a replay has made is not there, and has none to tell."""
    asked = "".join(f"{oid}\n" for oid in sorted(oids)).encode()
    data = git.run("cat-file", "--batch", stdin=asked)
    while data:
        header, _, data = data.partition(b"\n")
        if header.endswith(b" missing"):
            continue
        _, kind, size = header.split()
        content, data = data[: int(size)], data[int(size) + 1 :]
        if kind == b"commit":
            content = content.partition(b"\n\n")[2]
        if kind in (b"commit", b"blob"):
            yield from (line.strip() for line in content.split(b"\n"))
