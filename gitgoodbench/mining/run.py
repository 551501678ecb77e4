"""Mining many repositories: resumable, in parallel, into one file.

mined.parquet                        the result, written when every repository has had its turn
mined.parquet.work/
  owner__name.<key>.jsonl            what one repository gave, written when it was finished (see `task`)
  .steps/                            how far the repositories under way are (see `steps`)
  .lock                              held by the process that works here

The result is put together from the files of the work folder in the order in which the repositories were named, so it
does not depend on when, where and in how many attempts they were mined. The folder may be deleted afterwards; kept, it
makes the next run mine only what has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from gitgoodbench.clusters.backends import Workers
from gitgoodbench.errors import UserError
from gitgoodbench.files import locked, write_atomically
from gitgoodbench.mining.backends import work_through
from gitgoodbench.mining.mined_file import check_suffix, write_mined
from gitgoodbench.mining.records import MinedRow, number_rows
from gitgoodbench.mining.steps import watching_steps
from gitgoodbench.mining.targets import Target
from gitgoodbench.mining.task import Failed, Mined, Order, Summary, load_summary, load_work, mine_target, slug
from gitgoodbench.workspace.network import Step


class Observer(Protocol):
    """Who watches: called from the main thread."""

    def begin(self, repositories: int) -> None: ...

    def finished(self, summary: Summary, *, kept: bool) -> None:
        """A repository is done; kept: it was already."""
        ...

    def failed(self, failure: Failed) -> None: ...

    def note(self, text: str) -> None: ...

    def under_way(self, step: Step) -> None:
        """How far a repository is, or the file. Called also from another thread."""
        ...


@dataclass(frozen=True)
class MiningReport:
    """How a run ended. rows: written to the file."""

    out: Path
    rows: int
    summaries: tuple[Summary, ...]
    failures: tuple[Failed, ...]


def work_folder(out: Path) -> Path:
    """Where the parts of a file are kept."""
    return out.with_name(f"{out.name}.work")


def mine(
    targets: Sequence[Target],
    order: Order,
    out: Path,
    workers: Workers,
    observer: Observer,
    *,
    only: Sequence[str] = (),
) -> MiningReport:
    """Mine the repositories and write the file. A repository that fails loses only its own rows.

    Args:
        only: languages whose rows are wanted; none: all.

    Raises:
        UserError: the file cannot be written, or the workers cannot be had.
    """
    check_suffix(out)
    folder = work_folder(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / ".lock", lambda _: observer.note(f"waiting: another process mines into {out}")):
            files, failures = _mine(targets, order, folder, workers, observer)
            rows = write_mined(_counted(_rows(targets, files, only), out.name, observer.under_way), out)
    except OSError as problem:
        raise UserError(f"{problem.filename or folder} cannot be written: {problem.strerror}") from problem
    summaries = [load_summary(files[target.name]) for target in targets if target.name in files]
    failed = [failures[target.name] for target in targets if target.name in failures]
    return MiningReport(out, rows, tuple(summaries), tuple(failed))


def _mine(
    targets: Sequence[Target], order: Order, folder: Path, workers: Workers, observer: Observer
) -> tuple[dict[str, Path], dict[str, Failed]]:
    """The files of the repositories that could be mined, and what became of the others, by name."""
    files: dict[str, Path] = {}
    failures: dict[str, Failed] = {}
    observer.begin(len(targets))
    order = replace(order, steps=(folder / ".steps").absolute())
    calls = ((target, order, _known(folder, target.name)) for target in targets)
    with watching_steps(folder / ".steps", observer.under_way):
        for answer in work_through(mine_target, calls, workers):
            if isinstance(answer, Failed):
                failures[answer.name] = answer
                observer.failed(answer)
                continue
            files[answer.name] = _keep(folder, answer)
            observer.finished(load_summary(files[answer.name]), kept=answer.content is None)
    return files, failures


def _keep(folder: Path, answer: Mined) -> Path:
    """Replace the repository's rows."""
    file = folder / f"{slug(answer.name)}.{answer.key}.jsonl"
    if answer.content is not None:
        write_atomically(file, answer.content)
        for other in folder.glob(f"{slug(answer.name)}.*.jsonl"):
            if other != file:
                other.unlink()
    return file


def _known(folder: Path, name: str) -> frozenset[str]:
    """Keys of a repository's files that can be read."""
    keys = set()
    for file in folder.glob(f"{slug(name)}.*.jsonl"):
        try:
            load_summary(file)
        except (OSError, ValueError, KeyError):
            continue
        keys.add(file.name.removesuffix(".jsonl").rpartition(".")[2])
    return frozenset(keys)


def _counted(rows: Iterator[MinedRow], file: str, tell: Callable[[Step], None]) -> Iterator[MinedRow]:
    for done, row in enumerate(rows):
        tell(Step(file, "writing rows", done))
        yield row
    tell(Step(file, None))


def _rows(targets: Sequence[Target], files: Mapping[str, Path], only: Sequence[str]) -> Iterator[MinedRow]:
    for target in targets:
        if target.name in files:
            computed, found = load_work(files[target.name])
            project = computed.overlaid(target.project)
            rows = number_rows(project, found)
            yield from (row for row in rows if not only or row.language in only)
