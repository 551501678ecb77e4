"""`gitgoodbench ted`: two sources compared, as a table, as JSON, as a page; what cannot be compared says why."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from gitgoodbench.cli import run
from gitgoodbench.reporting.tree_edits import sources
from gitgoodbench.ted import ParseError, pairing

OLD = b"import os\n\n\ndef f(a):\n    print(a)\n    return a\n"
NEW = b"import os\nimport sys\n\n\ndef f(b):\n    return b\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.py").write_bytes(OLD)
    (tmp_path / "new.py").write_bytes(NEW)
    return tmp_path


@pytest.mark.usefixtures("files")
def test_edits_are_listed_with_their_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ted", "old.py", "new.py"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line]
    assert lines[0] == ["A:", "old.py,", "python,", "24", "nodes"]
    assert " ".join(lines[2]).startswith("distance 13, similarity 0.711: 15 kept, 2 relabelled, 7 deleted, 4 inserted")
    assert lines[3] == ["edit", "A:", "line", "B:", "line", "nodes", "kind", "text"]
    assert ["inserted", "2", "4", "import_statement", "import", "sys"] in lines
    assert ["relabelled", "4", "5", "1", "identifier", "a", "→", "b"] in lines
    assert ["deleted", "5", "7", "expression_statement", "print(a)"] in lines


@pytest.mark.usefixtures("files")
def test_rows_beyond_the_limit_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ted", "old.py", "new.py", "--limit", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "3 more are not shown: --limit 0 shows all"


def test_snippets_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ted", "--text", "--language", "py", "--json", "f(a)", "g(a, b)"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["distance"], said["similarity"]) == (3, pytest.approx(1 - 3 / 18))
    assert said["counts"] == {"kept": 7, "relabelled": 1, "deleted": 0, "inserted": 2}
    assert [(edit["edit"], edit["after"]["text"]) for edit in said["edits"]] == [
        ("relabelled", "g"), ("inserted", ","), ("inserted", "b"),
    ]  # fmt: skip
    assert said["edits"][2]["before"] is None
    assert said["edits"][2]["after"] == {
        "node": 4, "parent": 6, "kind": "identifier", "text": "b", "line": 1, "start": 5, "end": 6,
    }  # fmt: skip


@pytest.mark.usefixtures("files")
def test_standard_input_has_the_language_of_the_other_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(OLD)))
    assert run(["ted", "-", "old.py"]) == 0
    assert "distance 0, similarity 1.000: 24 kept" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.py", "new.py"], "there is no file none.py: name a file"),
        ([".", "new.py"], ". cannot be read (Is a directory)"),
        (["a\0b", "new.py"], "cannot be read (embedded null byte)"),
        (["-", "-"], "standard input can be read once"),
        (["old.py", "notes.xyz"], "the language of notes.xyz is not known: name it, as in --language python"),
        (["old.py", "new.py", "--language", "klingon"], "no language is called 'klingon'"),
        (["old.py", "a.java"], "old.py (python) and a.java (java) are of different languages: --language names one"),
        (["--text", "a", "b"], "the language of A is not known"),
        (["old.py", "new.py", "--html", "none/page.html"], "none/page.html cannot be written"),
        (["old.py", "large.py"], "large.py is too large: sources of up to 2,097,152 bytes are parsed"),
    ],
)
def test_bad_input_is_one_clear_line(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    (files / "notes.xyz").write_bytes(b"x")
    (files / "a.java").write_bytes(b"class A {}")
    (files / "large.py").write_bytes(b"x = 1\n" * 400_000)
    assert run(["ted", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


@pytest.mark.usefixtures("files")
def test_trees_that_cannot_be_made_or_compared_are_one_clear_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(pairing, "MAX_BYTES", 1)
        assert run(["ted", "old.py", "new.py"]) == 2
    assert "compare smaller pieces" in capsys.readouterr().err

    def refuse(*_arguments: object, **_options: object) -> None:
        raise ParseError("it takes too long")

    monkeypatch.setattr(sources, "parse", refuse)
    assert run(["ted", "old.py", "new.py"]) == 2
    assert capsys.readouterr().err == "gitgoodbench: old.py cannot be parsed as python: it takes too long\n"


def test_what_does_not_parse_is_said_and_compared(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "half.py").write_bytes(OLD + b"def (:\n")
    assert run(["ted", "old.py", "half.py"]) == 0
    assert "half.py, python, " in (text := capsys.readouterr().out)
    assert "not parse" in text
