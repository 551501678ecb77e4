"""The scores of chains as docs/metrics.md defines them, from the output of `git diff`.

It uses scikit-learn and tree-sitter, nothing of the harness's scoring: bench/score_definitions.py compares the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Final

import tree_sitter
from sklearn.metrics import adjusted_rand_score

from gitgoodbench.git.commits import read_commits
from gitgoodbench.git.process import Git

DIFF: Final = (
    "diff", "--text", "--no-renames", "--diff-algorithm=myers", "--indent-heuristic", "--unified=1000000000",
    "--raw", "-z", "--patch", "--full-index", "--no-ext-diff", "--no-textconv", "--submodule=short",
)  # fmt: skip
"""As docs/metrics.md has it, with all lines as context: so a patch is the whole file, each line marked."""

WHOLE: Final = 4 * 1024 * 1024
Scores = dict[str, float | None]


@dataclass(frozen=True)
class FileDiff:
    """A file that a commit changes: modes and ids before and after; marked lines; None if it changes as a whole."""

    old: tuple[bytes, bytes]
    new: tuple[bytes, bytes]
    lines: list[tuple[bytes, bytes]] | None


Commit = dict[bytes, FileDiff]


class Differ:
    """What `git diff` says of two commits; each pair is asked for once."""

    def __init__(self, git: Git) -> None:
        self.git = git
        self.diff = cache(self._diff)

    def history(self, base: str, commits: Sequence[str]) -> list[Commit]:
        trees = [commit.tree for commit in read_commits(self.git, [base, *commits])]
        return [self.diff(*pair) for pair in pairwise(trees)]

    def _diff(self, before: str, after: str) -> Commit:
        raw, _, patch = self.git.run(*DIFF, before, after).partition(b"\0\0")
        patches = [_marked(patch) for patch in (b"\n" + patch).split(b"\ndiff --git ")[1:]]
        fields = iter(raw.removesuffix(b"\0").split(b"\0") if raw else ())
        files = {}
        for head in fields:
            old_mode, new_mode, old, new, status = head[1:].split(b" ")
            lines = patches.pop(0) + (patches.pop(0) if status == b"T" else [])
            large = any(sum(len(line) for mark, line in lines if mark != other) > WHOLE for other in (b"+", b"-"))
            whole = large or b"160000" in (old_mode, new_mode)
            files[next(fields)] = FileDiff((old_mode, old), (new_mode, new), None if whole else lines)
        return files


def _marked(patch: bytes) -> list[tuple[bytes, bytes]]:
    """The lines of a patch below its `@@`, each with its mark, kept ones too."""
    lines: list[tuple[bytes, bytes]] = []
    for line in patch.partition(b"\n@@ ")[2].removesuffix(b"\n").split(b"\n")[1:]:
        if line.startswith(b"\\"):  # no newline at the end of file
            lines[-1] = (lines[-1][0], lines[-1][1].removesuffix(b"\n"))
        else:
            lines.append((line[:1], line[1:] + b"\n"))
    return lines


def commits_reproduced(agent: list[Commit], truth: list[Commit]) -> float:
    made = [changed_lines(commit) for commit in agent]
    found = 0
    for commit in map(changed_lines, truth):
        if commit in made:
            made.remove(commit)
            found += 1
    return found / len(truth)


def changed_lines(commit: Commit) -> Counter[object]:
    found: Counter[object] = Counter()
    for path, file in commit.items():
        if file.lines is None:
            found[path, file.old, file.new] += 1
        if file.old[0] != file.new[0]:
            found[path, file.old[0], file.new[0]] += 1
        found.update((path, mark, line) for mark, line in file.lines or () if mark != b" ")
    return found


def line_grouping(agent: list[Commit], truth: list[Commit]) -> float | None:
    whole = {path for commit in (*agent, *truth) for path, file in commit.items() if file.lines is None}
    first, second = owners(agent), owners(truth)
    both = [line for line in first if line in second and line[0] not in whole]
    if not both:
        return None
    index = adjusted_rand_score([first[line] for line in both], [second[line] for line in both])
    return max(0.0, float(index))


def owners(history: list[Commit]) -> dict[tuple[bytes, bytes, int], int]:
    """Lines by path, mark and number: those of the first version with the commit that removed them, those of the last
    with the commit that added them.
    """
    found: dict[tuple[bytes, bytes, int], int] = {}
    files: dict[bytes, list[tuple[bytes, int]]] = {}  # each line: where it is from, and its number or commit
    for number, commit in enumerate(history):
        for path, file in commit.items():
            marked = file.lines or []
            old = files.get(path, [(b"-", line) for line in range(sum(mark != b"+" for mark, _ in marked))])
            before, after = iter(old), []
            for mark, _ in marked:
                origin = (b"+", number) if mark == b"+" else next(before)
                if mark != b"-":
                    after.append(origin)
                elif origin[0] == b"-":
                    found[path, b"-", origin[1]] = number
            files[path] = after
    for path, lines in files.items():
        found |= {(path, b"+", line): number for line, (mark, number) in enumerate(lines) if mark == b"+"}
    return found


def syntax_valid(git: Git, base: str, history: list[Commit], newest: str) -> float:
    """Share of commits after which no changed source file has more errors than both before and after the chain."""
    ends = [_listing(git, base), _listing(git, newest)]
    good = 0
    for commit in history:
        for path, file in commit.items():
            known = [end[path] for end in ends if path in end]
            language = _language(path)
            if language is None or file.new[0] not in (b"100644", b"100755") or file.new in known:
                continue
            limits = [errors(git, oid, language) for mode, oid in known if mode in (b"100644", b"100755")]
            if errors(git, file.new[1], language) > max(limits, default=0):
                break
        else:
            good += 1
    return good / len(history)


@cache
def _listing(git: Git, commit: str) -> dict[bytes, tuple[bytes, bytes]]:
    rows = (row.partition(b"\t") for row in git.run("ls-tree", "-r", "-z", commit).split(b"\0")[:-1])
    return {path: (head.split()[0], head.split()[2]) for head, _, path in rows}


def _language(path: bytes) -> str | None:
    suffixes = {b"py": "python", b"pyi": "python", b"java": "java", b"kt": "kotlin", b"kts": "kotlin"}
    return suffixes.get(path.rpartition(b".")[2])


@cache
def errors(git: Git, oid: bytes, language: str) -> int:
    content = git.run("cat-file", "blob", oid.decode())
    try:
        content.decode()
    except UnicodeDecodeError:
        content = content.decode("latin-1").encode()
    parser = tree_sitter.Parser(tree_sitter.Language(import_module(f"tree_sitter_{language}").language()))
    waiting, found = [parser.parse(content).root_node], 0
    while waiting:
        node = waiting.pop()
        found += node.is_error or node.is_missing
        waiting += node.children if node.has_error else []
    return found


def scores_of_messages(messages: Sequence[bytes]) -> Scores:
    texts = [message.decode("utf-8", "replace").strip() for message in messages]
    subjects = [text.split("\n")[0].rstrip() for text in texts if text]
    distinct = len({text.casefold() for text in map(_without_trailing_blanks, texts) if text})
    return {
        "messages_distinct": distinct / len(texts),
        "subjects_short": sum(len(subject) <= 72 for subject in subjects) / len(subjects) if subjects else None,
    }


def _without_trailing_blanks(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))
