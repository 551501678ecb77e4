"""What mining costs, on one repository in one run.

    python bench/mining.py REPOSITORY [--shown 200] [--json FILE]

- The pass over history against a walk with GitPython over the same commits that asks `git show --name-status` about
  each (asked here about commits spread over history), per commit visited. Target: >= 50 times as fast.
- Merges per second, with conflicts, kinds and attainability, against a bare `git merge-tree --stdin` that throws its
  answers away, on the same merges. Target: at most twice the time.
- Peak memory of a process that mines the newest 2,000 commits of all refs and of one that mines the newest 20,000.
  Target: within 20 %.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from gitgoodbench.git.mirror import Mirror
from gitgoodbench.git.process import Git
from gitgoodbench.git.replay import Replay
from gitgoodbench.mining.history import Commit, read_history
from gitgoodbench.mining.options import MiningOptions, Refs
from gitgoodbench.mining.repository import mine_repository, open_walk
from gitgoodbench.sample_types.merge_spool import MergeCommit
from gitgoodbench.sample_types.merges import MergeMiner
from gitgoodbench.sample_types.replays import replay_merges
from gitgoodbench.workspace.scratch import ScratchRepository

T = TypeVar("T")

HISTORIES: Final = (2_000, 20_000)
TARGETS: Final = {
    "history, times as fast": (50.0, "at least"),
    "merges, times as slow": (2.0, "at most"),
    "memory, times as much": (1.2, "at most"),
}
_MEASURE: Final = """
import json, pathlib, resource, sys
from gitgoodbench.git.mirror import Mirror
from gitgoodbench.mining.repository import mine_repository
mined = mine_repository(Mirror(pathlib.Path(sys.argv[1])).borrow(refs=True))
found = sum(map(len, mined.found.values()))
status = pathlib.Path("/proc/self/status")
if status.exists():  # what getrusage says includes the process that started this one
    own = next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM"))
