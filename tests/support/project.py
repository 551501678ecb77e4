"""The project's own files, as tests of packages and documentation need them."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def project_files() -> list[str]:
    """Paths of all files that belong to the project, relative to its root: tracked, or new and not ignored.

    Without Git's folder, as in an unpacked sdist, it is what the sdist says that it holds.
    """
    listed = ROOT / "gitgoodbench.egg-info/SOURCES.txt"
    if not (ROOT / ".git").exists():
        names = listed.read_text(encoding="utf-8").splitlines()
        return [name for name in names if ".egg-info/" not in name and (ROOT / name).is_file() and name != "setup.cfg"]
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return sorted(name for name in names if name and (ROOT / name).is_file())
