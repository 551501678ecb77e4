"""Syntax trees and their edit distance. Knows nothing of Git, models or scenarios.

Names are loaded when they are asked for: to know a file's language takes neither numpy nor numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from gitgoodbench.ted.fragments import needle_of as needle_of
    from gitgoodbench.ted.fragments import parse_fragment as parse_fragment
    from gitgoodbench.ted.languages import UnknownLanguage as UnknownLanguage
    from gitgoodbench.ted.languages import find_language as find_language
    from gitgoodbench.ted.languages import language_of_fence as language_of_fence
    from gitgoodbench.ted.languages import language_of_file as language_of_file
    from gitgoodbench.ted.limits import TreeTooLarge as TreeTooLarge
    from gitgoodbench.ted.matching import Match as Match
    from gitgoodbench.ted.matching import closest_subtree as closest_subtree
    from gitgoodbench.ted.matching import equal_trees as equal_trees
    from gitgoodbench.ted.matching import tree_edit_distance as tree_edit_distance
    from gitgoodbench.ted.nodes import ParseError as ParseError
    from gitgoodbench.ted.reward import Reward as Reward
    from gitgoodbench.ted.reward import Snippet as Snippet
    from gitgoodbench.ted.reward import compute_reward as compute_reward
    from gitgoodbench.ted.tree import Tree as Tree
    from gitgoodbench.ted.tree import parse as parse

_HOMES: Final = {
    "fragments": ("needle_of", "parse_fragment"),
    "languages": ("UnknownLanguage", "find_language", "language_of_fence", "language_of_file"),
    "limits": ("TreeTooLarge",),
    "matching": ("Match", "closest_subtree", "equal_trees", "tree_edit_distance"),
    "nodes": ("ParseError",),
    "reward": ("Reward", "Snippet", "compute_reward"),
    "tree": ("Tree", "parse"),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
