"""Learners evaluated over splits; and two learners compared by their scores on the same splits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from heldout.report.document import TONES, Cell, Document, Note, Table, given, table_of, with_foot
from heldout.report.kinds.comparison import models_title
from heldout.report.kinds.differences import (
    NOT_SIGNIFICANT,
    difference_columns,
    difference_notes,
    difference_records,
    marks,
    verdict_sentences,
)
from heldout.report.kinds.estimates import (
    check_notes,
    ci_head,
    estimate_record,
    gathered,
    intervals,
    split_card_line,
    time_columns,
    time_note,
    units_fact,
    values,
)
from heldout.report.kinds.threshold_choice import threshold_table
from heldout.report.number_text import amount, like, p_text, percent


def fold_comparison_document(d: Facts) -> Document:
    """The comparison from the top down: splits, means, difference, chances, the verdict, notes."""
    (one,) = d["differences"]
    table = table_of(
        "metric",
        [
            ("metric", "l", given([one["metric"]])),
            *((Cell(name, given=True), "r", [like(d["means"][name], one)]) for name in d["models"]),
            *difference_columns(d, [one]),
        ],
        section="differences",
        fold_last=True,
    )
    mark = [f"{NOT_SIGNIFICANT} not significant at {percent(round(1 - d['level'], 12))}"]
    rates = [split_card_line(one["test"], d["cards"], round(1 - d["level"], 12))] if d["cards"] else []
    word = str(d["verdict"])
    return Document(
        title=models_title("Comparison", d),
        facts=(f"scores of 2 learners on {d['splits']} splits", *_sizes(d)),
        tables=(with_foot(table, *(mark if word == "UNDECIDED" else []), *rates), *_chances(d)),
        verdict=verdict_sentences(d),
        notes=(*check_notes(d), *difference_notes(d)),
        word=word,
        tone=TONES.get(word, "open"),
        data={"splits": f"{d['splits']:,}", "confidence level": percent(d["level"])},
    )


def fold_comparison_records(d: Facts) -> list[dict[str, Any]]:
    """The difference in one record."""
    return difference_records(d)


def _sizes(d: Facts) -> tuple[str, ...]:
    if d["n_train"] is None or d["n_test"] is None:
        return ()
    return (f"{amount(d['n_train'])} training and {amount(d['n_test'])} test rows each",)


def _chances(d: Facts) -> list[Table]:
    return [posterior_table({d["differences"][0]["model"]: d["posterior"]})] if d["posterior"] else []


def posterior_table(posteriors: Mapping[str, Facts]) -> Table:
    """How probable it is that a learner is lower, practically the same, or higher."""
    rope = next(iter(posteriors.values()))["rope"]
    sides = {"lower": "below", "practically the same": "within", "higher": "above"}
    return table_of(
        "posterior",
        [
            ("probability of being", "l", given(posteriors)),
            *((word, "r", [f"{100 * one[side]:.1f}%" for one in posteriors.values()]) for word, side in sides.items()),
        ],
        section="differences",
        foot=(
            Cell(f"differences of up to {rope:g} either way are practically the same"),
            Cell("Bayesian correlated t-test: what to believe after these splits, not an error rate"),
        ),
    )


KINDS = {
    "holdout": "one split into training and test rows",
    "folds": "{fits} folds",
    "loo": "each of {fits} rows left out once",
    "pairs": "each of {fits} pairs of a positive and a negative row left out once",
    "repeated": "{fits} folds of repeated cross-validation",
    "random": "{fits} random splits",
    "time": "{fits} splits in time order",
    "bootstrap": "{fits} bootstrap samples, tested on rows not drawn",
    "nested": "folds within folds, {fits} fits",
    "halves": "random splits of all rows and of halves, {fits} fits",
}
"""How the rows were split, in words."""
Facts = Mapping[str, Any]


def document(d: Facts) -> Document:
    """A validation from the top down: splits and target, learners, differences, the verdict, notes."""
    several = len(d["models"]) > 1
    metrics = list(d["estimates"][d["baseline"]])
    tables = _several(d, metrics) if several else [_metrics(d)]
    tables += _side_by_side(d, metrics)
    tables += [posterior_table(d["posteriors"])] if d["posteriors"] else []
    tables += [_titled(threshold_table(found), name) for name, found in d["thresholds"].items()]
    word = str(d["verdict"] or "")
    return Document(
        title=models_title("Validation", d),
        opening=(_splits(d), f"target: {metrics[0]} of {d['estimates'][d['baseline']][metrics[0]]['target']}"),
        facts=(*units_fact(d), f"task: {d['task']}"),
        columns=tuple((str(role), str(name)) for role, name in d["columns"].items()),
        tables=tuple(tables),
        verdict=(*verdict_sentences(d), *_naive(d)) if several else (),
        notes=(*_final_model(d), *check_notes(d), *_estimate_notes(d), *difference_notes(d)),
        word=word,
        tone=TONES.get(word, "open"),
        data={
            "rows": f"{d['rows']:,}",
            **({"clusters (groups)": f"{d['units']:,}"} if d["units"] != d["rows"] else {}),
            "task": d["task"],
            "splits": _kind(d),
            "confidence level": percent(d["level"]),
        },
    )


def records(d: Facts) -> list[dict[str, Any]]:
    """One record per learner and metric."""
    return [
        {"model": name, "metric": metric, **estimate_record(e), "target": e["target"],
         "training": d["training"][name][metric]}
        for name, estimates in d["estimates"].items()
        for metric, e in estimates.items()
    ]  # fmt: skip


def _kind(d: Facts) -> str:
    name, _, number = str(d["splits"]["cv"]).partition(":")
    if name == "lpo" and number:
        rows = f"{number} of {d['rows']:,} rows"
        return f"all {d['splits']['fits']:,} ways to leave out {rows}"
    return KINDS[d["splits"]["kind"]].format(fits=f"{d['splits']['fits']:,}")


def _splits(d: Facts) -> str:
    learners = len(d["models"])
    return f"{d['rows']:,} rows, {learners} learner{'' if learners == 1 else 's'}; {_kind(d)} (cv={d['splits']['cv']})"


def _metrics(d: Facts) -> Table:
    """One learner: a line per metric."""
    (name,) = d["models"]
    estimates, training = d["estimates"][name], d["training"][name]
    first = next(iter(estimates))
    table = table_of(
        "metric",
        [
            (Cell(name, given=True), "l", given(estimates)),
            ("value", "r", values(estimates.values())),
            (ci_head(d["level"]), "l", intervals(estimates.values())),
            ("training", "r", [like(training[metric], e) for metric, e in estimates.items()]),
            *time_columns(estimates.values()),
            ("method", "l", given(e["method"] for e in estimates.values())),
            ("of", "l", [str(e["target"]).partition(",")[0] for e in estimates.values()]),
        ],
    )
    foot = "training: the model fitted to all rows, on those rows: optimistic"
    return with_foot(
        table,
        foot,
        *_averaging(d, list(estimates)),
        *time_note(estimates.values()),
        *_cards(d, first, {str(estimates[first]["method"])}, d["level"]),
    )


def _several(d: Facts, metrics: list[str]) -> list[Table]:
    """Per metric: the learners' values, then each against the first; a brief document has the first metric."""
    tables = [replace(table, in_brief=at == 0) for at, metric in enumerate(metrics) for table in _learners(d, metric)]
    left = len(metrics) - 1
    if left:
        more = f"{left} more metric{'' if left == 1 else 's'}"
        tables[1] = replace(tables[1], left_out=more)
    return tables


