"""The tools: hunks become commits, byte for byte, under numbers that follow what remains."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from gitgoodbench.agents.calls import call_tool
from gitgoodbench.errors import ToolError
from gitgoodbench.git.conflict_text import split_lines
from gitgoodbench.git.objects import REGULAR
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import EpisodeOptions, ToolSet
from tests.support.chains import ChainCase, begin, call, commit, committed, icc_options, make_chain

LINES = [b"line %d\r\n" % number for number in range(40)]
EXTENDED = EpisodeOptions(ToolSet.EXTENDED)


def text(*edits: tuple[int, bytes]) -> bytes:
    lines = list(LINES)
    for number, line in edits:
        lines[number] = line
    return b"".join(lines)


ONE, TWO, THREE = (2, b"\tone \x0c\r\nmore\n"), (20, b""), (39, b"\xe2\x80\xa8three\x00")


@pytest.fixture
def case(tmp_path: Path) -> ChainCase:
    """Three hunks in a.py, and a change elsewhere."""
    base = {b"a.py": text(), b"b.py": b"b\n"}
    final = {b"a.py": text(ONE, TWO, THREE), b"b.py": b"B\n", b"c/new.py": b"new"}
    return make_chain(tmp_path / "r.git", [base, {**base, b"a.py": text(ONE)}, final])


def a_py(episode: object, case: ChainCase) -> list[bytes | None]:
    return [files[b"a.py"][1] for files in committed(case, episode.outcome())]  # type: ignore[attr-defined]


def test_the_published_tools_have_the_published_names_and_parameters(
    case: ChainCase, local_provider: SandboxProvider
) -> None:
    with begin(case, local_provider) as (episode, _):
        schemas = {tool.name: tool.schema["function"]["parameters"] for tool in episode.tools}
    assert {name: list(schema["properties"]) for name, schema in schemas.items()} == {
        "commit_changes_in": ["selected_hunks", "commit_message", "reason"],
        "commit_remaining_changes": ["commit_message", "reason"],
    }
    assert schemas["commit_changes_in"]["properties"]["selected_hunks"]["items"] == {"type": "integer"}


def test_the_extended_tools_split_hunks(case: ChainCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider, EXTENDED) as (episode, _):
        schemas = {tool.name: tool.schema["function"]["parameters"] for tool in episode.tools}
    assert list(schemas) == ["commit_changes_in", "commit_remaining_changes", "split_hunk"]
    assert list(schemas["split_hunk"]["properties"]) == ["hunk", "after_lines"]


def test_the_last_hunk_first_and_the_others_under_new_numbers(case: ChainCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, _):
        told = commit(episode, 3, message="Third")
        assert told.startswith(
            "Hunk 3 is committed:\n- a.py: @@ -37,4 +37,4 @@ line 35 begins -line 39\n\n"
            "2 hunks remain:\n\nHunk 1 (of 2) in a.py:\n@@ -1,6 +1,7 @@\n"
        )
        told = commit(episode, 1, message="First")
        assert told.startswith(
            "Hunk 1 is committed:\n- a.py: @@ -1,6 +1,7 @@ begins -line 2\n\n"
            "1 hunk remains:\n\nHunk 1 (of 1) in a.py:\n@@ -19,7 +19,6 @@"
        )
        told = commit(episode, 1, message="Second\n\nWith a body.")
        assert told == (
            "Hunk 1 is committed:\n- a.py: @@ -19,7 +19,6 @@ line 16 begins -line 20\n\n"
            "No hunk remains. Commit the changes in the other files with "
            "commit_remaining_changes:\n- b.py (changed)\n- c/new.py (new)\n\n"
            "diff --git a/b.py b/b.py\n--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-b\n+B\n"
            "diff --git a/c/new.py b/c/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/c/new.py\n"
            "@@ -0,0 +1 @@\n+new\n"
            "\\ No newline at end of file\n"
        )
        assert not episode.finished
        assert call(episode, "commit_remaining_changes", commit_message="Rest") == (
            "Everything is committed. Nothing is left to do."
        )
        assert episode.finished
        outcome = episode.outcome()
        assert episode.git.run("log", "--reverse", "--format=%B%x00", f"{case.base}..") == (
            b"Third\n\0\nFirst\n\0\nSecond\n\nWith a body.\n\0\nRest\n\0\n"
        )
    assert outcome.state["uncommitted"] == []
    commits = committed(case, outcome)
    assert [files[b"a.py"] for files in commits] == [
        (REGULAR, text(THREE)),
        (REGULAR, text(ONE, THREE)),
        (REGULAR, text(ONE, TWO, THREE)),
        (REGULAR, text(ONE, TWO, THREE)),
    ]
    assert [b"c/new.py" in files for files in commits] == [False, False, False, True]


def test_several_hunks_in_one_commit_in_whatever_order_they_are_named(
    case: ChainCase, local_provider: SandboxProvider
) -> None:
    with begin(case, local_provider) as (episode, _):
        assert commit(episode, 3, 1).startswith(
            "Hunks 1, 3 are committed:\n- a.py: @@ -1,6 +1,7 @@ begins -line 2\n"
            "- a.py: @@ -37,4 +37,4 @@ line 35 begins -line 39\n\n1 hunk remains:"
        )
        assert a_py(episode, case) == [text(ONE, THREE)]


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        ([], "no hunk is selected"),
        ([4], "there is no hunk 4: they are numbered 1 to 3"),
        ([0, -1], "there is no hunk -1, 0: they are numbered 1 to 3"),
        ([1, 1, 9], "there is no hunk 9: they are numbered 1 to 3; hunk 1 is selected more than once"),
        (list(range(4, 99)), "and 85 more"),
        (list(range(1, 100_000)), "and 99986 more"),
    ],
)
def test_hunks_that_are_not_there_are_refused_and_nothing_is_committed(
    case: ChainCase, local_provider: SandboxProvider, numbers: list[int], reason: str
) -> None:
    with begin(case, local_provider) as (episode, _):
        with pytest.raises(ToolError, match=reason):
            commit(episode, *numbers)
        assert episode.git.line("rev-parse", "HEAD") == case.base
        assert len(episode.division.remaining) == 3


@pytest.mark.parametrize(
    "selected",
    [
        ["one"], [True], {"1": 1}, "1-x", "-1", [[1]], [1.5], "hunk", "3-1", "1, 3-2", "1-", "\u0661", "1-999999999",
        ["1-90000"] * 9, "1-90000 " * 9,
    ],
)  # fmt: skip
def test_what_names_no_hunks_is_refused_with_a_right_call(
    case: ChainCase, local_provider: SandboxProvider, selected: object
) -> None:
    with begin(case, local_provider) as (episode, _), pytest.raises(ToolError) as refused:
        call(episode, "commit_changes_in", commit_message="x", selected_hunks=selected)
    assert str(refused.value).startswith(
        "commit_changes_in: argument selected_hunks: it must be a list of numbers, such as [1, 3]\nA right call: "
        "commit_changes_in(selected_hunks=[1, 3], "
    )


@pytest.mark.parametrize(
    ("selected", "read"),
    [
        (2, [2]), ("2", [2]), (["2"], [2]), ([2.0], [2]), ("[1, 3]", [1, 3]), ("1-2", [1, 2]), (["1-2", 3], [1, 2, 3]),
        ("1, 3", [1, 3]), ("1 - 3", [1, 2, 3]), ("all", "all"), (["ALL"], "all"),
        ("1 and 3", [1, 3]), ("hunk 2", [2]), (["Hunk #1", "#3"], [1, 3]), ("hunks 1 to 3", [1, 2, 3]),
        ("1\u20133", [1, 2, 3]),
    ],
)  # fmt: skip
def test_other_ways_to_name_hunks_are_read_and_noted(
    case: ChainCase, local_provider: SandboxProvider, selected: object, read: object
) -> None:
    arguments = {"selected_hunks": selected, "commit_message": "x"}
    with begin(case, local_provider) as (episode, _):
        result = call_tool(episode.tools, "commit_changes_in", arguments)
        assert not result.is_error
        assert result.readings == (
            f"selected_hunks: {json.dumps(selected, ensure_ascii=False)} read as {json.dumps(read)}",
        )
        wanted = {"all": 3}.get(str(read), len(read))  # type: ignore[arg-type]
        assert len(episode.division.remaining) == 3 - wanted
    with begin(case, local_provider, EpisodeOptions(strict_tools=True)) as (episode, _):
        assert call_tool(episode.tools, "commit_changes_in", arguments).is_error


def test_numbers_mean_the_same_in_all_calls_of_one_answer(case: ChainCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, _):
        episode.begin_answer()
        for number, message in enumerate("ABC", 1):
            arguments = {"selected_hunks": [number], "commit_message": message}
            assert not call_tool(episode.tools, "commit_changes_in", arguments).is_error
        assert a_py(episode, case) == [text(ONE), text(ONE, TWO), text(ONE, TWO, THREE)]


def test_a_hunk_that_an_earlier_call_of_the_answer_committed_or_split_is_refused(
    case: ChainCase, local_provider: SandboxProvider
) -> None:
    reason = "hunk 1 was committed or split by an earlier call of this answer"
    again = {"selected_hunks": [1], "commit_message": "again"}
    with begin(case, local_provider, EXTENDED) as (episode, _):
        episode.begin_answer()
        call_tool(episode.tools, "split_hunk", {"hunk": 1, "after_lines": [1]})
        assert reason in call_tool(episode.tools, "commit_changes_in", again).text
        episode.begin_answer()
        call_tool(episode.tools, "commit_changes_in", again)
        assert reason in call_tool(episode.tools, "commit_changes_in", again).text
        assert len(episode.division.remaining) == 3


@pytest.mark.parametrize(("message", "reason"), [("", "is empty"), (" \n\t", "is empty"), ("a\0b", "NUL")])
def test_a_message_that_no_commit_can_have_is_refused(
    case: ChainCase, local_provider: SandboxProvider, message: str, reason: str
) -> None:
    with begin(case, local_provider) as (episode, _):
        with pytest.raises(ToolError, match=reason):
            commit(episode, 1, message=message)
        assert len(episode.division.remaining) == 3


@pytest.mark.parametrize(
    "message",
    [
        "# no comment",
        'it\'s "$(touch pwned)" `x` \\n %s',
        "a\n\n\n\nb\n# c\nexec touch PWNED",
        "\U0001f600",
        "-m x",
        "a \r\n\r\n\r\n  b\t\r\n",
    ],
)
def test_a_message_is_cleaned_as_git_does(case: ChainCase, local_provider: SandboxProvider, message: str) -> None:
    with begin(case, local_provider) as (episode, sandbox):
        commit(episode, 1, message=f"\n {message} \n\n")
        raw = episode.git.run("cat-file", "commit", "HEAD").partition(b"\n\n")[2]
        assert raw == case.git.run("stripspace", stdin=f"\n {message} \n\n".encode())
        assert b"wned" not in sandbox.exec(["ls"]).stdout.lower()


def test_the_rest_waits_for_the_hunks_and_is_committed_once(case: ChainCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, _):
        with pytest.raises(ToolError, match="3 hunks remain; commit all of them"):
            call(episode, "commit_remaining_changes", commit_message="Rest")
        commit(episode, 1, 2, 3)
        with pytest.raises(ToolError, match="no hunk remains"):
            commit(episode, 1)
        call(episode, "commit_remaining_changes", commit_message="Rest")
        with pytest.raises(ToolError, match="nothing remains"):
            call(episode, "commit_remaining_changes", commit_message="Rest")


def test_without_other_files_the_last_hunk_ends_the_episode(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_chain(tmp_path / "r.git", [{b"a.py": b"1\n"}, {b"a.py": b"2\n"}, {b"a.py": b"3\n"}])
    with begin(case, local_provider) as (episode, _):
        assert not episode.facts["splittable"]
        assert commit(episode, 1) == (
            "Hunk 1 is committed:\n- a.py: @@ -1 +1 @@ begins -1\n\nEverything is committed. Nothing is left to do."
        )
        assert episode.finished


def test_a_commit_holds_nothing_that_was_not_selected(case: ChainCase, local_provider: SandboxProvider) -> None:
    """Not even what lies in the working tree, or was staged behind the tools' back."""
    with begin(case, local_provider) as (episode, sandbox):
        sandbox.put("b.py", b"tampered\n")
        sandbox.put("stray.txt", b"x")
        commit(episode, 2)
        (files,) = committed(case, episode.outcome())
    assert files == {b"a.py": (REGULAR, text(TWO)), b"b.py": (REGULAR, b"b\n")}


