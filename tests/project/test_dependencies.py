"""What the package imports and what pyproject.toml declares are the same; README names the Git that is needed."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import files, packages_distributions

from packaging.requirements import Requirement

from gitgoodbench.git.version import OLDEST_GIT
from tests.support.project import ROOT

OWN = {"gitgoodbench", "scenarios", "tests", "bench"}
TOOLS = {  # of `dev`: programs and type stubs, which nothing imports
    "build",
    "import-linter",
    "ipykernel",
    "joblib-stubs",
    "mypy",
    "pandas-stubs",
    "pytest-timeout",
    "pytest-xdist",
    "ruff",
    "scipy-stubs",
    "types-docker",
    "types-jsonschema",
    "types-requests",
}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported_modules(*folders: str) -> Iterator[str]:
    """What the modules in these folders import, their own and the standard library's left out."""
    local = {path.stem for path in (ROOT / "bench").glob("*.py")}  # scripts beside each other
    for folder in folders:
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_bytes())):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and not node.level:
                    names = [node.module or ""]
                for name in names:
                    top = name.partition(".")[0]
                    if top not in sys.stdlib_module_names | OWN | local:
                        yield name


@cache
def installed() -> Mapping[str, list[str]]:
    """Top-level modules, and the distributions that bring them: all files of all packages are read once."""
    return packages_distributions()


@cache
def distributions_of(module: str) -> frozenset[str]:
    """Those that a module may be from; where several share its top-level name, those that have this very module."""
    top = module.partition(".")[0]
    known = frozenset(installed().get(top, [top]))
    if len(known) == 1:
        return known
    path = module.replace(".", "/")
    own = {name for name in known for file in files(name) or () if str(file).startswith((f"{path}/", f"{path}.py"))}
    return frozenset(own) or known


def imported(*folders: str) -> set[str]:
    """The distributions whose modules are imported."""
    return {normal(name) for module in imported_modules(*folders) for name in distributions_of(module)}


def declared() -> tuple[set[str], dict[str, set[str]]]:
    """Names of the dependencies, and those of each extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {
        extra: {normal(Requirement(line).name) for line in lines}
        for extra, lines in project["optional-dependencies"].items()
    }
    return {normal(Requirement(line).name) for line in project["dependencies"]}, extras


IMPORTED = ("anthropic", "mcp", "mining", "otel", "trajectories")
"""Extras whose packages the harness imports itself; those of the others are found by name."""


FRAMEWORKS = ("inspect", "openenv", "verifiers")
"""Extras that the harness imports, too, each in an environment of its own (make test-frameworks): they want versions
that disagree with each other and with constraints.txt.
"""

TRAINING = {"tokenizers", "torch", "trl"}
"""What the test of TRL's trainer imports, in its own environment: the extra `trl` and what that brings."""


def by_name(name: str) -> bool:
    return name.startswith("tree-sitter-") or name in {"dask", "distributed", "ray", "matplotlib", "uv"}


def test_every_import_of_the_package_is_declared() -> None:
    core, extras = declared()
    known = core.union(*(extras[extra] for extra in (*IMPORTED, *FRAMEWORKS)))
    assert imported("gitgoodbench", "scenarios") - known == set()


def test_every_dependency_is_imported() -> None:
    core, extras = declared()
    used = imported("gitgoodbench", "scenarios")
    known = core.union(*(extras[extra] for extra in (*IMPORTED, *FRAMEWORKS)))
    assert {name for name in known if not by_name(name)} - used == set()
    assert {name for extra in ("languages", "dask", "ray") for name in extras[extra] if not by_name(name)} == set()


def test_tests_and_benches_import_what_dev_declares() -> None:
    core, extras = declared()
    used = imported("tests", "bench")
    declared_elsewhere = core.union(*(extras[extra] for extra in (*IMPORTED, *FRAMEWORKS)))
    assert extras["trl"] <= TRAINING
    assert used - declared_elsewhere - TRAINING - extras["dev"] == set()
    assert extras["dev"] - used - TOOLS - {"gitgoodbench", "distributed"} == set()


def test_constraints_pin_every_dependency() -> None:
    core, extras = declared()
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    pinned = {normal(name): version for name, _, version in (line.partition("==") for line in lines)}
    wanted = core.union(*(extras[extra] for extra in (*IMPORTED, "languages", "dev"))) - {"gitgoodbench"}
    assert wanted - set(pinned) == set()
    assert [name for name, version in pinned.items() if not re.fullmatch(r"\d[\w.+!]*", version)] == []


def test_the_readme_names_the_oldest_git() -> None:
    assert f"Git {'.'.join(map(str, OLDEST_GIT))} or newer" in (ROOT / "README.md").read_text("utf-8")
