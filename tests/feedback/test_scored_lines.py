"""The lines that scoring says an edit became are those that survival follows and Agent Trace records name."""

from __future__ import annotations

from pathlib import Path

from gitgoodbench.feedback.agent_trace import trace_record
from gitgoodbench.feedback.changes import read_change
from gitgoodbench.feedback.piece_lines import CommitFiles
from gitgoodbench.feedback.records import Edit, Evidence, Key, Link, Part, Session
from gitgoodbench.feedback.scoring import score_commit
from gitgoodbench.git.batch import ObjectReader
from tests.feedback.support_notes import commit_record, repository

SMALL = b"def small():\n    return 1\n"
LARGE = b"def large(items):\n    total = 0\n    for item in items:\n        total += item\n    return total\n"
BASE = b"import os\n\n\ndef old():\n    return os.name\n"


def test_an_edit_of_two_functions_is_named_by_all_its_lines(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    base = repo.commit({b"a.py": BASE})
    added = b"\n\n" + SMALL + b"\n\n" + LARGE
    commit = repo.commit({b"a.py": BASE + added, b"b.py": b"print(1)\n"}, [base])
    key = Key("claude-code", "s1", "1")
    path = str(tmp_path / "work/a.py")
    edit = Edit(key, "edit", "Edit", 1.0, path, parts=(Part(b"", added, 6),), outcome="applied")
    link = Link(key, commit, (Evidence("content", "all of it"),))
    record = commit_record(commit, root=str(tmp_path / "work"))
    sessions = [Session("claude-code", "s1", folder=str(tmp_path / "work"))]
    result = score_commit(record, read_change(repo.git, commit), [edit], sessions, [link])
    assert [one.reward for one in result.edits] == [1.0]
    with ObjectReader(repo.git) as reader:
        found = list(CommitFiles(reader, commit).own_lines(result.edits[0]))
        trace = trace_record(result, reader)
    lines = sorted({number for _, _, numbers in found for number in numbers})
    content = (BASE + added).split(b"\n")
    assert {path for _, path, _ in found} == {b"a.py"}
    assert [number for number in lines if content[number - 1].strip()] == [8, 9, 12, 13, 14, 15, 16]
    assert trace is not None
    (file,) = trace["files"]
    assert file["conversations"][0]["ranges"][-1]["end_line"] == 16
