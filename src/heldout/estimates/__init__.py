"""Values with their intervals, and the one place that chooses an interval."""

from heldout.estimates.value_with_interval import ComparisonWarning, Estimate

__all__ = ["ComparisonWarning", "Estimate"]
