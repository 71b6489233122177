"""A threshold chosen on data as a table: what it seems to cost, what it costs, and what not choosing would cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.document import Cell, Document, Table
from heldout.report.kinds.estimates import ci_head, estimate_record
from heldout.report.number_text import interval_text, like, p_text, percent, signed, signed_interval, value_text

Facts = Mapping[str, Any]


def document(d: Facts) -> Document:
    """A threshold chosen by its cost, by itself."""
    rows = f"{d['rows']:,} rows, {d['positives']:,} positive"
    clusters = f", {d['units']:,} clusters" if d["units"] != d["rows"] else ""
    return Document(
        title="Threshold of lowest cost",
        facts=(rows + clusters,),
        tables=(threshold_table(d),),
        notes=(),
        headline=(f"Threshold of lowest cost: {_rule(d['threshold'])}.",),
        data={
            "rows": f"{d['rows']:,}",
            "positive rows": f"{d['positives']:,}",
            "confidence level": percent(d["level"]),
        },
    )


def records(d: Facts) -> list[dict[str, Any]]:
    """The threshold, its cost on rows that did not choose it, and that of the threshold of calibrated probabilities."""
    return [{"metric": name, **estimate_record(e)} for name, e in threshold_records(d)]


def threshold_records(d: Facts) -> list[tuple[str, Facts]]:
    """The same as estimates by name."""
    apparent = f"costs {d['apparent']:.6g} on the rows that chose it; scores from it on are positive"
    threshold = {
        "value": d["threshold"], "low": None, "high": None, "level": d["level"], "better": None,
        "method": "least cost", "units": d["units"], "notes": [apparent],
    }  # fmt: skip
    rows = [("chosen_threshold.threshold", threshold), ("chosen_threshold.cost", d["cost"])]
    return [*rows, ("chosen_threshold.calibrated", d["calibrated"])] if d["calibrated"] else rows


def threshold_table(found: Facts) -> Table:
    """Three lines: the cost on the rows that chose it, on rows that did not, and where nothing needs to be chosen."""
    honest, beside = found["cost"], found["calibrated"]
    drawn = "random " if found["drawn"] else ""
    folds = f"{len(found['thresholds'])} {drawn}folds"
    apparent = like(found["apparent"], honest)
    lines = [
        ("chosen, on the rows that chose it", _score(found["threshold"]), apparent, "", "optimistic"),
        (f"chosen across {folds}", "", value_text(honest), interval_text(honest), str(honest["method"])),
    ]  # fmt: skip
    if beside:
        place = f"{found['at']:.6g}"
        lines.append(
            (
                "fp / (fp + fn), not chosen",
                place,
                like(beside["value"], honest),
                interval_text(beside),
                beside["method"],
            )
        )
    head = ("decision", "threshold", "cost", ci_head(found["level"]), "method")
    return Table(
        name="chosen threshold",
        title=Cell(
            f"threshold of lowest cost (false positive {found['fp']:g}, false negative {found['fn']:g}): "
            + _rule(found["threshold"])
        ),
        head=tuple(Cell(text) for text in head),
        rows=tuple(tuple(Cell(text) for text in line) for line in lines),
        align="lrrll",
        optional=1,
        foot=tuple(Cell(text) for text in (_optimism(found), *_instead(found))),
    )


def _score(threshold: float | None) -> str:
    return "none" if threshold is None else f"{threshold:.6g}"


def _rule(threshold: float | None) -> str:
    # every digit: a threshold that is rounded up may leave its own row out
    return "no row is predicted positive" if threshold is None else f"scores from {threshold!r} on are positive"


def _optimism(found: Facts) -> str:
    told = like(found["optimism"], found["cost"])
    return f"optimism of choosing on the rows that are evaluated: {told} per row; report the cost across folds"


def _instead(found: Facts) -> list[str]:
    """Whether choosing was worth it, against the threshold of calibrated probabilities."""
    apart = found["difference"]
    if apart is None:
        return ["scores are not probabilities, so no threshold is known without choosing"]
    if apart["low"] is None or apart["high"] is None:
        return []
    said = f"chosen minus fp / (fp + fn): {signed(apart['value'], apart)} {signed_interval(apart)}"
    word = {
        "BETTER": "choosing pays",
        "WORSE": "choosing costs more than it saves",
    }.get(apart["verdict"], "not significantly different, and fp / (fp + fn) needs no choosing")
    return [f"{said}, p {p_text(apart['pvalue'], apart['level'])} ({apart['test']}): {word}"]
