"""Suites: the built-in one, the published ones on the Hugging Face hub, and files of the same schema."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Final

from gitgoodbench.dataset.hub import HubDataset, load_hub_rows
from gitgoodbench.dataset.readers import SUFFIXES, Row, read_rows
from gitgoodbench.dataset.rows import Place, RowError, read_sample
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.dataset.types import sample_type
from gitgoodbench.errors import UserError

MINI: Final = "mini"
PUBLISHED: Final = {
    "lite": HubDataset("JetBrains/git_good_bench-lite", "086d113d9e584ad0dde7cd08a693b17546800f2d"),
    "full": HubDataset("JetBrains/git_good_bench"),
    "train": HubDataset("JetBrains/git_good_bench-train"),
}
"""The published suites; `lite` at the revision that the published figures are about."""

_HUB_SPEC: Final = re.compile(r"hf:(?P<name>[\w.-]+/[\w.-]+)(?:@(?P<revision>[\w./-]+))?", re.ASCII)


@dataclass(frozen=True)
class Suite:
    """The samples of a dataset, and where they came from.

    spec: as the user gave it. source: the resolved file, or the repository on the hub. revision: commit of the hub
    repository, None for files and for the built-in suite. invalid: one message for each row left out by `skip_invalid`.
    """

    spec: str
    samples: tuple[Sample, ...]
    source: str
    revision: str | None = None
    invalid: tuple[str, ...] = ()

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hexadecimal) of the samples and their order; the same whatever format they were read from."""
        return _fingerprint([_fields(sample) for sample in self.samples])


def row_fingerprint(sample: Sample) -> str:
    """SHA-256 (hexadecimal) of a sample; the same whatever format its row was read from."""
    return _fingerprint(_fields(sample))


def _fingerprint(fields: Any) -> str:
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _fields(sample: Sample) -> dict[str, Any]:
    """A sample's fields under the names that fingerprints are made of."""
    fields = sample.model_dump(mode="python")
    return fields | sample_type(sample.sample_type).fingerprint_fields(fields.pop("spec"))


def load_suite(spec: str, *, skip_invalid: bool = False, offline: bool = False) -> Suite:
    """Load a suite.

    Args:
        spec: `mini`, `lite`, `full`, `train`, `hf:org/name[@revision]`, or the path of a .parquet, .jsonl, .json or
            .csv file.
        skip_invalid: leave out rows that are malformed or repeat an id, and list them in `Suite.invalid`.
        offline: take hub datasets from the local cache alone.

    Raises:
        RowError: the first row that is no sample.
        UserError: the spec is unknown, the source cannot be had, it repeats an id, or no row is left.
    """
    if spec == MINI:
        rows = resources.files("gitgoodbench.data").joinpath(MINI, "rows.jsonl")
        with resources.as_file(rows) as path:
            return _suite(spec, read_rows(path), "gitgoodbench.data/mini/rows.jsonl", None, skip_invalid)
    if dataset := _hub_dataset(spec):
        loaded = load_hub_rows(dataset, offline=offline)
        places = (Place(dataset.name, number) for number in range(1, len(loaded.rows) + 1))
        return _suite(spec, zip(places, loaded.rows, strict=True), dataset.name, loaded.revision, skip_invalid)
    path = Path(spec).expanduser()
    if path.suffix.lower() in SUFFIXES or (spec and path.exists()):
        return _suite(spec, read_rows(path), str(path.resolve()), None, skip_invalid)
    raise UserError(_unknown(spec))


def _hub_dataset(spec: str) -> HubDataset | None:
    match = _HUB_SPEC.fullmatch(spec)
    if match:
        return HubDataset(match["name"], match["revision"])
    if spec.startswith("hf:"):
        raise UserError(f"{spec!r} names no hub dataset: write hf:org/name or hf:org/name@revision")
    return PUBLISHED.get(spec)


def _suite(
    spec: str, rows: Iterable[tuple[Place, Row]], source: str, revision: str | None, skip_invalid: bool
) -> Suite:
    samples: list[Sample] = []
    invalid: list[str] = []
    first: dict[str, Place] = {}
    for place, row in rows:
        try:
            sample = _sample(row, place, first)
        except RowError as problem:
            if not skip_invalid:
                problem.args = (f"{problem} (--skip-invalid leaves such rows out)",)
                raise
            invalid.append(str(problem))
        else:
            samples.append(sample)
            first[sample.id] = place
    if not samples:
        reason = f"all its {len(invalid)} rows are invalid, the first: {invalid[0]}" if invalid else "it is empty"
        raise UserError(f"{source} holds no sample: {reason}")
    return Suite(spec, tuple(samples), source, revision, tuple(invalid))


def _sample(row: Row, place: Place, seen: dict[str, Place]) -> Sample:
    if isinstance(row, RowError):
        raise row
    sample = read_sample(row, place)
    if sample.id in seen:
        raise RowError(place, "id", f"an id of its own ({seen[sample.id]} has the same)", sample.id)
    return sample


def _unknown(spec: str) -> str:
    names: Sequence[str] = (MINI, *PUBLISHED)
    close = difflib.get_close_matches(spec.lower(), names, n=1)
    hub = [dataset.name for dataset in PUBLISHED.values()]
    if os.sep in spec and difflib.get_close_matches(spec, hub, n=1):
        hint = f"did you mean hf:{difflib.get_close_matches(spec, hub, n=1)[0]}? "
    else:
        hint = f"did you mean {close[0]}? " if close else ""
    return (
        f"there is no suite {spec!r}: {hint}Possible are {', '.join(names)}, hf:org/name[@revision], "
        f"and the path of a {', '.join(SUFFIXES)} file"
    )
