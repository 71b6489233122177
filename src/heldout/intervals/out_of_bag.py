"""Bootstrap estimates of a learner's error: out of bag (e0), .632 and .632+, with the delta-method-after-bootstrap.

About this learner. A model is fitted to rows drawn with replacement and judged on those that were not drawn, 36.8% of
them; .632 and .632+ take in the error on the training rows, because models of so few distinct rows are worse.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.intervals.over_splits import OverSplits
from heldout.intervals.scales import critical_z

DISTINCT = 0.632
"""1 - 1 / e: the share of rows that are in a bootstrap sample."""


def out_of_bag(losses: Any, drawn: Any, level: float) -> OverSplits:
    """e0: over rows, the mean of a row's mean loss under the models that did not draw it [efron97].

    losses and drawn have a line per bootstrap sample and a column per row: the loss, and how often the row was drawn;
    losses of rows that were drawn are not looked at. The error is sqrt(sum(D_i^2)), D_i = (2 + 1 / (n - 1)) (E_i - e0)
    / n + sum_b((N_bi - mean N_i) q_b) / #{b: N_bi = 0}, q_b the sum of the out-of-bag losses of sample b over n.

    >>> rng = np.random.default_rng(1)
    >>> drawn = rng.multinomial(40, np.full(40, 1 / 40), size=200)
    >>> found = out_of_bag(np.tile(rng.exponential(size=40), (200, 1)), drawn, 0.95)
    >>> round(found.value, 3), round(found.error, 3), found.target
    (0.982, 0.163, 'this learner')
    """
    given, counts = _samples(losses, drawn)
    out = counts == 0
    left_out = out.sum(axis=0)
    seen = left_out > 0
    kept = np.where(out, given, 0.0)
    rows = given.shape[1]
    means = kept.sum(axis=0)[seen] / left_out[seen]
    value = float(means.mean())
    per_sample = kept.sum(axis=1) / rows
    moved = (per_sample - per_sample.mean()) @ counts[:, seen] / left_out[seen]
    influence = (2 + 1 / (rows - 1)) * (means - value) / rows + moved
    never = rows - int(seen.sum())
    notes = (f"{never} of {rows} rows were in every sample and are not judged",) if never else ()
    return _reaching(value, sqrt(float(np.sum(influence**2))), level, "out of bag (e0)", notes)


def dot632(found: OverSplits, training: float) -> OverSplits:
    """.368 training error + .632 e0, `found` being e0 [efron83].

    Wrong for a learner that fits its training rows perfectly: on labels that are coin flips a memoriser gets .316, not
    .5. The standard error is that of e0 times this value over e0: the same relative error.

    >>> e0 = OverSplits(value=0.5, low=0.4, high=0.6, level=0.95, error=0.05, target="this learner", method="e0")
    >>> round(dot632(e0, 0.0).value, 3)
    0.316
    """
    return _scaled(found, (1 - DISTINCT) * training + DISTINCT * found.value, ".632")


def dot632_plus(found: OverSplits, training: float, no_information: float) -> OverSplits:
    """(1 - w) training + w e0', w = .632 / (1 - .368 R), R = (e0' - training) / (gamma - training) in [0, 1] [efron97].

    gamma is the error if predictions and truths were unrelated, and e0' = min(e0, gamma). R is the rate of overfitting:
    0 gives .632, 1 gives e0'. Where e0 is above gamma R is held at 1.

    >>> e0 = OverSplits(value=0.5, low=0.4, high=0.6, level=0.95, error=0.05, target="this learner", method="e0")
    >>> round(dot632_plus(e0, 0.0, 0.5).value, 3)
    0.5
    """
    capped = min(found.value, no_information)
    overfitting = (capped - training) / (no_information - training) if capped > training else 0.0
    share = DISTINCT / (1 - (1 - DISTINCT) * overfitting)
    return _scaled(found, (1 - share) * training + share * capped, ".632+")


def no_information_rate(truth: Any, prediction: Any) -> float:
    """Gamma = sum over classes of p (1 - q), p the class's share of the truths and q of the predictions [efron97].

    The error rate of predictions that are dealt out to the rows at random.

    >>> no_information_rate(["a", "a", "b", "b"], ["a", "a", "a", "b"])
    0.5
    """
    truths, told = np.asarray(truth), np.asarray(prediction)
    if truths.shape != told.shape or truths.ndim != 1 or not len(truths):
        message = f"{truths.size} truths have {told.size} predictions"
        raise DataError(message, code="H112", fix="give one prediction for every truth")
    _, place = np.unique(np.concatenate([truths, told]), return_inverse=True)
    classes = int(place.max()) + 1
    p, q = (np.bincount(part, minlength=classes) / len(truths) for part in (place[: len(truths)], place[len(truths) :]))
    return float(p @ (1 - q))


def no_information_loss(losses: Any) -> float:
    """Gamma of any loss: the mean of the loss of every truth under every prediction [efron97].

    losses has a line per truth and a column per prediction.

    >>> no_information_loss([[0.0, 1.0], [1.0, 0.0]])
    0.5
    """
    return float(np.mean(np.asarray(losses, float)))


def _samples(losses: Any, drawn: Any) -> tuple[Array, Array]:
    given, counts = np.asarray(losses, float), np.asarray(drawn)
    if given.ndim != 2 or given.shape != counts.shape or given.shape[1] < 2:
        shapes = " and ".join(" x ".join(map(str, one.shape)) or "one number" for one in (given, counts))
        fix = "give both with a line per bootstrap sample and a column per row, of which there are at least two"
        raise DataError(f"losses and drawn are {shapes}", code="H112", fix=fix)
    out = counts == 0
    bad = np.argwhere(out & ~np.isfinite(given))
    if len(bad):
        sample, row = (bad[0] + 1).tolist()
        message = f"the loss of row {row} out of sample {sample} is {given[sample - 1, row - 1]:g}"
        raise DataError(message, code="H305", fix="give the loss of every row under every model that did not draw it")
    if not out.any():
        message = f"every row is in each of the {len(given)} samples, so that none is left to judge"
        raise DataError(message, code="H310", fix="draw rows with replacement")
    return given, counts


def _scaled(found: OverSplits, value: float, method: str) -> OverSplits:
    """Another value with the same relative error."""
    error = found.error * value / found.value if found.value else float("nan")
    moved = _reaching(value, error, found.level, method, found.notes)
    return replace(moved, target=found.target)


def _reaching(value: float, error: float, level: float, method: str, notes: tuple[str, ...]) -> OverSplits:
    known = error > 0
    reach = critical_z(level) * error if known else float("nan")
    return OverSplits(
        value=value, low=value - reach, high=value + reach, level=level, error=error if known else float("nan"),
        target="this learner", method=method, notes=notes if known else (*notes, "no interval: there is no variance"),
    )  # fmt: skip
