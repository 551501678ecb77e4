"""The harness knows no plug-in by name: what scenarios, agents, sandboxes and sample types bring decides nothing in it.

A literal that is exactly a name that a plug-in brings is a decision about it. A class, an attribute or a member of an
enum that is called by such a name, or by what samples of a type are called, is a type or a list of the harness's own
for what a plug-in brings. Defaults that a user may change, and words that mean something else, are listed below, each
with its reason.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitgoodbench.dataset.types import loadable_types
from gitgoodbench.mining.contract import mined_types
from gitgoodbench.plugin_options import find_aliases
from gitgoodbench.plugins import AGENTS, FEEDBACK_SOURCES, RUN_GROUPS, SAMPLES, SCENARIOS, plugins
from tests.support.project import ROOT

PACKAGE = ROOT / "gitgoodbench"
PLUGINS = ("resolving", "sample_types", "stories")
"""Rooms that are plug-ins, or their material."""

_DEFAULT = "a default that a user may change"
_ITSELF = "the module of this plug-in, which says its own name"
_FACT = "the one fact that the contract of scenarios names (docs/adding-a-scenario.md)"
_FORMER = "results of before scenarios declared their facts"
_OTHER = "another word: "
_FORMAT = _OTHER + "a format of training data, called after the service that reads it"
_COMMAND_LINE = _OTHER + "a command line, or a field for one"
ALLOWED = {
    ("feedback/queue.py", "command"): _COMMAND_LINE,
    ("feedback/sources/claude_code.py", "command"): _COMMAND_LINE,
    ("feedback/sources/codex_changes.py", "command"): _COMMAND_LINE,
    ("feedback/sources/continue_cli.py", "command"): _COMMAND_LINE,
    ("feedback/sources/copilot_cli.py", "command"): _COMMAND_LINE,
    ("feedback/sources/gemini_cli.py", "command"): _COMMAND_LINE,
    ("feedback/sources/openai_jsonl.py", "command"): _COMMAND_LINE,
    ("feedback/sources/opencode.py", "command"): _COMMAND_LINE,
    ("feedback/sources/qwen_code.py", "command"): _COMMAND_LINE,
    ("feedback/sources/tool_calls.py", "command"): _COMMAND_LINE,
    ("harbor/export.py", "command"): _COMMAND_LINE,
    ("reporting/pages/episode/record.py", "command"): _COMMAND_LINE,
    ("sandbox/docker.py", "command"): _COMMAND_LINE,
    ("agents/cli/goose.py", "auto"): _OTHER + "who approves of what the program does",
    ("agents/cli/goose.py", "openai"): _OTHER + "a provider of models",
    ("agents/cli/mini_swe_agent.py", "openai"): _OTHER + "a provider of models",
    ("agents/cli/qwen_code.py", "openai"): _OTHER + "a provider of models",
    ("agents/openai.py", "openai"): _ITSELF,
    ("agents/reference.py", "noop"): _ITSELF,
    ("agents/registry.py", "openai"): _DEFAULT,
    ("api/bench.py", "auto"): _DEFAULT,
    ("api/running.py", "openai"): _DEFAULT,
    ("bridge/refusals.py", "auto"): _OTHER + "which tool a model may choose",
    ("bridge/refusals.py", "local"): _OTHER + "where a provider's tool runs: at the client's",
    ("cli/__init__.py", "image"): "the command that builds the image of the docker sandbox",
    ("cli/mcp.py", "auto"): _DEFAULT,
    ("cli/options.py", "auto"): _OTHER + "what an image is made of",
    ("cli/trajectories.py", "openai"): _FORMAT,
    ("cli/validate.py", "local"): _DEFAULT,
    ("cli/validating.py", "attainable"): _FACT,
    ("comparing/strata.py", "attainable"): _FORMER,
    ("feedback/agent_trace.py", "openai"): _OTHER + "a provider of models",
    ("feedback/changes.py", "merge"): _OTHER + "a temporary folder",
    ("frameworks/inspect_episodes.py", "auto"): _DEFAULT,
    ("frameworks/inspect_episodes.py", "local"): "scoring opens no sandbox, and this one is always to be had",
    ("frameworks/inspect_tasks.py", "auto"): _DEFAULT,
    ("git/conflicts.py", "local"): _OTHER + "a side of a merge",
    ("git/mirror.py", "noop"): _OTHER + "an extension of Git's repositories",
    ("git/picks.py", "pick"): _OTHER + "what Git does with a commit",
    ("git/process.py", "merge"): _OTHER + "a value of merge.conflictStyle",
    ("git/rebase_plan.py", "pick"): _OTHER + "a line of Git's todo list",
    ("git/replay.py", "local"): _OTHER + "a side of a merge",
    ("mining/validate.py", "attainable"): _FACT,
    ("mining/validate.py", "oracle"): "reference agents that the contract of scenarios names",
    ("mining/validate.py", "tool-oracle"): "reference agents that the contract of scenarios names",
    ("frameworks/settings.py", "auto"): _DEFAULT,
    ("frameworks/verifiers/taskset.py", "auto"): _DEFAULT,
    ("models/pricing.py", "openai"): _OTHER + "a provider of models",
    ("reporting/cells.py", "attainable"): _FACT,
    ("reporting/cells.py", "splittable"): _FORMER,
    ("reporting/pages/overview.py", "attainable"): _FACT,
    ("runs/config.py", "auto"): _DEFAULT,
    ("runs/config.py", "openai"): _DEFAULT,
    ("runs/manifest.py", "docker"): _OTHER + "the version of the daemon",
    ("runs/manifest.py", "image"): "what a sandbox says of itself that is on record only",
    ("runs/result.py", "attainable"): _FACT,
    ("sandbox/docker.py", "core"): _OTHER + "what a process that crashes leaves",
    ("sandbox/docker.py", "docker"): _ITSELF,
    ("sandbox/docker.py", "image"): _ITSELF,
    ("sandbox/image.py", "auto"): _OTHER + "what an image is made of",
    ("sandbox/local.py", "local"): _ITSELF,
    ("sandbox/image.py", "image"): _OTHER + "a temporary folder",
    ("sandbox/select.py", "auto"): _ITSELF,
    ("sandbox/podman.py", "podman"): _OTHER + "the name of a file",
    ("sandbox/select.py", "docker"): _ITSELF,
    ("sandbox/select.py", "docker-host"): _ITSELF,
    ("sandbox/select.py", "image"): _ITSELF,
    ("sandbox/select.py", "local"): _ITSELF,
    ("scenario.py", "attainable"): _FACT,
    ("scenario.py", "oracle"): "reference agents that the contract of scenarios names",
    ("scenario.py", "tool-oracle"): "reference agents that the contract of scenarios names",
    ("trajectories/export.py", "openai"): _FORMAT,
    ("workspace/outcome.py", "merge"): _OTHER + "what Git has begun in a repository",
}
"""Module and literal, and why it may stand there."""

_LINE = _OTHER + "commits on one line, whatever row names them"
_PROGRAMS = "what an agent's program lies in, whatever kind of sandbox it is for"
IDENTIFIERS = {
    ("agents/cli/contract.py", "CliAgent.image"): _PROGRAMS,
    ("agents/builtin.py", "Noop"): _ITSELF,
    ("agents/reference.py", "NoopAgent"): _ITSELF,
    ("cli/options.py", "ImageBase"): "of the command that builds the image of the docker sandbox",
    ("cli/options.py", "ImageBase.AUTO"): _OTHER + "what an image is made of",
    ("cli/trajectories.py", "Form.OPENAI"): _FORMAT,
    ("dataset/findings.py", "Kind.ORACLE"): "reference agents that the contract of scenarios names",
    ("dataset/findings.py", "Kind.TOOL_ORACLE"): "reference agents that the contract of scenarios names",
    ("dataset/findings.py", "RowReport.attainable"): _FACT,
    ("details.py", "ConflictSides.ours"): _OTHER + "a side of a merge",
    ("details.py", "ConflictSides.theirs"): _OTHER + "a side of a merge",
    ("harbor/export.py", "HarborOptions.image"): _OTHER + "what another harness's tasks stand on",
    ("harbor/export.py", "HarborOptions.verifier_image"): _OTHER + "what another harness's verifiers stand on",
    ("mining/validate.py", "_Notes.attainable"): _FACT,
    ("reporting/cells.py", "Cell.attainable_scores"): _FACT,
    ("reporting/cells.py", "Cell.of_attainable"): _FACT,
    ("reporting/file_models.py", "CellFigures.attainable_scores"): _FACT,
    ("reporting/file_models.py", "CellFigures.of_attainable"): _FACT,
    ("reporting/leaderboard.py", "PartFigures.of_attainable"): _FACT,
    ("runs/result.py", "Result.attainable"): _FACT,
    ("sandbox/base.py", "Needs.image"): _PROGRAMS,
    ("sandbox/daemon.py", "DockerUnavailable"): _ITSELF,
    ("sandbox/docker.py", "DockerProvider"): _ITSELF,
    ("sandbox/docker.py", "DockerProvider._docker"): _ITSELF,
    ("sandbox/docker.py", "DockerProvider._inspect_image"): _ITSELF,
    ("sandbox/docker.py", "DockerProvider.image"): _ITSELF,
    ("sandbox/docker.py", "DockerProvider.image_id"): _ITSELF,
    ("sandbox/docker.py", "DockerSandbox"): _ITSELF,
    ("sandbox/image.py", "BuiltImage"): _ITSELF,
    ("sandbox/image.py", "BuiltImage.image_id"): _ITSELF,
    ("sandbox/local.py", "LocalProvider"): _ITSELF,
    ("sandbox/local.py", "LocalSandbox"): _ITSELF,
    ("sandbox/select.py", "Auto"): _ITSELF,
    ("sandbox/select.py", "Docker"): _ITSELF,
    ("sandbox/select.py", "DockerOptions"): _ITSELF,
    ("sandbox/select.py", "DockerOptions.image"): _ITSELF,
    ("sandbox/podman.py", "PodmanProvider"): _ITSELF,
    ("sandbox/podman.py", "PodmanSandbox"): _ITSELF,
    ("sandbox/select.py", "DockerOptions.docker_host"): _ITSELF,
    ("sandbox/select.py", "Local"): _ITSELF,
    ("sandbox/select.py", "Podman"): _ITSELF,
    ("sandbox/select.py", "PodmanOptions"): _ITSELF,
    ("sandbox/select.py", "PodmanOptions.image"): _ITSELF,
    ("sandbox/select.py", "PodmanOptions.podman_host"): _ITSELF,
    ("scoring/chain_gates.py", "AgentChain"): _LINE,
    ("scoring/chain_gates.py", "ChainWalks"): _LINE,
    ("scoring/chains.py", "ChainTask"): _LINE,
    ("scoring/chains.py", "ChainTask.chain"): _LINE,
    ("scoring/similarity_merge.py", "MergeSimilarity"): _OTHER
    + "of two resolutions of conflicts, whatever row they are of",
    ("workspace/scratch.py", "ScratchRepository.replay_pick"): _OTHER + "what Git does with a commit",
    ("workspace/chain.py", "CommitChain"): _LINE,
    ("workspace/chain.py", "CommitChain.merges"): _OTHER + "commits of several parents on that line",
    ("workspace/local.py", "LocalRepositories"): _OTHER + "repositories on this machine",
}
"""Module and identifier, of a class or in one, and why it may be called so."""

OF_GIT = ("feedback", "git", "ted")
"""Rooms that may not import what knows of samples (import-linter): merges, chains and hunks there are Git's."""

