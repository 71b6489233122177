"""A validation as a tidy CSV table: one row per learner and metric."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import StringIO
from typing import Any

from heldout.report.render.csv_text import safe

NUMBERS = ("value", "low", "high", "level")
HEAD = ("learner", "metric", *NUMBERS, "training", "method", "target", "better", "notes")


def validation_csv(d: Mapping[str, Any]) -> str:
    """Every estimate in full precision; an empty cell is undefined."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    for name, one in d["learners"].items():
        for metric, e in one["estimates"].items():
            numbers = [*(e[fact] for fact in NUMBERS), one["training"][metric]]
            told = ["" if x is None else repr(float(x)) for x in numbers]
            words = [safe(e["method"]), safe(e["target"]), e["better"] or "", safe("; ".join(e["notes"]))]
            writer.writerow([safe(name), safe(metric), *told, *words])
    return out.getvalue()
