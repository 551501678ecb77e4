"""Sketches of hunks: enough of what a hunk says to tell later, without its repository, which others are like it.

A hunk is read as tokens, blanks aside; it is the set of all runs of three tokens in it. Two hunks are near-identical
where these sets have at least 0.8 of their union in common (Jaccard), the usual measure of clones of code (Allamanis,
The adverse effects of code duplication in machine learning models of code, Onward! 2019). Hunks of fewer than 20 tokens
say too little: a new version number is no copy of another one.

The sketch of a set are the 256 smallest hashes of its members: the set itself, where it has no more. Of larger ones the
256 smallest hashes of the union of two are a random sample of it, and their share in both estimates the Jaccard
similarity with a standard error of 0.025 (A. Broder, On the resemblance and containment of documents, 1997). So hunks
are taken for alike from 0.7 on, four standard errors below.
"""

from __future__ import annotations

import base64
import hashlib
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from math import ceil
from sys import byteorder
from typing import Final

LEAST_TOKENS: Final = 20
RUN: Final = 3
SIZE: Final = 256
ALIKE: Final = 0.7
"""Estimated similarity from which two hunks are taken for near-identical."""

_TOKEN: Final = re.compile(rb"[A-Za-z0-9_\x80-\xff]+|[^\sA-Za-z0-9_\x80-\xff]")

Sketch = tuple[int, ...]
"""Ascending hashes of 32 bits."""


def tokens_of(hunk: bytes) -> list[bytes]:
    """Words and single signs."""
    return _TOKEN.findall(hunk)


def sketch_of(hunk: bytes) -> Sketch | None:
    """The sketch of a hunk's lines; None where it says too little."""
    tokens = tokens_of(hunk)
    if len(tokens) < LEAST_TOKENS:
        return None
    runs = {b" ".join(tokens[at : at + RUN]) for at in range(len(tokens) - RUN + 1)}
    return tuple(nsmallest(SIZE, {_hash(run) for run in runs}))


def sketches_of(hunks: Iterable[bytes]) -> tuple[str, ...]:
    """The sketches of hunks as text, each once, of those that say enough."""
    sketches = (sketch_of(hunk) for hunk in hunks)
    return tuple(dict.fromkeys(dump_sketch(sketch) for sketch in sketches if sketch is not None))


def digest_of(hunks: Iterable[bytes]) -> str | None:
    """A digest of hunks in order, blanks aside; equal where all of them are. None where there is not one token."""
    texts = [b" ".join(tokens_of(hunk)) for hunk in hunks]
    return hashlib.sha256(b"\n".join(texts)).hexdigest()[:32] if any(texts) else None


def dump_sketch(sketch: Sketch) -> str:
    """A sketch as text: base64 of its hashes, of four bytes each, the highest first."""
    numbers = array("I", sketch)
    if byteorder == "little":
        numbers.byteswap()
    return base64.b64encode(numbers.tobytes()).decode("ascii")


def load_sketch(text: str) -> Sketch:
    """Raises ValueError where the text is no sketch."""
    numbers = array("I", base64.b64decode(text, validate=True))
    if byteorder == "little":
        numbers.byteswap()
    return tuple(numbers)


def similarity(first: Sketch, second: Sketch) -> float:
    """The Jaccard similarity of the sets behind two sketches: exact where both are whole, else estimated."""
    union = sorted({*first, *second})
    if SIZE in (len(first), len(second)):
        union = union[:SIZE]
    both = {*first} & {*second}
    return sum(number in both for number in union) / len(union) if union else 0.0


def alike_pairs(sketches: Sequence[Sketch]) -> Iterator[tuple[int, int]]:
    """The positions of all pairs that are alike.

    Such a pair has at least 0.7 of the longer one in common. So with hashes in order from the rarest to the most
    frequent one, the first 0.3 of either have one in common, and only these need an index (Chaudhuri, Ganti and
    Kaushik, A primitive operator for similarity joins in data cleaning, ICDE 2006).
    """
    frequency = Counter(number for sketch in sketches for number in sketch)
    index: dict[int, list[int]] = defaultdict(list)
    for at in sorted(range(len(sketches)), key=lambda at: len(sketches[at])):
        sketch = sketches[at]
        least = ceil(ALIKE * len(sketch))
        rarest = sorted(sketch, key=lambda number: (frequency[number], number))[: len(sketch) - least + 1]
        for other in sorted({other for number in rarest for other in index[number]}):
            if len(sketches[other]) >= least and similarity(sketches[other], sketch) >= ALIKE:
                yield other, at
        for number in rarest:
            index[number].append(at)


def _hash(run: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(run, digest_size=4).digest(), "big")
