"""Mutation testing: change one operator, constant or argument of a module at a time, and see whether its tests notice.

    python bench/mutants.py scoring runs --seconds 600      # rooms, by default all; stops when the time is up
    python bench/mutants.py scoring --only gitgoodbench/scoring/agreement.py --sample 0     # every mutant of a module

The project is copied, mutmut changes the copy, and each mutant is tried by the tests of its room that reach its
function. Of each module a random sample is tried, the same one for the same seed. Prints, per module, how many mutants
there are, were tried, were killed, survived, and were reached by no test; then what each survivor changed. mutmut
leaves decorated functions (properties, class methods) and what stands outside functions as they are.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
KILLED, SURVIVED, NO_TEST, TIMED_OUT = 1, 0, 33, 36
NAMES: dict[int | None, str] = {
    KILLED: "killed", 3: "killed", SURVIVED: "survived", NO_TEST: "not reached", TIMED_OUT: "killed", 24: "killed",
    None: "not tried",
}  # fmt: skip


@dataclass(frozen=True)
class Room:
    """Modules that are mutated, as glob patterns, and the tests that try them: those that are quick."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


ROOMS = {
    "scoring": Room(
        ("gitgoodbench/scoring/*.py",),
        ("tests/scoring/test_*.py", "tests/ir/test_rebase_scor*.py", "tests/icc/test_icc_scoring.py"),
    ),
    "judge": Room(("gitgoodbench/scoring/judge/*.py",), ("tests/scoring/judge",)),
    "git": Room(
        ("gitgoodbench/git/*.py",),
        ("tests/git", "tests/mcr/test_mcr_reading.py", "tests/mcr/test_conflict_kinds.py"),
    ),
    "runs": Room(("gitgoodbench/runs/verdicts.py",), ("tests/runs/test_verdicts.py",)),
    "workspace": Room(("gitgoodbench/workspace/leaks.py",), ("tests/workspace/test_leaks.py",)),
}


def make_copy(folder: Path, room: Room, only: Sequence[str]) -> None:
    """The project as it is installed, with scenarios and data inside the package, and mutmut's settings."""
    for name in ("gitgoodbench", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("scenarios", "data"):
        shutil.copytree(ROOT / name, folder / "gitgoodbench" / name, ignore=shutil.ignore_patterns("__pycache__"))
    settings = {
        "source_paths": ["gitgoodbench"],
        "only_mutate": list(only or room.modules),
        "pytest_add_cli_args": ["-m", "not docker and not llm and not project", "-p", "no:cacheprovider"],
        "pytest_add_cli_args_test_selection": list(room.tests),
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (folder / "pyproject.toml").write_text("\n".join([project, "[tool.mutmut]", *lines, ""]), encoding="utf-8")


def mutmut(folder: Path, *arguments: str, seconds: float | None = None) -> str:
    """Run mutmut; what it said, also when its time was up."""
    command = [sys.executable, "-m", "mutmut", *arguments]
    with (folder / "mutmut.log").open("w+b") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        log.seek(0)
        return log.read().decode("utf-8", "replace")


def read_results(folder: Path) -> dict[str, int | None]:
    """Exit codes of pytest by mutant; None was not tried."""
    codes: dict[str, int | None] = {}
    for path in sorted((folder / "mutants").rglob("*.meta")):
        codes |= json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
    return codes


def choose(codes: Iterable[str], count: int, seed: int) -> dict[str, tuple[list[str], int]]:
    """Module -> the mutants of it that are tried, at most `count` (0: all), and how many there are."""
    modules: dict[str, list[str]] = {}
    for mutant in sorted(codes):
        modules.setdefault(mutant.rpartition(".")[0], []).append(mutant)
    return {
        module: (
            random.Random(f"{seed} {module}").sample(mutants, min(count, len(mutants))) if count else mutants,
            len(mutants),
        )
        for module, mutants in modules.items()
    }


def measure(name: str, arguments: argparse.Namespace) -> None:
    """Mutate one room, and print what became of it."""
    with tempfile.TemporaryDirectory(prefix="gitgoodbench-mutants-") as text:
        folder = Path(text)
        make_copy(folder, ROOMS[name], arguments.only)
        mutmut(folder, "run", "--max-children", str(arguments.jobs), "none of these: only make them")
        chosen = choose(read_results(folder), arguments.sample, arguments.seed)
        names = [mutant for mutants, _ in chosen.values() for mutant in mutants]
        said = mutmut(folder, "run", "--max-children", str(arguments.jobs), *names, seconds=arguments.seconds)
        codes = read_results(folder)
        if not any(code is not None for code in codes.values()):
            sys.exit(f"{name}: no mutant was tried:\n{said[-2000:]}")
        print(f"{name}: {len(codes)} mutants, {len(names)} chosen")
        for module, (mutants, count) in chosen.items():
            kinds = Counter(NAMES.get(codes[each], f"exit code {codes[each]}") for each in mutants)
            print(f"  {module}: {count}; {', '.join(f'{count} {kind}' for kind, count in sorted(kinds.items()))}")
        for mutant in (mutant for mutant in names if codes[mutant] in (SURVIVED, NO_TEST)):
            changed = [line for line in mutmut(folder, "show", mutant).splitlines() if line[:2] in ("- ", "+ ")]
            print("\n".join([f"\n{mutant} {NAMES[codes[mutant]]}", *changed]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", choices=[*ROOMS, []], help="rooms to mutate (all)")
    parser.add_argument("--only", action="append", default=[], metavar="GLOB", help="modules of these rooms")
    parser.add_argument("--sample", type=int, default=15, help="mutants of each module; 0: all (15)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--seconds", type=float, default=600.0, help="for the mutants of each room")
    arguments = parser.parse_args()
    for name in arguments.rooms or ROOMS:
        measure(name, arguments)


if __name__ == "__main__":
    main()
