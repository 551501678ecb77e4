"""Figures of histories, checked by hand: sets of changed lines, groupings, messages, definitions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gitgoodbench.git.objects import SUBMODULE, Entry
from gitgoodbench.scoring import history_lines
from gitgoodbench.scoring.history_lines import (
    LineHistory,
    LineReader,
    adjusted_rand_index,
    commits_reproduced,
    line_grouping,
)
from gitgoodbench.scoring.history_scores import AGAINST_THE_TRUTH, SCORES, history_scores
from gitgoodbench.scoring.messages import is_imperative, read_messages
from tests.support.repositories import Content, RepositoryBuilder

Files = Mapping[bytes, Content]
A, B, C = b"a\n" * 3, b"b\n" * 3, b"c\n" * 3


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "r.git")


def chain(builder: RepositoryBuilder, base: str | None, *versions: Files) -> list[str]:
    ids = [] if base is None else [base]
    for files in versions:
        ids.append(builder.commit(files, ids[-1:], b"Step %d\n" % len(ids)))
    return ids if base is None else ids[1:]


def lines_of(builder: RepositoryBuilder, base: str | None, commits: list[str]) -> LineHistory:
    return LineReader(builder.git).read(base, commits)


@pytest.mark.parametrize(
    ("first", "second", "index"),
    [
        ("aabb", "aabb", 1.0),
        ("aabb", "bbaa", 1.0),
        ("aabb", "aabc", 4 / 7),
        ("aabb", "abab", -0.5),
        ("aaaa", "abcd", 0.0),
        ("aaaa", "bbbb", 1.0),
        ("abcd", "dcba", 1.0),
        ("aaabbb", "aabbcc", 8 / 33),
        ("a", "b", 1.0),
    ],
)
def test_adjusted_rand_index_by_hand(first: str, second: str, index: float) -> None:
    pairs = list(zip(first, second, strict=True))
    assert adjusted_rand_index(pairs) == pytest.approx(index)
    assert adjusted_rand_index([(b, a) for a, b in pairs]) == pytest.approx(index)


def test_nothing_to_group_has_no_index() -> None:
    assert adjusted_rand_index([]) is None


def test_commits_in_another_order_are_the_same_sets_of_lines(builder: RepositoryBuilder) -> None:
    base = builder.commit({b"f": b"0\n"})
    real = chain(builder, base, {b"f": A + b"0\n"}, {b"f": A + b"0\n" + B}, {b"f": A + b"0\n" + B, b"g": C})
    other = chain(builder, base, {b"f": b"0\n", b"g": C}, {b"f": b"0\n" + B, b"g": C}, {b"f": A + b"0\n" + B, b"g": C})
    agent, truth = lines_of(builder, base, other), lines_of(builder, base, real)
    assert commits_reproduced(agent, truth) == 1.0
    assert line_grouping(agent, truth) == 1.0


def test_melded_and_cut_commits_are_no_longer_the_same(builder: RepositoryBuilder) -> None:
    base = builder.commit({b"f": b"0\n"})
    end = {b"f": A + b"0\n" + B, b"g": C}
    real = lines_of(builder, base, chain(builder, base, {b"f": A + b"0\n"}, {b"f": A + b"0\n" + B}, {**end}))
    melded = lines_of(builder, base, chain(builder, base, {b"f": A + b"0\n" + B}, end))
    assert commits_reproduced(melded, real) == 1 / 3
    # 9 lines: 6 and 3 here, 3 each there. 9 pairs together in both, 18 here, 9 there, of 36.
    assert line_grouping(melded, real) == pytest.approx((9 - 18 * 9 / 36) / ((18 + 9) / 2 - 18 * 9 / 36))
    assert commits_reproduced(real, melded) == 1 / 2


def test_a_line_edited_twice_and_squashed_is_grouped_otherwise(builder: RepositoryBuilder) -> None:
    """The worked example of docs/metrics.md: four lines, one pair together in truth, two in the squashed history."""
    base = builder.commit({b"a.py": b"x = 1\n", b"b.py": b"y = 1\n"})
    once, twice = b"x = 2\n", b"x = 3\n"
    truth = chain(
        builder,
        base,
        {b"a.py": once, b"b.py": b"y = 1\n"},
        {b"a.py": twice, b"b.py": b"y = 1\n"},
        {b"a.py": twice, b"b.py": b"y = 2\n"},
    )
    squashed = truth[1:]
    found = history_scores(builder.git, base, squashed, truth).scores
    assert found["line_grouping"] == pytest.approx((1 - 1 * 2 / 6) / ((1 + 2) / 2 - 1 * 2 / 6))
    assert found["commits_reproduced"] == 1 / 3


def test_what_one_history_takes_away_and_puts_back_is_not_grouped(builder: RepositoryBuilder) -> None:
    """In a file that both change, and in one that the other leaves alone."""
    base = builder.commit({b"f": b"0\n", b"g": A, b"h": B})
    truth = chain(
        builder,
        base,
        {b"f": b"1\n", b"g": b"", b"h": b""},
        {b"f": b"1\n", b"g": A + b"x\n", b"h": B},
    )
    agent = chain(builder, base, {b"f": b"1\n", b"g": A, b"h": B}, {b"f": b"1\n", b"g": A + b"x\n", b"h": B})
    made, real = lines_of(builder, base, agent), lines_of(builder, base, truth)
    assert line_grouping(made, real) == line_grouping(real, made) == 1.0
    assert commits_reproduced(made, real) == 0.0


def test_the_same_trees_score_in_full_however_large(
    builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_lines, "MAX_FILES", 1)
    base = builder.commit({b"f": b"0\n"})
    real = chain(builder, base, {b"f": b"1\n"}, {b"f": b"2\n"})
    again = chain(builder, base, {b"f": b"1\n"}, {b"f": b"2\n"})
    found = history_scores(builder.git, base, again, real)
    assert [found.scores[name] for name in AGAINST_THE_TRUTH] == [1.0, 1.0, 1.0]


def test_the_same_trees_under_other_messages_correspond_one_by_one(builder: RepositoryBuilder) -> None:
    base, first, second = chain(builder, None, {b"a": b"1\n"}, {b"a": b"2\n"}, {b"a": b"3\n"})
    again = builder.commit({b"a": b"2\n"}, [base], b"Add two\n")
    last = builder.commit({b"a": b"3\n"}, [again], b"Added three\n")
    found = history_scores(builder.git, base, [again, last], [first, second])
    assert found.scores["subjects_imperative"] == 0.5
    assert set(found.facts) == {"history", "real_history"}
    assert found.details is not None
    assert [(pair.agent, pair.truth, pair.similarity, pair.at_least) for pair in found.details.pairs or ()] == [
        (1, 1, 1.0, 1.0),
        (2, 2, 1.0, 1.0),
    ]


def test_a_file_that_becomes_a_link_is_removed_and_added(builder: RepositoryBuilder) -> None:
    """As `git diff` shows it, even if the text is the same."""
    base = builder.commit({b"f": b"a\nb\n"})
    ((file,),) = lines_of(builder, base, chain(builder, base, {b"f": ("120000", b"a\nb\n")})).commits
    assert file.lines.total() == 4


def test_one_commit_stands_for_one_real_commit(builder: RepositoryBuilder) -> None:
    base = builder.commit({b"f": b"0\n"})
    twice = chain(builder, base, {b"f": b"1\n"}, {b"f": b"0\n"}, {b"f": b"1\n"})
    once = chain(builder, base, {b"f": b"1\n"})
    assert commits_reproduced(lines_of(builder, base, once), lines_of(builder, base, twice)) == 1 / 3


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({b"f": b"x\n"}, {b"f": ("100755", b"x\n")}, id="mode"),
        pytest.param({}, {b"e": b""}, id="an empty file"),
        pytest.param({b"s": Entry(SUBMODULE, "1" * 40)}, {b"s": Entry(SUBMODULE, "2" * 40)}, id="submodule"),
        pytest.param({b"l": b"t"}, {b"l": ("120000", b"t")}, id="type"),
    ],
)
def test_changes_without_lines_count_too(builder: RepositoryBuilder, before: Files, after: Files) -> None:
    base = builder.commit({b"k": b"", **before})
    real = chain(builder, base, {b"k": b"", **after})
    nothing = chain(builder, base, {b"k": b"", **before})
    assert commits_reproduced(lines_of(builder, base, real), lines_of(builder, base, real)) == 1.0
    assert commits_reproduced(lines_of(builder, base, nothing), lines_of(builder, base, real)) == 0.0


def test_a_chain_from_the_root_commit_is_compared_with_nothing(builder: RepositoryBuilder) -> None:
    real = chain(builder, None, {b"a.py": A}, {b"a.py": A + B})
    found = history_scores(builder.git, None, real, real)
    assert found.scores["line_grouping"] == found.scores["commits_reproduced"] == 1.0
    figures = found.facts["history"]
    assert isinstance(figures, dict)
    assert (figures["mean_lines"], figures["mean_files"]) == (3.0, 1.0)


def test_histories_that_end_apart_are_not_compared_line_by_line(builder: RepositoryBuilder) -> None:
    base = builder.commit({b"f": b"0\n"})
    real = chain(builder, base, {b"f": b"1\n"}, {b"f": b"1\n2\n"})
    found = history_scores(builder.git, base, real[:1], real)
    assert set(found.scores) == set(SCORES)
    assert found.scores["line_grouping"] is None
    assert found.scores["commits_reproduced"] == 0.5


SOURCE = b"""import x

