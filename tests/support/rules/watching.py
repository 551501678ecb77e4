"""How much memory the containers of a run take at most."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Self

from gitgoodbench.owner import LABEL
from gitgoodbench.sandbox.daemon import connect_to_docker

_EVERY_S = 0.5


class MemoryWatch:
    """`peaks`: the most bytes that each container of a run had, by its id. Where the kernel keeps the maximum it is
    exact, else it is that of two looks a second."""

    def __init__(self, run_id: str) -> None:
        self.peaks: dict[str, int] = {}
        self._run_id = run_id
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        api = connect_to_docker().api
        while not self._ended.wait(_EVERY_S):
            for container in api.containers(filters={"label": f"{LABEL}.run={self._run_id}"}):
                try:
                    memory = api.stats(container["Id"], stream=False, one_shot=True).get("memory_stats") or {}
                except Exception:
                    continue
                self._see(container["Id"], memory)

    def _see(self, container: str, memory: dict[str, Any]) -> None:
        used = int(memory.get("max_usage") or memory.get("usage") or 0)
        self.peaks[container] = max(used, self.peaks.get(container, 0))
