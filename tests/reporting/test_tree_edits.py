"""The page of `gitgoodbench ted`: both sources side by side, whole and in order, whatever they hold."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

from gitgoodbench.cli import run
from gitgoodbench.reporting.tree_edits.page import Line, side_by_side
from gitgoodbench.reporting.tree_edits.sources import Comparison, Source, compare_sources
from gitgoodbench.ted import find_language
from tests.feedback.test_report_page import Elements

OLD = b"import os\n\n\ndef f(a):\n    return a\n"
NEW = b"import os\nimport sys\n\n\ndef f(b):\n    if b:\n        return b\n"
HOSTILE = "x = '</style><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m\u202e&amp;'\r\ny = 1\f\n"


def compared(first: bytes, second: bytes, language: str = "python") -> Comparison:
    known = find_language(language)
    return compare_sources(Source("A", first, known, True), Source("B", second, known, True))


def text_of(line: Line | None) -> str:
    return "" if line is None else "".join(run.text for run in line[1])


def test_lines_with_a_node_in_common_stand_beside_each_other() -> None:
    rows = side_by_side(compared(OLD, NEW))
    assert [(text_of(a), text_of(b)) for a, b in rows] == [
        ("import os", "import os"),
        ("", "import sys"),
        ("", ""),
        ("", ""),
        ("def f(a):", "def f(b):"),
        ("", "    if b:"),
        ("    return a", "        return b"),
    ]
    assert [a and a[0] for a, _ in rows] == [1, None, 2, 3, 4, None, 5]
    assert [b and b[0] for _, b in rows] == [1, 2, 3, 4, 5, 6, 7]
    marks = [(run.text, run.mark) for run in (rows[4][0] or (0, ()))[1]]
    assert marks == [("def f(", "kept"), ("a", "relabelled"), ("):", "kept")]


@pytest.mark.parametrize(("first", "second"), [(b"", b"x\n"), (b"x", b""), (b"", b""), (OLD, b"\n\n" + NEW + b"\n\n")])
def test_each_line_of_both_stands_there_once_and_in_order(first: bytes, second: bytes) -> None:
    rows = side_by_side(compared(first, second))
    for source, lines in ((first, [a for a, _ in rows if a]), (second, [b for _, b in rows if b])):
        assert [text_of(line).encode() for line in lines] == source.removesuffix(b"\n").split(b"\n")[: len(lines)]
        assert [number for number, _ in lines] == list(range(1, len(lines) + 1))
        assert len(lines) == (source.removesuffix(b"\n").count(b"\n") + 1 if source else 0)


def test_a_page_loads_and_runs_nothing_and_shows_text_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = "<script>a'\u202e\n.py"
    Path(name).write_bytes(HOSTILE.encode() + b"z = b'\xff'\n")
    Path("b.py").write_bytes(HOSTILE.replace("alert", "confirm").encode())
    assert run(["ted", name, "b.py", "--html", "page.html"]) == 0
    page = Path("page.html").read_bytes().decode()
    elements = Elements(page.replace("<col>", "").replace('<col class="number">', ""))
    assert elements.open == []
    tags = {tag for tag, _ in elements.found}
    assert not tags & {"script", "img", "iframe", "object", "link", "form"}
    assert not any(key.startswith("on") or key in ("style", "src") for _, made in elements.found for key in made)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'" in page
    assert not set(page) & set("\x1b\u202e\f\r\x00")
    assert "\\x1b[31m\\u202e&amp;amp;" in page
    assert "&lt;script&gt;a" in page


def test_equal_sources_have_no_edits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_bytes(OLD)
    assert run(["ted", "a.py", "a.py", "--html", "page.html"]) == 0
    page = Path("page.html").read_text()
    assert "the trees are equal" in page
    assert "<ins>" not in page.split("<main>")[1]
