"""JSON schemas of the files of a run, generated from the types that the files are made of.

They are shipped as gitgoodbench/schemas/*.json. `python -m gitgoodbench.reporting.schemas` writes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from gitgoodbench.comparing.records import Comparison
from gitgoodbench.details import Details
from gitgoodbench.errors import UserError
from gitgoodbench.explaining.explain import ExplanationFile
from gitgoodbench.reporting.file_models import Event, JudgePromptsFile, SummaryFile
from gitgoodbench.reporting.leaderboard import Leaderboard
from gitgoodbench.reporting.report_models import ReportFile, SamplesFile
from gitgoodbench.reporting.transcript_models import TranscriptLine
from gitgoodbench.runs.account import LedgerLine
from gitgoodbench.runs.manifest import Manifest
from gitgoodbench.runs.result import Result

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def _of(model: type[BaseModel]) -> Callable[[], dict[str, Any]]:
    return lambda: model.model_json_schema(mode="serialization")


SCHEMAS: Final[Mapping[str, Callable[[], dict[str, Any]]]] = {
    "manifest": _of(Manifest),
    "result": _of(Result),
    "details": _of(Details),
    "trajectory": lambda: TypeAdapter(TranscriptLine).json_schema(mode="serialization"),
    "ledger": _of(LedgerLine),
    "judge-prompts": _of(JudgePromptsFile),
    "summary": _of(SummaryFile),
    "report": _of(ReportFile),
    "samples": _of(SamplesFile),
    "explanation": lambda: TypeAdapter(ExplanationFile).json_schema(mode="serialization"),
    "leaderboard": _of(Leaderboard),
    "compare": lambda: TypeAdapter(Comparison).json_schema(mode="serialization"),
    "run-log": lambda: TypeAdapter(Event).json_schema(mode="serialization"),
}
"""Name -> its schema, made anew. outcome.json has the schema `result`. Of files of lines (`run-log`, `ledger`, and
`trajectory`, which is that of judging.jsonl, too) a schema is of one line. `compare` is of what `gitgoodbench compare
--format json` prints."""


def generated(name: str) -> str:
    """The schema as its file has it."""
    return json.dumps({"$schema": DIALECT, **SCHEMAS[name]()}, indent=2, sort_keys=True) + "\n"


def shipped(name: str) -> str:
    """The schema that came with the package.

    Raises:
        UserError: there is none of that name.
    """
    if name not in SCHEMAS:
        raise UserError(f"there is no schema {name!r}; there are: {', '.join(SCHEMAS)}")
    return (files("gitgoodbench") / "schemas" / f"{name}.json").read_text("ascii")


if __name__ == "__main__":
    for each in SCHEMAS:
        (Path(__file__).parents[1] / "schemas" / f"{each}.json").write_text(generated(each), "ascii")
