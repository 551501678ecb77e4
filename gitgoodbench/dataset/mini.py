"""The built-in suite: its repositories, built from their stories into the cache, and its rows.

    python -m gitgoodbench.dataset.mini --write

derives data/mini/rows.jsonl again after a story was changed.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC
from importlib import resources
from pathlib import Path
from typing import Any, Final

from gitgoodbench.cache import cache_home
from gitgoodbench.dataset.sample import FileCommitChainSpec, MergeSpec, Sample
from gitgoodbench.dataset.story import Story, build_story, read_story, story_files
from gitgoodbench.dataset.story_build import BUILDER_VERSION
from gitgoodbench.dataset.survey import Chain, History, Merge, project_size
from gitgoodbench.dataset.writers import row_of, write_samples
from gitgoodbench.errors import GitGoodBenchError, InfrastructureFailed, SetupFailed
from gitgoodbench.folders import temporary_folder
from gitgoodbench.git.process import Git

OWNER: Final = "mini"
"""What the names of the suite's repositories start with, before the slash."""


def suite_folder() -> Path:
    """The folder of the stories and of rows.jsonl, as installed."""
    return Path(str(resources.files("gitgoodbench.data").joinpath(OWNER)))


def repository_names() -> list[str]:
    """The suite's repositories, as `mini/NAME`."""
    return [f"{OWNER}/{name}" for name in sorted({file.parent.name for file in suite_folder().glob("*/*.story")})]


def repository_path(name: str, cache_dir: Path | None = None) -> Path:
    """The bare repository of `mini/NAME`, built on first use; read-only for the caller.

    It is built in a folder of its own and then renamed, so that several processes may ask at once and none ever sees
    half of it. Its name holds a hash of the story: a changed story is another repository.

    Args:
        name: one of `repository_names()`.
        cache_dir: the harness's cache, None for `cache.cache_home()`.

    Raises:
        SetupFailed: the suite has no such repository.
        InfrastructureFailed: the cache cannot be written.
    """
    if name not in repository_names():
        raise SetupFailed(f"the built-in suite has no repository {name!r}, only {', '.join(repository_names())}")
    files = _files(name)
    folder = (cache_home() if cache_dir is None else cache_dir.absolute()) / OWNER
    target = folder / f"{name.partition('/')[2]}-{_fingerprint(files)}.git"
    if target.is_dir():
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".building-", dir=folder) as scratch:
            built = Path(scratch, target.name)
            build_story(read_story(files), built)
            _publish(built, target)
    except OSError as problem:
        raise InfrastructureFailed(f"{name} cannot be built in {folder}: {problem.strerror}") from problem
    return target


def derive_samples(cache_dir: Path | None = None) -> list[Sample]:
    """Every sample that the suite's repositories hold: per repository its merges, then its chains, oldest first."""
    return [sample for name in repository_names() for sample in _samples(name, cache_dir)]


def derive_rows(cache_dir: Path | None = None) -> list[dict[str, Any]]:
    """The rows of data/mini/rows.jsonl, from the repositories themselves."""
    return [row_of(sample) for sample in derive_samples(cache_dir)]


def _files(name: str) -> list[Path]:
    return story_files(suite_folder() / name.partition("/")[2])


def _fingerprint(files: Sequence[Path]) -> str:
    """Changes with the story's text and with the builder."""
    digest = hashlib.sha256(b"%d\0" % BUILDER_VERSION)
    for file in files:
        content = file.read_bytes()
        digest.update(b"%s\0%d\0" % (file.name.encode("utf-8"), len(content)))
        digest.update(content)
    return digest.hexdigest()[:16]


def _publish(built: Path, target: Path) -> None:
    """Rename a finished repository into place, unless another process was faster."""
    try:
        built.rename(target)
    except OSError:
        if not target.is_dir():
            raise


def _samples(name: str, cache_dir: Path | None) -> Iterator[Sample]:
    git = Git(repository_path(name, cache_dir))
    story = read_story(_files(name))
    history = History.of(git)
    size = project_size(git)
    merges = [merge for merge in history.merges() if merge.objection is None]
    chains = [chain for chain in history.chains() if chain.objection is None]
    for number, merge in enumerate(merges):
        yield _sample(story, "merge", number, size, merge.difficulty, merge=_merge_spec(merge))
    for number, chain in enumerate(chains):
        spec = _chain_spec(chain, _branch_of(git, chain.commits[-1]))
        yield _sample(story, "file_commit_chain", number, size, chain.difficulty, chain=spec)


def _sample(story: Story, sample_type: str, number: int, size: str, difficulty: str, **spec: Any) -> Sample:
    return Sample.model_validate(
        {
            "id": f"{story.name.replace('/', '_')}_{sample_type}_{number:04d}",
            "name": story.name,
            "default_branch": "main",
            "license": "apache-2.0",
            "stargazers": 0,
            "created_at": story.start.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S"),
            "topics": ";".join(story.topics),
            "programming_language": story.language,
            "sample_type": sample_type,
            "project_size": size,
            "difficulty": difficulty,
            **spec,
        }
    )


def _merge_spec(merge: Merge) -> MergeSpec:
    return MergeSpec(
        merge_commit_hash=merge.oid,
        parents=merge.parents,
        number_of_files_with_merge_conflict=len(merge.files),
        total_number_of_merge_conflicts=merge.conflicts,
        files_in_merge_conflict=tuple(file.path.decode("utf-8") for file in merge.files),
    )


def _chain_spec(chain: Chain, branch: str) -> FileCommitChainSpec:
    return FileCommitChainSpec(
        file=chain.path.decode("utf-8"),
        branch=branch,
        times_seen_consecutively=len(chain.commits),
        purity=float(chain.purity),
        newest_commit=chain.commits[-1],
        oldest_commit=chain.commits[0],
    )


def _branch_of(git: Git, commit: str) -> str:
    """The branch a commit is on: main where that holds it, else the first one by name."""
    listed = git.run("for-each-ref", f"--contains={commit}", "--format=%(refname:lstrip=2)", "refs/heads")
    branches = listed.decode("utf-8").split("\n")[:-1]
    return "main" if "main" in branches else branches[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Check rows.jsonl against the stories, or write it."""
    parser = argparse.ArgumentParser(
        prog="python -m gitgoodbench.dataset.mini",
        description="Build the built-in suite and check that its rows.jsonl fits (or write that).",
    )
    parser.add_argument("--write", action="store_true", help="write data/mini/rows.jsonl")
    options = parser.parse_args(arguments)
    target = suite_folder() / "rows.jsonl"
    try:
        with temporary_folder("mini") as folder:
            written = Path(folder, "rows.jsonl")
            samples = derive_samples(folder)
            write_samples(samples, target if options.write else written)
            if not options.write and (not target.is_file() or target.read_bytes() != written.read_bytes()):
                print(f"{target} does not fit the stories; write it again with --write", file=sys.stderr)
                return 1
    except GitGoodBenchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{target}: {len(samples)} rows {'written' if options.write else 'fit the stories'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
