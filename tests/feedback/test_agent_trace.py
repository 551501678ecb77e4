"""Agent Trace records of our results: valid by the specification's rules, exact to the line, and without contents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gitgoodbench.feedback.agent_trace import STORE, model_id, trace_lines, trace_record
from gitgoodbench.feedback.attribution import attributions
from gitgoodbench.feedback.notes import session_digest
from gitgoodbench.feedback.records import CommitResult
from gitgoodbench.git.batch import ObjectReader
from tests.feedback.support_notes import commit_result, edit_result, piece, repository
from tests.support.repositories import RepositoryBuilder

TEXT = {"type": "string"}
LINE = {"type": "integer", "minimum": 1}
CONTRIBUTOR = {
    "type": "object",
    "required": ["type"],
    "properties": {
        "type": {"enum": ["human", "ai", "mixed", "unknown"]},
        "model_id": {"type": "string", "maxLength": 250},
    },
}
RANGE = {
    "type": "object",
    "required": ["start_line", "end_line"],
    "properties": {"start_line": LINE, "end_line": LINE, "content_hash": TEXT, "contributor": CONTRIBUTOR},
    "additionalProperties": False,
}
CONVERSATION = {
    "type": "object",
    "required": ["ranges"],
    "properties": {"contributor": CONTRIBUTOR, "ranges": {"type": "array", "items": RANGE}},
    "additionalProperties": False,  # of what the specification has besides, this writes nothing
}
RECORD = {
    "type": "object",
    "required": ["version", "id", "timestamp", "files"],
    "properties": {
        "version": {"type": "string", "pattern": r"^[0-9]+\.[0-9]+\.[0-9]+$"},
        "id": {"type": "string", "pattern": r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
        "timestamp": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
        "vcs": {
            "type": "object",
            "required": ["type", "revision"],
            "properties": {"type": {"enum": ["git", "jj", "hg", "svn"]}, "revision": TEXT},
        },
        "tool": {"type": "object", "properties": {"name": TEXT, "version": TEXT}},
        "files": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["path", "conversations"],
                "properties": {"path": TEXT, "conversations": {"type": "array", "items": CONVERSATION}},
            },
        },
        "metadata": {"type": "object", "propertyNames": {"pattern": r"^[a-z]+(\.[a-z]+)+$"}},
    },
    "additionalProperties": False,
}


@pytest.fixture
def repo(tmp_path: Path) -> RepositoryBuilder:
    return repository(tmp_path / "r")


@pytest.fixture
def result(repo: RepositoryBuilder) -> CommitResult:
    a = b"# a\n# b\none\ntwo\n\tfive()\n#\nz\nzz\n"
    commit = repo.commit({b"a.py": a, b"b.py": b"x\n" + b"#\n" * 7 + b"y\n"})
    first = [piece(b"one\ntwo\n", "a.py", 4), piece(b"five()", "a.py", 5, distance=4)]  # the largest item is `two`
    return commit_result(
        commit,
        edit_result(commit, "1", *first, kept=0.5, reward=0.75),
        edit_result(commit, "2", piece(b"x\n", "b.py", 1), piece(b"y\n", "b.py", 9, distance=10), path="b.py"),
        edit_result(commit, "3", piece(b"z\n", "a.py", 7), session="s2", model=None),
        edit_result(commit, "4", piece(b"zz\n", "a.py", 8), state="superseded"),
        time=1_700_000_000,
    )


@pytest.fixture
def record(repo: RepositoryBuilder, result: CommitResult) -> dict[str, Any]:
    with ObjectReader(repo.git) as reader:
        made = trace_record(result, reader)
        assert made == trace_record(result, reader)
    assert made is not None
    return made


def test_a_record_keeps_the_rules_of_the_specification(record: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(RECORD).validate(record)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(RECORD).validate({**record, "version": "1.0"})


def test_lines_as_the_model_wrote_them_are_its_own_and_changed_ones_mixed(
    record: dict[str, Any], result: CommitResult
) -> None:
    by, mixed = ({"type": kind, "model_id": "anthropic/claude-opus-4-5"} for kind in ("ai", "mixed"))
    assert record["timestamp"] == "2023-11-14T22:13:20Z"
    assert record["vcs"] == {"type": "git", "revision": result.commit.id}
    files = {file["path"]: file["conversations"] for file in record["files"]}
    ours = {
        "contributor": by,
        "ranges": [
            {"start_line": 3, "end_line": 4, "contributor": by},
            {"start_line": 5, "end_line": 5, "contributor": mixed},
        ],
    }
    other = {
        "contributor": {"type": "ai"},
        "ranges": [{"start_line": 7, "end_line": 7, "contributor": {"type": "ai"}}],
    }
    assert sorted(files["a.py"], key=str) == sorted([ours, other], key=str)
    assert files["b.py"] == [{"contributor": by, "ranges": [{"start_line": 1, "end_line": 1, "contributor": by}]}]


def test_the_metadata_have_our_figures_and_no_ids_of_sessions(record: dict[str, Any], result: CommitResult) -> None:
    ours = record["metadata"]["com.github.gitgoodbench"]
    assert [edit["reward"] for edit in ours["edits"]] == [0.75, 1.0, 1.0]
    assert ours["edits"][0]["session"] == session_digest(result.edits[0].key)
    assert not any(f'"{word}' in json.dumps(record) for word in ("s1", "one", "two", "five"))


def test_a_commit_of_which_no_line_can_be_named_has_no_record(repo: RepositoryBuilder) -> None:
    commit = repo.commit({b"a.py": b"x\n"})
    edits = (
        edit_result(commit, "1"),
        edit_result(commit, "2", piece(b"x\n", "a.py", 1), state="indirect"),
        edit_result(commit, "3", piece(b"gone\n", "a.py", 1), piece(b"x\n", "b.py", 1)),
    )
    assert list(trace_lines([commit_result(commit), commit_result(commit, *edits)], repo.git)) == []


def test_what_is_exported_is_read_back_as_attribution(tmp_path: Path, repo: RepositoryBuilder) -> None:
    commit = repo.commit({"é.py".encode(): b"1\n2\n3\n"})
    (tmp_path / STORE).parent.mkdir()
    made = commit_result(commit, edit_result(commit, "1", piece(b"1\n2\n", "é.py", 1)))
    (tmp_path / STORE).write_text("".join(trace_lines([made], repo.git)))
    (found,) = attributions(repo.git, commit, tmp_path)
    assert (found.path, found.lines, found.contributor) == ("é.py", ((1, 2),), "ai")


def test_models_by_their_providers() -> None:
    names = ["claude-opus-4-5", "gpt-5", "openrouter/x", "qwen3", "m" * 300]
    assert [model_id(name) for name in names] == [
        "anthropic/claude-opus-4-5",
        "openai/gpt-5",
        "openrouter/x",
        "qwen3",
        "m" * 250,
    ]
