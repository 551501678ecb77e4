"""Reference agents of merge conflict resolution: four rules, and two that know the real merge."""

from __future__ import annotations

from collections.abc import Mapping

from gitgoodbench.resolving.agents import policies_of
from gitgoodbench.resolving.rules import SIDES
from gitgoodbench.scenario import Policy


def reference_policies() -> Mapping[str, Policy]:
    return policies_of(SIDES)
