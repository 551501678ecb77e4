r"""Tables of a report as Markdown and as LaTeX. Text from anywhere shows as itself in both.

LaTeX needs the package booktabs, and longtable for tables of more than a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from gitgoodbench.reporting.layout import Block, Sheet
from gitgoodbench.text import markdown_cell, on_one_line

_PAGE: Final = 40
"""Rows; a longer table may break over pages."""


def markdown(blocks: Iterable[Block]) -> str:
    """Tables below their titles, and what is said between them."""
    lines: list[str] = []
    for block in blocks:
        lines += _markdown_sheet(block) if isinstance(block, Sheet) else _markdown_text(block)
    return "\n".join(lines)


def _markdown_sheet(sheet: Sheet) -> Iterator[str]:
    yield f"**{markdown_cell(sheet.title)}**"
    yield ""
    yield _bars(_flat(sheet.headers))
    yield "|".join(["", "---", *["---:"] * (len(sheet.headers) - 1), ""])
    yield from map(_bars, sheet.rows)
    yield ""


def _markdown_text(text: str) -> Iterator[str]:
    for line in text.strip("\n").split("\n"):
        if line.strip():
            yield f"- {markdown_cell(line.strip())}"
    yield ""


def _bars(cells: Iterable[str]) -> str:
    return f"| {' | '.join(markdown_cell(cell) for cell in cells)} |"


def _flat(headers: Iterable[str]) -> list[str]:
    """Headers of two lines on one."""
    return [header.replace("\n", " ") for header in headers]


def latex(blocks: Iterable[Block]) -> str:
    """The tables, each with its title as caption; what is said between them as comments."""
    lines = [r"% \usepackage{booktabs,longtable}"]
    for block in blocks:
        lines += _latex_sheet(block) if isinstance(block, Sheet) else _comment(block)
    return "\n".join([*lines, ""])


def _latex_sheet(sheet: Sheet) -> Iterator[str]:
    columns = "l" + "r" * (len(sheet.headers) - 1)
    caption, head = latex_text(sheet.title), _ampersands(_flat(sheet.headers))
    body = map(_ampersands, sheet.rows)
    yield ""
    if len(sheet.rows) > _PAGE:
        yield rf"\begin{{longtable}}{{{columns}}}"
        yield rf"\caption{{{caption}}} \\"
        yield from (r"\toprule", head, r"\midrule", r"\endhead", *body, r"\bottomrule", r"\end{longtable}")
    else:
        yield r"\begin{table}"
        yield rf"\caption{{{caption}}}"
        yield rf"\begin{{tabular}}{{{columns}}}"
        yield from (r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}", r"\end{table}")


def _ampersands(cells: Sequence[str]) -> str:
    return " & ".join(map(latex_text, cells)) + r" \\"


def _comment(text: str) -> Iterator[str]:
    for line in text.strip("\n").split("\n"):
        if line.strip():
            yield f"% {latex_text(line.strip())}"


_LATEX: Final = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "-": "{-}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
_SPECIAL: Final = re.compile("[{}]".format("".join(map(re.escape, _LATEX))))


def latex_text(text: str) -> str:
    """Text that shows as itself in LaTeX.

    Commands, ligatures (`--`, ``` `` ```) and what `\\` would read behind it (`[`, `*`) are none in it. Letters beyond
    ASCII stay: pdfLaTeX has the European ones, others need XeLaTeX or LuaLaTeX and a font that has them.
    """
    return _SPECIAL.sub(lambda match: _LATEX[match[0]], on_one_line(text))
