"""Mining one repository: the piece of work that runs on any machine of a cluster and gives the text of a file.

The file has a line about the repository and one for each candidate. Its name holds a key: a hash of everything that
decides what is in it, so that work done before is recognized, and left when a branch moves or an option changes.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.mirror import Mirror
from gitgoodbench.git.process import Git
from gitgoodbench.mining.contract import mined_type
from gitgoodbench.mining.facts import compute_facts, counters
from gitgoodbench.mining.options import LANGUAGES, MiningOptions, Refs
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.records import Candidate, spec_fields
from gitgoodbench.mining.repository import mine_repository
from gitgoodbench.mining.steps import StepFile
from gitgoodbench.mining.targets import Target
from gitgoodbench.plugins import HARNESS, SAMPLES, Plugin, pin, plugins
from gitgoodbench.workspace.network import Progress
from gitgoodbench.workspace.store import open_store

FORMAT: Final = 7
"""Of the file; to be raised whenever it has another form, or mining finds something else than before in the same
repository.
"""


_LONGEST_NAME: Final = 100


@dataclass(frozen=True)
class Repositories:
    """Where names lead to (see `workspace.store.open_store`)."""

    folder: Path | None = None
    cache_dir: Path | None = None
    offline: bool = False


@dataclass(frozen=True)
class Order:
    """What to do with every repository.

    languages: names of languages and how names of their source files end. steps: a folder for files that say how far
    the work is (see `steps`); it decides nothing.
    """

    options: MiningOptions = field(default_factory=MiningOptions)
    languages: tuple[tuple[str, bytes], ...] = tuple(LANGUAGES.items())
    repositories: Repositories = field(default_factory=Repositories)
    steps: Path | None = None


@dataclass(frozen=True)
class Summary:
    """One line about a repository.

    counts, left_out: see `MinedRepository`. seconds: what mining it took, whenever that was.
    """

    name: str
    counts: Mapping[str, int]
    left_out: Mapping[str, int]
    seconds: float


@dataclass(frozen=True)
class Mined:
    """The answer about one repository. content: of its file; None where that is among the known ones."""

    name: str
    key: str
    content: bytes | None


@dataclass(frozen=True)
class Failed:
    """A repository that could not be mined, and why, in one line."""

    name: str
    reason: str


def mine_target(target: Target, order: Order, known: Collection[str]) -> Mined | Failed:
    """Mine a repository, unless the key of what would come of it is a known one. Every error becomes a `Failed`."""
    steps = StepFile(order.steps and order.steps / slug(target.name), target.name)
    with steps.kept():
        return _mine(target, order, known, steps)


def _mine(target: Target, order: Order, known: Collection[str], steps: StepFile) -> Mined | Failed:
    begun = time.perf_counter()
    try:
        git = _mirror(target, order.repositories, steps.progress).borrow(refs=True)
        key = _key(git, target, order)
        if key in known:
            return Mined(target.name, key, None)
        languages = dict(order.languages)
        mined = mine_repository(git, order.options, steps.tell)
        steps.tell("counting authors and lines of code", 0)
        project = compute_facts(git, target.project, languages)
        steps.tell("collecting rows", 0)
        summary = Summary(target.name, mined.counts, mined.left_out, round(time.perf_counter() - begun, 3))
        return Mined(target.name, key, dump_work(summary, project, mined.candidates(languages)))
    except GitGoodBenchError as problem:
        return Failed(target.name, _one_line(problem))
    except Exception as problem:
        return Failed(target.name, f"{type(problem).__name__}: {_one_line(problem)}")


def dump_work(summary: Summary, project: Project, found: Iterable[Candidate]) -> bytes:
    """The text of a repository's file."""
    header = {"format": FORMAT, **asdict(summary), "project": project.model_dump()}
    return b"".join(json.dumps(line).encode("ascii") + b"\n" for line in (header, *map(_candidate_fields, found)))


def load_summary(file: Path) -> Summary:
    """The line about the repository in its file. Raises OSError or ValueError."""
    with file.open("rb") as lines:
        header = json.loads(next(lines, b""))
    return Summary(header["name"], header["counts"], header["left_out"], header["seconds"])


def load_work(file: Path) -> tuple[Project, Iterator[Candidate]]:
    """The computed facts and the candidates of a repository's file. Raises OSError or ValueError."""
    lines = iter(file.read_bytes().split(b"\n")[:-1])
    header = json.loads(next(lines))
    return Project.model_validate(header["project"]), (_candidate(json.loads(line)) for line in lines)


def _candidate_fields(candidate: Candidate) -> dict[str, Any]:
    fields = candidate.model_dump(exclude={"spec"}, exclude_defaults=True)
    return {"sample_type": candidate.sample_type, "spec": spec_fields(candidate.spec), **fields}


def _candidate(fields: dict[str, Any]) -> Candidate:
    kind = mined_type(fields.pop("sample_type"))
    spec = kind.spec.model_validate(fields.pop("spec"))
    columns = kind.columns.model_validate(fields.pop("columns", {}))
    return Candidate.model_validate({**fields, "spec": spec, "columns": columns})


def _mirror(target: Target, repositories: Repositories, progress: Progress) -> Mirror:
    if target.mirror is not None:
        return target.mirror
    store = open_store(repositories.folder, repositories.cache_dir, repositories.offline, progress)
    return store.mirror(target.name, [])


def _key(git: Git, target: Target, order: Order) -> str:
    refs = ("refs/heads/", "refs/remotes/") if order.options.refs is Refs.BRANCHES else ()
    state = [
        FORMAT,
        target.name,
        repr(order.options),
        repr(order.languages),
        counters(),
        [(name, pin(plugin.distribution).rule) for name, plugin in plugins(SAMPLES).items() if not _own(plugin)],
        [target.project.license is None, target.project.contributors is None, target.project.code_lines is None],
        git.run("for-each-ref", "--format=%(objectname) %(refname) %(symref)", *refs).hex(),
        [git.execute(*command).stdout.hex() for command in (("rev-parse", "HEAD"), ("symbolic-ref", "HEAD"))],
    ]
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()[:32]


def _own(plugin: Plugin) -> bool:
    return plugin.distribution == HARNESS


def slug(name: str) -> str:
    """A repository's name as part of a file's name, unique for each repository."""
    plain = name.replace("/", "__")
    if len(plain) <= _LONGEST_NAME:
        return plain
    return f"{plain[:_LONGEST_NAME]}~{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def _one_line(problem: BaseException) -> str:
    return " ".join(str(problem).split())[:500] or type(problem).__name__
