"""Labels that a reader would take for one and the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from heldout.inputs.numbers import MISSING_WORDS
from heldout.inputs.reading import Check
from heldout.inputs.wording import listed, told_apart


def look_alikes(labels: Sequence[str]) -> tuple[Check, ...]:
    """Notes on labels that differ only by case, blanks or characters one cannot see, and on those that look missing."""
    looks: dict[str, list[str]] = {}
    for label in labels:
        shown = "".join(c for c in unicodedata.normalize("NFKC", label) if unicodedata.category(c) != "Cf")
        looks.setdefault(" ".join(shown.casefold().split()), []).append(label)
    checks = [
        Check(
            code="H107",
            text=f"the labels {told_apart(words)} look alike and are counted as {len(words)} different classes",
        )
        for words in looks.values()
        if len(words) > 1
    ]
    absent = [label for label in labels if label.strip().lower() in MISSING_WORDS]
    if absent:
        checks.append(Check(code="H107", text=f"{listed(absent)}: kept as a label, not read as a missing value"))
    return tuple(checks)
