"""A throw-away repository on this machine that borrows the objects of a mirror.

Merges are replayed here and outcomes are scored here: whatever is written goes to a temporary folder, and the mirror
is only read. Nothing that comes out of a sandbox is run or checked out; its objects enter through `import_bundle`
alone.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from gitgoodbench import limits
from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.folders import make_folder, remove_folder, temporary_folder, tie_folder
from gitgoodbench.git.conflict_text import DEFAULT_MARKER_SIZE
from gitgoodbench.git.mirror import object_folders
from gitgoodbench.git.objects import read_blobs, read_tree
from gitgoodbench.git.paths import quote_path
from gitgoodbench.git.picks import STAND_IN, PickedCommit, with_label, write_three_way
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.git.reads import is_id, kept
from gitgoodbench.git.replay import Replay, needed_marker_size, parse_merge_tree, run_merge_tree
from gitgoodbench.git.tree_paths import is_tree_path
from gitgoodbench.workspace.build import attribute_rules
from gitgoodbench.workspace.history import scratch_objects

MAX_BUNDLE_BYTES: Final = 64 * 1024 * 1024
_IMPORT_TIMEOUT_S: Final = 120.0
_FLAW: Final = re.compile(rb"object ([0-9a-f]{40,64}): ")
_NAMED_OBJECTS: Final = b"fsck error in pack objects"
"""What Git ends with where the objects of a pack pass, but not all of those that their trees name as `.gitmodules` and
the like.
"""

_SIGNATURES: Final = (b"# v2 git bundle\n", b"# v3 git bundle\n")


class BundleError(GitGoodBenchError):
    """A bundle that is too large, is none, or holds objects that are broken."""


class ScratchRepository:
    """`git` runs on the repository until it is closed: by a `with` block, or when it is no longer used."""

    def __init__(self, mirror: Git) -> None:
        self._folder = make_folder("scratch")
        tie_folder(self._folder, self)
        self._root = self._folder / "repository"
        self._imported: set[str] = set()
        self._mirror = mirror  # borrowed for as long as this is
        self.git = Git(self._root / ".git", self._root)
        try:
            self._borrow(mirror)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Remove the repository. May be called twice."""
        remove_folder(self._folder)

    def _borrow(self, mirror: Git) -> None:
        self._root.mkdir()
        self._algorithm = mirror.line("rev-parse", "--show-object-format")
        self.git.run("init", "--quiet", "--template=", f"--object-format={self._algorithm}")
        info = self._root / ".git" / "objects" / "info"
        info.mkdir(parents=True, exist_ok=True)
        lent = "".join(f"{quote_path(bytes(folder))}\n" for folder in object_folders(mirror.git_dir))
        (info / "alternates").write_text(lent, encoding="ascii")
        boundary = Path(mirror.git_dir) / "shallow"
        if boundary.is_file():
            (self._root / ".git" / "shallow").write_bytes(boundary.read_bytes())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def replay(self, local: str, incoming: str) -> Replay:
        """Replay a merge as `git merge incoming` would in a clone that has `local` checked out.

        In-tree attributes (a union or binary merge) count as they do there, so the attribute files of `local` are
        laid out first.
        """
        reads = kept()
        known = None if reads is None or not reads.whole else reads.merges.get(self._name_of(local, incoming))
        if known is not None:  # then everything that is asked of its tree is known as well
            size, code, output = known
            return parse_merge_tree(output, clean=code == 0, marker_size=size)
        replay, size, code, output = self._replayed(local, (local, incoming), "incoming")
        if reads is not None and is_id(local) and is_id(incoming) and reads.takes(len(output)):
            reads.merges[self._name_of(local, incoming)] = (size, code, output)
        return replay

    def _name_of(self, local: str, incoming: str) -> str:
        """All that a replay depends on."""
        boundary = self._root / ".git" / "shallow"
        cut = hashlib.sha256(boundary.read_bytes()).hexdigest() if boundary.is_file() else ""
        return f"{local} {incoming} {cut}"

    def replay_pick(self, local: str, picked: PickedCommit) -> Replay:
        """Replay a cherry-pick or a revert as Git would in a clone that has `local` checked out (see `git.picks`)."""
        made = write_three_way(self.git, picked.base, local, picked.other)
        replay, *_ = self._replayed(local, (made.local, made.other), STAND_IN)
        return with_label(self.git, replay, picked.label)

    def _replayed(self, checked_out: str, sides: tuple[str, str], label: str) -> tuple[Replay, int, int, bytes]:
        """Merge two commits, with the attributes of a third one; the replay, and of what it was parsed: the size of
        markers, exit code and output of `git merge-tree`.
        """
        local, other = sides
        self.git.run("update-ref", "--no-deref", "HEAD", local)
        self.git.run("update-ref", f"refs/heads/{label}", other)
        self._lay_out_attributes(checked_out)
        size, (code, output) = DEFAULT_MARKER_SIZE, self._three_way(DEFAULT_MARKER_SIZE, label)
        replay = parse_merge_tree(output, clean=code == 0, marker_size=size)
        needed = needed_marker_size(self.git, replay.conflicted.values())
        if needed != size:
            size, (code, output) = needed, self._three_way(needed, label)
            replay = parse_merge_tree(output, clean=code == 0, marker_size=size)
        return replay, size, code, output

    def _three_way(self, marker_size: int, label: str) -> tuple[int, bytes]:
        rules = self._root / ".git" / "info" / "attributes"
        rules.parent.mkdir(exist_ok=True)
        rules.write_text(attribute_rules(marker_size), encoding="ascii")
        return run_merge_tree(self.git, "HEAD", label)

    def _lay_out_attributes(self, commit: str) -> None:
        entries = {
            path: entry
            for path, entry in read_tree(self.git, commit).items()
            if path.rpartition(b"/")[2] == b".gitattributes" and entry.is_file and is_tree_path(path)
        }
        blobs = read_blobs(self.git, [entry.oid for entry in entries.values()])
        for path, entry in entries.items():
            file = self._root / path.decode("utf-8", "surrogateescape")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(blobs[entry.oid] or b"")

    def import_bundle(self, bundle: bytes, given: Sequence[str] = ()) -> None:
        """Take the objects of a hostile bundle in, checked (fsck) and capped; refs in it are ignored.

        Args:
            given: commits of the mirror. Objects that they reach may have the flaws of old history.

        Raises:
            BundleError: too large, not a bundle, or broken objects; the repository has gained nothing it would use.
            LimitExceeded: it asks for more than reading an outcome may take.
        """
        if len(bundle) > MAX_BUNDLE_BYTES:
            raise BundleError(f"the bundle is larger than {MAX_BUNDLE_BYTES} bytes")
        if not bundle.startswith(_SIGNATURES):
            raise BundleError("not a Git bundle")
        _, separator, pack = bundle.partition(b"\n\n")
        if not separator or not pack.startswith(b"PACK"):
            raise BundleError("a Git bundle without a pack")
        most = limits.in_force()
        if (count := int.from_bytes(pack[8:12], "big")) > most.objects:
            raise limits.LimitExceeded(f"it has {count} objects, more than the limit of {most.objects}")
        try:
            indexed = self._index(self.git, pack, "--fsck-objects")
        except GitError as problem:
            indexed = self._import_beside_old_flaws(pack, given, problem)
        self._imported |= self._objects_in(self._root / ".git" / "objects", indexed, len(pack))

    def _import_beside_old_flaws(self, pack: bytes, given: Sequence[str], refusal: GitError) -> str:
        """Import a pack that was refused, where all that is wrong with it is in objects that are given.

        Git itself once wrote trees that it now refuses. What is new in the pack must be as flawless as ever, so that
        is packed apart and checked.
        """
        with temporary_folder("import") as folder:
            quarantine = scratch_objects(self.git, folder)
            try:
                indexed = self._index(quarantine, pack)
                brought = self._objects_in(folder / "objects", indexed, len(pack))
                new = brought - self._reachable(given)
                if len(new) == len(brought):
                    raise refusal
                listed = "".join(f"{oid}\n" for oid in sorted(new)).encode()
                packed = quarantine.run(
                    "pack-objects", "--stdout", "--quiet", "--window=0", stdin=listed, timeout_s=_IMPORT_TIMEOUT_S
                )
                self._check_apart(scratch_objects(self.git, folder / "apart"), packed, new)
            except GitError as problem:
                raise BundleError(f"the objects of the bundle are refused: {problem}") from problem
            for file in (folder / "objects" / "pack").iterdir():
                shutil.move(file, self._root / ".git" / "objects" / "pack" / file.name)
        return indexed

    def _reachable(self, commits: Sequence[str]) -> set[str]:
        """Ids of all objects that the commits reach."""
        stdin = "".join(f"{commit}\n" for commit in commits).encode()
        args = ("rev-list", "--objects", "--no-object-names", "--missing=allow-any", "--stdin")
        return set(self.git.run(*args, stdin=stdin, timeout_s=_IMPORT_TIMEOUT_S).decode("ascii").split())

    def _check_apart(self, git: Git, pack: bytes, new: set[str]) -> None:
        """Check a pack of new objects, and not the old attribute files and the like that these name.

        Raises:
            GitError: it is refused.
        """
        try:
            self._index(git, pack, "--fsck-objects")
        except GitError as problem:
            complaints = re.findall(rb"^(?:error|fatal): (.*)$", problem.result.stderr, re.MULTILINE)
            named = [found for text in complaints[:-1] if (found := _FLAW.match(text))]
            if complaints[-1:] != [_NAMED_OBJECTS] or len(named) < len(complaints) - 1:
                raise
            if not new.isdisjoint(found[1].decode("ascii") for found in named):
                raise

    @staticmethod
    def _index(git: Git, pack: bytes, *options: str) -> str:
        """Store a pack; returns the name that it got."""
        limit = f"--max-input-size={MAX_BUNDLE_BYTES}"
        stored = git.run(
            "index-pack", "--stdin", "--fix-thin", limit, *options, stdin=pack, timeout_s=_IMPORT_TIMEOUT_S
        )
        first = stored.partition(b"\n")[0]  # ids of absent .gitmodules follow
        return first.split()[-1].decode("ascii")

    def verify_complete(self, head: str, begun_with: Sequence[str]) -> None:
        """Whether `head` is made of what the workspace began with and of imported objects alone.

        The mirror also holds the answer: an outcome that only names it does not contain it.

        Raises:
            BundleError: an object of `head` was taken from elsewhere in the mirror, or its history cannot be read.
        """
        args = (
            "rev-list", "--objects", "--no-object-names", "--missing=allow-any", "--end-of-options", head,
            *(f"^{commit}" for commit in begun_with),
        )  # fmt: skip
        enough = (len(self._imported) + 1) * (len(head) + 1)  # one more object than there may be
        listed = self.git.execute(*args, timeout_s=_IMPORT_TIMEOUT_S, output_limit=enough)
        if listed.returncode != 0 or listed.timed_out:
            problem = self.git.failure(args, listed)
            raise BundleError(f"the objects of {head} cannot be listed: {problem}") from problem
        for oid in listed.stdout.decode("ascii").split("\n")[:-1]:
            if oid not in self._imported:
                raise BundleError(f"the bundle lacks the object {oid} of the commit {head}")

    def has_commit(self, head: str) -> bool:
        """Whether a commit is here. Looks at the sizes of what was imported, too.

        Raises:
            LimitExceeded: an object is larger than one may be.
        """
        asked = "".join(f"{name}\n" for name in (f"{head}^{{commit}}", *sorted(self._imported)))
        found = self.git.run("cat-file", "--batch-check=%(objecttype) %(objectsize)", "--buffer", stdin=asked.encode())
        commit, *others = (line.split() for line in found.split(b"\n")[:-1])
        in_force = limits.in_force()
        for kind, size in others:
            most = in_force.commit if kind == b"commit" else in_force.object
            if int(size) > most:
                what = f"a {kind.decode()} of {int(size) // limits.MIB} MiB"
                raise limits.LimitExceeded(f"it has {what}, more than the limit of {most // limits.MIB} MiB")
        return commit[0] == b"commit"

    def _objects_in(self, objects: Path, pack: str, size: int) -> set[str]:
        """Ids of the objects in the first `size` bytes of a pack: those behind were added to complete it."""
        index = objects / "pack" / f"pack-{pack}.idx"
        entries = [line.split() for line in self.git.run("show-index", stdin=index.read_bytes()).split(b"\n")[:-1]]
        end = size - len(pack) // 2
        return {oid.decode("ascii") for offset, oid, *_ in entries if int(offset) < end}
