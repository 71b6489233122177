"""HTML that one kind of result adds to the report: the confusion matrix with the layout of STARD; examples of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from heldout.report.document import Cell, Table
from heldout.report.html_report.markup import boxed, facts_html, given, sentence, table_html
from heldout.report.kinds.text import number_text
from heldout.report.number_text import amount, interval_text, value_text


def examples_html(d: Mapping[str, Any]) -> tuple[list[str], set[str]]:
    """For every system its segments: how far each moves the metric, its own value, and the texts."""
    shown = [(name, segments) for name, segments in d["segments"].items() if segments]
    several = len(d["models"]) > 1
    html = []
    for name, segments in shown:
        metric = segments[0]["metric"]
        title = f"{name} against {d['baseline']}, {metric}" if several else f"segments that lower {metric} most"
        items = "".join(_segment(d, name, one) for one in segments)
        foot = f'<p class="foot">{escape(_foot(d, segments[0]))}</p>'
        html.append(f'<p class="title">{given(title)}</p><ol class="told">{items}</ol>{foot}')
    return html, set()


def _foot(d: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    what = "the difference" if len(d["models"]) > 1 else one["metric"]
    return f"moves: how far the segment moves {what}; {one['metric']}: of the segment alone"


def _segment(d: Mapping[str, Any], name: str, one: Mapping[str, Any]) -> str:
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


LARGEST = 12
"""Up to how many classes the matrix is shown whole."""
WAYS = {"counts": "Counts", "thousand": "Per 1,000 {unit}", "truth": "Share of the truth"}


def confusion_html(d: Mapping[str, Any]) -> tuple[list[str], set[str]]:
    """The matrix, with buttons that change what its cells say; and the tables and charts that it replaces."""
    matrix = d["confusion"]
    if not matrix:
        return [], set()
    if "pixels" in d:
        return (_of_pixels(d), {"confusion"}) if len(d["labels"]) <= LARGEST else ([], set())
    if not 0 < len(matrix["labels"]) <= LARGEST:
        return [], set()
    stard = [_stard(d)] if d["task"] == "binary" else []
    return [_matrix(matrix["labels"], matrix["counts"]), *stard], {"confusion"}


def _of_pixels(d: Mapping[str, Any]) -> list[str]:
    """One matrix per model; pixels are so many that their shares say more."""
    titled = len(d["models"]) > 1
    return [
        (f'<p class="title">{given(name)}</p>' if titled else "")
        + _matrix(_with_ignored(d["labels"], counts), counts, "pixels", "truth")
        for name, counts in d["confusion"].items()
    ]


def _with_ignored(labels: Sequence[Any], counts: Sequence[Sequence[float]]) -> list[Any]:
    """The classes, and one more where a model predicts the one that is ignored in the truth."""
    return [*labels, *["(ignored)"] * (len(counts) - len(labels))]


def _matrix(labels: Sequence[Any], counts: Sequence[Sequence[float]], unit: str = "rows", first: str = "counts") -> str:
    total = sum(map(sum, counts)) or 1
    buttons = "".join(
        f'<button type="button" data-way="{way}" aria-pressed="{str(way == first).lower()}">'
        f"{said.format(unit=unit)}</button>"
        for way, said in WAYS.items()
    )
    head = "".join(f'<th scope="col" class="n">predicted {given(str(label))}</th>' for label in labels)
    rows = "".join(
        f'<tr><th scope="row">truth {given(str(label))}</th>{_cells(i, line, total, first)}'
        f'<td class="n">{amount(sum(line))}</td></tr>'
        for i, (label, line) in enumerate(zip(labels, counts, strict=True))
    )
    ways = f'<div class="ways" role="group" aria-label="What the cells show">{buttons}</div>'
    heads = f'<thead><tr><td></td>{head}<th scope="col" class="n">{unit}</th></tr></thead>'
    return ways + boxed("confusion matrix", f'<table class="matrix">{heads}<tbody>{rows}</tbody></table>')


def _cells(i: int, line: Sequence[float], total: float, first: str) -> str:
    """The cells of one truth; how strong their ground is follows their share of it."""
    rows = sum(line) or 1
    found = []
    for j, count in enumerate(line):
        ways = {
            "counts": amount(count),
            "thousand": f"{1000 * count / total:.1f}",
            "truth": f"{100 * count / rows:.1f}%",
        }
        data = " ".join(f'data-{way}="{said}"' for way, said in ways.items())
        kind = "n right" if i == j else "n"
        found.append(f'<td class="{kind}" style="--share:{count / rows:.3f}" {data}>{ways[first]}</td>')
    return "".join(found)


def _stard(d: Mapping[str, Any]) -> str:
    """Two by two with the prediction by row, as reports of diagnostic accuracy have it, and the rate of each margin."""
    labels, counts = d["confusion"]["labels"], d["confusion"]["counts"]
    yes = [str(label) for label in labels].index(str(d["positive"]))
    no = 1 - yes
    (tn, fp), (fn, tp) = ((counts[i][no], counts[i][yes]) for i in (no, yes))
    rate = {name: _rate(d, name) for name in ("precision", "npv", "recall", "specificity")}

    def row(said: str, *texts: str) -> tuple[Cell, ...]:
        return Cell(said, given=True), *map(Cell, texts)

    table = Table(
        name="STARD",
        title=Cell(""),
        head=(
            Cell(""),
            Cell(f"truth {labels[yes]}", given=True),
            Cell(f"truth {labels[no]}", given=True),
            Cell("total"),
            Cell("rate"),
        ),
        rows=(
            row(f"predicted {labels[yes]}", amount(tp), amount(fp), amount(tp + fp), f"PPV {rate['precision']}"),
            row(f"predicted {labels[no]}", amount(fn), amount(tn), amount(fn + tn), f"NPV {rate['npv']}"),
            row("total", amount(tp + fn), amount(fp + tn), amount(tp + fp + fn + tn), ""),
            row("rate", f"sensitivity {rate['recall']}", f"specificity {rate['specificity']}", "", ""),
        ),
        align="lrrrl",
    )
    return f"<details><summary>The same in the layout of STARD</summary>{table_html(table)}</details>"


def _rate(d: Mapping[str, Any], name: str) -> str:
    e = d["estimates"].get(name)
    return f"{value_text(e)} {interval_text(e)}" if e else "--"
