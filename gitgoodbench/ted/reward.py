"""How much of an answer's code is found again in what was committed, and as what.

With snippets I and hunks C, d_i the least edit distance of snippet t_i to a rooted subtree of any hunk, and |t_i| its
nodes: r = 1 - sum d_i / sum |t_i|. It is at least 0, since deleting all nodes but one and giving that one another
label costs |t_i|. Source: TensorZero, feedback for coding assistants after each commit (June 2025).

Searched as published (`split="none"`), a snippet of several functions is one tree whose root has them as children, and
no subtree of a larger file is like that. So a snippet is by default (`split="items"`) searched one top-level item at a
time, each a t_i of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from gitgoodbench.ted.fragments import Span, excerpt, items_of, parse_fragment, with_replaced
from gitgoodbench.ted.haystacks import HaystackMatch, Search, run_searches
from gitgoodbench.ted.languages import UnknownLanguage, find_language
from gitgoodbench.ted.lines import MAX_CELLS as MAX_LINE_CELLS
from gitgoodbench.ted.lines import LineMatch, closest_lines, count_lines
from gitgoodbench.ted.matching import Match, contains
from gitgoodbench.ted.nodes import ParseError
from gitgoodbench.ted.tree import Tree, parse

MAX_CELLS: Final = 20_000_000_000
"""Cells (see `matching.count_cells`) of the searches for one snippet, beyond which it is compared by lines."""


@dataclass(frozen=True)
class Effort:
    """How much may be computed for one snippet.

    cells: of searches in trees, beyond which it is compared by lines; lines: pairs of lines, beyond which it is not
    compared with a hunk.
    """

    cells: int = MAX_CELLS
    lines: int = MAX_LINE_CELLS


Split = Literal["items", "none"]
Measure = Literal["tree", "lines"]


@dataclass(frozen=True, init=False)
class Snippet:
    """A piece of source: of an answer, or added lines of a commit.

    source: text is kept as UTF-8. language: a name, what stands behind a code fence, or a file name, as `find_language`
    takes it; None if not known. spans: the parts of the source, in bytes, that it is, which are then parsed with all
    that is around them; None for all of it, a piece that was cut out of a file.

    Raises:
        TypeError: the source is neither str nor bytes, or the language is no str.
    """

    source: bytes
    language: str | None
    spans: tuple[Span, ...] | None = None

    def __init__(self, source: str | bytes, language: str | None, spans: tuple[Span, ...] | None = None) -> None:
        if not isinstance(source, str | bytes):
            raise TypeError(f"the source of a snippet is str or bytes, not {type(source).__name__}")
        if not isinstance(language, str | None):
            raise TypeError(f"the language of a snippet is a str or None, not {type(language).__name__}")
        content = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
        object.__setattr__(self, "source", content)
        object.__setattr__(self, "language", language)
        object.__setattr__(self, "spans", spans)

    @property
    def text(self) -> bytes:
        """The piece by itself."""
        return self.source if self.spans is None else b"".join(self.source[start:end] for start, end in self.spans)

    def parse(self, *, comments: bool = True, isolated: bool = True) -> Tree:
        """Its tree; raises what `tree.parse` does."""
        if self.spans is None:
            return parse_fragment(self.source, self.language or "", comments=comments, isolated=isolated)
        return parse(self.source, self.language or "", comments=comments, isolated=isolated, spans=self.spans)


@dataclass(frozen=True)
class Piece:
    """A snippet or hunk with what is known of it: its text, its language's family, and its tree.

    tree: None where it cannot be parsed, and is compared by lines.
    """

    text: bytes
    family: str | None
    tree: Tree | None


@dataclass(frozen=True)
class ItemMatch:
    """A node of a snippet's tree, the position of the hunk it is closest to, and the subtree there."""

    node: int
    hunk: int
    match: Match


