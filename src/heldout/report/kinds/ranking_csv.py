"""A ranking of learners as a tidy CSV table: one row per pair."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import StringIO
from typing import Any

from heldout.report.render.csv_text import safe

NUMBERS = ("value", "low", "high", "level", "p", "p_adjusted")
COUNTS = ("wins", "ties", "losses")
CHANCES = ("worse", "within", "better")
HEAD = ("a", "b", "rank_a", "rank_b", *NUMBERS, *COUNTS, "test", "verdict", *CHANCES, "notes")


def ranking_csv(d: Mapping[str, Any]) -> str:
    """Every pair in full precision; an empty end of an interval is infinite."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows(_row(d, one) for one in d["pairs"])
    return out.getvalue()


def _row(d: Mapping[str, Any], one: Mapping[str, Any]) -> list[str]:
    chances = one["practical"] or dict.fromkeys(CHANCES)
    ranks = [d["ranks"][one["a"]], d["ranks"][one["b"]]]
    numbers = [_number(x) for x in (*ranks, *(one[name] for name in NUMBERS))]
    counts = [str(one[name]) for name in COUNTS]
    facts = [safe(one["test"]), one["verdict"], *(_number(chances[name]) for name in CHANCES)]
    return [safe(one["a"]), safe(one["b"]), *numbers, *counts, *facts, safe("; ".join(one["notes"]))]


def _number(x: float | None) -> str:
    return "" if x is None else repr(float(x))
