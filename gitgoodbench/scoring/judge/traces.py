"""What a commit message carries of the project around it: issue numbers, trailers, marks of merge queues and of CI.

Only real commits have them, so that a judge could tell the sides apart. The rules are the same for every message, and
narrow: what may be ordinary content (`#fff`, `UTF-8`, `step #2`, `C#7`) stays. All patterns take linear time.
"""

from __future__ import annotations

import re
from typing import Final

_STANDARDS: Final = (
    "AES|AS|ARM|AVX|BASE|CFB|CP|CRC|CVE|CWE|DES|ECMA|EPSG|ES|FIPS|GPT|HMAC|HTML|HTTP|IEC|IEEE|IPV|ISO|JAVA|JDK|JEP|JSR"
    "|LATIN|MD|MP|OAUTH|PBKDF|PEP|PKCS|POSIX|PY|PYTHON|RC|RFC|RIPEMD|RSA|SHA|SHAKE|SHIFT|SSE|SSL|TLS|UCS|UNICODE|UTF"
    "|WCAG|WIN|WINDOWS|XML"
)
"""Before `-8` these name encodings, standards, algorithms and versions."""

_KEY: Final = rf"(?!(?:{_STANDARDS})-)[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)*-[1-9]\d{{0,6}}"
_URL: Final = (
    r"https?://[^\s()<>\[\]]{1,200}?(?:/(?:issues?|pull|pulls|pull-requests|merge_requests|commit|discussions|browse|bugs?)/"
    r"|/show_bug\.cgi|/\+bug/)[^\s()<>\[\]]{0,200}[\w/]"
)
_REFERENCE: Final = (
    rf"(?:{_URL}|\b(?i:pr|mr|gh|bug|issue|ticket)#\d+|(?<![\w/.&#@-])"
    rf"(?:[\w.-]+/[\w.-]+[#!][1-9]\d{{0,6}}|(?i:gh)-[1-9]\d{{0,6}}|{_KEY}|#[1-9]\d{{0,6}})(?![\w-]|[.:]\d))"
)
"""An issue, a pull request or a commit on a server, by whatever name."""

_NOUN: Final = r"(?i:issues?|bugs?|tickets?|pull[ -]requests?|merge[ -]requests?|prs?|mrs?|jira)"
_VERB: Final = (
    r"(?i:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|references|see(?:[ ]also)?|related[ ]to|relates[ ]to|part[ ]of"
    r"|address(?:es)?|follow[- ]?up[ ](?:to|of)|cf\.?|for)"
)
_MORE: Final = rf"(?:(?:[ ]?[,;&+]|[ ]and\b)?[ ]?(?:{_VERB}[ ])?{_REFERENCE}){{0,5}}"
_LIST: Final = _REFERENCE + _MORE
_VERBAL: Final = rf"{_VERB}[ ]?:?[ ]{{0,3}}(?:the[ ])?(?:{_NOUN}[ ]?:?[ ]{{0,3}})?{_LIST}"
_CLAUSE: Final = rf"(?:{_VERBAL}|(?:{_NOUN}[ ]?:?[ ]{{0,3}})?{_LIST})"

_MERGE: Final = re.compile(
    r"\A(?:Merge (?:pull|merge) request [#!]\d+ from .*|Auto merge of #\d+ .*|Merged in .* \(pull request #\d+\))\n*"
)
_TRAILER: Final = re.compile(
    r"^[ \t]*(?:(?:[a-z][a-z-]*-by|cc|[a-z-]*change-id|git-svn-id|reviewed-on|differential revision|commit-queue"
    r"|cr-commit-position|auto-submit|(?:piper|git)origin-revid|skip-checks)[ \t]*:.*"
    r"|(?:link|see|ref|refs|pull-request|merge-request|pr-url)[ \t]*:[ \t]*https?://\S+"
    r"|(?:bug|issue|fixed)s?[:=][ \t]*(?:[a-z]+:)?\d+(?:,[ ]?(?:[a-z]+:)?\d+)*"
    r"|(?:tbr|r)=[a-z][\w@.,-]*"
    r"|(?:author|committer)[ \t]*:(?=.*@).*|date[ \t]*:(?=.*\d:\d\d).*|\(cherry picked from commit[ \t].*"
    r"|@?bors(?:[- ][\w-]+)?:?[ ](?:r[+=]|try|merge|retry|delegate).*|/(?:lgtm|approve|retest)|see merge request[ ].*"
    r"|\W{0,4}generated (?:with|by) \[?(?:claude|codex|copilot|cursor|aider)\b.*"
    r")[ \t]*(?:\n|\Z)",
    re.IGNORECASE | re.MULTILINE,
)
_CI_MARK: Final = re.compile(
    r"[ ]?(?:\[(?:(?:skip|no)[ -](?:ci|actions|travis|appveyor|circle)|(?:ci|actions|travis|appveyor|circle)[ -]skip)\]"
    r"|\*\*\*NO_CI\*\*\*)",
    re.IGNORECASE,
)
_ALONE: Final = re.compile(rf"^[ \t]*(?:[-*][ ])?{_CLAUSE}[.!]?[ \t]*(?:\n|\Z)", re.MULTILINE)
_BRACKETED: Final = re.compile(rf"[ ]?(?:\([ ]?{_CLAUSE}[ ]?\)|\[[ ]?{_CLAUSE}[ ]?\])")
_LEADING: Final = re.compile(rf"\A(?!#\d[ ])(?:{_CLAUSE}[ ]?[:,–-][ ]+|{_LIST}[ ]+)(?=\S)")
_AT_END: Final = re.compile(rf"(?:[ ]?[,;:–-])?[ ]{_CLAUSE}(?P<stop>[.!]?)[ \t]*\Z")
_CLOSING: Final = re.compile(
    rf"(?:(?<=[.!?])[ ]{_VERBAL}[.!]?|[ ]?[,;:–-][ ]{_VERBAL}(?P<stop>[.!]?))[ \t]*$", re.MULTILINE
)
_NAMED: Final = re.compile(rf"\b({_NOUN})[ ]{_LIST}")
_INLINE: Final = re.compile(_LIST)

