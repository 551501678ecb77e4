"""The rows of the built-in suite, which are what mining finds in its repositories.

    python -m gitgoodbench.mining.mini_rows --write

derives data/mini/rows.jsonl again after a story was changed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC
from pathlib import Path
from typing import Any

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.dataset.writers import row_of, write_samples
from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.folders import temporary_folder
from gitgoodbench.git.mirror import Mirror
from gitgoodbench.git.process import Git
from gitgoodbench.mining.filters import objections
from gitgoodbench.mining.options import LANGUAGES, SOURCE_SUFFIXES, MiningOptions
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.records import MinedRow, number_rows
from gitgoodbench.mining.repository import mine_repository
from gitgoodbench.mining.rules import FilterSettings
from gitgoodbench.plugins import HARNESS, SAMPLES, plugins
from gitgoodbench.stories.merge import read_files
from gitgoodbench.stories.model import Story
from gitgoodbench.stories.suite import repository_names, repository_path, story_of, suite_folder
from gitgoodbench.text import for_terminal


def derive_samples(cache_dir: Path | None = None) -> list[Sample]:
    """Every sample that the suite's repositories hold: per repository, type by type."""
    return [row.sample() for name in repository_names() for row in _rows(name, cache_dir)]


def derive_rows(cache_dir: Path | None = None) -> list[dict[str, Any]]:
    """The rows of data/mini/rows.jsonl, from the repositories themselves."""
    return [row_of(sample) for sample in derive_samples(cache_dir)]


def lines_of_code(git: Git) -> int:
    """The lines of all source files at the tip of the branch `main`."""
    files = read_files(git, "refs/heads/main")
    return sum(data.count(b"\n") for path, (_, data) in files.items() if path.endswith(SOURCE_SUFFIXES))


def _rows(name: str, cache_dir: Path | None) -> Iterator[MinedRow]:
    git = Mirror(repository_path(name, cache_dir)).borrow(refs=True)
    project = _project(story_of(name), git)
    types = tuple(name for name, plugin in plugins(SAMPLES).items() if plugin.distribution == HARNESS)
    mined = mine_repository(git, MiningOptions(types=types))
    fitting = (
        candidate
        for candidate in mined.candidates(LANGUAGES)
        if not objections(MinedRow("", project, candidate), FilterSettings())
    )
    return number_rows(project, fitting)


def _project(story: Story, git: Git) -> Project:
    """What a list of repositories would say."""
    return Project(
        name=story.name,
        programming_language=story.language,
        default_branch="main",
        license="apache-2.0",
        stargazers=0,
        created_at=story.start.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S"),
        topics=";".join(story.topics),
        code_lines=lines_of_code(git),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Check rows.jsonl against the stories, or write it."""
    parser = argparse.ArgumentParser(
        prog="python -m gitgoodbench.mining.mini_rows",
        description="Build the built-in suite, mine it, and check that its rows.jsonl fits (or write that).",
    )
    parser.add_argument("--write", action="store_true", help="write data/mini/rows.jsonl")
    options = parser.parse_args(arguments)
    target = suite_folder() / "rows.jsonl"
    try:
        with temporary_folder("mini") as folder:
            written = folder / "rows.jsonl"
            samples = derive_samples(folder)
            write_samples(samples, target if options.write else written)
            if not options.write and (not target.is_file() or target.read_bytes() != written.read_bytes()):
                print(for_terminal(f"{target} does not fit the stories; write it again with --write"), file=sys.stderr)
                return 1
    except GitGoodBenchError as error:
        print(for_terminal(f"error: {error}"), file=sys.stderr)
        return 2
    print(for_terminal(f"{target}: {len(samples)} rows {'written' if options.write else 'fit the stories'}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
