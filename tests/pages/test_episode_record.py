"""What a page says of an episode: the sentence, the command, the links, the turns, the trees."""

from __future__ import annotations

import json
import shlex
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.api.running import load_run
from gitgoodbench.details import ConflictDetail, Details, FileDetail
from gitgoodbench.reporting.pages.episode import episode_record, episode_trees
from gitgoodbench.reporting.pages.episode.again import command, commit_links
from gitgoodbench.reporting.pages.episode.patches import added_text
from gitgoodbench.reporting.pages.episode.sentence import sentence
from gitgoodbench.reporting.pages.episode.trees import ALONE, TreeLimits, may_have_trees, trees_record
from gitgoodbench.reporting.pages.episode.turns import conversation_record
from gitgoodbench.reporting.pages.shown import Shown, shown_runs
from gitgoodbench.runs.manifest import Manifest
from gitgoodbench.runs.result import Result
from gitgoodbench.runs.trajectories import Conversation
from tests.support.episode_runs import BROKEN, OURS, TRUTH, conversation, make_episode_run, plain
from tests.support.page_runs import Player, manifest_of

NONE: dict[str, Any] = {}


@pytest.fixture
def shown(tmp_path: Path) -> Shown:
    (only,) = shown_runs([load_run(make_episode_run(tmp_path))])
    return only


def result_of(shown: Shown, name: str) -> Result:
    """Of a scenario, or the broken one."""
    names = {"broken" if one.sample_id == BROKEN else one.scenario: one for one in shown.run.results}
    return names[name]


@pytest.mark.parametrize(
    ("scenario", "said"),
    [
        ("mcr", "not met: clean; 1 of 4 conflicts as in the truth; differs in src/total.py, src/more.py; "
                "out of reach of answers to the conflicts: docs/total.md"),
        ("ir", "not met: clean; 1 of 3 real commits made again, line for line, in 2 commits; judged a tie"),
        ("broken", "there is no such commit"),
    ],
)  # fmt: skip
def test_one_sentence_says_why(shown: Shown, scenario: str, said: str) -> None:
    assert sentence(result_of(shown, scenario)) == said


def test_the_sentence_of_a_solved_merge_names_its_gates(shown: Shown) -> None:
    whole = FileDetail(
        path="a", exact=True, conflicts=(ConflictDetail(number=1, kind="text", exact=True),), out_of_reach=False
    )
    solved = result_of(shown, "mcr").model_copy(
        update={"gates": {"committed": True, "nothing_unmerged": True}, "details": Details(files=(whole,))}
    )
    assert sentence(solved) == "committed, nothing unmerged; the conflict as in the truth"


def test_the_record_has_the_files_of_the_run_letter_by_letter(shown: Shown) -> None:
    result = result_of(shown, "ir")
    files = shown.paths.episode(*result.key)
    record = episode_record(shown, result)
    assert record["raw"] == files.result.read_text("ascii")
    assert record["prompts"] == json.loads(files.judge_prompts.read_bytes())
    assert (record["key"], record["details"], record["trees"]) == (shown.key(result), None, True)
    json.dumps(record, allow_nan=False)


def test_details_beside_the_result_are_shown_where_they_are(shown: Shown) -> None:
    result = result_of(shown, "broken")
    files = shown.paths.episode(*result.key)
    assert episode_trees(shown, result) is None
    conflict = ConflictDetail(number=1, kind="text", exact=False, agent_text=OURS, truth_text=TRUTH)
    beside = Details(files=(FileDetail(path="a.py", exact=False, conflicts=(conflict,)),), ids={"merge": "a" * 40})
    files.details.write_text(beside.model_dump_json())
    record = episode_record(shown, result)
    assert record["details"] == beside.model_dump(mode="json")
    assert (record["trees"], list(record["links"])) == (True, ["merge"])
    trees = episode_trees(shown, result)
    assert trees is not None
    assert len(trees["parts"]) == 1


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"files": 1}', b"\xff"])
def test_damaged_details_beside_the_result_change_nothing(shown: Shown, content: bytes) -> None:
    result = result_of(shown, "mcr")
    shown.paths.episode(*result.key).details.write_bytes(content)
    assert episode_trees(shown, result) is not None
    assert episode_record(shown, result)["sentence"] == sentence(result)


