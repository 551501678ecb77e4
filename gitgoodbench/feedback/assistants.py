"""How assistants are called by others: in trailers of commit messages, and in records of who wrote what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gitgoodbench.feedback.records import Attribution

_NAMES: Final = {
    "claude": "claude-code",
    "claude-code": "claude-code",
    "codex": "codex",
    "codex-cli": "codex",
    "opencode": "opencode",
    "gemini": "gemini-cli",
    "gemini-cli": "gemini-cli",
    "qwen": "qwen-code",
    "qwen-code": "qwen-code",
    "qwen-coder": "qwen-code",
    "aider": "aider",
    "copilot": "copilot-cli",
    "copilot-cli": "copilot-cli",
    "github-copilot": "copilot-cli",
    "github-copilot-cli": "copilot-cli",
    "continue": "continue-cli",
    "continue-cli": "continue-cli",
    "cursor": "cursor",
    "devin": "devin",
    "amp": "amp",
    "jules": "jules",
    "windsurf": "windsurf",
    "cline": "cline",
}
"""Names in lower case with hyphens, and the names of their sources here."""

_ADDRESSES: Final = (
    (re.compile(r"@anthropic\.com$"), "claude-code"),
    (re.compile(r"^(?:noreply|codex)@openai\.com$"), "codex"),
    (re.compile(r"@opencode\.ai$"), "opencode"),
    (re.compile(r"^qwen-coder@alibabacloud\.com$"), "qwen-code"),
    (re.compile(r"@aider\.chat$"), "aider"),
    (re.compile(r"^(?:\d+\+)?copilot(?:-swe-agent)?(?:\[bot\])?@users\.noreply\.github\.com$"), "copilot-cli"),
    (re.compile(r"^(?:\d+\+)?gemini-[a-z-]+(?:\[bot\])?@users\.noreply\.github\.com$"), "gemini-cli"),
    (re.compile(r"^(?:\d+\+)?devin-ai-integration\[bot\]@users\.noreply\.github\.com$"), "devin"),
    (re.compile(r"^(?:\d+\+)?google-labs-jules\[bot\]@users\.noreply\.github\.com$"), "jules"),
    (re.compile(r"^cursoragent@cursor\.com$"), "cursor"),
    (re.compile(r"@ampcode\.com$"), "amp"),
    (re.compile(r"@continue\.dev$"), "continue-cli"),
)

_TRAILER: Final = re.compile(r"(co-authored-by|assisted-by|generated-by|generated-with)[ \t]*:[ \t]*(\S.*)", re.I)
_IDENTITY: Final = re.compile(r"(?P<name>[^<>]*?)\s*<(?P<mail>[^<>\s]+)>")
_MODEL_IN_NAME: Final = re.compile(r"\(([^()]+)\)")
_KERNEL_STYLE: Final = re.compile(r"(?P<agent>[^:\[\]<>]+):(?P<model>[^\s\[\]<>]+)(?:\s+\[[^\[\]]*\])*")
_LONGEST: Final = 500


def known_assistant(name: str) -> str | None:
    """The name that an assistant's source has here; None for a name that is not known."""
    return _NAMES.get(re.sub(r"[\s_]+", "-", name.strip().lower()))


def attributions_in_message(message: bytes) -> Iterator[Attribution]:
    """What the trailers of a commit message say: the assistants that took part, without lines.

    `Co-authored-by` counts only where the name or the address is an assistant's: people are co-authors, too.
    """
    for line in _last_paragraph(message.decode("utf-8", "replace")):
        found = _TRAILER.fullmatch(line.strip()[:_LONGEST])
        if found is None:
            continue
        of_person = found[1].lower() == "co-authored-by"
        attribution = _of_identity(found[2]) or (None if of_person else _of_words(found[2]))
        if attribution is not None:
            yield attribution


def _last_paragraph(text: str) -> list[str]:
    """The lines of the last paragraph, or of the last two: some programs part their trailers by a blank line."""
    paragraphs = re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").rstrip())
    return [line for paragraph in paragraphs[1:][-2:] for line in paragraph.split("\n")]


def _of_identity(value: str) -> Attribution | None:
    """`Claude Opus 4.5 <noreply@anthropic.com>`, `aider (gpt-5) <aider@aider.chat>`."""
    found = _IDENTITY.fullmatch(value.strip())
    if found is None:
        return None
    name, mail = found["name"], found["mail"].lower()
    tool = next((tool for pattern, tool in _ADDRESSES if pattern.search(mail)), None)
    in_brackets = _MODEL_IN_NAME.search(name)
    bare = _MODEL_IN_NAME.sub("", name).strip()
    tool = tool or known_assistant(bare.removesuffix("[bot]"))
    if tool is None:
        return None
    model = in_brackets[1].strip() if in_brackets else (None if known_assistant(bare) else bare or None)
    return Attribution("trailer", "ai", tool=tool, model=model)


def _of_words(value: str) -> Attribution | None:
    """`Claude:claude-opus-4-5 [clang-tidy]` as the Linux kernel asks for, or a name."""
    kernel = _KERNEL_STYLE.fullmatch(value.strip())
    if kernel is not None:
        agent = kernel["agent"].strip()
        return Attribution("trailer", "ai", tool=known_assistant(agent) or agent, model=kernel["model"])
    name = _MODEL_IN_NAME.sub("", value).strip()
    in_brackets = _MODEL_IN_NAME.search(value)
    model = in_brackets[1].strip() if in_brackets else None
    tool = known_assistant(name) or next((_NAMES[word] for word in _words(name) if word in _NAMES), None)
    return Attribution("trailer", "ai", tool=tool or name[:100], model=model) if name else None


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z-]+", name.lower())
