"""The twelve views of a page: decision, evidence, diagnosis, provenance; one without content is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from heldout.charts.figure import Figure
from heldout.curves.threshold_table import Thresholds
from heldout.errors import UsageError
from heldout.formulas import metric
from heldout.formulas.image_metrics import image_figure
from heldout.report.document import Cell, Page, Table
from heldout.report.html_report.confusion_section import confusion_html, fits
from heldout.report.html_report.figure_html import figure_html
from heldout.report.html_report.markup import cell_text, facts_html, given, sentence, table_html
from heldout.report.html_report.provenance import provenance_html
from heldout.report.html_report.section_plan import in_images, kind_of
from heldout.report.html_report.text_examples import telling_html
from heldout.report.html_report.threshold_explorer import explorer_html
from heldout.report.html_report.verdict_strip import standing
from heldout.report.kinds.evaluation_breakdowns import bar
from heldout.report.number_text import interval_text, value_text

TITLES = {
    "verdict": "Verdict",
    "metrics": "Metrics",
    "differences": "Differences",
    "explorer": "Choosing a threshold",
    "confusion": "Confusion matrix",
    "curves": "Every threshold at once",
    "calibration": "Calibration",
    "segments": "Segments",
    "disagreement": "Where it goes wrong",
    "distributions": "Distributions",
    "more_data": "What more data would buy",
    "provenance": "Checks, methods, provenance",
}
ORDER = tuple(TITLES)
"""The views of a page."""
FIGURES = {
    "metrics": "metrics", "differences": "differences", "ranks": "differences",
    "confusion": "confusion", "classes": "confusion",
    "roc": "curves", "precision_recall": "curves", "gain": "curves", "lift": "curves", "cost": "curves",
    "calibration": "calibration", "segments": "segments",
    "learning_curve": "more_data", "more_data": "more_data",
}  # fmt: skip
"""The view of each figure; any other shows a distribution."""
TABLES = {
    "heldout.evaluation/1": {
        "confusion": "confusion", "pairs": "confusion", "classes": "confusion", "segments": "segments",
    },
    "heldout.comparison/1": {"metric": "differences", "segments": "segments"},
    "heldout.ranking/1": {"pairs": "differences", "practical": "differences"},
}  # fmt: skip
"""The view of each table by its name; any other is about metrics."""
ERRORS = {"predicted", "residuals", "quantiles"}
"""Figures of numbers that were predicted."""
TOLD = "H309"
"""That a constant is not beaten, which the verdict says itself."""
MOST = 4
"""How many checks stand in the verdict; all of them stand at the end."""
FIRST = 2
"""How many tables of segments stand open."""
LONG = 12
"""Lines up to which a table of classes stands open."""


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a page is made of, besides the result itself."""

    figures: Mapping[str, Figure]
    thresholds: Thresholds | None
    rows: str | None
    """The hash of the rows, for a threshold that is chosen on them."""
    tables: Mapping[str, Sequence[Table]]
    facts: Mapping[str, str]
    """What was run, when and by what."""


def views(d: Mapping[str, Any], whole: Page, contents: Contents) -> list[tuple[str, str, str]]:
    """Key, title and HTML of every view that has something to show."""
    own = _own_tables(d, whole)
    parts: dict[str, list[str]] = {name: [] for name in ORDER}
    parts["verdict"].append(_verdict(d, whole))
    if contents.thresholds is not None:
        parts["explorer"].append(explorer_html(contents.thresholds))
    parts["metrics"] += [_metric_table(d, table) for table in own.pop("metrics", [])]
    parts["metrics"] += [table_html(table) for table in _by_model(d)]
    parts["metrics"] += [f'<p class="foot">{sentence(text)}</p>' for text in whole.facts if kind_of(d) is not None]
    parts["confusion"] += confusion_html(d, own.pop("confusion", []))
    segments = [*own.pop("segments", [])]
    if d["schema"] == "heldout.text/1":
        parts["disagreement"] += telling_html(d, own.pop("disagreement", []))
    for name, tables in own.items():
        parts[name] += map(table_html, tables)
    for view, figures in _by_view(d, contents.figures).items():
        title = _title(view, d, contents)
        drawn = [figure_html(name, figure, under=title) for name, figure in figures.items()]
        parts[view].append(f'<div class="figures">{"".join(drawn)}</div>')
    parts["segments"] += _segments(d, segments)
    for name, given_tables in contents.tables.items():
        parts[name] += map(table_html, given_tables)
    parts["provenance"].append(provenance_html(d, whole, contents.facts))
    return [(name, _title(name, d, contents), "".join(parts[name])) for name in ORDER if parts[name]]


