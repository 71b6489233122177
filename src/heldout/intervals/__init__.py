"""Intervals: numbers in, `(low, high)` out. Nothing here chooses a method, reads a row or clips to a metric's range.

    shares         a share of independent rows: Wilson, Clopper-Pearson, Blaker ... and the table SHARES
    effective      a share-like value whose rows are not independent, or that is no plain share: Wilson with effective n
    scales         a value and its standard error, on the scale where it is closest to normal
    areas          the area under the ROC curve
    means          a mean or a ratio of means: t and bootstrap-t
    resampling     any value, from its draws: percentile, basic, BCa
    orders         a quantile or a largest value, from order statistics
    combinations   a weighted sum of parts that have intervals of their own
    over_splits    a learner's error from losses over splits, with the word for whose error it is: OverSplits
    nested         the same from nested cross-validation
    out_of_bag     the same from bootstrap samples: e0, .632, .632+
    selected       the error of a configuration that cross-validation chose: BBC-CV, Tibshirani
    cross_fitted   the cost of every row at a threshold that the other folds chose
    simultaneous   levels and critical values for many intervals at once

Every interval is two-sided. A one-sided bound at level 0.95 is the same end of the two-sided interval at level 0.90
(in general `2 * level - 1`), the other end being the end of the range.

What a method cannot answer (no spread, a value at the edge of its scale) is `(nan, nan)`, never a single point, and
the caller turns to another method. Two exceptions: `shares.normal`, whose collapse at 0 and 1 is its definition, and
`orders.quantile` where values are tied, because a point is then what order statistics say.
"""

from __future__ import annotations

Interval = tuple[float, float]
"""The low and the high end."""

UNDEFINED: Interval = (float("nan"), float("nan"))
"""The answer of a method that has none."""
