"""Keeping secrets out of what a run writes down."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

HIDDEN = "***"

_SECRET_NAME = re.compile(r"key|token(?!s)|secret|passw|credential|auth(?!or)", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"\b(?:sk|ghp|gho|github_pat|hf|xox[abp])[-_][\w-]{8,}")
_SHORTEST_SECRET = 6
_HEADER = "--header"


def redact_command(argv: Sequence[str], environ: Mapping[str, str]) -> list[str]:
    """A command line without secrets: values of key-like options and variables, keys, credentials in URLs."""
    secrets = [value for name, value in environ.items() if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET]
    shown: list[str] = []
    hide_next = False
    for argument in argv:
        option, equals, value = argument.partition("=")
        secret_option = argument.startswith("-") and bool(_SECRET_NAME.search(option) or option == _HEADER)
        if hide_next:
            shown.append(HIDDEN)
        elif secret_option and equals:
            shown.append(f"{option}={HIDDEN}")
        elif argument.startswith("--") and equals:
            shown.append(f"{option}={redact_text(value, secrets)}")
        else:
            shown.append(redact_text(argument, secrets))
        hide_next = secret_option and not equals and not hide_next
    return shown


def redact_text(text: str, secrets: Sequence[str] = ()) -> str:
    """Text without the given secrets, without what looks like a key, and, where it is a URL, without credentials."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return _SECRET_VALUE.sub(HIDDEN, redact_url(text) if "://" in text else text)


def redact_url(url: str) -> str:
    """A URL whose user part and key-like query values are hidden; anything else as it is."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    _, at, host = parts.netloc.rpartition("@")
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    hidden = [(name, HIDDEN if _SECRET_NAME.search(name) else value) for name, value in pairs]
    query = parts.query if hidden == pairs else urlencode(hidden, safe="*")
    return urlunsplit(parts._replace(netloc=f"{HIDDEN}@{host}" if at else parts.netloc, query=query))


def without_values(headers: Sequence[str]) -> tuple[str, ...]:
    """`Name: value` each, the values hidden: they are mostly keys."""
    return tuple(f"{header.partition(':')[0]}: {HIDDEN}" for header in headers)
