"""The answer-free repository of one sample, built inside its sandbox.

It holds only objects reachable from the given tips, no remote or reflog, and no ref but the branches named. Where a
sandbox can be lent files, the pack is that of an alternate, which holds nothing else. In-tree attributes that reshape
content (text, eol, ident, filter, working-tree-encoding) are switched off, so that files are, byte for byte, what their
blobs are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitgoodbench.errors import SetupFailed
from gitgoodbench.folders import temporary_folder
from gitgoodbench.git.conflict_text import DEFAULT_MARKER_SIZE
from gitgoodbench.git.objects import SUBMODULE, Entry, blobs_present, stage
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.git.replay import Replay
from gitgoodbench.git.tree_paths import fits_on_disk, twins
from gitgoodbench.jsontypes import Json
from gitgoodbench.sandbox.base import Sandbox, SharingSandbox
from gitgoodbench.workspace.history import pack_objects
from gitgoodbench.workspace.packs import kept_history

_LISTED_FILES: Final = 20


def build_workspace(
    sandbox: Sandbox,
    repository: Git,
    branches: Mapping[str, str],
    *,
    boundary: Sequence[str] = (),
    trees: Sequence[str] = (),
) -> Git:
    """Make a repository with these branches in the sandbox's work folder; the first is current, nothing is checked out.

    Args:
        repository: the repository on this machine that has the commits; only read.
        branches: name of the branch -> commit id.
        boundary: commits whose parents are left out.
        trees: trees, or single blobs, to hold besides.

    Returns:
        Git on the workspace, running inside the sandbox.

    Raises:
        SetupFailed: an object of the history is damaged, or a tree of it missing.
    """
    git = workspace_git(sandbox)
    first = next(iter(branches))
    algorithm = "sha256" if len(branches[first]) == 64 else "sha1"
    git.run("init", "--quiet", "--template=", f"--object-format={algorithm}", f"--initial-branch={first}")
    with ExitStack() as stack:
        try:
            packed = kept_history(repository, list(branches.values()), boundary=boundary, trees=trees)
            history = stack.enter_context(packed)
        except GitError as problem:
            raise SetupFailed(f"the repository is damaged: {problem}") from problem
        _put_pack(sandbox, (history.pack, history.index), shared=history.kept)
    if history.boundary:
        sandbox.put(".git/shallow", "".join(f"{commit}\n" for commit in history.boundary).encode())
    write_attributes(sandbox)
    updates = b"".join(f"create refs/heads/{name}\0{commit}\0".encode() for name, commit in branches.items())
    git.run("-c", "core.logAllRefUpdates=false", "update-ref", "-z", "--stdin", stdin=updates)
    return git


def workspace_git(sandbox: Sandbox) -> Git:
    """Git on the repository in a sandbox's work folder, running inside the sandbox.

    It finds lent packs whatever an agent has made of the repository's own list of alternates.
    """
    lent = sandbox.lent_folder if isinstance(sandbox, SharingSandbox) else None
    env = {} if lent is None else {"GIT_ALTERNATE_OBJECT_DIRECTORIES": lent}
    return Git(f"{sandbox.work_dir}/.git", sandbox.work_dir, executor=sandbox, env=env)


def put_objects(sandbox: Sandbox, repository: Git, commits: Sequence[str], known: Sequence[str]) -> None:
    """Put what the commits hold into a workspace, but for the commits themselves and what the known ones reach.

    The one way for a real answer into a sandbox, for oracles.
    """
    revisions = "".join([*(f"{commit}\n" for commit in commits), *(f"^{commit}\n" for commit in known)]).encode()
    listing = ("rev-list", "--objects", "--no-object-names", "--missing=allow-any", "--stdin")
    wanted = b"".join(
        oid + b"\n"
        for oid in repository.run(*listing, stdin=revisions).split()
        if oid.decode("ascii") not in set(commits)
    )
    if wanted:
        with temporary_folder("pack") as folder:
            _put_pack(sandbox, pack_objects(repository, wanted, folder, exactly=True))


def _put_pack(sandbox: Sandbox, files: Sequence[Path], *, shared: bool = False) -> None:
    sharing = sandbox if shared and isinstance(sandbox, SharingSandbox) else None
    if sharing is not None and sharing.lent_folder is not None and _lend(sharing, files, sharing.lent_folder):
        return
    for file in files:
        path = f".git/objects/pack/{file.name}"
        if sharing is not None:
            sharing.share(path, file)
            continue
        with file.open("rb") as stream:
            sandbox.put(path, stream, mode=0o444)


def _lend(sandbox: SharingSandbox, files: Sequence[Path], folder: str) -> bool:
    """Show files of the cache to the sandbox's Git as those of an alternate; whether that can be."""
    try:
        for file in files:
            sandbox.share(f"{folder}/pack/{file.name}", file)
    except OSError:  # on another disk, as a cache may be
        return False
    sandbox.put(".git/objects/info/alternates", f"{folder}\n".encode())
    return True


