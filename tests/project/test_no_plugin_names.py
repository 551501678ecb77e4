"""The harness knows no plug-in by name: what scenarios, agents, sandboxes and sample types bring decides nothing in it.

A literal that is exactly a name that a plug-in brings is a decision about it. Defaults that a user may change, and
words that mean something else, are listed below, each with its reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitgoodbench.dataset.types import loadable_types
from gitgoodbench.mining.contract import mined_types
from gitgoodbench.plugin_options import find_aliases
from gitgoodbench.plugins import RUN_GROUPS, SAMPLES, SCENARIOS, plugins
from tests.support.project import ROOT

PACKAGE = ROOT / "gitgoodbench"
PLUGINS = ("sample_types", "stories")
"""Rooms that are plug-ins, or their material."""

_DEFAULT = "a default that a user may change"
_ITSELF = "the module of this plug-in, which says its own name"
_FACT = "the one fact that the contract of scenarios names (docs/adding-a-scenario.md)"
_FORMER = "results of before scenarios declared their facts"
_OTHER = "another word: "
ALLOWED = {
    ("agents/openai.py", "openai"): _ITSELF,
    ("agents/reference.py", "noop"): _ITSELF,
    ("agents/registry.py", "openai"): _DEFAULT,
    ("api/bench.py", "auto"): _DEFAULT,
    ("api/running.py", "openai"): _DEFAULT,
    ("cli/options.py", "auto"): _OTHER + "what an image is made of",
    ("cli/validate.py", "local"): _DEFAULT,
    ("cli/validating.py", "attainable"): _FACT,
    ("git/conflicts.py", "local"): _OTHER + "a side of a merge",
    ("git/mirror.py", "noop"): _OTHER + "an extension of Git's repositories",
    ("git/process.py", "merge"): _OTHER + "a value of merge.conflictStyle",
    ("git/replay.py", "local"): _OTHER + "a side of a merge",
    ("mining/validate.py", "attainable"): _FACT,
    ("mining/validate.py", "oracle"): "reference agents that the contract of scenarios names",
    ("mining/validate.py", "tool-oracle"): "reference agents that the contract of scenarios names",
    ("models/pricing.py", "openai"): _OTHER + "a provider of models",
    ("reporting/cells.py", "attainable"): _FACT,
    ("reporting/cells.py", "splittable"): _FORMER,
    ("runs/config.py", "auto"): _DEFAULT,
    ("runs/config.py", "openai"): _DEFAULT,
    ("runs/manifest.py", "docker"): _OTHER + "the version of the daemon",
    ("runs/result.py", "attainable"): _FACT,
    ("sandbox/docker.py", "docker"): _ITSELF,
    ("sandbox/image.py", "auto"): _OTHER + "what an image is made of",
    ("sandbox/local.py", "local"): _ITSELF,
    ("sandbox/select.py", "auto"): _ITSELF,
    ("scenario.py", "attainable"): _FACT,
    ("workspace/outcome.py", "merge"): _OTHER + "what Git has begun in a repository",
}
"""Module and literal, and why it may stand there."""


def names_of_plugins() -> set[str]:
    """Names of plug-ins, of their agents, facts and options, and of columns and fields that no other thing has."""
    names = {name for group in (*RUN_GROUPS, SAMPLES) for name in plugins(group)}
    for plugin in plugins(SCENARIOS).values():
        names |= {*plugin.object.reference_agents(), *getattr(plugin.object, "denominators", {})}
    for groups in (RUN_GROUPS, (SAMPLES,)):
        for alias, aliased in find_aliases(groups).items():
            names |= {alias, alias.replace("-", "_"), aliased.option.partition(".")[2]}
    fields = {field for kind in loadable_types().values() for field in kind.spec.model_fields}
    fields |= {field for kind in mined_types().values() for field in kind.columns.model_fields}
    return names | {field for field in fields if "_" in field}


def literals(source: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def found_names(source: Path, names: set[str]) -> list[tuple[int, str]]:
    return [(line, text) for line, text in literals(source) if text in names]


def harness() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path.relative_to(PACKAGE).parts[0] not in PLUGINS]


def test_no_literal_of_the_harness_is_a_name_that_a_plug_in_brings() -> None:
    names = names_of_plugins()
    assert {"merge", "file_commit_chain", "mcr", "hunks", "sources_only", "oracle", "docker"} <= names
    found = {
        (path.relative_to(PACKAGE).as_posix(), text): line
        for path in harness()
        for line, text in found_names(path, names)
    }
    assert {key: line for key, line in found.items() if key not in ALLOWED} == {}
    assert sorted(ALLOWED.keys() - found.keys()) == []


def test_the_harness_imports_no_sample_type() -> None:
    imported = {
        (path.relative_to(PACKAGE).as_posix(), node.module)
        for path in harness()
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.ImportFrom) and node.module is not None
    }
    assert {module for module, name in imported if name.startswith("gitgoodbench.sample_types")} == set()


@pytest.mark.parametrize(
    "source", ['kind == "merge"', 'f"{x}mcr"', 'def f(by="hunks"): ...', '{"file_commit_chain": 1}']
)
def test_a_name_is_found_wherever_it_stands(tmp_path: Path, source: str) -> None:
    (tmp_path / "module.py").write_text(source)
    assert len(found_names(tmp_path / "module.py", names_of_plugins())) == 1
