"""What feedback says of made-up edits behind real commits: a table of scores.

    python bench/feedback_scores.py REPOSITORY [--commits 50] [--seed 0]

Of each commit, edits that could have led to it are made up from its diff, linked among all commits by their path,
content and time (nothing else speaks for them), and scored:

- exact: the file as it was committed, written as a whole.
- tool: the same as edits of pieces with three lines of context.
- renamed: the person gave three names of the added lines other ones.
- reformatted: the person's formatter changed quotes and the blanks of comments.
- half: the edit added as many lines more, of another commit, which the person threw away.
- moved: the same change, made in another file.
- answer: the added lines, shown in an answer without a path.
- unrelated: lines of another commit of the same language.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from gitgoodbench.feedback.added_lines import LineChange, changed_lines, line_starts
from gitgoodbench.feedback.changes import CommitChange, FileChange, read_change
from gitgoodbench.feedback.linking import link_edits
from gitgoodbench.feedback.normalising import QUOTES_ALIKE
from gitgoodbench.feedback.records import Commit, Edit, EditResult, Key, Kind, Link, Part, Session
from gitgoodbench.feedback.scoring import score_commit
from gitgoodbench.git.process import Git
from gitgoodbench.ted import Snippet, language_of_file

KINDS = ("exact", "tool", "renamed", "reformatted", "half", "moved", "answer", "unrelated")
ROOT = "/repository"
CONTEXT = 3
_NAME = re.compile(rb"\b[A-Za-z_][A-Za-z_0-9]*\b")
_OTHER_QUOTES = bytes.maketrans(b"'\"", b"\"'")
_COMMENT = re.compile(rb"(?m)(^\s*(?:#|//) ?)(\S)")


@dataclass(frozen=True)
class Case:
    """A file of a commit, and lines of another commit's file in the same language."""

    commit: Commit
    file: FileChange
    other: bytes


def added_text(file: FileChange) -> bytes:
    """The lines that a commit adds to a file."""
    return b"".join((file.after or b"")[start:end] for start, end in file.added)


def with_added(file: FileChange, change: Callable[[bytes], bytes]) -> bytes:
    """The file after the commit, its added lines changed."""
    content = file.after or b""
    parts: list[bytes] = []
    done = 0
    for start, end in file.added:
        parts += content[done:start], change(content[start:end])
        done = end
    return b"".join([*parts, content[done:]])


