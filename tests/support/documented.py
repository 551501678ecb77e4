"""Fenced blocks of the documentation: which there are, and what is said of them.

```sh                   a test runs it, in a folder that the page's blocks share
```sh needs=key,input   a test checks its commands and flags only: it needs a key, network, docker, input, long
```python               a test runs it
```py                   a file of the package on that page, which has a test of its own
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tests.support.project import ROOT

NEEDS = {"key", "network", "docker", "input", "long"}
PROGRAMS = ("gitgoodbench", "make", "python", "pip", "export", "dask", "ray", "docker")
_FENCE = re.compile(r"^```(?P<info>[^`\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One fenced block: its page, the line it starts at, its language, what it needs, its text."""

    page: str
    line: int
    language: str
    needs: frozenset[str]
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """Its lines, those that go on after a backslash joined."""
        lines = self.text.replace("\\\n", " ").split("\n")
        return [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]


def pages() -> list[Path]:
    """README, the contributor's guide, docs/, and the pages beside scenarios and data."""
    beside = [*ROOT.glob("scenarios/*/README.md"), ROOT / "data/mini/README.md", ROOT / "CONTRIBUTING.md"]
    return [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")), *sorted(beside)]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        language, *marks = match["info"].split() or [""]
        needs = frozenset(need for mark in marks for need in mark.removeprefix("needs=").split(","))
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(str(page.relative_to(ROOT)), line, language, needs, match["text"]))
    return found


def unfenced_commands(page: Path) -> list[str]:
    """Indented lines outside of fences that read as commands: no test would see them."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    indented = re.findall(r"(?:\A|\n)\n    (\S+)((?: .*)?)(?=\n)", text)
    return [first + rest for first, rest in indented if first in PROGRAMS]