else:
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps([mined.counts["commits"], found, own / 1024, children / 1024]))
"""


def measure_history(repository: Git, shown: int) -> dict[str, Any]:
    """Seconds per commit for its parents, time, trailer and changed paths: streamed, and asked one by one."""
    import git as gitpython

    with ScratchRepository(repository) as scratch:
        commits, mining = _best(lambda: [commit.oid for commit in read_history(repository, scratch.git, Refs.BRANCHES)])
    walked = gitpython.Repo(repository.git_dir)
    walked.git.update_environment(GIT_DIR=repository.git_dir)

    def walk() -> int:
        found = walked.iter_commits("--branches", remotes=True)
        return sum(bool((commit.parents, commit.committed_date, commit.message)) for commit in found)

    count, walking = _best(walk)
    if count != len(commits):
        raise RuntimeError(f"GitPython walks over {count} commits, the miner over {len(commits)}")
    spread = commits[:: max(1, count // shown)][:shown]
    _, showing = _best(lambda: [walked.git.show("--name-status", "--format=", oid) for oid in spread])
    wall, processor = (
        [mines / count, walks / count, shows / len(spread)]
        for mines, walks, shows in zip(mining, walking, showing, strict=True)
    )
    return {
        "commits": count,
        "history, ms per commit": 1000 * wall[0],
        "walk with GitPython, ms per commit": 1000 * wall[1],
        "git show through GitPython, ms per commit": 1000 * wall[2],
        "history, times as fast": (wall[1] + wall[2]) / wall[0],
        "history, times as little processor time": (processor[1] + processor[2]) / processor[0],
    }


def _best(work: Callable[[], T]) -> tuple[T, list[float]]:
    """What the work gives, and the least wall and processor time that it took in three tries, in seconds."""
    tries = []
    for _ in range(3):
        begun = _clocks()
        result = work()
        tries.append(_since(begun))
    return result, [min(times) for times in zip(*tries, strict=True)]


def _clocks() -> tuple[float, float]:
    """Wall time, and processor time of this process and of those that it has waited for, in seconds."""
    spent = os.times()
    return time.perf_counter(), spent.user + spent.system + spent.children_user + spent.children_system


def _since(begun: tuple[float, float]) -> list[float]:
    return [now - then for now, then in zip(_clocks(), begun, strict=True)]


def measure_merges(repository: Git) -> dict[str, Any]:
    """Seconds for all merges that can be replayed: as mined, and through a bare process."""
    commits, pairs = _replayable(repository)
    with open_walk(repository, MiningOptions()) as walk:
        miner = MergeMiner(walk)
        for commit in commits:
            miner.visit(commit)
        begun = time.perf_counter()
        found = sum(1 for _ in miner.merges())
        mined = time.perf_counter() - begun
    bare = _bare(repository, pairs)
    return {
        "merges": len(pairs),
        "conflicting merges": found,
        "merges, mined per second": len(pairs) / mined,
        "merges, bare per second": len(pairs) / bare,
        "merges, times as slow": mined / bare,
    }


def _replayable(repository: Git) -> tuple[list[Commit], list[str]]:
    """What the miner of merges looks at: merges that can be replayed, and commits that touch attribute files."""
    with ScratchRepository(repository) as scratch:
        history = read_history(repository, scratch.git, Refs.BRANCHES)
        commits = [commit for commit in history if len(commit.parents) == 2 or _touches_attributes(commit)]
        merges = [
            MergeCommit(number, commit.oid, (commit.parents[0], commit.parents[1]), commit.committed)
            for number, commit in enumerate(commits)
            if len(commit.parents) == 2
        ]
        good = {merge.oid for merge, replay in replay_merges(scratch.git, merges) if isinstance(replay, Replay)}
    kept = [commit for commit in commits if len(commit.parents) != 2 or commit.oid in good]
    return kept, [" ".join(commit.parents) for commit in kept if commit.oid in good]


def _touches_attributes(commit: Commit) -> bool:
    return any(path.endswith(b".gitattributes") for _, path in commit.changes or ())


def _bare(repository: Git, pairs: Sequence[str]) -> float:
    command = ("merge-tree", "--write-tree", "-z", "--messages", "--stdin")
    with ScratchRepository(repository) as scratch, tempfile.TemporaryFile() as stdin:
        stdin.write("".join(f"{pair}\n" for pair in pairs).encode("ascii"))
        stdin.seek(0)
        begun = time.perf_counter()
        with scratch.git.stream(*command, stdin=stdin) as process:
            assert process.stdout is not None
            while process.stdout.read(1 << 20):
                pass
            if process.wait() != 0:
                raise RuntimeError("git merge-tree stopped at a merge that it replayed before")
        return time.perf_counter() - begun


def measure_memory(repository: Git) -> dict[str, Any]:
    """Peak resident memory, in MiB, of processes that mine the newest 2,000 and 20,000 commits (or all there are).

    The newest, so that both meet the largest files: what a merge needs depends on its contents, not on its history.
    """
    command = ("log", "--date-order", "--format=%H %P", "--all")
    history = [line.split() for line in repository.run(*command).decode("ascii").split("\n")[:-1]]
    found: dict[str, Any] = {}
    peaks = []
    for name, length in zip(("short", "long"), HISTORIES, strict=True):
        commits, candidates, own, children = _mine_apart(repository, history[:length])
        found[f"memory, {name}: MiB"] = own
        found[f"memory, {name}: MiB of the largest Git process"] = children
        found[f"memory, {name}: commits"] = commits
        found[f"memory, {name}: candidates"] = candidates
        peaks.append(own)
    found["memory, times as much"] = peaks[1] / peaks[0]
    return found


def _mine_apart(repository: Git, commits: Sequence[Sequence[str]]) -> list[float]:
    """Mine the newest part of history in a process of its own: commits, candidates, peaks in MiB, its own and Git's."""
    inside = {oid for oid, *_ in commits}
    oldest = {oid for oid, *parents in commits if not inside.issuperset(parents)}
    tips = inside - {parent for oid, *parents in commits if oid not in oldest for parent in parents}
    with ScratchRepository(repository) as cut:
        Path(cut.git.git_dir, "shallow").write_text("".join(f"{oid}\n" for oid in sorted(oldest)), encoding="ascii")
        lines = "".join(f"create refs/heads/tip-{number} {tip}\n" for number, tip in enumerate(sorted(tips)))
        cut.git.run("update-ref", "--stdin", stdin=lines.encode("ascii"))
        command = [sys.executable, "-c", _MEASURE, cut.git.git_dir]
        measured: list[float] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        return measured


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--shown", type=int, default=200, help="commits to ask GitPython about")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    git_dir = args.repository / ".git" if (args.repository / ".git").is_dir() else args.repository
    repository = Mirror(git_dir).borrow(refs=True)
    found = {**measure_history(repository, args.shown), **measure_merges(repository)}
    begun = time.perf_counter()
    mined = mine_repository(repository)
    found["everything, seconds"] = time.perf_counter() - begun
    found["chains"] = mined.counts["chains"]
    found.update(measure_memory(repository))
    for name, value in found.items():
        line = f"{name:45}{value:12.3f}" if isinstance(value, float) else f"{name:45}{value:8}"
        if name in TARGETS:
            limit, word = TARGETS[name]
            met = value >= limit if word == "at least" else value <= limit
            line += f"   target {word} {limit:g}: {'met' if met else 'MISSED'}"
        print(line)
    if args.json:
        args.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
