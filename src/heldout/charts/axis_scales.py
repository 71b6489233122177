"""Which metrics can share an axis."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite

from heldout.errors import UsageError
from heldout.formulas import METRICS, metric as named_metric

TARGET = ("mae", "rmse", "median_absolute_error", "mean_error")
"""Metrics in the unit of the target."""
PERCENT = (0.0, 100.0)


def scale_of(metric: str) -> str:
    """The axis on which a metric stands: shares together, errors in the target's unit together, others alone.

    >>> scale_of("roc_auc"), scale_of("mae"), scale_of("log_loss"), scale_of("bleu")
    ('share', 'unit of the target', 'log_loss', 'percent')
    """
    if metric in TARGET:
        return "unit of the target"
    low, high = range_of(metric)
    if (low, high) == PERCENT:
        return "percent"
    return "share" if isfinite(low) and isfinite(high) and max(-low, high) <= 1 else metric


def range_of(metric: str) -> tuple[float, float]:
    """The range of a metric; of one that is not known, any number.

    >>> range_of("mcc"), range_of("AP50"), range_of("f3_micro"), range_of("my own")
    ((-1.0, 1.0), (0.0, 1.0), (0.0, 1.0), (-inf, inf))
    """
    if metric in METRICS:
        return METRICS[metric].range
    # most charts need neither boxes nor texts
    from heldout.formulas.image_metrics import is_image_share
    from heldout.formulas.text_corpora import TEXTS

    if is_image_share(metric):
        return 0.0, 1.0
    if metric in TEXTS:
        return TEXTS[metric].range
    try:
        return named_metric(metric).range
    except UsageError:
        return -inf, inf


def scaled(metrics: Sequence[str]) -> dict[str, list[int]]:
    """Places of the metrics by axis, the axis with most metrics first.

    >>> scaled(["log_loss", "recall", "precision"])
    {'share': [1, 2], 'log_loss': [0]}
    """
    found: dict[str, list[int]] = {}
    for at, metric in enumerate(metrics):
        found.setdefault(scale_of(metric), []).append(at)
    return dict(sorted(found.items(), key=lambda one: -len(one[1])))
