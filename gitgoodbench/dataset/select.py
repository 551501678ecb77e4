"""Which samples of a suite a run takes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from gitgoodbench.dataset.sample import DIFFICULTIES, Sample
from gitgoodbench.errors import UserError


@dataclass(frozen=True)
class Selection:
    """Filters, all of which must hold; several values of one filter are alternatives, none means any.

    ids: globs (fnmatch) over sample ids. languages, difficulties: compared without regard to case.
    shuffle: seed of an order that depends on nothing but the seed and the ids; None keeps the suite's order.
    limit: keep only so many, after shuffling.
    """

    ids: Sequence[str] = ()
    languages: Sequence[str] = ()
    difficulties: Sequence[str] = ()
    shuffle: int | None = None
    limit: int | None = None


def select_samples(samples: Sequence[Sample], selection: Selection) -> tuple[Sample, ...]:
    """The selected samples, in the order in which to run them.

    Raises:
        UserError: the limit is below 1, or nothing is left; the message says what there would be.
    """
    if selection.limit is not None and selection.limit < 1:
        raise UserError(f"--limit {selection.limit} takes no sample: give 1 or more")
    languages = _lower(selection.languages)
    difficulties = _lower(selection.difficulties)
    chosen = [
        sample
        for sample in samples
        if (not selection.ids or any(fnmatchcase(sample.id, pattern) for pattern in selection.ids))
        and (not languages or sample.programming_language in languages)
        and (not difficulties or sample.difficulty in difficulties)
    ]
    if not chosen:
        raise UserError(_nothing_left(samples, selection))
    if selection.shuffle is not None:
        chosen.sort(key=lambda sample: _rank(sample, selection.shuffle))
    return tuple(chosen[: selection.limit])


def _rank(sample: Sample, seed: int | None) -> bytes:
    return hashlib.sha256(f"{seed}:{sample.id}".encode()).digest()


def _lower(values: Iterable[str]) -> set[str]:
    return {value.strip().lower() for value in values}


def _nothing_left(samples: Sequence[Sample], selection: Selection) -> str:
    if not samples:
        return "the suite holds no samples"
    filters = [
        *(f"--sample {pattern}" for pattern in selection.ids),
        *(f"--language {language}" for language in selection.languages),
        *(f"--difficulty {difficulty}" for difficulty in selection.difficulties),
    ]
    languages = sorted({sample.programming_language for sample in samples})
    difficulties = [name for name in DIFFICULTIES if name in {sample.difficulty for sample in samples}]
    return (
        f"no sample is left by {' '.join(filters)}: the suite's {len(samples)} samples have ids like {samples[0].id}, "
        f"languages {', '.join(languages)}, difficulties {', '.join(difficulties)}"
    )
