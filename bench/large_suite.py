"""A run of 5,000 samples: planning, progress, memory of the driver, and reports, each with its figure.

    python bench/large_suite.py [--samples 5000] [--turns 4] [--out DIR]

The rows are those of the built-in suite, repeated under new ids. What an agent does is made up: in place of workers
(`context.Elsewhere`) stands one that enters requests into the ledger and saves outcomes and results with details by the
functions that save real ones. All else is the harness's own: loading, planning, `execute` with its observer, run.log,
resuming, and the commands that read runs, each in a process of its own.

All is done with a quarter of the samples and with all of them. Four times the samples should take four times the time;
memory of the driver should not grow from its first tenth to its last.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent.parent))

from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.dataset.writers import write_samples
from gitgoodbench.models.meter import Tokens
from gitgoodbench.models.recording import Exchange, Fate, Request
from gitgoodbench.runs.bookkeeping import open_books
from gitgoodbench.runs.config import make_config
from gitgoodbench.runs.context import Attempts, RunContext, Saved
from gitgoodbench.runs.episode import keep_settled, make_room, save_played
from gitgoodbench.runs.events import EventLog
from gitgoodbench.runs.execute import Observer, execute
from gitgoodbench.runs.inputs import inputs_for, load_inputs
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.plan import PlannedEpisode
from gitgoodbench.runs.result import Result, dump_json, unsettled
from gitgoodbench.runs.session import create_run, prepare_run
from gitgoodbench.runs.stop import Stop
from gitgoodbench.sandbox.base import SandboxSettings
from gitgoodbench.sandbox.select import make_provider
from gitgoodbench.scenario import Outcome
from gitgoodbench.workspace.store import open_store
from tests.support.page_runs import Player, Sample, Sizes, conversation_lines, result_of

DRIVER: Final = "--driver"
JOBS: Final = 4
TENTHS: Final = 10
PLAYERS: Final = {"noop": ("made-up-a", 0.35, False), "one-commit": ("made-up-b", 0.5, True)}
"""Agent -> what its model is called, how well it plays, and whether its run is watched on a terminal."""


def write_suite(path: Path, count: int) -> None:
    """So many samples: the built-in ones, again and again."""
    rows = load_suite("mini").samples
    write_samples((rows[n % len(rows)].model_copy(update={"id": f"large_{n:06}"}) for n in range(count)), path)


@dataclass
class MadeUp:
    """Stands for workers: see `context.Elsewhere`."""

    player: Player
    sizes: Sizes
    seed: int

    def carry_out(self, planned: PlannedEpisode, run: RunContext, saved: Saved | None, attempts: Attempts) -> Result:
        assert saved is None
        files, chosen = planned.paths(run.paths), random.Random(f"{self.seed} {planned.id}")
        make_room(files)
        result = result_of(self.player, self._sample(planned), planned.epoch, self.sizes, chosen, run.run_id)
        text = "The conflict is in total. " * (1 + self.sizes.text // 26)
        lines = conversation_lines(result, text)
        files.trajectory.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        for _ in range(result.usage.requests or 0):
            self._pay(planned, run)
        result = result.model_copy(update={"attempts": attempts})
        outcome = Outcome("a" * 40, None, {"uncommitted": []}, None)
        save_played(files, unsettled(result), outcome if result.outcome is not None else None)
        run.log.write("outcome_saved", episode=planned.id)
        return keep_settled(files, result, is_settled=True)

    def settle(self, saved: Saved, planned: PlannedEpisode, run: RunContext) -> Result:
        raise AssertionError(f"{planned.id} of {run.run_id} is saved with its result: {saved}")

    def _pay(self, planned: PlannedEpisode, run: RunContext) -> None:
        model = self.player.model or ""
        request = run.books.ledger.ask(planned.id, "agent", model)
        tokens = Tokens(4000, 0, 300)
        exchange = Exchange(Request(model, ()), Fate.ANSWERED, "", 2.5, tokens=tokens, cost_usd=0.01, model=model)
        run.books.ledger.receive(request, planned.id, "agent", exchange)

    def _sample(self, planned: PlannedEpisode) -> Sample:
        sample, chosen = planned.sample, random.Random(planned.sample.id)
        size = chosen.randint(1, 8)
        facts = {"conflicts" if planned.scenario == "mcr" else "commits": size, "attainable": chosen.random() < 0.7}
        return Sample(
            planned.scenario, sample.id, sample.name, sample.programming_language, sample.difficulty, size,
            facts["attainable"] is True, chosen.random(), facts,
        )  # fmt: skip


def resident() -> int:
    """Bytes of memory that this process has at this moment."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


