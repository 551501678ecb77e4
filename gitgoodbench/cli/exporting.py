"""What `gitgoodbench trajectories` does: collect, divide, write, describe, upload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gitgoodbench.cli.output import echo
from gitgoodbench.cli.running import find_run
from gitgoodbench.errors import UserError
from gitgoodbench.files import make_durably, write_atomically
from gitgoodbench.trajectories.choosing import Choice, Pair
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
from gitgoodbench.trajectories.source import Source
from gitgoodbench.trajectories.statistics import CARD, CardFacts, card_of, draw_plots

_WHOLE = "each repository has more rows than --test-share allows, and none is divided"
_UNPAIRED = "none of its rows make a pair"


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


def export(runs: Sequence[str], asked: Export) -> int:
    """Write the training data of runs and say what was left out.

    Raises:
        UserError: something that the user can mend; nothing was written.
    """
    _check(asked)
    evaluation = None
    if asked.evaluation is not None:
        evaluation = load_evaluation(asked.evaluation or EVALUATION_SUITES, offline=asked.offline)
    collected = collect(
        [Source.of(find_run(run).folder) for run in runs], _choice(asked), evaluation, likeness=asked.likeness
    )
    if not collected.rows:
        raise UserError(f"no episode is left of {collected.read}: {_left_out(collected)}")
    if asked.pairs and not _pairs(collected.rows, asked):
        raise UserError(
            f"no two of {len(collected.rows)} episodes make a pair: of one sample, with one prompt, and apart in "
            f"{asked.choice.by}; play more --epochs, or give a smaller --min-gap or another --by"
        )
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
    if asked.pairs and asked.choice.best:
        raise UserError("--pairs compares episodes of one sample, and --best-of-sample keeps one: give one of the two")
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


def _choice(asked: Export) -> Choice:
    """The choice of rows: a number of each sample is one of pairs where pairs are asked for."""
    return replace(asked.choice, most=None) if asked.pairs else asked.choice


def _left_out(collected: Collected) -> str:
    return "left out: " + (", ".join(f"{count} {reason}" for reason, count in collected.left_out if count) or "none")


def _pairs(rows: Sequence[Row], asked: Export) -> list[Pair]:
    return make_pairs(rows, asked.choice.by, asked.min_gap, asked.choice.most)


def _write_file(collected: Collected, asked: Export) -> list[Path]:
    if asked.pairs:
        return write_pairs(_pairs(collected.rows, asked), asked.out)
    return write_rows(collected.rows, asked.form, asked.out)


def _write_folder(collected: Collected, evaluation: Evaluation | None, asked: Export) -> list[Path]:
    sides = divide(collected.rows, asked.test_share)
    made, written, files = 0, [], {}
    for name, rows in sides.items():
        path = asked.out / f"{name}{suffix_of(asked.form)}"
        pairs = _pairs(rows, asked) if asked.pairs else []
        if not rows or (asked.pairs and not pairs):
            if asked.test_share:
                echo(f"no side {name}: {_WHOLE if not rows else _UNPAIRED}")
            continue
        files[name] = path.name
        made += len(pairs)
        files_of_side = write_pairs(pairs, path) if asked.pairs else write_rows(rows, asked.form, path)
        written += [path] if asked.form == "atif" else files_of_side
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
