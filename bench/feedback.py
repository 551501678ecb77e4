"""What commit feedback costs: the time until the shell is back, and the processor time of what happens behind it.

    python bench/feedback.py [hook] [hunks] [lines] [log] [history] [--json FILE]

hook: `git commit` with the hook and without, in turns; the worker really runs, and is waited for in between.
hunks: a commit of 50 hunks with 30 edits. lines: one of 20,000 added lines. log: a log of 200 MB. history: 2,000
commits by `run RANGE`, every fourth with an edit. Repositories and logs are made here. Targets: < 100 ms until the
shell is back, < 1 s of processor time for `hunks`, once everything is loaded and compiled.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from gitgoodbench.feedback.pipeline import Run, run
from gitgoodbench.feedback.queue import waiting
from gitgoodbench.feedback.repository import Repository, discover
from gitgoodbench.feedback.settings import read_settings
from gitgoodbench.feedback.setup import set_up
from gitgoodbench.feedback.store import Store, folder_of
from gitgoodbench.feedback.store.results import edit_results
from gitgoodbench.files import holder
from tests.feedback.support_logs import ClaudeLog
from tests.feedback.support_repository import Developer

Figures = dict[str, Any]

REPEAT: Final = 15
TARGETS: Final = {"hook adds ms p50": 100.0, "hunks s of processor": 1.0}


def function(number: int, lines: int = 3) -> str:
    """A function of its own, of so many lines."""
    body = "".join(f"    value_{i} = first * {number + i} + second - {i}\n" for i in range(lines - 2))
    return f"def function_{number}(first, second):\n{body}    return first + {number}\n"


class Place:
    """A repository with feedback for Claude Code, whose session writes files."""

    def __init__(self, folder: Path, *, hook: bool = False) -> None:
        os.environ["HOME"] = str(folder / "home")
        self.ada = Developer(folder / "home")
        self.folder = self.ada.repository(folder / "app")
        self.log = ClaudeLog(self.ada.home / ".claude/projects/x/s1.jsonl", self.folder)
        self.log.time = self.ada.clock = int(time.time()) - 30 * 86_400
        self.write({"base.py": function(0)})
        self.commit()
        if hook:
            set_up(self.folder, ["claude-code"], [], None)
        self.ada.git(self.folder, "config", "gitgoodbench-feedback.source", "claude-code")
        self.ada.git(self.folder, "config", "gitgoodbench-feedback.installed", str(self.ada.clock))

    @property
    def repository(self) -> Repository:
        return discover(self.folder)

    def write(self, files: dict[str, str]) -> None:
        for name, content in files.items():
            (self.folder / name).write_text(content)

    def commit(self) -> None:
        self.log.time = self.ada.clock = int(self.log.time) + 60
        self.ada.commit(self.folder, {})

    def run(self, *ranges: str) -> Run:
        return run(self.repository, read_settings(self.folder), ranges, patience=0)

    def states(self) -> dict[str, int]:
        with Store(self.repository.common) as store:
            states = [one.state for one in edit_results(store)]
        return {state: states.count(state) for state in sorted(set(states))}


def processor() -> float:
    """Seconds of processor time of this process and the programs that it ran, the parser's that still runs included."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used) + running_children()


