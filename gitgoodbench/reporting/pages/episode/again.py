"""An episode outside of the pages: its commits, where they are published, and the command that plays it again."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from enum import Enum
from typing import Any, Final

from gitgoodbench.details import Details
from gitgoodbench.runs.config import FLAGS, RunConfig, spelling
from gitgoodbench.runs.manifest import Manifest
from gitgoodbench.runs.result import Result

_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_REPOSITORY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+")
_GLOB: Final = re.compile(r"([*?[])")
_NAMED_BEFORE: Final = ("suite", "agent", "scenario", "sample", "language", "difficulty", "limit", "shuffle", "epochs")
"""Fields that say which episodes there are: the command names the one."""
_WHERE: Final = ("base_url", "repos", "offline")
"""Fields that a resumed run may change, but without which nothing can be played."""

Links = dict[str, list[dict[str, str | None]]]


def commit_links(details: Details, repository: str | None) -> Links:
    """The commits of a sample by what they are, each with its address at GitHub, where it has one.

    repository: owner and name; None where the repository is nowhere published.
    """
    is_named = repository is not None and _REPOSITORY.fullmatch(repository) is not None
    page = f"https://github.com/{repository}/commit/"
    return {
        what: [
            {"id": commit, "url": page + commit if is_named and _COMMIT.fullmatch(commit) else None}
            for commit in ([ids] if isinstance(ids, str) else ids or ())
        ]
        for what, ids in details.ids.items()
    }


def command(manifest: Manifest, result: Result) -> str:
    """The command that plays an episode of a run again, with what decided it."""
    sample = _GLOB.sub(r"[\1]", result.sample_id)
    words = ["gitgoodbench", "eval", manifest.suite.spec, "--agent", manifest.config.agent]
    words += ["--scenario", result.scenario, "--sample", sample, *_flags(manifest.config)]
    return shlex.join(words)


def _flags(config: RunConfig) -> Iterator[str]:
    """What was said beyond the defaults, or decided where a command decides."""
    for name, flag in FLAGS.items():
        value, default = getattr(config, name), RunConfig.model_fields[name].default
        if name in _NAMED_BEFORE or (flag.may_change and name not in _WHERE) or (value == default and not flag.decided):
            continue
        for one in value if isinstance(value, tuple) else (value,):
            yield from _said(spelling(name), one)


def _said(flag: str, value: Any) -> list[str]:
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    return [flag, str(value.value if isinstance(value, Enum) else value)]
