"""The part of a scenario that follows from its templates and toolboxes."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.plugin.episode import Setting, without_state
from gitgoodbench.plugin.prompts import PromptTemplates
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.scenario import Episode, EpisodeOptions, Preview, RepositoryStore, ToolSet
from gitgoodbench.shell_tools import SHELLS
from gitgoodbench.tools import Tool

S = TypeVar("S", bound=Setting)


class ScenarioBase:
    """Base of a Scenario (see gitgoodbench.scenario) with all tool sets.

    templates: its prompts. toolbox, published: the classes that have all its tools, and the published ones; those of
    the shell come with every scenario.
    """

    templates: ClassVar[PromptTemplates]
    toolbox: ClassVar[type[Any]]
    published: ClassVar[type[Any] | None] = None

    def tool_sets(self) -> Sequence[ToolSet]:
        return tuple(ToolSet)

    def fingerprint(self) -> str:
        """Hash of prompt templates and tool schemas."""
        schemas = [tool.schema for tool in self._all_tools()]
        text = self.templates.fingerprint() + json.dumps(schemas, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def tools_of(self, tool_set: ToolSet) -> Sequence[Tool]:
        """See `PreviewingScenario.tools_of`."""
        boxes: Mapping[ToolSet, type[Any]] = {
            ToolSet.PUBLISHED: self.published or self.toolbox,
            ToolSet.EXTENDED: self.toolbox,
            **SHELLS,
        }
        return [Tool.of(function) for function in without_state(boxes[tool_set]).functions()]

    def _all_tools(self) -> list[Tool]:
        return [*self.tools_of(ToolSet.EXTENDED), *self.tools_of(ToolSet.SHELL)]


class SettingScenarioBase(ScenarioBase, ABC, Generic[S]):
    """Base of a SettingScenario (see gitgoodbench.scenario): `prepare` and `preview` follow from its steps."""

    @abstractmethod
    def read(self, sample: Sample, store: RepositoryStore, options: EpisodeOptions) -> S:
        """See `SettingScenario.read`."""

    @abstractmethod
    def lay_out(self, sandbox: Sandbox, setting: S) -> S:
        """See `SettingScenario.lay_out`."""

    @abstractmethod
    def begin(self, sandbox: Sandbox, setting: S, options: EpisodeOptions) -> Episode:
        """See `SettingScenario.begin`."""

    def prepare(self, sample: Sample, store: RepositoryStore, sandbox: Sandbox, options: EpisodeOptions) -> Episode:
        """See `Scenario.prepare`."""
        setting = self.lay_out(sandbox, self.read(sample, store, options))
        return self.begin(sandbox, setting, options)

    def preview(self, sample: Sample, store: RepositoryStore, options: EpisodeOptions) -> Preview:
        """See `PreviewingScenario.preview`."""
        return self.read(sample, store, options).preview
