"""What the tutorial on boxes says of error rates is what was written down."""

from __future__ import annotations

import json
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_table_shows_what_was_measured():
    measured = json.loads((DOCS / "measured" / "detections.json").read_text(encoding="utf-8"))
    page = (DOCS / "tutorials" / "boxes-and-masks.md").read_text(encoding="utf-8")
    for line in measured["lines"]:
        shares = " | ".join(f"{100 * line[name]:.1f}%" for name in ("coverage", "percentile", "together", "rejected"))
        counts = f"| {line['classes']} | {line['objects']:g} | {line['images']} |"
        assert f"{counts} {line['truth']:.3f} | {line['bias']:+.3f} | {shares} |" in page
    assert page.count("% |\n") == len(measured["lines"])
    assert (measured["repeats"], measured["level"]) == (400, 0.95)


def test_intervals_hold_where_there_are_images_enough():
    measured = json.loads((DOCS / "measured" / "detections.json").read_text(encoding="utf-8"))
    for line in measured["lines"]:
        assert line["coverage"] > (0.9 if line["images"] >= 20 else 0.87)
        assert line["rejected"] < 0.08
