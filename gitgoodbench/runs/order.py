"""In which order episodes are played. Light: the command line shows it."""

from __future__ import annotations

from enum import StrEnum


class Order(StrEnum):
    """SAMPLE: all epochs of a sample, then those of the next. SUITE: the whole suite, epoch by epoch."""

    SAMPLE = "sample"
    SUITE = "suite"
