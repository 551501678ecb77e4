"""Going over an agent's image for what should not be in it: rights too many, and traces of where it was built."""

from __future__ import annotations

import getpass
import json
import os
import socket
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from gitgoodbench.agents.images.npm_config import NpmConfig
from gitgoodbench.agents.images.recipe import Recipe
from gitgoodbench.sandbox.docker import DockerProvider

_WALK = r"""
import json, os, stat, sys
home, words = json.load(sys.stdin)
words = [word.encode() for word in words]
found = []
for folder, folders, files in os.walk(home):
    for name in [".", *files, *[name for name in folders if os.path.islink(os.path.join(folder, name))]]:
        path = os.path.normpath(os.path.join(folder, name))
        facts = os.lstat(path)
        kind = stat.S_IFMT(facts.st_mode)
        if kind not in (stat.S_IFREG, stat.S_IFDIR):
            found.append(f"{path} is a link or special")
        if facts.st_uid or facts.st_gid:
            found.append(f"{path} is of user {facts.st_uid}, group {facts.st_gid}")
        if facts.st_mode & 0o7022:
            found.append(f"{path} has mode {oct(facts.st_mode)}")
        if kind == stat.S_IFREG and words:
            held, last = set(), b""
            with open(path, "rb") as file:
                while piece := file.read(1 << 22):
                    held |= {word for word in words if word in last + piece}
                    last = piece[-200:]
            found += [f"{path} holds {word.decode()}" for word in held]
json.dump(found, sys.stdout)
"""
_PRUNED = ("/opt", "/tmp", "/work", "/etc", "/dev", "/proc", "/sys", "/shared", "/home", "/.dockerenv")
_PRUNE = [part for path in _PRUNED for part in ("-path", path, "-o")][:-1]
_OUTSIDE = ["find", "/", "-xdev", "-mindepth", "1", "(", *_PRUNE, ")", "-prune", "-o", "-printf", "%p %m %U %s %T@\\n"]
"""All that is not the agent's, but for what Docker puts into each container."""

_COMMON = {"", "root", "user", "agent", "localhost", "runner", "node", "build"}
"""Names that say nothing of a machine."""

_SHORT = 5
"""Characters of words that are found everywhere by chance."""


def machine_words() -> list[str]:
    """What names this machine, its user, its folders and its registries."""
    registries = {NpmConfig.of_user().values.get("registry", ""), os.environ.get("PIP_INDEX_URL", "")}
    hosts = {urlsplit(url).hostname or "" for url in registries}
    names = {getpass.getuser(), socket.gethostname(), *hosts}
    folders = {
        str(Path.home()),
        str(Path(__file__).parent.parent.parent),
        sys.prefix,
        f"{tempfile.gettempdir()}/gitgoodbench-",
    }
    return sorted(word for word in (names | folders | {"/var/tmp/gitgoodbench-"}) - _COMMON if len(word) > _SHORT)


def flaws(provider: DockerProvider, base: DockerProvider, recipe: Recipe, *words: str) -> list[str]:
    """What is wrong with the agent's folder, and what is not as in the base outside of it.

    words: further ones that no file may hold.
    """
    question = json.dumps([recipe.home, [*machine_words(), *words]]).encode()
    with provider.open(run_id="flaws", episode_id=recipe.name) as sandbox:
        done = sandbox.exec(["python3", "-I", "-c", _WALK], stdin=question, timeout_s=300)
        assert done.returncode == 0, done.stderr
        outside = sandbox.exec(_OUTSIDE).stdout.splitlines()
        assert len(outside) > 1000
    with base.open(run_id="flaws", episode_id="base") as sandbox:
        changed = set(outside) ^ set(sandbox.exec(_OUTSIDE).stdout.splitlines())
    return [*json.loads(done.stdout), *(f"not as in the base: {line.decode()}" for line in sorted(changed))]