def _learners(d: Facts, metric: str) -> list[Table]:
    """Several learners: their values, then each against the first."""
    estimates = {name: d["estimates"][name][metric] for name in d["models"]}
    head = f"{metric} *" if metric == d["primary"] else metric
    value_table = table_of(
        metric,
        [
            ("learner", "l", given(estimates)),
            (Cell(head, given=True), "r", values(estimates.values())),
            (ci_head(d["level"]), "l", intervals(estimates.values())),
            ("training", "r", [like(d["training"][name][metric], e) for name, e in estimates.items()]),
            ("method", "l", given(e["method"] for e in estimates.values())),
        ],
    )
    shown = [one for one in d["differences"] if one["metric"] == metric]
    difference_table = table_of(
        f"{metric} differences",
        [
            (Cell(f"minus {d['baseline']}", given=True), "l", given(one["model"] for one in shown)),
            *difference_columns(d, shown),
        ],
        section="differences",
        fold_last=True,
    )
    methods = {str(e["method"]) for e in estimates.values()}
    tests = {one["test"] for one in shown}
    return [
        with_foot(value_table, *_averaging(d, [metric]), *_cards(d, metric, methods, d["level"])),
        with_foot(difference_table, *marks(d, shown), *_cards(d, metric, tests, round(1 - d["level"], 12))),
    ]


