"""Mutation testing: change one operator, constant or argument of a module at a time, and see whether its tests notice.

    python bench/mutants.py scoring runs --seconds 600      # rooms, by default all; stops when the time is up
    python bench/mutants.py scoring --only agreement --sample 0     # every mutant of a module

The project is copied, mutmut changes the copy, and each mutant is tried by those of its module's tests that reach its
function. Of each module a random sample is tried, the same one for the same seed. Prints, per module, how many mutants
there are, were tried, were killed, survived, and were reached by no test; then what each survivor changed. mutmut
leaves decorated functions (properties, class methods) and what stands outside functions as they are, and what runs only
when a module is imported cannot be killed: its mutants begin later.
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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
KILLED, SURVIVED, NO_TEST = 1, 0, 33
NAMES: dict[int | None, str] = {
    KILLED: "killed", 3: "killed", SURVIVED: "survived", NO_TEST: "not reached", None: "not tried",
    36: "killed", 24: "killed", -24: "killed",  # by its time-out, of the clock or of the processor
}  # fmt: skip


@dataclass(frozen=True)
class Group:
    """Modules that are mutated, and the quick tests that are theirs and try them."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


def _group(modules: str, tests: str, room: str) -> Group:
    """Names of modules of a room, and of tests, without what all have in common."""
    return Group(
        tuple(path for name in modules.split() for path in _files(f"gitgoodbench/{room}/{name}.py")),
        tuple(path for name in tests.split() for path in _files(f"tests/{name}")),
    )


def _files(pattern: str) -> list[str]:
    found = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern))
    assert found, pattern
    return found


ROOMS = {
    "git": (
        _group("hunks", "git/test_hunks.py", "git"),
        _group("conflict_text leftovers", "git/test_conflict_text.py", "git"),
        _group("line_matches line_origins line_pairs", "git/test_line*.py", "git"),
        _group(
            "messages rebase_plan rebase commits",
            "git/test_messages.py git/test_rebase*.py git/test_commit_objects.py",
            "git",
        ),
        _group("histories patch_text text", "git/test_histories.py ir/test_ir_reading.py", "git"),
        _group("paths", "git/test_paths.py", "git"),
        _group("tree_paths", "git/test_paths.py icc/test_icc_tools.py ir/test_rebase_tools.py", "git"),
        _group("entries", "git/test_entries.py", "git"),
        _group("process mirror", "git/test_process.py git/test_mirror.py workspace/test_local_repositories.py", "git"),
        _group(
            "batch chain_walk",
            "git/test_batch.py git/test_chain_walk.py scoring/test_chain_gates.py",
            "git",
        ),
        _group("objects", "git/test_objects.py git/test_odd_trees.py", "git"),
        _group("conflicts replay attainable", "git/test_conflicts.py git/test_replay.py git/test_entries.py", "git"),
        _group("version", "git/test_git_version.py", "git"),
        _group("executor", "git/test_executor.py", "git"),
        _group("dates", "git/test_dates.py", "git"),
    ),
    "scoring": (
        _group(
            "statistics agreement repeats",
            "scoring/test_statistics.py scoring/test_agreement.py scoring/test_repeats.py",
            "scoring",
        ),
        _group(
            "messages history_lines history_scores",
            "scoring/test_history_scores.py scoring/test_similarity.py",
            "scoring",
        ),
        _group("chain_edits", "scoring/test_chain_edits.py", "scoring"),
        _group("chain_gates chains", "scoring/test_chain_gates.py icc/test_icc_scoring.py", "scoring"),
        _group(
            "assignment pairing two_way",
            "scoring/test_assignment.py scoring/test_pairing.py scoring/test_similarity_merge.py",
            "scoring",
        ),
        _group("differences history_details", "scoring/test_differences.py scoring/test_history_details.py", "scoring"),
        _group(
            "similarity_merge similarity_trees",
            "scoring/test_similarity_merge.py scoring/test_similarity.py",
            "scoring",
        ),
        _group(
            "similarity_history similarity_lazy",
            "scoring/test_similarity.py scoring/test_history_pairing.py",
            "scoring",
        ),
        _group("syntax", "scoring/test_syntax.py", "scoring"),
    ),
    "judge": (_group("*", "scoring/judge/*.py", "scoring/judge"),),
    "runs": (_group("verdicts", "runs/test_verdicts.py", "runs"),),
    "workspace": (_group("leaks", "workspace/test_leaks.py", "workspace"),),
}