def test_many_remaining_hunks_are_listed_briefly(tmp_path: Path, local_provider: SandboxProvider) -> None:
    base = b"".join(b"%d: %s\n" % (number, b"x" * 100) for number in range(400))
    final = b"".join(line.upper() if n % 10 == 0 else line for n, line in enumerate(split_lines(base)))
    case = make_chain(tmp_path / "r.git", [{b"a.py": base}, {b"a.py": final}])
    with begin(case, local_provider) as (episode, _):
        told = commit(episode, 1)
        assert len(told) < 12_000
        assert "\nHunk 39 in a.py: @@ -388,7 +388,7 @@" in told


def test_a_hunk_is_split_and_its_parts_committed_in_any_order(case: ChainCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider, EXTENDED) as (episode, _):
        told = call(episode, "split_hunk", hunk=1, after_lines=[2])
        assert told.startswith("Hunk 1 is now hunks 1 to 2:\n\nHunk 1 (of 4) in a.py:\n@@ -1,6 +1,6 @@\n")
        assert told.endswith("\n\nThe hunks after them are now 3 to 4.")
        assert "\n   1 +more\n" in told
        commit(episode, 2, 4)
        commit(episode, 1, 2)
        assert a_py(episode, case) == [
            text((2, b"line 2\r\nmore\n"), THREE),
            text(ONE, TWO, THREE),
        ]


