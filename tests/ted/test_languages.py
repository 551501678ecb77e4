"""Which language a file, a fence or a script is in; every grammar reads a small sample."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gitgoodbench.ted import languages, parse
from gitgoodbench.ted.languages import (
    LANGUAGES,
    UnknownLanguage,
    find_language,
    grammar,
    language_of_fence,
    language_of_file,
    language_of_shebang,
)

SAMPLES = {
    "python": b'x = "a\\nb"  # c\n',
    "java": b'class A { String s = "a\\nb"; /* x */ // y\n }',
    "kotlin": b'val s = "a\\nb $x ${y}" // y\n',
    "rust": b'// c\n/// d\nfn f() { let s = "a\\nb"; }',
    "typescript": b"let s: string = `a${b}c\\n`; // c\n",
    "tsx": b'let s = <a b="c">text {x} more</a>;',
    "javascript": b'let s = `a${b}c`; let r = /ab+/g; let t = "x\\ny";',
    "go": b'package p\n\nfunc f() { s := "a\\nb" }\n',
    "c": b'#define X 1\nint f(void) { char *s = "a\\nb"; return 0; }\n',
    "cpp": b'#include <a>\nint f() { auto s = R"(raw)"; return 0; }\n',
    "csharp": b'class A { string s = $"a{b}c"; }',
    "ruby": b's = "a#{b}c"\nt = %w[a b]\n',
    "php": b'<p>a</p><?php $s = "a $b c\\n"; ?>',
    "swift": b'let s = "a\\(b)c"\n',
    "scala": b'object A { val s = s"a${b}c" }\n',
    "bash": b'cat <<E\na $b c\nE\necho "a $b c"\n',
    "sql": b"SELECT a, 'x' FROM t WHERE b = 1; -- c\n",
    "html": b'<p class="a">text &amp; more <!-- c --></p>',
    "css": b"a { color: #fff; background: url(a.png) }",
    "json": b'{"a": ["b\\nc", 1]}',
    "yaml": b'a: "x\\ny"\nb: |\n  text\n  more\nc: [1, 2]\n',
    "toml": b'[a]\nb = "x\\ny" # c\n',
    "markdown": b"# Title\n\nSome *text* here.\n\n- a\n- b\n\n```python\nx = 1\n```\n",
}


@pytest.mark.parametrize("name", [language.name for language in LANGUAGES])
def test_every_language_parses_a_small_sample(name: str) -> None:
    if not find_language(name).core:
        pytest.importorskip(find_language(name).module)
    tree = parse(SAMPLES[name], name)
    assert tree.errors == 0
    assert len(tree) > 10
    assert tree.span(tree.root)[1] >= len(SAMPLES[name].rstrip())


def test_the_core_is_the_benchmark_and_the_hook() -> None:
    core = {language.name for language in LANGUAGES if language.core}
    assert core == {"python", "java", "kotlin", "rust", "typescript", "tsx", "toml", "markdown"}
    assert all(language.is_installed for language in LANGUAGES if language.core)


def test_nothing_stands_for_two_languages() -> None:
    for field in ("aliases", "suffixes", "names", "interpreters"):
        keys = [key for language in LANGUAGES for key in getattr(language, field)]
        assert len(keys) == len(set(keys)), field
    names = {language.name for language in LANGUAGES}
    assert all(language.name == alias or alias not in names for language in LANGUAGES for alias in language.aliases)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (b"src/a.py", "python"), ("a.pyi", "python"), (b"a.kts", "kotlin"), ("a.TS", "typescript"),
        ("a.d.ts", "typescript"), ("a.tsx", "tsx"), ("b.jsx", "javascript"), ("x/Cargo.lock", "toml"),
        ("Pipfile", "toml"), ("Pipfile.lock", "json"),
        ("a.hpp", "cpp"), ("a.h", "c"), ("README.md", "markdown"), ("Gemfile", "ruby"), (".bashrc", "bash"),
        (b"\xff\xfe.rs", "rust"), ("py", None), ("a.py/b", None), ("", None), (".py", None), ("Makefile", None),
    ],
)  # fmt: skip
def test_a_file_goes_by_its_name(path: str | bytes, expected: str | None) -> None:
    found = language_of_file(path)
    assert (None if found is None else found.name) == expected


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ("python", "python"), ("py", "python"), ("Python", "python"), ("kt", "kotlin"), ("c++", "cpp"),
        ("C#", "csharp"),
        ("{.rust .numberLines}", "rust"), ("ts title=a.ts", "typescript"), ("python,ignore", "python"), ("sh", "bash"),
        ("src/main.rs", "rust"), ("language-go", "go"), ("", None), ("text", None), ("{}", None),
        ("py:src/a.py", "python"),
    ],
)  # fmt: skip
def test_a_fence_goes_by_its_word(info: str, expected: str | None) -> None:
    found = language_of_fence(info)
    assert (None if found is None else found.name) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"#!/usr/bin/env python3\nx", "python"), (b"#!/usr/bin/python3.11", "python"), (b"#! /bin/sh -e\n", "bash"),
        (b"#!/usr/bin/env -S node --x\n", "javascript"), (b"#!/usr/bin/env FOO=1 ruby", "ruby"), (b"#!/bin/awk", None),
        (b"#!", None), (b"python", None), (b"#!\xff\xfe", None), (b"#!/usr/bin/env", None),
    ],
)  # fmt: skip
def test_a_script_goes_by_its_first_line(line: bytes, expected: str | None) -> None:
    found = language_of_shebang(line)
    assert (None if found is None else found.name) == expected


def test_the_first_line_counts_only_where_the_name_says_nothing() -> None:
    script = b"#!/usr/bin/env python3\nprint(1)\n"
    by_line, by_name = language_of_file("tool", script), language_of_file("tool.rb", script)
    assert by_line is not None
    assert by_name is not None
    assert (by_line.name, by_name.name) == ("python", "ruby")


def test_an_unknown_language_is_named() -> None:
    with pytest.raises(
        UnknownLanguage, match=r"no language is called 'cobol'; those that can be parsed are python, java"
    ):
        find_language("cobol")


def test_a_missing_grammar_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_go", None)
    grammar.cache_clear()
    message = r"the grammar of go is not installed \(package tree-sitter-go\): pip install 'gitgoodbench\[languages\]'"
    with pytest.raises(UnknownLanguage, match=message):
        parse(b"package p\n", "go")
    assert not find_language("go").is_installed


def test_to_know_a_language_takes_no_arrays() -> None:
    code = (
        "import sys, gitgoodbench.ted as ted; ted.language_of_file('a.py'); import gitgoodbench.ted.worker;"
        "print([name for name in ('numpy', 'numba', 'joblib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"[]\n"


def test_the_language_pack_is_not_used() -> None:
    assert not any("language_pack" in language.module for language in languages.LANGUAGES)
