"""Mutation testing: change one operator, constant or argument of a module at a time, and see whether its tests notice.

    python bench/mutants.py scoring runs --seconds 600      # rooms, by default all; stops when the time is up
    python bench/mutants.py scoring --only 'gitgoodbench/scoring/agreement.py'

The project is copied, mutmut changes the copy, and each mutant is tried by the tests that reach its function.
Prints, per room, how many mutants were killed, survived, were reached by no test and were not tried; then what each
survivor changed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
KILLED, SURVIVED, NO_TEST, TIMED_OUT = 1, 0, 33, 36
NAMES = {KILLED: "killed", 3: "killed", SURVIVED: "survived", NO_TEST: "not reached", TIMED_OUT: "killed", 24: "killed"}


@dataclass(frozen=True)
class Room:
    """Modules that are mutated, as glob patterns, and the tests that try them: those that are quick."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


ROOMS = {
    "scoring": Room(
        ("gitgoodbench/scoring/statistics.py", "gitgoodbench/scoring/agreement.py"),
        ("tests/scoring/test_statistics.py", "tests/scoring/test_agreement.py", "tests/scoring/test_repeats.py"),
    ),
    "git": Room(
        ("gitgoodbench/git/messages.py", "gitgoodbench/git/conflict_text.py"),
        ("tests/git/test_messages.py", "tests/git/test_conflict_text.py"),
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


def measure(name: str, only: Sequence[str], seconds: float) -> None:
    """Mutate one room, and print what became of it."""
    with tempfile.TemporaryDirectory(prefix="gitgoodbench-mutants-") as text:
        folder = Path(text)
        make_copy(folder, ROOMS[name], only)
        said = mutmut(folder, "run", "--max-children", str(os.cpu_count() or 2), seconds=seconds)
        codes = read_results(folder)
        if not any(code is not None for code in codes.values()):
            sys.exit(f"{name}: no mutant was tried:\n{said[-2000:]}")
        kinds = Counter(
            "not tried" if code is None else NAMES.get(code, f"exit code {code}") for code in codes.values()
        )
        print(f"{name}: {len(codes)} mutants; {', '.join(f'{count} {kind}' for kind, count in sorted(kinds.items()))}")
        for mutant in (mutant for mutant, code in codes.items() if code == SURVIVED):
            changed = [line for line in mutmut(folder, "show", mutant).splitlines() if line[:2] in ("- ", "+ ")]
            print("\n".join([f"\n{mutant}", *changed]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", choices=[*ROOMS, []], help="rooms to mutate (all)")
    parser.add_argument("--only", action="append", default=[], metavar="GLOB", help="modules of these rooms")
    parser.add_argument(
        "--seconds", type=float, default=600.0, help="for each room, the first run of its tests included"
    )
    arguments = parser.parse_args()
    for name in arguments.rooms or ROOMS:
        measure(name, arguments.only, arguments.seconds)


if __name__ == "__main__":
    main()
