"""Who wrote what, as other tools recorded it: notes of git-ai and qwen-code, Agent Trace, trailers."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.feedback.assistants import attributions_in_message, known_assistant
from gitgoodbench.feedback.attribution import attributions
from gitgoodbench.feedback.attribution_notes import read_git_ai, read_qwen_code
from gitgoodbench.feedback.records import Attribution
from gitgoodbench.git.batch import ObjectReader
from tests.feedback.support_notes import repository

SESSION = {"agent_id": {"tool": "claude", "id": "3eff38bc", "model": "claude-sonnet-4-5"}, "human_author": "a <a@b.c>"}


def git_ai_note(attestations: str, **metadata: Any) -> bytes:
    record = {"schema_version": "authorship/3.0.0", "base_commit_sha": "0" * 40, "prompts": {}, **metadata}
    return f"{attestations}---\n{json.dumps(record, indent=2)}".encode()


NOTE = git_ai_note(
    "src/main.rs\n  s_c9883b05a2487d::t_9f8e7d6c5b4a32 1-10,15-20\n  h_31dce776f88375 25\n"
    '"src/my lib.rs"\n  abcd1234abcd1234 1,3-4\n',
    sessions={"s_c9883b05a2487d": SESSION},
    humans={"h_31dce776f88375": {"author": "Ada <ada@example.org>"}},
    prompts={"abcd1234abcd1234": {"agent_id": {"tool": "cursor", "id": "6ef2", "model": "gpt-5"}}},
)
SAID = [
    Attribution("git-ai", "ai", "claude-code", "claude-sonnet-4-5", "3eff38bc", "src/main.rs", ((1, 10), (15, 20))),
    Attribution("git-ai", "human", path="src/main.rs", lines=((25, 25),)),
    Attribution("git-ai", "ai", "cursor", "gpt-5", "6ef2", "src/my lib.rs", ((1, 1), (3, 4))),
]


def test_the_three_kinds_of_keys_of_git_ai() -> None:
    assert list(read_git_ai(NOTE)) == SAID


def test_two_notes_of_git_ai_that_git_joined_are_both_read() -> None:
    second = git_ai_note("b.py\n  h_31dce776f88375 2\n")
    joined = Attribution("git-ai", "human", path="b.py", lines=((2, 2),))
    assert list(read_git_ai(NOTE + b"\n\n" + second.replace(b"\n", b"\r\n"))) == [*SAID, joined]


@pytest.mark.parametrize(
    "note",
    [
        b"",
        b"---\n",
        b"a.py\n  s_1::t_1 1\n---\n{",
        b"a.py\n  s_1::t_1 1\n---\n[1]",
        NOTE.replace(b"authorship/3.0.0", b"authorship/4.0.0"),
        NOTE.replace(b"\n---\n", b"\n--- \n"),
        git_ai_note("  s_c9883b05a2487d::t_1 1\n"),
        git_ai_note("a.py\n  s_c9883b05a2487d::t_1\n  s_c9883b05a2487d::t_1 1 - 3\n  x -3\n  y 1-2-3\n"),
    ],
)
def test_damaged_notes_of_git_ai_say_nothing(note: bytes) -> None:
    assert list(read_git_ai(note)) == []


def test_a_session_that_the_note_does_not_explain_is_still_a_model() -> None:
    note = git_ai_note("a.py\n  s_c9883b05a2487d::t_1 4-2,7\n")
    assert list(read_git_ai(note)) == [Attribution("git-ai", "ai", path="a.py", lines=((7, 7),))]


@given(st.binary(max_size=200))
def test_any_bytes_can_be_read(note: bytes) -> None:
    assert list(read_git_ai(note)) + list(read_qwen_code(note)) == []
    assert all(one.origin == "trailer" for one in attributions_in_message(note))


def test_files_that_qwen_code_wrote_in() -> None:
    files = {
        "a.py": {"aiChars": 40, "humanChars": 0, "percent": 100, "surface": "cli"},
        "b.py": {"aiChars": 4, "humanChars": 6, "percent": 40},
        "c.py": {"aiChars": 0, "humanChars": 6, "percent": 0},
        "d.py": "?",
    }
    note = json.dumps({"version": 1, "generator": "Qwen-Coder", "files": files}).encode()
    assert list(read_qwen_code(note)) == [
        Attribution("qwen-code", "ai", "qwen-code", "Qwen-Coder", path="a.py"),
        Attribution("qwen-code", "mixed", "qwen-code", "Qwen-Coder", path="b.py"),
    ]
    assert list(read_qwen_code(note.replace(b'"version": 1', b'"version": 2'))) == []


@pytest.mark.parametrize(
    ("trailer", "tool", "model"),
    [
        ("Co-Authored-By: Claude <noreply@anthropic.com>", "claude-code", None),
        ("Co-authored-by: Claude Opus 4.5 <noreply@anthropic.com>", "claude-code", "Claude Opus 4.5"),
        ("Co-authored-by: aider (gpt-5) <aider@aider.chat>", "aider", "gpt-5"),
        ("co-authored-by: Qwen-Coder <qwen-coder@alibabacloud.com>", "qwen-code", None),
        ("Co-authored-by: Codex <noreply@openai.com>", "codex", None),
        ("Co-authored-by: Copilot <175728472+Copilot@users.noreply.github.com>", "copilot-cli", None),
        ("Co-authored-by: Cursor <cursoragent@cursor.com>", "cursor", None),
        ("Assisted-by: Claude:claude-opus-4-5 [coccinelle] [sparse]", "claude-code", "claude-opus-4-5"),
        ("Assisted-by: GitHub Copilot", "copilot-cli", None),
        ("Generated-by: Claude Code (claude-sonnet-4-5)", "claude-code", "claude-sonnet-4-5"),
        ("Generated-with: some new tool", "some new tool", None),
    ],
)
def test_trailers_of_assistants(trailer: str, tool: str, model: str | None) -> None:
    message = f"Fix it\n\nBecause.\n\nSigned-off-by: Ada <ada@example.org>\n{trailer}\n".encode()
    assert list(attributions_in_message(message)) == [Attribution("trailer", "ai", tool=tool, model=model)]


@pytest.mark.parametrize(
    "message",
    [
        b"Co-authored-by: Claude <noreply@anthropic.com>\n",  # the subject
        b"Fix\n\nCo-authored-by: Claude Monet <claude.monet@example.org>\n",
        b"Fix\n\nCo-authored-by: Ada <ada@example.org>\nCo-authored-by: nobody\n",
        b"Fix\n\nThe line Assisted-by: Claude says so.\n",
        b"Fix\n\nGenerated-by: Claude\n\nOne.\n\nTwo.\n",
    ],
)
def test_people_and_prose_are_no_assistants(message: bytes) -> None:
    assert list(attributions_in_message(message)) == []


def test_names_of_assistants() -> None:
    assert [known_assistant(name) for name in ("Claude Code", "GEMINI", "github_copilot", "claudette")] == [
        "claude-code",
        "gemini-cli",
        "copilot-cli",
        None,
    ]


def trace(revision: str, path: str = "a.py", **contributor: str) -> dict[str, Any]:
    conversation = {
        "url": "file:///users/ada/.claude/projects/x/3eff38bc.jsonl",
        "contributor": {"type": "ai", "model_id": "anthropic/claude-sonnet-4-5"},
        "ranges": [{"start_line": 1, "end_line": 2}, {"start_line": 9, "end_line": 9, "contributor": contributor}],
    }
    return {
        "version": "0.1.0",
        "vcs": {"type": "git", "revision": revision},
        "tool": {"name": "claude-code"},
        "files": [{"path": path, "conversations": [conversation, {"ranges": [{"start_line": "1"}]}]}],
    }


def test_all_records_about_a_commit(tmp_path: Path) -> None:
    repo, root = repository(tmp_path / "r"), tmp_path / "work"
    base = repo.commit({b"a.py": b"1\n"})
    message = b"Two\n\nCo-authored-by: Claude <noreply@anthropic.com>\n"
    commit = repo.commit({b"a.py": b"1\n2\n"}, [base], message)
    later = repo.commit({b"a.py": b"1\n2\n3\n"}, [commit])
    repo.git.run("notes", "--ref=refs/notes/ai", "add", "-F", "-", commit, stdin=NOTE)
    qwen = b'{"version":1,"generator":"Qwen-Coder","files":{"a.py":{"aiChars":1,"humanChars":0}}}'
    repo.git.run("notes", "--ref=refs/notes/ai-attribution", "add", "-F", "-", commit, stdin=qwen)
    (root / ".agent-trace").mkdir(parents=True)
    lines = [json.dumps(trace(base, type="human")), '{"damaged', json.dumps(trace("f" * 40)), '{"vcs": 1}', "[]", ""]
    (root / ".agent-trace/traces.jsonl").write_text("\n".join(lines))
    by_claude = ("claude-code", "anthropic/claude-sonnet-4-5", "3eff38bc", "a.py", ((1, 2),))
    found = attributions(repo.git, commit, root)
    assert found == (
        *SAID,
        Attribution("qwen-code", "ai", "qwen-code", "Qwen-Coder", path="a.py"),
        Attribution("agent-trace", "ai", *by_claude),
        Attribution("agent-trace", "human", "claude-code", None, "3eff38bc", "a.py", ((9, 9),)),
        Attribution("trailer", "ai", "claude-code"),
    )
    with ObjectReader(repo.git) as reader:
        assert attributions(repo.git, commit, root, reader=reader) == found
        assert attributions(repo.git, later, root, reader=reader) == ()
        assert attributions(repo.git, "4" * 40, root, reader=reader) == ()
    assert [one.origin for one in attributions(repo.git, commit, None)][-2:] == ["qwen-code", "trailer"]


def test_traces_are_read_again_when_there_are_more(tmp_path: Path) -> None:
    repo, root = repository(tmp_path / "r"), tmp_path / "work"
    base = repo.commit({b"a.py": b"1\n"})
    commit = repo.commit({b"a.py": b"2\n"}, [base])
    (root / ".agent-trace").mkdir(parents=True)
    store = root / ".agent-trace/traces.jsonl"
    store.write_text(json.dumps(trace(base)) + "\n")
    assert [one.lines for one in attributions(repo.git, commit, root)] == [((1, 2), (9, 9))]
    store.write_text(store.read_text() + json.dumps(trace(commit, "b.py")) + "\n")
    assert {one.path for one in attributions(repo.git, commit, root)} == {"a.py", "b.py"}
    store.unlink()
    os.mkfifo(store)
    assert attributions(repo.git, commit, root) == ()
