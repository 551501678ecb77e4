"""Mine one repository in one pass over its history, for all sample types together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Protocol

from gitgoodbench.dataset.types import sample_types, titles
from gitgoodbench.git.batch import ObjectReader
from gitgoodbench.git.process import Git
from gitgoodbench.mining.checkouts import CheckoutWatch
from gitgoodbench.mining.contract import Found, Walk, mined_types
from gitgoodbench.mining.history import Commit, read_history
from gitgoodbench.mining.options import MiningOptions
from gitgoodbench.mining.records import Candidate, language_of
from gitgoodbench.mining.spool import Spool
from gitgoodbench.mining.steps import Tell, tell_nobody
from gitgoodbench.workspace.scratch import ScratchRepository


@dataclass(frozen=True)
class MinedRepository:
    """What a repository holds.

    found: by sample type; each in a fixed order. counts: what was looked at and what was found, in words and numbers.
    left_out: what could not be looked at, in the same way.
    """

    found: Mapping[str, Spool[Found]]
    counts: Mapping[str, int]
    left_out: Mapping[str, int]

    def candidates(self, languages: Mapping[str, bytes]) -> Iterator[Candidate]:
        """Everything that was found, type by type.

        Args:
            languages: names of languages and how names of their source files end.
        """
        for found in self.found.values():
            yield from (_candidate(each, languages) for each in found)


def mine_repository(repository: Git, options: MiningOptions | None = None, tell: Tell = tell_nobody) -> MinedRepository:
    """Mine a repository, which is only read. Memory grows neither with history nor with what is found.

    Raises:
        GitError: the repository cannot be walked.
        UserError: a sample type cannot be loaded.
    """
    options = options or MiningOptions()
    types = mined_types(sample_types() if options.types is None else options.types)
    called = titles(types)
    with open_walk(repository, options, tell) as walk:
        miners = {name: kind.miner(walk) for name, kind in types.items()}
        checkouts = CheckoutWatch(walk.reader)
        tell("listing commits", 0, None)
        seen = show_history(walk, [*miners.values(), checkouts])
        found: dict[str, Spool[Found]] = {}
        for name, miner in miners.items():
            tell(f"finding {called[name]}", 0, None)
            each = _counted(miner.found(), f"writing down {called[name]}", tell)
            commits = types[name].commits
            found[name] = Spool(one for one in each if checkouts.allows(commits(one.spec)))
        counts = {"commits": seen.commits}
        left_out: dict[str, int] = {}
        for name, miner in miners.items():
            own = {types[name].title: len(found[name]), **miner.counts}
            _add(counts, name, {called[name] if what == types[name].title else what: own[what] for what in own})
            _add(left_out, name, miner.left_out)
        left_out |= {"commits with missing objects": seen.unreadable, "implausible dates": seen.undated}
        left_out["rows with files that cannot be checked out"] = checkouts.refused
        return MinedRepository(found, counts, left_out)


def _add(counts: dict[str, int], name: str, more: Mapping[str, int]) -> None:
    """Add what the miner of that type counts; a word that another one has said stands with the type's name."""
    counts |= {f"{what} ({name})" if what in counts else what: number for what, number in more.items()}


def _counted(found: Iterable[Found], step: str, tell: Tell) -> Iterator[Found]:
    for done, each in enumerate(found):
        tell(step, done, None)
        yield each


@contextmanager
def open_walk(repository: Git, options: MiningOptions, tell: Tell = tell_nobody) -> Iterator[Walk]:
    """What miners of a repository work with."""
    with ExitStack() as resources:
        scratch = resources.enter_context(ScratchRepository(repository)).git
        reader = resources.enter_context(ObjectReader(scratch))
        yield Walk(repository, scratch, reader, options, resources, tell)


class Visitor(Protocol):
    def visit(self, commit: Commit) -> None: ...


@dataclass(frozen=True)
class Seen:
    """Commits of a history. unreadable: whose changes are unknown, since an object is missing. undated: whose dates
    are not believed.
    """

    commits: int
    unreadable: int
    undated: int


def show_history(walk: Walk, miners: Iterable[Visitor]) -> Seen:
    """Show every commit to the miners and others, parents first.

    Raises:
        GitError: the repository cannot be walked.
    """
    visits = [miner.visit for miner in miners]
    commits = unreadable = undated = 0
    for commit in read_history(walk.repository, walk.scratch, walk.options.refs):
        walk.tell("reading commits", commits, None)
        commits += 1
        unreadable += commit.changes is None
        undated += not commit.dated
        for visit in visits:
            visit(commit)
    return Seen(commits, unreadable, undated)


def _candidate(found: Found, languages: Mapping[str, bytes]) -> Candidate:
    return Candidate.model_validate(
        {
            "spec": found.spec,
            "columns": found.columns,
            "language": language_of(found.paths, languages),
            "difficulty": found.difficulty,
            "committed": found.committed,
            "begun": found.begun,
            "implausible_date": not found.dated,
            "sketches": found.sketches,
            "content": found.content,
        }
    )
