"""Long histories are cut, each by itself: nothing that one side holds changes what is shown of the other.

Each side has half of the limit. Of its half, a quarter belongs to messages and the rest to patches; what one of them
leaves unused is for the other. Within either, no text keeps more than so many characters, the most with which all
fit: short ones stay whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.scoring.judge.blind import BlindCommit, BlindHistory

MESSAGE_SHARE: Final = 4
"""One part in so many of a side's characters belongs to messages."""


@dataclass(frozen=True)
class Cut:
    """What was left out. limit: characters for both histories. agent, real: what there is, and what is shown.

    What is shown counts in characters, what is not in bytes.
    """

    limit: int
    agent: tuple[int, int]
    real: tuple[int, int]


def cut_both(agent: BlindHistory, real: BlindHistory, limit: int) -> tuple[BlindHistory, BlindHistory, Cut | None]:
    """Both histories, each with at most half of `limit` characters; None where both are shown whole."""
    shown = [cut_history(history, limit // 2) for history in (agent, real)]
    sizes = [(_whole(history), _shown(history)) for history in shown]
    if not any(history.left_out or whole > kept for history, (whole, kept) in zip(shown, sizes, strict=True)):
        return agent, real, None
    return shown[0], shown[1], Cut(limit, sizes[0], sizes[1])


def cut_history(history: BlindHistory, limit: int) -> BlindHistory:
    """The history with at most `limit` characters of messages and patches."""
    messages = [len(commit.message) for commit in history.commits]
    patches = [len(commit.patch) for commit in history.commits]
    for_messages = max(limit // MESSAGE_SHARE, limit - sum(patches))
    message_cap = _largest_cap(messages, for_messages)
    patch_cap = _largest_cap(patches, limit - min(sum(messages), for_messages))
    return BlindHistory(
        tuple(_capped(commit, message_cap, patch_cap) for commit in history.commits), history.left_out
    )  # fmt: skip


def _largest_cap(sizes: Sequence[int], budget: int) -> int:
    """The most characters that each text may keep so that all together keep no more than `budget`."""
    low, high = 0, max([0, *sizes])
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(size, middle) for size in sizes) <= budget:
            low = middle
        else:
            high = middle - 1
    return low


def _capped(commit: BlindCommit, message_cap: int, patch_cap: int) -> BlindCommit:
    message, patch = commit.message[:message_cap], commit.patch[:patch_cap]
    return BlindCommit(
        message,
        patch,
        commit.message_left_out + _bytes(commit.message[message_cap:]),
        commit.patch_left_out + _bytes(commit.patch[patch_cap:]),
    )


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _whole(history: BlindHistory) -> int:
    left_out = sum(commit.message_left_out + commit.patch_left_out for commit in history.commits)
    return _shown(history) + left_out


def _shown(history: BlindHistory) -> int:
    return sum(len(commit.message) + len(commit.patch) for commit in history.commits)
