"""A test in one picture: the null distribution, what rejects it (alpha), and what of an alternative does not (beta)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heldout.batch import Array
from heldout.charts.figure import Columns, Figure


@dataclass(frozen=True, kw_only=True)
class CriticalRegion(Figure):
    """The distribution of a statistic under the null hypothesis, and under an alternative where one is given."""

    statistic: str
    null_words: str
    x: Array
    null: Array
    """Probability of each value where they are counts, density otherwise."""
    counts: bool
    rejected: Array
    """Whether the test rejects at x."""
    alpha: float
    """The level that was asked for."""
    size: float
    """The probability to reject a true null hypothesis."""
    alternative_words: str = ""
    alternative: Array | None = None
    power: float | None = None
    normal: tuple[Array, Array] | None = None
    """The normal approximation of the null distribution: x and density."""
    observed: float | None = None

    @property
    def kind(self) -> str:
        return "critical_region"

    @property
    def title(self) -> str:
        return f"Critical region of the test: {self.null_words}"

    @property
    def caption(self) -> str:
        said = [f"Strong blue: values that reject, together {self.size:.4g} (type I error, alpha {self.alpha:g})."]
        if self.alternative is not None and self.power is not None:
            said.append(
                f"Under the alternative ({self.alternative_words}) the test fails to reject with probability "
                f"{1 - self.power:.4g} (beta, strong orange); power {self.power:.4g}."
            )
        if self.normal is not None:
            said.append("Dashed curve: the normal approximation.")
        if self.observed is not None:
            said.append(f"Upright line: observed, {self.observed:.4g}.")
        return " ".join(said)

    @property
    def alt(self) -> str:
        inside = self.x[~self.rejected]
        kept = f"between {inside.min():.4g} and {inside.max():.4g}" if len(inside) else "nowhere"
        seen = "" if self.observed is None else f" Observed: {self.observed:.4g}."
        return f"{self.title}. The test does not reject {kept}; its type I error is {self.size:.4g}.{seen}"

    @property
    def parts(self) -> dict[str, Columns]:
        """`distribution`: x, null, alternative, rejected; `normal`: x, density."""
        other = {} if self.alternative is None else {"alternative": self.alternative}
        found: dict[str, Columns] = {
            "distribution": {"x": self.x, "null": self.null, **other, "rejected": self.rejected.tolist()}
        }
        if self.normal is not None:
            found["normal"] = {"x": self.normal[0], "density": self.normal[1]}
        return found


MOST_SHOWN = 2000
"""Counts that are drawn; of more, so many evenly spread ones."""


def binomial_region(
    n: int, p: float, *, rejected: Array, alpha: float, against: float | None, observed: int
) -> CriticalRegion:
    """The exact binomial test: counts that reject, beside the normal approximation."""
    from scipy.stats import binom, norm

    x = np.arange(n + 1)
    null = binom.pmf(x, n, p)
    other = None if against is None else binom.pmf(x, n, against)
    spread = float(np.sqrt(n * p * (1 - p)))
    shown = _shown(null, other, observed, rejected)
    fine = np.linspace(x[shown][0] - 0.5, x[shown][-1] + 0.5, 241)
    return CriticalRegion(
        statistic=f"count of {n}",
        null_words=f"the share is {p:g}",
        x=x[shown],
        null=null[shown],
        counts=True,
        rejected=rejected[shown],
        alpha=alpha,
        size=float(null[rejected].sum()),
        alternative_words="" if against is None else f"the share is {against:g}",
        alternative=None if other is None else other[shown],
        power=None if other is None else float(other[rejected].sum()),
        normal=(fine, norm.pdf(fine, n * p, spread)) if spread > 0 else None,
        observed=observed,
    )


def _shown(null: Array, other: Array | None, observed: int, rejected: Array) -> Array:
    """Counts worth showing: likely ones, the observed one, and the first that reject."""
    likely = null > null.max() / 2000 if other is None else (null > null.max() / 2000) | (other > other.max() / 2000)
    likely[observed] = True
    places = np.flatnonzero(likely)
    low, high = places[0], places[-1]
    outside = np.flatnonzero(rejected)
    below, above = outside[outside < observed], outside[outside > observed]
    low = min(low, below[-1]) if len(below) else low
    high = max(high, above[0]) if len(above) else high
    if high - low < MOST_SHOWN:
        return np.arange(low, high + 1)
    return np.unique([*np.linspace(low, high, MOST_SHOWN).astype(int), observed])