COMMON = {"base", "branch", "command", "commit", "file", "parent", "source"}
"""Words of Git and of programs that plug-ins use, too, for fields, columns and an agent that is any program."""


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


def own_names(source: Path) -> set[str]:
    """What a file may say: the command-line agent that it is; in feedback, the assistants whose logs are read there."""
    if source.is_relative_to(PACKAGE / "feedback"):
        return set(plugins(FEEDBACK_SOURCES))
    if not source.is_relative_to(PACKAGE / "agents" / "cli"):
        return set()
    module = ".".join(source.relative_to(PACKAGE.parent).with_suffix("").parts)
    return {name for name, plugin in plugins(AGENTS).items() if plugin.points[0].module == module}


def words_of_plugins() -> set[tuple[str, ...]]:
    """The same names as words, with every field and column, and what one sample of a type is called."""
    types = loadable_types().values()
    names = names_of_plugins() | {kind.title for kind in types}
    names |= {field for kind in types for field in kind.spec.model_fields}
    names |= {column for kind in mined_types().values() for column in kind.columns.model_fields}
    return {words(name) for name in names} - {(word,) for word in COMMON}


def words(name: str) -> tuple[str, ...]:
    """The words of a name, however it is spelt, as of one thing: `FileCommitChains`, `--max-chain`, `TOOL_ORACLE`."""
    return tuple(word.lower().removesuffix("s") for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name))