@pytest.mark.parametrize(
    ("hunk", "after", "reason"),
    [
        (9, [1], "there is no hunk 9"),
        (1, [], "names no line"),
        (1, [3], "line 3 is not one of the changed lines 1 to 2"),
        (1, [0, 1], "line 0 is not one of"),
        (2, [1], "hunk 2 is a single line"),
    ],
)
def test_a_split_that_makes_no_sense_is_refused(
    case: ChainCase, local_provider: SandboxProvider, hunk: int, after: list[int], reason: str
) -> None:
    with begin(case, local_provider, EXTENDED) as (episode, _):
        with pytest.raises(ToolError, match=reason):
            call(episode, "split_hunk", hunk=hunk, after_lines=after)
        assert len(episode.division.remaining) == 3


def test_all_lines_split_a_hunk_into_single_lines(case: ChainCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider, EXTENDED) as (episode, _):
        call(episode, "split_hunk", hunk=1, after_lines="all")
        assert [len(piece.part.changed) for piece in episode.division.remaining[:3]] == [1, 1, 1]
        assert len(episode.division.remaining) == 5


@pytest.mark.parametrize("seed", range(6))
def test_random_contents_grouping_and_order_end_at_the_exact_tree(
    tmp_path: Path, local_provider: SandboxProvider, seed: int
) -> None:
    chance = random.Random(seed)
    case = random_case(tmp_path / "r.git", chance)
    tools = ToolSet.EXTENDED if seed % 2 else ToolSet.PUBLISHED
    options = icc_options(tools, hunks="all" if seed % 3 else "chain-file")
    with begin(case, local_provider, options) as (episode, _):
        while episode.division.remaining:
            count = len(episode.division.remaining)
            if options.tool_set is ToolSet.EXTENDED and chance.random() < 0.4:
                part = episode.division.remaining[number := chance.randrange(count)].part
                if len(getattr(part, "changed", ())) > 1:
                    cuts = chance.sample(range(1, len(part.changed)), chance.randint(1, min(3, len(part.changed) - 1)))
                    call(episode, "split_hunk", hunk=number + 1, after_lines=cuts)
                    continue
            commit(episode, *chance.sample(range(1, count + 1), chance.randint(1, count)))
        if not episode.finished:
            call(episode, "commit_remaining_changes", commit_message="Rest")
        outcome = episode.outcome()
    assert outcome.state["uncommitted"] == []
    final = {path: (REGULAR, content) for path, content in files_at(case).items()}
    assert committed(case, outcome)[-1] == final