_ORDINARY: Final = re.compile(
    r"\b(?:arg|argument|attempt|background|border|case|chapter|colou?r|column|css|example|item|level|line|number|option|part"
    r"|phase|point|question|round|row|rule|step|take|test|try|variant|version)s?[ ]?[:=]?[ ]?\Z",
    re.IGNORECASE,
)
"""What stands before a `#2` that is ordinary content."""

_GOVERNING: Final = re.compile(
    r"\b(?:a|after|an|and|as|at|before|by|from|in|into|is|like|of|on|or|per|revert(?:s|ed)?|since|than|that|the|this|to"
    r"|until|using|was|with)\Z",
    re.IGNORECASE,
)
"""What cannot end a sentence: the reference after it becomes `an issue`."""

_BARE: Final = re.compile(
    r"(?:\A|[\n.!?:;(\[-][ ]*|\b(?:about|address(?:es|ed)?|after|against|and|as|at|because of|before|but|by|close[sd]?"
    r"|due to|fix(?:e[sd]|ing)?|for|from|handle[sd]?|if|implements?|in|into|is|like|of|on|or|per|references?"
    r"|resolve[sd]?|revert(?:s|ed)?|see|since|than|to|until|using|via|was|what|when|with)[ ])\Z",
    re.IGNORECASE,
)
"""What stands before a noun that has no article."""

_COLOUR: Final = re.compile(r"colou?r|css|background|border|palette|hex\b", re.IGNORECASE)
_COLOUR_VALUE: Final = re.compile(r"#(?:\d{3}|\d{6})\Z")

_SOMETHING: Final = "an issue"
_CONTEXT: Final = 40
"""Characters before a reference that are looked at."""


def without_traces(message: str) -> str:
    """The message without them. A reference that its sentence needs becomes `an issue`."""
    message = _MERGE.sub("", message) or ("Merge a branch" if message else "")
    subject, line_end, body = message.partition("\n")
    if _TRAILER.fullmatch(subject):
        subject = line_end = ""
    message = _CI_MARK.sub("", subject + line_end + _TRAILER.sub("", body)).lstrip("\n")
    rest = _without_references(message)
    return rest if rest.strip() or not message.strip() else _in_words(message)


def _without_references(message: str) -> str:
    unbracketed = _BRACKETED.sub("", message)
    if message[:1] in "([" and unbracketed[:1] != message[:1]:
        unbracketed = unbracketed.lstrip(" :,–-")
    message = _LEADING.sub("", _ALONE.sub("", unbracketed).lstrip("\n"))
    subject, line_end, body = message.partition("\n")
    return _in_words(_AT_END.sub(_ended, subject) + line_end + _CLOSING.sub(lambda match: match["stop"] or "", body))


def _ended(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - _CONTEXT) : match.start()]
    return match[0] if _GOVERNING.search(before) or _is_ordinary(match) else match["stop"]


def _in_words(message: str) -> str:
    message = _NAMED.sub(_with_article, message)
    return _INLINE.sub(lambda match: match[0] if _is_ordinary(match) else _SOMETHING, message)


def _with_article(match: re.Match[str]) -> str:
    """The noun alone, with an article where it has none: `as issue #12 says` -> `as an issue says`."""
    noun, before = match[1], match.string[max(0, match.start() - _CONTEXT) : match.start()]
    if noun[-1] in "sS" or not _BARE.search(before):
        return noun
    article = "an" if noun[0] in "iI" or noun.lower() == "mr" else "a"
    if noun[0].isupper() and not (before and before[-1] == " " and before.rstrip()[-1:].isalnum()):
        article = article.capitalize()
    return f"{article} {noun if noun.isupper() else noun.lower()}"


def _is_ordinary(match: re.Match[str]) -> bool:
    """Whether a number with a hash counts something in the text, or is a colour."""
    text, start = match.string, match.start()
    if not match[0].lstrip().startswith("#"):
        return False
    if _ORDINARY.search(text[max(0, start - _CONTEXT) : start]):
        return True
    line = text[max(0, start - _CONTEXT) : match.end()].rpartition("\n")[2]
    return bool(_COLOUR_VALUE.search(match[0].rstrip(" .!")) and _COLOUR.search(line))
