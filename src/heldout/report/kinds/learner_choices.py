"""Choices about a learner: how many training rows, how many folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from heldout.report.document import Cell, Document, Note, Table, table_of, with_foot
from heldout.report.kinds.differences import NOT_SIGNIFICANT
from heldout.report.kinds.estimates import (
    ci_head,
    estimate_record,
    gathered,
    intervals,
    split_card_line,
    units_fact,
    values,
)
from heldout.report.kinds.evaluation_breakdowns import bar
from heldout.report.number_text import like, percent, signed, signed_interval

Facts = Mapping[str, Any]


def learning_curve_document(d: Facts) -> Document:
    """The curves from the top down: how rows were split, a table per learner, the effect of more rows, notes."""
    metrics = list(next(iter(d["models"].values())))
    tables = [
        replace(_table(d, name, metric), in_brief=metric == d["primary"]) for name in d["models"] for metric in metrics
    ]
    left = len(metrics) - 1
    if left:
        last = max(at for at, table in enumerate(tables) if table.in_brief)
        more = f"{left} more metric{'' if left == 1 else 's'}"
        tables[last] = replace(tables[last], left_out=more)
    many = len(d["models"])
    splits = f"{d['repeats']} random splits, {d['test_rows']:,} test rows each; training sets are nested"
    return Document(
        title="Learning curve",
        opening=(f"{d['rows']:,} rows, {many} learner{'' if many == 1 else 's'}; {splits}",),
        facts=(*units_fact(d), f"task: {d['task']}"),
        columns=tuple((str(role), str(name)) for role, name in d["columns"].items()),
        tables=tuple(tables),
        notes=_notes(d),
        data={"rows": f"{d['rows']:,}", "task": d["task"], "confidence level": percent(d["level"])},
    )


def learning_curve_records(d: Facts) -> list[dict[str, Any]]:
    """One record per learner, metric and size."""
    return [
        {"model": name, "metric": metric, "rows": point["rows"], **estimate_record(point["estimate"]),
         "training": point["training"]}
        for name, metrics in d["models"].items()
        for metric, points in metrics.items()
        for point in points
    ]  # fmt: skip


def _table(d: Facts, name: str, metric: str) -> Table:
    points = d["models"][name][metric]
    estimates = [point["estimate"] for point in points]
    table = table_of(
        f"{metric} of {name}",
        [
            ("training rows", "r", [f"{point['rows']:,}" for point in points]),
            ("value", "r", values(estimates)),
            (ci_head(d["level"]), "l", intervals(estimates)),
            ("training", "r", [like(point["training"], point["estimate"]) for point in points]),
            ("gain", "r", [_gain(point["gain"]) for point in points]),
        ],
        title=Cell(f"{metric} of {name}", given=True),
        section="more_data",
        bars=tuple(bar(e) for e in estimates),
    )
    return with_foot(
        table,
        "training: on the rows it was fitted to, which is optimistic",
        f"gain: over the size before, on the same splits; {NOT_SIGNIFICANT} not significant",
        *_last_step(points, metric),
        *(_cards(d) if metric == d["primary"] else []),
    )


def _cards(d: Facts) -> list[str]:
    return [f"{split_card_line('corrected t', d['cards'], d['level'])}, at full size"] if d["cards"] else []


def _gain(e: Facts | None) -> str:
    if e is None or e["low"] is None or e["high"] is None:
        return ""
    return NOT_SIGNIFICANT if e["low"] <= 0 <= e["high"] else signed(e["value"], e)


def _last_step(points: Sequence[Facts], metric: str) -> list[str]:
    """What the last step brought, and so what more rows may bring."""
    last = points[-1]["gain"]
    if last is None or last["low"] is None or last["high"] is None:
        return []
    step = f"from {points[-2]['rows']:,} to {points[-1]['rows']:,} training rows"
    change = f"{signed(last['value'], last)}, {ci_head(last['level'])} {signed_interval(last)}"
    if last["low"] <= 0 <= last["high"]:
        return [f"{step} {metric} changes by {change}: not significant"]
    better = (last["value"] > 0) == (last["better"] == "higher")
    return [f"{step} {metric} changes by {change}: {'more rows still help' if better else 'it became worse'}"]


def _notes(d: Facts) -> tuple[Any, ...]:
    return gathered(
        (f"{metric} of {name} at {point['rows']:,} rows", point["estimate"]["notes"])
        for name, metrics in d["models"].items()
        for metric, points in metrics.items()
        for point in points
    )


NUMBERS = ("folds", "training_rows", "fits", "deviation", "bias", "bias_error")


def fold_choice_document(d: Facts) -> Document:
    """The numbers of folds from the top down: what was repeated, a table per learner, the suggestion, notes."""
    many = len(d["models"])
    repeated = f"each cross-validation repeated {d['repeats']} times with other folds"
    return Document(
        title="Choice of the number of folds",
        opening=(f"{d['rows']:,} rows, {many} learner{'' if many == 1 else 's'}; {repeated}",),
        facts=(*units_fact(d), f"task: {d['task']}"),
        columns=tuple((str(role), str(name)) for role, name in d["columns"].items()),
        tables=tuple(_fold_choice_table(d, name, points) for name, points in d["models"].items()),
        notes=_fold_choice_notes(d),
        data={"rows": f"{d['rows']:,}", "task": d["task"], "confidence level": percent(d["level"])},
    )


def fold_choice_records(d: Facts) -> list[dict[str, Any]]:
    """One record per learner and number of folds."""
    return [
        {"model": name, "metric": d["metric"], **{key: point[key] for key in NUMBERS},
         **estimate_record(point["estimate"])}
        for name, points in d["models"].items()
        for point in points
    ]  # fmt: skip


def _fold_choice_table(d: Facts, name: str, points: Sequence[Facts]) -> Table:
    most = points[-1]["folds"]
    estimates = [point["estimate"] for point in points]
    reason = f"fewest whose bias against {most} is at most half of the deviation"
    return table_of(
        f"{d['metric']} of {name}",
        [
            ("folds", "r", [str(point["folds"]) for point in points]),
            ("training rows", "r", [f"{point['training_rows']:,}" for point in points]),
            ("fits", "r", [str(point["fits"]) for point in points]),
            ("value", "r", values(estimates)),
            (ci_head(d["level"]), "l", intervals(estimates)),
            ("deviation", "r", [_digits(point["deviation"]) for point in points]),
            (f"bias against {most}", "r", [_bias(point) if point["folds"] != most else "" for point in points]),
        ],
        title=Cell(f"{d['metric']} of {name}", given=True),
        optional=1,
        foot=(
            Cell("deviation: of one cross-validation, between repeats; bias ± one standard error of the repeats"),
            Cell(f"suggested: {d['suggested'][name]} folds, the {reason}"),
        ),
    )


def _digits(x: float | None) -> str:
    return "--" if x is None else f"{x:.2g}"


def _bias(point: Facts) -> str:
    return "--" if point["bias"] is None else f"{point['bias']:+.4f} ± {_digits(point['bias_error'])}"


def _fold_choice_notes(d: Facts) -> tuple[Note, ...]:
    return (
        *(Note("", text) for text in d["notes"]),
        *gathered(
            (f"{name} with {point['folds']} folds", point["estimate"]["notes"])
            for name, points in d["models"].items()
            for point in points
        ),
    )
