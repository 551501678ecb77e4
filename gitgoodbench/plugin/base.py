"""The part of a scenario that follows from its templates and toolboxes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, ClassVar

from gitgoodbench.plugin.prompts import PromptTemplates
from gitgoodbench.scenario import ToolSet
from gitgoodbench.shell_tools import ShellTools
from gitgoodbench.tools import Tool


class ScenarioBase:
    """Base of a Scenario (see gitgoodbench.scenario) with all three tool sets.

    templates: its prompts. toolbox: the class that has all its tools; those of the shell come with every scenario.
    """

    templates: ClassVar[PromptTemplates]
    toolbox: ClassVar[type[Any]]

    def tool_sets(self) -> Sequence[ToolSet]:
        return tuple(ToolSet)

    def fingerprint(self) -> str:
        """Hash of prompt templates and tool schemas."""
        schemas = [tool.schema for tool in self._all_tools()]
        text = self.templates.fingerprint() + json.dumps(schemas, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def _all_tools(self) -> list[Tool]:
        """Only their schemas are wanted, so they belong to instances without a state."""
        boxes = (object.__new__(kind) for kind in (self.toolbox, ShellTools))
        return [Tool.of(function) for box in boxes for function in box.functions()]
