"""What is not the same in the runs that are compared, and what that bears on."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final, Literal

from gitgoodbench.comparing.matching import PlayedRun
from gitgoodbench.comparing.records import Disagreement
from gitgoodbench.plugins import AGENTS, GROUPS, SCENARIOS
from gitgoodbench.runs.config import MODELLING, spelling
from gitgoodbench.runs.manifest import Manifest, deciding

Bearing = Literal["subject", "comparison", "matching", "seconds"]

_SELECTING: Final = ("scenario", "sample", "language", "difficulty", "limit", "shuffle", "epochs")
_SUBJECT: Final = frozenset(map(spelling, MODELLING))
_MATCHING: Final = frozenset({*map(spelling, _SELECTING), "episodes planned", "episodes without a result"})
_AGENT: Final = f"plug-in {GROUPS[AGENTS]} "
_HASH: Final = re.compile(r"[0-9a-f]{40,64}")


def disagreements(runs: Sequence[PlayedRun], scenarios: Sequence[str]) -> list[Disagreement]:
    """Everything that decides results, or times, and differs; what bears on the comparison first.

    scenarios: those that are compared. What only other scenarios need may differ.
    """
    facts = {run.name: _facts(run, scenarios) for run in runs}
    manifests = [run.manifest for run in runs]
    found = []
    for name in dict.fromkeys(name for known in facts.values() for name in known):
        values = {run: known.get(name) for run, known in facts.items() if name in known or not _is_part(name)}
        bearing = _bearing(name, list(values.values()), manifests)
        if bearing is not None:
            found.append(Disagreement(_words(name), bearing, {run: _shown(value) for run, value in values.items()}))
    order = {"comparison": 0, "matching": 1, "seconds": 2, "subject": 3}
    return sorted(found, key=lambda one: (order[one.bears_on], one.what))


def _facts(run: PlayedRun, scenarios: Sequence[str]) -> dict[str, Any]:
    """What is known of a run and bears on these scenarios, by name."""
    manifest = run.manifest
    decided = {name: value for name, value in deciding(manifest).items() if _concerns(name, scenarios)}
    decided.pop(spelling("agent"))  # `agent name` says it
    scored: dict[str, set[str]] = {}
    for result in run.results:
        if result.scenario in scenarios:
            for name, rule in result.scored_by.items():
                scored.setdefault(name, set()).add(rule)
    if not scored:
        scored = {name: {rule} for name, rule in (manifest.rescored or manifest.scoring).rules.items()}
    return decided | {
        **{f"scored by {name}": " and ".join(sorted(rules)) for name, rules in scored.items()},
        "episodes without a result": max(0, manifest.plan.episodes - len(run.results)),
        spelling("jobs"): manifest.config.jobs,
        "machine": manifest.host.platform,
    }


def _concerns(name: str, scenarios: Sequence[str]) -> bool:
    """Whether a fact bears on these scenarios: what plays another one does not."""
    for kind in (f"{GROUPS[SCENARIOS]} ", f"plug-in {GROUPS[SCENARIOS]} "):
        if name.startswith(kind):
            return name.removeprefix(kind) in scenarios
    return True


def _is_part(name: str) -> bool:
    """Whether a run may be without it: it is then no part of what that run has in common with others."""
    return name.startswith((f"{GROUPS[SCENARIOS]} ", "plug-in ", "package ", "scored by "))


def _bearing(name: str, values: Sequence[Any], manifests: Sequence[Manifest]) -> Bearing | None:
    """What a fact with these values bears on; None where it is the same in all runs, or says nothing."""
    if name == "episodes without a result":
        return "matching" if any(values) else None
    if all(value == values[0] for value in values):
        return None
    if name in _SUBJECT or name.startswith(("agent ", _AGENT)):
        return "subject"
    if name.startswith("package ") and _brings_agents_alone(name.removeprefix("package "), manifests):
        return "subject"
    if name in _MATCHING:
        return "matching"
    if name in (spelling("jobs"), "machine"):
        return "seconds"
    return "comparison"


def _brings_agents_alone(package: str, manifests: Sequence[Manifest]) -> bool:
    brought = {name.split()[0] for one in manifests for name, by in one.plugins.items() if by == package}
    return brought == {GROUPS[AGENTS]}


def _words(name: str) -> str:
    """A fact as people say it."""
    kind = f"{GROUPS[SCENARIOS]} "
    if name.startswith(kind):
        return f"prompts and tool schemas of {name.removeprefix(kind)}"
    return "instructions of the judge" if name == "judge prompt" else name


def _shown(value: Any) -> str:
    """Whole, but for hashes."""
    if value is None:
        return "none"
    text = value if isinstance(value, str) else json.dumps(value)
    return text[:12] if _HASH.fullmatch(text) else text
