"""Reference agents of picking: rules, and two that know the real commit."""

from __future__ import annotations

from collections.abc import Mapping

from gitgoodbench.resolving.agents import policies_of
from gitgoodbench.resolving.rules import PICK_RULES
from gitgoodbench.scenario import Policy


def reference_policies() -> Mapping[str, Policy]:
    return policies_of(PICK_RULES)
