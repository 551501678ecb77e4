"""What two splits of a built dataset have in common, by code that has nothing of the builder's: Git's own commands on
the repositories, and exact similarities.

    python bench/split_leaks.py dataset --repos ~/mirrors

Prints how many commits, (file, commit) pairs and near-identical hunks stand in two splits, with examples, and how
many repositories. Exit code 1 where there are any commits, pairs or hunks. A hunk: the lines that a commit of a chain
removes and adds in one place of the chain's file, or both sides of a conflict. Near-identical: of 20 tokens or more
each, and 0.8 of all their runs of three tokens in common.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
from scipy.sparse import csr_array

TOKENS = 20
NEAR = 0.8
BLOCK = 256

CONFLICT = re.compile(rb"^<{7} [^\n]*\n(.*?)^(?:\|{7}[^\n]*\n.*?^)?={7}\n(.*?)^>{7} [^\n]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Row:
    """A row of a split, with what it shows."""

    split: str
    id: str
    repository: str
    commits: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    hunks: tuple[bytes, ...]


def git(repository: Path, objects: str, *arguments: str) -> bytes:
    """Git's output. What it writes goes to a folder of our own."""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "GIT_OBJECT_DIRECTORY": objects,
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(repository / "objects"),
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }
    command = ["git", f"--git-dir={repository}", *arguments]
    result = subprocess.run(command, capture_output=True, env=environment, check=False)
    if result.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: {result.stderr.decode(errors='replace')}")
    return result.stdout


def read_rows(dataset: Path, repositories: Path) -> Iterator[Row]:
    """The rows of all splits."""
    for file in sorted(dataset.glob("*/*.parquet")):
        for fields in pyarrow.parquet.read_table(file).to_pylist():
            with tempfile.TemporaryDirectory() as objects:
                yield read_row(file.parent.name, fields, repositories / fields["name"], objects)


def read_row(split: str, fields: dict[str, Any], repository: Path, objects: str) -> Row:
    scenario = ast.literal_eval(fields["scenario"])
    if fields["sample_type"] == "merge":
        first, second = scenario["parents"]
        tree = git(repository, objects, "merge-tree", "--write-tree", first, second).split(b"\n", 1)[0].decode()
        hunks = [
            b"\n".join(match.groups())
            for path in scenario["files_in_merge_conflict"]
            for match in CONFLICT.finditer(git(repository, objects, "cat-file", "blob", f"{tree}:{path}"))
        ]
        commits = [scenario["merge_commit_hash"], first, second]
        return Row(split, fields["id"], fields["name"], tuple(commits), (), tuple(hunks))
    newest, path = scenario["newest_commit"], scenario["file"]
    length = str(scenario["times_seen_consecutively"])
    commits = git(repository, objects, "rev-list", f"--max-count={length}", newest).decode().split()
    hunks = []
    for commit in commits:
        diff = git(repository, objects, "diff", "-U0", "--no-renames", f"{commit}^", commit, "--", path)
        for hunk in re.split(rb"^@@ [^\n]*\n", diff, flags=re.MULTILINE)[1:]:
            hunks.append(b"\n".join(line[1:] for line in hunk.split(b"\n") if line[:1] in (b"+", b"-")))
    pairs = [(path, commit) for commit in commits]
    return Row(split, fields["id"], fields["name"], tuple(commits), tuple(pairs), tuple(hunks))


def shared(rows: list[Row], attribute: str) -> list[tuple[object, list[str]]]:
    """Values that rows of two splits or more have, and the ids of these rows."""
    owners: dict[object, list[Row]] = defaultdict(list)
    for row in rows:
        value = getattr(row, attribute)
        for one in dict.fromkeys(value if isinstance(value, tuple) else (value,)):
            owners[one].append(row)
    return [(value, [row.id for row in own]) for value, own in owners.items() if len({row.split for row in own}) > 1]


def near_hunks(rows: list[Row]) -> tuple[int, list[tuple[str, str, float]]]:
    """How many hunks are compared, and the near-identical ones of different splits."""
    numbers: dict[tuple[bytes, ...], int] = {}
    owners: list[Row] = []
    members: list[list[int]] = []
    for row in rows:
        for hunk in row.hunks:
            tokens = [one for one in re.split(rb"([^A-Za-z0-9_\x80-\xff])", hunk) if one.strip()]
            if len(tokens) >= TOKENS:
                runs = set(zip(tokens, tokens[1:], tokens[2:], strict=False))
                members.append([numbers.setdefault(run, len(numbers)) for run in runs])
                owners.append(row)
    sizes = np.array([len(own) for own in members])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    values = np.ones(int(starts[-1]), np.int32)
    matrix = csr_array((values, np.concatenate(members), starts), shape=(len(members), len(numbers)))
    transposed = matrix.T.tocsc()
    found = []
    for start in range(0, len(members), BLOCK):
        common = (matrix[start : start + BLOCK] @ transposed).tocoo()
        first, second = common.row + start, common.col
        similar = common.data / (sizes[first] + sizes[second] - common.data)
        for one, other, value in zip(*(part[similar >= NEAR] for part in (first, second, similar)), strict=True):
            if one < other and owners[one].split != owners[other].split:
                found.append((owners[one].id, owners[other].id, float(value)))
    return len(members), found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--repos", type=Path, required=True)
    options = parser.parse_args()
    rows = list(read_rows(options.dataset, options.repos.expanduser()))
    splits = sorted({row.split for row in rows})
    hunks, near = near_hunks(rows)
    commits, pairs = shared(rows, "commits"), shared(rows, "pairs")
    print(f"{len(rows)} rows in {', '.join(splits)}; {hunks} hunks of {TOKENS} tokens or more")
    for what, found in (("commits", commits), ("(file, commit) pairs", pairs), ("near-identical hunks", near)):
        print(f"{what} in two splits: {len(found)}", *(f"  {one}" for one in found[:5]), sep="\n")
    common = shared(rows, "repository")
    for first, second in combinations(splits, 2):
        both = {row.repository for row in rows if row.split == first} & {
            row.repository for row in rows if row.split == second
        }
        print(f"repositories in {first} and {second}: {len(both)}")
    print(f"repositories in two splits: {len(common)}")
    return 1 if commits or pairs or near else 0


if __name__ == "__main__":
    sys.exit(main())
