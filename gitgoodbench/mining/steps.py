"""How far mining is, told through files: a worker may be a process that shares nothing else with the one that shows it.

mined.parquet.work/.steps/owner__name   how far the work on a repository is, as JSON: each second and each new step
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Final

from gitgoodbench.workspace.network import Step

Tell = Callable[[str, int, int | None], None]
"""Called with what is done (`reading commits`), how many are done, and of how many (None: unknown)."""

_EVERY_S: Final = 1.0
_PARTIAL: Final = ".partial"


def tell_nobody(_step: str, _done: int, _total: int | None = None) -> None:
    """For who does not ask."""


class StepFile:
    """A file that says how far the work on a repository is, and goes when `kept` is left.

    Nothing happens where the file cannot be written: a machine of a cluster may not have its folder.
    """

    def __init__(self, file: Path | None, repository: str) -> None:
        self._file = file
        self._repository = repository
        self._due = 0.0
        self._name: str | None = None

    @contextmanager
    def kept(self) -> Iterator[None]:
        try:
            yield
        finally:
            if self._file is not None:
                with contextlib.suppress(OSError):
                    self._file.unlink()

    def progress(self, event: str | Step) -> None:
        """A `Progress`, for transfers."""
        if isinstance(event, Step) and event.name is not None:
            self._write(event)

    def tell(self, name: str, done: int, total: int | None = None) -> None:
        """A `Tell`."""
        if name != self._name or time.monotonic() >= self._due:
            self._write(Step(self._repository, name, done, total))

    def _write(self, step: Step) -> None:
        now = time.monotonic()
        if self._file is None or (now < self._due and step.name == self._name):
            return
        self._due, self._name = now + _EVERY_S, step.name
        partial = self._file.with_name(f"{self._file.name}{_PARTIAL}")
        with contextlib.suppress(OSError):
            partial.write_text(json.dumps(asdict(step)), "ascii")
            partial.replace(self._file)


@contextmanager
def watching_steps(folder: Path, progress: Callable[[Step], None], *, every_s: float = _EVERY_S) -> Iterator[None]:
    """Tell `progress`, from another thread, of the steps that workers write into the folder. It is emptied first.

    Raises:
        OSError: the folder cannot be made or emptied.
    """
    folder.mkdir(exist_ok=True)
    for leftover in folder.iterdir():
        leftover.unlink()
    over = threading.Event()
    thread = threading.Thread(target=_watch, args=(folder, progress, over, every_s), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _watch(folder: Path, progress: Callable[[Step], None], over: threading.Event, every_s: float) -> None:
    shown: set[str] = set()
    while True:
        last = over.wait(every_s)
        steps = {step.repository: step for step in ([] if last else _read(folder))}
        for repository in shown - steps.keys():
            progress(Step(repository, None))
        for step in steps.values():
            progress(step)
        shown = set(steps)
        if last:
            return


def _read(folder: Path) -> Iterator[Step]:
    with contextlib.suppress(OSError):
        for file in sorted(folder.iterdir()):
            if file.suffix != _PARTIAL:
                with contextlib.suppress(OSError, ValueError, TypeError):
                    yield Step(**json.loads(file.read_bytes()))
