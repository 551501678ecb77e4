"""What it takes to make trees of sources: seconds of processor time for a megabyte, by step, against tree-sitter alone.

The sources are those of Python's standard library.
"""

from __future__ import annotations

import argparse
import sysconfig
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from gitgoodbench.ted.nodes import MAX_SOURCE_BYTES, parse_source, read_nodes
from gitgoodbench.ted.text import read_text
from gitgoodbench.ted.tree import tree_of

T = TypeVar("T")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100, help="how many sources (default: 100)")
    files = parser.parse_args().files
    paths = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[:files]
    sources = [source for path in paths if len(source := path.read_bytes()) <= MAX_SOURCE_BYTES]
    megabytes = sum(map(len, sources)) / 1e6

    parse_source(b"", "python")
    texts, reading = timed(lambda: [read_text(source) for source in sources])
    parses, parsing = timed(lambda: [parse_source(text.content, "python") for text in texts])
    nodes, walking = timed(lambda: [read_nodes(tree) for tree in parses])
    steps = zip(sources, texts, nodes, strict=True)
    trees, building = timed(lambda: [tree_of(source, "python", text, read) for source, text, read in steps])
    count = sum(map(len, trees))

    print(f"{len(sources)} sources, {megabytes:.2f} MB, {count:,} nodes")
    report(
        [("text", reading), ("tree-sitter", parsing), ("walk", walking), ("labels", building)],
        megabytes,
        count,
        parsing,
    )


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """What the work gives, and its seconds of processor time."""
    started = time.process_time()
    done = work()
    return done, time.process_time() - started


def report(steps: Sequence[tuple[str, float]], megabytes: float, nodes: int, reference: float) -> None:
    """Seconds for a megabyte, nanoseconds for a node, and the ratio to the reference."""
    print(f"{'step':<12}{'s/MB':>8}{'ns/node':>10}{'ratio':>8}")
    for name, seconds in [*steps, ("together", sum(seconds for _, seconds in steps))]:
        print(f"{name:<12}{seconds / megabytes:>8.3f}{1e9 * seconds / nodes:>10.0f}{seconds / reference:>8.2f}")


if __name__ == "__main__":
    main()