def identifiers(source: Path) -> Iterator[tuple[int, str]]:
    """Classes, and what is defined in them: fields, members of enums, methods and properties, attributes of `self`."""
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.ClassDef):
            yield node.lineno, node.name
            yield from ((line, f"{node.name}.{name}") for line, name in _members(node))


def _members(node: ast.ClassDef) -> Iterator[tuple[int, str]]:
    for part in node.body:
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            yield part.lineno, part.name
        for target in _targets(part):
            if isinstance(target, ast.Name):
                yield part.lineno, target.id
    for inner in ast.walk(node):
        for target in _targets(inner):
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
                yield target.lineno, target.attr


def _targets(node: ast.AST) -> list[ast.expr]:
    found = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [part for target in found for part in (target.elts if isinstance(target, ast.Tuple) else [target])]


def found_identifiers(source: Path, brought: set[tuple[str, ...]]) -> dict[str, int]:
    """Identifiers that hold the words of a name in its order."""
    brought = brought - {words(name) for name in own_names(source)}
    return {
        name: line
        for line, name in identifiers(source)
        if any(_holds(words(name.rpartition(".")[2]), looked_for) for looked_for in brought)
    }


def _holds(of: tuple[str, ...], looked_for: tuple[str, ...]) -> bool:
    return any(of[at : at + len(looked_for)] == looked_for for at in range(len(of) - len(looked_for) + 1))


