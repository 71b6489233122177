"""Intervals: numbers in, `(low, high)` out. Nothing here chooses a method, reads a row or clips to a metric's range.

    shares            a share of rows: Wilson, Clopper-Pearson, Blaker ... (the table SHARES); with effective n where
                      rows are not independent; weighted sums of shares (MOVER)
    scales            a value and its standard error, on the scale where it is closest to normal
    auc               the area under the ROC curve
    means             a mean or a ratio of means: t and bootstrap-t; a quantile or a largest value
    resampling        any value, from its bootstrap resamples: percentile, basic, BCa
    over_splits       a learner's error from losses over splits, also nested and cross-fitted
    out_of_bag        the same from bootstrap samples: e0, .632, .632+
    after_selection   the error of a configuration that cross-validation chose: BBC-CV, Tibshirani
    simultaneous      levels and critical values for many intervals at once

Every interval is two-sided. A one-sided bound at level 0.95 is the same end of the two-sided interval at level 0.90
(in general `2 * level - 1`), the other end being the end of the range.

What a method cannot answer (no spread, a value at the edge of its scale) is `(nan, nan)`, never a single point, and
the caller turns to another method. Two exceptions: `shares.normal`, whose collapse at 0 and 1 is its definition, and
`means.quantile` where values are tied, because a point is then what order statistics say.
"""

from __future__ import annotations

Interval = tuple[float, float]
"""The low and the high end."""

UNDEFINED: Interval = (float("nan"), float("nan"))
"""The answer of a method that has none."""
