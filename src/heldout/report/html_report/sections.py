"""The sections of the HTML report: decision, evidence, diagnosis, provenance; one without content is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from typing import Any

from heldout.charts.figure import Figure, plain
from heldout.curves.threshold_table import Thresholds
from heldout.errors import page_of
from heldout.report.document import Cell, Document, Table, given, table_of, whole
from heldout.report.html_report.markup import (
    cell_text,
    facts_html,
    given as given_html,
    notes_html,
    sentence,
    table_html,
)
from heldout.report.html_report.threshold_explorer import explorer_html
from heldout.report.kinds import Kind, kind_of
from heldout.report.kinds.estimates import coverage
from heldout.report.number_text import Estimated, percent
from heldout.report.plain_text import visible

MOST_NUMBERS = 101
"""How many lines the table behind a chart has at most."""


def figure_html(name: str, figure: Figure, *, under: str = "") -> str:
    """The chart's place with its description, its caption, and a table of its numbers.

    Where it stands `under` a heading that says the same, its own is left to screen readers.
    """
    quiet = ' class="hidden"' if figure.title == under else ""
    tables = "".join(table_html(_table(part, columns)) for part, columns in figure.parts.items())
    return (
        f'<figure class="{figure.shape}"><h3{quiet}>{given_html(figure.title)}</h3>'
        f'<div class="plot" role="img" aria-label="{escape(visible(figure.alt))}" data-figure="{escape(name)}"></div>'
        f"<figcaption>{escape(visible(figure.caption))}</figcaption>"
        f"<details><summary>Numbers behind this chart</summary>{tables}</details></figure>"
    )


def _table(name: str, columns: Mapping[str, Any]) -> Table:
    """Columns as a table of text; of a long one, evenly chosen lines."""
    lines = max((len(column) for column in columns.values()), default=0)
    kept = (
        range(lines)
        if lines <= MOST_NUMBERS
        else sorted({round(i * (lines - 1) / (MOST_NUMBERS - 1)) for i in range(MOST_NUMBERS)})
    )
    texts = [[_text(plain(column[i])) for i in kept] for column in columns.values()]
    numeric = [all(not isinstance(plain(column[i]), str) for i in kept) for column in columns.values()]
    foot = (Cell(f"{len(kept)} of {lines} lines"),) if len(kept) < lines else ()
    return Table(
        name=name,
        title=Cell(name.replace("_", " "), given=True),
        head=tuple(Cell(str(key).replace("_", " "), given=True) for key in columns),
        rows=tuple(zip(*map(_cells, texts), strict=True)),
        align="".join("r" if number else "l" for number in numeric),
        foot=foot,
    )


def _cells(texts: Sequence[str]) -> list[Cell]:
    return [Cell(text, given=True) if text else Cell("") for text in texts]


def _text(value: Any) -> str:
    """A number with five digits that count; nothing where there is none."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, float):
        return str(value)
    return f"{value:.5g}"


def provenance_html(d: Mapping[str, Any], document: Document, facts: Mapping[str, str]) -> str:
    """Notes, then methods with their simulated error rates, then what was read, files, columns, seed and versions."""
    noticed = notes_html(whole(document).notes) or "<p>No notes.</p>"
    methods = _methods(d)
    files = {f"file {i}": str(source["path"]) for i, source in enumerate(d.get("inputs", []), 1)}
    hashes = {f"sha256 of file {i}": str(s["sha256"]) for i, s in enumerate(d.get("inputs", []), 1) if s["sha256"]}
    columns = {f"column {role}": name for role, name in d.get("columns", {}).items() if isinstance(name, str)}
    settings = {name: str(d[name]) for name in ("seed", "level", "threshold") if d.get(name) is not None}
    made = {"heldout": str(d["heldout"]), "schema": str(d["schema"])}
    everything = {**files, **hashes, **columns, **settings, **made, **facts}
    # the rule of a metric, its signature, how rows were split: not in the verdict where that has a headline of its own
    about = (*document.facts, *(document.opening if document.headline else ()))
    described = f"<p>{'<br>'.join(map(sentence, about))}</p>" if about else ""
    return (
        f"<h3>Notes</h3>{noticed}"
        + (f"<h3>Methods</h3>{table_html(methods)}" if methods else "")
        + f'<h3>Provenance</h3>{described}<div class="provenance">{facts_html(everything)}</div>'
    )


