"""What `history_similarity` costs for chains of six commits that add thousands of lines.

    python bench/history_similarity.py [--lines 2000 5000 10000] [--against CHECKOUT]

A chain adds functions and classes of the standard library to four Python files. It is compared with itself, with a
chain that adds the same in six commits that end half a commit later, and with one that adds other code. Prints a
Markdown table: the score, how many of the 36 pairs had to be evaluated, and processor seconds to read the trees (not
those of the parser, which is another process) and to compare them. With --against, another checkout of this project,
set up by `make setup`, scores the same chains.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from sysconfig import get_path
from typing import Any, Final

sys.path.append(str(Path(__file__).parents[1]))  # behind that of `--against`

from gitgoodbench.scoring import similarity_history
from gitgoodbench.scoring.history_lines import LineHistory, LineReader
from tests.support.repositories import RepositoryBuilder

COMMITS: Final = 6
FILES: Final = 4
LONGEST: Final = 1_000
"""Lines of a piece of code."""
KINDS: Final = ("equal", "shifted", "unrelated")


def pieces(random: Random) -> Iterator[bytes]:
    """Functions and classes of the standard library, two empty lines behind each; modules in random order."""
    modules = sorted(Path(get_path("stdlib")).rglob("*.py"))
    modules = [module for module in modules if not {"site-packages", "test", "tests"} & set(module.parts)]
    random.shuffle(modules)
    for module in modules:
        source = module.read_bytes()
        try:
            statements = ast.parse(source).body
        except (SyntaxError, ValueError):
            continue
        lines = source.splitlines(keepends=True)
        for statement in statements:
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                piece = lines[statement.lineno - 1 : statement.end_lineno]
                if len(piece) <= LONGEST:
                    yield b"".join(piece) + b"\n\n"


def code(source: Iterator[bytes], lines: int) -> list[bytes]:
    """Pieces with so many lines, or a few more."""
    found: list[bytes] = []
    while sum(piece.count(b"\n") for piece in found) < lines:
        found.append(next(source))
    return found


def chain(builder: RepositoryBuilder, files: Sequence[Sequence[bytes]], shift: float = 0.0) -> LineHistory:
    """Commits that add the pieces to the files; all but the last one end `shift` of a commit later."""
    base = parent = builder.commit({b"k": b""})
    commits = []
    for number in range(1, COMMITS + 1):
        share = min(1.0, (number + shift) / COMMITS) if number < COMMITS else 1.0
        content = {f"f{at}.py".encode(): b"".join(file[: round(share * len(file))]) for at, file in enumerate(files)}
        parent = builder.commit({b"k": b"", **content}, [parent])
        commits.append(parent)
    return LineReader(builder.git).read(base, commits)


def chains(kind: str, lines: int) -> tuple[LineHistory, LineHistory]:
    source = pieces(Random(lines))
    files = [code(source, lines // FILES) for _ in range(FILES)]
    other = [code(source, lines // FILES) for _ in range(FILES)] if kind == "unrelated" else files
    with tempfile.TemporaryDirectory() as folder:
        builder = RepositoryBuilder(Path(folder) / "r.git")
        return chain(builder, other, 0.5 if kind == "shifted" else 0.0), chain(builder, files)


def measure(kind: str, lines: int) -> dict[str, Any]:
    """Score the chains, after two small ones, so that nothing has to be compiled."""
    compare: Any = getattr(similarity_history, "compare_histories", similarity_history.history_similarity)
    compare(*chains("unrelated", 400))
    agent, truth = chains(kind, lines)
    reading = 0.0
    read: Any = vars(similarity_history)["_read"]

    def timed(*arguments: Any) -> Any:
        nonlocal reading
        start = time.process_time()
        trees = read(*arguments)
        reading += time.process_time() - start
        return trees

    setattr(similarity_history, "_read", timed)  # noqa: B010
    start = time.process_time()
    found = compare(agent, truth)
    comparing = time.process_time() - start - reading
    value = getattr(found, "value", found)
    return {
        "value": value, "at_least": getattr(found, "at_least", value), "evaluated": getattr(found, "evaluated", None),
        "pairs": getattr(found, "pairs", COMMITS**2), "reading": reading, "comparing": comparing,
    }  # fmt: skip


def measured(checkout: Path, kind: str, lines: int) -> dict[str, Any]:
    """The same by a checkout of this project, in a process of its own."""
    command = [str(checkout / ".venv/bin/python"), __file__, "--one", kind, str(lines)]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def score(found: dict[str, Any]) -> str:
    if found["value"] is None:
        return "null"
    exact = f"{found['value']:.4f}"
    return exact if found["at_least"] == found["value"] else f"{found['at_least']:.4f} to {exact}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, nargs="+", default=[2_000, 5_000, 10_000])
    parser.add_argument("--against", type=Path, metavar="CHECKOUT")
    parser.add_argument("--one", nargs=2, metavar=("KIND", "LINES"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one[0], int(arguments.one[1]))))
        return
    before = ["score there", "reading there", "comparing there", "times as fast"] if arguments.against else []
    headers = ["chains", "added lines", "history_similarity", "pairs evaluated", "reading", "comparing", *before]
    print(f"| {' | '.join(headers)} |\n{'|---' * len(headers)}|")
    for kind in KINDS:
        for lines in arguments.lines:
            here = measured(Path(__file__).parents[1], kind, lines)
            fields = [
                kind,
                f"{lines:,}",
                score(here),
                f"{here['evaluated']} of {here['pairs']}",
                f"{here['reading']:.2f}",
                f"{here['comparing']:.2f}",
            ]
            if arguments.against:
                there = measured(arguments.against.resolve(), kind, lines)
                fields += [score(there), f"{there['reading']:.2f}", f"{there['comparing']:.2f}"]
                fields += [f"{there['comparing'] / here['comparing']:.1f}"]
            print(f"| {' | '.join(fields)} |", flush=True)


if __name__ == "__main__":
    main()