@dataclass(frozen=True)
class SnippetMatch:
    """What became of one snippet.

    measure: what is counted: nodes of trees, or lines where the snippet or all its hunks cannot be parsed, or are too
    large to be compared otherwise; None where there is no hunk that it could have become. size, distance: |t_i| and
    d_i, summed over its items. matched: the snippet's source with each item replaced by the source it is closest to, by
    lines the run of lines that is; the snippet itself where measure is None. hunk: the position of the hunk that its
    largest item is closest to. items: of a tree, what each item is closest to. lines: of lines, where that run is in
    the hunk's text.
    """

    measure: Measure | None
    size: int
    distance: int
    matched: bytes
    hunk: int | None
    items: tuple[ItemMatch, ...] = ()
    lines: LineMatch | None = None


@dataclass(frozen=True)
class Reward:
    """The reward of an answer, r in [0, 1].

    value: None where nothing could be compared. measure: what it counts; lines only where no snippet could be compared
    as a tree. matches: one for each snippet, in order.
    """

    value: float | None
    measure: Measure | None
    matches: tuple[SnippetMatch, ...]


def compute_reward(
    snippets: Sequence[Snippet],
    hunks: Sequence[Snippet],
    *,
    split: Split = "items",
    comments: bool = True,
    isolated: bool = True,
    jobs: int | None = None,
) -> Reward:
    """Search snippets in hunks.

    A snippet can only have become a hunk of its own language, or of one akin to it (`Language.family`); one whose
    language is not known can have become any, and is compared by lines.

    Args:
        comments: keep comments in the trees.
        isolated: parse in another process. Without it a grammar that crashes on a source ends this one, so only for
            sources that you trust.
        jobs: threads; None for one per core, where there is enough to do.

    Raises:
        TypeError: there is something else than a `Snippet` among the snippets or hunks.
    """
    for one in (*snippets, *hunks):
        if not isinstance(one, Snippet):
            raise TypeError(f"a reward is computed of Snippets, not of {type(one).__name__}")
    parser = SnippetParser([*snippets, *hunks], comments=comments, isolated=isolated)
    needles, haystacks = (
        [Piece(one.text, family_of(one.language), parser.parse(one)) for one in pieces] for pieces in (snippets, hunks)
    )
    return compare_pieces(needles, haystacks, split=split, jobs=jobs)


def compare_pieces(
    needles: Sequence[Piece],
    haystacks: Sequence[Piece],
    *,
    split: Split = "items",
    jobs: int | None = None,
    effort: Effort | None = None,
) -> Reward:
    """What `compute_reward` gives, of snippets and hunks that are parsed already. effort: None for the usual one."""
    allowed = effort if effort is not None else Effort(MAX_CELLS)
    plans = [_SnippetSearch.of(needle, haystacks, split, allowed) for needle in needles]
    searches = [plan.searches() for plan in plans]
    found = iter(run_searches([search for own in searches for search in own], jobs))
    return _total([_match(plan, [next(found) for _ in own]) for plan, own in zip(plans, searches, strict=True)])


def total_reward(matches: Sequence[tuple[int, int]]) -> float | None:
    """r of pairs (d_i, |t_i|); None where there is not a single node."""
    size = sum(size for _, size in matches)
    return 1 - sum(distance for distance, _ in matches) / size if size else None


@dataclass(frozen=True)
class _SnippetSearch:
    """A snippet, the positions of the hunks that it may have become, and their trees if all is compared as trees."""

    piece: Piece
    candidates: dict[int, Piece]
    trees: dict[int, Tree]
    items: list[int]
    effort: Effort

    @classmethod
    def of(cls, piece: Piece, hunks: Sequence[Piece], split: Split, effort: Effort) -> _SnippetSearch:
        candidates = {at: hunk for at, hunk in enumerate(hunks) if piece.family in (None, hunk.family)}
        if piece.tree is None:
            return cls(piece, candidates, {}, [], effort)
        trees = {at: hunk.tree for at, hunk in candidates.items() if hunk.tree is not None}
        items = items_of(piece.tree) if split == "items" else [piece.tree.root]
        plan = cls(piece, candidates, trees, items, effort)
        return plan if plan.is_feasible() else cls(piece, candidates, {}, [], effort)

    def searches(self) -> list[Search]:
        tree = self.piece.tree
        if tree is None or not self.trees:
            return []
        return [Search(tree.subtree(item), list(self.trees.values())) for item in self.items]

    def is_feasible(self) -> bool:
        """Whether the searches are within the effort allowed; those for what is there unchanged cost nothing."""
        searches = self.searches()
        if sum(search.cells for search in searches) <= self.effort.cells:
            return True
        open_ = (one for one in searches if not any(contains(tree, one.needle) for tree in one.haystacks))
        return sum(search.cells for search in open_) <= self.effort.cells


