"""What mining finds in the repository of a story, for whoever writes one.

    python -m gitgoodbench.mining.story_view data/mini/tidewater tidewater.git

builds it and lists its merges and chains; data/mini/README.md has the format of stories.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from gitgoodbench.dataset.sample import FileCommitChainSpec, MergeSpec
from gitgoodbench.errors import GitGoodBenchError, UserError
from gitgoodbench.git.mirror import Mirror
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git
from gitgoodbench.mining.filters import SAMPLE_FILTERS, FilterSettings, passes
from gitgoodbench.mining.mini_rows import lines_of_code
from gitgoodbench.mining.options import LANGUAGES
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.records import MinedRow, candidates, number_rows
from gitgoodbench.mining.repository import mine_repository
from gitgoodbench.stories.build import build_story
from gitgoodbench.stories.merge import Conflict, merge_automatically, split_conflicts
from gitgoodbench.stories.parser import read_story
from gitgoodbench.stories.suite import story_files

_TITLES: Final = {"merge": "merges", "file_commit_chain": "chains"}


def describe_repository(git: Git, *, regions: bool = False) -> Iterator[str]:
    """A line for each merge that conflicts and each chain: what makes it a sample, or why it is none.

    With `regions`, the text of every conflict region too.
    """
    mined = mine_repository(git)
    subjects = _subjects(git)
    rows = list(number_rows(Project(name="story"), candidates(mined, {}, LANGUAGES)))
    samples = [row for row in rows if not _objection(row)]
    yield f"{mined.commits} commits, {lines_of_code(git)} lines of code, {len(samples)} samples"
    yield f"merges without a conflict: {mined.merge_counts.clean}"
    yield ""
    for row in rows:
        spec = row.candidate.spec
        if isinstance(spec, MergeSpec):
            yield from _describe_merge(row, spec, subjects)
            if regions:
                yield from _describe_regions(git, spec)
        elif isinstance(spec, FileCommitChainSpec):
            yield from _describe_chain(row, spec, subjects)
    yield ""
    for sample_type, title in _TITLES.items():
        count = Counter(row.candidate.difficulty for row in samples if row.sample_type == sample_type)
        yield f"{title}: " + ", ".join(f"{count[difficulty]} {difficulty}" for difficulty in ("easy", "medium", "hard"))


def _objection(row: MinedRow) -> str | None:
    """Which filter of a dataset it does not pass, in words."""
    settings = FilterSettings()
    return next((rule.describe(settings) for rule in SAMPLE_FILTERS if not passes(rule, row, settings)), None)


def _verdict(row: MinedRow) -> str:
    objection = _objection(row)
    return f"no sample, wanted are {objection}" if objection else f"{row.candidate.difficulty}"


def _describe_merge(row: MinedRow, spec: MergeSpec, subjects: dict[str, str]) -> Iterator[str]:
    yield f"merge {spec.merge_commit_hash[:10]}  {_verdict(row):<8}  {subjects[spec.merge_commit_hash]}"
    for file in row.candidate.files:
        yield f"    {file.path}: {file.regions} region(s), {', '.join(file.kinds) or 'conflict'}"


def _describe_regions(git: Git, spec: MergeSpec) -> Iterator[str]:
    files = merge_automatically(git, *spec.parents).files
    for path in spec.files_in_merge_conflict:
        _, data = files.get(_bytes(path), (b"", b""))
        found = [part for part in split_conflicts(data) if isinstance(part, Conflict)]
        for number, region in enumerate(found, 1):
            for side, text in (
                (f"{show_path(_bytes(path))}, region {number}, ours", region.ours),
                ("theirs", region.theirs),
            ):
                yield f"      --- {side}"
                yield from (f"      |{line}" for line in text.decode("utf-8", "replace").split("\n")[:-1])


def _describe_chain(row: MinedRow, spec: FileCommitChainSpec, subjects: dict[str, str]) -> Iterator[str]:
    size = f"{spec.times_seen_consecutively} commits, purity {spec.purity:g}"
    yield f"chain {spec.newest_commit[:10]}  {_verdict(row):<8}  {show_path(_bytes(spec.file))}, {size}"
    yield from (f"    {oid[:10]} {subjects[oid]}" for oid in row.candidate.commits)


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _subjects(git: Git) -> dict[str, str]:
    output = git.run("log", "--branches", "-z", "--format=%H %s").decode("utf-8", "replace")
    return dict(record.split(" ", 1) for record in output.split("\0") if record)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build a story's repository and show what is in it; the author's view."""
    parser = argparse.ArgumentParser(
        prog="python -m gitgoodbench.mining.story_view",
        description="Build a story's repository and list its merges and chains.",
        epilog="example: python -m gitgoodbench.mining.story_view data/mini/tidewater tidewater.git",
    )
    parser.add_argument("source", type=Path, help="a folder of *.story files, or one file")
    parser.add_argument("target", type=Path, help="the bare repository to make (an earlier one is replaced)")
    parser.add_argument("--regions", action="store_true", help="also print the text of the conflict regions")
    options = parser.parse_args(arguments)
    try:
        source: Path = options.source
        _make_room(options.target)
        build_story(read_story([source] if source.is_file() else story_files(source)), options.target)
        git = Mirror(options.target.absolute()).borrow(refs=True)
        for line in describe_repository(git, regions=options.regions):
            print(line)
    except GitGoodBenchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _make_room(target: Path) -> None:
    if not target.exists():
        return
    if not (target / "HEAD").is_file() or not (target / "objects").is_dir():
        raise UserError(f"{target} exists and is no bare repository; name another target")
    shutil.rmtree(target)


if __name__ == "__main__":
    sys.exit(main())
