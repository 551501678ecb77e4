"""What mining finds in the repository of a story, for whoever writes one.

    python -m gitgoodbench.mining.story_view data/mini/tidewater tidewater.git

builds it and lists the samples in it; data/mini/README.md has the format of stories.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from gitgoodbench.dataset.sample import DIFFICULTIES
from gitgoodbench.dataset.types import titles
from gitgoodbench.errors import GitGoodBenchError, UserError
from gitgoodbench.git.mirror import Mirror
from gitgoodbench.git.process import Git
from gitgoodbench.mining.contract import mined_types
from gitgoodbench.mining.filters import objections
from gitgoodbench.mining.mini_rows import lines_of_code
from gitgoodbench.mining.options import LANGUAGES
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.records import MinedRow, number_rows
from gitgoodbench.mining.repository import mine_repository
from gitgoodbench.mining.rules import FilterSettings
from gitgoodbench.stories.build import build_story
from gitgoodbench.stories.parser import read_story
from gitgoodbench.stories.suite import story_files
from gitgoodbench.text import for_terminal


def describe_repository(git: Git, *, content: bool = False) -> Iterator[str]:
    """What mining finds: what makes it a sample, or why it is none. With `content`, its text, too."""
    mined = mine_repository(git)
    rows = list(number_rows(Project(name="story"), mined.candidates(LANGUAGES)))
    types = {name: kind for name, kind in mined_types(list(mined.found)).items() if kind.playable}
    samples = [row for row in rows if not objections(row, FilterSettings())]
    yield f"{lines_of_code(git)} lines of code, {len(samples)} samples"
    yield ", ".join(f"{count} {what}" for what, count in mined.counts.items())
    yield ""
    for row in rows:
        if row.sample_type in types:
            kind = types[row.sample_type]
            first, *more = kind.describe(row, git, content=content)
            commit = kind.commits(row.candidate.spec)[0]
            yield f"{row.sample_type} {commit[:10]}  {_verdict(row):<8}  {first}"
            yield from more
    yield ""
    for name, called in titles(types).items():
        count = Counter(row.candidate.difficulty for row in samples if row.sample_type == name)
        yield f"{called}: " + ", ".join(f"{count[difficulty]} {difficulty}" for difficulty in DIFFICULTIES)


def _verdict(row: MinedRow) -> str:
    wanted = objections(row, FilterSettings())
    return f"no sample, wanted are {wanted[0]}" if wanted else f"{row.candidate.difficulty}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Build a story's repository and show what is in it; the author's view."""
    parser = argparse.ArgumentParser(
        prog="python -m gitgoodbench.mining.story_view",
        description="Build a story's repository and list the samples in it.",
        epilog="example: python -m gitgoodbench.mining.story_view data/mini/tidewater tidewater.git",
    )
    parser.add_argument("source", type=Path, help="a folder of *.story files, or one file")
    parser.add_argument("target", type=Path, help="the bare repository to make (an earlier one is replaced)")
    parser.add_argument("--content", action="store_true", help="also print texts, such as those of conflicts")
    options = parser.parse_args(arguments)
    try:
        source: Path = options.source
        _make_room(options.target)
        build_story(read_story([source] if source.is_file() else story_files(source)), options.target)
        git = Mirror(options.target.absolute()).borrow(refs=True)
        for line in describe_repository(git, content=options.content):
            print(for_terminal(line))
    except GitGoodBenchError as error:
        print(for_terminal(f"error: {error}"), file=sys.stderr)
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
