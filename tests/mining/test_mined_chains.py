"""File-commit chains found by mining, on graphs of a few commits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from gitgoodbench.errors import UserError
from gitgoodbench.git.objects import EXECUTABLE, SUBMODULE, SYMLINK, Entry
from gitgoodbench.mining.options import MiningOptions
from gitgoodbench.plugin_options import read_options
from gitgoodbench.plugins import SAMPLES
from gitgoodbench.sample_types.chains import Chain, ChainOptions
from tests.support.mining import Mined, mine_all
from tests.support.repositories import Content, RepositoryBuilder

Files = Mapping[bytes, Content]


class Graph:
    """Commits by name; each has one file `a.py` with its own line, unless told otherwise."""

    def __init__(self, path: Path) -> None:
        self.builder = RepositoryBuilder(path)
        self.ids: dict[str, str] = {}
        self.names: dict[str, str] = {}

    def commit(self, name: str, *parents: str, files: Files | None = None) -> None:
        content = {b"a.py": f"{name}\n".encode()} if files is None else files
        self.ids[name] = self.builder.commit(content, [self.ids[parent] for parent in parents], name.encode())
        self.names[self.ids[name]] = name
        self.builder.branch(name, self.ids[name])

    def line(self, *names: str, on: str | None = None) -> None:
        """Commits one upon the other."""
        for name in names:
            self.commit(name, *([on] if on else []))
            on = name

    def history(self, *versions: Files) -> None:
        """Commits `0`, `1`, ... with these files, one upon the other."""
        for number, files in enumerate(versions):
            self.commit(f"{number}", *([f"{number - 1}"] if number else []), files=files)

    def mine(self, least: int = 3, most: int = 6, **options: object) -> Mined:
        return mine_all(
            self.builder.git, MiningOptions(own=(ChainOptions(min_commits=least, max_commits=most),), **options)  # type: ignore[arg-type]
        )  # fmt: skip

    def chains(self, least: int = 3, most: int = 6) -> list[str]:
        """Each chain as the names of its commits."""
        return sorted(self.named(chain) for chain in self.mine(least, most).chains)

    def named(self, chain: Chain) -> str:
        return " ".join(self.names[commit] for commit in chain.commits)


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    return Graph(tmp_path / "repository.git")


def test_a_chain_with_its_base_and_lines(graph: Graph) -> None:
    graph.line("0", "1", "2", "3")
    (chain,) = graph.mine().chains
    assert chain == Chain(
        path=b"a.py",
        base=graph.ids["0"],
        commits=(graph.ids["1"], graph.ids["2"], graph.ids["3"]),
        committed=1_600_000_000 + 4 * 86_400,
        file_lines=6,
        all_lines=6,
        sources_only=True,
        begun=1_600_000_000 + 2 * 86_400,
        sketches=(),
        content=chain.content,
    )
    assert (chain.purity, chain.difficulty) == (1.0, "easy")


@pytest.mark.parametrize(
    ("commits", "expected"),
    [
        (2, []),
        (3, ["1 2 3"]),
        (6, ["1 2 3 4 5 6"]),
        (8, ["1 2 3 4 5 6"]),
        (9, ["1 2 3 4 5 6", "7 8 9"]),
        (12, ["1 2 3 4 5 6", "7 8 9 10 11 12"]),
    ],
)
def test_long_runs_are_cut_from_their_oldest_commit_on(graph: Graph, commits: int, expected: Sequence[str]) -> None:
    graph.line(*(f"{number}" for number in range(commits + 1)))
    assert graph.chains() == expected


def test_chains_do_not_cross_merges(graph: Graph) -> None:
    graph.line("0", "1", "2")
    graph.line("x", on="0")
    graph.commit("m", "2", "x")
    graph.line("3", "4", "5", on="m")
    assert graph.chains(least=2) == ["1 2", "3 4 5"]


def test_parallel_branches_are_never_mixed(graph: Graph) -> None:
    """Made alternately, so that their commits lie between each other in time."""
    graph.commit("0")
    left = right = "0"
    for number in range(1, 4):
        graph.commit(f"l{number}", left)
        graph.commit(f"r{number}", right)
        left, right = f"l{number}", f"r{number}"
    graph.commit("m", left, right)
    assert graph.chains() == ["l1 l2 l3", "r1 r2 r3"]


def test_where_history_forks_each_way_is_a_run(graph: Graph) -> None:
    graph.line("0", "1", "2")
    graph.line("l3", "l4", on="2")
    graph.line("r3", on="2")
    assert graph.chains() == ["1 2 l3 l4", "1 2 r3"]


def test_a_full_window_below_a_fork_is_found_once(graph: Graph) -> None:
    graph.line("0", "1", "2", "3")
    for side in "abc":
        graph.line(f"{side}4", f"{side}5", on="3")
    graph.line("c6", on="c5")
    assert graph.chains(least=2, most=3) == ["1 2 3", "a4 a5", "b4 b5", "c4 c5 c6"]


def test_a_chain_that_goes_on_is_maximal_even_if_another_branch_stops(graph: Graph) -> None:
    graph.line("0", "1", "2", "3", "4")
    graph.commit("side", "2", files={b"a.py": b"2\n", b"b.py": b"new\n"})
    assert graph.chains() == ["1 2 3 4"]


def test_a_commit_without_the_file_ends_the_run(graph: Graph) -> None:
    a = [{b"a.py": b"%d\n" % number} for number in range(7)]
    graph.history(a[0], a[1], a[2], {**a[2], b"b": b"x"}, {**a[3], b"b": b"x"}, {**a[4], b"b": b"x"})
    assert graph.chains(least=2) == ["1 2", "4 5"]


@pytest.mark.parametrize(
    "between", [{}, {b"b.py": b"1\n"}, {b"a.py": (SYMLINK, b"x")}, {b"a.py": Entry(SUBMODULE, "1" * 40)}]
)
def test_the_file_is_neither_added_deleted_nor_replaced_inside(graph: Graph, between: Files) -> None:
    a = [{b"a.py": b"%d\n" % number} for number in range(6)]
    graph.history(a[0], a[1], between, a[2], a[3], a[4])
    assert graph.chains(least=2) == ["4 5"]


def test_the_root_is_in_no_chain(graph: Graph) -> None:
    graph.line("0", "1", "2")
    assert graph.chains(least=2) == ["1 2"]


def test_changes_of_mode_modify_a_file(graph: Graph) -> None:
    graph.history({b"a.py": b"0\n"}, {b"a.py": b"1\n"}, {b"a.py": (EXECUTABLE, b"1\n")}, {b"a.py": b"3\n"})
    (chain,) = graph.mine().chains
    assert (graph.named(chain), chain.file_lines) == ("1 2 3", 4)


@pytest.mark.parametrize(
    ("path", "is_source"),
    [
        (b"a.py", True), (b"d/B.java", True), (b"c.kt", True), (b"build.gradle.kts", False), (b"a.pyi", False),
        (b"x.ktor/README.md", False), (b"a.py.txt", False), (b"a.PY", False), (b"apy", False),
        (b"a b\xff\n\".py", True),
    ],
)  # fmt: skip
def test_only_exact_suffixes(graph: Graph, path: bytes, is_source: bool) -> None:
    graph.history(*({path: b"%d\n" % number} for number in range(4)))
    assert [chain.path for chain in graph.mine().chains] == ([path] if is_source else [])


def test_other_suffixes_can_be_asked_for(graph: Graph) -> None:
    graph.history(*({b"a.rs": b"%d\n" % number, b"b.py": b"%d\n" % number} for number in range(4)))
    (chain,) = graph.mine(suffixes=(b".rs",)).chains
    assert (chain.path, chain.purity, chain.sources_only) == (b"a.rs", 0.5, True)


def test_lines_that_start_like_headers_of_diffs_are_changes(graph: Graph) -> None:
    lines = [b"", b"++i;\n", b"++i;\n++ b/x\n", b"-- old\n"]
    graph.history(*({b"a.java": text} for text in lines))
    (chain,) = graph.mine().chains
    assert chain.file_lines == 1 + 1 + 3


def test_purity_and_difficulty(graph: Graph) -> None:
    def other(count: int) -> bytes:
        return b"".join(b"%d\n" % number for number in range(count))

    a = [{b"a.py": b"%d\n" % number} for number in range(10)]
    graph.history(
        {**a[0], b"b.py": b""}, {**a[1], b"b.py": other(2)}, {**a[2], b"b.py": other(2)}, {**a[3], b"b.py": other(2)},
        {**a[4], b"b.py": other(7)}, {**a[5], b"b.py": other(7)}, {**a[6], b"b.py": other(7)},
        {**a[7], b"b.py": other(99)}, {**a[8], b"b.py": other(99)}, {**a[9], b"b.py": other(99)},
    )  # fmt: skip
    chains = graph.mine(most=3).chains
    assert [(chain.file_lines, chain.all_lines) for chain in chains] == [(6, 8), (6, 11), (6, 98)]
    assert [(chain.purity, chain.difficulty) for chain in chains] == [(0.75, "medium"), (0.55, "hard"), (0.06, None)]


def test_purity_is_rounded_half_up() -> None:
    def chain(file_lines: int, all_lines: int) -> Chain:
        return Chain(b"a.py", "0", ("1",), 0, file_lines, all_lines, True, 0, (), None)

    shares = [(1, 8), (149, 200), (199, 200), (399, 400), (99, 200), (0, 0)]
    found = [(chain(*share).purity, chain(*share).difficulty) for share in shares]
    assert found == [(0.13, None), (0.75, "medium"), (1.0, "easy"), (1.0, "easy"), (0.5, "hard"), (0.0, None)]


def test_files_whose_changes_cancel_out_are_left_out(graph: Graph) -> None:
    a = [{b"a.py": b"%d\n" % number} for number in range(4)]
    many = b"x\n" * 50
    graph.history(
        {**a[0], b"b.py": b"", b"old.py": many},
        {**a[1], b"b.py": many, b"old.py": many, b"tmp.py": many},
        {**a[2], b"b.py": b"", b"old.py": many, b"tmp.py": b"y\n"},
        {**a[3], b"b.py": b""},
    )
    (chain,) = graph.mine().chains
    assert (chain.file_lines, chain.all_lines) == (6, 6 + 50)


def test_a_file_whose_own_changes_cancel_out_has_no_purity(graph: Graph) -> None:
    graph.history({b"a.py": b"0\n"}, {b"a.py": b"1\n"}, {b"a.py": b"2\n"}, {b"a.py": b"0\n"})
    (chain,) = graph.mine().chains
    assert (chain.file_lines, chain.all_lines, chain.purity, chain.difficulty) == (0, 0, 0.0, None)


def test_a_file_that_only_moves_has_no_changed_lines(graph: Graph) -> None:
    many = b"".join(b"line %d\n" % number for number in range(300))
    a = [{b"a.py": b"%d\n" % number} for number in range(4)]
    graph.history(
        {**a[0], b"o.py": many, b"s.py": many},
        {**a[1], b"p.py": many, b"s.py": many},
        {**a[2], b"q.py": many + b"one more\n", b"s.py": (EXECUTABLE, many)},
        {**a[3], b"q.py": many + b"one more\n", b"s.py": (EXECUTABLE, many)},
    )
    (chain,) = graph.mine().chains
    assert (chain.file_lines, chain.all_lines) == (6, 6 + 1)
    assert (chain.purity, chain.difficulty) == (0.86, "medium")


def test_a_copy_is_new_lines(graph: Graph) -> None:
    """One of two equal additions is where the file went, the other one is an addition, as Git counts."""
    a = [{b"a.py": b"%d\n" % number} for number in range(4)]
    text = b"x\ny\n" * 5
    moved = {b"p.py": text, b"q.py": text}
    graph.history({**a[0], b"o.py": text}, {**a[1], **moved}, {**a[2], **moved}, {**a[3], **moved})
    (chain,) = graph.mine().chains
    assert (chain.file_lines, chain.all_lines) == (6, 6 + 10)


def test_binary_and_other_files(graph: Graph) -> None:
    graph.history(*({b"a.py": b"%d\n" % number, b"b.png": b"\0%d" % number} for number in range(4)))
    (chain,) = graph.mine().chains
    assert (chain.file_lines, chain.all_lines, chain.sources_only) == (6, 6, False)


def test_chains_whose_lines_cannot_be_counted_are_counted(graph: Graph) -> None:
    graph.line("0", "1", "2", "3", "4", "5", "6")
    oid = graph.builder.git.line("rev-parse", f"{graph.ids['2']}:a.py")
    (graph.builder.path / "objects" / oid[:2] / oid[2:]).unlink()
    mined = graph.mine(most=3)
    assert [graph.named(chain) for chain in mined.chains] == ["4 5 6"]
    assert mined.chains_missing_object == 1


def test_chains_stop_at_commits_that_cannot_be_read(graph: Graph) -> None:
    graph.line("0", "1", "2", "3", "4", "5", "6", "7")
    oid = graph.builder.git.line("rev-parse", f"{graph.ids['3']}^{{tree}}")
    (graph.builder.path / "objects" / oid[:2] / oid[2:]).unlink()
    mined = graph.mine(least=2)
    assert [graph.named(chain) for chain in mined.chains] == ["1 2", "5 6 7"]
    assert (mined.commits, mined.unreadable_commits) == (8, 2)


def test_the_boundary_of_a_shallow_clone_is_a_root(graph: Graph) -> None:
    graph.line("0", "1", "2", "3", "4")
    (graph.builder.path / "shallow").write_text(f"{graph.ids['1']}\n")
    assert graph.chains() == ["2 3 4"]


def test_only_chains_of_the_time_asked_for(graph: Graph) -> None:
    graph.line("0", "1", "2", "3", "4", "5", "6")
    committed = int(graph.builder.git.line("log", "-1", "--format=%ct", graph.ids["6"]))
    mined = graph.mine(most=3, since=committed)
    assert [graph.named(chain) for chain in mined.chains] == ["4 5 6"]
    assert mined.chains_out_of_time == 1


@pytest.mark.parametrize(
    ("least", "most", "reason"),
    [
        (0, 3, "min_commits=0: input should be greater than or equal to 1"),
        (4, 3, "max_commits=3: chains of 4 to 3 commits cannot be"),
    ],
)
def test_impossible_lengths_are_refused(least: int, most: int, reason: str) -> None:
    given = [f"file_commit_chain.min_commits={least}", f"file_commit_chain.max_commits={most}"]
    with pytest.raises(UserError, match=reason):
        read_options(given, (SAMPLES,))
