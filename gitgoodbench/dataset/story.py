"""Stories: the built-in suite's repositories as readable text, compiled to bare repositories with fixed ids.

    python -m gitgoodbench.dataset.story data/mini/tidewater /tmp/tidewater.git

builds one and shows its merges and chains, for whoever writes a story; data/mini/README.md has the format.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from gitgoodbench.dataset.story_build import build_story
from gitgoodbench.dataset.story_model import Story, StoryError
from gitgoodbench.dataset.story_parser import read_story
from gitgoodbench.dataset.survey import Chain, History, Merge, lines_of_code
from gitgoodbench.errors import GitGoodBenchError, UserError
from gitgoodbench.git.process import Git

__all__ = ["Story", "StoryError", "build_story", "read_story", "story_files"]


def story_files(folder: Path) -> list[Path]:
    """The files of a story, in their order.

    Raises:
        UserError: the folder has none.
    """
    files = sorted(folder.glob("*.story"))
    if not files:
        raise UserError(f"{folder} holds no *.story file")
    return files


def describe_repository(git: Git, *, regions: bool = False) -> Iterator[str]:
    """A line for each merge and chain: what makes it a sample, or why it is none.

    With `regions`, the text of every conflict region too.
    """
    history = History.of(git)
    subjects = _subjects(git)
    merges, chains = list(history.merges()), list(history.chains())
    everything: list[Merge | Chain] = [*merges, *chains]
    count = sum(sample.objection is None for sample in everything)
    yield f"{len(history.parents)} commits, {lines_of_code(git)} lines of code, {count} samples"
    yield ""
    for merge in merges:
        yield from _describe_merge(merge, subjects, regions)
    yield ""
    for chain in chains:
        yield from _describe_chain(chain, subjects)
    yield ""
    yield f"merges: {_count_difficulties(merges)}"
    yield f"chains: {_count_difficulties(chains)}"


def _count_difficulties(found: Sequence[Merge | Chain]) -> str:
    counts = {"easy": 0, "medium": 0, "hard": 0}
    for sample in found:
        if sample.objection is None:
            counts[sample.difficulty] += 1
    return ", ".join(f"{count} {difficulty}" for difficulty, count in counts.items())


def _subjects(git: Git) -> dict[str, str]:
    output = git.run("log", "--branches", "-z", "--format=%H %s").decode("utf-8", "replace")
    return dict(record.split(" ", 1) for record in output.split("\0") if record)


def _describe_merge(merge: Merge, subjects: dict[str, str], regions: bool) -> Iterator[str]:
    verdict = f"no sample: {merge.objection}" if merge.objection else merge.difficulty
    yield f"merge {merge.oid[:10]}  {verdict:<8}  {subjects[merge.oid]}"
    for file in merge.files:
        kinds = ", ".join(file.kinds) or "conflict"
        yield f"    {file.path.decode('utf-8', 'backslashreplace')}: {len(file.regions)} region(s), {kinds}"
        for number, region in enumerate(file.regions if regions else (), 1):
            for side, text in ((f"region {number} ours", region.ours), ("theirs", region.theirs)):
                yield f"      --- {side}"
                yield from (f"      |{line}" for line in text.decode("utf-8", "replace").split("\n")[:-1])


def _describe_chain(chain: Chain, subjects: dict[str, str]) -> Iterator[str]:
    verdict = f"no sample: {chain.objection}" if chain.objection else chain.difficulty
    path = chain.path.decode("utf-8", "backslashreplace")
    size = f"{len(chain.commits)} commits, purity {chain.purity}"
    yield f"chain {chain.commits[-1][:10]}  {verdict:<8}  {path}, {size}"
    if chain.objection is None:
        yield from (f"    {oid[:10]} {subjects[oid]}" for oid in chain.commits)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build a story's repository and show what is in it; the author's view."""
    parser = argparse.ArgumentParser(
        prog="python -m gitgoodbench.dataset.story",
        description="Build a story's repository and list its merges and chains.",
        epilog="example: python -m gitgoodbench.dataset.story data/mini/tidewater /tmp/tidewater.git",
    )
    parser.add_argument("source", type=Path, help="a folder of *.story files, or one file")
    parser.add_argument("target", type=Path, help="the bare repository to make (an earlier one is replaced)")
    parser.add_argument("--regions", action="store_true", help="also print the text of the conflict regions")
    options = parser.parse_args(arguments)
    try:
        source: Path = options.source
        _make_room(options.target)
        build_story(read_story([source] if source.is_file() else story_files(source)), options.target)
        for line in describe_repository(Git(options.target.absolute()), regions=options.regions):
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
