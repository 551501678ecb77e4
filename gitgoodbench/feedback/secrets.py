"""Secrets and e-mail addresses in pieces of code, so that they can be masked before anything leaves this machine.

What a secret looks like is known by detect-secrets, in the edition that is kept up to date (bc-detect-secrets). Only
its patterns are used: its scanner can ask the service that a token is for whether it is valid, and would send it there.
Without the detector nothing can be masked, and nothing is let through (`mask` raises).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from gitgoodbench.errors import UserError

if TYPE_CHECKING:
    from detect_secrets.plugins.base import BasePlugin
    from detect_secrets.plugins.high_entropy_strings import HighEntropyStringsPlugin

MASK: Final = b"[masked]"

_LONGEST_LINE: Final = 10_000
"""Longer lines are masked as a whole: no person reads them, and patterns may take long over them."""

_PRIVATE_KEY: Final = re.compile(
    rb"-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?"
    rb"(?:-----END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
"""A key whose end is cut off goes as far as the piece does."""

_ADDRESS: Final = re.compile(
    rb"(?<![A-Za-z0-9._%-])[A-Za-z0-9](?:[A-Za-z0-9._%+-]{0,62}[A-Za-z0-9_])?"
    rb"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-]|[(\[])"
)
"""No decorator of a diff (`+@pytest.mark`), no product of matrices (`q@k.transpose(0)`)."""
_TOKENS: Final = re.compile(
    rb"\b(?:sk-[A-Za-z0-9_-]{20,}|AIza[0-9A-Za-z_-]{35}|hf_[A-Za-z0-9]{30,}|glpat-[0-9A-Za-z_-]{20,}"
    rb"|github_pat_[0-9A-Za-z_]{22,}|xai-[A-Za-z0-9]{40,}|gsk_[A-Za-z0-9]{40,}|pypi-[A-Za-z0-9_-]{50,})"
)
"""Tokens with well-known beginnings that the detector has no pattern for: mostly those of model providers."""

Span = tuple[int, int]


def mask(content: bytes) -> tuple[bytes, int]:
    """Replace what looks like a secret or an e-mail address by `MASK`; give the result and how many there were.

    Raises:
        UserError: the detector is not installed.
    """
    spans = secret_spans(content)
    for start, end in reversed(spans):
        content = content[:start] + MASK + content[end:]
    return content, len(spans)


def secret_spans(content: bytes) -> list[Span]:
    """Where secrets and e-mail addresses are, in order, as `mask` would replace them.

    Raises:
        UserError: the detector is not installed.
    """
    return merged_spans(_found(content))


def merged_spans(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap or touch as one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return merged


def _found(content: bytes) -> Iterator[Span]:
    plugins = _plugins()
    for pattern in (_PRIVATE_KEY, _ADDRESS, _TOKENS):
        yield from (match.span() for match in pattern.finditer(content))
    start = 0
    for line in content.split(b"\n"):
        if len(line) > _LONGEST_LINE:
            yield start, start + len(line)
        elif not line.isspace():
            text = line.decode("latin-1")  # a character for each byte, so positions are the same
            for plugin in plugins:
                yield from ((start + first, start + last) for first, last in _of_plugin(plugin, text))
        start += len(line) + 1


def _of_plugin(plugin: BasePlugin, line: str) -> Iterator[Span]:
    """Where a detector finds something in a line."""
    from detect_secrets.plugins.base import RegexBasedDetector
    from detect_secrets.plugins.high_entropy_strings import HighEntropyStringsPlugin

    if isinstance(plugin, RegexBasedDetector):
        for pattern in plugin.denylist:
            yield from (match.span() for match in pattern.finditer(line))
        return
    for value in filter(None, plugin.analyze_string(line)):
        if isinstance(plugin, HighEntropyStringsPlugin) and not _is_random(plugin, value):
            continue
        yield from (match.span() for match in re.finditer(re.escape(value), line))


def _is_random(plugin: HighEntropyStringsPlugin, value: str) -> bool:
    return plugin.calculate_shannon_entropy(value) > plugin.entropy_limit


@cache
def _plugins() -> tuple[BasePlugin, ...]:
    """One of each detector, those that later versions bring included."""
    try:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    except ImportError as problem:
        raise UserError(
            "secrets cannot be looked for, so nothing of code may leave this machine: bc-detect-secrets is missing; "
            "run `pip install bc-detect-secrets`"
        ) from problem
    classes = get_mapping_from_secret_type_to_class()
    return tuple(classes[name]() for name in sorted(classes))
