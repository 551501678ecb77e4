"""What it takes to make trees of hunks, against making all trees that could be of use.

    python bench/parsing.py REPOSITORY [--commits 100] [--revision HEAD]

The hunks are runs of added lines, read in two ways: each by itself, as a piece cut out of a file, and each where it
stands in its file, with the commit as one scoring. The reference makes the tree of every reading of a piece, and of the
whole file for every hunk. All trees are compared; the exit code is 1 if any differ. Times are processor times, in this
process.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from gitgoodbench.git.process import Git
from gitgoodbench.scoring.history_lines import LineReader, TooLarge
from gitgoodbench.scoring.similarity_history import added_spans
from gitgoodbench.ted import Snippet, Tree, equal_trees, fragments, language_of_file, parse, parse_fragment
from gitgoodbench.ted.fragments import excerpt
from gitgoodbench.ted.languages import find_language
from gitgoodbench.ted.nodes import parse_source, read_best
from gitgoodbench.ted.reward import SnippetParser
from gitgoodbench.ted.text import Text, read_text
from gitgoodbench.ted.tree import tree_of

T = TypeVar("T")
Commit = Sequence[Snippet]
"""Its hunks, each with the file around it."""


def read_commits(git: Git, revision: str, most: int) -> Iterator[Commit]:
    """Commits that add lines to files that can be parsed."""
    options = ("--no-merges", "--min-parents=1", f"--max-count={5 * most}", "--format=%P %H")
    listed = git.run("log", *options, revision, "--").decode()
    found = 0
    for parent, commit in (line.split() for line in listed.splitlines()):
        try:
            (files,) = LineReader(git).read(parent, [commit]).commits
        except TooLarge:
            continue
        snippets = [
            Snippet(file.new, language.name, (span,))
            for file in files
            if file.text is not None and (language := language_of_file(file.path)) is not None and language.is_installed
            for span in added_spans(file.text)
        ]
        if snippets:
            yield snippets
            found += 1
        if found == most:
            return


def tree_of_best_reading(source: bytes, language: str) -> Tree:
    """The reference for pieces: a tree of every reading, the best of them kept."""
    trees = []
    for text, before, after in fragments._readings(read_text(source), find_language(language)):
        framed = Text(before + text.content + after, None) if before or after else text
        read = read_best([framed.content], language)[1]
        tree = tree_of(source, language, framed, read)
        trees.append(fragments._unframed(tree, text, len(before)) if framed is not text else tree)
        if not tree.errors:
            break
    return min(trees, key=lambda tree: tree.errors)


def alone(commit: Commit) -> list[Tree]:
    return [tree_of_best_reading(one.text, one.language or "") for one in commit]


def alone_now(commit: Commit) -> list[Tree]:
    return [parse_fragment(one.text, one.language or "") for one in commit]


def in_files(commit: Commit) -> list[Tree]:
    return [excerpt(parse(one.source, one.language or ""), one.spans or ()) for one in commit]


def in_files_now(commit: Commit) -> list[Tree]:
    parser = SnippetParser(commit, comments=True, isolated=False)
    return [tree for one in commit if (tree := parser.parse(one)) is not None]


def parsed_only(commit: Commit) -> None:
    """What tree-sitter alone needs for each file once."""
    for source, language in {(one.source, one.language or "") for one in commit}:
        parse_source(read_text(source).content, language)


def timed(work: Callable[[Commit], T], commits: Sequence[Commit]) -> tuple[list[T], float]:
    """What it gives for each commit, and its seconds of processor time."""
    begun = time.process_time()
    done = [work(commit) for commit in commits]
    return done, time.process_time() - begun


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--revision", default="HEAD")
    arguments = parser.parse_args()
    commits = list(read_commits(Git(arguments.repository), arguments.revision, arguments.commits))
    languages = Counter(one.language for commit in commits for one in commit)
    print(
        f"{len(commits)} commits, {languages.total()} hunks: " + ", ".join(f"{n} {of}" for of, n in languages.items())
    )
    for language in languages:
        parse(b"", language or "")
    differing = 0
    for name, reference, work in (("alone", alone, alone_now), ("in their files", in_files, in_files_now)):
        expected, before = timed(reference, commits)
        found, now = timed(work, commits)
        print(f"hunks {name}: {before:.2f} s to {now:.2f} s, {before / now:.1f} times as fast")
        pairs = [pair for both in zip(expected, found, strict=True) for pair in zip(*both, strict=True)]
        differing += sum(not equal_trees(tree, real) for real, tree in pairs)
    print(f"tree-sitter alone, each file once: {timed(parsed_only, commits)[1]:.2f} s")
    print(f"differing trees: {differing}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
