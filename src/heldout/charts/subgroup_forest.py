"""One metric, or one difference, in the segments of a column or class by class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from heldout.charts.figure import Columns, Estimated, Figure, counted, number_or_nan, percent, told
from heldout.errors import UsageError, did_you_mean


def image_class_forest(
    d: Mapping[str, Any], metric: str | None = None, model: str | None = None, objects: Mapping[str, int] | None = None
) -> SegmentForest:
    """A metric of every class (`to_dict()` of detections or masks), the lowest first; AP or IoU by default."""
    by_model = {name: found for name, found in d["classes"].items() if found}
    if not by_model:
        raise UsageError(
            "there are no classes to show one by one", fix="leave out the chart, or give predictions of several classes"
        )
    name = known("model", model, by_model)
    classes = by_model[name]
    chosen = known("metric of classes", metric, next(iter(classes.values())))
    every = {label: found[chosen] for label, found in classes.items()}
    lines = {label: e for label, e in every.items() if e["value"] is not None and e["low"] is not None}
    whole = d["estimates"][name].get(chosen)
    return SegmentForest(
        metric=chosen,
        column="class",
        shown={
            label: {"rows": (objects or {}).get(label), **{end: e[end] for end in ("value", "low", "high")}}
            for label, e in sorted(lines.items(), key=lambda one: one[1]["value"])
        },
        overall=whole,
        level=d["level"],
        view="classes",
    )


def class_difference_forest(
    d: Mapping[str, Any], model: str | None = None, objects: Mapping[str, int] | None = None
) -> SegmentForest:
    """How much more a model has than the baseline, class by class, the largest loss first."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for one in d["class_differences"]:
        if one["value"] is not None and one["low"] is not None:
            found.setdefault(one["model"], []).append(one)
    if not found:
        raise UsageError(
            "there are no classes to show one by one", fix="leave out the chart, or give predictions of several classes"
        )
    name = known("model", model, found)
    figure = "iou" if "pixels" in d else d["primary"]
    whole = [one for one in d["differences"] if (one["metric"], one["model"]) == (figure, name)]
    return SegmentForest(
        metric=figure,
        column="class",
        shown={
            one["class"]: {
                "rows": (objects or {}).get(one["class"]),
                **{end: one[end] for end in ("value", "low", "high")},
            }
            for one in sorted(found[name], key=lambda one: one["value"])
        },
        overall=whole[0] if whole else None,
        level=d["level"],
        pair=(name, d["baseline"]),
        view="classes",
    )


MOST = 40
"""So many segments are drawn, the largest; the table has them all."""


@dataclass(frozen=True, kw_only=True)
class SegmentForest(Figure):
    """One interval per segment, beside the value of all rows."""

    metric: str
    column: str
    """What divides the rows."""
    shown: Mapping[str, Mapping[str, Any]]
    """By segment: rows, value, low, high."""
    overall: Estimated | None = None
    level: float = 0.95
    """The level at which all intervals hold together; where they do not, that of each alone."""
    together: bool = True
    pvalue: float | None = None
    """Of one test that all segments have the same value."""
    folded: tuple[int, int] = (0, 0)
    """How many segments were too small to judge, and their rows."""
    pair: tuple[str, str] | None = None
    """Where differences are shown: a and b of a - b."""
    view: str = "segments"

    @property
    def kind(self) -> str:
        return self.view

    @property
    def plural(self) -> str:
        return "classes" if self.view == "classes" else "segments"

    @property
    def title(self) -> str:
        what = self.metric if self.pair is None else f"{self.metric}, {self.pair[0]} minus {self.pair[1]}"
        return f"{what} by {self.column}"

    @property
    def caption(self) -> str:
        how = f"hold for all {self.plural} at once" if self.together else "hold for each alone"
        said = [f"{percent(self.level)} intervals that {how}."]
        if self.pair is not None and any(_holds_zero(one) for one in self.shown.values()):
            said.append("Marked ~: not significant.")
        if self.overall is not None:
            said.append(f"Dashed: all {'classes' if self.view == 'classes' else 'rows'}.")
        if self.pvalue is not None:
            said.append(f"One test that all are the same: p {self.pvalue:.2g}.")
        if self.folded[0]:
            said.append(f"Too small to judge: {counted(self.folded[0], 'segment')}, {counted(self.folded[1], 'row')}.")
        if len(self.shown) > MOST:
            known = any(one.get("rows") is not None for one in self.shown.values())
            said.append(f"The {MOST} {'largest' if known else 'first'} of {len(self.shown)}.")
        return " ".join(said)

    @property
    def alt(self) -> str:
        said = [f"{name} {told(e)}" for name, e in list(self.shown.items())[:MOST]]
        whole = "All classes" if self.view == "classes" else "All rows"
        everything = "" if self.overall is None else f" {whole}: {told(self.overall)}."
        return f"{self.title}.{everything} {'; '.join(said)}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`segments`: segment, rows, value, low, high."""
        numbers = {name: [number_or_nan(one[name]) for one in self.shown.values()] for name in ("value", "low", "high")}
        return {
            "segments": {
                "segment": list(self.shown),
                "rows": [one.get("rows") for one in self.shown.values()],
                **numbers,
            }
        }


