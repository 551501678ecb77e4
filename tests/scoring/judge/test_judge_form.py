"""Both sides made from the same material read the same; what makes them different in truth is never overlooked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from gitgoodbench.git.histories import HistoryPair, read_history
from gitgoodbench.scoring.judge.prompt import Question, make_question
from gitgoodbench.scoring.judge.votes import Order
from tests.support.judging import histories_in
from tests.support.repositories import RepositoryBuilder

Files = dict[bytes, bytes]

START: Files = {b"a.py": b"x = 1\n", b"o.py": b"y = 1\n"}
STATES: tuple[Files, ...] = (
    {b"a.py": b"x = 2\n", b"o.py": b"y = 1\n"},
    {b"a.py": b"x = 2\nz = 3\n", b"o.py": b"y = 2\n"},
    {b"a.py": b"x = 3\nz = 3\n", b"o.py": b"y = 3\n"},
)
MESSAGES = (b"Change x\n", b"Add z\n\nIt was missing.\n", b"Change x again\n")
DECORATED = (
    b"LANG-12: Change x (#123)\n\nSigned-off-by: Ada <ada@example.org>\n",
    b"Add z [skip ci]\r\n\r\nIt was missing. Fixes #12.\r\n\r\nCloses GH-12\r\nChange-Id: I123\r\n",
    b"Merge pull request #7 from a/b\n\nChange x again\n\nReviewed-by: Bob\nCo-authored-by: Eve\nbors r+\n",
)
OTHER_MESSAGES = (b"One\n", b"Two\n", b"Three\n")


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r.git")


def chain(repository: RepositoryBuilder, base: str, states: Sequence[Files], messages: Sequence[bytes]) -> str:
    tip = base
    for files, message in zip(states, messages, strict=True):
        tip = raw_commit(repository, repository.commit(files, [tip]), tip, message)
    return tip


def raw_commit(repository: RepositoryBuilder, like: str, parent: str, message: bytes) -> str:
    """A commit object with exactly this message: `git commit-tree` mends messages."""
    tree = repository.git.line("rev-parse", f"{like}^{{tree}}")
    people = b"author Ada <ada@example.org> 1 +0000\ncommitter Bob <b@example.org> 2 +0100\n"
    raw = b"tree %s\nparent %s\n%s\n%s" % (tree.encode(), parent.encode(), people, message)
    return repository.git.line("hash-object", "-t", "commit", "-w", "--stdin", stdin=raw)


def ask(
    repository: RepositoryBuilder, base: str, agent: str, real: str, path: bytes | None = None, limit: int = 60_000
) -> Question:
    sides = (read_history(repository.git, base, tip, path=path, changes_only=True) for tip in (agent, real))
    return make_question(HistoryPair(*sides), seed="s", limit=limit)


def sides_of(question: Question) -> tuple[str, str]:
    return histories_in(str(question.prompts[Order.AGENT_FIRST][1]["content"]))


@pytest.mark.parametrize("limit", [60_000, 300])
def test_the_same_history_reads_the_same_as_an_agent_and_as_a_project_writes_it(
    repository: RepositoryBuilder, limit: int
) -> None:
    base = repository.commit(START)
    plain = chain(repository, base, STATES, MESSAGES)
    decorated = chain(repository, base, STATES, DECORATED)
    question = ask(repository, base, plain, decorated, limit=limit)
    agent, real = sides_of(question)
    assert agent == real
    assert question.identical
    assert question.prompts[Order.AGENT_FIRST] == question.prompts[Order.REAL_FIRST]
    if question.cut is not None:
        assert question.cut.agent == question.cut.real


def test_a_last_commit_of_other_files_is_no_sign_of_the_published_tools(repository: RepositoryBuilder) -> None:
    base = repository.commit(START)
    file_only = [{**files, b"o.py": START[b"o.py"]} for files in STATES]
    agent = chain(repository, base, [*file_only, STATES[-1]], [*MESSAGES, b"Everything else\n"])
    real = chain(repository, base, STATES, DECORATED)
    question = ask(repository, base, agent, real, path=b"a.py")
    assert sides_of(question)[0] == sides_of(question)[1]
    assert "Everything else" not in sides_of(question)[0]
    assert "[nothing]" not in sides_of(question)[0]
    assert question.identical
    assert not ask(repository, base, agent, real).identical


def test_other_messages_change_nothing_but_messages(repository: RepositoryBuilder) -> None:
    base = repository.commit(START)
    agent = chain(repository, base, STATES, OTHER_MESSAGES)
    shown, real = sides_of(ask(repository, base, agent, chain(repository, base, STATES, DECORATED)))
    for message, other in zip(MESSAGES, OTHER_MESSAGES, strict=True):
        real = real.replace(f"message\n{message.decode()}", f"message\n{other.decode()}", 1)
    assert shown == real


def test_a_change_moved_beyond_what_is_read_is_another_history(repository: RepositoryBuilder) -> None:
    big = b"0123456789abcde\n" * 85_000  # 1.36 MB: the patch of it alone is more than is read of one commit
    base = repository.commit({b"s1": b"1\n", b"s2": b"1\n"})
    final = {b"big1": big, b"big2": big + b"\n", b"s1": b"2\n", b"s2": b"2\n"}
    early = repository.commit({**final, b"big2": b"", b"s1": b"1\n"}, [base], b"One\n")
    late = repository.commit({**final, b"big2": b"", b"s2": b"1\n"}, [base], b"One\n")
    tips = [repository.commit(final, [first], b"Two\n") for first in (early, late)]
    question = ask(repository, base, tips[0], tips[1])
    assert sides_of(question)[0] == sides_of(question)[1]
    assert not question.identical
    assert ask(repository, base, tips[0], tips[0]).identical


def test_binary_content_that_differs_is_another_history(repository: RepositoryBuilder) -> None:
    base = repository.commit({b"z": b"\0"})
    tips = [repository.commit({b"z": content}, [base], b"Change z\n") for content in (b"\0\1", b"\0\2")]
    assert not ask(repository, base, tips[0], tips[1]).identical
