"""The options of iterative committing."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from gitgoodbench.plugin_options import Alias


class CommitOptions(BaseModel):
    """`--opt icc.NAME=VALUE`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hunks: Annotated[Literal["chain-file", "all"], Alias("hunks")] = Field(
        default="chain-file",
        description="Hunks of the chain's file, as published, or of all changed files, a variant of its own.",
    )
