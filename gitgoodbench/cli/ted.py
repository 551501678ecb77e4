"""gitgoodbench ted"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def ted(
    first: Annotated[str, typer.Argument(metavar="A", help="A file, or - for standard input.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    language: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of both. Without it: what the names of the files say.")
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="A and B are sources, not names of files.")] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write one page with both sources side by side.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print every edit as JSON, node by node.")] = False,
    limit: Annotated[int, typer.Option(min=0, help="Rows of the table; 0: all.")] = 100,
) -> int:
    """Compare two sources by their syntax trees: tree edit distance, similarity, and which node became which.

    Examples:

      gitgoodbench ted old.py new.py

      gitgoodbench ted old.py new.py --html edits.html

      git show HEAD~1:src/app.kt | gitgoodbench ted - src/app.kt

      gitgoodbench ted --text --language python "f(a)" "g(a, b)"
    """
    from gitgoodbench.cli.comparing import compare

    return compare(first, second, language=language, text=text, html=html, as_json=as_json, limit=limit)
