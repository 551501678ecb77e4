"""What mining finds, found the slow and plain way, by code of its own: one Git command for each question.

Merges: `git merge` in a clean clone, and what it leaves in the index and in the files. Chains: every commit compared
with its parent, every run followed down. Also run by hand on real repositories.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gitgoodbench.git.process import GIT_ENVIRONMENT

MARKS = 199
VIRTUAL = "virtual"
"""Stands for the id of a base that Git merged from several: it holds markers itself, of whatever length."""
_REGIONS = [re.compile(rb"^<{%d} .*?^>{%d} " % (n, n), re.MULTILINE | re.DOTALL) for n in (MARKS, MARKS + 1)]
"""Whole regions; markers are one longer in a file that both sides renamed. Some hold others inside."""

Stage = tuple[int, str, str]
"""Number, mode, object id."""
Conflicts = Mapping[bytes, tuple[frozenset[Stage], int]]
"""By path: what the index holds of it, and the number of conflict regions in the file."""


def git(folder: Path, *args: str | bytes, check: bool = True, stdin: bytes = b"") -> bytes:
    environment = {**GIT_ENVIRONMENT, "PATH": os.environ["PATH"]}
    done = subprocess.run(["git", *args], cwd=folder, env=environment, input=stdin, capture_output=True, check=False)
    if check and done.returncode:
        raise RuntimeError(f"git {args}: {done.stderr.decode()}")
    return done.stdout


def merge_commits(repository: Path, *selection: str) -> list[tuple[str, str, str]]:
    """Id and parents of every merge of two commits."""
    merges = []
    for line in git(repository, "log", "--format=%H %P", *selection).decode().split("\n")[:-1]:
        commit, *parents = line.split()
        if len(parents) == 2:
            merges.append((commit, parents[0], parents[1]))
    return merges


class CleanClone:
    """A clone without refs of its own, with the rules that make files exact and markers unmistakable."""

    def __init__(self, repository: Path, folder: Path) -> None:
        self.repository = repository
        self.folder = folder
        folder.mkdir()
        git(folder, "init", "--quiet", "--template=")
        (folder / ".git/objects/info").mkdir(parents=True, exist_ok=True)
        (folder / ".git/objects/info/alternates").write_text(f"{repository.resolve()}/objects\n")
        if (repository / "shallow").exists():
            (folder / ".git/shallow").write_bytes((repository / "shallow").read_bytes())
        (folder / ".git/info").mkdir(exist_ok=True)
        rules = f"* -text !eol -ident !filter !working-tree-encoding conflict-marker-size={MARKS}\n"
        (folder / ".git/info/attributes").write_text(rules)

    def merge(self, local: str, incoming: str) -> Conflicts | str | None:
        """The conflicts of `git merge`; None where it is clean; why it cannot be done.

        Where contents are missing that the merge has no need of, only conflicted files are checked out.
        """
        git(self.folder, "update-ref", "--no-deref", "HEAD", local)
        git(self.folder, "update-ref", "refs/heads/incoming", incoming)
        result: Conflicts | str | None = "contents are missing"
        for start in (self._check_out, self._leave_files_out):
            if isinstance(result, str):
                result = self._merge() if start(local) else result
        return result

    def _merge(self) -> Conflicts | str | None:
        command = ["git", "merge", "--no-commit", "--no-ff", "incoming"]
        environment = {**GIT_ENVIRONMENT, "PATH": os.environ["PATH"]}
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, check=False)
        if done.returncode == 0:
            return None
        return self._conflicts() if done.returncode == 1 else done.stderr.decode()

    def _end_merge(self) -> None:
        for name in ("MERGE_HEAD", "MERGE_MODE", "MERGE_MSG", "AUTO_MERGE"):
            (self.folder / ".git" / name).unlink(missing_ok=True)

    def _check_out(self, commit: str) -> bool:
        self._end_merge()
        git(self.folder, "config", "core.sparseCheckout", "false")
        try:
            git(self.folder, "read-tree", "--reset", "-u", commit)
            git(self.folder, "clean", "-ffdxq")
        except RuntimeError:
            return False
        return True

    def _leave_files_out(self, commit: str) -> bool:
        self._end_merge()
        git(self.folder, "read-tree", "--empty")
        git(self.folder, "clean", "-ffdxq")
        git(self.folder, "config", "core.sparseCheckout", "true")
        (self.folder / ".git/info/sparse-checkout").write_text("/no-such-file\n")
        git(self.folder, "read-tree", commit)
        names = git(self.folder, "ls-files", "-z")
        git(self.folder, "update-index", "-z", "--skip-worktree", "--stdin", stdin=names)
        return True

    def _conflicts(self) -> Conflicts:
        stages: dict[bytes, set[Stage]] = defaultdict(set)
        for record in git(self.folder, "ls-files", "-u", "-z").split(b"\0")[:-1]:
            head, _, path = record.partition(b"\t")
            mode, oid, stage = head.decode().split()
            stages[path].add((int(stage), mode, self.stage_id(mode, oid)))
        return {path: (frozenset(found), self._regions(path)) for path, found in stages.items()}

    def stage_id(self, mode: str, oid: str) -> str:
        if (
            mode == "160000"
            or git(self.repository, "cat-file", "--batch-check=%(objecttype)", stdin=oid.encode()) == b"blob\n"
        ):
            return oid
        return VIRTUAL

    def _regions(self, path: bytes) -> int:
        file = os.fsencode(self.folder) + b"/" + path
        if os.path.islink(file) or not os.path.isfile(file):  # noqa: PTH113, PTH114 (bytes)
            return 0
        with open(file, "rb") as stream:  # noqa: PTH123
            content = stream.read()
        return next(filter(None, (len(pattern.findall(content)) for pattern in _REGIONS)), 0)


def conflicting_merges(clone: CleanClone, *selection: str) -> tuple[dict[str, Conflicts], dict[str, str]]:
    """Conflicts by merge commit, and why others could not be replayed."""
    found, failed = {}, {}
    for oid, local, incoming in merge_commits(clone.repository, *selection):
        result = clone.merge(local, incoming)
        if isinstance(result, str):
            failed[oid] = result
        elif result is not None:
            found[oid] = result
    return found, failed


Chain = tuple[bytes, tuple[str, ...]]
"""A file and the commits that modify it, oldest first."""


def chains(
    repository: Path, *selection: str, at_least: int, at_most: int, suffixes: tuple[bytes, ...]
) -> set[Chain]:  # fmt: skip
    """Every maximal run, cut from its oldest commit on into pieces of `at_most`."""
    lines = git(repository, "log", "--format=%H %P", *selection).decode().split("\n")
    parents = {oid: rest for oid, *rest in map(str.split, filter(None, lines))}
    modified = {oid: set(_modified(repository, oid, suffixes)) for oid, rest in parents.items() if len(rest) == 1}
    children: dict[str, list[str]] = defaultdict(list)
    for oid in modified:
        children[parents[oid][0]].append(oid)
    found = set()
    for newest, paths in modified.items():
        for path in paths:
            if any(path in modified[child] for child in children[newest]):
                continue
            run = [newest]
            while path in modified.get(parents[run[-1]][0], ()):
                run.append(parents[run[-1]][0])
            run.reverse()
            pieces = [tuple(run[start : start + at_most]) for start in range(0, len(run), at_most)]
            found |= {(path, piece) for piece in pieces if len(piece) >= at_least}
    return found


def _modified(repository: Path, commit: str, suffixes: tuple[bytes, ...]) -> Iterator[bytes]:
    fields = git(repository, "show", "--format=", "--raw", "-z", "--no-renames", "--no-abbrev", commit).split(b"\0")
    for head, path in zip(fields[:-1:2], fields[1::2], strict=True):
        before, after, _, _, status = head.decode().split()
        files = all(mode.strip(":") in ("100644", "100755") for mode in (before, after))
        if status == "M" and files and any(path[-len(suffix) :] == suffix for suffix in suffixes):
            yield path


def chain_lines(repository: Path, path: bytes, commits: Sequence[str]) -> tuple[int, int]:
    """Changed lines in the chain's file and in all files that do not end as they began."""
    counts: dict[bytes, int] = defaultdict(int)
    for commit in commits:
        shown = git(repository, "log", "-1", "-M", "--numstat", "-z", "--format=", commit).removeprefix(b"\n")
        fields = iter(shown.split(b"\0")[:-1])
        for line in fields:
            added, removed, name = line.split(b"\t", 2)
            if not name:
                _, name = next(fields), next(fields)
            counts[name] += 0 if added == b"-" else int(added) + int(removed)
    base, newest = f"{commits[0]}^", commits[-1]
    lasting = git(repository, "diff", "--name-only", "-z", "--no-renames", base, newest).split(b"\0")[:-1]
    kept = {name: count for name, count in counts.items() if name in lasting}
    return kept.get(path, 0), sum(kept.values())
