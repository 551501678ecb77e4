"""How far the work on repositories is: cloning, mining, replaying. Bars on a terminal, elsewhere lines now and then."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn

from gitgoodbench.workspace.network import Step

_BAR = 20
_BESIDES = 10
"""Columns on a terminal: of the bar, and of the share with the blanks between."""


class RepositoryProgress:
    """Prints lines, and shows steps: a bar for each repository under way, or a line every `every_s` seconds.

    Any thread may call it. `bars` are seen only while `shown` or another live display draws them. Elsewhere `shown`
    also repeats steps that take long, for who works does not count everything.
    """

    def __init__(self, console: Console, *, every_s: float = 10.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._every_s = every_s
        self._clock = clock
        self._lock = threading.Lock()
        self._said: dict[str, float] = {}
        self._last: dict[str, Step] = {}
        self._tasks: dict[str, tuple[str, TaskID]] = {}
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(_BAR),
            TaskProgressColumn("{task.percentage:>3.0f} %", text_format_no_percentage="{task.completed:,.0f}"),
            TextColumn("{task.fields[detail]}", markup=False),
        )
        self.bars = Progress(*columns, console=console)

    def __call__(self, event: str | Step) -> None:
        if isinstance(event, str):
            self._console.print(event, markup=False, soft_wrap=True)
            return
        with self._lock:
            if self._console.is_terminal:
                self._draw(event)
            else:
                self._say_if_due(event)

    def repeat(self) -> None:
        """Say again what is under way, where it is due. For who watches without a terminal."""
        with self._lock:
            for step in list(self._last.values()):
                self._say_if_due(step)

    @contextmanager
    def shown(self, *above: RenderableType, transient: bool = False) -> Iterator[None]:
        """Draw the bars, below what else there is, on a terminal. transient: nothing of them stays there."""
        if not self._console.is_terminal:
            with _every_second(self.repeat):
                yield
            return
        with Live(Group(*above, self.bars), console=self._console, refresh_per_second=10, transient=transient):
            yield

    def _say_if_due(self, step: Step) -> None:
        if step.name is None:
            self._said.pop(step.repository, None)
            self._last.pop(step.repository, None)
            return
        self._last[step.repository] = step
        now = self._clock()
        if now - self._said.setdefault(step.repository, now) >= self._every_s:
            self._said[step.repository] = now
            self._console.print(str(step), markup=False, soft_wrap=True)

    def _draw(self, step: Step) -> None:
        name, task = self._tasks.pop(step.repository, (None, None))
        if task is not None and name != step.name:
            self.bars.remove_task(task)
            task = None
        if step.name is None:
            return
        room = self._console.width - _BAR - _BESIDES
        detail = _cut(step.detail, room // 2)
        described = _cut(f"{step.repository}: {step.name}", room - len(detail))
        if task is None:
            task = self.bars.add_task(described, total=step.total, detail="")
        self._tasks[step.repository] = step.name, task
        self.bars.update(task, description=described, completed=step.done, total=step.total, detail=detail)


def _cut(text: str, width: int) -> str:
    """A text that leaves the bar its room: rich would cut all columns alike."""
    return text if len(text) <= width else f"{text[: max(0, width - 1)]}…"


@contextmanager
def _every_second(work: Callable[[], None]) -> Iterator[None]:
    over = threading.Event()

    def repeat() -> None:
        while not over.wait(1.0):
            work()

    thread = threading.Thread(target=repeat, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
