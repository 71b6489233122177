"""Error rates outside the lab's own simulations: every setting of a table, through the public verbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from math import isnan, nan
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError, did_you_mean
from heldout.lab.rates.outside_questions import Setting, answered
from heldout.lab.rates.outside_settings import areas, outside_settings
from heldout.lab.rates.repetition import all_repeated, monte_carlo_error, plain
from heldout.lab.simulated_rates import OutsideRates
from heldout.verbs.parameters import documented

LESS = 4
"""Settings that resample get a fourth of the repetitions."""
ERRORS = 2
"""A rate misses its bound where it is beyond it by more than so many Monte-Carlo errors."""
OPTIMISM = 0.02
"""How far the printed rate may be better than the measured one where a bound cannot be met."""
SUMS = ("happened", "answered", "printed", "with a rate", "noted")


@dataclass(frozen=True)
class OutsideJob:
    """The job behind `outside`: one setting, sample after sample."""

    setting: str

    def __call__(self, rng: np.random.Generator, repeats: int) -> Array:
        """Sums by line and what is in `SUMS`."""
        (setting,) = (one for one in outside_settings() if one.key == self.setting)
        sums = np.zeros((len(setting.lines), len(SUMS)))
        for _ in range(repeats):
            for at, (happened, printed, noted) in enumerate(answered(setting, rng).values()):
                known = not isnan(happened)
                rate = not isnan(printed)
                sums[at] += (happened if known else 0, known, printed if rate else 0, rate, noted)
        return sums


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideRate:
    """What was measured of one metric in one setting, and what is allowed."""

    area: str
    setting: str
    n: str
    asks: str
    """Coverage, or how often what should not happen did: rejections, wrong verdicts, violations."""
    metric: str
    repeats: int
    measured: float
    """The rate; nan where no sample had an answer."""
    error: float
    """Its Monte-Carlo standard error."""
    low: float
    high: float
    """The bound."""
    printed: float
    """The mean of the simulated rates that were printed beside the numbers; nan where none was."""
    noted: float
    """Share of samples with a note beside the number."""
    undefined: float
    """Share of samples without an answer."""
    reason: str = field(default="")
    """Why the bound cannot be met."""

    @property
    def outcome(self) -> str:
        """`met`, `missed`, `explained`, or `refused` where no sample had an answer.

        A bound that cannot be met is explained only where the reader is not misled: a rate printed beside the number
        is at most 2 points better than the measured one. A note alone does not make up for that.
        """
        if isnan(self.measured):
            return "refused"
        slack = ERRORS * self.error if self.high > 0 else 0.0
        if self.low - slack <= self.measured <= self.high + slack:
            return "met"
        return "explained" if self.reason and not self.is_optimistic else "missed"

    @property
    def is_optimistic(self) -> bool:
        """Whether the printed rate is better than the measured one by more than 2 points and the Monte-Carlo error."""
        better = self.printed - self.measured if self.asks == "coverage" else self.measured - self.printed
        return better > OPTIMISM + ERRORS * self.error  # no printed rate is nan, which is not more

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; undefined numbers are None."""
        return plain({**asdict(self), "outcome": self.outcome})


@documented()
def outside(
    only: str | Sequence[str] | None = None,
    *,
    repeats: int = 2000,
    random_state: int = 0,
    n_jobs: int = 1,
    into: str | Path | None = None,
) -> OutsideRates:
    """Error rates of the defaults in data unlike the lab's own simulations, each against its bound.

    Every setting calls the public verbs (`evaluate`, `compare`, `gate`, `detect` and so on) on samples of a
    distribution whose true values are known, and counts how often intervals hold them, tests reject that equal models
    are equal, and verdicts are wrong.

    Parameters
    ----------
    only : str or sequence of str, optional
        Areas by name, such as "weights" (default: all).
    repeats : int, default 2000
        Number of simulated data sets of each setting; a fourth of them where a method resamples.
    <simulation_seed>
    <processes>
    <into>

    Returns
    -------
    OutsideRates
        One `OutsideRate` per setting and metric: the rate with its Monte-Carlo error, its bound, the simulated rate
        that was printed beside the number, and whether the bound is met.

    Raises
    ------
    UsageError
        If no area has the name.

    See Also
    --------
    held_out : Check the rate look-up: half of the simulations predict the other.

    Examples
    --------
    >>> first, *others = outside("verdicts", repeats=50)
    >>> first.asks, first.n, first.high
    ('wrong verdicts', '100', 0.05)
    """
    chosen = _chosen(only)
    effort = [max(repeats // LESS, 1) if setting.resamples else repeats for setting in chosen]
    asked = [
        (OutsideJob(setting.key), count, (random_state, crc32(setting.key.encode())))
        for setting, count in zip(chosen, effort, strict=True)
    ]
    found = all_repeated(asked, jobs=n_jobs, into=into)
    rates = [
        _rate(setting, line, sums[at], count)
        for setting, count, sums in zip(chosen, effort, found, strict=True)
        for at, line in enumerate(setting.lines)
    ]
    named = list(dict.fromkeys(setting.area for setting in chosen))
    return OutsideRates(rates=tuple(rates), setting={"areas": named, "repeats": repeats, "seed": random_state})


def _chosen(only: str | Sequence[str] | None) -> list[Setting]:
    wanted = list(areas()) if only is None else [only] if isinstance(only, str) else list(only)
    for name in wanted:
        if name not in areas():
            fix = f"choose one of {', '.join(areas())}"
            raise UsageError(f"no area is named {name!r}{did_you_mean(name, areas())}", fix=fix)
    return [setting for setting in outside_settings() if setting.area in wanted]


def _rate(setting: Setting, line: str, sums: Array, repeats: int) -> OutsideRate:
    happened, known, printed, with_rate, noted = (float(part) for part in sums)
    # a missing interval does not count as one, but a test has not rejected and a verdict is not wrong
    of = known if setting.asks == "coverage" or not known else repeats
    measured = happened / of if of else nan
    return OutsideRate(
        area=setting.area,
        setting=setting.name,
        n=setting.n,
        asks=setting.asks,
        metric=line,
        repeats=repeats,
        measured=measured if known else nan,
        error=monte_carlo_error(measured, of) if known else nan,
        low=setting.bound[0],
        high=setting.bound[1],
        printed=printed / with_rate if with_rate else nan,
        noted=noted / repeats,
        undefined=1 - known / repeats,
        reason=setting.reason,
    )