BARE = (b"", b"a", b"a\r", b"b", b"\x0c", b"\xe2\x80\xa8", b"\0", b"  ", b"@@ -1 +1 @@", b"\\")
NASTY = [line + b"\n" for line in BARE]


def random_case(path: Path, chance: random.Random) -> ChainCase:
    """A chain over files of nasty lines; files come, go and are renamed."""

    def some(count: int) -> list[bytes]:
        return [chance.choice(NASTY) for _ in range(count)]

    def edited(lines: list[bytes]) -> list[bytes]:
        edited = list(lines)
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(edited) + 1)
            edited[at : at + chance.randrange(3)] = some(chance.randrange(3))
        return [*edited, b"last\n"]

    files = {b"a.py": some(60), b"dir/b.py": some(40), b"gone.py": some(9), b"moved.py": [*some(30), b"x\n"]}
    versions = [files]
    for step in range(3):
        files = {path: edited(lines) if chance.random() < 0.8 else lines for path, lines in versions[-1].items()}
        files[b"a.py"] = [*edited(files[b"a.py"]), b"step %d\n" % step]
        versions.append(files)
    versions[-1][b"new/dir.py"] = versions[-1].pop(b"moved.py")
    versions[-1].pop(b"gone.py")
    versions[-1][b"fresh.py"] = some(5)
    joined = [{path: b"".join(lines)[: -chance.randrange(2) or None] for path, lines in v.items()} for v in versions]
    return make_chain(path, joined)


def files_at(case: ChainCase) -> dict[bytes, bytes]:
    listed = case.git.run("ls-tree", "-r", "-z", "--name-only", case.commits[-1]).split(b"\0")[:-1]
    return {path: case.git.run("cat-file", "blob", b"%s:%s" % (case.commits[-1].encode(), path)) for path in listed}


def test_more_hunks_than_can_be_shown_are_summed_up(tmp_path: Path, local_provider: SandboxProvider) -> None:
    base = b"".join(b"%d: %s\n" % (number, b"x" * 900) for number in range(2000))
    final = b"".join(line.upper() if n % 10 == 0 else line for n, line in enumerate(split_lines(base)))
    case = make_chain(tmp_path / "r.git", [{b"a.py": base}, {b"a.py": final}])
    with begin(case, local_provider) as (episode, _):
        prompt = episode.prompt[1]["content"]
        assert sum(len(message["content"]) for message in episode.prompt) <= 100_000
        assert "\n\nThe others are too many to be shown here:\nHunk 10 in a.py: @@ -88,7 +88,7 @@" in prompt
        assert "\nHunks 110 to 200 follow, in their order, up to a.py\n" in prompt