def write_attributes(sandbox: Sandbox, marker_size: int = DEFAULT_MARKER_SIZE) -> None:
    """Neutral attributes for every path, and the size of conflict markers; these override files in the tree."""
    sandbox.put(".git/info/attributes", attribute_rules(marker_size).encode())


def attribute_rules(marker_size: int) -> str:
    """The line of info/attributes that makes files byte-exact; it leaves `merge` and `diff` as the tree has them."""
    return f"* -text !eol -ident !filter !working-tree-encoding conflict-marker-size={marker_size}\n"


def check_out(git: Git, treeish: str, changes: Mapping[bytes, Entry | None] | None = None) -> tuple[bytes, ...]:
    """Fill index and working tree from a tree; returns the paths of files that are left out (skip-worktree).

    Left out is what cannot be there: a file whose blob the repository lacks, one whose name the file system does not
    take, and where that does not tell cases apart, one whose name is taken.

    changes: entries laid over the tree first (see `objects.stage`).

    Raises:
        SetupFailed: the files cannot be written.
    """
    try:
        git.run("read-tree", "--reset", treeish)
        if changes:
            stage(git, changes)
        return _write_files(git, treeish)
    except GitError as problem:
        raise SetupFailed(f"{treeish} cannot be checked out: {problem}") from problem


def write_changed(git: Git, changes: Mapping[bytes, Entry | None]) -> bool:
    """Bring the working tree to an index that has changed at some paths; whether all files could be written."""
    git.run("clean", "-ffdxq")
    kept = b"".join(path + b"\0" for path, entry in changes.items() if entry is not None)
    result = git.execute("checkout-index", "--force", "--quiet", "-u", "-z", "--stdin", stdin=kept)
    return result.returncode == 0


def left_out_facts(left_out: Sequence[bytes], needed: Collection[bytes]) -> dict[str, Json]:
    """What an episode says of files that `check_out` left out; nothing where it left out none.

    Args:
        needed: paths that the task is about.

    Raises:
        SetupFailed: one of these is left out.
    """
    lacking = next((path for path in left_out if path in needed), None)
    if lacking is not None:
        raise SetupFailed(f"the task is about {show_path(lacking)}, which cannot be checked out")
    shown: list[Json] = [show_path(path) for path in left_out[:_LISTED_FILES]]
    return {"files_left_out": len(left_out), "left_out": shown} if left_out else {}


def _write_files(git: Git, treeish: str) -> tuple[bytes, ...]:
    """Write all files of the index that can be written; returns the others."""
    left_out: dict[bytes, None] = {}
    if git.execute("config", "--type=bool", "core.ignoreCase").stdout == b"true\n":
        left_out |= dict.fromkeys(twins(_indexed(git)))
        _leave_out(git, left_out)
    for unwritable in (_unwritable_files, _refused_files):
        result = git.execute("checkout-index", "--all", "--force", "--quiet", "-u")
        if result.returncode == 0:
            return tuple(left_out)
        more = unwritable(git, result.stderr)
        _leave_out(git, more)
        left_out |= dict.fromkeys(more)
    result = git.execute("checkout-index", "--all", "--force", "--quiet", "-u")
    if result.returncode != 0:
        raise SetupFailed(f"the files of {treeish} cannot be written: {result.stderr.decode('utf-8', 'replace')}")
    return tuple(left_out)


def _leave_out(git: Git, paths: Iterable[bytes]) -> None:
    if stdin := b"".join(path + b"\0" for path in paths):
        git.run("update-index", "-z", "--skip-worktree", "--stdin", stdin=stdin)