def _estimates(found: Any) -> Iterator[tuple[str, Estimated]]:
    """The estimates that are printed, by metric, whether or not they go by model first."""
    for name, e in found.items() if isinstance(found, Mapping) else ():
        if isinstance(e, Mapping) and "method" in e:
            if e.get("printed", True):
                yield name, e
        elif isinstance(e, Mapping):
            yield from _estimates(e)


def _methods(d: Mapping[str, Any]) -> Table | None:
    """Each metric's method, and the simulated coverage of its intervals."""
    shown = {(name, e["method"]): e for name, e in reversed(list(_estimates(d.get("estimates", {}))))}
    if not shown:
        return None
    lines = list(reversed(shown.items()))
    cards = [e.get("card") or {} for _, e in lines]
    settings = [f"{c['world']}, n = {c['n']:,}, {c['repeats']:,} samples" if c else "" for c in cards]
    level = percent(d.get("level", 0.95))
    title = f"simulated coverage of each {level} confidence interval" if any(cards) else ""
    return table_of(
        "methods",
        [
            ("metric", "l", given(name for (name, _), _ in lines)),
            ("method", "l", given(method for (_, method), _ in lines)),
            ("coverage", "r", [coverage(e) for _, e in lines]),
            ("simulation", "l", settings),
        ],
        title=Cell(title),
    )