def test_commits_have_addresses_only_where_they_are_published() -> None:
    details = Details(ids={"merge": "a" * 40, "parents": ("b" * 40, "not a commit"), "none": None})
    page = "https://github.com/owner/name/commit/"
    assert commit_links(details, "owner/name") == {
        "merge": [{"id": "a" * 40, "url": page + "a" * 40}],
        "parents": [{"id": "b" * 40, "url": page + "b" * 40}, {"id": "not a commit", "url": None}],
        "none": [],
    }
    for name in (None, "name", "a/b/c", "javascript:alert(1)//x/y", "owner/name\n", "../x", "owner/name?q"):
        assert {one["url"] for ids in commit_links(details, name).values() for one in ids} == {None}


def replayed(manifest: Manifest, result: Result, **config: Any) -> list[str]:
    changed = manifest.model_copy(update={"config": manifest.config.model_copy(update=config)})
    return shlex.split(command(changed, result))


def test_the_command_plays_this_episode_with_what_was_said(shown: Shown) -> None:
    manifest = manifest_of("run", Player("openai", "m", 0, 0, 0), 1, 1)
    result = result_of(shown, "mcr").model_copy(update={"sample_id": "a[1]* 'x'"})
    assert replayed(manifest, result) == [
        "gitgoodbench", "eval", "lite", "--agent", "openai", "--scenario", "mcr", "--sample", "a[[]1][*] 'x'",
        "--model", "m", "--tools", "published", "--judge", "none",
    ]  # fmt: skip
    said = replayed(manifest, result, epochs=3, limit=2, jobs=8, offline=True, temperature=0.5, opt=("a.b=c", "d.e=f"))
    assert said[9:] == [
        "--model", "m", "--temperature", "0.5", "--tools", "published", "--opt", "a.b=c", "--opt", "d.e=f",
        "--judge", "none", "--offline",
    ]  # fmt: skip


def test_the_agents_own_log_is_named(shown: Shown) -> None:
    result = result_of(shown, "mcr")
    assert episode_record(shown, result)["logs"] == []
    folder = shown.paths.episode(*result.key).agent_logs
    (folder / "sessions").mkdir(parents=True)
    for name in ("stdout.txt", "sessions/a\udcff\x1b.jsonl"):
        (folder / name).touch()
    assert episode_record(shown, result)["logs"] == ['"agent/sessions/a\\377\\033.jsonl"', "agent/stdout.txt"]


def test_no_command_is_told_where_none_plays_it_again(shown: Shown) -> None:
    result = result_of(shown, "mcr")
    assert episode_record(shown, result)["command"] is not None
    shown.paths.predictions.write_bytes(b"")
    assert episode_record(shown, result)["command"] is None


def test_turns_hold_what_was_said_between_two_answers() -> None:
    record = conversation_record(Conversation({}, (), tuple(conversation(plain, "")), {"status": "limit_reached"}))
    assert [message["role"] for message in record["before"]] == ["system", "user"]
    first, second = record["turns"]
    assert (first["at"], first["seconds"], first["tokens"]) == (3.0, 2.5, {"prompt": 2000, "completion": 150})
    assert first["reasoning"].startswith("Let me think.")
    (call,) = first["calls"]
    assert [(one["name"], one["text"]) for one in call["arguments"]] == [
        ("path", "src/total.py"), ("content", TRUTH), ("numbers", "[1, 2]"), ("why", "both")
    ]  # fmt: skip
    assert (call["result"], call["is_error"]) == ("resolved 1 of 2\n" * 50, False)
    assert [(fault["fate"], fault["status"]) for fault in second["faults"]] == [("refused", 503)]
    assert [(one["name"], one["raw"], one["is_error"]) for one in second["calls"]] == [
        ("commit", None, True), ("commit", "{not json", False), (None, '{"id": "d"}', False)
    ]  # fmt: skip
    assert [one["text"] for one in second["after"]] == ["Call a tool, or finish."]
    assert record["ending"] == {"status": "limit_reached"}


def test_sub_agents_are_told_apart_from_who_asked_for_them(shown: Shown) -> None:
    record = episode_record(shown, result_of(shown, "ir"))["conversation"]
    alone = episode_record(shown, result_of(shown, "icc"))["conversation"]
    assert [turn["calls"] for turn in record["turns"]] == [turn["calls"] for turn in alone["turns"]]
    assert alone["asides"] == []
    assert [(one["name"], one["call"], len(one["turns"])) for one in record["asides"]] == [
        ("1", "a", 1),
        ("2", None, 1),
    ]
    (sub, _) = record["asides"]
    assert [message["role"] for message in sub["before"]] == ["system", "user"]
    assert (sub["turns"][0]["text"], len(sub["asked"])) == ("I am 1.", 1)


def test_what_was_said_in_attempts_before_is_kept(shown: Shown) -> None:
    record = episode_record(shown, result_of(shown, "mcr"))
    assert record["earlier"] == [record["conversation"]]
    assert episode_record(shown, result_of(shown, "ir"))["earlier"] == []


