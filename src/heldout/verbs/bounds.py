"""When the limit of a share's interval lies beyond a bound."""

from __future__ import annotations

from heldout import planning
from heldout.errors import UsageError
from heldout.intervals.shares import wilson
from heldout.verbs.expectations import Expectation, OfRows


def bounded(case: Expectation, lower: float | None, upper: float | None) -> tuple[OfRows, OfRows]:
    """The chance that Wilson's limit clears a bound, and by how much it does if the share is as expected."""
    if case.kind != "share":
        fix = "plan an interval of it instead"
        raise UsageError(f"{case.metric.name} is not a share, so its limits cannot be planned", fix=fix)
    if (lower is None) == (upper is None):
        fix = "give the one that the interval must clear"
        raise UsageError(f"{'no' if lower is None else 'a lower and an upper'} bound was given", fix=fix)
    limit = float(lower if lower is not None else upper or 0.0)
    share = case.value or 0.0
    if not 0 < limit < 1:
        raise UsageError(f"the bound is {limit:g}, but is a share between 0 and 1", fix="such as 0.8")
    side, right = ("above", limit < share) if lower is not None else ("below", limit > share)
    if not right:
        more, other = ("more", "lower") if side == "above" else ("less", "higher")
        fix = f"expect {more} than the bound, or ask for a {other} one"
        message = f"{case.metric.name} is expected to be {share:g}, so its limit cannot be {side} {limit:g}"
        raise UsageError(message, fix=fix)
    if upper is not None:  # the same as a lower bound on the share of the others
        share, limit = 1 - share, 1 - limit
    return (
        lambda rows: planning.bound_power(share, limit, rows, case.level, part=case.part),
        lambda rows: wilson(share * rows * case.part, rows * case.part, case.level)[0] - limit,
    )
