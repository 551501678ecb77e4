"""Uploading a built dataset to the Hugging Face hub: one dataset for each split, named as the published ones are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from gitgoodbench.dataset.readers import read_rows
from gitgoodbench.dataset.rows import RowError
from gitgoodbench.errors import UserError
from gitgoodbench.mining.card import split_card
from gitgoodbench.mining.splits import FULL

_NAME: Final = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*", re.ASCII)
_FILE: Final = "data/train-00000-of-00001.parquet"


def hub_name(name: str, split: str) -> str:
    """`org/name` for the full split, `org/name-SPLIT` for the others."""
    return name if split == FULL else f"{name}-{split}"


def check_hub_name(name: str) -> None:
    """Raises UserError where this is not org/name."""
    if not _NAME.fullmatch(name):
        raise UserError(f"--push-to-hub {name}: give org/name")


def push_to_hub(splits: Mapping[str, Path], name: str, title: str, *, public: bool = False) -> dict[str, str]:
    """Upload the splits, each in one commit. Existing datasets get a new commit; new ones are private unless `public`.

    Args:
        splits: the file of samples of each split.
        name: org/name.

    Returns:
        The address of each split's commit.

    Raises:
        UserError: there is no token, the hub refuses or cannot be reached; what was uploaded before is named.
    """
    check_hub_name(name)
    api = _api()
    done: dict[str, str] = {}
    for split, file in splits.items():
        target = hub_name(name, split)
        try:
            done[split] = _upload(api, target, split, file, title, public)
        except Exception as problem:  # the client raises whatever its parts raise
            detail = " ".join(str(problem).split())[:300] or type(problem).__name__
            uploaded = f"; uploaded before: {', '.join(done)}" if done else ""
            raise UserError(f"{target} cannot be uploaded to the hub ({api.endpoint}): {detail}{uploaded}") from problem
    return done


def _upload(api: Any, target: str, split: str, file: Path, title: str, public: bool) -> str:
    from huggingface_hub import CommitOperationAdd

    types = [str(row["sample_type"]) for _, row in read_rows(file) if not isinstance(row, RowError)]
    card = split_card(title, split, set(types), len(types), _FILE)
    api.create_repo(target, repo_type="dataset", private=not public, exist_ok=True)
    commit = api.create_commit(
        target,
        repo_type="dataset",
        operations=[
            CommitOperationAdd(_FILE, file.read_bytes()),
            CommitOperationAdd("README.md", card.encode()),
        ],
        commit_message=f"Upload the split {split}",
    )
    return str(commit.commit_url)


def _api() -> Any:
    import huggingface_hub

    if huggingface_hub.get_token() is None:
        raise UserError("the hub asks for a token: set HF_TOKEN, or run `hf auth login`")
    return huggingface_hub.HfApi()
