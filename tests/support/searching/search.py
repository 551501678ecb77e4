"""What an agent can read, searched as the agent: every file, every environment, every object of the repository.

Runs in a sandbox (Python >= 3.9, standard library). What is looked for lies beside it, written backwards, so that it is
found nowhere else. Prints a JSON object: how much was read, and what was found where.
"""

# ruff: noqa: PTH100, PTH113, PTH114, PTH118, PTH120, PTH123, PTH208

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any

CHUNK = 8 * 1024 * 1024
OVERLAP = 4096
ID = re.compile(rb"(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])")
NOT_FILES = ("/proc", "/sys", "/dev", os.path.dirname(os.path.abspath(__file__)))

found: dict[str, list[str]] = {}
wanted: set[bytes] = set()
read = bytes_read = 0


def look(where: str, data: bytes) -> None:
    texts = set(ID.findall(data))
    texts.update(line.strip() for line in data.split(b"\n"))
    for hit in texts & wanted:
        found.setdefault(hit.decode("utf-8", "replace"), []).append(where)


def search(where: str, stream: Any) -> None:
    global read, bytes_read
    tail = b""
    read += 1
    while True:
        data = stream.read(CHUNK)
        bytes_read += len(data)
        look(where, tail + data)
        if len(data) < CHUNK:
            return
        tail = data[-OVERLAP:]


def search_output(*argv: str) -> None:
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        search(" ".join(argv), process.stdout)


def search_files(root: str) -> None:
    for parent, folders, names in os.walk(root):
        folders[:] = [name for name in folders if os.path.join(parent, name) not in NOT_FILES]
        for name in names:
            path = os.path.join(parent, name)
            if os.path.isfile(path) and not os.path.islink(path) and os.access(path, os.R_OK):
                try:
                    with open(path, "rb") as file:
                        search(path, file)
                except OSError:
                    pass


def search_processes() -> None:
    for number in filter(str.isdigit, os.listdir("/proc")):
        for part in ("environ", "cmdline"):
            try:
                with open(f"/proc/{number}/{part}", "rb") as file:
                    look(f"/proc/{number}/{part}", file.read().replace(b"\0", b"\n").replace(b"=", b"\n"))
            except OSError:
                pass


def main() -> None:
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "wanted"), "rb") as file:
        wanted.update(line[::-1] for line in file.read().split(b"\n") if line)
    search_processes()
    search_output("git", "cat-file", "--batch-all-objects", "--unordered", "--batch")
    search_output("git", "for-each-ref", "--format=%(objectname) %(refname)%0a%(contents)")
    search_output("git", "ls-files", "--stage")
    search_output("git", "log", "--all", "--reflog", "--format=%H%n%T%n%B")
    for root in sys.argv[1:]:
        search_files(root)
    print(json.dumps({"files": read, "bytes": bytes_read, "found": found}))


if __name__ == "__main__":
    main()