def literals(source: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def found_names(source: Path, names: set[str]) -> list[tuple[int, str]]:
    names = names - own_names(source)
    return [(line, text) for line, text in literals(source) if text in names]


def harness(*without: str) -> list[Path]:
    left_out = {*PLUGINS, *without}
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path.relative_to(PACKAGE).parts[0] not in left_out]


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


def test_no_class_or_attribute_of_the_harness_is_called_by_what_a_plug_in_brings() -> None:
    brought = words_of_plugins()
    assert {("merge",), ("chain",), ("file", "commit", "chain"), ("cherry", "pick"), ("purity",), ("image",)} <= brought
    found = {
        (path.relative_to(PACKAGE).as_posix(), name): line
        for path in harness(*OF_GIT)
        for name, line in found_identifiers(path, brought).items()
    }
    assert {key: line for key, line in found.items() if key not in IDENTIFIERS} == {}
    assert sorted(IDENTIFIERS.keys() - found.keys()) == []


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("class MergeSpec: ...", "MergeSpec"),
        ("class Sample:\n    @property\n    def chain(self): ...", "Sample.chain"),
        ("class Kind(StrEnum):\n    PURITY = 'other'", "Kind.PURITY"),
        ("class Settings:\n    image: str | None = None", "Settings.image"),
        ("class Rows:\n    def __init__(self):\n        self.picked, self.cherry_picks = 1, 2", "Rows.cherry_picks"),
        ("class FileCommitChains: ...", "FileCommitChains"),
        ("class Emerges:\n    chained = 1", None),
        ("def merge(chain): ...", None),
    ],
)  # fmt: skip
def test_an_identifier_is_found_by_its_words(tmp_path: Path, source: str, name: str | None) -> None:
    (tmp_path / "module.py").write_text(source)
    assert list(found_identifiers(tmp_path / "module.py", words_of_plugins())) == ([] if name is None else [name])


def test_no_command_has_a_flag_that_a_plug_in_declares() -> None:
    declared = {name.replace("-", "_") for groups in (RUN_GROUPS, (SAMPLES,)) for name in find_aliases(groups)}
    assert {"attainable_only", "image", "hunks", "max_chain"} <= declared
    parameters = {
        (path.relative_to(PACKAGE).as_posix(), argument.arg)
        for room in ("api", "cli")
        for path in sorted((PACKAGE / room).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.FunctionDef)
        for argument in (*node.args.args, *node.args.kwonlyargs)
    }
    found = {place for place in parameters if place[1] in declared}
    assert found == {("cli/bridging.py", "image"), ("cli/harbor.py", "image")}  # what another harness's tasks stand on


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
