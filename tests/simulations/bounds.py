"""What a simulated share may show: binomial bounds around a stated claim.

A method that keeps its claim misses its bound in one run of a thousand. How many repetitions are needed: a nominal 95%
interval is claimed to cover at least 93%. Of 2400 repetitions then at least 91.3% hold the truth, the 0.001 quantile of
Binomial(2400, 0.93). A method that covers 90% falls below that with a chance of 98.5%. In the same way a test at 5% is
claimed to reject at most 6%: of 600 repetitions at most 9.2%, and a test that rejects 12% exceeds that with a chance of
98.4%. `tests/simulations/test_bounds.py` does this arithmetic.
"""

from __future__ import annotations

from scipy.stats import binom

MISSED = 0.001
"""How rarely a method that keeps its claim may fail."""
FOUND = 0.95
"""How often a method that is worse must fail."""
COVERS = 0.93
"""What nominal 95% intervals are claimed to cover at least."""
TOO_LOW = 0.90
COVERAGE_REPEATS = 2400
REJECTS = 0.06
"""How many true hypotheses tests at 5% are claimed to reject at most."""
TOO_HIGH = 0.12
SIZE_REPEATS = 600


def at_least(claim: float, repeats: int) -> float:
    """The smallest share that a method keeping its claim shows."""
    return float(binom.ppf(MISSED, repeats, claim)) / repeats


def at_most(claim: float, repeats: int) -> float:
    """The largest share that a method keeping its claim shows."""
    return float(binom.ppf(1 - MISSED, repeats, claim)) / repeats


def found_below(claim: float, worse: float, repeats: int) -> float:
    """The chance that a method whose true share is `worse`, less than its claim, misses the lower bound."""
    return float(binom.cdf(round(at_least(claim, repeats) * repeats) - 1, repeats, worse))


def found_above(claim: float, worse: float, repeats: int) -> float:
    """The chance that a method whose true share is `worse`, more than its claim, misses the upper bound."""
    return float(binom.sf(round(at_most(claim, repeats) * repeats), repeats, worse))