def make_copy(folder: Path, group: Group) -> None:
    """The project as it is installed, with scenarios and data inside the package, and mutmut's settings."""
    for name in ("gitgoodbench", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("scenarios", "data"):
        shutil.copytree(ROOT / name, folder / "gitgoodbench" / name, ignore=shutil.ignore_patterns("__pycache__"))
    settings = {
        "source_paths": ["gitgoodbench"],
        "only_mutate": list(group.modules),
        "pytest_add_cli_args": [
            "-m",
            "not docker and not llm and not tensorzero and not project",
            "-p",
            "no:cacheprovider",
        ],
        "pytest_add_cli_args_test_selection": list(group.tests),
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


def measure(group: Group, arguments: argparse.Namespace) -> Iterator[tuple[str, Counter[str]]]:
    """Mutate some modules: of each, how many mutants there are (`all`), and what became of those that were tried."""
    with tempfile.TemporaryDirectory(prefix="gitgoodbench-mutants-") as text:
        folder = Path(text)
        make_copy(folder, group)
        mutmut(folder, "run", "--max-children", str(arguments.jobs), "none of these: only make them")
        chosen = choose(read_results(folder), arguments.sample, arguments.seed)
        names = [mutant for mutants, _ in chosen.values() for mutant in mutants]
        said = mutmut(folder, "run", "--max-children", str(arguments.jobs), *names, seconds=arguments.seconds)
        codes = read_results(folder)
        if not any(code is not None for code in codes.values()):
            print(f"{' '.join(group.modules)}: no mutant was tried:\n{said[-2000:]}", flush=True)
        for module, (mutants, count) in chosen.items():
            yield (
                module,
                Counter(NAMES.get(codes[each], f"exit code {codes[each]}") for each in mutants) + Counter(all=count),
            )
        for mutant in (mutant for mutant in names if codes[mutant] in (SURVIVED, NO_TEST)):
            changed = [line for line in mutmut(folder, "show", mutant).splitlines() if line[:2] in ("- ", "+ ")]
            print("\n".join([f"\n{mutant} {NAMES[codes[mutant]]}", *changed]), flush=True)


def shown(name: str, kinds: Counter[str]) -> str:
    """`git.hunks: 440 mutants; 15 tried, 14 killed, 1 survived`."""
    tried = {kind: count for kind, count in sorted(kinds.items()) if kind not in ("all", "not tried")}
    parts = [f"{sum(tried.values())} tried", *(f"{count} {kind}" for kind, count in tried.items())]
    return f"{name}: {kinds['all']} mutants; {', '.join(parts)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", choices=[*ROOMS, []], help="rooms to mutate (all)")
    parser.add_argument("--only", action="append", default=[], metavar="MODULE", help="of these rooms, such as hunks")
    parser.add_argument("--sample", type=int, default=15, help="mutants of each module; 0: all (15)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--seconds", type=float, default=600.0, help="for the mutants of each group of modules")
    arguments = parser.parse_args()
    for name in arguments.rooms or ROOMS:
        room: Counter[str] = Counter()
        for group in ROOMS[name]:
            modules = [module for module in group.modules if not arguments.only or Path(module).stem in arguments.only]
            for module, kinds in measure(Group(tuple(modules), group.tests), arguments) if modules else ():
                print(shown(module, kinds), flush=True)
                room += kinds
        print(f"\n{shown(name, room)}\n", flush=True)


if __name__ == "__main__":
    main()
