"""Rules that settle conflicts without knowing anything: what any figure must be read against. Pure but for Git's diffs.

`ours` and `theirs` take one side everywhere, `union` and `union-reverse` both; where there is no text they take that
side, and the unions keep what one side deleted. `patch-fuzz` gives each file what `patch -F3` makes of it (see
`git.fuzzy_patch`): the change from the base to the other side, applied to the local file; where there is no text, it
leaves the local side. `token-merge` merges the three texts of each conflict word by word, and takes theirs where words
conflict, too, or where there is no text.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitgoodbench.git.conflict_text import Region, aligned_resolutions
from gitgoodbench.git.conflicts import Choice, ConflictedFile, ConflictModel, PathConflict, ReadBlobs
from gitgoodbench.git.fuzzy_patch import patch_fuzzily
from gitgoodbench.git.hunks import change_between
from gitgoodbench.git.objects import Entry, Tree
from gitgoodbench.git.process import Git
from gitgoodbench.resolving.resolution import Answer, Resolution

MAX_FILE_BYTES: Final = 4 * 1024 * 1024
"""Larger files are left as they are locally by rules that compute."""

_TOKEN: Final = re.compile(rb"\w+|[ \t]+|\r?\n|.", re.DOTALL)


@dataclass(frozen=True)
class Material:
    """What a rule sees. git: a repository on this machine that holds the three versions. read: gives their contents."""

    git: Git
    model: ConflictModel
    read: ReadBlobs

    def stages(self, file: ConflictedFile) -> tuple[bytes | None, bytes | None, bytes | None]:
        """Base, local and other version; None for none, and for what is too large or missing."""
        listed = (file.stages.base, file.stages.local, file.stages.incoming)
        contents = self.read(entry.oid for entry in listed if entry is not None and entry.is_file)
        base, local, other = (None if entry is None else _small(contents.get(entry.oid)) for entry in listed)
        return base, local, other


Rule = Callable[[Material], Sequence[Answer]]


def _small(content: bytes | None) -> bytes | None:
    return content if content is not None and len(content) <= MAX_FILE_BYTES else None


def by_region(rule: Callable[[Region], bytes], side: Choice, *, keep_all: bool = False) -> Rule:
    """Answer by `rule` where there is text, else by `side`; `keep_all` takes the other side where that one deleted."""

    def answers(material: Material) -> list[Answer]:
        return [
            (_other_side(side) if keep_all and _removes_all(conflict, side) else side)
            if isinstance(conflict, PathConflict)
            else rule(material.model.region(conflict))
            for conflict in material.model.conflicts
        ]

    return answers


def _other_side(side: Choice) -> Choice:
    return Choice.INCOMING if side is Choice.LOCAL else Choice.LOCAL


def _removes_all(conflict: PathConflict, side: Choice) -> bool:
    return all(entry is None for entry in conflict.placements[side].values())


def _joined(first: bytes, second: bytes) -> bytes:
    if first and second and not first.endswith(b"\n"):
        return first + b"\n" + second
    return first + second


def by_file(rule: Callable[[Material, ConflictedFile], Sequence[bytes]], side: Choice) -> Rule:
    """Answer all regions of a file at once by `rule`, and by `side` where there is no text."""

    def answers(material: Material) -> list[Answer]:
        model = material.model
        texts = {path: rule(material, file) for path, file in model.files.items()}
        return [
            side if isinstance(conflict, PathConflict) else texts[conflict.path][conflict.position]
            for conflict in model.conflicts
        ]

    return answers


def _patched(material: Material, file: ConflictedFile) -> Sequence[bytes]:
    base, local, other = material.stages(file)
    stages = file.stages
    if base is None or local is None or other is None or stages.base is None or stages.incoming is None:
        return [region.local for region in file.regions]
    change = change_between(material.git, (stages.base.oid, base), (stages.incoming.oid, other))
    return aligned_resolutions(file.segments, patch_fuzzily(change.script, local).content)


def _merged_by_words(material: Material, file: ConflictedFile) -> Sequence[bytes]:
    base, _, _ = material.stages(file)
    bases = [b""] * len(file.regions) if base is None else aligned_resolutions(file.segments, base)
    return [
        merge_words(material.git, old, region.local, region.incoming, otherwise=region.incoming)
        for old, region in zip(bases, file.regions, strict=True)
    ]


def merge_words(git: Git, base: bytes, local: bytes, other: bytes, *, otherwise: bytes) -> bytes:
    """Merge three texts as `git merge-file` merges lines, with a word, a run of blanks or a sign for a line."""
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for name, text in (("local", local), ("base", base), ("other", other)):
            path = Path(folder, name)
            path.write_bytes(b"".join(token.hex().encode("ascii") + b"\n" for token in _TOKEN.findall(text)))
            names.append(str(path))
        result = git.execute("merge-file", "-p", "--quiet", *names)
    if result.returncode != 0:
        return otherwise
    return b"".join(bytes.fromhex(line.decode("ascii")) for line in result.stdout.split(b"\n"))


SIDES: Final[Mapping[str, Rule]] = {
    "ours": by_region(lambda region: region.local, Choice.LOCAL),
    "theirs": by_region(lambda region: region.incoming, Choice.INCOMING),
    "union": by_region(lambda region: _joined(region.local, region.incoming), Choice.LOCAL, keep_all=True),
    "union-reverse": by_region(
        lambda region: _joined(region.incoming, region.local), Choice.INCOMING, keep_all=True
    ),
}  # fmt: skip
PICK_RULES: Final[Mapping[str, Rule]] = {
    **{name: rule for name, rule in SIDES.items() if name != "union-reverse"},
    "patch-fuzz": by_file(_patched, Choice.LOCAL),
    "token-merge": by_file(_merged_by_words, Choice.INCOMING),
}


def is_core(material: Material, rules: Mapping[str, Rule], truth: Tree) -> bool:
    """Whether none of the rules makes the tree `truth`."""
    return not any(reaches(material.model, rule(material), truth) for rule in rules.values())


def reaches(model: ConflictModel, answers: Sequence[Answer], truth: Tree) -> bool:
    """Whether these answers make the tree `truth`. Of both trees only what differs or conflicts need be known."""
    resolution = Resolution(model)
    while (number := resolution.current) is not None:
        resolution.answer(answers[number])
    settled = resolution.entries()
    rest = (model.automatic.keys() | truth.keys()) - settled.keys()
    if any(model.automatic.get(path) != truth.get(path) for path in rest):
        return False
    return all(_entry(made, truth.get(path)) == truth.get(path) for path, made in settled.items())


def _entry(made: tuple[Entry, bytes | None] | None, like: Entry | None) -> Entry | None:
    if made is None:
        return None
    entry, content = made
    if content is None:
        return entry
    algorithm = hashlib.sha256 if like is not None and len(like.oid) == 64 else hashlib.sha1
    return Entry(entry.mode, algorithm(b"blob %d\0" % len(content) + content).hexdigest())