@dataclass
class Watched:
    """An observer that also looks at the clock and at memory at each tenth of the run."""

    observer: Any
    planned: int = 0
    done: int = 0
    within: float = 0.0
    marks: list[Mapping[str, float]] = field(default_factory=list)

    def begin(self, planned: int, kept: Sequence[Any]) -> None:
        self.planned = planned - len(kept)
        self.observer.begin(planned, kept)
        self._mark()

    def finished(self, result: Result) -> None:
        begun = time.thread_time()
        self.observer.finished(result)
        self.within += time.thread_time() - begun
        self.done += 1
        if self.done % max(1, self.planned // TENTHS) == 0:
            self._mark()

    def again(self, failed: Sequence[Any]) -> None:
        self.observer.again(failed)

    def note(self, text: str) -> None:
        self.observer.note(text)

    def _mark(self) -> None:
        self.marks.append({"done": self.done, "cpu": time.process_time(), "within": self.within, "memory": resident()})


def drive(options: Mapping[str, Any]) -> None:
    """In a process of its own: plan a run, carry it out, and plan it again when all is done."""
    begun, before = time.process_time(), resident()
    model, skill, drawn = PLAYERS[options["agent"]]
    config = make_config(
        suite=options["suite"], agent=options["agent"], sandbox="local", judge="none", jobs=JOBS, offline=True
    )
    inputs = inputs_for(config.agent, load_inputs(config))
    paths = RunPaths(Path(options["out"]) / options["agent"])
    provider = make_provider(config.sandbox, settings=SandboxSettings(own=config.options.own)).provider
    run = prepare_run(config, inputs, provider, open_store(offline=True), paths=paths, command=("bench",))
    create_run(run)
    told = {
        "samples": len(inputs.suite.samples), "episodes": len(inputs.planned),
        "planning_s": time.process_time() - begun, "memory_before": before, "memory_planned": resident(),
    }  # fmt: skip
    sizes = Sizes(turns=options["turns"], text=options["text"], failing=0.02)
    made_up = MadeUp(Player(config.agent, model, skill, 0.08, 45.0), sizes, seed=1)
    with ExitStack() as stack:
        observer = stack.enter_context(watched(paths, drawn=drawn))
        log = stack.enter_context(EventLog(paths.log))
        books = open_books(paths, run.config)
        stack.callback(books.ledger.close)
        context = RunContext(
            run_id=run.manifest.run_id, paths=paths, scenarios=inputs.scenarios, store=run.store, provider=provider,
            agents=run.agents, budget=config.budget, options=config.options, log=log, books=books, stop=Stop(),
            rules=run.manifest.scoring.rules, elsewhere=made_up,
        )  # fmt: skip
        watching = Watched(observer)
        execution = execute(inputs.planned, context, jobs=JOBS, observer=watching)
        assert not execution.unfinished
    print(json.dumps({**told, "marks": watching.marks}), flush=True)


@contextmanager
def watched(paths: RunPaths, *, drawn: bool) -> Iterator[Observer]:
    """The observer of a console that nobody sees: of a terminal, or of a file."""
    from rich.console import Console

    from gitgoodbench.reporting.progress import watching
    from gitgoodbench.reporting.repositories import RepositoryProgress
    from gitgoodbench.runs.activity import Activity

    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(file=nowhere, force_terminal=drawn, width=120)
        with watching(console, "made up", RepositoryProgress(console), Activity(paths)) as observer:
            yield observer


def measured(arguments: Sequence[str | Path], output: Path) -> Mapping[str, float]:
    """Processor time and greatest memory of a command with all that it starts and waits for."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    with (
        output.open("wb") as file,
        subprocess.Popen(
            [sys.executable, *map(str, arguments)], stdout=file, stderr=subprocess.PIPE, env=environment
        ) as process,
    ):
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}: exit code {process.returncode}\n{said.decode()[-2000:]}")
    return {"cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss * 1024, "bytes": output.stat().st_size}


def readers(folders: Sequence[Path], out: Path) -> Iterator[tuple[str, list[str | Path]]]:
    """The commands that read runs, by a name for each."""
    first = folders[0]
    yield "starting the command", ["--version"]
    yield "resume, all being done", ["resume", first]
    yield "report", ["report", first]
    yield "report --format json", ["report", first, "--format", "json"]
    yield "report --samples --format csv", ["report", first, "--samples", "--format", "csv"]
    yield "compare, two runs", ["compare", *folders]
    yield "report --html, two runs", ["report", *folders, "--html", out / "pages"]


def measure(samples: int, out: Path, chosen: argparse.Namespace) -> dict[str, Any]:
    """Every figure of a suite of so many samples."""
    out.mkdir(parents=True)
    suite = out / "suite.jsonl"
    write_suite(suite, samples)
    found: dict[str, Any] = {"samples": samples}
    for agent in PLAYERS:
        options = {"suite": str(suite), "agent": agent, "out": str(out), "turns": chosen.turns, "text": chosen.text}
        told = out / f"{agent}.json"
        measured([__file__, DRIVER, json.dumps(options)], told)
        found[agent] = json.loads(told.read_bytes())
        say(agent, found[agent])
    for name, arguments in readers([out / agent for agent in PLAYERS], out):
        found[name] = measured(["-m", "gitgoodbench", *arguments], out / "output")
        say_command(name, found[name])
    files = [path.stat().st_size for path in (out / next(iter(PLAYERS))).rglob("*") if path.is_file()]
    found["disk"] = {"files": len(files), "bytes": sum(files)}
    print(f"  the run's folder: {len(files)} files, {megabytes(sum(files))}", flush=True)
    return found


def megabytes(size: float) -> str:
    return f"{size / 1024**2:.0f} MB"


def rates(driver: Mapping[str, Any]) -> dict[str, float]:
    """Milliseconds of an episode, and of its observer, and bytes of memory, in the first tenth and in the last."""
    first, second, *_, last_but_one, last = driver["marks"]
    found = {"memory_first": second["memory"], "memory_last": last["memory"]}
    for name in ("cpu", "within"):
        for when, (before, after) in {"first": (first, second), "last": (last_but_one, last)}.items():
            found[f"{name}_{when}"] = 1000 * (after[name] - before[name]) / (after["done"] - before["done"])
    return found


def say(agent: str, driver: Mapping[str, Any]) -> None:
    rate = rates(driver)
    memory = [driver["memory_before"], driver["memory_planned"], rate["memory_first"], rate["memory_last"]]
    planned = f"{driver['episodes']} episodes of {driver['samples']} samples planned in {driver['planning_s']:.1f} s"
    print(
        f"  {agent}: {planned}; memory before, planned, after the first and the last tenth: "
        f"{', '.join(map(megabytes, memory))}; an episode in the first and the last tenth {rate['cpu_first']:.2f}, "
        f"{rate['cpu_last']:.2f} ms, of these its display {rate['within_first']:.2f}, {rate['within_last']:.2f} ms",
        flush=True,
    )


def say_command(name: str, figures: Mapping[str, float]) -> None:
    print(f"  {name}: {figures['cpu']:.1f} s of processor time, {megabytes(figures['memory'])}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=5000)
    parser.add_argument("--turns", type=int, default=4, help="of a conversation")
    parser.add_argument("--text", type=int, default=1500, help="characters of an answer, a file, a patch")
    parser.add_argument("--out", type=Path, help="keep runs, pages and figures in this folder")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        out = chosen.out or Path(temporary)
        report = {}
        for samples in (chosen.samples // 4, chosen.samples):
            print(f"{samples} samples", flush=True)
            report[str(samples)] = measure(samples, out / str(samples), chosen)
        (out / "figures.json").write_bytes(dump_json(report))


if __name__ == "__main__":
    if sys.argv[1:2] == [DRIVER]:
        drive(json.loads(sys.argv[2]))
    else:
        main()
