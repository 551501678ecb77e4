"""Which file a piece of code in a text is for: what fences' info strings, the lines before and first comments say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_EXTENSIONS: Final = re.compile(
    r"adoc|astro|avif|bash|bat|bzl|c|cc|cfg|cjs|clj|cljs|cmake|cmd|conf|cpp|cs|cshtml|csproj|css|csv|cts|cu|"
    r"cxx|dart|dockerfile|ejs|el|env|erb|erl|ex|exs|fish|fs|fsx|gitattributes|gitignore|go|gql|gradle|graphql|"
    r"groovy|h|handlebars|hbs|hcl|hh|hpp|hrl|hs|htm|html|hxx|ini|ipynb|java|jinja|jinja2|jl|js|json|json5|"
    r"jsonc|jsonl|jsx|kt|kts|less|lock|lua|m|make|markdown|md|mdx|mjs|mk|ml|mli|mm|mts|mustache|nim|nix|odt|"
    r"pas|patch|php|pl|plist|pm|po|prisma|proto|ps1|pug|py|pyi|pyx|r|rake|rb|rbi|rs|rst|s|sass|sbt|scala|scm|"
    r"scss|service|sh|sln|sol|sql|svelte|svg|swift|tcl|tex|tf|tfvars|toml|tpl|ts|tsv|tsx|twig|txt|v|vb|vhd|"
    r"vim|vue|wat|xaml|xml|xsd|yaml|yml|zig|zsh"
)
"""Endings that tell a file's name from a dotted name (`np.array`)."""

_NAMES: Final = re.compile(
    r"Dockerfile|Containerfile|Makefile|makefile|GNUmakefile|Rakefile|Gemfile|Procfile|Justfile|justfile|"
    r"Vagrantfile|Jenkinsfile|Brewfile|LICENSE|README|CHANGELOG|CODEOWNERS"
)
"""Files without an ending; `License` as a heading is none."""

_NO_COMMENTS: Final = frozenset(("md", "markdown", "mdx", "rst", "text", "json"))
_SHELLS: Final = frozenset(("bash", "sh", "shell", "zsh", "fish", "console", "powershell", "cmd", "bat", "terminal"))
_FORBIDDEN: Final = re.compile(r"[\s<>|\"'*?`(){}=,;\x00-\x1f]|://")
_LONGEST: Final = 400
_LONGEST_LINE: Final = 1000

_CURSOR: Final = re.compile(r"(\d{1,9}):(\d{1,9}):(.+)")
_AFTER_PATH: Final = re.compile(r"(?:[:#]L?(\d{1,9})(?:[-:,]L?\d{1,9})?)$")
_ATTRIBUTE: Final = re.compile(r"""([A-Za-z][\w-]{0,30})\s?=\s?(?:"([^"]*)"|'([^']*)'|([^\s"',}]+))""")
_SPAN: Final = re.compile(r"`([^`\s]{1,400})`")
_LABEL: Final = re.compile(r"(?:file ?path|file ?name|file|path)\s?:\s?", re.IGNORECASE)
_COMMENT: Final = re.compile(r"\s*(?://+|#+|--+|;+|%+|/\*+|<!--+|\{/\*+)\s?(.*?)\s?(?:\*+/\}?|--+>)?\s*$")
_HEADING: Final = re.compile(r"(?:(?:[#>*+-]+|\d{1,4}[.)]) +){1,4}")

_FILE_KEYS: Final = frozenset(("file", "filename", "filepath", "file_path", "path", "src", "source"))
_TITLE_KEYS: Final = frozenset(("title", "name", "label", "caption"))
_LINE_KEYS: Final = frozenset(
    ("startline", "start_line", "start", "startfrom", "line", "lines", "linenostart", "firstline")
)


@dataclass(frozen=True)
class Info:
    """What an info string says."""

    language: str | None = None
    path: str | None = None
    line: int | None = None


