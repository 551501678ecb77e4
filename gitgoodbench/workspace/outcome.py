"""What an agent left, taken out of its sandbox as a bundle.

Git runs inside the sandbox for this, never on this machine: the repository there is the agent's, with whatever it
planted in it. Sizes are capped; what comes out is believed only after `ScratchRepository.import_bundle` has looked
at it.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from gitgoodbench.errors import Status, UserError
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import ExecResult, Git
from gitgoodbench.jsontypes import Json
from gitgoodbench.workspace.scratch import MAX_BUNDLE_BYTES

STATUS_LIMIT: Final = 1024 * 1024
"""Bytes that are read of a workspace's status."""

HEADS: Final = b"MERGE_HEAD\nCHERRY_PICK_HEAD\nREVERT_HEAD\n"
"""One of them is there as long as a merge, a pick or a revert waits; `git cat-file --batch-check` takes them."""

_LISTED_PATHS: Final = 50
_TIMEOUT_S: Final = 120.0


@dataclass(frozen=True)
class Outcome:
    """What the agent left: hostile until a scorer has looked at it.

    head: commit id that HEAD names inside the sandbox, or None.
    bundle: a Git bundle of `head` without what the workspace began with; None when nothing new was committed or it
    could not be taken.
    state: JSON facts read inside the sandbox: `uncommitted` and `unmerged` (paths, the first 50; None where the status
        could not be read, with `status_problem`), `merge_in_progress` (or a pick or a revert).
    problem: why the outcome could not be read whole.
    agent_status, agent_error: how the agent's own work ended, before anything is scored.
    """

    head: str | None
    bundle: bytes | None
    state: Mapping[str, Json] = field(default_factory=dict)
    problem: str | None = None
    agent_status: Status = Status.COMPLETED
    agent_error: str | None = None

    def to_json(self) -> str:
        """All of it as a JSON object; the bundle in base64."""
        bundle = None if self.bundle is None else base64.b64encode(self.bundle).decode("ascii")
        return json.dumps({**asdict(self), "bundle": bundle})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The outcome that `to_json` wrote.

        Raises:
            UserError: the text is something else.
        """
        try:
            fields = dict(_SavedOutcome.model_validate(json.loads(text)))
            if fields["bundle"] is not None:
                fields["bundle"] = base64.b64decode(fields["bundle"], validate=True)
        except ValidationError as problem:
            first = problem.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            reason = f"{where}: {first['msg']}" if where else "it is no object"
            raise UserError(f"this is not the JSON of an outcome: {reason}") from problem
        except (TypeError, ValueError, RecursionError) as problem:
            raise UserError(f"this is not the JSON of an outcome: {problem}") from problem
        return cls(**fields)


class _SavedOutcome(BaseModel):
    """An outcome as JSON; see `Outcome`."""

    model_config = ConfigDict(extra="forbid")

    head: str | None
    bundle: str | None
    state: dict[str, Any]
    problem: str | None = None
    agent_status: Status = Status.COMPLETED
    agent_error: str | None = None


def take_outcome(git: Git, begun_with: Sequence[str]) -> Outcome:
    """Read HEAD, the status and the new commits of a workspace (`git` runs inside the sandbox).

    Raises:
        SandboxDied: the sandbox no longer answers.
    """
    found = _execute(git, "rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}")
    head = found.stdout.decode("ascii", "replace").strip()
    if found.returncode != 0 or not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", head):
        return Outcome(None, None, problem="HEAD names no commit")
    status = _execute(git, "status", "--porcelain=v2", "-z", "--untracked-files=all", limit=STATUS_LIMIT)
    uncommitted, unmerged = read_status(status.stdout)
    merging = names_a_head(_execute(git, "cat-file", "--batch-check", stdin=HEADS).stdout)
    state: dict[str, Json] = {
        "uncommitted": [show_path(path) for path in uncommitted[:_LISTED_PATHS]],
        "unmerged": [show_path(path) for path in unmerged[:_LISTED_PATHS]],
        "merge_in_progress": merging,
    }
    if status.returncode != 0:  # unknown is not clean
        state = {"uncommitted": None, "unmerged": None, "merge_in_progress": merging}
        state["status_problem"] = _problem("git status", status)
    if head in begun_with:
        return Outcome(head, None, state)
    bundle = _execute(
        git, "bundle", "create", "--quiet", "-", "HEAD", "--not", *begun_with, "--", limit=MAX_BUNDLE_BYTES
    )
    if bundle.returncode != 0 or bundle.truncated:
        if _is_old(git, head, begun_with):  # then there is nothing to bundle, which Git refuses
            return Outcome(head, None, state)
        return Outcome(head, None, state, problem=_problem("git bundle", bundle))
    return Outcome(head, bundle.stdout, state)


def names_a_head(checked: bytes) -> bool:
    """Whether one of `HEADS` is there, by the answer of `git cat-file --batch-check`."""
    return any(line and not line.endswith(b" missing") for line in checked.split(b"\n"))


def outcome_of(git: Git, head: str, begun_with: Sequence[str], state: Mapping[str, Json] | None = None) -> Outcome:
    """What an agent would leave that begins with some commits, ends at another one and leaves nothing else undone.

    Args:
        git: a repository on this machine that has them all. state: more of the outcome's state.
    """
    clean: dict[str, Json] = {"uncommitted": [], "unmerged": [], "merge_in_progress": False, **(state or {})}
    if head in begun_with:
        return Outcome(head, None, clean)
    wanted = "".join(f"{commit}\n" for commit in (head, *(f"^{commit}" for commit in begun_with)))
    pack = git.run("pack-objects", "--revs", "--thin", "--stdout", "--quiet", stdin=wanted.encode("ascii"))
    return Outcome(head, b"# v2 git bundle\n\n" + pack, clean)


_OPERATIONS: Final = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
}
"""What lies in the repository while an operation waits to be continued."""


def undone(git: Git, tree: str | None = None) -> str | None:
    """What an agent with a shell has left halfway, in words for it; None where nothing is (or nobody can say).

    Args:
        tree: the tree that HEAD must have in the end, where only how to get there is the agent's to choose.
    """
    status = _execute(git, "status", "--porcelain=v2", "-z", "--untracked-files=all", limit=STATUS_LIMIT)
    if status.returncode != 0:
        return None
    uncommitted, unmerged = read_status(status.stdout)
    for paths, problem in ((unmerged, "in conflict"), (uncommitted, "not committed")):
        if paths:
            shown = ", ".join(show_path(path) for path in paths[:5])
            more = f" and {len(paths) - 5} more" if len(paths) > 5 else ""
            return f"{shown}{more} {'is' if len(paths) == 1 else 'are'} {problem}"
    for name, operation in _OPERATIONS.items():
        if git.executor.exec(["test", "-e", f"{git.git_dir}/{name}"], env=git.environment).returncode == 0:
            return f"a {operation} is under way"
    if tree is not None and _execute(git, "diff", "--quiet", tree, "HEAD", "--").returncode == 1:
        return f"the contents differ from what they were; `git diff {tree} HEAD` shows how"
    return None


def _is_old(git: Git, head: str, begun_with: Sequence[str]) -> bool:
    """Whether the commit lies below what the workspace began with: then there is nothing new to bundle."""
    return any(_execute(git, "merge-base", "--is-ancestor", head, tip).returncode == 0 for tip in begun_with)


def _execute(git: Git, *args: str, limit: int | None = None, stdin: bytes = b"") -> ExecResult:
    return git.execute(*args, stdin=stdin, timeout_s=_TIMEOUT_S, output_limit=limit)


def _problem(command: str, result: ExecResult) -> str:
    if result.timed_out:
        return f"{command} did not end within {_TIMEOUT_S:.0f} s"
    if result.truncated:
        return f"{command} gave more than {MAX_BUNDLE_BYTES} bytes"
    return f"{command} failed: {result.stderr.decode('utf-8', 'replace').strip()[:500]}"


def read_status(output: bytes) -> tuple[list[bytes], list[bytes]]:
    """Paths that are not committed, and those of them that are unmerged, from `git status --porcelain=v2 -z`."""
    uncommitted: list[bytes] = []
    unmerged: list[bytes] = []
    records = iter(output.split(b"\0")[:-1])
    for record in records:
        kind = record[:1]
        if kind in (b"?", b"!"):
            uncommitted.append(record[2:])
        elif kind == b"u":
            unmerged.append(record.split(b" ", 10)[-1])
            uncommitted.append(unmerged[-1])
        elif kind == b"1":
            uncommitted.append(record.split(b" ", 8)[-1])
        elif kind == b"2":
            uncommitted.append(record.split(b" ", 9)[-1])
            next(records, None)
    return uncommitted, unmerged
