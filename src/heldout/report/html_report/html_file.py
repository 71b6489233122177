"""The whole file: what the reader's browser may do, the look, the views, the data, the scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from heldout.charts.figure import Figure
from heldout.charts.vega import bundle, embedded_json, policy
from heldout.curves.threshold_table import Thresholds
from heldout.optional_packages import installed
from heldout.report import rendered
from heldout.report.document import Document
from heldout.report.html_report.markup import given
from heldout.report.html_report.sections import Contents, own_blocks, sections, shown_figures
from heldout.report.html_report.threshold_explorer import explorer_data

KEPT = "base-uri 'none'; form-action 'none'"
"""What a report forbids itself besides what a chart does."""
COPIES = {"text": "text", "md": "Markdown", "latex": "LaTeX", "csv": "CSV"}
UNDRAWN = (
    "<p>Charts are missing, because the package for charts is not installed; their numbers are shown. "
    "To see both: <code>pip install &#x27;heldout[charts]&#x27;</code></p>"
)


def report_html(d: Mapping[str, Any], document: Document, contents: Contents) -> str:
    """A result as one HTML file without outside parts.

    >>> import heldout
    >>> result = heldout.evaluate([1, 0, 1, 0], [1, 0, 0, 0])
    >>> text = report_html(result.to_dict(), result.document(), Contents())
    >>> text.startswith("<!doctype html>"), "default-src 'none'" in text, "://" in text
    (True, True, False)
    """
    blocks_of_kind = own_blocks(d)
    shown = shown_figures(document, contents.figures, blocks_of_kind)
    drawable = shown if _installed() else {}
    contents = replace(contents, figures=shown)
    parts = sections(d, document, contents, blocks_of_kind)
    if shown and not drawable:
        parts[0] = (*parts[0][:2], parts[0][2] + UNDRAWN)
    thresholds = contents.thresholds
    scripts = [*_charting(drawable), _asset("report.js"), *([_asset("explorer.js")] if thresholds else [])]
    data = {
        "heldout-copies": {form: rendered(d, form, drawn=document) for form in COPIES},
        **_drawings(drawable),
        **({"heldout-thresholds": _chosen(d, thresholds, contents)} if thresholds else {}),
    }
    blocks = [
        f'<script type="application/json" id="{name}">{embedded_json(one)}</script>' for name, one in data.items()
    ]
    code = [f'<script type="module">{script}</script>' for script in scripts]
    return "\n".join([_head(document, scripts), _body(d, document, parts), *blocks, *code, "</body></html>\n"])


@cache
def _asset(name: str) -> str:
    return (files("heldout.report.html_report") / "assets" / name).read_text(encoding="utf-8")


def _installed() -> bool:
    """Whether what draws charts is installed; without it the report has the numbers behind them."""
    return all(installed(name) for name in ("altair", "vl_convert"))


def _charting(figures: Mapping[str, Figure]) -> list[str]:
    """The script that draws charts; none where there are none."""
    if not figures:
        return []
    return [bundle()]


def _drawings(figures: Mapping[str, Figure]) -> dict[str, Any]:
    """One drawing per figure, without colours, and the colours in light and dark."""
    if not figures:
        return {}
    from heldout.charts import spec, theme

    return {
        "heldout-figures": {name: spec(figure, themed=False, titled=False) for name, figure in figures.items()},
        "heldout-themes": {"light": theme(dark=False), "dark": theme(dark=True)},
    }


def _chosen(d: Mapping[str, Any], thresholds: Thresholds, contents: Contents) -> dict[str, Any]:
    """What every threshold would do, and what a frozen one says about its rows."""
    paths = [str(source["path"]) for source in d.get("inputs", [])]
    facts = {
        "heldout": d["heldout"],
        "positive": d.get("positive"),
        "source": paths[0] if paths else None,
        "start": d.get("threshold"),
    }
    return explorer_data(thresholds, chosen_on=contents.chosen_on, facts=facts)


def _head(document: Document, scripts: Sequence[str]) -> str:
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy(*scripts)}; {KEPT}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{given(document.title)}</title>",
            f"<style>{_asset('report.css')}</style></head>",
        ]
    )


def _body(d: Mapping[str, Any], document: Document, parts: Sequence[tuple[str, str, str]]) -> str:
    links = "".join(f'<a href="#{key}">{escape(title)}</a>' for key, title, _ in parts[1:])
    buttons = "".join(f'<button type="button" data-copy="{form}">{said}</button>' for form, said in COPIES.items())
    tools = (
        f'<div class="tools"><span class="scripted" role="group" aria-label="Copy" hidden>Copy as {buttons} '
        '<span id="copied" role="status"></span></span>'
        '<span class="scripted theme" hidden><button type="button" id="theme">Dark</button></span>'
        f'<nav aria-label="Sections">{links}</nav></div>'
    )
    sections = "".join(
        f'<section id="{key}" aria-labelledby="{key}-title"><h2 id="{key}-title"'
        f"{' class=hidden' if key == 'verdict' else ''}>{escape(title)}</h2>{body}</section>"
        for key, title, body in parts
    )
    return (
        f'<body><a class="skip" href="#verdict">Skip to the verdict</a><header><h1>{given(document.title)}</h1>'
        f"{tools}</header><main>{sections}</main>"
        f"<footer><p>Made by heldout {escape(str(d['heldout']))}. "
        "This file is self-contained: it loads nothing from the network.</p></footer>"
    )
