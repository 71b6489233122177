"""The certified operating point as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.cells import Cell, Table
from heldout.report.digits import interval_text, percent, value_text


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
