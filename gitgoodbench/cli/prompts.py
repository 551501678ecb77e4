"""gitgoodbench prompts"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from gitgoodbench.cli.options import option, run_flags, said


@run_flags(
    "suite", "scenario", "tools", "sample", "language", "difficulty", "limit", "history", "strict_tools", "opt",
    "repos", "offline", "skip_invalid",
)  # fmt: skip
def prompts(
    out: Annotated[Path, option("--out", "-o", metavar="FILE", help="A .jsonl file.")],
    **fields: Any,
) -> int:
    """Write what a model must be shown, a line per episode: messages and tools, and nothing of the answer.

    For models that are asked elsewhere; `gitgoodbench score FILE --suite SUITE` takes what they answer.

    Examples:

      gitgoodbench prompts mini --scenario mcr --out prompts.jsonl
    """
    from gitgoodbench.cli.prompting import write_prompts

    return write_prompts(said(fields), out)
