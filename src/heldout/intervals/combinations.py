"""An interval for a weighted sum of independent parts that have intervals of their own."""

from __future__ import annotations

import numpy as np

from heldout.batch import Array
from heldout.intervals import Interval


def mover(coefficients: Array, values: Array, lows: Array, highs: Array) -> Interval:
    """For v = sum(c v_k): v - sqrt(sum((c v_k - its low)^2)) and v + sqrt(sum((its high - c v_k)^2)) [zou08].

    The low of a part c v_k is the smaller of c low and c high, its high the larger. This gives balanced accuracy
    (coefficients 1 / K) and differences of independent shares (1 and -1).

    >>> [round(end, 3) for end in mover([1, -1], [0.8, 0.6], [0.692, 0.490], [0.877, 0.700])]
    [0.053, 0.334]
    """
    c, v = np.asarray(coefficients, float), np.asarray(values, float)
    ends = np.stack([c * np.asarray(lows, float), c * np.asarray(highs, float)])
    total = float(np.sum(c * v))
    below = float(np.sqrt(np.sum((c * v - ends.min(axis=0)) ** 2)))
    above = float(np.sqrt(np.sum((ends.max(axis=0) - c * v) ** 2)))
    return total - below, total + above