def one():
    return 1

def two():
    return 2

class Three:
    def four(self):
        pass
"""


def test_definitions_are_counted_where_lines_changed(builder: RepositoryBuilder) -> None:
    """The first commit touches one, two and Three.four; the second removes Three with its method."""
    new = SOURCE.replace(b"import x", b"import y").replace(b"return", b"yield").replace(b"pass", b"return")
    base = builder.commit({b"a.py": SOURCE, b"n.txt": b"def no():\n"})
    text: Files = {b"n.txt": b"\n"}
    commits = chain(builder, base, {b"a.py": new, **text}, {b"a.py": new.partition(b"class")[0], **text})
    figures = history_scores(builder.git, base, commits, commits).facts["history"]
    assert isinstance(figures, dict)
    assert figures["mean_definitions"] == (3 + 2) / 2
    assert figures["mean_files"] == (2 + 1) / 2
    assert figures["syntax_valid"] == 2


def test_too_much_is_not_compared_and_messages_still_count(
    builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_lines, "MAX_FILES", 3)
    base = builder.commit({b"f": b"0\n"})
    commits = chain(builder, base, {b"%d.py" % number: b"x\n" for number in range(3)})
    other = chain(builder, base, {b"%d.py" % number: b"y\n" for number in range(3)})
    found = history_scores(builder.git, base, other, commits)
    assert found.scores["commits_reproduced"] is None
    assert found.scores["line_grouping"] is None
    assert (found.scores["messages_distinct"], found.scores["syntax_valid"]) == (1.0, None)


def test_a_large_file_changes_as_a_whole(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_lines, "MAX_BLOB_BYTES", 8)
    base = builder.commit({b"f": b"0\n"})
    one = chain(builder, base, {b"f": b"1\n" * 5})
    two = chain(builder, base, {b"f": b"2\n" * 5})
    same, other = (lines_of(builder, base, commits) for commits in (one, two))
    assert commits_reproduced(same, same) == 1.0
    assert commits_reproduced(other, same) == 0.0
    assert line_grouping(same, same) is None


def test_messages_are_counted() -> None:
    found = read_messages(
        [
            b"Add a reader\n",
            b"\n\nadd a READER  \n",
            b"",
            b" \n\t\n",
            b"Added " + b"x" * 67 + b"\n\nBody\n",
            b"Fixes the reader\n",
            b"fix(core): adding a check\n",
            b"#12: \xff \xe2\x80\xa8 \x1b[31m\n",
            b"Process the queue",
        ]
    )
    assert (found.commits, found.repeated, found.empty, found.with_subject) == (9, 1, 2, 7)
    assert (found.long_subjects, found.other_moods) == (1, 4)
    assert found.mean_subject == (12 + 12 + 73 + 16 + 25 + 14 + 17) / 7


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (b"Fix", b"fix"),
        (b"Fix", b"Fix.\n"),
        (b"Fix  it", b"fix it !!\n\n"),
        (b"Fix it.\n\nWhy:\n- this", b"Fix it\n\nWhy\n- this\n"),
        ("ÜBER".encode(), "über…".encode()),
        ("修复".encode(), "修复。".encode()),
        ("修复".encode(), "修复！".encode()),
        ("caf\u00e9".encode(), "cafe\u0301".encode()),
    ],
)
def test_messages_that_differ_in_case_blanks_and_ends_of_lines_are_repeated(first: bytes, second: bytes) -> None:
    assert read_messages([first, second]).repeated == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (b"Fix #1", b"Fix #2"),
        (b"Support C", b"Support C++"),
        (b"Rename a.b", b"Rename ab"),
        (b"Fix", b"Fix it"),
        (b"\xff", b"\xfe"),
        (b"Fix\n\nThis", b"Fix\n\nThat"),
    ],
)
def test_messages_that_say_something_else_are_not_repeated(first: bytes, second: bytes) -> None:
    assert read_messages([first, second]).repeated == 0


IMPERATIVES = (
    "Add it", "fix(parser)!: drop it", "docs: Describe it", "src/main.c: avoid a loop", "[docs] [GH-12]: Reword it",
    "LANG-12 LANG-13: Use it", "#12 Keep it", "Re-add it", "Unbreak it", "Don't use it", "Don\u2019t use it",
    "Only create one", "Properly close it", "Fix/ignore it", "Process it", "Apply", "fix",
)  # fmt: skip
OTHERS = (
    "Data model", "Added it", "Adding it", "Adds it", "Made it", "Minor fix", "Javadoc", "Kotlin 1.5", "No need", "WIP",
    "The fix", "fix: regex", "docs: more of them", "3.1.2", "", "...", "`Add`", "\u4fee\u590d", "Ajoute un test",
    "Only", "Really new",
    "StringUtils.join fails", "fixup! Add it",
)  # fmt: skip


@pytest.mark.parametrize("subject", IMPERATIVES)
def test_a_subject_that_begins_with_a_verb_is_in_the_imperative(subject: str) -> None:
    assert is_imperative(subject)


@pytest.mark.parametrize("subject", OTHERS)
def test_a_subject_that_begins_otherwise_is_not(subject: str) -> None:
    assert not is_imperative(subject)


def test_endless_subjects_are_read_at_once() -> None:
    for part in ("a: ", ".", "[x] ", "a-", "'"):
        subject = part * 200_000
        assert not is_imperative(subject)
        assert read_messages([subject.encode(), (subject + "x").encode()]).repeated == 0


def test_no_messages_have_no_figures() -> None:
    assert read_messages([b"\n"]).mean_subject is None


def test_reading_messages_starts_no_process_and_reads_no_configuration(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The linter also works as a hook with a configuration of its own; none of that is wanted here."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    (tmp_path / "cchk.toml").write_text("[commit]\nsubject_imperative = false\nsubject_max_length = 5\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("subprocess.Popen.__init__", refuse)
    found = read_messages([b"Added a reader\n"])
    assert (found.long_subjects, found.other_moods) == (0, 1)
