"""Segments of texts that tell most, each with all that was written and wanted, one below the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from heldout.report.document import Table
from heldout.report.html_report.markup import cell_text, facts_html, given, sentence
from heldout.report.kinds.text import number_text


def telling_html(d: Mapping[str, Any], tables: Sequence[Table]) -> list[str]:
    """For every system its segments: how far each moves the metric, its own value, and the texts."""
    titles = [cell_text(table.title) for table in tables]
    shown = [(name, found) for name, found in d["segments"].items() if found]
    return [
        f'<p class="title">{title}</p><ol class="told">{"".join(_told(d, name, one) for one in found)}</ol>'
        f'<p class="foot">{escape(_foot(d, found[0]))}</p>'
        for title, (name, found) in zip(titles, shown, strict=True)
    ]


def _foot(d: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    what = "the difference" if len(d["models"]) > 1 else one["metric"]
    return f"moves: how far the segment moves {what}; {one['metric']}: of the segment alone"


def _told(d: Mapping[str, Any], name: str, one: Mapping[str, Any]) -> str:
    """The facts of a segment, beside its texts where there is room, else above them."""
    several, metric = len(d["models"]) > 1, str(one["metric"])
    values = [*([(d["baseline"], "baseline_value")] if several else []), (name, "value")]
    facts = {
        "segment": f"{one['segment']:,}",
        "moves": f"{one['moved']:+#.3g}",
        **{f"{metric} of {whom}" if several else metric: number_text(one[key]) for whom, key in values},
    }
    whom = [("reference", one["reference"]), (d["baseline"], one["baseline"]), (name, one["text"])]
    texts = {who: text for who, text in whom if text is not None}
    said = "".join(
        f"<div><dt>{given(who)}</dt><dd>{sentence(text) if text else '<i>nothing</i>'}</dd></div>"
        for who, text in texts.items()
    )
    return f'<li>{facts_html(facts)}<dl class="texts">{said}</dl></li>'
