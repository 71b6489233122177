"""The confusion matrix on the page: counts, per thousand rows, shares of the truth; and the layout of STARD."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from heldout.report.document import Cell, Table
from heldout.report.html_report.markup import boxed, given, table_html
from heldout.report.html_report.section_plan import in_images
from heldout.report.number_text import amount, interval_text, value_text

LARGEST = 12
"""Up to how many classes the matrix is shown whole."""
WAYS = {"counts": "Counts", "thousand": "Per 1,000 {unit}", "truth": "Share of the truth"}


def confusion_html(d: Mapping[str, Any], tables: Sequence[Table]) -> list[str]:
    """The matrix, with buttons that change what its cells say; then what else is told by class."""
    matrix = d.get("confusion")
    if not matrix:
        return [table_html(table) for table in tables]
    if in_images(d):
        return _of_pixels(d) if fits(d) else []
    others = [table_html(table) for table in tables if table.name != "confusion"]
    if not fits(d):
        return others
    stard = [_stard(d)] if d["task"] == "binary" else []
    return [_matrix(matrix["labels"], matrix["counts"]), *stard, *others]


def fits(d: Mapping[str, Any]) -> bool:
    """Whether there is a matrix that is shown as a coloured table; a larger one is a chart."""
    if not d.get("confusion"):
        return False
    return len(d["labels"] if in_images(d) else d["confusion"]["labels"]) <= LARGEST


def _of_pixels(d: Mapping[str, Any]) -> list[str]:
    """One matrix per model; pixels are so many that their shares say more."""
    titled = len(d["models"]) > 1
    return [
        (f'<p class="title">{given(name)}</p>' if titled else "") + _matrix(d["labels"], counts, "pixels", "truth")
        for name, counts in d["confusion"].items()
    ]


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