def read_info(info: str) -> Info:
    """Read what stands after a fence's opening marks.

    Forms: `python`, `python:hello.py`, `python hello.py`, `hello.py`, `12:20:hello.py`, `python title="hello.py"`,
    `{.python file=hello.py startFrom=12}`.
    """
    info = info[:_LONGEST_LINE].strip()
    language, path, line = None, None, None
    for match in _ATTRIBUTE.finditer(info):
        key, value = match[1].lower(), next((group for group in match.groups()[1:] if group), "")
        if key in _FILE_KEYS or (key in _TITLE_KEYS and looks_like_path(value)):
            path = path or _plain(value)
        elif key in _LINE_KEYS:
            line = line or _number(value)
    words = _ATTRIBUTE.sub(" ", info).replace("{", " ").replace("}", " ").split()
    if words:
        first = _first_word(words[0].lstrip(".") if info.startswith("{") else words[0])
        language, path, line = first.language, path or first.path, line or first.line
    for word in words[1:]:
        named, at = _with_line(word)
        if path is None and looks_like_path(named):
            path, line = _plain(named), line or at
    return Info(language, path, line)


def _first_word(word: str) -> Info:
    """The language, and what may be glued to it."""
    cursor = _CURSOR.fullmatch(word)
    if cursor:
        return Info(None, _plain(cursor[3]), _number(cursor[1]))
    named, at = _with_line(word)
    if looks_like_path(named) and ":" not in named.partition("/")[0][2:]:
        return Info(None, _plain(named), at)
    language, colon, rest = word.partition(":")
    named, at = _with_line(rest)
    path = _plain(named) if colon and sane(named) and not named.isdigit() else None
    return Info(language.strip(".,").lower() or None, path, at if path else None)


def path_before(line: str, language: str | None) -> str | None:
    """The file that the line before a fence names: alone, labelled, or as the one `code` of a sentence."""
    if len(line) > _LONGEST_LINE:
        return None
    bare = _HEADING.sub("", line.strip(), count=1)
    alone = _LABEL.sub("", bare.strip("*:` \t"), count=1).strip("*:` \t")
    if looks_like_path(alone):
        return _plain(alone)
    if language in _SHELLS:
        return None
    spans = {span for span in _SPAN.findall(line) if _ends_like_file(span)}
    return _plain(spans.pop()) if len(spans) == 1 else None


def path_in_comment(line: str, language: str | None) -> tuple[str | None, bool]:
    """The file that a first line of code names in a comment, and whether the line says nothing else (`// path: x`)."""
    if len(line) > _LONGEST_LINE or language in _NO_COMMENTS:
        return None, False
    comment = _COMMENT.fullmatch(line.rstrip("\r\n"))
    if comment is None:
        return None, False
    label = _LABEL.match(comment[1])
    named = comment[1][label.end() :] if label else comment[1]
    named = named.strip("`*\"' -=")
    if label and sane(named) and (looks_like_path(named) or _ends_like_file(named)):
        return _plain(named), True
    return (_plain(named), False) if _ends_like_file(named) else (None, False)


def looks_like_path(text: str) -> bool:
    """Whether a word is a path rather than a word."""
    if not sane(text):
        return False
    if _ends_like_file(text):
        return True
    folder, slash, name = text.replace("\\", "/").rpartition("/")
    return bool(slash and name and folder and (text[0] in "/.~" or "." in name or "/" in folder))


def sane(text: str) -> bool:
    """Whether a text can be a path at all."""
    return (
        0 < len(text) <= _LONGEST
        and not _FORBIDDEN.search(text)
        and not text.startswith("-")
        and text.strip("./") != ""
    )


def _ends_like_file(text: str) -> bool:
    if not sane(text):
        return False
    name = text.replace("\\", "/").rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    return bool(_NAMES.fullmatch(name)) or bool(
        dot and _EXTENSIONS.fullmatch(extension.lower()) and (stem or len(extension) > 2)
    )


def _with_line(word: str) -> tuple[str, int | None]:
    """`a.py:12`, `a.py#L12-L20`: the path and the line."""
    match = _AFTER_PATH.search(word)
    return (word[: match.start()], _number(match[1])) if match else (word, None)


def _plain(path: str) -> str | None:
    path = path.strip("`*\"' \t")
    return path.removeprefix("./") or None


def _number(text: str) -> int | None:
    """The number at the beginning; lines count from 1."""
    digits = re.match(r"\d{1,9}", text)
    return (int(digits[0]) or None) if digits else None