def family_of(language: str | None) -> str | None:
    """What languages share whose pieces are compared; an unknown language is its own, None stays None."""
    if language is None:
        return None
    try:
        return find_language(language).family
    except UnknownLanguage:
        return language.strip().lower()


class SnippetParser:
    """Parses snippets, each source once: of one of which several have spans, all these are read at once."""

    def __init__(self, pieces: Sequence[Snippet], *, comments: bool, isolated: bool) -> None:
        self._options: dict[str, bool] = {"comments": comments, "isolated": isolated}
        self._known: dict[Snippet, Tree | None] = {}
        self._spans: dict[tuple[bytes, str | None], list[Span]] = {}
        for one in pieces:
            self._spans.setdefault((one.source, one.language), []).extend(one.spans or ())

    def parse(self, snippet: Snippet) -> Tree | None:
        """The tree of a snippet; None where it has none."""
        if snippet.spans is None:
            return self._parse(snippet)
        together = tuple(self._spans[snippet.source, snippet.language])
        tree = self._parse(replace(snippet, spans=together))
        return None if tree is None else excerpt(tree, snippet.spans)

    def _parse(self, snippet: Snippet) -> Tree | None:
        if snippet not in self._known:
            try:
                tree = None if snippet.language is None else snippet.parse(**self._options)
            except (UnknownLanguage, ParseError):
                tree = None
            self._known[snippet] = tree
        return self._known[snippet]


def _match(plan: _SnippetSearch, found: Sequence[HaystackMatch | None]) -> SnippetMatch:
    tree = plan.piece.tree
    pairs = [(item, one) for item, one in zip(plan.items, found, strict=False) if one is not None]
    if tree is None or not pairs or len(pairs) < len(plan.items):
        return _match_lines(plan)
    numbers, trees = list(plan.trees), list(plan.trees.values())
    replaced = [(tree.span(item), trees[one.haystack].source, (one.match.start, one.match.end)) for item, one in pairs]
    largest = max(pairs, key=lambda pair: tree.sizes[pair[0]])
    return SnippetMatch(
        "tree",
        sum(int(tree.sizes[item]) for item, _ in pairs),
        sum(one.match.distance for _, one in pairs),
        with_replaced(tree.source, replaced),
        numbers[largest[1].haystack],
        tuple(ItemMatch(item, numbers[one.haystack], one.match) for item, one in pairs),
    )


def _match_lines(plan: _SnippetSearch) -> SnippetMatch:
    source = plan.piece.text
    best: SnippetMatch | None = None
    for at, hunk in plan.candidates.items():
        match = closest_lines(source, hunk.text, max_cells=plan.effort.lines)
        if match is not None and (best is None or match.distance < best.distance):
            matched = hunk.text[match.start : match.end]
            best = SnippetMatch("lines", count_lines(source), match.distance, matched, at, lines=match)
    return best if best is not None else SnippetMatch(None, 0, 0, source, None)


def _total(matches: Sequence[SnippetMatch]) -> Reward:
    measures: tuple[Measure, ...] = ("tree", "lines")
    for measure in measures:
        value = total_reward([(one.distance, one.size) for one in matches if one.measure == measure])
        if value is not None:
            return Reward(value, measure, tuple(matches))
    return Reward(None, None, tuple(matches))
