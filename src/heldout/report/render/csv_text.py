"""An evaluation as a tidy CSV table: one row per estimate."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any

from heldout.report.number_text import Estimated

HEAD = ("metric", "class", "segment", "value", "low", "high", "level", "method", "units", "better", "notes")


def evaluation_csv(d: Mapping[str, Any]) -> str:
    """Every estimate of an evaluation in full precision, also what the text leaves out; an empty cell is undefined."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows(_rows(d))
    return out.getvalue()


def _rows(d: Mapping[str, Any]) -> Iterator[list[str]]:
    for name, e in d["estimates"].items():
        yield _row(name, "", "", e)
    if d.get("operating_point"):
        yield from _operating(d["operating_point"])
    if d.get("chosen_threshold"):
        yield from _chosen(d["chosen_threshold"])
    for label, estimates in d["classes"].items():
        for name, e in estimates.items():
            yield _row(name, label, "", e)
    for column, segments in d["segments"].items():
        for key, part in segments["shown"].items():
            for name, e in part["estimates"].items():
                yield _row(name, "", f"{column}={key}", e)


def _operating(point: Mapping[str, Any]) -> Iterator[list[str]]:
    """The certified threshold, then the recall and the misses that it has."""
    sure = f"P(fpr > {point['max_fpr']:g}) <= {point['violation']:.3g}; scores above it are positive"
    threshold = {
        "value": point["threshold"], "low": None, "high": None, "level": point["confidence"], "better": None,
        "method": "order statistic", "units": point["negatives"], "notes": [sure],
    }  # fmt: skip
    yield _row("operating_point.threshold", "", "", threshold)
    yield _row("operating_point.recall", "", "", point["recall"])
    yield _row("operating_point.beta", "", "", point["beta"])


def _chosen(found: Mapping[str, Any]) -> Iterator[list[str]]:
    """The threshold of least cost, what it costs on rows that did not choose it, and at the one of probabilities."""
    said = f"costs {found['apparent']:.6g} on the rows that chose it; scores from it on are positive"
    threshold = {
        "value": found["threshold"], "low": None, "high": None, "level": found["level"], "better": None,
        "method": "least cost", "units": found["units"], "notes": [said],
    }  # fmt: skip
    yield _row("chosen_threshold.threshold", "", "", threshold)
    yield _row("chosen_threshold.cost", "", "", found["cost"])
    if found["calibrated"]:
        yield _row("chosen_threshold.calibrated", "", "", found["calibrated"])


def _row(name: str, label: str, segment: str, e: Estimated) -> list[str]:
    numbers = ["" if e[field] is None else repr(float(e[field])) for field in ("value", "low", "high", "level")]
    facts = [safe(e["method"]), str(e["units"]), e["better"] or "", safe("; ".join(e["notes"]))]
    return [safe(name), safe(label), safe(segment), *numbers, *facts]


def safe(text: str) -> str:
    """The text so that a spreadsheet does not take it for a formula: an apostrophe before =, +, -, @, tab or return.

    >>> safe("=1+1"), safe("plain")
    ("'=1+1", 'plain')
    """
    return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text
