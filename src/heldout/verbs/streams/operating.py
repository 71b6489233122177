"""A threshold whose false positive rate is certified, from scores by their place on the grid."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from heldout.comparisons.neyman_pearson import certified_rank
from heldout.tallies.grid import edges
from heldout.verbs.operating import OperatingPoint, certifiable, point_of
from heldout.verbs.streams.measurement import StreamedMeasurement


def operating_point_in_parts(measured: StreamedMeasurement, max_fpr: float) -> OperatingPoint:
    """The lowest threshold between two places of the grid whose false positive rate is certified, and its recall.

    The certificate asks for a threshold no lower than a negative score of a certain rank. The largest number at the
    place of that score is one, and it divides two places: the counts on either side of it are exact.
    """
    certifiable(measured.batch, max_fpr, rows=measured.rows, units=measured.units)
    assert measured.totals.bins is not None, "a table with scores has been asked for their order"
    filled, level = measured.totals.bins[0], measured.settings.level
    negatives, positives = filled.mass
    found = certified_rank(int(negatives.sum()), max_fpr, level)
    hits = 0
    if found.rank is not None:
        at = int(np.searchsorted(np.cumsum(negatives), found.rank))
        found = replace(found, threshold=float(min(edges(filled.place[at : at + 1])[1][0], filled.largest)))
        hits = int(positives[at + 1 :].sum())
    return point_of(found, hits, int(positives.sum()), int(negatives.sum()), max_fpr=max_fpr, confidence=level)
