"""Long histories are cut by one rule for both sides, so that a cut favours neither."""

from __future__ import annotations

from dataclasses import dataclass

from gitgoodbench.scoring.judge.blind import BlindCommit, BlindHistory


@dataclass(frozen=True)
class Cut:
    """What was left out. Characters: `limit` for each history, `part_limit` for each message and each patch.

    agent, real: characters there are, and characters shown.
    """

    limit: int
    part_limit: int
    agent: tuple[int, int]
    real: tuple[int, int]


def cut_evenly(agent: BlindHistory, real: BlindHistory, limit: int) -> tuple[BlindHistory, BlindHistory, Cut | None]:
    """Both histories with at most `limit` characters each, not counting the notes about what is missing.

    If either is longer, no message and no patch of either keeps more than `part_limit` characters, the most with which
    both fit. Short parts thus stay whole, and the same part would be cut alike on either side.
    """
    if max(agent.characters, real.characters) <= limit:
        return agent, real, None
    cap = _largest_cap(agent, real, limit)
    sizes = [(history.characters, _shown(history, cap)) for history in (agent, real)]
    return _capped(agent, cap), _capped(real, cap), Cut(limit, cap, *sizes)


def _largest_cap(agent: BlindHistory, real: BlindHistory, limit: int) -> int:
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if max(_shown(agent, middle), _shown(real, middle)) <= limit:
            low = middle
        else:
            high = middle - 1
    return low


def _shown(history: BlindHistory, cap: int) -> int:
    return sum(min(len(commit.message), cap) + min(len(commit.patch), cap) for commit in history.commits)


def _capped(history: BlindHistory, cap: int) -> BlindHistory:
    commits = (
        BlindCommit(_cap(commit.message, cap), _cap(commit.patch, cap), commit.truncated) for commit in history.commits
    )
    return BlindHistory(tuple(commits), history.left_out)


def _cap(text: str, cap: int) -> str:
    if len(text) <= cap:
        return text
    return f"{text[:cap]}\n[{len(text) - cap} more characters are left out]"
