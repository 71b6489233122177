"""Metrics as formulas on sums, and the table METRICS."""

from heldout.formulas.metric_type import Metric
from heldout.formulas.table import ALIASES, MARK_METRICS, METRICS, metric

__all__ = ["ALIASES", "MARK_METRICS", "METRICS", "Metric", "metric"]
