"""Which number stands where when learners are validated: what is estimated, values, differences, what was noticed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from heldout.report.document import Cell, Page, Remark, Table
from heldout.report.kinds.comparison import Columns, difference_columns, marks
from heldout.report.kinds.comparison_verdict import verdict
from heldout.report.kinds.threshold_choice import threshold_table
from heldout.report.notes import placed
from heldout.report.number_text import interval_text, like, p_text, percent, value_text
from heldout.report.split_rates_line import lab_line

SCHEMA = "heldout.validation/1"
KINDS = {
    "holdout": "one split into training and test rows",
    "folds": "{fits} folds",
    "loo": "each of {fits} rows left out once",
    "pairs": "{fits} pairs of rows left out",
    "repeated": "{fits} folds of repeated cross-validation",
    "random": "{fits} random splits",
    "time": "{fits} splits in time order",
    "bootstrap": "{fits} bootstrap samples, tested on rows not drawn",
    "nested": "folds within folds, {fits} fits",
    "halves": "random splits of all rows and of halves, {fits} fits",
}
"""How the rows were split, in words."""


def page(d: Mapping[str, Any], *, brief: bool = True) -> Page:
    """A validation from the top down: splits and target, learners, differences, the verdict, remarks."""
    several = len(d["learners"]) > 1
    metrics = list(next(iter(d["learners"].values()))["estimates"])
    kept = metrics[:1] if several and brief else metrics
    tables = [table for metric in kept for table in _learners(d, metric)] if several else [_metrics(d), *_posteriors(d)]
    if several:
        tables += _posteriors(d)
        if len(kept) < len(metrics):
            more = len(metrics) - len(kept)
            tables[-1] = _with_foot(
                tables[-1], f"{more} more metric{'' if more == 1 else 's'}: see --format md or json"
            )
    tables += [_titled(threshold_table(found), name) for name, found in d["thresholds"].items()]
    return Page(
        name=Cell(""),
        opening=(_splits(d), f"target: {_target(d)}"),
        facts=_facts(d),
        columns=tuple((str(role), str(name)) for role, name in d["columns"].items()),
        tables=tuple(tables),
        verdict=(*verdict(compared(d)), *_naive(d)) if several else (),
        remarks=_remarks(d, kept),
    )


def _splits(d: Mapping[str, Any]) -> str:
    found = d["splits"]
    words = KINDS[found["kind"]].format(fits=f"{found['fits']:,}")
    learners = len(d["learners"])
    return f"{d['rows']:,} rows, {learners} learner{'' if learners == 1 else 's'}; {words} (cv={found['cv']})"


def _target(d: Mapping[str, Any]) -> str:
    """What is estimated, of the primary metric."""
    first = next(iter(d["learners"].values()))["estimates"][d["primary"]]
    return f"{d['primary']} of {first['target']}"


def _facts(d: Mapping[str, Any]) -> tuple[str, ...]:
    units = (f"{d['units']} units",) if d["units"] != d["rows"] else ()
    return (*units, f"task: {d['task']}")


def _metrics(d: Mapping[str, Any]) -> Table:
    """One learner: a line per metric."""
    (name, one), *_ = d["learners"].items()
    found = one["estimates"]
    columns: Columns = [
        (Cell(name, given=True), "l", [Cell(metric, given=True) for metric in found]),
        (Cell("value"), "r", [Cell(value_text(e)) for e in found.values()]),
        (Cell(f"{percent(d['level'])} interval"), "l", [Cell(interval_text(e)) for e in found.values()]),
        (Cell("seen rows"), "r", [Cell(like(one["training"][metric], e)) for metric, e in found.items()]),
        (Cell("method"), "l", [Cell(str(e["method"]), given=True) for e in found.values()]),
        (Cell("of"), "l", [Cell(_whose(e)) for e in found.values()]),
    ]
    foot = "seen rows: the model of all rows on the rows it was fitted to, which says nothing of new ones"
    lab = _lab(d, d["primary"], {str(found[d["primary"]]["method"])}, d["level"])
    return _table("metric", columns, foot, *lab)


def _whose(e: Mapping[str, Any]) -> str:
    return str(e["target"]).partition(",")[0]


def _learners(d: Mapping[str, Any], metric: str) -> list[Table]:
    """Several learners: their values, then each against the first."""
    found = {name: one["estimates"][metric] for name, one in d["learners"].items()}
    seen = {name: one["training"][metric] for name, one in d["learners"].items()}
    values: Columns = [
        (Cell("learner"), "l", [Cell(name, given=True) for name in found]),
        (
            Cell(f"{metric} *" if metric == d["primary"] else metric, given=True),
            "r",
            [Cell(value_text(e)) for e in found.values()],
        ),
        (Cell(f"{percent(d['level'])} interval"), "l", [Cell(interval_text(e)) for e in found.values()]),
        (Cell("seen rows"), "r", [Cell(like(seen[name], e)) for name, e in found.items()]),
        (Cell("method"), "l", [Cell(str(e["method"]), given=True) for e in found.values()]),
    ]
    like_models = compared(d)
    shown = [one for one in d["differences"] if one["metric"] == metric]
    apart: Columns = [
        (Cell(f"less {like_models['baseline']}", given=True), "l", [Cell(one["a"], given=True) for one in shown]),
        *difference_columns(like_models, shown),
    ]
    lab = _lab(d, metric, {str(e["method"]) for e in found.values()}, d["level"])
    tested = _lab(d, metric, {one["test"] for one in shown}, round(1 - d["level"], 12))
    return [
        _table(metric, values, *lab),
        _table(f"{metric} differences", apart, *_marks(like_models, shown), *tested),
    ]


def _marks(d: Mapping[str, Any], shown: list[Any]) -> list[str]:
    """What the marks below a table mean; the star stands at the primary metric only."""
    primary = any(one["metric"] == d["primary"] for one in shown)
    return [text for text in marks(d, shown) if primary or not text.startswith("*")]


def _lab(d: Mapping[str, Any], metric: str, names: set[str], nominal: float) -> list[str]:
    """How methods or tests did in the lab, with learners that are stable and with those that are not."""
    if metric != d["primary"]:
        return []
    return [lab_line(name, d["cards"][name], nominal) for name in sorted(names & set(d["cards"]))]


def _posteriors(d: Mapping[str, Any]) -> list[Table]:
    """How probable it is that a learner is lower, practically the same, or higher."""
    if not d["posteriors"]:
        return []
    found = d["posteriors"]
    rope = next(iter(found.values()))["rope"]
    columns: Columns = [
        (Cell("chance of being"), "l", [Cell(name, given=True) for name in found]),
        *(
            (Cell(word), "r", [Cell(f"{100 * one[side]:.1f}%") for one in found.values()])
            for word, side in (
                (f"lower by {rope:g} or more", "below"),
                ("practically the same", "within"),
                (f"higher by {rope:g} or more", "above"),
            )
        ),
    ]
    return [
        _table("posterior", columns, "Bayesian correlated t: what to believe after these splits, not an error rate")
    ]


def compared(d: Mapping[str, Any]) -> dict[str, Any]:
    """The validation as a comparison of models, whose words and marks it shares."""
    names = list(d["learners"])
    estimates = {name: one["estimates"] for name, one in d["learners"].items()}
    return {
        **{key: d[key] for key in ("level", "primary", "differences", "rows", "units")},
        "models": names, "baseline": names[0], "estimates": estimates, "paired": True, "many": None,
    }  # fmt: skip


def _naive(d: Mapping[str, Any]) -> list[str]:
    """What the t-test over split values would have said, where it would have misled."""
    alpha = 1 - d["level"]
    said = []
    for one in d["differences"]:
        p = d["naive"].get(one["a"])
        if one["metric"] == d["primary"] and one["verdict"] == "UNDECIDED" and p is not None and p < alpha:
            count = d["splits"]["fits"]
            said.append(
                f"(A plain t-test over the {count} split values would print p {p_text(p, d['level'])}; "
                "splits share training rows, and it rejects true nulls far too often.)"
            )
    return said


def _remarks(d: Mapping[str, Any], metrics: list[str]) -> tuple[Remark, ...]:
    """The checks, then each note once with what it belongs to."""
    places: dict[str, list[str]] = {}
    for name, one in d["learners"].items():
        for metric in metrics:
            for note in one["estimates"][metric]["notes"]:
                places.setdefault(note, []).append(metric if len(d["learners"]) == 1 else f"{metric} of {name}")
    for one in d["differences"]:
        for note in one["notes"] if one["metric"] in metrics else ():
            places.setdefault(note, []).append(f"{one['metric']} of {one['a']}")
    checks = [Remark(check["code"], check["text"]) for check in d["checks"]]
    return (*checks, *(placed(note, found) for note, found in places.items()))


def _table(name: str, columns: Columns, *foot: str) -> Table:
    return Table(
        name=name,
        title=Cell(""),
        head=tuple(head for head, _, _ in columns),
        rows=tuple(zip(*(cells for _, _, cells in columns), strict=True)),
        align="".join(side for _, side, _ in columns),
        foot=tuple(Cell(text, given=True) for text in foot),
    )


def _titled(table: Table, name: str) -> Table:
    """The table with the learner's name before what it is about."""
    return replace(table, title=Cell(f"{name}: {table.title.text}", given=True))


def _with_foot(table: Table, text: str) -> Table:
    return replace(table, foot=(*table.foot, Cell(text)))
