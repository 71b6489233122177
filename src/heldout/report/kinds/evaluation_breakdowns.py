"""The same numbers by class and by segment: confusion matrix, classes, segments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

from heldout.report.document import Bar, Cell, Table
from heldout.report.number_text import Estimated, amount, interval_text, p_text, percent, signed, value_text
from heldout.report.plain_text import shortened, visible


def operating_table(d: Mapping[str, Any]) -> list[Table]:
    """The threshold, recall (power) with its interval, and misses (beta); below it what is certified."""
    point = d.get("operating_point")
    if not point:
        return []
    recall, beta, confidence = point["recall"], point["beta"], percent(point["confidence"])
    rate = percent(point["max_fpr"])
    cells = {
        "recall (power)": (value_text(recall), "r"),
        f"{percent(recall['level'])} interval": (interval_text(recall), "l"),
        "counts": (f"{recall['count'][0]:.0f}/{recall['count'][1]:.0f}", "l"),
        "misses (beta)": (value_text(beta), "r"),
        "method": (recall["method"], "l"),
    }
    # every digit: a threshold that is rounded down is no longer certified
    rule = f"scores above {point['threshold']!r} are positive"
    certified = f"alpha, the false positive rate, is at most {rate} with {confidence} confidence"
    chance = f"the chance that it is more is at most {point['violation']:.2g}"
    return [
        Table(
            name="operating point",
            title=Cell(f"operating point, best recall at a false positive rate of at most {rate}: {rule}"),
            head=tuple(Cell(head) for head in cells),
            rows=(tuple(Cell(text) for text, _ in cells.values()),),
            align="".join(side for _, side in cells.values()),
            optional=2,
            foot=(
                Cell(f"{certified}: {chance} ({point['negatives']} negative rows)"),
                Cell("the threshold was chosen on negative rows only, so the interval of recall holds"),
            ),
        )
    ]


WORST = 10
"""How many classes, segments or confused pairs a brief page shows."""
MATRIX = 6
"""Up to how many classes the whole confusion matrix is shown on a brief page."""
KINDS = {"multiclass": "class", "multilabel": "label", "regression": "target", "binary": "class"}


def confusion_tables(d: Mapping[str, Any], *, brief: bool) -> list[Table]:
    """The confusion matrix where it fits, and for several classes the pairs most often confused."""
    confusion = d["confusion"]
    if not confusion or not confusion["labels"]:
        return []
    labels = [str(label) for label in confusion["labels"]]
    matrix = [_matrix(labels, confusion["counts"])] if len(labels) <= (MATRIX if brief else 3 * MATRIX) else []
    return matrix + (_pairs(labels, confusion["counts"]) if len(labels) > 2 else [])


def _matrix(labels: list[str], counts: list[list[float]]) -> Table:
    rows = [
        (Cell(label, given=True), *(Cell(amount(n)) for n in line)) for label, line in zip(labels, counts, strict=True)
    ]
    return Table(
        name="confusion",
        title=Cell("confusion: rows are the truth, columns the prediction"),
        head=(Cell("truth"), *(Cell(label, given=True) for label in labels)),
        rows=tuple(rows),
        align="l" + "r" * len(labels),
    )


def _pairs(labels: list[str], counts: list[list[float]]) -> list[Table]:
    """The most frequent confusions: how many rows of a class were taken for another."""
    wrong = [
        (n, truth, prediction)
        for truth, line in enumerate(counts)
        for prediction, n in enumerate(line)
        if n > 0 and truth != prediction
    ]
    worst = sorted(wrong, key=lambda pair: -pair[0])[:WORST]
    if not worst:
        return []
    rows = tuple(
        (Cell(labels[truth], given=True), Cell(labels[prediction], given=True), Cell(amount(n)))
        for n, truth, prediction in worst
    )
    left = len(wrong) - len(worst)
    return [
        Table(
            name="pairs",
            title=Cell("most often confused"),
            head=(Cell("truth"), Cell("predicted as"), Cell("rows")),
            rows=rows,
            align="llr",
            foot=(Cell(f"and {left} other pairs of classes"),) if left else (),
        )
    ]


def class_table(d: Mapping[str, Any], *, brief: bool) -> list[Table]:
    """One row per class (label, target) with its metrics; on a brief page the worst ones."""
    classes: dict[str, Mapping[str, Estimated]] = dict(d["classes"])
    if not classes or (d["task"] == "binary" and len(classes) < 3):
        return []
    names = class_metrics(d, brief=brief)
    if not names:
        return []
    kind = KINDS[d["task"]]
    chosen = worst_of(classes, names[-1] if "f1" not in names else "f1") if brief else list(classes)
    rows = tuple(
        (Cell(label, given=True), Cell(_class_rows(classes[label])), *_both(classes[label], names)) for label in chosen
    )
    left = len(classes) - len(chosen)
    known = any(row[1].text for row in rows)
    return [
        Table(
            name="classes",
            title=Cell(f"by {kind}, {percent(d['level'])} interval each" + (f", the {WORST} worst" if left else "")),
            head=(Cell(kind), *((Cell("rows"),) if known else ()), *(Cell(name, given=True) for name in names)),
            rows=rows if known else tuple((row[0], *row[2:]) for row in rows),
            align="l" + ("r" if known else "") + "l" * len(names),
            optional=max(len(names) - 1, 0),
            foot=(Cell(f"and {left} more not shown here"),) if left else (),
        )
    ]


def class_metrics(d: Mapping[str, Any], *, brief: bool) -> list[str]:
    """The metrics shown per class: recall, precision and F1 where they exist, otherwise the printed ones."""
    first: Mapping[str, Estimated] = next(iter(d["classes"].values()), {})
    usual = [name for name in ("recall", "precision", "f1") if name in first]
    shown = [name for name, e in first.items() if e.get("printed", True)]
    return (usual or shown[:3]) if brief else list(dict.fromkeys(usual + shown))


def _class_rows(estimates: Mapping[str, Estimated]) -> str:
    """How many rows belong to the class: what recall is a share of."""
    count = estimates.get("recall", {}).get("count")
    return amount(count[1]) if count else ""


def _both(estimates: Mapping[str, Estimated], names: list[str]) -> tuple[Cell, ...]:
    return tuple(Cell(both(estimates[name])) if name in estimates else Cell("") for name in names)


def both(e: Estimated) -> str:
    """Value and interval in one cell."""
    return f"{value_text(e)} {interval_text(e)}".removesuffix(" --")


def worst_of(parts: Mapping[str, Mapping[str, Estimated]], name: str) -> list[str]:
    """The keys of the worst parts by one metric where there are too many of them, otherwise all in their order."""
    if len(parts) <= WORST:
        return list(parts)

    def badness(key: str) -> tuple[int, float]:
        e = parts[key].get(name)
        if e is None or e["value"] is None:
            return 1, 0.0
        return 0, -e["value"] if e["better"] == "lower" else e["value"]

    return sorted(parts, key=badness)[:WORST]


def segment_tables(d: Mapping[str, Any], *, brief: bool) -> list[Table]:
    """Per segment column and metric: every segment with its rows and interval, beside all rows together."""
    tables = []
    for column, segments in d["segments"].items():
        # a column with no segment to show still says how many are folded
        names = segment_metrics(segments, brief=brief) or [""]
        found = [_segment_table(d, column, segments, name, brief=brief) for name in names]
        also = elsewhere(segments.get("heterogeneity", {}), names, d["level"], column)
        left = len(segment_metrics(segments, brief=False)) - len(names) if names != [""] else 0
        tables += [*found[:-1], replace(found[-1], foot=(*found[-1].foot, *also, *_left_out(left)))]
    return tables


def _left_out(metrics: int) -> tuple[Cell, ...]:
    """How many metrics have no table on this page, and how to see them."""
    more = f"{metrics} more metric{'' if metrics == 1 else 's'} by segment: --metric, or --format md or json"
    return (Cell(more),) if metrics else ()


def segment_metrics(segments: Mapping[str, Any], *, brief: bool) -> list[str]:
    """The metrics shown per segment: the printed ones, on a brief page the first two."""
    first: Mapping[str, Estimated] = next(iter(segments["shown"].values()), {"estimates": {}})["estimates"]
    names = [name for name, e in first.items() if e.get("printed", True)] or list(first)
    return names[:2] if brief else names


def _segment_table(d: Mapping[str, Any], column: str, segments: Mapping[str, Any], name: str, *, brief: bool) -> Table:
    shown = segments["shown"]
    measured = {key: part["estimates"] for key, part in shown.items() if name in part["estimates"]}
    chosen = worst_of(measured, name) if brief else list(measured)
    lines: list[tuple[Cell, float, float, Estimated]] = [
        (Cell(key, given=True), shown[key]["rows"], shown[key]["units"], measured[key][name]) for key in chosen
    ]
    if name in d["estimates"] and lines:
        lines.append((Cell(f"(all rows, {percent(d['level'])})"), d["rows"], d["units"], d["estimates"][name]))
    grouped = d["rows"] != d["units"]
    return Table(
        name="segments",
        title=Cell(f"{name} by {column}, simultaneous: {percent(segments['level'])} each".lstrip(), given=True),
        head=tuple(map(Cell, ["segment", "rows", *(["units"] if grouped else []), "value", "interval"])),
        rows=tuple(_segment_row(line, grouped=grouped) for line in lines),
        align="lrrrl" if grouped else "lrrl",
        bars=tuple(bar(line[3]) for line in lines),
        foot=(
            *too_small(segments, len(measured) - len(chosen)),
            *varies(
                segments.get("heterogeneity", {}).get(name),
                d["level"],
                f"{name} differs by {short(column)}",
                f"no difference by {short(column)} is established",
            ),
            *_gap_foot(segments, name, d["level"]),
        ),
    )


def _segment_row(line: tuple[Cell, float, float, Estimated], *, grouped: bool) -> tuple[Cell, ...]:
    key, rows, units, e = line
    size = (Cell(amount(rows)), Cell(amount(units))) if grouped else (Cell(amount(rows)),)
    return (key, *size, Cell(value_text(e)), Cell(interval_text(e)))


def varies(test: Mapping[str, Any] | None, level: float, yes: str, no: str) -> tuple[Cell, ...]:
    """Whether segments differ, in one of two sentences with the p-value; none where that was not tested."""
    if not test or test["p_adjusted"] is None:
        return ()
    corrected = " (Holm)" if test["p_adjusted"] != test["p"] else ""
    said = yes if differs(test, level) else no
    return (Cell(f"{said}: p {p_text(test['p_adjusted'], level)}{corrected}", given=True),)


def differs(test: Mapping[str, Any], level: float) -> bool:
    """Whether the corrected p-value establishes a difference between segments."""
    return test["p_adjusted"] is not None and test["p_adjusted"] < round(1 - level, 12)


def elsewhere(tests: Mapping[str, Mapping[str, Any]], shown: list[str], level: float, column: str) -> tuple[Cell, ...]:
    """The metrics that differ by the column, but have no table on this page."""
    also = [name for name, test in tests.items() if name not in shown and differs(test, level)]
    return (Cell(f"also different by {short(column)}: {', '.join(also)}", given=True),) if also else ()


def _gap_foot(segments: Mapping[str, Any], name: str, level: float) -> tuple[Cell, ...]:
    """The largest gap that is supported, where a difference is established."""
    test = segments.get("heterogeneity", {}).get(name)
    if not test or not differs(test, level):
        return ()
    gap = segments.get("gap", {}).get(name)
    if gap is None:
        return (Cell("no gap between two segments is supported"),)
    ends = f"{signed(gap['value'], gap)} [{signed(gap['low'], gap)}, {signed(gap['high'], gap)}]"
    return (Cell(f"largest supported gap {ends}: {short(gap['more'])} - {short(gap['less'])}", given=True),)


def short(name: str) -> str:
    """A name from outside, short enough to stand in a sentence of ours."""
    return shortened(visible(name), 14)


def bar(e: Estimated) -> Bar | None:
    """The interval as something to draw; None where an end is open or undefined."""
    numbers = [e["low"], e["value"], e["high"]]
    return Bar(*numbers) if all(x is not None and isfinite(x) for x in numbers) else None


def too_small(segments: Mapping[str, Any], left: int) -> tuple[Cell, ...]:
    """How many segments are not shown, and why."""
    folded = segments["folded"]
    small = f"too small to judge: {folded['segments']} segments, {folded['rows']} rows"
    return (
        *((Cell(f"the {WORST} worst; and {left} more not shown here"),) if left else ()),
        *((Cell(small),) if folded["segments"] else ()),
    )
