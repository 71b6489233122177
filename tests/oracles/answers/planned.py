"""Rows and power, before there are rows."""

from __future__ import annotations

from collections.abc import Callable

from scipy.optimize import brentq

from heldout import plan, planning
from tests.oracles.answers.asking import Answers
from tests.oracles.reader import Case

SHARES = {"p1": 0.3, "p2": 0.2, "n_per_group": 100}
"""What a tool was asked about where the case does not say; another tool's case has the same answers with these."""
HALF_WIDTH = 0.05
AREA = 0.73
"""The area a tool was asked about, likewise: that of the data it names, to two digits."""


def asked(case: Case) -> tuple[float, float, float]:
    p1, p2, rows = ({**SHARES, **case.params}[name] for name in SHARES)
    return p1, p2, rows


def shares_power(case: Case) -> float:
    return planning.shares_power(*asked(case), 0.95, pooled=True)


def shares_rows(case: Case, power: str = ".8", level: float = 0.95) -> float:
    p1, p2, _ = asked(case)
    return whole_or_not(lambda rows: planning.shares_power(p1, p2, rows, level, pooled=True), float(power))


def whole_or_not(power: Callable[[float], float], wanted: float) -> float:
    """The rows, not made whole, that have the power; tools differ in whether they round up."""
    return float(brentq(lambda rows: power(rows) - wanted, 2, 1e6, xtol=1e-10))


def area_power(case: Case, positives: str, negatives: str) -> float | None:
    rows = int(positives) + int(negatives)
    return plan.power("roc_auc", AREA, rows=rows, prevalence=int(positives) / rows).power


def area_rows(case: Case, power: str) -> list[float]:
    """Positives and negatives, in the ratio in which the tool has them."""
    one, other = case.expected[f"n_for_power_{power}"]
    more = other / one
    found = whole_or_not(lambda rows: planning.above_chance_power(AREA, rows, rows * more, 0.95), float(power))
    return [found, found * more]


POWER: Answers = {
    "power_prop_test|power_2indep": shares_power,
    r"n_for_power_(\.\d+)": shares_rows,
    r"n_for_power_(\.\d+)_onesided": lambda case, power: shares_rows(case, power, 0.9),
    "n_2indep": shares_rows,
    "samplesize_ci_halfwidth_05": lambda case: plan.interval("accuracy", asked(case)[0], half_width=HALF_WIDTH).rows,
    r"power_n(\d+)_(\d+)": area_power,
    r"n_for_power_(0\.\d+)": area_rows,
}
