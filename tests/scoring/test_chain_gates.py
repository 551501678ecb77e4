"""Gates and syntax over chains of commits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gitgoodbench.git.objects import SYMLINK
from gitgoodbench.scenario import Outcome
from gitgoodbench.scoring.chain_gates import GATES, AgentChain, chain_gates, import_chain, valid_syntax, walk_chains
from gitgoodbench.workspace.chain import CommitChain
from gitgoodbench.workspace.scratch import ScratchRepository
from tests.support.repositories import Content, RepositoryBuilder

GOOD = b"def f():\n    return 1\n"
BROKEN = b"def f(:\n    return 1\n"
WORSE = BROKEN + b"class (\nx = = 1\n"


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r.git")


def marks(builder: RepositoryBuilder, *contents: bytes | Mapping[bytes, Content]) -> list[bool]:
    """Validity of each commit after the base, which is the first content."""
    commits: list[str] = []
    for content in contents:
        files = {b"a.py": content} if isinstance(content, bytes) else content
        commits.append(builder.commit(files, commits[-1:]))
    return valid_syntax(builder.git, commits[0], commits[1:], commits[-1])


def test_a_commit_that_breaks_a_file_is_not_valid(builder: RepositoryBuilder) -> None:
    assert marks(builder, GOOD, BROKEN, GOOD + b"x = 1\n") == [False, True]


def test_a_commit_that_leaves_a_broken_file_alone_is_valid(builder: RepositoryBuilder) -> None:
    assert marks(builder, GOOD, BROKEN, {b"a.py": BROKEN, b"b.py": GOOD}, {b"a.py": GOOD}) == [False, True, True]


def test_errors_that_the_base_or_the_end_has_are_no_new_ones(builder: RepositoryBuilder) -> None:
    assert marks(builder, BROKEN, BROKEN + b"x = 1\n", GOOD) == [True, True]
    assert marks(builder, GOOD, BROKEN + b"x = 1\n", BROKEN) == [True, True]
    assert marks(builder, BROKEN, WORSE, BROKEN) == [False, True]


def test_a_file_that_cannot_be_parsed_where_it_could_is_not_valid(builder: RepositoryBuilder) -> None:
    huge = b"x = 1\n" * 400_000
    assert marks(builder, GOOD, huge, GOOD) == [False, True]
    assert marks(builder, huge, huge + BROKEN, GOOD) == [True, True]


def test_files_of_other_kinds_do_not_count(builder: RepositoryBuilder) -> None:
    assert marks(builder, GOOD, {b"a.py": (SYMLINK, BROKEN), b"b.txt": BROKEN}, GOOD) == [True, True]


def test_a_chain_from_a_root_commit(builder: RepositoryBuilder) -> None:
    root = builder.commit({b"a.py": BROKEN})
    tip = builder.commit({b"a.py": GOOD}, [root])
    assert valid_syntax(builder.git, None, [root, tip], tip) == [False, True]
    with ScratchRepository(builder.git) as scratch:
        assert import_chain(scratch, None, Outcome(tip, None, {}), begun_with=tip) == AgentChain(tip, (root, tip))


def test_a_head_below_the_base_has_no_commits_on_it(builder: RepositoryBuilder) -> None:
    below = builder.commit({b"a.py": GOOD})
    base = builder.commit({b"a.py": BROKEN}, [below])
    with ScratchRepository(builder.git) as scratch:
        assert import_chain(scratch, base, Outcome(below, None, {}), begun_with=base) == AgentChain(below, None)


def test_a_commit_that_cannot_be_read_is_not_valid(builder: RepositoryBuilder) -> None:
    base = builder.commit({b"a.py": GOOD})
    lost = builder.commit({b"a.py": BROKEN}, [base])
    tip = builder.commit({b"a.py": GOOD + b"x = 1\n"}, [lost])
    tree = builder.git.line("rev-parse", f"{lost}^{{tree}}")
    (builder.path / "objects" / tree[:2] / tree[2:]).unlink()
    assert valid_syntax(builder.git, base, [lost, tip], tip) == [False, False]


def test_gates_of_an_untouched_workspace(builder: RepositoryBuilder) -> None:
    base = builder.commit({b"a.py": GOOD})
    tip = builder.commit({b"a.py": BROKEN}, [base])
    outcome = Outcome(base, None, {"uncommitted": ["a.py"], "unmerged": []})
    with ScratchRepository(builder.git) as scratch:
        left = import_chain(scratch, base, outcome, begun_with=base)
        assert left == AgentChain(base, ())
        walks = walk_chains(scratch.git, left, CommitChain(base, (tip,)))
        assert chain_gates(scratch.git, left, tip, outcome, walks) == dict.fromkeys(GATES, False)


@pytest.mark.parametrize("state", [{}, {"uncommitted": [], "unmerged": None}, {"finished": 1, "uncommitted": []}])
def test_what_is_unknown_is_not_met(builder: RepositoryBuilder, state: dict[str, object]) -> None:
    base = builder.commit({b"a.py": GOOD})
    tip = builder.commit({b"a.py": BROKEN}, [base])
    outcome = Outcome(tip, None, state)  # type: ignore[arg-type]
    with ScratchRepository(builder.git) as scratch:
        left = import_chain(scratch, base, outcome, begun_with=tip)
        walks = walk_chains(scratch.git, left, CommitChain(base, (tip,)))
        gates = chain_gates(scratch.git, left, tip, outcome, walks)
    assert gates == {
        "finished": False, "base_is_ancestor": True, "linear": True, "no_empty_commits": True,
        "final_tree_exact": True, "nothing_uncommitted": False,
    }  # fmt: skip


def test_a_commit_that_did_not_come_out_of_the_sandbox_does_not_count(builder: RepositoryBuilder) -> None:
    base = builder.commit({b"a.py": GOOD})
    tip = builder.commit({b"a.py": BROKEN}, [base])
    with ScratchRepository(builder.git) as scratch:
        left = import_chain(scratch, base, Outcome(tip, None, {}), begun_with=base)
    assert left == AgentChain(None, None, f"the bundle lacks the object {tip} of the commit {tip}")
