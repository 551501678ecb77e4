"""Blocks of a comparison on a terminal, and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from gitgoodbench.reporting.comparison import Block, Lines, Sheet
from gitgoodbench.reporting.layout import make_table, print_table, say
from gitgoodbench.text import markdown_cell


def print_blocks(console: Console, found: Iterable[Block]) -> None:
    """Tables, and lines below their titles."""
    for number, block in enumerate(found):
        if isinstance(block, Sheet):
            table = make_table(console, block.headers)
            for first, *others in block.rows:
                table.add_row(Text(first), *others)
            print_table(console, block.title, table)
        else:
            say(console, f"\n{block.title}" if number else block.title)
            for line in block.lines:
                say(console, f"  {line}")


def markdown(found: Iterable[Block]) -> str:
    """The same, to be pasted into an issue."""
    return "\n".join(line for block in found for line in _markdown(block))


def _markdown(block: Block) -> Iterator[str]:
    if isinstance(block, Lines):
        yield markdown_cell(block.title)
        yield ""
        yield from (f"- {markdown_cell(line.strip())}" for line in block.lines)
    else:
        yield f"**{markdown_cell(block.title)}**"
        yield ""
        yield _row(block.headers)
        yield "|".join(["", "---", *["---:"] * (len(block.headers) - 1), ""])
        yield from map(_row, block.rows)
    yield ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(markdown_cell(cell.replace(chr(10), ' ')) for cell in cells)} |"
