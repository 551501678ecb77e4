"""Samples and published rows to test with."""

from __future__ import annotations

from typing import Any

from gitgoodbench.dataset.sample import Sample

MERGE_SCENARIO: dict[str, Any] = {
    "merge_commit_hash": "baa37f65fdff5b780a50d5b5c6bf8bc3ade43815",
    "parents": ["d758810c59a9134f437d60f73a82036749688ccb", "5dcd493c67ff863c69c1214f0892a80e4951087e"],
    "number_of_files_with_merge_conflict": 2,
    "total_number_of_merge_conflicts": 2,
    "files_in_merge_conflict": ["cogs/gpt_3_commands_and_converser.py", "models/openai_model.py"],
}
CHAIN_SCENARIO: dict[str, Any] = {
    "file": "src/main.kt",
    "branch": "main",
    "times_seen_consecutively": 3,
    "purity": 0.75,
    "newest_commit": "1" * 40,
    "oldest_commit": "2" * 40,
}


def merge_row(**changes: Any) -> dict[str, Any]:
    """A published row of a merge."""
    return {
        "id": "kav_k_gptdiscord_merge_0000",
        "name": "Kav-K/GPTDiscord",
        "default_branch": "main",
        "license": "MIT License",
        "stargazers": 1843,
        "created_at": "2022-12-17T06:41:28",
        "topics": "chatgpt;discord",
        "programming_language": "python",
        "scenario": repr(MERGE_SCENARIO),
        "sample_type": "merge",
        "project_size": "small",
        "difficulty": "hard",
        **changes,
    }


def chain_row(**changes: Any) -> dict[str, Any]:
    """A published row of a file-commit chain."""
    chain = {
        "id": "ktorio_ktor_file_commit_chain_0007",
        "name": "ktorio/ktor",
        "programming_language": "kotlin",
        "scenario": repr(CHAIN_SCENARIO),
        "sample_type": "file_commit_chain",
        "difficulty": "medium",
    }
    return merge_row(**{**chain, **changes})


def merge_sample(**changes: Any) -> Sample:
    fields = {**merge_row(), "spec": MERGE_SCENARIO, **changes}
    return Sample.model_validate(fields)


def chain_sample(**changes: Any) -> Sample:
    fields = {**chain_row(), "spec": CHAIN_SCENARIO, **changes}
    return Sample.model_validate(fields)
