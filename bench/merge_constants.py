"""What answers that know nothing score on real merges, beside rules and the truth: the table of docs/similarity.md.

    python -m bench.merge_constants --repos DIR --name owner/name [--name ...] [--limit N] [--out FILE.jsonl]

Each answer is written in place of every conflict with text (conflicts without are left out), and scored as an agent's.
Takes at most N conflicting merges of each repository, from all over its history. Exits with 1 when an answer that knows
nothing has a mean `ted_similarity` of 0.3 or more, or the truth less than 1 anywhere.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Final

from joblib import Parallel, delayed

from gitgoodbench.git.conflict_text import Region, Segment, locate, regions, split_lines
from gitgoodbench.git.conflicts import read_conflicts
from gitgoodbench.git.objects import read_blobs, read_tree
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.scoring.similarity_merge import MergedFile, merge_similarity
from gitgoodbench.workspace.scratch import ScratchRepository
from gitgoodbench.workspace.store import open_store

BOUND: Final = 0.3
_IMPORT: Final = re.compile(rb"[ \t]*(?:import|from|use|#include|package)\b")


@dataclass(frozen=True)
class Conflict:
    """A conflict, its truth, and the versions of its file."""

    path: bytes
    region: Region
    resolution: bytes
    before: bytes
    truth: bytes
    local: bytes
    incoming: bytes


Answer = Callable[[Conflict], bytes]


def _ended(text: bytes) -> bytes:
    return text if text.endswith(b"\n") or not text else text + b"\n"


def _chosen(lines: Sequence[bytes], wanted: Callable[[bytes], bool]) -> bytes:
    return _ended(next((line for line in lines if wanted(line)), b""))


def _import_line(conflict: Conflict) -> bytes:
    lines = split_lines(conflict.truth)
    return _chosen(lines, lambda line: bool(_IMPORT.match(line))) or _chosen(lines, lambda line: bool(line.strip()))


def _comment(conflict: Conflict) -> bytes:
    return b"# resolved\n" if conflict.path.endswith((b".py", b".toml")) else b"// resolved\n"


def _union(conflict: Conflict, times: int = 1) -> bytes:
    return (_ended(conflict.region.local) + _ended(conflict.region.incoming)) * times


KNOWING_NOTHING: Final[Mapping[str, Answer]] = {
    "nothing": lambda _: b"",
    "`}`": lambda _: b"}\n",
    "`;`": lambda _: b";\n",
    "a comment": _comment,
    "one import of the true file": _import_line,
    "the true file's first line": lambda conflict: _ended(split_lines(conflict.truth)[0]) if conflict.truth else b"",
    "its longest line": lambda conflict: _ended(max(split_lines(conflict.truth), key=len, default=b"")),
    "the line before the conflict": lambda conflict: conflict.before,
    "the markers left in": lambda conflict: conflict.region.text,
    "the whole true file": lambda conflict: _ended(conflict.truth),
    "the whole local file": lambda conflict: _ended(conflict.local),
    "the whole incoming file": lambda conflict: _ended(conflict.incoming),
    "both whole files": lambda conflict: _ended(conflict.local) + _ended(conflict.incoming),
    "both sides, ten times": partial(_union, times=10),
}
KNOWING: Final[Mapping[str, Answer]] = {
    "the first line of either side": lambda conflict: b"".join(
        _ended(lines[0]) for side in (conflict.region.local, conflict.region.incoming) if (lines := split_lines(side))
    ),
    "`theirs`": lambda conflict: conflict.region.incoming,
    "`ours`": lambda conflict: conflict.region.local,
    "`union`": _union,
    "the truth, three times": lambda conflict: _ended(conflict.resolution) * 3,
}
TRUTH: Final = "the truth"

Scores = dict[str, list[float]]
"""Answer -> ted_similarity, ted_precision, ted_recall."""


@dataclass(frozen=True)
class File:
    """A file with conflicts, cut at them, and what is known of each."""

    truth: bytes
    segments: tuple[Segment, ...]
    conflicts: tuple[Conflict, ...]

    def answered(self, answer: Answer) -> bytes:
        """The file with an answer in place of each conflict."""
        written = map(answer, self.conflicts)
        return b"".join(next(written) if isinstance(segment, Region) else segment for segment in self.segments)


def conflicting_merges(git: Git, limit: int) -> Iterator[tuple[str, str, str]]:
    """So many merges of two parents that conflict when replayed, with these, from all over the history."""
    listing = git.run("rev-list", "--all", "--merges", "--min-parents=2", "--max-parents=2", "--parents").decode()
    lines = listing.splitlines()
    stride = max(1, len(lines) // (10 * limit))
    found = 0
    with ScratchRepository(git) as scratch:
        for line in (line for offset in range(stride) for line in lines[offset::stride]):
            merge, first, second = line.split()
            try:
                clean = scratch.replay(first, second).clean
            except GitError as problem:
                print(f"{merge} cannot be replayed: {problem}", file=sys.stderr)
                continue
            if not clean:
                yield merge, first, second
                found += 1
            if found == limit:
                return


def read_files(git: Git, scratch: ScratchRepository, merge: str, parents: tuple[str, str]) -> dict[bytes, File]:
    """The files of a merge that have conflicts with text, where the truth and both sides have them, too."""
    model = read_conflicts(scratch.git, scratch.replay(*parents))
    trees = [read_tree(git, commit) for commit in (merge, *parents)]
    files = {}
    for path, conflicted in model.files.items():
        entries = [tree.get(path) for tree in trees]
        oids = [entry.oid for entry in entries if entry is not None and entry.is_file]
        if len(oids) == len(trees):
            blobs = read_blobs(git, oids)
            truth, local, incoming = (blobs[oid] or b"" for oid in oids)
            files[path] = _file(path, conflicted.segments, truth, local, incoming)
    return files


def _file(path: bytes, segments: tuple[Segment, ...], truth: bytes, local: bytes, incoming: bytes) -> File:
    stretches = locate(segments, truth)
    before = [segment for segment in segments if isinstance(segment, bytes)]
    conflicts = tuple(
        Conflict(
            path, region, truth[stretch.start : stretch.stop], _last_line(clean), truth, local, incoming
        )
        for region, stretch, clean in zip(regions(segments), stretches, before, strict=False)
    )  # fmt: skip
    return File(truth, segments, conflicts)


def _last_line(text: bytes) -> bytes:
    return next((line for line in reversed(split_lines(text)) if line.strip()), b"")


def score_merge(repos: Path, name: str, merge: str, parents: tuple[str, str]) -> tuple[Scores, Counter[str]] | None:
    """The scores of each answer, and how many conflicts of the truth were located in which way; None for no score."""
    git = open_store(repos=repos, offline=True).mirror(name, []).borrow(refs=True)
    with ScratchRepository(git) as scratch:
        files = read_files(git, scratch, merge, parents)
    answers = {name: answer for known in (KNOWING_NOTHING, KNOWING) for name, answer in known.items()}
    contents = {name: {path: file.answered(answer) for path, file in files.items()} for name, answer in answers.items()}
    contents[TRUTH] = {path: file.truth for path, file in files.items()}
    scores: Scores = {}
    for answer, written in contents.items():
        found = merge_similarity(
            {
                path: MergedFile(written[path], file.truth, file.segments, written[path] == file.truth)
                for path, file in files.items()
            }
        )
        values = [found.scores[name] for name in ("ted_similarity", "ted_precision", "ted_recall")]
        scores[answer] = [value for value in values if value is not None]
    if not scores[TRUTH]:
        return None
    located = Counter(
        "exactly" if stretch.is_exact else "by a stretch"
        for file in files.values()
        for stretch in locate(file.segments, file.truth)
    )
    return scores, located


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--name", action="append", required=True)
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    rows: list[Scores] = []
    located: Counter[str] = Counter()
    for name in args.name:
        git = open_store(repos=args.repos, offline=True).mirror(name, []).borrow(refs=True)
        merges = list(conflicting_merges(git, args.limit))
        work = (delayed(score_merge)(args.repos, name, merge, (one, other)) for merge, one, other in merges)
        scored = Parallel(n_jobs=args.jobs)(work)
        for merge, found in zip(merges, scored, strict=True):
            if found is None:
                continue
            rows.append(found[0])
            located += found[1]
            if args.out:
                with args.out.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps({"repository": name, "merge": merge[0], "scores": found[0]}) + "\n")
        print(f"{name}: {len(merges)} merges, {sum(found is not None for found in scored)} scored", file=sys.stderr)
    print(f"{len(rows)} merges; conflicts whose truth was located {dict(located)}\n")
    print("\n".join(table(rows)))
    too_good = [answer for answer in KNOWING_NOTHING if mean(row[answer][0] for row in rows) >= BOUND]
    print(f"\nnot below {BOUND}: {', '.join(too_good) or 'none'}", file=sys.stderr)
    return int(bool(too_good) or any(row[TRUTH] != [1.0] * 3 for row in rows))


def table(rows: Sequence[Scores]) -> list[str]:
    """Means over the merges, and how the similarity is spread."""
    lines = ["| answer to every conflict | ted_similarity | median | 90th percentile | ted_precision | ted_recall |"]
    lines.append("|---" * 6 + "|")
    for answer in [*KNOWING_NOTHING, *KNOWING, TRUTH]:
        columns = list(zip(*(row[answer] for row in rows), strict=True))
        shown = [mean(columns[0]), median(columns[0]), quantiles(columns[0], n=10)[-1], *map(mean, columns[1:])]
        lines.append(f"| {answer} | " + " | ".join(f"{value:.2f}" for value in shown) + " |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
