"""What a command needs of this machine, looked at before it begins, so that broken surroundings are said once; and how
much it does at a time there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gitgoodbench.cache import cache_home
from gitgoodbench.clusters.backends import Backend, Workers
from gitgoodbench.disk import CACHE_ELSEWHERE, require_room, require_temporary_room
from gitgoodbench.git.version import require_git
from gitgoodbench.workspace.store import needs_cache

_MOST_JOBS = 4


def check_machine() -> None:
    """Refuse to begin without what every command needs that runs Git.

    Raises:
        UserError: Git is absent or too old, or temporary files have no place.
    """
    require_git()
    require_temporary_room()


def check_cache(names: Iterable[str], repos: Path | None) -> None:
    """Refuse to begin where a repository is to be put into the cache and that cannot be written. A full one may serve.

    Raises:
        UserError: it is read-only or full.
    """
    if needs_cache(names, repos):
        require_room(cache_home(), "the cache", CACHE_ELSEWHERE)


def check_out(folder: Path) -> None:
    """Refuse to begin where the results cannot be written.

    Raises:
        UserError: the folder is read-only or full.
    """
    require_room(folder.expanduser().absolute(), "the folder of --out", "name another one with --out")


def check_run(folder: Path) -> None:
    """Refuse to begin where the folder of a run cannot be written.

    Raises:
        UserError: it is read-only or full.
    """
    require_room(folder, "the run folder", "copy it to another place")


def jobs_for(fields: Mapping[str, Any]) -> int:
    """Episodes at a time where the user says nothing, for these fields of a run."""
    backend = Backend(fields.get("backend", Backend.THREADING))
    if "jobs" in fields or not backend.is_cluster:
        return default_jobs()
    from gitgoodbench.clusters.pools import cluster_size

    return cluster_size(Workers(backend, None, fields.get("cluster")))


def default_jobs() -> int:
    """As many episodes at a time as there are cores, up to four."""
    return min(_MOST_JOBS, os.cpu_count() or 1)
