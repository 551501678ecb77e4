"""Do the tools do what Git does? Random plans against `git rebase -i`, random commits against `git apply --cached`.

    python -m bench.tools_exactness [--plans N] [--commits N] [--seed S]

A plan goes through `update_rebase_todo_list` and `execute_rebase`; trees, authors and messages of the commits are
compared with those that a scripted `git rebase -i` makes of the same todo list. A division goes through
`commit_changes_in`, and through `split_hunk` in every second chain; the hunks are applied as text, as the tools showed
them, by `git apply --cached`, and the file that comes out is compared with the commit's. As in `git add -p`, only the
new start of a hunk's `@@` line is counted anew. Exits with 1 when anything differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.support.tools_exactness import compare_division, compare_plan


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plans", type=int, default=300)
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    plans: Counter[str] = Counter()
    commits: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.seed, args.seed + args.plans):
            tell(plans, seed, compare_plan(seed, Path(folder, f"plan-{seed}")))
        seed = args.seed
        while commits.total() < args.commits:
            for found in compare_division(seed, Path(folder, f"division-{seed}")):
                tell(commits, seed, found)
            seed += 1
    for name, counts in (("plans", plans), ("commits", commits)):
        print(f"{counts.total()} {name}, {counts['differs']} differ: {dict(counts)}")
    return 1 if plans["differs"] or commits["differs"] else 0


def tell(counts: Counter[str], seed: int, found: str) -> None:
    differs = found.startswith("differs")
    counts["differs" if differs else found] += 1
    if differs:
        print(f"seed {seed}: {found}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