def running_children() -> float:
    """Seconds of processor time of processes that this one started and that still run, with those they waited for."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[1]) == os.getpid():
                ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def measured(work: Callable[[], Run]) -> Figures:
    """Processor and wall time of a run, and what it says."""
    before, began = processor(), time.perf_counter()
    done = work()
    figures = {"s of processor": processor() - before, "s": time.perf_counter() - began, "scored": done.scored}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {**figures, "MB": peak / 1024, "failed": done.failed, "problems": list(done.problems)}


def bench_hook(folder: Path) -> Figures:
    """`git commit` with and without the hook, in turns."""
    place = Place(folder, hook=True)
    common = place.repository.common
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for turn in range(2 * REPEAT):
        hooked = turn % 2 == 0
        options = [] if hooked else ["-c", "core.hooksPath="]
        place.ada.clock += 60
        began = time.perf_counter()
        command = ["git", *options, "commit", "--quiet", "--allow-empty", "--message", "Work"]
        subprocess.run(command, cwd=place.folder, env=place.ada.environment, check=True, capture_output=True)
        seconds[hooked].append(time.perf_counter() - began)
        while waiting(common) or holder(folder_of(common) / "lock"):
            time.sleep(0.05)
        time.sleep(0.2)
    with_hook, without = (1000 * statistics.median(seconds[hooked]) for hooked in (True, False))
    worst = 1000 * max(seconds[True])
    return {"with ms p50": with_hook, "without ms p50": without, "adds ms p50": with_hook - without, "worst ms": worst}


def bench_hunks(folder: Path) -> Figures:
    """50 hunks, 30 of them edits of the assistant, after a commit that loads and compiles everything."""
    place = Place(folder)
    figures: Figures = {}
    for turn in range(2):
        files = {f"f{turn}_{i}.py": "".join(function(100 * i + j) for j in range(40)) for i in range(10)}
        place.write(files)
        place.commit()
        for hunk in range(50):
            name, at = f"f{turn}_{hunk % 10}.py", function(100 * (hunk % 10) + 8 * (hunk // 10))
            before, new = files[name], function(10_000 + 100 * turn + hunk, 8)
            files[name] = before.replace(at, at + new)
            if hunk < 30:
                place.log.edit(f"t{turn}_{hunk}", place.folder / name, before, at, at + new)
        place.log.save()
        place.write(files)
        place.commit()
        figures = measured(place.run)
    return {**figures, "edits": place.states()}


def bench_lines(folder: Path) -> Figures:
    """20,000 added lines in 40 files, each written by the assistant and half changed by a person."""
    place = Place(folder)
    place.run()
    for number in range(40):
        content = "".join(function(1000 * number + i, 10) for i in range(50))
        place.log.write(f"t{number}", place.folder / f"f{number}.py", content)
        place.write({f"f{number}.py": content.replace("first", "one", content.count("first") // 2)})
    place.log.save()
    place.commit()
    return {**measured(place.run), "edits": place.states()}


def bench_log(folder: Path) -> Figures:
    """A log of 200 MB with 200 edits, read for the first time and, a line longer, again."""
    place = Place(folder)
    place.run()
    for number in range(200):
        place.log.write(f"t{number}", place.folder / f"f{number}.py", function(number))
        place.write({f"f{number}.py": function(number)})
    path = place.log.save()
    filler = {"type": "user", "message": {"role": "user", "content": "x" * 1_000_000}, "cwd": str(place.folder)}
    line = json.dumps(filler).encode() + b"\n"
    with path.open("ab") as file:
        while file.tell() < 200_000_000:
            file.write(line)
    place.commit()
    first = measured(place.run)
    with path.open("ab") as file:
        file.write(b'{"type": "summary"}\n')
    again = measured(place.run)
    return {**first, "again s": again["s"], "edits": place.states()}


def bench_history(folder: Path, count: int = 2000) -> Figures:
    """Commits of the past by `run RANGE`."""
    place = Place(folder)
    stream = [b"reset refs/heads/main\nfrom %s\n" % place.ada.head(place.folder).encode()]
    for number in range(count):
        name, content = f"m{number % 50}/f{number}.py", function(number, 12)
        place.log.time += 60
        if number % 4 == 0:
            place.log.write(f"t{number}", place.folder / name, content)
        when = int(place.log.time) + 5
        body = content.encode()
        stream.append(
            b"commit refs/heads/main\ncommitter Ada <ada@example.invalid> %d +0000\ndata 4\nWork\n"
            b"M 100644 inline %s\ndata %d\n%s\n" % (when, name.encode(), len(body), body)
        )
    place.log.save()
    imported = ["git", "fast-import", "--quiet", "--force"]
    subprocess.run(imported, cwd=place.folder, env=place.ada.environment, input=b"".join(stream), check=True)
    place.ada.git(place.folder, "reset", "--hard", "--quiet")
    figures = measured(lambda: place.run(f"HEAD~{count}..HEAD"))
    return {**figures, "commits": count, "edits": place.states()}


BENCHES: Final[dict[str, Callable[[Path], Figures]]] = {
    "hook": bench_hook, "hunks": bench_hunks, "lines": bench_lines, "log": bench_log, "history": bench_history,
}  # fmt: skip


def show(name: str, figures: Figures) -> Iterable[str]:
    """The figures of one part, with targets where there are any."""
    for key, value in figures.items():
        label = f"{name} {key}"
        target = TARGETS.get(label)
        mark = "" if target is None else f"   target < {target:g}: {'met' if value < target else 'MISSED'}"
        yield f"{label:32}{value:10.3f}{mark}" if isinstance(value, float) else f"{label:32}{value}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[[], *BENCHES], default=[])
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    found: dict[str, Figures] = {}
    for name in args.parts or BENCHES:
        with tempfile.TemporaryDirectory(prefix="feedback-") as folder:
            found[name] = BENCHES[name](Path(folder))
        print("\n".join(show(name, found[name])), flush=True)
    if args.json:
        args.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