TITLES = {
    "verdict": "Verdict",
    "metrics": "Metrics",
    "differences": "Differences",
    "explorer": "Choose a decision threshold",
    "confusion": "Confusion matrix",
    "curves": "Curves over all thresholds",
    "calibration": "Calibration",
    "segments": "Subgroups",
    "disagreement": "Most confident errors",
    "distributions": "Distributions",
    "more_data": "Confidence intervals with more data",
    "provenance": "Checks, methods, provenance",
}
ORDER = tuple(TITLES)
"""The sections of a report, in their order."""
FIGURES = {
    "metrics": "metrics", "differences": "differences", "ranks": "differences",
    "confusion": "confusion", "classes": "confusion",
    "roc": "curves", "precision_recall": "curves", "gain": "curves", "lift": "curves", "cost": "curves",
    "calibration": "calibration", "segments": "segments",
    "learning_curve": "more_data", "more_data": "more_data",
}  # fmt: skip
"""The section of each chart; any other shows a distribution."""
ERRORS = {"predicted", "residuals", "quantiles"}
"""Charts of numbers that were predicted."""
DISTRIBUTIONS = ERRORS | {"scores", "segment_values", "fold_values"}
"""Charts that show how values are spread."""
SHOWN_IN_VERDICT = "H309"
"""That a dummy model is not beaten, which the verdict says itself."""
MOST = 4
"""How many checks stand in the verdict; all of them stand at the end."""
FIRST = 2
"""How many tables of subgroups stand open."""
LONG = 12
"""Rows up to which a table of classes stands open."""


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a report is made of, besides the result itself."""

    figures: Mapping[str, Figure] = field(default_factory=dict)
    thresholds: Thresholds | None = None
    """What every threshold would do, where one model's scores divide two classes."""
    chosen_on: Mapping[str, Any] | None = None
    """Hashes by which the rows are recognised, for a threshold that is chosen on them."""
    tables: Mapping[str, Sequence[Table]] = field(default_factory=dict)
    """Section → tables that only the rows themselves can give."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """What was run, when and by what."""


Blocks = Mapping[str, tuple[list[str], set[str]]]
"""Section → HTML that only this kind of result has, and the names of the tables and charts that it replaces."""


def own_blocks(d: Mapping[str, Any]) -> Blocks:
    """The HTML that the kind of a result adds to the report."""
    return {section: _block(place)(d) for section, place in kind_of(d).blocks.items()}


def sections(
    d: Mapping[str, Any], document: Document, contents: Contents, blocks: Blocks
) -> list[tuple[str, str, str]]:
    """Key, title and HTML of every section that has something to show."""
    kind = kind_of(d)
    parts: dict[str, list[str]] = {name: [] for name in ORDER}
    parts["verdict"].append(_verdict(d, document))
    if contents.thresholds is not None:
        parts["explorer"].append(explorer_html(contents.thresholds))
    tables = [table for table in whole(document).tables if table.section]
    for name, (html, shown) in blocks.items():
        parts[name] += html
        tables = [table for table in tables if table.name not in shown]
    subgroups = [table for table in tables if table.section == "segments"]
    for table in tables:
        if table.section != "segments":
            parts[table.section].append(table_html(table))
    for name, figures in _by_section(kind, contents.figures).items():
        title = _title(name, document, contents)
        drawn = [figure_html(key, figure, under=title) for key, figure in figures.items()]
        parts[name].append(f'<div class="figures">{"".join(drawn)}</div>')
    parts["segments"] += _folded(subgroups)
    for name, given_tables in contents.tables.items():
        parts[name] += map(table_html, given_tables)
    parts["provenance"].append(provenance_html(d, document, contents.facts))
    return [(name, _title(name, document, contents), "".join(parts[name])) for name in ORDER if parts[name]]


def _block(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(f"heldout.report.html_report.{module}"), name)


def _title(name: str, document: Document, contents: Contents) -> str:
    if name in document.sections:
        return document.sections[name]
    if name == "distributions":
        kinds = [key.partition(":")[0] for key in contents.figures if key.partition(":")[0] not in FIGURES]
        if kinds and not set(kinds) & DISTRIBUTIONS:
            return "Charts"
        return (
            "Scores by class" if kinds == ["scores"] else "Errors" if kinds and set(kinds) <= ERRORS else TITLES[name]
        )
    return TITLES[name]


def shown_figures(document: Document, figures: Mapping[str, Figure], blocks: Blocks) -> dict[str, Figure]:
    """The charts without those that repeat what a table or block shows: metrics with bars, a matrix that fits."""
    drawn = {table.section for table in document.tables if any(table.bars)}
    matrix = any(table.name == "confusion" for table in document.tables)
    repeated = {*(["metrics"] if "metrics" in drawn else []), *(["confusion"] if matrix else [])}
    repeated = repeated.union(*(shown for _, shown in blocks.values()))
    return {name: figure for name, figure in figures.items() if name.partition(":")[0] not in repeated}


def _by_section(kind: Kind, figures: Mapping[str, Figure]) -> dict[str, dict[str, Figure]]:
    places = {**FIGURES, **kind.figures}
    found: dict[str, dict[str, Figure]] = {}
    for name, figure in figures.items():
        found.setdefault(places.get(name.partition(":")[0], "distributions"), {})[name] = figure
    return found


def _verdict(d: Mapping[str, Any], document: Document) -> str:
    word = f'<p class="word {document.tone}">{escape(document.word)}</p>' if document.word else ""
    lines = document.headline or (*document.verdict, *document.opening)
    sentences = "".join(f"<p>{sentence(text)}</p>" for text in lines)
    noticed = [check for check in d.get("checks", []) if check["code"] != SHOWN_IN_VERDICT][:MOST]
    checks = "".join(f"<li><b>{given_html(check['code'])}</b> {sentence(check['text'])}</li>" for check in noticed)
    codes = [check["code"] for check in noticed]
    listed = f'<ul class="checks">{checks}</ul>{_where_explained(codes[0])}' if codes else ""
    return f'<div class="strip">{word}<div class="said">{sentences}</div>{listed}{facts_html(document.data)}</div>'


def _where_explained(code: str) -> str:
    """How to read on about the code of a note."""
    command, page = escape(f"heldout explain {code}"), escape(page_of(code))
    return f'<p class="foot">Codes are explained by <code>{command}</code> and in <code>{page}</code>.</p>'


def _folded(tables: Sequence[Table]) -> list[str]:
    """The first tables of subgroups open, the others folded away; so is a long table of classes."""
    if tables and tables[0].name != "segments":
        return [_folded_if_long(table) for table in tables]
    more = "".join(map(table_html, tables[FIRST:]))
    left = len(tables) - FIRST
    summary = f"{left} more table{'s' if left > 1 else ''} of subgroups"
    rest = [f"<details><summary>{summary}</summary>{more}</details>"] if more else []
    return [*map(table_html, tables[:FIRST]), *rest]


def _folded_if_long(table: Table) -> str:
    made = table_html(table)
    if len(table.rows) <= LONG:
        return made
    what = cell_text(table.title) if table.title.text else "Intervals by class"
    return f"<details><summary>{what}: {len(table.rows)} classes</summary>{made}</details>"