def _title(name: str, d: Mapping[str, Any], contents: Contents) -> str:
    own = kind_of(d)
    if name == "disagreement" and len(d.get("models", ())) > 1:
        words = {"heldout.text/1": "Where the systems differ most", "heldout.comparison/1": "Where the models disagree"}
        return words.get(d["schema"], "Where the models differ most")
    if name == "segments" and in_images(d) and "by_iou" not in contents.figures:
        return "By class"
    if own is not None and name in own.titles:
        return own.titles[name]
    if name == "distributions":
        kinds = [kind for kind in contents.figures if FIGURES.get(kind.partition(":")[0]) is None]
        return "Scores by class" if kinds == ["scores"] else "Errors" if set(kinds) <= ERRORS else TITLES[name]
    if name == "confusion" and d.get("task") == "binary":
        return "Right and wrong decisions"
    return TITLES[name]


def _own_tables(d: Mapping[str, Any], whole: Page) -> dict[str, list[Table]]:
    """The tables of the result by view."""
    found: dict[str, list[Table]] = {}
    known, own = TABLES.get(d["schema"], {}), kind_of(d)
    for table in whole.tables:
        if own is None:
            found.setdefault(known.get(table.name, "metrics"), []).append(table)
        elif (word := table.name.partition(" ")[0]) not in own.left:
            found.setdefault(own.tables.get(word, own.others), []).append(table)
    return found


def shown_figures(d: Mapping[str, Any], figures: Mapping[str, Figure]) -> dict[str, Figure]:
    """The figures without those that repeat what a table draws already: one model's metrics, a matrix that fits."""
    alone = d["schema"] == "heldout.evaluation/1" or (in_images(d) and len(d["models"]) == 1)
    repeated = {*(["metrics"] if alone else []), *(["confusion"] if fits(d) else [])}
    return {name: figure for name, figure in figures.items() if name.partition(":")[0] not in repeated}


def _by_view(d: Mapping[str, Any], figures: Mapping[str, Figure]) -> dict[str, dict[str, Figure]]:
    found: dict[str, dict[str, Figure]] = {}
    own = kind_of(d)
    known = FIGURES if own is None else {**FIGURES, **own.figures}
    for name, figure in figures.items():
        found.setdefault(known.get(name.partition(":")[0], "distributions"), {})[name] = figure
    return found


def _verdict(d: Mapping[str, Any], whole: Page) -> str:
    found = standing(d, whole)
    word = f'<p class="word {found.tone}">{escape(found.word)}</p>' if found.word else ""
    opening = whole.opening if kind_of(d) is None else ()  # there the facts below say the same
    said = "".join(f"<p>{sentence(text)}</p>" for text in (*found.sentences, *opening))
    checks = "".join(
        f"<li><b>{given(check['code'])}</b> {sentence(check['text'])}</li>"
        for check in [check for check in d.get("checks", []) if check["code"] != TOLD][:MOST]
    )
    noticed = f'<ul class="checks">{checks}</ul>' if checks else ""
    return f'<div class="strip">{word}<div class="said">{said}</div>{noticed}{facts_html(found.facts)}</div>'


