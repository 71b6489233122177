"""A comparison as a tidy CSV table: one row per difference."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import StringIO
from typing import Any

from heldout.report.render.csv_text import safe

NUMBERS = ("value", "low", "high", "level", "p", "p_adjusted")
HEAD = ("metric", "a", "b", "value_a", "value_b", *NUMBERS, "test", "verdict", "rows_needed", "better", "notes")


def comparison_csv(d: Mapping[str, Any]) -> str:
    """Every difference in full precision, also what the text leaves out; an empty cell is undefined."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows(_row(d, one) for one in d["differences"])
    return out.getvalue()


def _row(d: Mapping[str, Any], one: Mapping[str, Any]) -> list[str]:
    values = [d["estimates"].get(one[side], {}).get(one["metric"], {}).get("value") for side in ("a", "b")]
    numbers = ["" if x is None else repr(float(x)) for x in (*values, *(one[name] for name in NUMBERS))]
    needed = "" if one["rows_needed"] is None else str(one["rows_needed"])
    names = [safe(one["metric"]), safe(one["a"]), safe(one["b"])]
    notes = safe("; ".join(one["notes"]))
    return [*names, *numbers, safe(one["test"]), one["verdict"], needed, one["better"] or "", notes]
