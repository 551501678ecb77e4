"""Uploading a folder of rows, with its card, to the Hugging Face hub."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from gitgoodbench.errors import UserError

_NAME: Final = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*", re.ASCII)


def check_target(name: str) -> None:
    """Raises UserError where this is not org/name, or there is no token."""
    import huggingface_hub

    if not _NAME.fullmatch(name):
        raise UserError(f"--push-to-hub {name}: give org/name")
    if huggingface_hub.get_token() is None:
        raise UserError("--push-to-hub: the hub asks for a token: set HF_TOKEN, or run `hf auth login`")


def push_folder(folder: Path, name: str, *, public: bool = False) -> str:
    """Upload a folder in one commit and give its address. A new dataset is private unless `public`.

    Raises:
        UserError: the hub refuses or cannot be reached; the folder is as it was.
    """
    from huggingface_hub import HfApi

    api = HfApi()
    try:
        api.create_repo(name, repo_type="dataset", private=not public, exist_ok=True)
        commit = api.upload_folder(
            repo_id=name, repo_type="dataset", folder_path=folder, commit_message="Upload trajectories"
        )
    except Exception as problem:  # the client raises whatever its parts raise
        detail = " ".join(str(problem).split())[:300] or type(problem).__name__
        raise UserError(
            f"{folder} cannot be uploaded as {name} to the hub ({api.endpoint}): {detail}; it is kept here"
        ) from problem
    return str(commit.commit_url)
