"""What each edit of a conversation adds to the files of a commit, and what of it the conversation itself left standing.

Only lines that an edit adds are its work: not those that it repeats as context, nor those that a file had already. They
are told apart by Git's diff (`added_lines`). A conversation's edits of one file are replayed one after the other, so
each line has an owner: the edit that brought it last. A line that a later edit of the conversation overwrote is no
longer the earlier edit's; of an edit that keeps half of its lines or less, the later ones are what counts: it is
superseded. Blank lines do not count.

A piece of a file is put into the file where that is known: after the conversation's earlier edits, or into what the
commit started from. Where it fits neither, it is taken by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from gitgoodbench.feedback.added_lines import LineChange, Lines, Span, changed_lines, count_lines, is_binary, spans_of
from gitgoodbench.feedback.changes import CommitChange, FileChange
from gitgoodbench.feedback.placing import apply_parts, repeats
from gitgoodbench.feedback.records import Edit, Key
from gitgoodbench.feedback.showing_again import shown_again

SURVIVING: Final = 0.5
"""An edit is superseded when no more than this share of its lines is left by its own conversation."""


@dataclass(frozen=True)
class Addition:
    """A text, and the runs of lines in it that are new, in bytes.

    whole: the text is all of a file; otherwise it was cut out of one.
    """

    content: bytes
    spans: tuple[Span, ...]
    whole: bool

    @property
    def lines(self) -> int:
        """The lines that are not blank."""
        return sum(_filled(self.content[start:end]) for start, end in self.spans)


@dataclass(frozen=True)
class Work:
    """What one edit adds, or a conversation.

    path: in the repository, None where it is not known. added: all of it; standing: without what later edits of the
    conversation overwrote. lines, standing_lines: their lines that are not blank. again: it is an answer that only
    shows what the conversation writes by an edit, or shows once more; nothing of it is left standing.
    """

    path: bytes | None
    added: tuple[Addition, ...]
    standing: tuple[Addition, ...]
    again: bool = False

    @property
    def lines(self) -> int:
        return sum(one.lines for one in self.added)

    @property
    def standing_lines(self) -> int:
        return sum(one.lines for one in self.standing)

    @property
    def is_superseded(self) -> bool:
        """Whether the conversation itself overwrote most of it."""
        return self.standing_lines <= SURVIVING * self.lines


@dataclass(frozen=True)
class ConversationWork:
    """The work of each edit of a conversation, and what all of them add together, file by file."""

    edits: dict[Key, Work]
    net: tuple[Work, ...]


def work_of(edits: Sequence[Edit], change: CommitChange, locate: Callable[[Edit], bytes | None]) -> ConversationWork:
    """The work of the edits of one conversation, given in their order, in a commit.

    Args:
        edits: applied ones, and answers.
        locate: an edit's path in the repository.
    """
    stories: dict[object, _Story] = {}
    answers: list[tuple[Edit, bytes | None]] = []
    for edit in edits:
        path = locate(edit)
        if edit.kind == "answer":
            answers.append((edit, path))
            continue
        file = None if path is None else change.file(path)
        story = stories.setdefault(file.path if file is not None else path or edit.path, _Story(path, file))
        story.tell(edit)
    pairs = [pair for story in stories.values() for pair in story.pairs()]
    pairs += [(_base_of_answer(path, part.after, change), part.after) for one, path in answers for part in one.parts]
    changes = iter(changed_lines(pairs))
    found: dict[Key, Work] = {}
    net: list[Work] = []
    for story in stories.values():
        own, together = story.resolve([next(changes) for _ in story.pairs()])
        found.update(own)
        net.append(together)
    for edit, path in answers:
        added = tuple(_addition(part.after, next(changes).added, whole=False) for part in edit.parts)
        found[edit.key] = Work(path, added, added)
    again = shown_again(found, [edit.key for edit, _ in answers])
    found.update((key, replace(found[key], standing=(), again=True)) for key in again)
    net += (found[edit.key] for edit, _ in answers if edit.key not in again)
    return ConversationWork(found, tuple(net))


@dataclass
class _Step:
    """An edit of a file whose text is known before and after it; whole: that is all of the file."""

    edit: Edit
    before: bytes | None
    after: bytes
    whole: bool


@dataclass
class _Story:
    """What the edits of a conversation made of one file, step after step."""

    path: bytes | None
    file: FileChange | None
    steps: list[_Step] = field(default_factory=list)
    current: bytes | None = None
    keys: list[Key] = field(default_factory=list)

    def tell(self, edit: Edit) -> None:
        """One edit more."""
        self.keys.append(edit.key)
        origin = self.current if self.current is not None else (self.file.before if self.file is not None else None)
        if edit.whole and len(edit.parts) == 1:
            part = edit.parts[0]
            before = part.before if part.before is not None else origin
            self.current = _text(part.after)
            if before is not None and is_binary(before):
                before = self.current  # as in a commit, there are no lines to be told apart
            self.steps.append(_Step(edit, before, self.current, whole=True))
            return
        for start in dict.fromkeys((origin, None if self.file is None else self.file.before)):
            result = None if start is None else apply_parts(start, edit.parts)
            if result is not None:
                self.steps.append(_Step(edit, start, result, whole=True))
                self.current = result
                return
        self.steps += (_Step(edit, part.before, _text(part.after), whole=False) for part in edit.parts)

    def pairs(self) -> list[tuple[bytes | None, bytes]]:
        """The pairs of texts of which the changed lines must be known: each step, each gap between two, and the net."""
        wholes = [step for step in self.steps if step.whole]
        pairs: list[tuple[bytes | None, bytes]] = [(step.before, step.after) for step in self.steps]
        pairs += ((one.after, other.before or b"") for one, other in pairwise(wholes))
        if wholes:
            pairs.append((wholes[0].before, wholes[-1].after))
        return pairs

    def resolve(self, changes: Sequence[LineChange]) -> tuple[dict[Key, Work], Work]:
        """The work of each edit and of all together, of what `pairs` asked for."""
        wholes = [step for step in self.steps if step.whole]
        own = dict(zip(map(id, self.steps), changes, strict=False))
        gaps = changes[len(self.steps) :]
        owners, overwritten = _owners(wholes, own, gaps)
        present = set(owners)
        standing = _left(self.steps, own)
        for step in wholes:
            standing[id(step)] = [line for line in _numbers(own[id(step)].added) if (id(step), line) not in overwritten]
        added: dict[Key, list[Addition]] = {key: [] for key in self.keys}
        left: dict[Key, list[Addition]] = {key: [] for key in self.keys}
        net: list[Addition] = []
        for step in self.steps:
            numbers = standing[id(step)]
            added[step.edit.key].append(_addition(step.after, own[id(step)].added, whole=step.whole))
            left[step.edit.key].append(_addition(step.after, _runs(numbers), whole=step.whole))
            taken = [line for line in numbers if (id(step), line) not in present]
            net.append(_addition(step.after, _runs(taken), whole=step.whole))
        if wholes:
            new = [line for line in _numbers(gaps[-1].added) if line < len(owners) and owners[line] is not None]
            net.append(_addition(wholes[-1].after, _runs(new), whole=True))
        works = {key: Work(self.path, tuple(added[key]), tuple(left[key])) for key in self.keys}
        together = tuple(one for one in net if one.lines)
        return works, Work(self.path, together, together)


def _text(content: bytes) -> bytes:
    """What has lines of a content: nothing of one that Git takes for binary."""
    return b"" if is_binary(content) else content


_Owner = tuple[int, int] | None
"""The step (its id) that brought a line, and the line's number after it."""


