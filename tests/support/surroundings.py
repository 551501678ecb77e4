# ruff: noqa: E501 - commands of a shell are not wrapped
"""Broken surroundings and bad inputs, as lines of a shell, and what must come of each.

bench/surroundings.py carries all of them out, tests the cheap ones.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

EVAL = "gitgoodbench eval mini --agent noop --limit 2 --sandbox local"
RUN = "gitgoodbench eval mini --agent oracle --limit 2 --sandbox local --run-id r"
"""The run that cases are about: its agent leaves commits."""

RESULT = "results/r/samples/mcr/mini_cairn_merge_0000/1"
OLD_GIT = "printf '#!/bin/sh\\necho git version 2.30.2\\n' > old/git; chmod +x old/git; PATH=$PWD/old:$PATH "
NO_GIT = "PATH=$PWD/bin "
BROKEN_PLUGIN = "PYTHONPATH=$PWD/plug "

_MAY_CHANGE = ("timings", "details", "scored_by", "format")
"""Fields of a result.json that are made anew with every scoring, and that nobody paid for."""


@dataclass(frozen=True)
class Case:
    """A line of a shell, in a folder with a finished run.

    what: in words. code: the exit code that is right. lines: on standard error. mounts: needs root. damaged: the case
    breaks a result.json, and goes on; a line says so. cheap: takes about a second.
    """

    what: str
    command: str
    code: int = 2
    lines: int = 1
    mounts: bool = False
    damaged: bool = False
    cheap: bool = False


def bad(what: str, command: str, code: int = 2, *, cheap: bool = False) -> Case:
    return Case(what, f"gitgoodbench {command}", code, cheap=cheap)


def closed(command: str) -> str:
    """A command that prints into a pipe whose reader has left before."""
    wait = "until [ -e gone ]; do sleep 0.05; done"
    return f"{{ {wait}; gitgoodbench {command}; echo $? > code; }} | {{ exec <&-; touch gone; }}; exit $(cat code)"


CASES = (
    Case("no Git", NO_GIT + EVAL),
    Case("no Git", NO_GIT + "gitgoodbench resume results/r"),
    Case("no Git", NO_GIT + "gitgoodbench score results/r"),
    Case("no Git", NO_GIT + "gitgoodbench mine acme/tool"),
    Case("no Git", NO_GIT + "gitgoodbench validate mini"),
    Case("Git 2.30", OLD_GIT + EVAL),
    Case("Git 2.30", OLD_GIT + "gitgoodbench validate mini"),
    Case("Git 2.30", OLD_GIT + "gitgoodbench score results/r"),
    Case("a git that does not run", "printf '#!/bin/sh\\nexit 1\\n' > old/git; chmod +x old/git; PATH=$PWD/old:$PATH " + EVAL),
    Case("no Docker", "DOCKER_HOST=unix:///nowhere/docker.sock gitgoodbench eval mini --agent noop --sandbox docker"),
    Case("no Docker", "DOCKER_HOST=tcp://127.0.0.1:1 gitgoodbench eval mini --agent noop --sandbox docker"),
    Case("a shell without Docker", EVAL + " --tools shell"),
    Case("full standard output", "gitgoodbench report results/r > /dev/full", 3),
    Case("full standard output", "gitgoodbench show results/r > /dev/full", 3),
    Case("full standard output", "gitgoodbench schema result > /dev/full", 3, cheap=True),
    Case("full standard output", "gitgoodbench plugins > /dev/full", 3),
    Case("full standard output", "gitgoodbench --help > /dev/full", 3, cheap=True),
    Case("full cache", "GITGOODBENCH_CACHE=$PWD/full/cache " + EVAL, mounts=True),
    Case("full folder of results", EVAL + " --out full", mounts=True),
    Case("full folder of results", "gitgoodbench build-dataset rows.jsonl --out full/set", mounts=True),
    Case("full folder of results", "gitgoodbench mine acme/tool --out full/mined.parquet", mounts=True),
    Case("full folder of results", "gitgoodbench validate mini --out full/found.jsonl", mounts=True),
    Case("read-only cache", "GITGOODBENCH_CACHE=$PWD/closed/cache " + EVAL, mounts=True),
    Case("read-only folder of results", EVAL + " --out closed", mounts=True),
    Case("read-only folder of results", "gitgoodbench mine acme/tool --out closed/mined.parquet", mounts=True),
    Case("no home and no cache", "env -u HOME -u GITGOODBENCH_CACHE GITGOODBENCH_CACHE=/dev/null/x " + EVAL),
    Case("a file where the results go", "touch file; " + EVAL + " --out file"),
    Case("misspelt variable", "GITGOODBENCH_MAX_COTS=5 " + EVAL, cheap=True),
    Case("wrong value of a variable", "GITGOODBENCH_MAX_TURNS=many " + EVAL),
    Case("wrong value of a variable", "GITGOODBENCH_SCENARIO=mrc " + EVAL),
    Case("wrong value of a variable", "GITGOODBENCH_SUITE=mimi gitgoodbench eval"),
    Case("wrong key in the file", "echo 'max-tunrs = 3' > c.toml; " + EVAL + " --config c.toml"),
    Case("wrong value in the file", "echo 'limit = 0' > c.toml; gitgoodbench eval mini --agent noop --config c.toml"),
    Case("a file that is no TOML", "echo '{' > c.toml; " + EVAL + " --config c.toml"),
    Case("no file", EVAL + " --config none.toml"),
    Case("half a manifest.json", "head -c 300 results/r/manifest.json > m; cp m results/r/manifest.json; gitgoodbench report results/r"),
    Case("empty manifest.json", ": > results/r/manifest.json; gitgoodbench resume results/r", cheap=True),
    Case("manifest.json of another kind", "echo '[]' > results/r/manifest.json; gitgoodbench score results/r"),
    Case("half a result.json", f"head -c 200 {RESULT}/result.json > h; cp h {RESULT}/result.json; gitgoodbench resume results/r", 0, damaged=True),
    Case("empty result.json", f": > {RESULT}/result.json; gitgoodbench score results/r", 0, damaged=True),
    Case("result.json of a wrong type", f"echo '{{\"status\": 3}}' > {RESULT}/result.json; gitgoodbench report results/r", 0, damaged=True),
    bad("unknown agent", "eval mini --agent oracel"),
    bad("unknown scenario", "eval mini --scenario mrc"),
    bad("unknown sandbox", "eval mini --agent noop --sandbox dokcer"),
    bad("unknown suite", "eval mimi"),
    bad("unknown tools", "eval mini --tools magic"),
    bad("unknown flag", "eval mini --max-tunrs 3", cheap=True),
    bad("unknown command", "evla mini", cheap=True),
    bad("unknown option of a plug-in", "eval mini --agent noop --opt icc.hunk=all"),
    bad("a number out of bounds", "eval mini --limit 0", cheap=True),
    bad("a number that is none", "eval mini --jobs many", cheap=True),
    bad("no such sample", "eval mini --agent noop --sample nothing"),
    bad("no such language", "eval mini --agent noop --language cobol"),
    bad("a bad name of a run", "eval mini --agent noop --run-id ../x"),
    bad("no such file of rows", "eval rows.csv"),
    bad("rows that are none", "eval broken.jsonl --agent noop"),
    bad("no key", "eval mini --agent openai"),
    bad("no price, a limit of cost", "eval mini --agent openai --model my-own --base-url http://127.0.0.1:1/v1 --max-cost 1"),
    bad("no folder of repositories", "eval mini --agent noop --repos nowhere"),
    bad("no run", "resume nowhere", cheap=True),
    bad("no run", "report nowhere", cheap=True),
    bad("no run", "score nowhere", cheap=True),
    bad("no run", "show nowhere", cheap=True),
    bad("no such episode", "show results/r nothing", cheap=True),
    bad("no such schema", "schema resutl", cheap=True),
    bad("nothing to mine", "mine", cheap=True),
    bad("no repository to mine", "mine rows.jsonl", cheap=True),
    bad("a wrong language to mine", "mine acme/tool --language cobol", cheap=True),
    bad("a wrong suffix of the mined file", "mine acme/tool --out mined.txt"),
    bad("no mined file", "build-dataset none.parquet --out set", cheap=True),
    bad("a mined file that is none", "build-dataset broken.jsonl --out set"),
    bad("an unknown filter", "build-dataset none.parquet --out set --without frok"),
    bad("no dataset", "validate none.parquet", cheap=True),
    bad("a folder without rows", "validate results", cheap=True),
    bad("no such file of a run", "report results/r nowhere", cheap=True),
    bad("no such episode", "show results/r mcr/nothing/1"),
    Case("half a manifest.json", "head -c 300 results/r/manifest.json > m; cp m results/r/manifest.json; gitgoodbench score results/r"),
    Case("empty manifest.json", ": > results/r/manifest.json; gitgoodbench report results/r", cheap=True),
    Case("two runs, one with an empty result.json", f"cp -r results/r results/s; : > {RESULT}/result.json; gitgoodbench report results/r results/s", 0, damaged=True),
    Case("empty result.json", f": > {RESULT}/result.json; gitgoodbench show results/r", 0, damaged=True),
    Case("`head` that has enough", closed("report results/r"), 3),
    Case("`head` that has enough", closed("report results/r results/r"), 3),
    Case("`head` that has enough", closed("show results/r"), 3),
    Case("`head` that has enough", closed("show results/r mini_cairn_merge_0000"), 3, cheap=True),
    Case("`head` that has enough", closed("schema result"), 3, cheap=True),
    Case("`head` that has enough", closed("plugins"), 3),
    Case("`head` that has enough", closed("prices gpt-4o"), 3, cheap=True),
    Case("`head` that has enough", closed("doctor"), 3),
    Case("`head` that has enough", closed("validate mini --sample mini_cairn_merge_0000"), 3),
    Case("full standard output", "gitgoodbench report results/r results/r > /dev/full", 3),
    Case("full standard output", "gitgoodbench prices gpt-4o > /dev/full", 3),
    Case("full standard output", "gitgoodbench doctor > /dev/full", 3),
    Case("full standard output", "TMPDIR=$PWD/empty DOCKER_HOST=unix:///nowhere/docker.sock gitgoodbench image --help > /dev/full", 3),
    Case("no Git", NO_GIT + "gitgoodbench doctor > said", lines=0),
    Case("no Docker", "TMPDIR=$PWD/empty DOCKER_HOST=unix:///nowhere/docker.sock gitgoodbench clean", 0),
    Case("no Docker", "DOCKER_HOST=unix:///nowhere/docker.sock gitgoodbench image build"),
    Case("a plug-in that cannot be imported", BROKEN_PLUGIN + "gitgoodbench eval mini --agent broken"),
    bad("unknown flag", "clean --froce", cheap=True),
    bad("unknown argument", "doctor extra", cheap=True),
    bad("unknown argument", "plugins extra", cheap=True),
    bad("unknown command of image", "image bulid", cheap=True),
    bad("unknown base of the image", "image build --base regsitry", cheap=True),
    bad("no model", "prices", cheap=True),
    bad("misspelt model", "prices gpt-4oo", cheap=True),
    bad("misspelt model, a limit of cost", "eval mini --agent openai --model gpt-4.1-minni --max-cost 1"),
    bad("no mined file", "build-dataset none.jsonl --out set"),
)  # fmt: skip


@dataclass(frozen=True)
class Ended:
    """How a case ended. line: of standard error. wrong: what should not be; empty where all is right."""

    code: int
    line: str
    wrong: str


@dataclass(frozen=True)
class Surroundings:
    """A folder with a finished run, in `kept`, and the environment of its commands."""

    folder: Path
    environment: dict[str, str]

    def carry_out(self, case: Case) -> Ended:
        """Run a case on a fresh copy of the run."""
        for name in ("results", "set"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        for name in ("gone", "code", "file"):
            (self.folder / name).unlink(missing_ok=True)
        shutil.copytree(self.folder / "kept", self.folder / "results")
        before = paid_for(self.folder / "results/r")
        ended = subprocess.run(
            ["sh", "-c", case.command], cwd=self.folder, env=self.environment, capture_output=True, check=False
        )
        lines = [line for line in ended.stderr.decode("utf-8", "replace").split("\n") if line]
        own = [line for line in lines if line.startswith("gitgoodbench: ")]
        said = [line for line in lines if "is damaged" in line] if case.damaged else lines
        wrong = []
        if ended.returncode != case.code:
            wrong.append(f"exit code {ended.returncode}, not {case.code}")
        if b"Traceback" in ended.stdout + ended.stderr:
            wrong.append("a traceback")
        if not (case.damaged and said) and len(lines) != case.lines:
            wrong.append(f"{len(lines)} lines: {lines}")
        if case.code != 0 and len(own) != case.lines:
            wrong.append("another line than that of the program")
        after = paid_for(self.folder / "results/r")
        mended = case.damaged and not case.command.split("gitgoodbench ")[1].startswith(("report", "show"))
        broken = {f"{RESULT}/result.json".removeprefix("results/r/")} if case.damaged and not mended else set()
        if lost := [name for name, digest in before.items() if name not in broken and after.get(name) != digest]:
            wrong.append(f"lost: {', '.join(lost)}")
        line = (said or [""])[0].replace(str(self.folder), ".").replace(sys.executable, "python")
        return Ended(ended.returncode, line, "; ".join(wrong))


def prepare(folder: Path) -> Surroundings:
    """Make the folder and its run.

    Raises:
        RuntimeError: the run does not end as it must.
    """
    for name in ("bin", "old", "cache", "empty", "plug/broken-1.dist-info"):
        (folder / name).mkdir(parents=True)
    program = folder / "bin" / "gitgoodbench"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gitgoodbench "$@"\n')
    program.chmod(0o755)
    (folder / "broken.jsonl").write_text("{not json\n")
    (folder / "rows.jsonl").write_text('{"id": "x"}\n')
    package = folder / "plug/broken-1.dist-info"
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[gitgoodbench.agents]\nbroken = no_such_module:Agent\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITGOODBENCH_", "OPENAI_"))}
    environment = {**kept, "PATH": f"{folder}/bin:{kept['PATH']}", "GITGOODBENCH_CACHE": f"{folder}/cache"}
    made = subprocess.run(["sh", "-c", RUN], cwd=folder, env=environment, capture_output=True, check=False)
    if made.returncode != 0:
        raise RuntimeError(f"the run that cases are about cannot be made: {made.stderr.decode()}")
    (folder / "results").rename(folder / "kept")
    return Surroundings(folder, environment)


def paid_for(run: Path) -> dict[str, str]:
    """Hashes of what agents, models and judges left in a run, by file: nothing of it may change.

    Of a result.json, that of what is not made anew with every scoring.
    """
    return dict(_paid_for(run))


def _paid_for(run: Path) -> Iterator[tuple[str, str]]:
    for path in sorted([*run.glob("samples/*/*/*/*"), *run.glob("ledger.jsonl")]):
        if path.name == "details.json":
            continue
        content = path.read_bytes()
        if path.name == "result.json":
            try:
                fields = json.loads(content)
                content = json.dumps({name: fields[name] for name in fields if name not in _MAY_CHANGE}).encode()
            except ValueError:
                content = b"damaged"
        yield str(path.relative_to(run)), hashlib.sha256(content).hexdigest()


def row(case: Case, ended: Ended) -> str:
    """A row of the page of the documentation."""
    return (
        f"| {_text(case.what)} | {_cell(case.command)} | {ended.code} | {_cell(ended.line) if ended.line else ''} |\n"
    )


def _text(text: str) -> str:
    return text.replace("|", "\\|")


def _cell(text: str) -> str:
    return f"`{re.sub(r'[`|]', lambda found: chr(39) if found[0] == '`' else '¦', text)}`"
