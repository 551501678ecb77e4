"""What the episodes of one sample share: what is read of the sample, and its workspace as it was laid out first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Final, cast

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.sandbox.base import Sandbox, SharingSandbox
from gitgoodbench.scenario import (
    Episode,
    EpisodeOptions,
    RepositoryStore,
    Scenario,
    SettingScenario,
    ToolSet,
)
from gitgoodbench.workspace.layout import Layout, put_layout, take_layout

_MOST: Final = 32
"""Samples that are kept; the one that was not used for longest goes first."""


_STEPS: Final = ("read", "lay_out", "begin")
_BOUND: Final = frozenset((ToolSet.PUBLISHED, ToolSet.EXTENDED))


def keeps_sandbox(tool_set: ToolSet) -> bool:
    """Whether only tools of the harness act in a sandbox, so that it can be emptied and used again."""
    return tool_set in _BOUND


@dataclass
class _Kept:
    """Of one sample. Whoever holds the lock reads it, or lays it out, for all others."""

    sample: Sample
    lock: threading.Lock = field(default_factory=threading.Lock)
    setting: Any = None
    layout: Layout | None = None
    unfit: bool = False


class SharedSettings:
    """Begins episodes; used by any number of threads."""

    def __init__(self, store: RepositoryStore, options: EpisodeOptions) -> None:
        self._store = store
        self._options = options
        self._kept: OrderedDict[tuple[str, str], _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, scenario: Scenario, sample: Sample, sandbox: Sandbox, *, used: bool = False) -> Episode:
        """An episode of the sample.

        Args:
            used: another episode was played in the sandbox; nothing of it is left. Only for a `SharingSandbox`.

        Raises:
            EpisodeError: as `Scenario.prepare`.
            SandboxDied: the sandbox no longer answers, or cannot be emptied.
        """
        if not all(hasattr(scenario, step) for step in _STEPS):
            if used:
                _empty(sandbox)
            return scenario.prepare(sample, self._store, sandbox, self._options)
        own = cast(
            "SettingScenario[Any]", scenario
        )  # wrapped perhaps, which no runtime check of a protocol sees through
        setting = self._laid_out(self._of(scenario.name, sample), own, sample, sandbox, used)
        return own.begin(sandbox, setting, self._options)

    def _laid_out(
        self, kept: _Kept, scenario: SettingScenario[Any], sample: Sample, sandbox: Sandbox, used: bool
    ) -> Any:
        """The setting, once the sandbox has the workspace."""
        with kept.lock:
            if kept.setting is None:
                kept.setting = scenario.read(sample, self._store, self._options)
            setting, layout = kept.setting, kept.layout
            if layout is None and not kept.unfit and keeps_sandbox(self._options.tool_set):
                if used:
                    _empty(sandbox)
                kept.setting = scenario.lay_out(sandbox, setting)
                kept.layout = take_layout(sandbox)
                kept.unfit = kept.layout is None
                return kept.setting
        if layout is not None:
            if put_layout(sandbox, layout):
                return setting
            with kept.lock:
                kept.layout = None if kept.layout is layout else kept.layout
        if used or layout is not None:
            _empty(sandbox)
        return scenario.lay_out(sandbox, setting)

    def forget(self) -> None:
        """Let go of all samples, and of the repositories that they have borrowed."""
        with self._lock:
            self._kept.clear()

    def _of(self, scenario: str, sample: Sample) -> _Kept:
        with self._lock:
            kept = self._kept.pop((scenario, sample.id), None)
            if kept is None or kept.sample != sample:
                kept = _Kept(sample)
            self._kept[scenario, sample.id] = kept
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)
        return kept


def _empty(sandbox: Sandbox) -> None:
    assert isinstance(sandbox, SharingSandbox)
    sandbox.refill()