def _owners(
    wholes: Sequence[_Step], own: Mapping[int, LineChange], gaps: Sequence[LineChange]
) -> tuple[list[_Owner], set[_Owner]]:
    """Who brought each line of the last text (None: it was there before, or the person wrote it), and what later steps
    overwrote. What the person changes between two steps counts as not overwritten.
    """
    overwritten: set[_Owner] = set()
    owners: list[_Owner] = [None] * count_lines(wholes[0].before or b"") if wholes else []
    for at, step in enumerate(wholes):
        if at:
            owners = _carried(owners, gaps[at - 1], None)
        change = own[id(step)]
        overwritten.update(owners[line] for line in _numbers(change.removed) if line < len(owners))
        owners = _carried(owners, change, id(step))
    return owners, overwritten


def _carried(owners: Sequence[_Owner], change: LineChange, step: int | None) -> list[_Owner]:
    """The owners of lines after a change, which a step made, or the person."""
    gone, added = set(_numbers(change.removed)), set(_numbers(change.added))
    kept = iter([owner for line, owner in enumerate(owners) if line not in gone])
    length = len(owners) - len(gone) + len(added)
    return [(None if step is None else (step, line)) if line in added else next(kept, None) for line in range(length)]


def _left(steps: Sequence[_Step], own: Mapping[int, LineChange]) -> dict[int, list[int]]:
    """What is left of pieces without a known place: a later one takes away lines with the text of those it removes."""
    pieces = [step for step in steps if not step.whole]
    removed = [_texts(step.before or b"", own[id(step)].removed) for step in pieces]
    left: dict[int, list[int]] = {}
    for at, step in enumerate(pieces):
        gone = sum(removed[at + 1 :], Counter[bytes]())
        rows = step.after.split(b"\n")
        numbers: list[int] = []
        for line in _numbers(own[id(step)].added):
            text = rows[line].strip()
            if text and gone[text]:
                gone[text] -= 1
            else:
                numbers.append(line)
        left[id(step)] = numbers
    return left


def _texts(content: bytes, runs: Iterable[Lines]) -> Counter[bytes]:
    rows = content.split(b"\n")
    return Counter(rows[line].strip() for line in _numbers(runs))


def _numbers(runs: Iterable[Lines]) -> Iterator[int]:
    """The lines of runs."""
    return (line for first, end in runs for line in range(first, end))


def _runs(lines: Iterable[int]) -> tuple[Lines, ...]:
    """Ascending line numbers as runs."""
    runs: list[Lines] = []
    for line in sorted(lines):
        if runs and runs[-1][1] == line:
            runs[-1] = (runs[-1][0], line + 1)
        else:
            runs.append((line, line + 1))
    return tuple(runs)


def _addition(content: bytes, runs: Sequence[Lines], *, whole: bool) -> Addition:
    """The runs that are more than blank lines."""
    spans = [span for span in spans_of(content, runs) if _filled(content[span[0] : span[1]])]
    return Addition(content, tuple(spans), whole)


def _filled(content: bytes) -> int:
    return sum(1 for line in content.split(b"\n") if line.strip())


def _base_of_answer(path: bytes | None, piece: bytes, change: CommitChange) -> bytes | None:
    """What a piece of an answer is compared with: the file, where the answer is that file's code once more."""
    file = None if path is None else change.file(path)
    if file is None or file.before is None or not repeats(piece, file.before):
        return None
    return file.before
