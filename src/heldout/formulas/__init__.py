"""Metrics as formulas on sums, and the table METRICS."""

from heldout.formulas.metric_type import Metric
from heldout.formulas.table import ALIASES, BUILT_IN, MARK_METRICS, METRICS, metric, name_among

__all__ = ["ALIASES", "BUILT_IN", "MARK_METRICS", "METRICS", "Metric", "metric", "name_among"]
