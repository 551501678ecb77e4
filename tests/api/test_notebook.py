"""In a notebook an event loop runs already: everything works there, awaited or not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from tests.support.documented import blocks
from tests.support.project import ROOT


def test_the_examples_run_in_a_notebook(tmp_path: Path) -> None:
    examples = [block.text for block in blocks(ROOT / "docs/api.md") if block.language == "python"]
    in_loop = next(text for text in examples if "asyncio.run(" in text)
    cells = [
        next(text for text in examples if "evaluate(" in text),
        in_loop.replace("asyncio.run(", "await ("),
        "async def agent(session):\n    await session.acalls([])\n"
        "evaluate('mini', agent=agent, limit=1, sandbox='local', offline=True).results[0].status.value",
    ]
    v4: Any = nbformat.v4
    notebook = v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in cells])
    ran = NotebookClient(notebook, timeout=280, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert ran.cells[-1].outputs[-1]["data"]["text/plain"] == "'gave_up'"