def other_names(file: FileChange) -> Callable[[bytes], bytes]:
    """Gives three names of the added lines other ones, everywhere."""
    language = language_of_file(file.path)
    assert language is not None
    tree = Snippet(file.after or b"", language.name, file.added).parse()
    nodes = (node for node in range(len(tree)) if tree.kind(node).endswith("identifier"))
    names = list(dict.fromkeys(name for node in nodes if _NAME.fullmatch(name := tree.text(node))))
    chosen = {name: name + b"_x" for name in names[:: max(1, len(names) // 3)][:3]}
    return lambda text: _NAME.sub(lambda match: chosen.get(match[0], match[0]), text)


def other_format(path: bytes) -> Callable[[bytes], bytes]:
    """Gives comments another blank, and code other quotes where that is the same."""
    language = language_of_file(path)
    swaps = language is not None and language.family in QUOTES_ALIKE

    def formatted(lines: bytes) -> bytes:
        rows = lines.split(b"\n")
        rows = [row.translate(_OTHER_QUOTES) if swaps and plain(row) else row for row in rows]
        return _COMMENT.sub(rb"\1  \2", b"\n".join(rows))

    return formatted


def plain(line: bytes) -> bool:
    """Whether a line has quotes of one kind only, and no escapes."""
    return (b"'" in line) != (b'"' in line) and b"\\" not in line


def pieces(file: FileChange) -> Iterator[Part]:
    """The change as an edit tool makes it: piece after piece, with lines around each that no other piece changes."""
    before, after = file.before or b"", file.after or b""
    change = changed_lines([(before, after)])[0]
    old, new = line_starts(before), line_starts(after)
    kept = sorted(matched_lines(change, len(old) - 1, len(new) - 1))
    last = -1, -1
    for first, second in pairwise([(-1, -1), *kept, (len(old) - 1, len(new) - 1)]):
        if second[0] - first[0] == 1 == second[1] - first[1]:
            continue
        context = min(CONTEXT, first[0] - last[0], first[1] - last[1])
        begin, begin_new = first[0] + 1 - context, first[1] + 1 - context
        yield Part(before[old[begin] : old[second[0]]], after[new[begin_new] : new[second[1]]], begin_new + 1)
        last = second[0] - 1, second[1] - 1


def matched_lines(change: LineChange, old: int, new: int) -> Iterator[tuple[int, int]]:
    """Pairs of lines that are the same before and after."""
    gone, added = ({line for run in runs for line in range(*run)} for runs in (change.removed, change.added))
    kept = ([line for line in range(count) if line not in lines] for count, lines in ((old, gone), (new, added)))
    yield from zip(*kept, strict=True)


def made_up(case: Case, kind: str) -> Edit | None:
    """The edit of a kind that could have led to a commit; None where it would be another kind's."""
    file, key, at = case.file, Key("made-up", f"{kind}-{case.commit.id[:12]}", kind), case.commit.time - 30.0
    path = f"{ROOT}/{file.path.decode('utf-8', 'replace')}"
    added, content = added_text(file), file.after or b""
    parts: tuple[Part, ...] = (Part(file.before, content, 1),)
    form: Kind = "edit"
    if kind == "tool":
        parts = tuple(pieces(file)) if file.before else ()
        return Edit(key, form, "Edit", at, path, parts=parts, outcome="applied") if parts else None
    if kind == "answer":
        found = language_of_file(file.path)
        parts = tuple(Part(None, content[start:end]) for start, end in file.added)
        return Edit(key, "answer", "answer", at, language=None if found is None else found.name, parts=parts)
    if kind == "renamed":
        parts = (Part(file.before, with_added(file, other_names(file)), 1),)
    elif kind == "reformatted":
        parts = (Part(file.before, with_added(file, other_format(file.path)), 1),)
    elif kind == "half":
        count = added.count(b"\n")
        more = b"\n".join(case.other.split(b"\n")[:count]) + b"\n"
        parts = (Part(file.before, content + (b"" if content.endswith(b"\n") else b"\n") + more, 1),)
    elif kind == "moved":
        path = f"{path.rpartition('/')[0]}/elsewhere{Path(path).suffix}"
    elif kind == "unrelated":
        parts = (Part(file.before, (file.before or b"") + b"\n" + case.other, 1),)
    unchanged = kind in ("renamed", "reformatted") and parts[0].after == content
    return None if unchanged else Edit(key, form, "Write", at, path, parts=parts, whole=True, outcome="applied")


def real_commits(git: Git, count: int, choice: random.Random) -> list[tuple[Commit, CommitChange]]:
    """Commits with one parent that add between 5 and 400 lines of code, in the order of their times."""
    rows = git.run("log", "--all", "--no-merges", "--format=%H %ct").decode().split("\n")[:-1]
    choice.shuffle(rows)
    found = []
    for oid, when in map(str.split, rows):
        change = read_change(git, oid)
        if 5 <= sum(added_text(file).count(b"\n") for file in code(change)) <= 400:
            found.append((Commit(oid, (), int(when), "", "", root=ROOT, seen_by="hook"), change))
        if len(found) == count:
            break
    return sorted(found, key=lambda pair: pair[0].time)


def code(change: CommitChange) -> list[FileChange]:
    """Files of which five lines or more of code are added."""
    return [
        file
        for file in change.files
        if file.after and language_of_file(file.path) is not None and added_text(file).count(b"\n") >= 5
    ]


def cases(commits: Sequence[tuple[Commit, CommitChange]]) -> Iterator[Case]:
    """The largest file of each commit, with the lines that another one adds in its language."""
    largest = [(commit, max(code(change), key=lambda file: len(added_text(file)))) for commit, change in commits]
    for at, (commit, file) in enumerate(largest):
        language = language_of_file(file.path)
        others = [*largest[at + 1 :], *largest[:at]]
        other = next((added_text(one) for _, one in others if language_of_file(one.path) is language), None)
        if other is not None:
            yield Case(commit, file, other)


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("repository", type=Path)
    options.add_argument("--commits", type=int, default=50)
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    git = Git(chosen.repository)
    commits = real_commits(git, chosen.commits, random.Random(chosen.seed))
    change_of = {commit.id: change for commit, change in commits}.__getitem__
    known = list(cases(commits))
    print(f"{len(known)} commits of {chosen.repository}, {sum(len(change.files) for _, change in commits)} files")
    print(f"{'':12}  edits  linked  right   reward: mean  p10  p50  p90   kept  normalised  ms each")
    for kind in KINDS:
        row(kind, known, [commit for commit, _ in commits], change_of)


def row(kind: str, known: Sequence[Case], commits: Sequence[Commit], change_of: Callable[[str], CommitChange]) -> None:
    """One kind of edit, in all commits."""
    edits = {case.commit.id: edit for case in known if (edit := made_up(case, kind)) is not None}
    sessions = [Session("made-up", edit.key.session, folder=ROOT) for edit in edits.values()]
    links = {link.key: link for link in link_edits(list(edits.values()), commits, sessions, change_of)}
    right = sum(edit.key in links and links[edit.key].commit == oid for oid, edit in edits.items())
    started = time.process_time()
    results = [one for commit in commits for one in scored(commit, edits.get(commit.id), links, sessions, change_of)]
    spent = (time.process_time() - started) / max(1, len(results))
    rewards = sorted(one.reward for one in results if one.reward is not None)
    kept = [one.kept for one in results if one.kept is not None]
    alike = [one.normalised for one in results if one.normalised is not None]
    if not rewards:
        print(f"{kind:12}  {len(edits):5}  {len(links):6}  {right:5}")
        return
    p10, p50, p90 = (rewards[round(share * (len(rewards) - 1))] for share in (0.1, 0.5, 0.9))
    print(
        f"{kind:12}  {len(edits):5}  {len(links):6}  {right:5}   {statistics.mean(rewards):12.2f}  {p10:.2f} {p50:.2f} "
        f"{p90:.2f}   {statistics.mean(kept):.2f}  {statistics.mean(alike):10.2f}  {1000 * spent:7.0f}"
    )


def scored(
    commit: Commit,
    edit: Edit | None,
    links: dict[Key, Link],
    sessions: Sequence[Session],
    change_of: Callable[[str], CommitChange],
) -> tuple[EditResult, ...]:
    """The result of the edit that led to a commit, in that commit, whatever it was linked to."""
    if edit is None or edit.key not in links:
        return ()
    there = Link(edit.key, commit.id, links[edit.key].evidence)
    return score_commit(commit, change_of(commit.id), [edit], sessions, [there]).edits


if __name__ == "__main__":
    main()
