"""Charts of rows beside other rows: shift by column, shares by part, and one learner measured three ways."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import nan
from typing import Any

from heldout.charts.figure import Figure, number_or_nan, percent
from heldout.charts.simulation_figures import Rate, RateForest, Verdicts

AXES = {
    "mean": ("change of the mean, in standard deviations", 1),
    "share": ("change of the share of the value that changed most, in points", 100),
}
WORDS = {"train": "training rows", "reference": "reference rows"}
MOST_COLUMNS = 30
"""Columns in a chart of shift, those that moved most; the table has all of them."""
MOST_VALUES = 6
"""Values of a column that have a colour of their own; the others count as one."""
OTHERS = "other values"


def shift_views(d: Mapping[str, Any]) -> dict[str, Callable[..., Figure]]:
    """A chart for each file that test rows were compared with, and for each unit in which columns moved."""
    found = [
        (role["role"], measure, partial(shift_forest, d, role, measure))
        for role in d.get("shifts", ())
        for measure in AXES
        if any(one["measure"] == measure and one["size"] is not None for one in role["columns"])
    ]
    return {"shift" if at == 0 else f"shift:{role}-{measure}": view for at, (role, measure, view) in enumerate(found)}


def shift_forest(d: Mapping[str, Any], found: Mapping[str, Any], measure: str) -> RateForest:
    """How far columns moved, the farthest first, with the area of a classifier of both samples."""
    axis, scale = AXES[measure]
    sized = [one for one in found["columns"] if one["measure"] == measure and one["size"] is not None]
    moved = sorted(sized, key=lambda one: -abs(one["size"]))[:MOST_COLUMNS]
    whole = found["classifier"]
    area = f"A classifier of both samples has AUC {whole['size']:.3f} [{whole['low']:.3f}, {whole['high']:.3f}]"
    left = f" {len(sized) - len(moved)} more columns moved less." if len(sized) > len(moved) else ""
    return RateForest(
        view="shift",
        heading=f"Test rows against {WORDS[found['role']]} ({found['place']})",
        x=axis,
        rates=[
            Rate(
                name=f"{one['name']}{' (' + str(one['of'] or 'missing') + ')' if measure == 'share' else ''}",
                value=scale * one["size"], low=scale * number_or_nan(one["low"]),
                high=scale * number_or_nan(one["high"]), wanted=0.0,
            )
            for one in moved
        ],
        wanted="no change",
        bars=f"{percent(d['level'])} interval of each column alone",
        said=f"{area}; 0.5 is no difference.{left}",
    )  # fmt: skip


def split_views(d: Mapping[str, Any]) -> dict[str, Callable[..., Figure]]:
    """The sizes of the parts, and the shares of every column of strata."""
    shares = {
        "part_shares" if at == 0 else f"part_shares:{column}": partial(part_shares, d, column)
        for at, column in enumerate(d["counts"])
    }
    return {"part_sizes": partial(part_sizes, d), **shares}


def part_sizes(d: Mapping[str, Any]) -> RateForest:
    """The share of the rows in each part.

    >>> parts = [{"name": "train", "rows": 80, "share": 0.8}, {"name": "test", "rows": 20, "share": 0.2}]
    >>> part_sizes({"folds": False, "parts": parts}).alt
    'Rows in each part. train (n 80): 0.8; test (n 20): 0.2.'
    """
    noun = "fold" if d["folds"] else "part"
    rates = [
        Rate(name=f"{part['name']} (n {part['rows']:,})", value=part["share"], low=0.0, high=part["share"])
        for part in d["parts"]
    ]
    return RateForest(
        view="part_sizes", heading=f"Rows in each {noun}", x="share of the rows", rates=rates, wanted="",
        bars="from zero to the share",
    )  # fmt: skip


def part_shares(d: Mapping[str, Any], column: str) -> Verdicts:
    """The shares of a column's values in each part; rare values together."""
    counts = d["counts"][column]
    totals = {value: sum(each.values()) for value, each in counts.items()}
    kept = sorted(totals, key=lambda value: -totals[value])[: MOST_VALUES if len(totals) > MOST_VALUES + 1 else None]
    rare = [value for value in counts if value not in kept]
    kept = [value for value in counts if value in kept]
    shares = {}
    for part in d["parts"]:
        rows = [counts[value][part["name"]] for value in kept]
        rows += [sum(counts[value][part["name"]] for value in rare)] if rare else []
        shares[part["name"]] = [one / max(sum(rows), 1) for one in rows]
    return Verdicts(
        view="part_shares",
        heading=f"{column} in each {'fold' if d['folds'] else 'part'}",
        x="share of the rows",
        outcomes=(*kept, *([f"{OTHERS} ({len(rare)})"] if rare else [])),
        shares=shares,
        reading="Bars: the rows of a part by value. Parts that are alike have bars that are alike.",
    )


def holdout_forest(d: Mapping[str, Any], metric: str) -> RateForest:
    """The value on training rows, on one holdout and over splits, learner by learner."""
    rates = []
    for name, found in d["holdout"].items():
        seen = d["training"][name][metric]
        rates.append(Rate(name=f"{name}: training rows", value=number_or_nan(seen), low=nan, high=nan))
        for words, e in (("holdout", found[metric]), (f"cv={d['splits']['cv']}", d["estimates"][name][metric])):
            ends = {end: number_or_nan(e[end]) for end in ("value", "low", "high")}
            rates.append(Rate(name=f"{name}: {words}", **ends))
    return RateForest(
        view="holdout",
        heading=f"{metric} on training rows, holdout and splits",
        x=metric,
        rates=rates,
        wanted="",
        bars=f"{percent(d['level'])} interval",
        said="Training rows are what a model was fitted to: optimistic, and without an interval.",
    )
