"""Which number stands where when learners are compared by their scores on splits."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import StringIO
from typing import Any

from heldout.report.document import Cell, Page, Remark, Table
from heldout.report.kinds.comparison import NOT_ESTABLISHED, difference_columns
from heldout.report.kinds.comparison_verdict import verdict
from heldout.report.number_text import amount, like
from heldout.report.render.csv_text import safe
from heldout.report.split_rates_line import lab_line

SCHEMA = "heldout.fold-comparison/1"
NUMBERS = ("value", "low", "high", "level", "p")
Facts = Mapping[str, Any]


def page(d: Facts, *, brief: bool = True) -> Page:  # noqa: ARG001 it is short as it is
    """The comparison from the top down: splits, means, difference, chances, the verdict, remarks."""
    compared = as_comparison(d)
    one = d["difference"]
    columns = [
        (Cell("metric"), "l", [Cell(d["metric"], given=True)]),
        *((Cell(name, given=True), "r", [Cell(like(found["mean"], one))]) for name, found in d["models"].items()),
        *difference_columns(compared, [one]),
    ]
    table = Table(
        name="metric",
        title=Cell(""),
        head=tuple(head for head, _, _ in columns),
        rows=(tuple(cells[0] for _, _, cells in columns),),
        align="".join(side for _, side, _ in columns),
        foot=tuple(Cell(text) for text in _foot(d)),
    )
    checks = [Remark(check["code"], check["text"]) for check in d["checks"]]
    return Page(
        name=Cell(""),
        facts=(f"scores of 2 learners on {d['splits']} splits", *_sizes(d)),
        columns=(),
        tables=(table, *_chances(d)),
        verdict=verdict(compared),
        remarks=(*checks, *(Remark("", note) for note in one["notes"])),
    )


def _foot(d: Facts) -> list[str]:
    """What the mark means, and how the test did in the lab."""
    one = d["difference"]
    said = [f"{NOT_ESTABLISHED} no difference is established"] if one["verdict"] == "UNDECIDED" else []
    return [*said, *([lab_line(one["test"], d["cards"], round(1 - d["level"], 12))] if d["cards"] else [])]


def _sizes(d: Facts) -> tuple[str, ...]:
    if d["n_train"] is None or d["n_test"] is None:
        return ()
    return (f"{amount(d['n_train'])} training and {amount(d['n_test'])} test rows each",)


def as_comparison(d: Facts) -> dict[str, Any]:
    """The same as a comparison of models, whose words and marks it shares."""
    first = next(iter(d["models"]))
    return {
        "level": d["level"], "primary": d["difference"]["metric"], "differences": [d["difference"]], "rows": 1,
        "units": 1, "models": list(d["models"]), "baseline": first, "estimates": {}, "paired": True, "many": None,
    }  # fmt: skip


def _chances(d: Facts) -> list[Table]:
    found = d["posterior"]
    if found is None:
        return []
    words = {"lower": "below", "practically the same": "within", "higher": "above"}
    return [
        Table(
            name="posterior",
            title=Cell(""),
            head=(Cell("chance of being"), *(Cell(word) for word in words)),
            rows=((Cell(d["difference"]["a"], given=True), *(Cell(f"{found[side]:.1%}") for side in words.values())),),
            align="lrrr",
            foot=(
                Cell(f"differences of {found['rope']:g} either way are practically none"),
                Cell("Bayesian correlated t: what to believe after these splits, not an error rate"),
            ),
        )
    ]


def fold_comparison_csv(d: Facts) -> str:
    """The difference in one row, in full precision; an empty cell is undefined."""
    one = d["difference"]
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("metric", "a", "b", *NUMBERS, "test", "verdict", "notes"))
    numbers = ("" if one[name] is None else repr(float(one[name])) for name in NUMBERS)
    facts = (safe(one["test"]), one["verdict"], safe("; ".join(one["notes"])))
    writer.writerow((safe(one["metric"]), safe(one["a"]), safe(one["b"]), *numbers, *facts))
    return out.getvalue()
