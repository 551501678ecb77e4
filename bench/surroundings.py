# ruff: noqa: E501 - commands of a shell are not wrapped
"""Broken surroundings and bad inputs through the real command line: exit code, one line, no traceback, nothing lost.

    python bench/surroundings.py [--write docs/surroundings.md] [--only TEXT]

Each case is a line of a shell in a folder that holds one finished run. What cannot be made on this machine (a mount needs
root) is left out and said so. Exits with 1 where a case does not end as it must.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

EVAL = "gitgoodbench eval mini --agent noop --limit 2 --sandbox local"
RESULT = "results/r/samples/mcr/mini_cairn_merge_0000/1"
OLD_GIT = "printf '#!/bin/sh\\necho git version 2.30.2\\n' > old/git; chmod +x old/git; PATH=$PWD/old:$PATH "
NO_GIT = "PATH=$PWD/bin "


@dataclass(frozen=True)
class Case:
    """what: in words. command: of the shell, in the folder. code: the exit code that is right. mounts: needs root."""

    what: str
    command: str
    code: int = 2
    mounts: bool = False


def bad(what: str, command: str, code: int = 2) -> Case:
    return Case(what, f"gitgoodbench {command}", code)


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
    Case("full standard output", "gitgoodbench schema result > /dev/full", 3),
    Case("full standard output", "gitgoodbench plugins > /dev/full", 3),
    Case("full standard output", "gitgoodbench --help > /dev/full", 3),
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
    Case("misspelt variable", "GITGOODBENCH_MAX_COTS=5 " + EVAL),
    Case("wrong value of a variable", "GITGOODBENCH_MAX_TURNS=many " + EVAL),
    Case("wrong value of a variable", "GITGOODBENCH_SCENARIO=mrc " + EVAL),
    Case("wrong value of a variable", "GITGOODBENCH_SUITE=mimi gitgoodbench eval"),
    Case("wrong key in the file", "echo 'max-tunrs = 3' > c.toml; " + EVAL + " --config c.toml"),
    Case("wrong value in the file", "echo 'limit = 0' > c.toml; gitgoodbench eval mini --agent noop --config c.toml"),
    Case("a file that is no TOML", "echo '{' > c.toml; " + EVAL + " --config c.toml"),
    Case("no file", EVAL + " --config none.toml"),
    Case("half a manifest.json", "head -c 300 results/r/manifest.json > m; cp m results/r/manifest.json; gitgoodbench report results/r"),
    Case("empty manifest.json", ": > results/r/manifest.json; gitgoodbench resume results/r"),
    Case("manifest.json of another kind", "echo '[]' > results/r/manifest.json; gitgoodbench score results/r"),
    Case("half a result.json", f"head -c 200 {RESULT}/result.json > h; cp h {RESULT}/result.json; gitgoodbench resume results/r", 0),
    Case("empty result.json", f": > {RESULT}/result.json; gitgoodbench score results/r", 0),
    Case("result.json of a wrong type", f"echo '{{\"status\": 3}}' > {RESULT}/result.json; gitgoodbench report results/r", 0),
    bad("unknown agent", "eval mini --agent oracel"),
    bad("unknown scenario", "eval mini --scenario mrc"),
    bad("unknown sandbox", "eval mini --agent noop --sandbox dokcer"),
    bad("unknown suite", "eval mimi"),
    bad("unknown tools", "eval mini --tools magic"),
    bad("unknown flag", "eval mini --max-tunrs 3"),
    bad("unknown command", "evla mini"),
    bad("unknown option of a plug-in", "eval mini --agent noop --opt icc.hunk=all"),
    bad("a number out of bounds", "eval mini --limit 0"),
    bad("a number that is none", "eval mini --jobs many"),
    bad("no such sample", "eval mini --agent noop --sample nothing"),
    bad("no such language", "eval mini --agent noop --language cobol"),
    bad("a bad name of a run", "eval mini --agent noop --run-id ../x"),
    bad("no such file of rows", "eval rows.csv"),
    bad("rows that are none", "eval broken.jsonl --agent noop"),
    bad("no key", "eval mini --agent openai"),
    bad("no price, a limit of cost", "eval mini --agent openai --model my-own --base-url http://127.0.0.1:1/v1 --max-cost 1"),
    bad("no folder of repositories", "eval mini --agent noop --repos nowhere"),
    bad("no run", "resume nowhere"),
    bad("no run", "report nowhere"),
    bad("no run", "score nowhere"),
    bad("no run", "show nowhere"),
    bad("no such episode", "show results/r nothing"),
    bad("no such schema", "schema resutl"),
    bad("nothing to mine", "mine"),
    bad("no repository to mine", "mine rows.jsonl"),
    bad("a wrong language to mine", "mine acme/tool --language cobol"),
    bad("a wrong suffix of the mined file", "mine acme/tool --out mined.txt"),
    bad("no mined file", "build-dataset none.parquet --out set"),
    bad("a mined file that is none", "build-dataset broken.jsonl --out set"),
    bad("an unknown filter", "build-dataset none.parquet --out set --without frok"),
    bad("no dataset", "validate none.parquet"),
    bad("a folder without rows", "validate results"),
)  # fmt: skip


@dataclass(frozen=True)
class Ended:
    """How a case ended. line: the last of standard error. wrong: what should not be; empty where all is right."""

    code: int
    line: str
    wrong: str


def prepare(folder: Path) -> dict[str, str]:
    """A folder with a finished run, and the environment of its commands."""
    for name in ("bin", "old", "cache"):
        (folder / name).mkdir()
    program = folder / "bin" / "gitgoodbench"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gitgoodbench "$@"\n')
    program.chmod(0o755)
    (folder / "broken.jsonl").write_text("{not json\n")
    (folder / "rows.jsonl").write_text('{"id": "x"}\n')
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITGOODBENCH_", "OPENAI_"))}
    environment = {**kept, "PATH": f"{folder}/bin:{kept['PATH']}", "GITGOODBENCH_CACHE": f"{folder}/cache"}
    made = subprocess.run(
        ["sh", "-c", f"{EVAL} --run-id r"], cwd=folder, env=environment, capture_output=True, check=False
    )
    if made.returncode != 0:
        sys.exit(f"the run that cases are about cannot be made: {made.stderr.decode()}")
    return environment


def mount(folder: Path) -> list[Path]:
    """A full and a read-only folder; none where that is not allowed."""
    mounted = []
    for name, options in (("full", "size=64k"), ("closed", "ro")):
        (folder / name).mkdir()
        argv = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder / name)]
        if subprocess.run(argv, capture_output=True, check=False).returncode == 0:
            mounted.append(folder / name)
    return mounted


def carry_out(case: Case, folder: Path, environment: dict[str, str]) -> Ended:
    """Run a case on a fresh copy of the run."""
    shutil.rmtree(folder / "results", ignore_errors=True)
    shutil.copytree(folder / "kept", folder / "results")
    before = saved(folder)
    ended = subprocess.run(["sh", "-c", case.command], cwd=folder, env=environment, capture_output=True, check=False)
    lines = ended.stderr.decode("utf-8", "replace").strip().split("\n")
    said = [line for line in lines if "is damaged" in line or line.startswith("gitgoodbench: ")] or lines[-1:]
    wrong = []
    if ended.returncode != case.code:
        wrong.append(f"exit code {ended.returncode}, not {case.code}")
    if b"Traceback" in ended.stdout + ended.stderr:
        wrong.append("a traceback")
    own = [line for line in lines if line.startswith("gitgoodbench: ")]
    if case.code != 0 and len(own) != 1:
        wrong.append(f"{len(own)} lines")
    if lost := [name for name, digest in before.items() if saved(folder).get(name) != digest]:
        wrong.append(f"lost: {', '.join(lost)}")
    return Ended(
        ended.returncode, said[0].replace(str(folder), ".").replace(sys.executable, "python"), "; ".join(wrong)
    )


def saved(folder: Path) -> dict[str, str]:
    """What agents left in the run, by file: nothing of it may change."""
    files = sorted((folder / "results/r/samples").glob("*/*/*/trajectory.json*"))
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def table(rows: list[tuple[Case, Ended]]) -> str:
    """The page of the documentation."""
    head = (
        "# Broken surroundings and bad inputs\n\n"
        "```sh needs=long\npython bench/surroundings.py --write docs/surroundings.md\n```\n\n"
        f"runs {len(rows)} cases through the command line, and writes this page: the exit code, and the line that says what is "
        "wrong. None prints a traceback; no trajectory of the run that they are about is lost or changed.\n\n"
        "| case | command | code | line |\n|---|---|---|---|\n"
    )
    return head + "".join(
        f"| {case.what} | {cell(case.command)} | {ended.code} | {cell(ended.line)} |\n" for case, ended in rows
    )


def cell(text: str) -> str:
    return f"`{re.sub(r'[`|]', lambda found: chr(39) if found[0] == '`' else '¦', text)}`"


def main() -> None:
    """Run the cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    rows: list[tuple[Case, Ended]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = prepare(folder)
        (folder / "results").rename(folder / "kept")
        mounted = mount(folder)
        try:
            for case in CASES:
                if chosen.only not in case.what or (case.mounts and len(mounted) < 2):
                    continue
                ended = carry_out(case, folder, environment)
                rows.append((case, ended))
                print(
                    f"{'WRONG ' + ended.wrong if ended.wrong else 'ok'}: {case.what}: {case.command}\n    {ended.line}",
                    flush=True,
                )
        finally:
            for path in mounted:
                subprocess.run(["umount", str(path)], check=False)
    wrong = sum(bool(ended.wrong) for _, ended in rows)
    print(f"{len(rows)} cases, {wrong} wrong")
    if chosen.write is not None:
        chosen.write.write_text(table(rows), "utf-8")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
