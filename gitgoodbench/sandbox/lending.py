"""Files of the cache that a container sees without a copy: hard links in a folder that it has mounted read-only.

The folder is the container's own, so it sees what it was lent and nothing else of the cache. It works where the daemon
shares this machine's disk, which is tried and not guessed: a daemon elsewhere gets its files through the channel.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from gitgoodbench.cache import cache_home
from gitgoodbench.owner import Owner

PLACE: Final = "/shared"
"""Where a container has the folder."""

PROBE: Final = "probe"
_OWNER: Final = "owner.json"


class Lending:
    """The folder of one container.

    Raises:
        OSError, UserError: the cache cannot be written.
    """

    def __init__(self) -> None:
        self._place = _home() / uuid.uuid4().hex
        self.folder = self._place / "files"
        self._place.mkdir(parents=True)
        (self._place / _OWNER).write_text(json.dumps(Owner.current().labels()), "utf-8")
        self.folder.mkdir()
        self.folder.chmod(0o755)
        self.nonce = uuid.uuid4().hex
        probe = self.folder / PROBE
        probe.write_text(self.nonce, "ascii")
        probe.chmod(0o444)

    def confirm(self) -> None:
        """The container has read the probe: it is not needed any more."""
        (self.folder / PROBE).unlink()

    def lend(self, name: str, file: Path) -> None:
        """Show a file under a name, such as `pack/NAME`, in place of what has it.

        Raises:
            OSError: the file is absent, or lies on another disk.
        """
        place = self.folder / name
        if not place.parent.is_dir():
            place.parent.mkdir()
            place.parent.chmod(0o755)
        with contextlib.suppress(FileNotFoundError):
            place.unlink()
        os.link(file, place)

    def take_back(self, name: str) -> None:
        """Show a file no more."""
        with contextlib.suppress(FileNotFoundError):
            (self.folder / name).unlink()

    def close(self) -> None:
        """Remove the folder; the files stay where they come from."""
        shutil.rmtree(self._place, ignore_errors=True)


def find_lendings() -> Iterator[tuple[Path, Owner | None]]:
    """The folder of every container that was not closed, with its owner (None: it does not say)."""
    with contextlib.suppress(OSError):
        for place in sorted(_home().iterdir()):
            owner = None
            with contextlib.suppress(OSError, ValueError):
                owner = Owner.from_labels(json.loads((place / _OWNER).read_bytes()))
            yield place, owner


def _home() -> Path:
    return cache_home() / "lent"
