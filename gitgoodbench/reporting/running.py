"""Episodes that are being worked on, and what a run has cost so far: as text, and drawn on a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from rich.console import Console, ConsoleOptions, RenderResult
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from gitgoodbench.reporting.totals import Totals, clock_time
from gitgoodbench.runs.activity import Playing, Spending, Watched
from gitgoodbench.text import on_one_line

_NAMED = 4
_LOOK_EVERY_S = 0.5
_OTHER_LINES = 8
_TOOL_WIDTH = 24
_BAR_WIDTH = 20
_LEAST_NAME = 12


def total_money(spending: Spending) -> str:
    """`$0.52`, `>= $0.52` where requests may have cost more than is known; empty where nothing is."""
    if not spending.total:
        return ""
    return f"{'>= ' if spending.unknown else ''}${spending.total:.2f}"


def money(spending: Spending) -> str:
    """`$0.52 (agents $0.42, judges $0.10)`; empty where nothing is known to be spent."""
    parts = f" (agents ${spending.agents:.2f}, judges ${spending.judges:.2f})" if spending.judges else ""
    return total_money(spending) + parts


def short_count(count: int) -> str:
    """`950`, `12.4k`, `3.1M`."""
    if count < 1000:
        return str(count)
    return f"{count / 1000:.1f}k" if count < 999_950 else f"{count / 1_000_000:.1f}M"


def in_words(playing: Sequence[Playing], now: datetime) -> str:
    """The episodes that are being worked on, the longest first, on one line."""
    words = [
        f"{on_one_line(one.id)} turn {one.turns}, {short_count(one.tokens)} tokens, {one.seconds(now):.0f} s, "
        f"{_tool(one.doing, _TOOL_WIDTH)}"
        for one in playing[:_NAMED]
    ]
    more = len(playing) - _NAMED
    return "; ".join(words + ([f"{more} more"] if more > 0 else []))


class Screen:
    """What a terminal shows while a run goes on: totals, and below them a line for each running episode."""

    def __init__(
        self,
        label: str,
        totals: Totals,
        activity: Watched,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._label = label
        self._totals = totals
        self._activity = activity
        self._clock = clock
        self._now = now
        self._looked: float | None = None
        self._playing: list[Playing] = []

    def look(self) -> None:
        """Bring it up to date."""
        self._looked = self._clock()
        self._playing = self._activity.look()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self._looked is None or self._clock() - self._looked >= _LOOK_EVERY_S:
            self.look()
        width = options.max_width
        yield self._head(width)
        counts = ", ".join(filter(None, (self._totals.text(), money(self._activity.spending))))
        if counts:
            yield Text(counts)
        room = max(1, console.height - _OTHER_LINES)
        playing = self._playing
        if playing:
            yield _rows(playing[:room], self._now(), width)
        if len(playing) > room:
            yield Text(f"  and {len(playing) - room} more")

    def _head(self, width: int) -> Table:
        totals = self._totals
        left = totals.seconds_left()
        fields = [
            f"{totals.done}/{totals.planned}",
            clock_time(totals.seconds()),
            f"left {'-' if left is None else clock_time(left)}",
        ]
        bar = ProgressBar(total=max(1, totals.planned), completed=totals.done, width=_BAR_WIDTH)
        label = Text(self._label)
        room = width - _BAR_WIDTH - sum(map(len, fields)) - 2 * (len(fields) + 1)
        label.truncate(max(_LEAST_NAME, room), overflow="ellipsis")
        head = Table.grid(padding=(0, 2, 0, 0))
        head.add_row(label, bar, *map(Text, fields))
        return head


def _rows(playing: Sequence[Playing], now: datetime, width: int) -> Table:
    """A line for each: of a name without room its end is shown, which tells samples of a project apart."""
    fields = [
        (f"turn {one.turns}", f"{short_count(one.tokens)} tokens", f"{one.seconds(now):.0f} s", _tool(one.doing, width))
        for one in playing
    ]
    others = sum(max(len(row[column]) for row in fields) + 2 for column in range(4))
    room = max(_LEAST_NAME, width - 2 - others)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    for _ in range(3):
        table.add_column(no_wrap=True, justify="right")
    table.add_column(no_wrap=True)
    for one, (turn, tokens, seconds, tool) in zip(playing, fields, strict=True):
        name = on_one_line(one.id)
        name = name if len(name) <= room else f"\u2026{name[1 - room :]}"
        table.add_row(Text(f"  {name}"), turn, tokens, seconds, Text(tool))
    return table


def _tool(name: str, width: int) -> str:
    """The name of a tool, cut to a fourth of the width where that is less than it needs."""
    name, room = on_one_line(name), max(_TOOL_WIDTH, width // 4)
    return name if len(name) <= room else f"{name[: room - 1]}\u2026"