def _unwritable_files(git: Git, _: bytes) -> list[bytes]:
    """Files in the index, submodules aside, whose content the repository lacks or whose path no disk takes."""
    entries = {path: entry.oid for path, entry in _indexed(git).items() if entry.mode != SUBMODULE}
    present = blobs_present(git, entries.values())
    absent = [path for path, oid in entries.items() if oid not in present]
    if absent:  # or Git refuses to commit trees with files it lacks
        git.run("config", "core.repositoryFormatVersion", "1")
        git.run("config", "extensions.partialClone", "absent")
    return [*absent, *(path for path in entries.keys() - set(absent) if not fits_on_disk(path))]


_COMPLAINT: Final = re.compile(
    rb"^(?:error: unable to create (?:file|symlink) .*: (.+)|(?:error|fatal): .*)$", re.MULTILINE
)
_NAME_REFUSED: Final = frozenset(
    (
        b"File name too long",
        b"Illegal byte sequence",
        b"Invalid argument",
        b"Invalid or incomplete multibyte or wide character",
        b"No such file or directory",  # of a link to nothing
    )
)


def _refused_files(git: Git, complaints: bytes) -> list[bytes]:
    """Files that are not written, where their names (or, of links, their targets) are all that is wrong."""
    reasons = set(_COMPLAINT.findall(complaints))
    if not reasons or not reasons <= _NAME_REFUSED:
        return []
    return git.run("ls-files", "--deleted", "-z").split(b"\0")[:-1]


def _indexed(git: Git) -> dict[bytes, Entry]:
    entries = {}
    for record in git.run("ls-files", "--stage", "-z").split(b"\0")[:-1]:
        head, _, path = record.partition(b"\t")
        mode, oid, _ = head.decode("ascii").split()
        entries[path] = Entry(mode, oid)
    return entries


@dataclass(frozen=True)
class Stop:
    """What Git leaves when it stops at conflicts: the message of the commit to come, and other files, by their names
    in the repository.
    """

    message: bytes
    files: Mapping[str, bytes]


def merge_stop(incoming: str) -> Stop:
    """Where `git merge incoming` stops on the branch `local`."""
    message = b"Merge branch 'incoming' into local\n"
    return Stop(message, {"MERGE_MODE": b"no-ff", "MERGE_HEAD": f"{incoming}\n".encode()})


def stop_at_conflicts(sandbox: Sandbox, git: Git, replay: Replay, stop: Stop) -> tuple[bytes, ...]:
    """Bring a workspace to where Git stops: the automatic merge in the files, conflicts in the index.

    Done from the replay and not by merging again: the sandbox's Git has no say in what the conflicts are, and files
    whose content the repository lacks are no obstacle. The workspace must hold the automatic tree.

    Returns what `check_out` left out.
    """
    write_attributes(sandbox, replay.marker_size)
    left_out = check_out(git, replay.tree)
    null = "0" * len(replay.tree)
    lines = [b"0 %s\t%s\0" % (null.encode(), path) for path in replay.conflicted]
    for path, stages in replay.conflicted.items():
        for number, entry in enumerate((stages.base, stages.local, stages.incoming), 1):
            if entry is not None:
                lines.append(b"%s %s %d\t%s\0" % (entry.mode.encode(), entry.oid.encode(), number, path))
    git.run("update-index", "-z", "--index-info", stdin=b"".join(lines))
    listing = b"".join(b"#\t%s\n" % path.replace(b"\n", b"\n# ") for path in replay.conflicted)
    sandbox.put(".git/MERGE_MSG", stop.message + b"\n# Conflicts:\n" + listing)
    for name, content in stop.files.items():
        sandbox.put(f".git/{name}", content)
    return left_out


def commit_index(git: Git, message: bytes, parents: Sequence[str], pending: Sequence[str] = ()) -> str:
    """Commit the index as it is, move HEAD's branch there and end what is in progress. Returns the commit's id.

    pending: what says that it is in progress, such as `MERGE_HEAD`.

    Plumbing, so that files left out (see `check_out`) are no obstacle.
    """
    tree = git.line("write-tree", "--missing-ok")
    parent_args = [arg for parent in parents for arg in ("-p", parent)]
    commit = git.line("commit-tree", *parent_args, "-F", "-", tree, stdin=message)
    ends = b"".join(b"delete %s\0\0" % name.encode() for name in pending)
    git.run("update-ref", "-z", "--stdin", stdin=b"update HEAD\0%s\0\0" % commit.encode() + ends)
    return commit
