"""Which commits a message says it repeats or takes back: as Git itself writes it, and as projects and their bots do.

A line must begin so; what a sentence mentions in its middle does not count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from gitgoodbench.git.picks import Operation

_ID: Final = rb"([0-9a-f]{7,64})\b"
_BEFORE: Final = rb"^[ \t>*(\[-]*"
_FORMS: Final = {
    "cherry picked from": rb"cherry[- ]?pick(?:ed)?[- ]from:?(?:[ \t]+commit)?:?[ \t]+",
    "cherry-pick of": rb"cherry[- ]?pick(?:s|ed)?:?(?:[ \t]+of)?(?:[ \t]+commit)?:?[ \t]+",
    "backport": rb"back[- ]?port(?:s|ed)?:?(?:[ \t]+(?:of|from))?(?:[ \t]+commit)?:?[ \t]+",
    "upstream": rb"upstream[- ]commit:?[ \t]+",
    "picked from": rb"picked[- ]from:?(?:[ \t]+commit)?:?[ \t]+",
}
_PICKS: Final = re.compile(_BEFORE + rb"(?:" + b"|".join(_FORMS.values()) + rb")" + _ID, re.MULTILINE | re.IGNORECASE)
_UPSTREAM: Final = re.compile(_BEFORE + rb"commit[ \t]+" + _ID + rb"[ \t]+upstream\.?[ \t]*\]?[ \t]*$", re.MULTILINE)
_REVERTS: Final = re.compile(rb"^[ \t]*This reverts commit " + _ID, re.MULTILINE)


@dataclass(frozen=True)
class Named:
    """What a message names. commits: ids, perhaps abbreviated, in order, each once."""

    operation: Operation
    commits: tuple[str, ...]


def named_commits(message: bytes) -> Named | None:
    """The commits that a message names as picked, else as reverted; None where it names none.

    A revert that was picked names the commit that was picked.
    """
    found = sorted((match.start(1), match[1]) for pattern in (_PICKS, _UPSTREAM) for match in pattern.finditer(message))
    if picks := tuple(dict.fromkeys(name.decode("ascii").lower() for _, name in found)):
        return Named("pick", picks)
    reverts = tuple(dict.fromkeys(match[1].decode("ascii") for match in _REVERTS.finditer(message)))
    return Named("revert", reverts) if reverts else None
