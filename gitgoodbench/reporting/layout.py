"""How tables are laid out: columns and figures, on a terminal and elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from gitgoodbench.reporting.summary import RunSummary
from gitgoodbench.scoring.statistics import Proportion
from gitgoodbench.text import for_terminal

UNKNOWN = "-"
_PLAIN_WIDTH = 400
_UNLIMITED = 10_000


class _CleanConsole(Console):
    """Prints text as text, whatever it holds: no markup, no emoji codes, no escape sequences but rich's own."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(for_terminal(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=for_terminal(segment.text))


@dataclass(frozen=True)
class Sheet:
    """A table with its title, as texts. A header may have two lines."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]


Block = Sheet | str
"""A part of a report: a table, or something that is said."""


class BlockKeeper(_CleanConsole):
    """Keeps the parts of a report instead of printing them."""

    def __init__(self) -> None:
        super().__init__(width=_PLAIN_WIDTH, no_color=True)
        self.blocks: list[Block] = []

    def keep(self, title: str, table: Table) -> None:
        """Keep a table, with its texts as they are."""
        cells = [[str(cell) for cell in column.cells] for column in table.columns]
        headers = [str(column.header) for column in table.columns]
        self.blocks.append(Sheet(title.strip(), headers, list(zip(*cells, strict=True))))


def make_console(*, stderr: bool = False) -> Console:
    """A console for text from anywhere. It never wraps a table when nobody looks at it through a terminal."""
    console = _CleanConsole(stderr=stderr, highlight=False, markup=False, emoji=False)
    if console.is_terminal:
        return console
    return _CleanConsole(stderr=stderr, highlight=False, markup=False, emoji=False, width=_PLAIN_WIDTH, no_color=True)


def percent(rate: float | None) -> str:
    """A rate in [0, 1] as `38.3 %`."""
    return UNKNOWN if rate is None else f"{100 * rate:.1f} %"


def proportion(figure: Proportion) -> str:
    """`7/31 22.6 %`."""
    return UNKNOWN if figure.rate is None else f"{figure.hits}/{figure.total} {percent(figure.rate)}"


def with_interval(figure: Proportion) -> str:
    """`7/31 22.6 % [11.4, 39.8]`: the interval in percent."""
    if figure.interval is None:
        return UNKNOWN
    low, high = figure.interval
    return f"{proportion(figure)} [{100 * low:.1f}, {100 * high:.1f}]"


def labels_of(summaries: Sequence[RunSummary]) -> list[str]:
    """Agent and model; with the run where that alone would be ambiguous."""
    plain = [summary.label for summary in summaries]
    return [
        label if plain.count(label) == 1 else f"{label} {summary.run_id}"
        for label, summary in zip(plain, summaries, strict=True)
    ]


def make_table(console: Console, headers: Sequence[str]) -> Table:
    """A table without rows: the first column to the left, the others to the right. A header may have two lines.

    On a terminal, names take at most half of its width, and go on below: no figure is cut.
    """
    box = SIMPLE_HEAD if console.is_terminal else None
    table = Table(box=box, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    widest = console.width // 2 if console.is_terminal else None
    for position, header in enumerate(headers):
        side: Literal["left", "right"] = "right" if position else "left"
        table.add_column(
            Text(for_terminal(header)), justify=side, no_wrap=bool(position), vertical="bottom",
            overflow="ellipsis" if position else "fold", max_width=None if position else widest,
        )  # fmt: skip
    return table


def two_lines(words: str) -> str:
    """A name of several words as a header of two lines, of which neither is much longer than the other."""
    parts = words.replace("_", " ").split(" ")
    cuts = [(" ".join(parts[:cut]), " ".join(parts[cut:])) for cut in range(1, len(parts))]
    return "\n".join(min(cuts, key=lambda cut: max(map(len, cut)))) if cuts else words


def print_table(console: Console, title: str, table: Table) -> None:
    """Print a table; columns for which a terminal is too narrow follow below, beside the first column again."""
    if isinstance(console, BlockKeeper):
        console.keep(title, table)
        return
    say(console, f"\n{title}")
    first, *columns = table.columns
    while columns:
        width = len(columns)
        while width > 1 and too_wide(console, _of_columns(console, [first, *columns[:width]])):
            width -= 1
        console.print(_of_columns(console, [first, *columns[:width]]))
        columns = columns[width:]
        if columns:
            say(console, "")


def _of_columns(console: Console, columns: Sequence[Column]) -> Table:
    table = make_table(console, [str(column.header) for column in columns])
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*cells)
    return table


def too_wide(console: Console, table: Table) -> bool:
    room = console.options.update(max_width=_UNLIMITED)
    return console.is_terminal and console.measure(table, options=room).maximum > console.width


def print_blocks(console: Console, blocks: Iterable[Block]) -> None:
    """Print tables, and what is said between them."""
    for block in blocks:
        if isinstance(block, Sheet):
            table = make_table(console, block.headers)
            for first, *others in block.rows:
                table.add_row(Text(first), *others)
            print_table(console, block.title, table)
        else:
            say(console, block)


def say(console: Console, text: str) -> None:
    if isinstance(console, BlockKeeper):
        console.blocks.append(text.strip())
        return
    console.print(text, markup=False, soft_wrap=True)
