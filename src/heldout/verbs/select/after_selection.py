"""What a search is really worth: judged on rows that had no part in the choice, or by draws that leave rows out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite, nan

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import UsageError
from heldout.estimates import Estimate
from heldout.formulas import Metric
from heldout.intervals.after_selection import Selected, bootstrap_corrected, over_bags
from heldout.intervals.scales import critical_z
from heldout.learners import Predictions
from heldout.search import Trial
from heldout.tallies.cells import Cells
from heldout.tallies.units import Units
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings
from heldout.verbs.validate.split_estimates import replaced, split_estimate
from heldout.verbs.validate.split_values import COMPARABLE, Learned, row_values

DRAWS = 1000
WIDE = (
    "models are not fitted again to resampled rows: biased by up to 0.02 either way at 60 rows, with an interval wider "
    "than needed"
)
"""Measured with 50 configurations, see docs/measured/selection.json: its coverage was 99.7% and more."""


def judged_outside(metric: Metric, one: Learned) -> Estimate:
    """The metric of a search on the test parts of outer splits; the target says what was judged.

    Over several splits it is the corrected t: what is chosen differs from fold to fold, and an interval of the pooled
    rows, which takes the chosen models as given, covers 84% to 87% instead of 95%.
    """
    rows = f"{one.design.training_rows:,}"
    if one.design.kind == "holdout":
        return replaced(split_estimate(metric, one), target=f"the chosen model, retrained on {rows} rows")
    if one.design.kind == "loo":
        models = f"by the {len(one.design.splits):,} models it chose"
        return replaced(split_estimate(metric, one), target=f"this search on about {rows} rows, {models}")
    return replaced(split_estimate(metric, one, "corrected_t"), target=f"this search on about {rows} rows")


def bias_corrected(metric: Metric, trials: Sequence[Trial], asked: Settings, design_rows: int) -> Estimate:
    """BBC-CV: what choosing by this metric among these trials is worth, from their out-of-fold predictions alone."""
    sign = -1 if metric.better == "higher" else 1
    found = _corrected(metric, trials, asked, sign)
    ends = sorted(sign * end for end in (found.low, found.high))
    low, high = (min(max(end, metric.range[0]), metric.range[1]) for end in ends)
    target = f"this choice among {len(trials):,} configurations, with models of about {design_rows:,} rows"
    return Estimate(
        sign * found.value, low=low, high=high, level=asked.level, method=f"BBC-CV, {DRAWS:,} resamples",
        units=trials[0].predictions.batch.units, notes=(WIDE,), name=metric.name, better=metric.better, target=target,
        printed=True,
    )  # fmt: skip


def _corrected(metric: Metric, trials: Sequence[Trial], asked: Settings, sign: int) -> Selected:
    batch = trials[0].predictions.batch
    rows = [row_values(metric, one.predictions.batch, asked) for one in trials]
    known = [one for one in rows if one is not None]
    if len(known) == len(rows) and all(np.isfinite(one).all() for one in known):
        table = sign * np.stack(known, axis=1)
        return bootstrap_corrected(
            table, asked.level, draws=DRAWS, seed=asked.seed, weight=batch.weight, unit=batch.unit
        )  # fmt: skip
    tallies = [_apart(metric, one.predictions.batch, asked) for one in trials]
    label = batch.positive if metric.one_class else None

    def losses(block: Array) -> Array:
        return sign * np.stack([_values(metric, one.at(block), label) for one in tallies], axis=1)

    return over_bags(losses, batch.units, asked.level, draws=DRAWS, seed=asked.seed)


def _apart(metric: Metric, batch: Batch, asked: Settings) -> Cells | Units:
    """The sums of a metric, kept apart by unit: each row one of its own where there are no groups."""
    alone = batch if batch.unit is not None else replace(batch, unit=np.arange(batch.rows))
    tally = Measurement(alone, asked).tally(metric)
    if not isinstance(tally, Cells | Units) or batch.truth.ndim == 2:
        raise no_bags(metric)
    return tally


def _values(metric: Metric, sums: Mapping[str, Array], label: int | None) -> Array:
    picked = {name: np.atleast_2d(part)[..., label] for name, part in sums.items()} if label is not None else sums
    return np.atleast_1d(np.asarray(metric(picked), float))


def poolable(metric: Metric) -> None:
    """Refuse a metric that ranks scores, which models of different folds do not share."""
    if metric.reads not in COMPARABLE:
        raise no_bags(metric)


def no_bags(metric: Metric) -> UsageError:
    """Why bbc cannot judge by a metric, and what can."""
    return UsageError(
        f"bbc resamples rows of all folds together, and {metric.name} of models of different folds cannot be pooled",
        fix="choose protocol='nested', which evaluates fold by fold",
    )


def spread_of(metric: Metric, told: Predictions, asked: Settings) -> float:
    """The standard error of a metric on one validation part, from its interval."""
    found = Measurement(told.batch, asked).one(metric)
    error = (found.high - found.low) / (2 * critical_z(asked.level))
    return error if isfinite(error) else nan
