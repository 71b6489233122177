"""The table of five evaluations by hand, from docs/measured/by-hand.json, for the README and docs/by-hand.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.table import Rows

WRITTEN = {
    "few errors": "`p ± 1.96 √(p(1−p)/n)` for an accuracy of 97% on 50 rows",
    "patients": "bootstrap of rows, where patients have 10 rows each",
    "ranking": "percentile bootstrap of an AUC of 0.95, 10 positive rows",
    "learners": "paired t-test on the scores of 10 × 10-fold cross-validation, equally good learners",
    "coin flips": "`GridSearchCV.best_score_` of 50 configurations, labels are coin flips",
}
"""What people write, by the name of the case."""
MEASURED = {
    "coverage of a 95% interval": "the 95% interval contains the true value in {}",
    "true nulls rejected at 5%": "p < 0.05 in {}",
    "reported accuracy": "reported accuracy {}",
}
"""What is counted, in a sentence."""
SHOULD_BE = {"reported accuracy": "{} (the true one)"}


def summary_rows(found: Mapping[str, Any]) -> Rows:
    """The README's table: a line per case."""
    return [
        ("what people write", "measured", "with heldout", "should be"),
        *(
            (
                WRITTEN[line["case"]],
                MEASURED[line["measures"]].format(f"**{percent(line['by_hand'])}**"),
                percent(line["heldout"]),
                SHOULD_BE.get(line["measures"], "{}").format(percent(line["should_be"])),
            )
            for line in found["results"]
        ),
    ]


def full_rows(found: Mapping[str, Any]) -> Rows:
    """The documentation's table: the simulation, and rates with their Monte-Carlo errors."""
    return [
        ("what people write", "simulation", "samples", "measured", "by hand", "with heldout", "should be"),
        *(
            (
                WRITTEN[line["case"]],
                line["simulation"],
                f"{line['repeats']:,}",
                line["measures"],
                with_error(line["by_hand"], line["by_hand_error"]),
                with_error(line["heldout"], line["heldout_error"]),
                percent(line["should_be"]),
            )
            for line in found["results"]
        ),
    ]


def percent(rate: float) -> str:
    """One place, none where it is zero.

    >>> percent(0.95), percent(0.7843)
    ('95%', '78.4%')
    """
    return f"{100 * rate:.1f}".removesuffix(".0") + "%"


def with_error(rate: float, error: float) -> str:
    """A rate and its Monte-Carlo standard error in points.

    >>> with_error(0.7843, 0.0065)
    '78.4% ± 0.7'
    """
    return f"{100 * rate:.1f}% ± {100 * error:.1f}"
