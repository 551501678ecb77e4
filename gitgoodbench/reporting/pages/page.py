"""The pages: what each is made of, and the files that all of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, FunctionLoader, StrictUndefined

import gitgoodbench
from gitgoodbench.reporting.pages.compare import compare_data
from gitgoodbench.reporting.pages.overview import overview_data
from gitgoodbench.reporting.pages.shown import Shown

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'none'",
        "connect-src 'none'",
        "frame-src 'none'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
"""The Content-Security-Policy of every page: no script, no style and no request but its own files."""

_PACKAGE = "gitgoodbench.reporting.pages"


@dataclass(frozen=True)
class Page:
    """One page. scripts, styles: files of assets/ and vendor/, in the order in which they are loaded; those that all
    pages have come before. data: what is made for it of the runs, by key, and loaded by `ggb.load(key)`. linked:
    whether every page links to it.
    """

    file: str
    title: str
    template: str
    scripts: tuple[str, ...]
    styles: tuple[str, ...] = ()
    data: Mapping[str, Callable[[Sequence[Shown]], Any]] = field(default_factory=dict)
    linked: bool = True


_OVERVIEW = ("figures", "sorting", "table", "marks", "dots", "scatter", "heatmap", "overview")
_EPISODE_PARTS = ("parts", "code", "diffs", "patches", "files", "chains", "trees", "talk", "judge", "head")
_EPISODE = ("marks", "heatmap", *(f"episode-{part}" for part in _EPISODE_PARTS), "episode", "episode-page")

PAGES: Final = (
    Page(
        file="index.html",
        title="Overview",
        template="index.html.j2",
        scripts=("vendor/d3.min.js", *(f"assets/{name}.js" for name in _OVERVIEW)),
        styles=("assets/overview.css",),
        data={"overview": overview_data},
    ),
    Page(
        file="compare.html",
        title="Compare",
        template="compare.html.j2",
        scripts=("vendor/d3.min.js", "assets/forest.js", "assets/compare.js"),
        styles=("assets/overview.css", "assets/compare.css"),
        data={"compare": compare_data},
    ),
    Page(
        file="episode.html",
        title="Episode",
        template="episode.html.j2",
        scripts=(
            *(f"vendor/{name}.min.js" for name in ("d3", "diff", "highlight")),
            *(f"assets/{name}.js" for name in _EPISODE),
        ),
        styles=("assets/episode.css", "assets/episode-code.css"),
        linked=False,
    ),
)

_SCRIPTS = ("assets/core.js", "assets/filters.js", "assets/keys.js", "assets/shell.js")
_STYLES = ("assets/base.css",)


def render_page(page: Page, *, live: bool = False) -> bytes:
    """A page's HTML. live: it asks its server whether its data has changed."""
    text = (
        _environment()
        .get_template(page.template)
        .render(
            page=page,
            linked=[other for other in PAGES if other.linked],
            scripts=(*_SCRIPTS, *page.scripts),
            styles=(*_STYLES, *page.styles),
            policy=POLICY,
            version=gitgoodbench.__version__,
            live=live,
        )
    )
    return text.encode()


def asset_files() -> Iterator[tuple[str, bytes]]:
    """Our own scripts and styles and those of others, with their licences, by name."""
    for room in ("assets", "vendor"):
        for entry in sorted((files(_PACKAGE) / room).iterdir(), key=lambda entry: entry.name):
            if entry.is_file():
                yield f"{room}/{entry.name}", entry.read_bytes()


@cache
def _environment() -> Environment:
    return Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(_template),
    )


def _template(name: str) -> str:
    return (files(_PACKAGE) / "templates" / name).read_text(encoding="utf-8")
