"""The whole file: what the reader's browser may do, the look, the views, the data, the scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from heldout.charts.figure import Figure
from heldout.charts.vega import bundle, embedded_json, policy
from heldout.curves.threshold_table import Thresholds
from heldout.report import drawn
from heldout.report.document import Page, Table
from heldout.report.html_report.markup import given
from heldout.report.html_report.sections import Contents, shown_figures, views
from heldout.report.html_report.threshold_explorer import explorer_data
from heldout.report.kinds.registry import page
from heldout.report.plain_text import visible

KEPT = "base-uri 'none'; form-action 'none'"
"""What a page of a whole result forbids itself besides what a chart does."""
COPIES = {"text": "text", "md": "Markdown", "latex": "LaTeX", "csv": "CSV"}
UNDRAWN = (
    "<p>Charts are missing, because what draws them is not installed; their numbers are here. "
    "With <code>pip install &#x27;heldout[charts]&#x27;</code> the page has both.</p>"
)
WORDS = {
    "heldout.evaluation/1": "Evaluation",
    "heldout.comparison/1": "Comparison",
    "heldout.ranking/1": "Ranking",
    "heldout.text/1": "Texts",
    "heldout.detection/1": "Detections",
    "heldout.masks/1": "Masks",
}


def page_html(
    d: Mapping[str, Any],
    *,
    figures: Mapping[str, Figure] | None = None,
    thresholds: Thresholds | None = None,
    rows: str | None = None,
    tables: Mapping[str, Sequence[Table]] | None = None,
    facts: Mapping[str, str] | None = None,
) -> str:
    """A result as one HTML file without outside parts; `rows` is the hash of the rows that a threshold is chosen on.

    >>> import heldout
    >>> text = page_html(heldout.evaluate([1, 0, 1, 0], [1, 0, 0, 0]).to_dict())
    >>> text.startswith("<!doctype html>"), "default-src 'none'" in text, "://" in text
    (True, True, False)
    """
    whole = page(d, brief=False)
    shown = shown_figures(d, figures or {})
    drawable = shown if _installed() else {}
    contents = Contents(figures=shown, thresholds=thresholds, rows=rows, tables=tables or {}, facts=facts or {})
    found = views(d, whole, contents)
    if shown and not drawable:
        found[0] = (*found[0][:2], found[0][2] + UNDRAWN)
    scripts = [*_charting(drawable), _asset("page.js"), *([_asset("explorer.js")] if thresholds else [])]
    data = {
        "heldout-copies": {form: drawn(d, form) for form in COPIES},
        **_drawings(drawable),
        **({"heldout-thresholds": _chosen(d, thresholds, rows)} if thresholds else {}),
    }
    blocks = [
        f'<script type="application/json" id="{name}">{embedded_json(one)}</script>' for name, one in data.items()
    ]
    code = [f'<script type="module">{script}</script>' for script in scripts]
    return "\n".join([_head(whole, d, scripts), _body(d, whole, found), *blocks, *code, "</body></html>\n"])


@cache
def _asset(name: str) -> str:
    return (files("heldout.report.html_report") / "assets" / name).read_text(encoding="utf-8")


def _installed() -> bool:
    """Whether what draws charts is installed; without it the page has the numbers behind them."""
    return all(find_spec(name) for name in ("altair", "vl_convert"))


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


def _chosen(d: Mapping[str, Any], thresholds: Thresholds, rows: str | None) -> dict[str, Any]:
    """What every threshold would do, and what a frozen one says about its rows."""
    paths = [str(source["path"]) for source in d.get("inputs", [])]
    facts = {
        "heldout": d["heldout"],
        "positive": d.get("positive"),
        "source": paths[0] if paths else None,
        "start": d.get("threshold"),
    }
    return explorer_data(thresholds, rows=rows, facts=facts)


def _title(d: Mapping[str, Any], whole: Page) -> str:
    word = WORDS.get(d["schema"], d["schema"].removeprefix("heldout.").partition("/")[0].capitalize())
    if whole.name.text:
        return f"{word} of {visible(whole.name.text)}"
    models = [visible(str(name)) for name in d.get("models", ())]
    return f"{word} of {' and '.join(models)}" if 0 < len(models) <= 3 else word


def _head(whole: Page, d: Mapping[str, Any], scripts: Sequence[str]) -> str:
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy(*scripts)}; {KEPT}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{given(_title(d, whole))}</title>",
            f"<style>{_asset('page.css')}</style></head>",
        ]
    )


def _body(d: Mapping[str, Any], whole: Page, found: Sequence[tuple[str, str, str]]) -> str:
    links = "".join(f'<a href="#{key}">{escape(title)}</a>' for key, title, _ in found[1:])
    buttons = "".join(f'<button type="button" data-copy="{form}">{said}</button>' for form, said in COPIES.items())
    tools = (
        f'<div class="tools"><span class="scripted" hidden>Copy as {buttons} '
        '<button type="button" id="theme">Dark</button><span id="copied" role="status"></span></span>'
        f'<nav aria-label="Views">{links}</nav></div>'
    )
    sections = "".join(
        f'<section id="{key}" aria-labelledby="{key}-title"><h2 id="{key}-title"'
        f"{' class=hidden' if key == 'verdict' else ''}>{escape(title)}</h2>{body}</section>"
        for key, title, body in found
    )
    return (
        f'<body><a class="skip" href="#verdict">To the verdict</a><header><h1>{given(_title(d, whole))}</h1>'
        f"{tools}</header><main>{sections}</main>"
        f"<footer><p>Made by heldout {escape(str(d['heldout']))}. "
        "This file holds everything it shows and loads nothing.</p></footer>"
    )
