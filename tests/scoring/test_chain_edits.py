"""What is said to have been done to the commits of a chain, after rebases by Git itself and divisions by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path

import pytest

from gitgoodbench.git.chain_walk import walk_chain
from gitgoodbench.git.objects import EXECUTABLE
from gitgoodbench.git.process import Git
from gitgoodbench.git.rebase_plan import Command, Step
from gitgoodbench.scoring.chain_edits import FACTS, chain_edits
from tests.support.real_rebase import real_rebase
from tests.support.rebases import Files, RebaseCase, make_chain
from tests.support.repositories import RepositoryBuilder

PICK, REWORD, SQUASH, FIXUP, DROP = Command.PICK, Command.REWORD, Command.SQUASH, Command.FIXUP, Command.DROP
LINES = [b"line %d\n" % number for number in range(40)]


def text(**changed: bytes) -> bytes:
    """Forty lines; `l7=b"x"` replaces line 7, `end=b"x"` follows the last."""
    lines = [changed.get(f"l{number}", line) for number, line in enumerate(LINES)]
    return b"".join(lines) + changed.get("end", b"")


START: Files = {b"a.py": text()}
VERSIONS: list[Files] = [
    {b"a.py": text(l2=b"two\n")},
    {b"a.py": text(l2=b"two\n", l20=b"twenty\n")},
    {b"a.py": text(l2=b"TWO\n", l20=b"twenty\n")},
    {b"a.py": text(l2=b"TWO\n", l20=b"twenty\n"), b"b.py": b"b\n"},
    {b"a.py": text(l2=b"TWO\n", l20=b"twenty\n", end=b"}\n"), b"b.py": b"b\n"},
]
"""A line, another line, the first line again, another file, the end of the file."""


@pytest.fixture
def case(tmp_path: Path) -> RebaseCase:
    return make_chain(tmp_path / "r.git", START, *VERSIONS)


def edits(git: Git, case: RebaseCase, head: str) -> list[str] | None:
    """The names of what was done; None where nothing is known."""
    above = [] if case.base is None else [f"^{case.base}"]
    left = git.run("rev-list", "--reverse", "--first-parent", head, *above).decode().split()
    found = chain_edits(
        git, case.base, walk_chain(git, case.base, left), walk_chain(git, case.base, case.commits)
    )  # fmt: skip
    assert tuple(found) == FACTS
    if None in found.values():
        assert set(found.values()) == {None}
        return None
    return [name for name, done in found.items() if done]


def rebased(case: RebaseCase, folder: Path, *steps: Step) -> list[str] | None:
    made = real_rebase(case.git, folder, case.base, case.commits, steps)
    assert made.commits is not None, made
    return edits(Git(folder / "r/.git", folder / "r"), case, "HEAD")


def steps_of(*plan: tuple[int, Command] | tuple[int, Command, bytes] | int) -> list[Step]:
    return [Step(item, PICK) if isinstance(item, int) else Step(*item) for item in plan]


REBASES = {
    "nothing": ((0, 1, 2, 3, 4), []),
    "a full stop": ((0, 1, 2, 3, (4, REWORD, b"Step 4.\n")), ["only_reworded"]),
    "all messages": (tuple((n, REWORD, b"Better %d\n" % n) for n in range(5)), ["only_reworded"]),
    "one folded into the one before": ((0, (1, FIXUP), 2, 3, 4), ["commits_combined"]),
    "all squashed": ((0, (1, FIXUP), (2, FIXUP), (3, FIXUP), (4, SQUASH, b"All\n")), ["commits_combined"]),
    "two pairs": ((0, (1, FIXUP), 2, (3, SQUASH, b"Both\n"), 4), ["commits_combined"]),
    "two swapped": ((1, 0, 2, 3, 4), ["commits_reordered"]),
    "the last two swapped": ((0, 1, 2, 4, 3), ["commits_reordered"]),
    "the last one moved to the front": ((4, 0, 1, 2, 3), ["commits_reordered"]),
    "moved and reworded": ((0, 1, 2, (4, REWORD, b"Close it\n"), 3), ["commits_reordered"]),
    "a correction folded across another": ((0, (2, FIXUP), 1, 3, 4), ["commits_combined", "commits_reordered"]),
    "folded across others": ((0, (4, FIXUP), 1, 2, 3), ["commits_combined", "commits_reordered"]),
    "folded, and others moved": ((3, 0, (1, FIXUP), (2, FIXUP), 4), ["commits_combined", "commits_reordered"]),
    "reworded and folded": ((0, 1, (2, FIXUP), 3, (4, REWORD, b"Close\n")), ["commits_combined"]),
    "dropped": ((0, 1, 2, 3, (4, DROP)), None),
}  # fmt: skip


@pytest.mark.parametrize("kind", REBASES, ids=lambda kind: kind.replace(" ", "-"))
def test_what_git_rebase_did(case: RebaseCase, tmp_path: Path, kind: str) -> None:
    plan, wanted = REBASES[kind]
    assert rebased(case, tmp_path / "work", *steps_of(*plan)) == wanted  # type: ignore[arg-type]


def test_a_chain_from_a_root_commit(tmp_path: Path) -> None:
    case = make_chain(tmp_path / "r.git", None, START, *VERSIONS[:2])
    assert rebased(case, tmp_path / "folded", *steps_of(0, 1, (2, FIXUP))) == ["commits_combined"]
    assert rebased(case, tmp_path / "moved", *steps_of(0, 2, 1)) == ["commits_reordered"]


def committed(case: RebaseCase, *trees: Files, message: bytes = b"Part\n") -> list[str] | None:
    tip = case.base
    for files in trees:
        tip = case.builder.commit(files, [] if tip is None else [tip], message)
    return edits(case.git, case, str(tip))


def test_a_commit_made_of_two(case: RebaseCase) -> None:
    half: Files = {b"a.py": text(l2=b"TWO\n", l20=b"twenty\n"), b"b.py": b""}
    assert committed(case, *VERSIONS[:3], half, *VERSIONS[3:]) == ["commits_split"]


def test_a_commit_made_of_two_with_a_line_between_that_does_not_stay(case: RebaseCase) -> None:
    between: Files = {b"a.py": text(l2=b"2\n", l20=b"twenty\n")}
    assert committed(case, *VERSIONS[:2], between, *VERSIONS[2:]) == ["commits_split"]


def test_two_commits_cut_elsewhere(case: RebaseCase) -> None:
    """The new file and the end of the old one in one commit, the rest of the end in another."""
    end = b"}\n}}\n"
    whole: Files = {b"a.py": text(end=end), b"b.py": b"b\n"}
    other = make_chain(case.builder.path.parent / "o.git", START, {**START, b"b.py": b"b\n"}, whole)
    assert committed(other, {b"a.py": text(end=b"}\n"), b"b.py": b"b\n"}, whole) == [
        "commits_combined",
        "commits_split",
    ]


def test_a_division_that_shares_no_commit_with_the_real_one(case: RebaseCase) -> None:
    """By file: the second and the third file apart, all of a.py at once, which is combined and moved behind b.py."""
    found = committed(case, {**START, b"b.py": b"b\n"}, VERSIONS[-1])
    assert found == ["commits_combined", "commits_reordered"]


def test_one_commit_of_everything_and_empty_ones(case: RebaseCase) -> None:
    assert committed(case, VERSIONS[-1], *[VERSIONS[-1]] * 5) == ["commits_combined"]


def test_detours_and_empty_commits_that_were_added_are_no_edits(case: RebaseCase) -> None:
    detour: Files = {**VERSIONS[1], b"junk": b"j\n"}
    trees = [*VERSIONS[:2], VERSIONS[1], detour, VERSIONS[1], *VERSIONS[2:]]
    messages = [b"Step %d\n" % number for number in (0, 1, 9, 9, 9, 2, 3, 4)]
    tip = str(case.base)
    for files, message in zip(trees, messages, strict=True):
        tip = case.builder.commit(files, [tip], message)
    assert edits(case.git, case, tip) == []
    assert committed(case, *trees) == ["only_reworded"]


def test_an_empty_commit_of_the_chain_that_is_reworded(tmp_path: Path) -> None:
    case = make_chain(tmp_path / "r.git", START, VERSIONS[0], VERSIONS[0], VERSIONS[1])
    tip = str(case.base)
    for files, message in ((VERSIONS[0], b"Step 0\n"), (VERSIONS[0], b"Say more\n"), (VERSIONS[1], b"Step 2\n")):
        tip = case.builder.commit(files, [tip], message)
    assert edits(case.git, case, tip) == ["only_reworded"]


def test_commits_without_text_are_told_apart_by_what_they_hold(tmp_path: Path) -> None:
    """A mode, a file too large to compare by lines, a submodule: one after the other, then together."""
    start: Files = {b"a": b"a\n", b"b": b"\0" + b"x" * 9}
    mode: Files = {**start, b"a": (EXECUTABLE, b"a\n")}
    binary: Files = {**mode, b"b": b"\0" + b"y" * 9}
    case = make_chain(tmp_path / "r.git", start, mode, binary)
    assert committed(case, binary) == ["commits_combined"]
    assert committed(case, {**start, b"b": b"\0" + b"y" * 9}, binary) == ["commits_reordered"]


def test_equal_lines_in_several_commits_do_not_mix_them_up(tmp_path: Path) -> None:
    """Each commit adds a block that ends with the same lines."""
    blocks = [b"def %s():\n    return\n\n\n" % name for name in (b"f", b"g", b"h", b"i")]
    trees: list[Files] = [{b"a.py": b"".join(blocks[: count + 1])} for count in range(4)]
    case = make_chain(tmp_path / "r.git", {b"b": b""}, *({b"b": b"", **files} for files in trees))
    parts: list[Files] = [{b"b": b"", b"a.py": b"".join(blocks[n] for n in kept)} for kept in ((1,), (1, 2), (0, 1, 2))]
    assert committed(case, *parts, {b"b": b"", **trees[-1]}) == ["commits_reordered"]
    pair: Files = {b"b": b"", b"a.py": blocks[2] + blocks[3]}
    assert committed(case, pair, {b"b": b"", **trees[-1]}) == ["commits_combined", "commits_reordered"]


def orders(builder: RepositoryBuilder, base: str, order: Sequence[int]) -> Iterator[str]:
    files: dict[bytes, bytes] = {}
    tip = base
    for number in order:
        files = {**files, b"f%d" % number: b"%d\n" % number}
        tip = builder.commit({b"base": b"", **files}, [tip], b"Add %d\n" % number)
        yield tip


def test_every_other_order_of_independent_commits_is_a_reordering(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "r.git")
    base = builder.commit({b"base": b""})
    case = RebaseCase(builder, base, tuple(orders(builder, base, range(4))))
    for order in permutations(range(4)):
        *_, tip = orders(builder, base, order)
        assert edits(case.git, case, tip) == ([] if order == (0, 1, 2, 3) else ["commits_reordered"]), order


def test_what_is_too_large_to_compare_is_unknown_but_for_what_the_states_tell(
    case: RebaseCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitgoodbench.scoring.history_lines.MAX_FILES", 1)
    assert committed(case, VERSIONS[-1]) == ["commits_combined"]
    chains = [list(orders(case.builder, str(case.base), order)) for order in ((1, 0), (0, 1))]
    walks = [walk_chain(case.git, case.base, commits) for commits in chains]
    assert chain_edits(case.git, case.base, *walks) == {**dict.fromkeys(FACTS), "only_reworded": False}
