"""Syntax trees and their edit distance. Knows nothing of Git, models or scenarios.

Names are loaded when they are asked for: to know a file's language takes neither numpy nor numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from gitgoodbench.ted.fragments import excerpt as excerpt
    from gitgoodbench.ted.fragments import items_of as items_of
    from gitgoodbench.ted.fragments import needle_of as needle_of
    from gitgoodbench.ted.fragments import parse_fragment as parse_fragment
    from gitgoodbench.ted.languages import LANGUAGES as LANGUAGES
    from gitgoodbench.ted.languages import Language as Language
    from gitgoodbench.ted.languages import UnknownLanguage as UnknownLanguage
    from gitgoodbench.ted.languages import find_language as find_language
    from gitgoodbench.ted.languages import language_of_fence as language_of_fence
    from gitgoodbench.ted.languages import language_of_file as language_of_file
    from gitgoodbench.ted.limits import TreeTooLarge as TreeTooLarge
    from gitgoodbench.ted.mapping import Edit as Edit
    from gitgoodbench.ted.mapping import EditKind as EditKind
    from gitgoodbench.ted.mapping import EditMapping as EditMapping
    from gitgoodbench.ted.mapping import edit_mapping as edit_mapping
    from gitgoodbench.ted.matching import Match as Match
    from gitgoodbench.ted.matching import NodeMatch as NodeMatch
    from gitgoodbench.ted.matching import closest_subtree as closest_subtree
    from gitgoodbench.ted.matching import equal_trees as equal_trees
    from gitgoodbench.ted.matching import tree_edit_distance as tree_edit_distance
    from gitgoodbench.ted.nodes import ParseError as ParseError
    from gitgoodbench.ted.postorder import Postorder as Postorder
    from gitgoodbench.ted.reward import Reward as Reward
    from gitgoodbench.ted.reward import Snippet as Snippet
    from gitgoodbench.ted.reward import SnippetMatch as SnippetMatch
    from gitgoodbench.ted.reward import compute_reward as compute_reward
    from gitgoodbench.ted.tree import Tree as Tree
    from gitgoodbench.ted.tree import TreeNode as TreeNode
    from gitgoodbench.ted.tree import parse as parse

_HOMES: Final = {
    "fragments": ("excerpt", "items_of", "needle_of", "parse_fragment"),
    "languages": ("LANGUAGES", "Language", "UnknownLanguage", "find_language", "language_of_fence", "language_of_file"),
    "limits": ("TreeTooLarge",),
    "mapping": ("Edit", "EditKind", "EditMapping", "edit_mapping"),
    "matching": ("Match", "NodeMatch", "closest_subtree", "equal_trees", "tree_edit_distance"),
    "nodes": ("ParseError",),
    "postorder": ("Postorder",),
    "reward": ("Reward", "Snippet", "SnippetMatch", "compute_reward"),
    "tree": ("Tree", "TreeNode", "parse"),
}

__all__ = [
    "LANGUAGES",
    "Edit",
    "EditKind",
    "EditMapping",
    "Language",
    "Match",
    "NodeMatch",
    "ParseError",
    "Postorder",
    "Reward",
    "Snippet",
    "SnippetMatch",
    "Tree",
    "TreeNode",
    "TreeTooLarge",
    "UnknownLanguage",
    "closest_subtree",
    "compute_reward",
    "edit_mapping",
    "equal_trees",
    "excerpt",
    "find_language",
    "items_of",
    "language_of_fence",
    "language_of_file",
    "needle_of",
    "parse",
    "parse_fragment",
    "tree_edit_distance",
]


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
