"""The built-in suite: its repositories, built from their stories into the cache.

Its rows, data/mini/rows.jsonl, are what mining finds in them: `gitgoodbench.mining.mini_rows` derives them.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Final

from gitgoodbench.cache import cache_home
from gitgoodbench.errors import InfrastructureFailed, SetupFailed, UserError
from gitgoodbench.stories.build import BUILDER_VERSION, build_story
from gitgoodbench.stories.model import Story
from gitgoodbench.stories.parser import read_story

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
    target = _place(name, files, cache_dir)
    folder = target.parent
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


def is_built(name: str, cache_dir: Path | None = None) -> bool:
    """Whether the repository of `mini/NAME`, which the suite has, is in the cache."""
    return _place(name, _files(name), cache_dir).is_dir()


def _place(name: str, files: Sequence[Path], cache_dir: Path | None) -> Path:
    folder = (cache_home() if cache_dir is None else cache_dir.absolute()) / OWNER
    return folder / f"{name.partition('/')[2]}-{_fingerprint(files)}.git"


def story_of(name: str) -> Story:
    """What `mini/NAME` was built from."""
    return read_story(_files(name))


def story_files(folder: Path) -> list[Path]:
    """The files of a story, in their order.

    Raises:
        UserError: the folder has none.
    """
    files = sorted(folder.glob("*.story"))
    if not files:
        raise UserError(f"{folder} holds no *.story file")
    return files


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
