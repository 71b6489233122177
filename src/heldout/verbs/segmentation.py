"""The same metrics in parts of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from heldout.batch import Batch
from heldout.intervals.simultaneous import bonferroni
from heldout.verbs.measurement import Measurement
from heldout.verbs.results import Segmented
from heldout.verbs.settings import Settings

SMALLEST_SEGMENT = 30
"""Segments with fewer rows than this are folded together."""
FEWEST_EVENTS = 10
"""So are segments of two classes with fewer than this many rows of one of them."""


def segmented(batch: Batch, column: str, asked: Settings) -> Segmented:
    """Estimates in each segment that is large enough, with intervals that hold together."""
    segment = batch.segments[column]
    parts = {name: batch.take(segment.codes == code) for code, name in enumerate(segment.names)}
    parts = {name: part for name, part in parts.items() if part.rows}
    large = {name: part for name, part in parts.items() if _large_enough(part)}
    level = bonferroni(asked.level, max(len(large), 1))
    inner = replace(asked, level=level)
    shown = {}
    for name, part in large.items():
        found = Measurement(part, inner).overall()
        kept = {key: one for key, one in found.items() if asked.metrics is not None or one.printed}
        shown[name] = (part.rows, part.units, kept)
    folded = [part.rows for name, part in parts.items() if name not in large]
    return Segmented(shown=shown, folded=(len(folded), sum(folded)), level=level)


def _large_enough(part: Batch) -> bool:
    if part.rows < SMALLEST_SEGMENT:
        return False
    if part.task == "binary":
        return int(np.bincount(part.truth, minlength=2).min()) >= FEWEST_EVENTS
    return True
