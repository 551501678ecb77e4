"""What scoring reads of the real commits, kept from one outcome of a sample to the next.

It is read by a process that has seen no outcome, and holds only what objects are by their ids (`git.reads`): whoever
scores with it finds what Git would say again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.git.reads import FORMAT, Reads
from gitgoodbench.git.version import host_git_version
from gitgoodbench.workspace.packs import keep_file, kept_file

FILE: Final = "reads"
"""In the folder of a task that records."""

_DIGEST: Final = 32


def name_of(scenario: str, sample: Sample) -> str:
    """Under which name the cache has it: what decides what is read, with the versions that read it."""
    spec: Any = asdict(sample.spec) if hasattr(sample.spec, "__dataclass_fields__") else repr(sample.spec)
    asked = [FORMAT, scenario, sample.name, spec, host_git_version(), sys.version]
    return f"truth-{hashlib.sha256(json.dumps(asked, sort_keys=True, default=str).encode()).hexdigest()}"


def find(name: str) -> str | None:
    """The path of what is kept under a name."""
    found = kept_file(name)
    return None if found is None else str(found)


def keep(name: str, folder: Path) -> None:
    """Keep what a task has recorded in its folder, if it has."""
    with contextlib.suppress(OSError):
        keep_file(name, (folder / FILE).read_bytes())


def write(reads: Reads, folder: Path) -> None:
    """Record what a task has read."""
    content = reads.dump()
    (folder / FILE).write_bytes(hashlib.sha256(content).digest() + content)


def load(path: str | None) -> Reads:
    """What is kept; nothing, where that is absent or damaged: then it is removed, to be made anew."""
    if path is None:
        return Reads()
    with contextlib.suppress(OSError):
        content = Path(path).read_bytes()
        if hashlib.sha256(content[_DIGEST:]).digest() == content[:_DIGEST] and (reads := Reads.load(content[_DIGEST:])):
            return reads
        Path(path).unlink()
    return Reads()