@pytest.mark.parametrize("junk", [None, 1, "x", [], {}, {"content": 1}, {"role": "tool"}, {"tool_calls": [None, {}]}])
def test_turns_are_made_of_anything(junk: Any) -> None:
    lines = [{"kind": kind, "message": junk, "time": junk, "asked": junk} for kind in ("message", "answer", "fault")]
    json.dumps(conversation_record(Conversation(NONE, (), tuple(lines), None)))
    json.dumps(conversation_record(Conversation(NONE, ({"role": "assistant", "content": "x"},), (), None)))


def test_added_lines_are_read_from_patches_as_they_are_made() -> None:
    patch = (
        "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-- removed\n+++ added\n+b\n kept\n"
        "--- /dev/null\n+++ b/new.py\n@@ -1 +1 @@\n+c\n\\ No newline at end of file\n"
        "--- a/bin\n+++ b/bin\nnot read line by line\n"
    )
    assert added_text(patch) == {"x.py": "++ added\nb\n", "new.py": "c\n"}


def conflict(agent: str | None, truth: str | None, path: str = "a.py", **more: Any) -> Details:
    one = ConflictDetail(number=1, kind="text", exact=False, agent_text=agent, truth_text=truth, **more)
    return Details(files=(FileDetail(path=path, exact=False, conflicts=(one,)),))


def test_trees_show_what_became_of_each_node() -> None:
    (part,) = trees_record(conflict("total = sum(rows)\n", "total = fsum(rows, 1)\n"))["parts"]
    assert part["counts"] == {"kept": 10, "relabelled": 1, "deleted": 0, "inserted": 2}
    assert part["distance"] == 3
    changed = [row for row in part["rows"] if row[0] != "kept"]
    assert [(kind, agent, truth) for kind, _, agent, _, truth, _ in changed] == [
        ("relabelled", "identifier sum", "identifier fsum"), ("inserted", "", ","), ("inserted", "", "integer 1")
    ]  # fmt: skip
    for side in (1, 3):
        depths = [row[side] for row in part["rows"] if row[side] >= 0]
        assert depths[0] == 0
        assert all(later <= before + 1 for before, later in pairwise(depths))


def test_subtrees_that_are_kept_whole_can_be_folded() -> None:
    (part,) = trees_record(conflict("f(a, b)\ng(1)\n", "f(a, b)\ng(2)\n"))["parts"]
    folded = {row[2]: row[5] for row in part["rows"] if row[5]}
    assert folded == {"expression_statement": 8}


@pytest.mark.parametrize(
    ("details", "problem"),
    [
        (conflict(None, "a\n"), "the agent has no text there"),
        (conflict("a\n", "b\n", path="a.unheard-of"), "no language is known for files of that name"),
        (conflict("a\n", "b\n", cut=True), "the texts are not kept whole in this run"),
        (
            conflict("a\n", "b\n" * ALONE.text),
            f"too large: {2 * ALONE.text} bytes, and at most {ALONE.text} are compared",
        ),
        (conflict("(" * 5000, "f(" * 9000), "too large: "),
    ],
)
def test_what_is_not_compared_says_why(details: Details, problem: str) -> None:
    (part,) = trees_record(details)["parts"]
    assert part["problem"].startswith(problem)
    assert "rows" not in part


def test_nothing_is_compared_where_all_is_as_in_the_truth() -> None:
    exact = ConflictDetail(number=1, kind="text", exact=True, agent_text="a", truth_text="a")
    assert not may_have_trees(Details(files=(FileDetail(path="a.py", exact=True, conflicts=(exact,)),)))


def test_hostile_texts_are_parsed_and_shown_as_text() -> None:
    hostile = "<script>\x1b\u202e\ud800 = '\\xff'\n" * 20
    (part,) = trees_record(conflict(hostile, "x = 1\n"))["parts"]
    assert part["distance"] > 0
    labels = [label for row in part["rows"] for label in (row[2], row[4])]
    assert any("\\x1b" in label for label in labels)
    assert all("\x1b" not in label for label in labels)
    json.dumps(part).encode("ascii")


def test_limits_say_what_they_leave_out() -> None:
    details = Details(files=conflict("f(1)\n", "f(2)\n").files * 3)
    found = trees_record(details, TreeLimits(text=4, parts=2))
    assert ([part["problem"] for part in found["parts"]], found["more"]) == (
        ["too large: 5 bytes, and at most 4 are compared"] * 2, 1
    )  # fmt: skip