def _side_by_side(d: Facts, metrics: list[str]) -> list[Table]:
    """Training error, holdout and the estimate over splits, below each other; a brief document has the first metric."""
    return [
        replace(_three_ways(d, name, metric), in_brief=metric == metrics[0])
        for metric in metrics
        for name in d["models"]
        if name in d["holdout"]
    ]


def _three_ways(d: Facts, name: str, metric: str) -> Table:
    over, once = d["estimates"][name][metric], d["holdout"][name][metric]
    title = f"{metric} of {name}, three ways"
    return table_of(
        title,
        [
            ("measured by", "l", ["training rows", "holdout", _kind(d)]),
            ("value", "r", [like(d["training"][name][metric], over), *values([once, over])]),
            (ci_head(d["level"]), "l", ["--", *intervals([once, over])]),
            ("of", "l", ["the model of all rows", *(e["target"].replace(", trained on", " of") for e in (once, over))]),
        ],
        title=Cell(title, given=True),
        foot=(Cell("training rows: optimistic; the more it is better than the others, the more the learner overfits"),),
    )


def _averaging(d: Facts, metrics: list[str]) -> list[str]:
    """Which values are of pooled test rows and which are means over splits; and what the other way gives."""
    found = {metric: {name: d["averaging"][name][metric] for name in d["models"]} for metric in metrics}
    lines = []
    folds = "folds" if d["splits"]["kind"] == "folds" else "splits"
    for used, said, other in (
        ("pooled", f"test rows of all {folds} pooled", "mean_of_splits"),
        ("mean_of_splits", f"mean of the {len_of_values(d):,} {folds}' values", "pooled"),
    ):
        those = {
            metric: each for metric, each in found.items() if any(one and one["used"] == used for one in each.values())
        }
        if not those:
            continue
        some = "value" if len(those) == len(metrics) else f"value of {', '.join(those)}"
        lines.append(f"{some}: {said}{_other_way(d, those, other)}")
    return lines


def _other_way(d: Facts, those: Mapping[str, Mapping[str, Facts]], other: str) -> str:
    """The values of the other way, and how to ask for them; nothing where folds are single rows, or it has none."""
    if d["splits"]["kind"] == "loo":
        return ""
    told = [
        f"{metric if len(d['models']) == 1 else name} {like(each[name][other], d['estimates'][name][metric])}"
        for metric, each in those.items()
        for name in d["models"]
        if each[name] is not None and _differ(each[name])
    ]
    if not told:
        return ""
    words, method = ("pooled", "pooled") if other == "pooled" else ("mean of their values", "corrected_t")
    return f" ({words}: {', '.join(told)}; --method {method})"


def _differ(one: Facts) -> bool:
    """Whether both ways are known and give different numbers; with folds of one size means over rows agree."""
    pooled, mean = one["pooled"], one["mean_of_splits"]
    return pooled is not None and mean is not None and abs(pooled - mean) > 1e-9 * abs(mean)


def len_of_values(d: Facts) -> int:
    """How many splits the values are of."""
    return len(next(iter(d["values"][d["baseline"]].values())))


def _cards(d: Facts, metric: str, names: set[str], nominal: float) -> list[str]:
    """Simulated error rates of methods or tests, with learners that are stable and with those that are not."""
    if metric != d["cards_of"]:
        return []
    return [split_card_line(name, d["cards"][name], nominal) for name in sorted(names & set(d["cards"]))]


def _naive(d: Facts) -> list[str]:
    """What the t-test over split values would have said, where it would have misled."""
    alpha = 1 - d["level"]
    first = next(iter(d["estimates"][d["baseline"]]))
    sentences = []
    for one in d["differences"]:
        p = d["naive"].get(one["model"])
        if one["metric"] == first and one["verdict"] == "UNDECIDED" and p is not None and p < alpha:
            sentences.append(
                f"(A plain t-test over the {d['splits']['fits']} split values would give p {p_text(p, d['level'])}; "
                "splits share training rows, so its type I error is far above nominal.)"
            )
    return sentences


def _final_model(d: Facts) -> tuple[Note, ...]:
    """Which estimate belongs to the model that was written."""
    found = d["final_model"]
    return () if found is None else (Note("model", f"{found['file']} is {found['name']} {found['sentence']}"),)


def _estimate_notes(d: Facts) -> tuple[Any, ...]:
    several = len(d["models"]) > 1
    return gathered(
        (f"{metric} of {name}" if several else metric, e["notes"])
        for name, estimates in d["estimates"].items()
        for metric, e in estimates.items()
    )


def _titled(table: Table, name: str) -> Table:
    """The table with the learner's name before what it is about."""
    return replace(table, title=Cell(f"{name}: {table.title.text}", given=True))
