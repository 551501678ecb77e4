"""The answer-free repository of one sample, built inside its sandbox.

It holds only objects reachable from the given tips, no remote, reflog or alternates, and no ref but the branches
named. In-tree attributes that reshape content (text, eol, ident, filter, working-tree-encoding) are switched off, so
that files are, byte for byte, what their blobs are.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.conflict_text import DEFAULT_MARKER_SIZE
from gitgoodbench.git.objects import read_tree
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.workspace.history import pack_history


def build_workspace(
    sandbox: Sandbox, repository: Git, branches: Mapping[str, str], *, boundary: Sequence[str] = ()
) -> Git:
    """Make a repository in the sandbox's work folder with these branches, the first of them checked out.

    Args:
        repository: the repository on this machine that has the commits; only read.
        branches: name of the branch -> commit id.
        boundary: commits whose parents are left out.

    Returns:
        Git on the workspace, running inside the sandbox.
    """
    git_dir = f"{sandbox.work_dir}/.git"
    git = Git(git_dir, sandbox.work_dir, executor=sandbox)
    first = next(iter(branches))
    algorithm = "sha256" if len(branches[first]) == 64 else "sha1"
    git.run("init", "--quiet", "--template=", f"--object-format={algorithm}", f"--initial-branch={first}")
    with tempfile.TemporaryDirectory(prefix="gitgoodbench-") as folder:
        history = pack_history(repository, list(branches.values()), Path(folder), boundary=boundary)
        for file in (history.pack, history.index):
            with file.open("rb") as stream:
                sandbox.put(f".git/objects/pack/{file.name}", stream, mode=0o444)
    if history.boundary:
        sandbox.put(".git/shallow", "".join(f"{commit}\n" for commit in history.boundary).encode())
    write_attributes(sandbox)
    updates = b"".join(f"create refs/heads/{name}\0{commit}\0".encode() for name, commit in branches.items())
    git.run("-c", "core.logAllRefUpdates=false", "update-ref", "-z", "--stdin", stdin=updates)
    check_out(git, branches[first])
    return git


def write_attributes(sandbox: Sandbox, marker_size: int = DEFAULT_MARKER_SIZE) -> None:
    """Neutral attributes for every path, and the size of conflict markers; these override files in the tree."""
    sandbox.put(".git/info/attributes", attribute_rules(marker_size).encode())


def attribute_rules(marker_size: int) -> str:
    """The line of info/attributes that makes files byte-exact; it leaves `merge` and `diff` as the tree has them."""
    return f"* -text !eol -ident !filter !working-tree-encoding conflict-marker-size={marker_size}\n"


def check_out(git: Git, commit: str) -> None:
    """Fill index and working tree from a commit; files whose blob the repository lacks are left out, marked
    skip-worktree.

    Raises:
        SetupFailed: the files cannot be written.
    """
    try:
        git.run("read-tree", "--reset", commit)
        result = git.execute("checkout-index", "--all", "--force", "--quiet", "-u")
        if result.returncode == 0:
            return
        absent = _absent_files(git, commit)
        if not absent:
            raise SetupFailed(f"the files of {commit} cannot be written: {result.stderr.decode('utf-8', 'replace')}")
        git.run("update-index", "-z", "--skip-worktree", "--stdin", stdin=b"".join(path + b"\0" for path in absent))
        git.run("checkout-index", "--all", "--force", "--quiet", "-u")
    except GitError as problem:
        raise SetupFailed(f"commit {commit} cannot be checked out: {problem}") from problem


def _absent_files(git: Git, commit: str) -> list[bytes]:
    entries = {path: entry.oid for path, entry in read_tree(git, commit).items() if entry.mode != "160000"}
    oids = "".join(f"{oid}\n" for oid in entries.values()).encode()
    checked = git.run("cat-file", "--batch-check=%(objectname)", stdin=oids).split(b"\n")
    return [path for path, line in zip(entries, checked, strict=False) if line.endswith(b"missing")]


def commit_index(git: Git, message: bytes, parents: Sequence[str]) -> str:
    """Commit the index as it is, move HEAD's branch there and end the merge in progress. Returns the commit's id.

    Plumbing, so that files left out (see `check_out`) are no obstacle.
    """
    tree = git.line("write-tree", "--missing-ok")
    parent_args = [arg for parent in parents for arg in ("-p", parent)]
    commit = git.line("commit-tree", *parent_args, "-F", "-", tree, stdin=message)
    git.run("update-ref", "HEAD", commit)
    git.run("merge", "--quit")
    return commit
