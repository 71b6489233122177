"""Values with their intervals, and the one place that chooses an interval."""

from heldout.estimates.estimate import ComparisonWarning, Estimate

__all__ = ["ComparisonWarning", "Estimate"]
