"""What the lab found of an interval or a test over splits, as one line below a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from heldout.report.number_text import percent

KINDS = (("stable", True), ("unstable", False))


def lab_line(name: str, cards: Sequence[Mapping[str, Any]], nominal: float) -> str:
    """How often it held the truth, or rejected true nulls, with stable and with unstable learners: the worst of each.

    A test (nominal below one half) is the worse the more it rejects, an interval the less it holds.

    >>> card = {"stable": True, "rate": 0.038, "n": 300}
    >>> lab_line("corrected resampled t", [card, {**card, "stable": False, "rate": 0.07}], 0.05)[:84]
    'lab: corrected resampled t rejected true nulls 3.8% with stable learners, 7.0% with '
    """
    worst = max if nominal < 0.5 else min
    rates = {
        kind: worst(card["rate"] for card in cards if card["stable"] == stable)
        for kind, stable in KINDS
        if any(card["stable"] == stable for card in cards)
    }
    words = ", ".join(f"{100 * rate:.1f}% with {kind} learners" for kind, rate in rates.items())
    verb = "held the truth" if nominal > 0.5 else "rejected true nulls"
    return f"lab: {name} {verb} {words} at n = {cards[0]['n']:,} (nominal {percent(nominal)})"
