"""Probabilities against what happened, in bins."""

from __future__ import annotations

import numpy as np

from heldout.curves.bands import Curve
from heldout.intervals.shares import wilson
from heldout.intervals.simultaneous import sidak
from heldout.tallies.reliability import Reliability


def calibration_curve(tally: Reliability, *, level: float, seed: int, bins: int = 10, equal: str = "mass") -> Curve:
    """Mean probability and share that happened in each bin, with Wilson intervals, alone and all bins together."""
    del seed
    found = tally.binned(bins, equal=equal)
    chance, happened = found.chances / found.rows, found.happened / found.rows
    # rows that share units or have weights are worth fewer rows
    spread = np.diag(found.covariance) / found.rows**2
    plain = happened * (1 - happened)
    worth = found.rows
    if tally.clustered or tally.weighted:
        worth = np.where(
            (spread > 0) & (plain > 0), np.minimum(plain / np.where(spread > 0, spread, 1), found.rows), found.rows
        )
    columns = {"x": chance, "y": happened}
    for names, each in ((("low", "high"), level), (("band_low", "band_high"), sidak(level, len(chance)))):
        ends = [wilson(share * n, n, each) for share, n in zip(happened.tolist(), worth.tolist(), strict=True)]
        columns[names[0]], columns[names[1]] = (np.array(part) for part in zip(*ends, strict=True))
    return Curve(
        name="calibration",
        x="chance",
        y="happened",
        points={"chance": chance, "happened": happened, "rows": found.rows},
        band=columns,
        level=level,
        method="Wilson in bins",
    )
