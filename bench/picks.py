"""Picks and reverts of repositories on disk: how many there are, what rules solve, and whether Git agrees.

    python bench/picks.py ~/mirrors/ktorio/ktor ~/mirrors/pallets/flask --check 50

mines each repository over its branches and tags, prints why pairs were left out, and counts over all rows what each
rule solves, the best of three (ours, theirs, union) and what is attainable. `--check N` takes the first N rows of each
through a real `git cherry-pick` or `git revert` in a clone and compares the index with all stages and the contents of
the conflicted files. A path may be given as NAME=PATH.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from gitgoodbench.git.conflicts import read_conflicts
from gitgoodbench.git.mirror import Mirror
from gitgoodbench.git.objects import Tree, read_blobs, read_tree
from gitgoodbench.git.picks import read_picked
from gitgoodbench.git.process import Git
from gitgoodbench.git.replay import Replay
from gitgoodbench.mining.options import MiningOptions, Refs
from gitgoodbench.mining.repository import MinedRepository, mine_repository
from gitgoodbench.resolving.rules import PICK_RULES, Material, reaches
from gitgoodbench.sample_types.pick_columns import CherryPickColumns
from gitgoodbench.sample_types.specs import CherryPickSpec
from gitgoodbench.workspace.build import attribute_rules, check_out
from gitgoodbench.workspace.scratch import ScratchRepository

BEST_OF = ("ours", "theirs", "union")


def mined(git: Git) -> MinedRepository:
    return mine_repository(git, MiningOptions(refs=Refs.BRANCHES_AND_TAGS, types=("cherry_pick",)))


def rows_of(found: MinedRepository) -> Iterator[tuple[CherryPickSpec, CherryPickColumns]]:
    for one in found.found["cherry_pick"]:
        assert isinstance(one.spec, CherryPickSpec)
        assert isinstance(one.columns, CherryPickColumns)
        yield one.spec, one.columns


def solving(git: Git, spec: CherryPickSpec) -> set[str]:
    """The rules that make the tree of the real outcome."""
    with ScratchRepository(git) as scratch:
        replay = scratch.replay_pick(
            spec.onto, read_picked(scratch.git, spec.operation, spec.picked_commit, spec.mainline)
        )
        model = read_conflicts(scratch.git, replay)
        material = Material(scratch.git, model, lambda oids: read_blobs(scratch.git, oids))
        truth: Tree = read_tree(scratch.git, spec.result_commit)
        return {name for name, rule in PICK_RULES.items() if reaches(model, rule(material), truth)}


class Clone:
    """A clone in which Git itself picks."""

    def __init__(self, mirror: Git, folder: Path) -> None:
        self._folder = folder
        (folder / ".git").mkdir(parents=True)
        self._git = Git(folder / ".git", folder)
        self._git.run("init", "--quiet", "--template=")
        lent = folder / ".git/objects/info/alternates"
        lent.write_text(f"{mirror.git_dir}/objects\n")
        borrowed = Path(str(mirror.git_dir), "objects/info/alternates")
        if borrowed.is_file():
            lent.write_bytes(lent.read_bytes() + borrowed.read_bytes())
        (folder / ".git/info").mkdir(exist_ok=True)

    def differs(self, spec: CherryPickSpec, replay: Replay, made: Git) -> str | None:
        """In what Git's own pick differs from the replay, whose objects `made` has; None where in nothing."""
        git = self._git
        (self._folder / ".git/info/attributes").write_text(attribute_rules(replay.marker_size))
        for args in (("cherry-pick", "--abort"), ("revert", "--abort")):
            git.execute(*args)
        git.run("update-ref", "--no-deref", "HEAD", spec.onto)
        git.execute("config", "--unset", "extensions.partialClone")  # by the last one
        check_out(git, spec.onto)  # without files that the mirror lacks
        git.run("clean", "-ffdxq")
        mainline = ("-m", str(spec.mainline)) if spec.mainline else ()
        command = "cherry-pick" if spec.operation == "pick" else "revert"
        how = ("--allow-empty-message",) if spec.operation == "pick" else ("--no-edit",)
        stopped = git.execute("-c", "core.abbrev=7", command, *how, *mainline, spec.picked_commit)
        if stopped.returncode != 1:
            return f"{command} ended with {stopped.returncode}"
        unmerged = git.run("ls-files", "--stage", "--unmerged", "-z").split(b"\0")[:-1]
        expected = [
            b"%s %s %d\t%s" % (entry.mode.encode(), entry.oid.encode(), number, path)
            for path, stages in sorted(replay.conflicted.items())
            for number, entry in enumerate((stages.base, stages.local, stages.incoming), 1)
            if entry is not None
        ]
        if sorted(unmerged) != sorted(expected):
            return "the stages differ"
        automatic = read_tree(made, replay.tree)
        wanted = {path: automatic[path] for path in replay.conflicted if path in automatic}
        blobs = read_blobs(made, [entry.oid for entry in wanted.values() if entry.is_file])
        for path, entry in wanted.items():
            file = self._folder / path.decode("utf-8", "surrogateescape")
            if entry.is_file and file.read_bytes() != blobs[entry.oid]:
                return f"{path!r} differs"
        return None


def check(mirror: Git, specs: Sequence[CherryPickSpec]) -> list[str]:
    """Where Git and the replay differ."""
    differing = []
    with tempfile.TemporaryDirectory() as folder:
        clone = Clone(mirror, Path(folder, "clone"))
        for spec in specs:
            with ScratchRepository(mirror) as scratch:
                picked = read_picked(scratch.git, spec.operation, spec.picked_commit, spec.mainline)
                problem = clone.differs(spec, scratch.replay_pick(spec.onto, picked), scratch.git)
            if problem is not None:
                differing.append(f"{spec.result_commit}: {problem}")
    return differing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", metavar="[NAME=]PATH")
    parser.add_argument("--check", type=int, default=0, metavar="N", help="rows of each that Git itself picks")
    options = parser.parse_args()
    solved: Counter[str] = Counter()
    wrong = 0
    for given in options.repositories:
        name, _, path = given.rpartition("=")
        git = Mirror(Path(path)).borrow(refs=True)
        begun = time.monotonic()
        found = mined(git)
        rows = list(rows_of(found))
        seen = f"{found.counts['pairs']} pairs in {found.counts['commits']} commits"
        print(f"{name or path}: {len(rows)} rows of {seen}, {time.monotonic() - begun:.1f} s", flush=True)
        print("  " + ", ".join(f"{count} {reason}" for reason, count in found.left_out.items() if count))
        for spec, columns in rows:
            rules = solving(git, spec)
            solved.update(rules)
            solved["best of three"] += not rules.isdisjoint(BEST_OF)
            solved["attainable"] += bool(columns.attainable)
            solved["core"] += bool(columns.core)
            solved["reverts"] += spec.operation == "revert"
            solved["of merges"] += spec.mainline is not None
            solved["rows"] += 1
            if bool(columns.core) is bool(rules):
                print(f"  {spec.result_commit}: mined as {'core' if columns.core else 'no core'}, but {rules} solve it")
                wrong += 1
        if options.check:
            differing = check(git, [spec for spec, _ in rows][: options.check])
            wrong += len(differing)
            print(f"  {min(options.check, len(rows))} checked by Git itself, {len(differing)} differing")
            print("".join(f"    {line}\n" for line in differing), end="")
    total = solved.pop("rows")
    for what, count in solved.most_common():
        print(f"{what:14} {count:5} {100 * count / max(1, total):5.1f} %")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
