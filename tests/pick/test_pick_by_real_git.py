"""A workspace is as `git cherry-pick` or `git revert` leaves a clone, for every kind of conflict."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.git.picks import Operation
from gitgoodbench.git.process import Git
from gitgoodbench.sandbox.base import SandboxProvider
from tests.mcr.test_conflict_kinds import KINDS, files_below
from tests.support.merges import Files
from tests.support.picks import PickCase, begin, make_pick
from tests.support.repositories import RepositoryBuilder

MESSAGES = (
    b"Fix it\n\nAt last.\n", b"A/b: c~d \xc3\xa4 <<<<<<< (#12)\n", b"\n\n  Indented, no last newline", b"",
    b"One\nand on\n\nmore\n\n",
)  # fmt: skip
CASES = [(name, files) for name, files in KINDS.items() if files[0] is not None]


def reverting(path: Path, kind: tuple[Files | None, Files, Files, Files], message: bytes) -> PickCase:
    """The same merge, as the revert of a commit that goes from the other side to the base."""
    base, local, other, truth = kind
    assert base is not None
    builder = RepositoryBuilder(path)
    root = builder.commit(other)
    picked = builder.commit(base, [root], message)
    onto = builder.commit(local, [picked])
    result = builder.commit(truth, [onto])
    builder.branch("main", result)
    return PickCase(builder, "revert", picked, onto, result)


def clone_of(case: PickCase, folder: Path, rules: bytes) -> Git:
    """A clone with the branch to pick onto checked out."""
    (folder / ".git").mkdir(parents=True)
    git = Git(folder / ".git", folder)
    git.run("init", "--quiet", "--template=")
    (folder / ".git/objects/info/alternates").write_text(f"{case.builder.path}/objects\n")
    (folder / ".git/info").mkdir()
    (folder / ".git/info/attributes").write_bytes(rules)
    git.run("update-ref", "HEAD", case.onto)
    git.run("reset", "--hard", "--quiet")
    return git


def check(case: PickCase, provider: SandboxProvider, folder: Path) -> None:
    with begin(case, provider) as (episode, sandbox):
        real = clone_of(case, folder, sandbox.get(".git/info/attributes", limit=1000))
        command = "cherry-pick" if case.operation == "pick" else "revert"
        mainline = ("-m", str(case.mainline)) if case.mainline else ()
        edit = ("--no-edit",) if case.operation == "revert" else ("--allow-empty-message",)
        stopped = real.execute("-c", "core.abbrev=7", command, *edit, *mainline, case.picked)
        assert stopped.returncode == 1, stopped.stderr
        head = "CHERRY_PICK_HEAD" if case.operation == "pick" else "REVERT_HEAD"
        for asked in (["ls-files", "--stage", "-z"], ["status", "--porcelain=v2", "-z"], ["rev-parse", head]):
            assert episode.git.run(*asked) == real.run(*asked)
        assert episode.git.execute("rev-parse", "--verify", "MERGE_HEAD").returncode != 0
        message = (folder / ".git/MERGE_MSG").read_bytes()
        assert sandbox.get(".git/MERGE_MSG", limit=10_000) == message
        assert files_below(Path(sandbox.work_dir)) == files_below(folder)


@pytest.mark.parametrize("operation", ["pick", "revert"])
@pytest.mark.parametrize("number", range(len(CASES)), ids=[name.replace(" ", "-") for name, _ in CASES])
def test_every_kind_of_conflict(
    tmp_path: Path, local_provider: SandboxProvider, number: int, operation: Operation
) -> None:
    _, (base, local, other, truth) = CASES[number]
    message = MESSAGES[number % len(MESSAGES)]
    assert base is not None
    if operation == "pick":
        case = make_pick(tmp_path / "r.git", base, other, local, truth, message)
    else:
        case = reverting(tmp_path / "r.git", (base, local, other, truth), message)
    check(case, local_provider, tmp_path / "clone")


def merge_of(builder: RepositoryBuilder) -> tuple[str, str, str]:
    """A root, a merge above it that changes a.py and b.py against its first parent, and that parent."""
    root = builder.commit({b"a.py": b"1\n", b"b.py": b"1\n"})
    first = builder.commit({b"a.py": b"1\n", b"b.py": b"1\n", b"c.py": b"c\n"}, [root])
    second = builder.commit({b"a.py": b"2\n", b"b.py": b"2\n"}, [root])
    merge = builder.commit({b"a.py": b"2\n", b"b.py": b"2\n", b"c.py": b"c\n"}, [first, second], b"Merge it\n")
    return root, first, merge


@pytest.mark.parametrize("operation", ["pick", "revert"])
def test_a_merge_against_its_first_parent(
    tmp_path: Path, local_provider: SandboxProvider, operation: Operation
) -> None:
    builder = RepositoryBuilder(tmp_path / "r.git")
    root, _, merge = merge_of(builder)
    onto = builder.commit({b"a.py": b"3\n", b"b.py": b"1\n"}, [root if operation == "pick" else merge])
    result = builder.commit({b"a.py": b"2\n3\n", b"b.py": b"2\n"}, [onto])
    check(PickCase(builder, operation, merge, onto, result, 1), local_provider, tmp_path / "clone")


@pytest.mark.parametrize("operation", ["pick", "revert"])
def test_a_root_commit(tmp_path: Path, local_provider: SandboxProvider, operation: Operation) -> None:
    builder = RepositoryBuilder(tmp_path / "r.git")
    picked = builder.commit({b"a.py": b"1\n"}, message=b"Begin\n")
    above = [] if operation == "pick" else [picked]
    onto = builder.commit({b"a.py": b"2\n", b"b.py": b"b\n"}, above)
    result = builder.commit({b"a.py": b"1\n", b"b.py": b"b\n"}, [onto])
    check(PickCase(builder, operation, picked, onto, result), local_provider, tmp_path / "clone")


def test_a_criss_cross_between_the_branches_does_not_matter(tmp_path: Path, local_provider: SandboxProvider) -> None:
    builder = RepositoryBuilder(tmp_path / "r.git")
    root = builder.commit({b"a.py": b"0\n"})
    one, two = builder.commit({b"a.py": b"1\n"}, [root]), builder.commit({b"a.py": b"2\n"}, [root])
    left, right = builder.commit({b"a.py": b"12\n"}, [one, two]), builder.commit({b"a.py": b"21\n"}, [two, one])
    picked = builder.commit({b"a.py": b"21 and more\n"}, [right], b"More\n")
    result = builder.commit({b"a.py": b"12 and more\n"}, [left])
    check(PickCase(builder, "pick", picked, left, result), local_provider, tmp_path / "clone")
