"""How several looks at growing data are planned: `looks` of `heldout.plan`, and what it gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.errors import UsageError
from heldout.intervals.scales import checked_level, critical_z
from heldout.planning import MOST_POWER
from heldout.stats.group_sequential import boundaries, crossing, drift_for
from heldout.verbs.compare.repeated_looks import known_spending, planned_fractions
from heldout.verbs.parameters import Spending, documented, refuse_wrong_types
from heldout.verbs.result import Result

if TYPE_CHECKING:
    from heldout.charts.plot import Plot


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedLook:
    """One planned look."""

    look: int
    fraction: float
    """Share of the planned rows that is there."""
    rows: int | None
    """Number of rows, where that of a single look is known."""
    boundary: float
    """Standard errors that a difference must reach."""
    nominal_alpha: float
    """The two-sided error rate of this look alone."""
    alpha_spent: float
    """The error rate of all looks up to this one."""
    power: float
    """The chance to have found the difference by this look."""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class LookPlan(Result):
    """Boundaries of planned looks, and the rows they need beside a single look."""

    kind = "look-plan"

    level: float
    power: float
    spending: str
    looks: tuple[PlannedLook, ...]
    inflation: float
    """Planned rows in units of those of a single look with the same power."""
    expected: float
    """Rows used on average where the difference is there, in the same unit: most looks end early."""
    single_rows: int | None
    """Rows of a single look, where given."""

    @property
    def rows(self) -> int | None:
        """Rows at the last look, where those of a single look were given."""
        return self.looks[-1].rows

    @property
    def boundaries(self) -> tuple[float, ...]:
        """Standard errors that a difference must reach at each look."""
        return tuple(one.boundary for one in self.looks)

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        names = PlannedLook.__dataclass_fields__
        return {
            "level": self.level,
            "power": self.power,
            "spending": self.spending,
            "inflation": self.inflation,
            "expected": self.expected,
            "single_rows": self.single_rows,
            "looks": [{name: getattr(one, name) for name in names} for one in self.looks],
        }

    def charts(self, d: Mapping[str, Any]) -> Plot:  # noqa: ARG002 the looks have what it takes
        """Power over the looks."""
        from heldout.verbs.textbook_charts import look_charts

        return look_charts(self)


@documented()
def looks(
    looks: int | Sequence[float],
    *,
    power: float = 0.8,
    confidence_level: float = 0.95,
    spending: Spending | None = None,
    rows: int | None = None,
) -> LookPlan:
    """Boundaries for a planned number of looks at growing data, by alpha spending, and the rows they cost.

    The boundaries are what `compare` and `gate` use with `looks` and `look`. A difference is tested at every look, and
    the error rate of all looks together is 1 - confidence_level.

    Parameters
    ----------
    looks : int or sequence of float
        Number of looks after equal numbers of rows, or the share of the planned rows at each of them, rising to 1.
    power : float, default 0.8
        Power: the probability wanted, between 0 and 1.
    confidence_level : float, default 0.95
        A difference is significant at 1 - confidence_level over all looks.
    <spending>
    rows : int, optional
        Rows that a single look would need, such as `plan.difference(…).rows`; then the rows of each look are given.

    Returns
    -------
    LookPlan
        The looks with their boundaries, error rates, power and rows, and the inflation of the sample.

    Raises
    ------
    UsageError
        If what is given is out of range.

    References
    ----------
    K. K. G. Lan, D. L. DeMets (1983). Discrete sequential boundaries for clinical trials. Biometrika 70(3), 659–663.
    [lan83]

    Examples
    --------
    >>> plan = looks(5, rows=1556)
    >>> [round(z, 2) for z in plan.boundaries], plan.rows, round(plan.inflation, 3)
    ([4.88, 3.36, 2.68, 2.29, 2.03], 1595, 1.025)
    """
    refuse_wrong_types(confidence_level=confidence_level, spending=spending)
    checked_level(confidence_level, "confidence_level")
    alpha = round(1 - confidence_level, 12)
    if not alpha < power <= MOST_POWER:
        message = f"power is {power!r}, but must lie between {alpha:g} and {MOST_POWER}"
        raise UsageError(message, fix="leave it out for 0.8")
    if rows is not None and (isinstance(rows, bool) or rows != int(rows) or rows < 1):
        raise UsageError(f"rows is {rows!r}, but must be a whole number of 1 or more", fix="such as 1500")
    fractions, chosen = planned_fractions(looks), known_spending(spending)
    if fractions[-1] < 1:
        fix = "let the last look have all planned rows, as in 0.5,1"
        raise UsageError(f"the last look has {fractions[-1]:g} of the planned rows, but must have all", fix=fix)
    edges = boundaries(fractions, alpha, chosen)
    return _planned(fractions, edges, chosen, level=confidence_level, power=power, rows=rows)


def _planned(
    fractions: tuple[float, ...], edges: tuple[float, ...], spending: str, *, level: float, power: float,
    rows: int | None,
) -> LookPlan:  # fmt: skip
    from scipy.special import ndtr, ndtri

    drift = drift_for(fractions, edges, power)
    inflation = max((drift / (critical_z(level) + float(ndtri(power)))) ** 2, 1.0)  # below is rounding
    above, below = crossing(fractions, edges, drift)
    without_above, without_below = crossing(fractions, edges)
    # a walk that never crosses has used all rows
    early = above[:-1] + below[:-1]
    expected = inflation * float(np.sum(early * np.array(fractions[:-1])) + (1 - early.sum()))
    return LookPlan(
        level=level,
        power=power,
        spending=spending,
        inflation=inflation,
        expected=expected,
        single_rows=None if rows is None else int(rows),
        looks=tuple(
            PlannedLook(
                look=place + 1,
                fraction=share,
                rows=None if rows is None else ceil(round(rows * inflation * share, 6)),
                boundary=edges[place],
                nominal_alpha=float(2 * ndtr(-edges[place])),
                alpha_spent=float((without_above + without_below)[: place + 1].sum()),
                power=float(above[: place + 1].sum()),
            )
            for place, share in enumerate(fractions)
        ),
    )