def _metric_table(d: Mapping[str, Any], table: Table) -> str:
    """A table of metrics, each share's interval drawn, and a word on whether a constant is beaten."""
    estimates = d.get("estimates", {})
    names = [row[0].text for row in table.rows]
    if in_images(d) and table.name == "figures":
        return _figure_table(estimates[d["models"][0]], table, names)
    if d["schema"] != "heldout.evaluation/1" or not set(names) <= set(estimates):
        return table_html(table)
    baseline = d["baseline"] or {"estimates": {}, "beaten": {}}
    bars = tuple(bar(estimates[name]) if _share(name) else None for name in names)
    constant = [baseline["estimates"].get(name) if one else None for name, one in zip(names, bars, strict=True)]
    beaten = [{True: "yes", False: "not shown"}.get(baseline["beaten"].get(name), "") for name in names]
    if any(beaten):
        table = replace(
            table,
            head=(*table.head, Cell("better?")),
            rows=tuple((*row, Cell(word)) for row, word in zip(table.rows, beaten, strict=True)),
            align=table.align + "l",
        )
    return table_html(replace(table, bars=bars), constant=constant)


def _figure_table(estimates: Mapping[str, Any], table: Table, names: Sequence[str]) -> str:
    """A table of figures of images, each interval drawn and each figure put into words."""
    known = [image_figure(name) for name in names]
    words = [Cell("" if one is None else _in_words(one.definition)) for one in known]
    # methods stand at the end of the page; the first head is the name of the model, whatever that is
    kept = [at for at, cell in enumerate(table.head) if at == 0 or cell.text != "method"]
    return table_html(
        replace(
            table,
            head=(*(table.head[at] for at in kept), Cell("what it is")),
            rows=tuple((*(row[at] for at in kept), said) for row, said in zip(table.rows, words, strict=True)),
            align="".join(table.align[at] for at in kept) + "l",
            bars=tuple(bar(estimates[name]) for name in names),
        )
    )


def _in_words(definition: str) -> str:
    return definition.partition(" [")[0].removesuffix(".").removesuffix(", mean over classes")


def _share(name: str) -> bool:
    try:
        return metric(name).range == (0.0, 1.0)
    except UsageError:
        return False


def _by_model(d: Mapping[str, Any]) -> list[Table]:
    """Each metric's value and interval under every model that is compared."""
    if d["schema"] != "heldout.comparison/1" and not (in_images(d) and len(d["models"]) > 1):
        return []
    shown = dict.fromkeys(one["metric"] for one in d["differences"] if one["printed"])
    rows = tuple(
        (
            Cell(name, given=True),
            *(Cell(f"{value_text(e)} {interval_text(e)}") for e in (d["estimates"][m][name] for m in d["models"])),
        )
        for name in shown
        if all(name in d["estimates"][model] for model in d["models"])
    )
    head = (Cell("metric"), *(Cell(model, given=True) for model in d["models"]))
    return [Table(name="models", title=Cell(""), head=head, rows=rows, align="l" * len(head))] if rows else []


def _segments(d: Mapping[str, Any], tables: Sequence[Table]) -> list[str]:
    """The first tables open, the others folded away; so is a long table of the classes of images."""
    if in_images(d):
        return [_folded_if_long(table) for table in tables]
    more = "".join(map(table_html, tables[FIRST:]))
    said = f"{len(tables) - FIRST} more metric{'s' if len(tables) - FIRST > 1 else ''} by segment"
    folded = [f"<details><summary>{said}</summary>{more}</details>"] if more else []
    return [*map(table_html, tables[:FIRST]), *folded]


def _folded_if_long(table: Table) -> str:
    made = table_html(table)
    if len(table.rows) <= LONG:
        return made
    what = cell_text(table.title) if table.title.text else "Intervals by class"
    return f"<details><summary>{what}: {len(table.rows)} classes</summary>{made}</details>"
