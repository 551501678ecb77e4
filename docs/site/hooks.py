"""What the site makes of the Markdown files, which are written to be read where they lie as well.

- README.md is its first page.
- The reference has every public name, from `gitgoodbench.__all__`, so none can be forgotten.
- Marks of fenced blocks (`sh needs=key`) are for the tests that run these blocks; readers do not see them.
- Links to files beside docs/ lead to the repository.
- Badges are pictures of another server, so they are left out.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import gitgoodbench

_ROOT: Final = Path(__file__).parents[2]
_MARKED_FENCE: Final = re.compile(r"^(```\w+) needs=[\w,]+$", re.MULTILINE)
_BADGE: Final = re.compile(r"^\[!\[.*shields\.io.*\n", re.MULTILINE)
_LINK: Final = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)")

_REFERENCE: Final = """# Reference

Every name that `import gitgoodbench` gives, with types, errors and units. [Python API](api.md) shows how they are used.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are no files under docs/."""
    files.append(File.generated(config, "index.md", content=(_ROOT / "README.md").read_text(encoding="utf-8")))
    files.append(File.generated(config, "reference.md", content=_REFERENCE + "".join(_references())))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: object) -> str:
    """The page as the site needs it."""
    folder = "" if page.file.src_uri == "index.md" else "docs"

    def lead(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, link[1]))
        if path.startswith("docs/"):
            return path.removeprefix("docs/")
        kind = "tree" if (_ROOT / path).is_dir() else "blob"
        return f"{config.repo_url}/{kind}/main/{path}"

    return _LINK.sub(lead, _BADGE.sub("", _MARKED_FENCE.sub(r"\1", markdown)))


def _references() -> list[str]:
    return [f"\n::: {getattr(gitgoodbench, name).__module__}.{name}\n" for name in sorted(gitgoodbench.__all__)]
