"""The same numbers by class and by subgroup: confusion matrix, classes, subgroups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, isfinite, nextafter
from typing import Any

from heldout.report.document import Bar, Cell, Column, Table, given, table_of, with_foot
from heldout.report.kinds.estimates import ci_head
from heldout.report.number_text import (
    Estimated,
    amount,
    interval_text,
    p_text,
    percent,
    signed,
    signed_interval,
    value_text,
)
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
        ci_head(recall["level"]): (interval_text(recall), "l"),
        "counts": (f"{recall['count'][0]:.0f}/{recall['count'][1]:.0f}", "l"),
        "misses (beta)": (value_text(beta), "r"),
        "method": (recall["method"], "l"),
    }
    # every digit: a threshold that is rounded down is no longer certified; where it is the next float after a score,
    # "above" that score says the same in fewer digits
    before = nextafter(point["threshold"], -inf)
    above = len(repr(before)) < len(repr(point["threshold"])) - 3
    limit = f"above {before!r}" if above else f"of at least {point['threshold']!r}"
    rule = f"scores {limit} are positive"
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
"""How many classes, subgroups or confused pairs a brief document shows."""
MATRIX = 6
"""Up to how many classes a brief document shows the whole confusion matrix."""
USUAL = ("recall", "precision", "f1")
"""The metrics per class that readers look for."""
BRIEF_SEGMENT_METRICS = 2
NAMED_SMALL = 5
"""How many subgroups that are too small are named; the others are counted, and all are in the JSON."""
KINDS = {"multiclass": "class", "multilabel": "label", "regression": "target", "binary": "class"}


def confusion_tables(d: Mapping[str, Any]) -> list[Table]:
    """The confusion matrix where it fits, and for several classes the pairs most often confused."""
    confusion = d["confusion"]
    if not confusion or not confusion["labels"]:
        return []
    labels = [str(label) for label in confusion["labels"]]
    matrix = [_matrix(labels, confusion["counts"])] if len(labels) <= 3 * MATRIX else []
    return matrix + (_pairs(labels, confusion["counts"]) if len(labels) > 2 else [])


def _matrix(labels: list[str], counts: list[list[float]]) -> Table:
    return Table(
        name="confusion",
        title=Cell("confusion matrix: rows are the truth, columns the prediction"),
        head=(Cell("truth"), *given(labels)),
        rows=tuple(
            (Cell(label, given=True), *(Cell(amount(n)) for n in line))
            for label, line in zip(labels, counts, strict=True)
        ),
        align="l" + "r" * len(labels),
        section="confusion",
        in_brief=len(labels) <= MATRIX,
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
    left = len(wrong) - len(worst)
    table = table_of(
        "pairs",
        [
            ("truth", "l", given(labels[truth] for _, truth, _ in worst)),
            ("predicted as", "l", given(labels[prediction] for *_, prediction in worst)),
            ("rows", "r", [amount(n) for n, *_ in worst]),
        ],
        title=Cell("most often confused"),
        section="confusion",
    )
    return [with_foot(table, f"and {left} other pairs of classes") if left else table]


def class_table(d: Mapping[str, Any]) -> list[Table]:
    """One row per class (label, target) with its metrics, the worst first where there are many."""
    classes: dict[str, Mapping[str, Estimated]] = dict(d["classes"])
    names = class_metrics(d)
    if not classes or not names or (d["task"] == "binary" and len(classes) < 3):
        return []
    kind = KINDS[d["task"]]
    order = worst_first(classes, names[-1] if "f1" not in names else "f1")
    shown = brief_class_metrics(d)
    columns: list[Column] = [
        (kind, "l", given(order)),
        ("rows", "r", [_class_rows(classes[label]) for label in order]),
        *((Cell(name, given=True), "l", [both(classes[label].get(name)) for label in order]) for name in names),
    ]
    known = any(columns[1][2])
    many = len(order) > WORST
    return [
        table_of(
            "classes",
            columns if known else [columns[0], *columns[2:]],
            title=Cell(f"by {kind}, {ci_head(d['level'])} each" + (", worst first" if many else "")),
            section="confusion",
            optional=max(len(shown) - 1, 0),
            brief_rows=WORST if many else None,
            brief_columns=1 + known + len(shown),
            rows_are=(kind, "classes" if kind == "class" else f"{kind}s"),
        )
    ]


def class_metrics(d: Mapping[str, Any]) -> list[str]:
    """The metrics per class: recall, precision and F1 where they exist, then the other printed ones."""
    first: Mapping[str, Estimated] = next(iter(d["classes"].values()), {})
    shown = [name for name, e in first.items() if e.get("printed", True)]
    return list(dict.fromkeys([*(name for name in USUAL if name in first), *shown]))


def brief_class_metrics(d: Mapping[str, Any]) -> list[str]:
    """The metrics per class that a brief document shows."""
    first: Mapping[str, Estimated] = next(iter(d["classes"].values()), {})
    return [name for name in USUAL if name in first] or class_metrics(d)[:3]


def _class_rows(estimates: Mapping[str, Estimated]) -> str:
    """How many rows belong to the class: what recall is a share of."""
    count = estimates.get("recall", {}).get("count")
    return amount(count[1]) if count else ""


def both(e: Estimated | None) -> str:
    """Value and interval in one cell; empty where there is no estimate."""
    return "" if e is None else f"{value_text(e)} {interval_text(e)}".removesuffix(" --")


def worst_first(parts: Mapping[str, Mapping[str, Estimated]], name: str) -> list[str]:
    """The keys, those with the worst value of a metric first where there are too many, otherwise in their order."""
    if len(parts) <= WORST:
        return list(parts)

    def badness(key: str) -> tuple[int, float]:
        e = parts[key].get(name)
        if e is None or e["value"] is None:
            return 1, 0.0
        return 0, -e["value"] if e["better"] == "lower" else e["value"]

    return sorted(parts, key=badness)


def segment_tables(d: Mapping[str, Any]) -> list[Table]:
    """Per subgroup column and metric: every subgroup with its rows and interval, beside all rows together."""
    tables = []
    for column, segments in d["segments"].items():
        # a column with no subgroup to show still says how many are too small
        names = segment_metrics(segments) or [""]
        shown = names[:BRIEF_SEGMENT_METRICS]
        also = elsewhere(segments.get("heterogeneity", {}), shown, d["level"], column)
        left = len(names) - len(shown)
        rest = f"{left} more metric{'' if left == 1 else 's'} by subgroup"
        for name in names:
            table = _segment_table(d, column, segments, name)
            if name == shown[-1]:
                table = replace(table, brief_foot=also, left_out=rest if left else "")
            tables.append(replace(table, in_brief=name in shown))
    return tables


def segment_metrics(segments: Mapping[str, Any]) -> list[str]:
    """The metrics shown per subgroup: the printed ones."""
    # a subgroup with few rows of one class has some of the metrics only
    every: dict[str, Estimated] = {}
    for part in sorted(segments["shown"].values(), key=lambda part: -len(part["estimates"])):
        every |= {name: e for name, e in part["estimates"].items() if name not in every}
    return [name for name, e in every.items() if e.get("printed", True)] or list(every)


def _segment_table(d: Mapping[str, Any], column: str, segments: Mapping[str, Any], name: str) -> Table:
    shown = segments["shown"]
    measured = {key: part["estimates"] for key, part in shown.items() if name in part["estimates"]}
    order = worst_first(measured, name)
    lines: list[tuple[Cell, float, float, Estimated]] = [
        (Cell(key, given=True), shown[key]["rows"], shown[key]["units"], measured[key][name]) for key in order
    ]
    if name in d["estimates"] and lines:
        lines.insert(0, (Cell(f"(all rows, {percent(d['level'])})"), d["rows"], d["units"], d["estimates"][name]))
    grouped = d["rows"] != d["units"]
    many = len(order) > WORST
    return Table(
        name="segments",
        title=Cell(f"{name} by {column}, simultaneous: {percent(segments['level'])} each".lstrip(), given=True),
        head=tuple(map(Cell, ["subgroup", "rows", *([f"{d['unit']}s"] if grouped else []), "value", "CI"])),
        rows=tuple(_segment_row(line, grouped=grouped) for line in lines),
        align="lrrrl" if grouped else "lrrl",
        section="segments",
        bars=tuple(bar(line[3]) for line in lines),
        brief_rows=WORST + 1 if many else None,
        rows_are=("subgroup", "subgroups"),
        foot=(
            *too_small(segments),
            *varies(
                segments.get("heterogeneity", {}).get(name),
                d["level"],
                f"{name} differs by {short(column)}",
                f"{name} does not differ significantly by {short(column)}",
            ),
            *_gap_foot(segments, name, d["level"]),
        ),
    )


def _segment_row(line: tuple[Cell, float, float, Estimated], *, grouped: bool) -> tuple[Cell, ...]:
    key, rows, units, e = line
    size = (Cell(amount(rows)), Cell(amount(units))) if grouped else (Cell(amount(rows)),)
    return (key, *size, Cell(value_text(e)), Cell(interval_text(e)))


def varies(test: Mapping[str, Any] | None, level: float, yes: str, no: str) -> tuple[Cell, ...]:
    """Whether subgroups differ, in one of two sentences with the p-value; none where that was not tested."""
    if not test or test["pvalue_adjusted"] is None:
        return ()
    corrected = " (Holm)" if test["pvalue_adjusted"] != test["pvalue"] else ""
    said = yes if differs(test, level) else no
    return (Cell(f"{said}: p {p_text(test['pvalue_adjusted'], level)}{corrected}", given=True),)


def differs(test: Mapping[str, Any], level: float) -> bool:
    """Whether the corrected p-value shows a difference between subgroups."""
    return test["pvalue_adjusted"] is not None and test["pvalue_adjusted"] < round(1 - level, 12)


def elsewhere(tests: Mapping[str, Mapping[str, Any]], shown: list[str], level: float, column: str) -> tuple[Cell, ...]:
    """The metrics that differ by the column, but have no table in a brief document."""
    also = [name for name, test in tests.items() if name not in shown and differs(test, level)]
    return (Cell(f"also significantly different by {short(column)}: {', '.join(also)}", given=True),) if also else ()


def _gap_foot(segments: Mapping[str, Any], name: str, level: float) -> tuple[Cell, ...]:
    """The largest gap whose lower end is above zero, where subgroups differ significantly."""
    test = segments.get("heterogeneity", {}).get(name)
    if not test or not differs(test, level):
        return ()
    gap = segments.get("gap", {}).get(name)
    if gap is None:
        return (Cell("no gap between two subgroups is significant"),)
    ends = f"{signed(gap['value'], gap)} {signed_interval(gap)}"
    return (Cell(f"largest significant gap {ends}: {short(gap['more'])} - {short(gap['less'])}", given=True),)


def short(name: str) -> str:
    """A name from outside, short enough to stand in a sentence of ours."""
    return shortened(visible(name), 14)


def bar(e: Estimated) -> Bar | None:
    """The interval as something to draw; None where an end is open or undefined."""
    numbers = [e["low"], e["value"], e["high"]]
    return Bar(*numbers) if all(x is not None and isfinite(x) for x in numbers) else None


def too_small(segments: Mapping[str, Any]) -> tuple[Cell, ...]:
    """Which subgroups have too few rows to be judged, or too few of one class for metrics of classes."""
    folded = segments["folded"]
    if not folded["segments"]:
        return ()
    known = [one for one in segments.get("small", ()) if one["segment"] in segments["shown"]]
    unknown = [one for one in segments.get("small", ()) if one["segment"] not in segments["shown"]]
    count, rows = folded["segments"] - len(known), folded["rows"] - sum(one["rows"] for one in known)
    words = f"too small to judge: {count:,} subgroup{'' if count == 1 else 's'}, {rows:,} rows"
    cells = [Cell(words + _named_small(unknown), given=True)] if count else []
    if known:
        cells.append(Cell(f"too small for metrics of classes{_named_small(known)}", given=True))
    return tuple(cells)


def _named_small(small: Sequence[Mapping[str, Any]]) -> str:
    """Small subgroups by name, with their rows and the reason; the others are counted."""
    texts = [f"{short(one['segment'])} ({one['rows']:,} rows; {one['reason']})" for one in small[:NAMED_SMALL]]
    texts += [f"and {len(small) - NAMED_SMALL} more"] if len(small) > NAMED_SMALL else []
    return f": {', '.join(texts)}" if texts else ""
