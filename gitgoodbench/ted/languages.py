"""The languages that can be parsed: what they are called, which files are theirs, and where their grammars come from.

Nothing is loaded before a grammar is asked for. Those of the languages marked `core` are always installed; the others
come with the extra `languages`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import Final

import tree_sitter

from gitgoodbench.errors import UserError

EXTRA: Final = "languages"
"""The extra of this package that holds the grammars not in the core."""

COMMENTS: Final = frozenset(
    {
        "comment", "line_comment", "block_comment", "multiline_comment", "html_comment", "js_comment", "xml_comment",
        "marginalia",
    }
)  # fmt: skip
"""Kinds of nodes that are comments, over all grammars."""

_CLASS: Final = (b"class A {\n", b"\n}\n")
_FAMILIES: Final = {"javascript": "typescript", "tsx": "typescript", "cpp": "c"}
_TYPESCRIPT: Final = (
    "class_body/* interface_body/* enum_body/* type_alias_declaration/object_type/* internal_module/statement_block/* "
    "module/statement_block/* ambient_declaration/statement_block/*"
)
_C: Final = (
    "field_declaration_list/* enumerator_list/* declaration_list/* /preproc_ifdef/* /preproc_if/* /preproc_elif/* "
    "/preproc_else/*"
)
_MEMBERS: Final = {
    "python": "class_definition/block/* /block/*",
    "java": "class_body/* interface_body/* enum_body/* enum_body_declarations/* annotation_type_body/*",
    "kotlin": "class_body/* enum_class_body/*",
    "rust": "declaration_list/* field_declaration_list/* enum_variant_list/*",
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "toml": "table/pair table_array_element/pair inline_table/pair array/*",
    "markdown": "section/* list/* pipe_table/pipe_table_row",
    "javascript": "class_body/*",
    "go": "field_declaration_list/* interface_type/* import_spec_list/* var_spec_list/* const_declaration/const_spec "
    "type_declaration/type_spec",
    "c": _C,
    "cpp": _C,
    "csharp": "declaration_list/* enum_member_declaration_list/*",
    "ruby": "class/body_statement/* module/body_statement/* singleton_class/body_statement/*",
    "php": "declaration_list/* enum_declaration_list/* namespace_definition/compound_statement/*",
    "swift": "class_body/* enum_class_body/* protocol_body/*",
    "scala": "template_body/* enum_body/*",
    "sql": "column_definitions/*",
    "html": "element/element element/script_element element/style_element element/comment",
    "css": "block/* keyframe_block_list/*",
    "json": "object/* array/*",
    "yaml": "block_mapping/* block_sequence/* flow_mapping/* flow_sequence/*",
}
"""Bash has none."""

_SHEBANG: Final = re.compile(
    rb"#![ \t]*(?:\S*/)?env(?:[ \t]+(?:-\S+|\w+=\S*))*[ \t]+(?:\S*/)?(\S+)|#![ \t]*(?:\S*/)?(\S+)"
)
_INTERPRETER_VERSION: Final = re.compile(r"[-.0-9]+$")


class UnknownLanguage(UserError):
    """A language that cannot be parsed here: it is not known, or its grammar is not installed."""


@dataclass(frozen=True)
class Language:
    """A language.

    module, function: the package that holds the grammar, and its function that returns it. fragment: the function for
    source without its file's frame, where that is another one. suffixes: ends of file names, with the dot.
    names: whole file names. aliases: other names, as after the fence of a block of code, in lower case. interpreters:
    programs in a `#!` line, without version. wrappers: kinds of nodes that only hold the top-level items of a file
    together. frame: what makes a class of members, before and after them.
    """

    name: str
    module: str
    suffixes: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    wrappers: tuple[str, ...] = ()
    function: str = "language"
    fragment: str | None = None
    frame: tuple[bytes, bytes] | None = None
    core: bool = False

    @property
    def package(self) -> str:
        """The grammar's package, as installers know it."""
        return self.module.replace("_", "-")

    @property
    def family(self) -> str:
        """What languages share whose trees can be compared, since one grammar grew out of the other's."""
        return _FAMILIES.get(self.name, self.name)

    @property
    def members(self) -> tuple[str, ...]:
        """Where items (see `items`) stand, other than directly in a file, as the kinds of nodes: `object/pair`.

        The last one is the item's, those before it are what it stands in. `*` is every node but keywords, signs and
        identifiers. After a slash at the start, the outermost node must itself be an item.
        """
        return tuple(_MEMBERS.get(self.name, "").split())

    @property
    def is_installed(self) -> bool:
        """Whether the grammar can be loaded."""
        try:
            grammar(self.name)
        except UnknownLanguage:
            return False
        return True


