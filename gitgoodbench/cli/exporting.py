"""What `gitgoodbench trajectories` does: collect, divide, write, describe, upload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gitgoodbench.api.running import load_run
from gitgoodbench.cli.output import echo
from gitgoodbench.errors import UserError
from gitgoodbench.files import make_durably, write_atomically
from gitgoodbench.trajectories.choosing import Choice
from gitgoodbench.trajectories.disjoint import EVALUATION_SUITES, Evaluation, load_evaluation
from gitgoodbench.trajectories.export import (
    PAIR_FORMATS,
    Collected,
    Format,
    collect,
    divide,
    make_pairs,
    suffix_of,
    write_pairs,
    write_rows,
)
from gitgoodbench.trajectories.push import check_target, push_folder
from gitgoodbench.trajectories.rows import Row
from gitgoodbench.trajectories.statistics import CARD, CardFacts, card_of, draw_plots


@dataclass(frozen=True)
class Export:
    """What is asked. evaluation: suites to keep out, empty for the usual ones; None to allow everything."""

    out: Path
    form: Format
    choice: Choice
    pairs: bool
    min_gap: float
    test_share: float
    likeness: float | None
    evaluation: tuple[str, ...] | None
    offline: bool
    hub: str | None
    public: bool

    @property
    def is_file(self) -> bool:
        """Whether all rows go into one file."""
        return self.out.suffix in (".jsonl", ".json", ".parquet") and not self.out.is_dir()


def export(folders: Sequence[Path], asked: Export) -> int:
    """Write the training data of runs and say what was left out.

    Raises:
        UserError: something that the user can mend; nothing was written.
    """
    _check(asked)
    evaluation = None
    if asked.evaluation is not None:
        evaluation = load_evaluation(asked.evaluation or EVALUATION_SUITES, offline=asked.offline)
    collected = collect(map(load_run, folders), asked.choice, evaluation, likeness=asked.likeness)
    if not collected.rows:
        raise UserError(f"no episode is left of {collected.read}: {_left_out(collected) or 'the runs have none'}")
    written = _write_file(collected, asked) if asked.is_file else _write_folder(collected, evaluation, asked)
    echo(f"{len(collected.rows)} episodes of {collected.read}; {_left_out(collected)}")
    echo(f"{collected.masked} secrets and addresses masked")
    for path in written:
        echo(f"written: {path}")
    if asked.hub is not None:
        echo(f"uploaded: {push_folder(asked.out, asked.hub, public=asked.public)}")
    return 0


def _check(asked: Export) -> None:
    if asked.pairs and asked.form not in PAIR_FORMATS:
        raise UserError(f"--pairs is written for {', '.join(PAIR_FORMATS)}, not --format {asked.form}")
    if asked.is_file and asked.form == "atif":
        raise UserError("--format atif writes one document an episode: give a folder with --out")
    if asked.is_file and asked.out.suffix != suffix_of(asked.form):
        raise UserError(f"--out {asked.out}: files of --format {asked.form} end in {suffix_of(asked.form)}")
    if asked.hub is not None:
        check_target(asked.hub)
        if asked.is_file or asked.form == "atif":
            raise UserError("--push-to-hub uploads a folder with its card: give one with --out, and no --format atif")
    if not asked.is_file and asked.out.exists() and (not asked.out.is_dir() or any(asked.out.iterdir())):
        raise UserError(f"--out {asked.out} exists and is no empty folder: give another, or remove it")


def _left_out(collected: Collected) -> str:
    return "left out: " + ", ".join(f"{count} {reason}" for reason, count in collected.left_out if count) or "nothing"


def _write_file(collected: Collected, asked: Export) -> list[Path]:
    if asked.pairs:
        return write_pairs(make_pairs(collected.rows, asked.choice.by, asked.min_gap, None), asked.out)
    return write_rows(collected.rows, asked.form, asked.out)


def _write_folder(collected: Collected, evaluation: Evaluation | None, asked: Export) -> list[Path]:
    sides = divide(collected.rows, asked.test_share)
    made, written, files = 0, [], {}
    for name, rows in sides.items():
        if not rows:
            continue
        path = asked.out / f"{name}{suffix_of(asked.form)}"
        files[name] = path.name
        if asked.pairs:
            pairs = make_pairs(rows, asked.choice.by, asked.min_gap, asked.choice.most)
            made += len(pairs)
            written += write_pairs(pairs, path)
        else:
            written += [path] if asked.form == "atif" and write_rows(rows, asked.form, path) else []
            written += [] if asked.form == "atif" else write_rows(rows, asked.form, path)
    facts = CardFacts(
        title=asked.hub or asked.out.resolve().name,
        form=asked.form,
        sides=sides,
        files=files,
        collected=collected,
        evaluation=None if evaluation is None else evaluation.suites,
        plots=_plots(collected.rows, asked.out),
        pairs=made if asked.pairs else None,
    )
    make_durably(asked.out)
    write_atomically(asked.out / CARD, card_of(facts).encode())
    return [*written, asked.out / CARD]


def _plots(rows: Sequence[Row], folder: Path) -> list[tuple[str, str]]:
    """Plots beside the card, where matplotlib is installed."""
    make_durably(folder)
    try:
        return draw_plots(rows, folder)
    except ImportError:
        echo("no plots: run `pip install 'gitgoodbench[mining]'` for them", err=True)
        return []
