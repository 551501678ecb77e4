"""The documentation as a site: it builds strictly, has every public name, and loads nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import gitgoodbench
from tests.support.project import ROOT

_LOADED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"(https?:[^\"]*)|<link\b[^>]*\bhref=\"(https?:[^\"]*)"
)


@pytest.mark.project
@pytest.mark.timeout(600)
def test_the_site_is_complete_and_stands_alone(tmp_path: Path) -> None:
    done = subprocess.run(
        ["make", "docs", f"ARGS=-d {tmp_path}"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout
    pages = {
        page.relative_to(tmp_path).as_posix(): page.read_text(encoding="utf-8") for page in tmp_path.rglob("*.html")
    }
    assert {f"{page.stem}/index.html" for page in ROOT.glob("docs/*.md")} < set(pages)
    anchors = set(re.findall(r'<h2 id="gitgoodbench\.[\w.]*?(\w+)"', pages["reference/index.html"]))
    assert anchors >= set(gitgoodbench.__all__)
    loaded = {link for page in pages.values() for found in _LOADED.findall(page) for link in found if link}
    assert {link for link in loaded if not link.startswith("https://gitgoodbench.github.io/")} == set()
    assert "needs=" not in "".join(re.findall(r"<pre.*?</pre>", "".join(pages.values()), re.DOTALL))
