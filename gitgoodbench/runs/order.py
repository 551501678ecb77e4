"""In which order episodes are played. Light: the command line shows it."""

from __future__ import annotations

from enum import StrEnum


class Order(StrEnum):
    """SAMPLE: all epochs and runs of a sample, then those of the next. SUITE: all of a run, epoch by epoch."""

    SAMPLE = "sample"
    SUITE = "suite"