def segment_forest(d: Mapping[str, Any], column: str | None = None, metric: str | None = None) -> SegmentForest:
    """A metric in the segments of a column of an evaluation (its `to_dict()`); by default the first of both."""
    found = d["segments"]
    column = known("column of segments", column, found)
    lines = found[column]["shown"]
    if not lines:
        raise UsageError(
            f"no segment of {column!r} is large enough to judge",
            fix="choose a column with larger segments, or leave out the chart",
        )
    first = max((one["estimates"] for one in lines.values()), key=len)
    metric = known("metric in segments", metric, first)
    tested = found[column]["heterogeneity"].get(metric) or {}
    return SegmentForest(
        metric=metric,
        column=column,
        shown={
            name: {"rows": one["rows"], **_ends(one["estimates"][metric])}
            for name, one in lines.items()
            if metric in one["estimates"]
        },
        overall=d["estimates"].get(metric),
        level=d["level"],
        pvalue=tested.get("pvalue_adjusted"),
        folded=_not_shown(found[column]),
    )


def _not_shown(table: Mapping[str, Any]) -> tuple[int, int]:
    """How many segments are too small to be shown, and their rows."""
    also_shown = [one["rows"] for one in table.get("small", ()) if one["segment"] in table["shown"]]
    return table["folded"]["segments"] - len(also_shown), table["folded"]["rows"] - sum(also_shown)


def difference_segments(
    d: Mapping[str, Any], column: str | None = None, metric: str | None = None, model: str | None = None
) -> SegmentForest:
    """The difference of a model from the baseline in the segments of a column (a comparison's `to_dict()`)."""
    found = d["segments"]
    column = known("column of segments", column, found)
    tables = {one["model"]: one for one in found[column]}
    table = tables[known("model", model, tables)]
    lines = table["shown"]
    if not lines:
        raise UsageError(
            f"no segment of {column!r} is large enough to judge",
            fix="choose a column with larger segments, or leave out the chart",
        )
    metric = known("metric in segments", metric, max((one["differences"] for one in lines.values()), key=len))
    whole = [one for one in d["differences"] if (one["metric"], one["model"]) == (metric, table["model"])]
    return SegmentForest(
        metric=metric,
        column=column,
        shown={
            name: {"rows": one["rows"], **_ends(one["differences"][metric])}
            for name, one in lines.items()
            if metric in one["differences"]
        },
        overall=whole[0] if whole else None,
        level=d["level"],
        pvalue=(table["heterogeneity"].get(metric) or {}).get("pvalue_adjusted"),
        folded=_not_shown(table),
        pair=(table["model"], table["baseline"]),
    )


def class_forest(d: Mapping[str, Any], metric: str | None = None) -> SegmentForest:
    """A metric class by class (an evaluation's `to_dict()`): recall, unless another is named."""
    classes = d["classes"]
    first: Mapping[str, Any] = next(iter(classes.values()), {})
    if not first:
        raise UsageError(
            "there are no classes to show one by one", fix="leave out the chart, or give predictions of several classes"
        )
    usual = next((name for name in ("recall", "f1", "mae") if name in first), None)
    metric = known("metric of classes", metric or usual, first)
    word = {"multilabel": "label", "regression": "target"}.get(d["task"], "class")
    lines = {name: found[metric] for name, found in classes.items() if metric in found}
    counts = {name: (found.get("recall") or {}).get("count") or (None, None) for name, found in classes.items()}
    return SegmentForest(
        metric=metric,
        column=word,
        shown={name: {"rows": counts[name][1], **_ends(one)} for name, one in lines.items()},
        level=d["level"],
        together=False,
        view="classes",
    )


def _holds_zero(one: Mapping[str, Any]) -> bool:
    return one["low"] is None or one["high"] is None or one["low"] <= 0 <= one["high"]


def _ends(e: Estimated) -> dict[str, Any]:
    return {name: e[name] for name in ("value", "low", "high")}


def known(what: str, name: str | None, names: Mapping[str, Any]) -> str:
    """A name among those there are; the first where none is given."""
    if not names:
        raise UsageError(f"there is no {what}", fix="leave it out, or evaluate with segments (--segment COLUMN)")
    if name is None:
        return next(iter(names))
    if name not in names:
        raise UsageError(
            f"no {what} is named {name!r}{did_you_mean(name, names)}", fix=f"choose one of {', '.join(names)}"
        )
    return name
