"""Turn predictions into outcomes: commits are made in a scratch repository, through its index, never in a working tree.

A prediction is hostile: this runs in a contained process, as scoring does, and what it makes is scored as every
outcome is.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitgoodbench.errors import AgentFailed
from gitgoodbench.git.commits import write_commit
from gitgoodbench.git.objects import EXECUTABLE, REGULAR, SYMLINK, Entry, stage
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.git.tree_paths import is_tree_path
from gitgoodbench.jsontypes import Json
from gitgoodbench.workspace.outcome import Outcome, outcome_of
from gitgoodbench.workspace.prediction import Bundle, Files, Patch, Prediction, Series, Step
from gitgoodbench.workspace.scratch import MAX_BUNDLE_BYTES, ScratchRepository

MAX_PATCH_BYTES: Final = MAX_BUNDLE_BYTES
_MERGE_MESSAGE: Final = b"Merge branch 'incoming' into local\n"
_REF: Final = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64}) (\S+)")
_CLEAN: Final[Mapping[str, Json]] = {"uncommitted": [], "unmerged": [], "merge_in_progress": False}


@dataclass(frozen=True)
class Begun:
    """What the workspace begins with. commits: whose objects it holds; head: what HEAD names.

    at_work: what state an agent leaves that does nothing. done: what more state one leaves that has done its work.
    """

    commits: Sequence[str]
    head: str
    at_work: Mapping[str, Json]
    done: Mapping[str, Json]


def merge_outcome(mirror: Git, begun: Begun, prediction: Prediction) -> Outcome:
    """The outcome of a predicted merge of `begun.commits`: one change against the first, committed with all as parents.

    Raises:
        AgentFailed: the prediction cannot be applied.
    """

    def commit(git: Git, series: Series) -> str:
        if len(series.steps) != 1:
            raise AgentFailed(f"a merge is one commit, not {len(series.steps)}: give model_patch, files or bundle")
        (step,) = series.steps
        _read_tree(git, begun.commits[0])
        _apply(git, step)
        message = _MERGE_MESSAGE if step.message is None else step.message
        return write_commit(git, _write_tree(git), begun.commits, message)

    return _outcome(mirror, begun, prediction, commit)


def chain_outcome(mirror: Git, begun: Begun, base: str | None, prediction: Prediction) -> Outcome:
    """The outcome of predicted commits over `base` (None: the first of them is a root).

    Raises:
        AgentFailed: the prediction cannot be applied.
    """

    def commit(git: Git, series: Series) -> str:
        _read_tree(git, base)
        head = base
        for step in series.steps:
            _apply(git, step)
            head = write_commit(git, _write_tree(git), [] if head is None else [head], step.message or b"")
        assert head is not None
        return head

    return _outcome(mirror, begun, prediction, commit)


def _outcome(mirror: Git, begun: Begun, prediction: Prediction, commit: Callable[[Git, Series], str]) -> Outcome:
    content = prediction.content
    if content is None or (isinstance(content, Series) and not content.steps):
        return Outcome(begun.head, None, begun.at_work)
    if isinstance(content, Bundle):
        return Outcome(bundled_head(content.data), content.data, {**_CLEAN, **begun.done})
    with ScratchRepository(mirror) as scratch:
        try:
            head = commit(scratch.git, content)
            return outcome_of(scratch.git, head, begun.commits, begun.done)
        except GitError as problem:
            raise AgentFailed(f"the prediction cannot be committed: {problem}") from problem


def bundled_head(bundle: bytes) -> str:
    """The commit that a bundle is about: its HEAD, or the only one that it names.

    Raises:
        AgentFailed: it is no bundle, or does not say which of several commits it is about.
    """
    head, end, _ = bundle.partition(b"\n\n")
    signature, *lines = head.split(b"\n")
    if signature not in (b"# v2 git bundle", b"# v3 git bundle") or not end:
        raise AgentFailed("it is no Git bundle")
    if len(bundle) > MAX_BUNDLE_BYTES:
        raise AgentFailed(f"the bundle is larger than {MAX_BUNDLE_BYTES} bytes")
    refs = {found[2]: found[1].decode() for line in lines if (found := _REF.fullmatch(line)) is not None}
    named = {refs[b"HEAD"]} if b"HEAD" in refs else set(refs.values())
    if len(named) != 1:
        raise AgentFailed(f"the bundle names {len(named)} commits and no HEAD: bundle HEAD, or one branch")
    return named.pop()


def _read_tree(git: Git, commit: str | None) -> None:
    """Begin the index with a commit's tree."""
    git.run("read-tree", *(("--empty",) if commit is None else (f"{commit}^{{tree}}",)))


def _write_tree(git: Git) -> str:
    return git.line("write-tree", "--missing-ok")  # a partial clone lacks files that nobody changes


def _apply(git: Git, step: Step) -> None:
    if isinstance(step.change, Patch):
        _apply_patch(git, step.change.data)
    else:
        _place(git, step.change)


def _apply_patch(git: Git, patch: bytes) -> None:
    if not patch.strip():
        return
    if len(patch) > MAX_PATCH_BYTES:
        raise AgentFailed(f"the patch is larger than {MAX_PATCH_BYTES} bytes")
    args = ("apply", "--cached", "--binary", "--whitespace=nowarn", "-")
    applied = git.execute(*args, stdin=_ended(patch))
    if applied.returncode != 0:
        problem = git.failure(args, applied)
        if not isinstance(problem, GitError):  # this machine's
            raise problem
        said = applied.stderr.decode("utf-8", "replace").strip() or f"exit code {applied.returncode}"
        raise AgentFailed(f"the patch does not apply: {said}")


def _ended(patch: bytes) -> bytes:
    """The patch with the line ends that its last lines need: whoever strips texts takes them away."""
    if not patch.endswith(b"\n"):
        patch += b"\n"
    return patch + b"\n" if b"\nGIT binary patch\n" in patch and not patch.endswith(b"\n\n") else patch


def _place(git: Git, files: Files) -> None:
    for path, state in files.states.items():
        if not is_tree_path(path):
            raise AgentFailed(f"{show_path(path)} cannot be the path of a file")
        if state is not None and state.mode not in (None, REGULAR, EXECUTABLE, SYMLINK):
            raise AgentFailed(f"{show_path(path)}: a mode is {REGULAR}, {EXECUTABLE} or {SYMLINK}")
    kept = {path: state for path, state in files.states.items() if state is not None}
    modes = _modes(git) if any(state.mode is None for state in kept.values()) else {}
    oids = _write_blobs(git, [state.content for state in kept.values()])
    entries: dict[bytes, Entry | None] = {path: None for path in files.states if path not in kept}
    for (path, state), oid in zip(kept.items(), oids, strict=True):
        entries[path] = Entry(state.mode or modes.get(path, REGULAR), oid)
    if entries:
        stage(git, entries)


def _modes(git: Git) -> dict[bytes, str]:
    """The modes of the files in the index, by path."""
    listed = (record.partition(b"\t") for record in git.run("ls-files", "--stage", "-z").split(b"\0")[:-1])
    modes = {path: head.split()[0].decode() for head, _, path in listed}
    return {path: mode for path, mode in modes.items() if mode in (REGULAR, EXECUTABLE, SYMLINK)}


def _write_blobs(git: Git, contents: Sequence[bytes]) -> list[str]:
    """Store blobs exactly as given, by one process; their ids."""
    if not contents:
        return []
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / str(number) for number in range(len(contents))]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        listed = "".join(f"{path}\n" for path in paths).encode()
        return git.run("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=listed).decode("ascii").split()
