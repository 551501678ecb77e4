"""How far the replay of a dataset's rows is, repository by repository."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.workspace.network import Progress, Step

Stage = Callable[[str], None]
"""Called with what is done with a row (`preparing mcr for oracle`)."""


def unwatched(_stage: str) -> None:
    """For who does not ask."""


class Replaying:
    """Tells `progress` of every repository how many of its rows are done, and what is done with the last one begun."""

    def __init__(self, samples: Sequence[Sample], progress: Progress) -> None:
        self._progress = progress
        self._rows = Counter(sample.name for sample in samples)
        self._done: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def row(self, sample: Sample) -> Iterator[Stage]:
        """While a row is replayed; what is given is to be told of its stages."""
        name = sample.name
        try:
            yield lambda stage: self._tell(name, f"{stage}, {sample.id}")
        finally:
            with self._lock:
                self._done[name] += 1
            if self._done[name] == self._rows[name]:
                self._progress(Step(name, None))

    def _tell(self, name: str, detail: str) -> None:
        self._progress(Step(name, "replaying rows", self._done[name], self._rows[name], detail))
