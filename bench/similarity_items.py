"""The table of docs/similarity.md: what `history_similarity` says when parts of a file change places.

    python bench/similarity_items.py

A history of one commit that adds a file, against one that adds it with the last part in front, without the last part,
or that adds another file.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.reorderings import table

if __name__ == "__main__":
    print("\n".join(table()))
