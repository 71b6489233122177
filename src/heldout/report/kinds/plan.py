"""A plan: how many rows, for what, and under which assumptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.document import Document, Note, table_of
from heldout.report.kinds.differences import SPENDING_NAMES
from heldout.report.kinds.estimates import ci_head
from heldout.report.number_text import percent

Facts = Mapping[str, Any]


def document(d: Facts) -> Document:
    """The rows or the power of each design in a sentence, then the assumptions; whole documents have a table too."""
    lines = {"interval": _interval, "bound": _bound}.get(d["question"], _designs)(d)
    designs = d["designs"]
    table = table_of(
        "designs",
        [
            ("design", "l", [one["name"] for one in designs]),
            ("rows", "r", [f"{one['rows']:,}" for one in designs]),
            ("power", "r", ["" if one["power"] is None else f"{one['power']:.1%}" for one in designs]),
            ("half-width", "r", ["" if one["half_width"] is None else f"{one['half_width']:.3g}" for one in designs]),
        ],
        in_brief=False,
    )
    return Document(
        title=f"Sample size for {d['metric']}",
        opening=tuple(lines),
        tables=(table,),
        notes=tuple(Note("assumed", text) for text in d["assumptions"]),
        headline=tuple(lines),
        data={"metric": d["metric"], "confidence level": percent(d["level"])},
    )


def records(d: Facts) -> list[dict[str, Any]]:
    """One record per design."""
    names = ("question", "metric", "value", "gain", "level", "method", "unit")
    return [{**{name: d[name] for name in names}, **one} for one in d["designs"]]


def _interval(d: Facts) -> list[str]:
    """The rows for one model, and for the worst case."""
    one, *worst = d["designs"]
    at = "" if d["value"] is None else f" at {d['metric']} {d['value']:.4g}"
    kind = f"{ci_head(d['level'])}, {d['method']}"
    lines = [f"n = {one['rows']:,} {d['unit']}s  ({kind}, half-width {one['half_width']:.3g}{at})"]
    if worst:
        low, high = d["range"]
        lines.append(f"worst case over [{low:g}, {high:g}]: n = {worst[0]['rows']:,} rows")
    return lines


def _bound(d: Facts) -> list[str]:
    """The rows with which the limit clears its bound, with the power asked for and only on average."""
    side, bound = ("lower", d["lower_bound"]) if d["upper_bound"] is None else ("upper", d["upper_bound"])
    beyond = "above" if side == "lower" else "below"
    wanted, mean = d["designs"]
    limit = f"{side} limit of the {ci_head(d['level'])} {beyond} {bound:g}"
    at = f"at {d['metric']} {d['value']:.4g}, {d['method']}"
    return [
        f"n = {wanted['rows']:,} rows  ({limit} with power {wanted['power']:.1%}, {at})",
        f"on average only: n = {mean['rows']:,} rows, power {mean['power']:.1%}",
    ]


def _designs(d: Facts) -> list[str]:
    """The rows and the power, design by design.

    >>> one = {"name": "paired", "rows": 1556, "power": 0.8002}
    >>> _designs({"designs": [one], "question": "power", "metric": "accuracy", "gain": 0.02, "value": 0.85,
    ...           "method": "McNemar, mid-p", "level": 0.95, "unit": "row"})[0]
    'accuracy 0.85, gain 0.02, 95% confidence (McNemar, mid-p)'
    """
    at = d["metric"] if d["value"] is None else f"{d['metric']} {d['value']:.4g}"
    gain = "against 0.5" if d["gain"] is None else f"gain {d['gain']:g}"
    lines = [f"{at}, {gain}, {percent(d['level'])} confidence ({d['method']})"]
    for one in d["designs"]:
        each = " per model" if one["name"] == "unpaired" else ""
        lines.append(f"{one['name'] + ':':<9} n = {one['rows']:,} {d['unit']}s{each}, power {one['power']:.1%}")
    return [*lines, *_saved(d)] if d["question"] == "difference" else lines


def _saved(d: Facts) -> list[str]:
    """How many of the labels that two samples would need one sample saves."""
    rows = {one["name"]: one["rows"] for one in d["designs"]}
    if not {"paired", "unpaired"} <= set(rows):
        return []
    return [f"pairing saves {1 - rows['paired'] / (2 * rows['unpaired']):.0%} of the labels"]


def looks_document(d: Facts) -> Document:
    """What planned looks cost in a sentence, then a table of them."""
    looks, single = d["looks"], d["single_rows"]
    count = f"{len(looks)} looks, {SPENDING_NAMES[d['spending']]} spending"
    error = f"error rate {percent(round(1 - d['level'], 12))} over all looks, {percent(d['power'])} power"
    rows = f"{d['inflation']:.3f} times the rows of a single look"
    if single is not None:
        rows = f"{looks[-1]['rows']:,} rows, {rows} ({single:,})"
    lines = (
        f"{count}: {error}",
        f"planned: {rows}; on average {d['expected']:.3f} times where the difference is there",
    )
    table = table_of(
        "looks",
        [
            ("look", "r", [str(one["look"]) for one in looks]),
            ("share of rows", "r", [f"{one['fraction']:.3g}" for one in looks]),
            ("rows", "r", ["" if one["rows"] is None else f"{one['rows']:,}" for one in looks]),
            ("|z| at least", "r", [f"{one['boundary']:.3f}" for one in looks]),
            ("p at most", "r", [f"{one['nominal_alpha']:.2g}" for one in looks]),
            ("alpha spent", "r", [f"{one['alpha_spent']:.2g}" for one in looks]),
            ("power", "r", [f"{one['power']:.1%}" for one in looks]),
        ],
    )
    return Document(
        title="Planned looks",
        opening=lines,
        tables=(table,),
        headline=lines,
        data={"confidence level": percent(d["level"])},
    )


def looks_records(d: Facts) -> list[dict[str, Any]]:
    """One record per look."""
    names = ("spending", "level", "inflation", "expected")
    return [{**{name: d[name] for name in names}, **one} for one in d["looks"]]
