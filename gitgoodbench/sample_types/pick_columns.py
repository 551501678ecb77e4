"""What mining says of a pick beside its row."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from gitgoodbench.sample_types.conflicting import ConflictedFile


class CherryPickColumns(BaseModel):
    """attainable, files: as of a merge. core: whether no rule gives the real outcome (`resolving.rules.PICK_RULES`)."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    attainable: bool | None = None
    core: bool | None = None
    files: tuple[ConflictedFile, ...] = ()
