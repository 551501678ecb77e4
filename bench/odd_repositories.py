"""What odd repositories cost the real ones beside them, and whether their own rows can be played.

    python -m bench.odd_repositories ~/mirrors pallets/flask google/gson [--kinds date,name] [--since 2020-01-01]

Builds a repository of each odd kind (tests/support/oddities.py), and mines it beside the real ones by the real command
line, then builds a dataset of both. The real ones' rows in the mined file must be, byte for byte, those that are mined
without it, in the same order, and the dataset must hold the same rows of theirs. Every mined row of the odd one is
played by the oracles in all its scenarios. Prints a Markdown table of all kinds; exit code 1 where anything differs.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet

from gitgoodbench.cli import run
from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.mining.validate import Validator, validate_sample
from gitgoodbench.sample_types.chain_check import PURITY
from gitgoodbench.sandbox.local import LocalProvider
from gitgoodbench.scenario import load_scenarios
from gitgoodbench.workspace.store import open_store
from tests.support.odd_repositories import build
from tests.support.oddities import ODDITIES


@dataclass(frozen=True)
class Result:
    """same: whether the real rows are as without the odd repository. rows: of that one, right: those of them that the
    oracles play. note: what the run says that it does not say without it.
    """

    same: bool
    rows: int
    right: int
    note: str


class Beside:
    """Real repositories, mined once, and a folder in which odd ones come and go."""

    def __init__(self, folder: Path, mirrors: Path, names: Sequence[str], since: str) -> None:
        self._folder, self._names, self._since = folder, names, since
        self._repos = folder / "repos"
        for name in names:
            place = self._repos / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to((mirrors / name).resolve())
        self._plain, self._said = self._mined([])
        self._plain_dataset = self._dataset()
        self._scenarios = load_scenarios()
        self.rows = len(self._plain)

    def with_odd(self, kind: str) -> Result:
        """Mine the odd repository beside the others."""
        name = f"odd/{kind}"
        build(self._repos / name, ODDITIES[kind], kind)
        try:
            lines, said = self._mined([name])
            odd = [line for line in lines if json.loads(line)["name"] == name]
            others = [line for line in lines if json.loads(line)["name"] != name]
            same = others == self._plain and self._dataset() == self._plain_dataset
            right = sum(self._plays(line) for line in odd if json.loads(line)["sample_type"] != "cherry_pick")
            played = sum(json.loads(line)["sample_type"] != "cherry_pick" for line in odd)
        finally:
            shutil.rmtree(self._repos / name)
        return Result(same, played, right, "; ".join(note for note in said if note not in self._said))

    def _mined(self, more: Sequence[str]) -> tuple[list[bytes], list[str]]:
        """The lines of the mined file, and what was left out or not mined."""
        out = self._folder / "mined.jsonl"
        said = self._run(
            "mine", *self._names, *more, "--repos", str(self._repos), "--out", str(out), "--since", self._since,
            "--offline", "--jobs", "1", "--backend", "threading",
        )  # fmt: skip
        lines = said.split("\n")
        left_out = [part for line in lines if line.startswith("left out: ") for part in line[10:].split(", ")]
        notes = [part for part in left_out if not part.endswith("out of time")]
        notes += [line.split(maxsplit=1)[1] for line in lines if line.startswith("odd/") and ": " in line]
        return out.read_bytes().split(b"\n")[:-1], [" ".join(note.split()) for note in notes]

    def _dataset(self) -> list[str]:
        """The rows of the real repositories in all splits of a dataset, in any order."""
        out = self._folder / "dataset"
        self._run(
            "build-dataset", str(self._folder / "mined.jsonl"), "--out", str(out), "--without", "projects",
            "--without", "chain-files", "--no-plots",
        )  # fmt: skip
        rows = [row for file in out.rglob("*.parquet") for row in pyarrow.parquet.read_table(file).to_pylist()]
        return sorted(json.dumps(row, sort_keys=True) for row in rows if row["name"] in self._names)

    def _plays(self, line: bytes) -> bool:
        """Whether the oracles play a mined row; its difficulty does not matter."""
        file = self._folder / "row.jsonl"
        file.write_text(json.dumps({**json.loads(line), "difficulty": "easy"}) + "\n", encoding="utf-8")
        (sample,) = load_suite(str(file)).samples
        validator = Validator(self._scenarios, open_store(self._repos, None, offline=True), LocalProvider())
        return all(finding.kind == PURITY for finding in validate_sample(sample, validator).findings)

    @staticmethod
    def _run(*arguments: str) -> str:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = run(list(arguments))
        if code not in (0, 3):
            raise SystemExit(f"{' '.join(arguments)}: exit code {code}\n{said.getvalue()}")
        return said.getvalue()


def kinds(wanted: str) -> Iterator[str]:
    parts = [part for part in wanted.split(",") if part]
    return (kind for kind in ODDITIES if not parts or any(part in kind for part in parts))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--kinds", default="", help="only kinds whose names hold one of these, separated by commas")
    parser.add_argument("--since", default="2020-01-01", help="of the rows that are mined")
    arguments = parser.parse_args()
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        beside = Beside(Path(folder), arguments.mirrors, arguments.names, arguments.since)
        print(f"{beside.rows} rows of {', '.join(arguments.names)}\n")
        print("| odd repository | others' rows | own rows played | of these right | said |\n|---|---|---:|---:|---|")
        for kind in kinds(arguments.kinds):
            result = beside.with_odd(kind)
            same = "the same" if result.same else "DIFFERENT"
            note = result.note.replace("|", "\\|")[:160]
            print(f"| {kind} | {same} | {result.rows} | {result.right} | {note} |", flush=True)
            if not result.same or result.right < result.rows:
                failed.append(kind)
    print(f"\n{len(failed)} kinds cost others something or have rows that are not right: {', '.join(failed) or '-'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