LANGUAGES: Final = (
    Language(
        "python", "tree_sitter_python", (".py", ".pyi", ".pyw"), ("python", "py", "python3", "py3"),
        interpreters=("python", "pypy"), wrappers=("block",), core=True,
    ),
    Language("java", "tree_sitter_java", (".java",), frame=_CLASS, core=True),
    Language(
        "kotlin", "tree_sitter_kotlin", (".kt", ".kts"), ("kt", "kts"), interpreters=("kotlin",), frame=_CLASS,
        core=True,
    ),
    Language("rust", "tree_sitter_rust", (".rs",), ("rs",), core=True),
    Language(
        "typescript", "tree_sitter_typescript", (".ts", ".mts", ".cts"), ("ts", "mts", "cts"),
        function="language_typescript", interpreters=("deno", "ts-node", "tsx", "bun"), frame=_CLASS, core=True,
    ),
    Language(
        "tsx", "tree_sitter_typescript", (".tsx",), ("typescriptreact",), function="language_tsx", frame=_CLASS,
        core=True,
    ),
    Language(
        "toml", "tree_sitter_toml", (".toml",), names=("Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"), core=True
    ),
    Language(
        "markdown", "tree_sitter_markdown", (".md", ".markdown", ".mdown"), ("md",), wrappers=("section",), core=True
    ),
    Language(
        "javascript", "tree_sitter_javascript", (".js", ".mjs", ".cjs", ".jsx"), ("js", "mjs", "cjs", "jsx", "node"),
        interpreters=("node", "nodejs"), frame=_CLASS,
    ),
    Language("go", "tree_sitter_go", (".go",), ("golang",)),
    Language("c", "tree_sitter_c", (".c", ".h"), ("h",)),
    Language(
        "cpp", "tree_sitter_cpp", (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp"),
        ("c++", "cc", "cxx", "hpp", "hxx", "hh"),
    ),
    Language(
        "csharp", "tree_sitter_c_sharp", (".cs", ".csx"), ("c#", "cs", "c-sharp"), wrappers=("global_statement",),
        frame=_CLASS,
    ),
    Language(
        "ruby", "tree_sitter_ruby", (".rb", ".rake", ".gemspec"), ("rb",), ("Rakefile", "Gemfile", "Vagrantfile"),
        interpreters=("ruby",),
    ),
    Language(
        "php", "tree_sitter_php", (".php", ".phtml"), interpreters=("php",), function="language_php",
        fragment="language_php_only", frame=_CLASS,
    ),
    Language("swift", "tree_sitter_swift", (".swift",), interpreters=("swift",), frame=_CLASS),
    Language("scala", "tree_sitter_scala", (".scala", ".sc", ".sbt"), interpreters=("scala",), frame=_CLASS),
    Language(
        "bash", "tree_sitter_bash", (".sh", ".bash", ".ksh", ".bats"), ("sh", "shell", "zsh", "ksh", "console"),
        (".bashrc", ".bash_profile", ".profile", "PKGBUILD"), ("sh", "bash", "dash", "ksh", "zsh"),
    ),
    Language(
        "sql", "tree_sitter_sql", (".sql", ".ddl", ".dml"), ("mysql", "postgresql", "postgres", "sqlite", "plsql")
    ),
    Language("html", "tree_sitter_html", (".html", ".htm", ".xhtml"), ("htm", "xhtml")),
    Language("css", "tree_sitter_css", (".css",)),
    Language(
        "json", "tree_sitter_json", (".json", ".jsonc", ".ipynb", ".webmanifest"), ("jsonc",),
        ("Pipfile.lock", "composer.lock"),
    ),
    Language(
        "yaml", "tree_sitter_yaml", (".yaml", ".yml"), ("yml",), (".clang-format",),
        wrappers=("document", "block_node", "block_mapping", "block_sequence"),
    ),
)  # fmt: skip


def find_language(name: str) -> Language:
    """A language by its name or another one in use for it (`py`, `c++`), whatever its case.

    Else by what stands behind a code fence (`{.kt}`), or by a file name (`src/Main.kt`).

    Raises:
        UnknownLanguage: there is none.
    """
    found = _named().get(name.strip().lower()) or language_of_fence(name) or _of_name(name.strip())
    if found is None:
        known = ", ".join(language.name for language in LANGUAGES)
        raise UnknownLanguage(f"no language is called {name!r}; those that can be parsed are {known}")
    return found


def language_of_fence(info: str) -> Language | None:
    """The language of a fenced block of code, by what stands behind its opening fence: `python`, `{.kt}`, `c++ a=b`.

    A file name there counts as one.
    """
    words = info.strip().strip("{}").replace(",", " ").replace(":", " ").split()
    if not words:
        return None
    word = words[0]
    return _named().get(word.lower().removeprefix(".").removeprefix("language-")) or _of_name(word)


def language_of_file(path: str | bytes, content: bytes = b"") -> Language | None:
    """The language of a file by its name, or else by the `#!` line of its content. None where it is not known."""
    found = _of_name(os.fsdecode(path))
    if found is None and content.startswith(b"#!"):
        return language_of_shebang(content)
    return found


def language_of_shebang(content: bytes) -> Language | None:
    """The language of a script by its `#!` line."""
    match = _SHEBANG.match(content.split(b"\n", 1)[0])
    if match is None:
        return None
    program = (match[1] or match[2]).decode("utf-8", "replace").rsplit("/", 1)[-1]
    return _interpreters().get(_INTERPRETER_VERSION.sub("", program))


@cache
def grammar(name: str, *, fragment: bool = False) -> tree_sitter.Language:
    """The grammar of a language, by its own name.

    Args:
        fragment: the one for source without its file's frame, where there is one.

    Raises:
        UnknownLanguage: it is not installed.
    """
    language = find_language(name)
    try:
        module = import_module(language.module)
    except ModuleNotFoundError as missing:
        if missing.name != language.module:
            raise
        cause = "it belongs to gitgoodbench itself" if language.core else f"pip install 'gitgoodbench[{EXTRA}]'"
        raise UnknownLanguage(
            f"the grammar of {language.name} is not installed (package {language.package}): {cause}"
        ) from None
    function = language.fragment if fragment and language.fragment is not None else language.function
    return tree_sitter.Language(getattr(module, function)())


@cache
def named_kinds(name: str) -> frozenset[str]:
    """The kinds of a language's nodes that are neither keywords nor signs."""
    kinds = grammar(name)
    numbers = range(kinds.node_kind_count)
    return frozenset(kinds.node_kind_for_id(kind) or "" for kind in numbers if kinds.node_kind_is_named(kind))


def _of_name(path: str) -> Language | None:
    name = PurePosixPath(path).name
    exact = _file_names().get(name)
    if exact is not None:
        return exact
    return _suffixes().get(PurePosixPath(name).suffix.lower())


def _table(keys: Callable[[Language], Iterable[str]]) -> dict[str, Language]:
    return {key: language for language in LANGUAGES for key in keys(language)}


@cache
def _named() -> dict[str, Language]:
    return _table(lambda language: (language.name, *language.aliases))


@cache
def _suffixes() -> dict[str, Language]:
    return _table(lambda language: language.suffixes)


@cache
def _file_names() -> dict[str, Language]:
    return _table(lambda language: language.names)


@cache
def _interpreters() -> dict[str, Language]:
    return _table(lambda language: language.interpreters)
