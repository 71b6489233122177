"""A threshold chosen on data as a table: what it seems to cost, what it costs, and what not choosing would cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.document import Cell, Page, Table
from heldout.report.number_text import interval_text, like, p_text, percent, signed, value_text

Facts = Mapping[str, Any]


def threshold_tables(d: Facts) -> list[Table]:
    """The chosen threshold of an evaluation; nothing where none was asked for."""
    found = d.get("chosen_threshold")
    return [threshold_table(found)] if found else []


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
    head = ("decision", "threshold", "cost", f"{percent(found['level'])} interval", "method")
    return Table(
        name="chosen threshold",
        title=Cell(
            f"threshold of least cost, a false alarm {found['fp']:g} and a miss {found['fn']:g}: "
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
    return "no row is called positive" if threshold is None else f"scores from {threshold!r} on are positive"


def _optimism(found: Facts) -> str:
    told = like(found["optimism"], found["cost"])
    return f"optimism of choosing and paying on the same rows: {told} per row; report the cost across folds"


def _instead(found: Facts) -> list[str]:
    """Whether choosing was worth it, against the threshold of calibrated probabilities."""
    apart = found["difference"]
    if apart is None:
        return ["scores are no probabilities, so no threshold is known without choosing"]
    if apart["low"] is None or apart["high"] is None:
        return []
    said = f"chosen less fp / (fp + fn): {signed(apart['value'], apart)} {interval_text(apart)}"
    word = {
        "BETTER": "choosing pays",
        "WORSE": "choosing costs more than it saves",
    }.get(apart["verdict"], "no difference is established, and fp / (fp + fn) needs no choosing")
    return [f"{said}, p {p_text(apart['p'], apart['level'])} ({apart['test']}): {word}"]


def threshold_text(found: Facts, width: int = 80) -> str:
    """The chosen threshold by itself, as lines no wider than `width`."""
    from heldout.report.render.text import page_text

    rows = f"{found['rows']} rows, {found['positives']} positive"
    units = f", {found['units']} units" if found["units"] != found["rows"] else ""
    whole = Page(name=Cell(""), facts=(rows + units,), columns=(), tables=(threshold_table(found),), remarks=())
    return page_text(whole, width)
