"""Which commits a workspace begins with."""

from __future__ import annotations

from gitgoodbench.git.process import GIT_ENVIRONMENT
from gitgoodbench.sandbox.base import Sandbox


def begun_with(sandbox: Sandbox) -> list[str]:
    """HEAD, every branch, and what is being merged, each once."""
    found: list[str] = []
    for args in (["rev-parse", "HEAD"], ["for-each-ref", "--format=%(objectname)"], ["rev-parse", "-q", "MERGE_HEAD"]):
        listed = sandbox.exec(["git", *args], env=GIT_ENVIRONMENT)
        found += listed.stdout.decode("ascii", "replace").split() if listed.returncode == 0 else []
    return list(dict.fromkeys(found))
