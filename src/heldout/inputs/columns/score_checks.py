"""Scores and probabilities: range, sum, decisions instead of scores, and which class has the higher ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import DataError
from heldout.inputs.columns.column_values import Column
from heldout.inputs.columns.role_columns import Origin
from heldout.inputs.message_text import listed, quoted
from heldout.inputs.reading import Check

ROUNDING = 1e-9
"""How far beyond 0 or 1 a probability may lie and still count as rounding."""
LAST_DIGITS = 1e-12
"""Rounding of a sum: probabilities whose sum is this close to 1 are left as they are."""
FIRST_LOOK = 100_000
"""About this many rows tell first whether the scores of the positive class are the lower ones."""
SUM_ROUNDING = 1e-6
"""How far the probabilities of a row may be from summing to 1."""


def within(values: Array) -> bool:
    """Whether all values lie in [0, 1], up to rounding."""
    return values.size == 0 or between(float(values.min()), float(values.max()))


def between(low: float, high: float) -> bool:
    """Whether the interval from low to high lies in [0, 1], up to rounding."""
    return low >= -ROUNDING and high <= 1 + ROUNDING


def clipped(values: Array) -> Array:
    """Probabilities without the rounding beyond 0 and 1."""
    return np.clip(values, 0.0, 1.0) if values.size and (values.min() < 0 or values.max() > 1) else values


def in_range(origin: Origin, columns: Sequence[Column]) -> None:
    """Raise if a column that should hold probabilities lies outside [0, 1]."""
    outside = [column for column in columns if not between(*column.bounds)]
    if not outside:
        return
    low, high = min(c.bounds[0] for c in outside), max(c.bounds[1] for c in outside)
    first = outside[0]
    at = int(np.flatnonzero((first.values < -ROUNDING) | (first.values > 1 + ROUNDING))[0])
    if low < -ROUNDING:
        look = "these look like logits" if high > 1 or low < -1 else "a probability is never negative"
        fix = f"pass probabilities, or {origin.option('link', 'logit')} if these are logits"
    else:
        look = "these look like percentages" if high > 2 else "a probability is never above 1"
        fix = "divide percentages by 100" if high > 2 else "check how the probabilities were computed"
    raise origin.error(
        f"probabilities are outside [0, 1] (min {low:.6g}, max {high:.6g}): {first.name} is {first.values[at]:.6g} "
        f"in row {origin.row(at)}; {look}",
        code="H306",
        fix=fix,
    )


def sum_to_one(origin: Origin, matrix: Array, names: Sequence[str]) -> Array:
    """Rows of probabilities that sum to 1: rounding is removed, and a larger difference is an error."""
    sums = matrix.sum(axis=1)
    off = np.abs(sums - 1) > SUM_ROUNDING
    if off.any():
        at = int(np.flatnonzero(off)[0])
        more = f" ({int(off.sum()):,} such rows)" if off.sum() > 1 else ""
        raise origin.error(
            f"the probabilities of row {origin.row(at)} ({', '.join(names[:4])}{', …' if len(names) > 4 else ''}) "
            f"sum to {sums[at]:.6g}, not to 1{more}",
            code="H306",
            fix=f"export one probability for every class, or pass {origin.option('link', 'logit')} if these are logits",
        )
    rounded = np.abs(sums - 1) > LAST_DIGITS
    # row by row: the probabilities of a row must not depend on the other rows of its chunk
    return matrix / np.where(rounded, sums, 1.0)[:, None] if rounded.any() else matrix


def logistic(values: Array) -> Array:
    """Logits as probabilities: 1 / (1 + exp(-x)).

    >>> logistic(np.array([0.0])).tolist()
    [0.5]
    """
    from scipy.special import expit

    probabilities: Array = expit(values)
    return probabilities


def softmax_rows(values: Array) -> Array:
    """Logits of several classes as probabilities: exp(x) / Σ exp(x) in each row.

    >>> softmax_rows(np.zeros((1, 2))).tolist()
    [[0.5, 0.5]]
    """
    from scipy.special import softmax

    probabilities: Array = softmax(values, axis=1)
    return probabilities


def not_decisions(origin: Origin, column: Column) -> None:
    """Raise if a score column of more than two rows holds nothing but zeros and ones, and both of them."""
    values = column.values
    if len(values) > 2 and column.bounds == (0, 1) and np.isin(values, (0, 1)).all():
        raise decisions(origin, column.name)


def decisions(origin: Origin, name: str) -> DataError:
    """The error for a score column that holds nothing but zeros and ones."""
    as_labels = "y_pred=… instead" if origin.kind == "arrays" else origin.option("pred", name)
    return origin.error(
        f"{name} has only the values 0 and 1. AUC, calibration and log loss need scores, not decisions",
        code="H102",
        fix=f"export predict_proba[:, 1] as {name}, or pass {as_labels} for label metrics only",
    )


def area(truth: Array, score: Array) -> float:
    """AUC: the probability that a positive row scores above a negative one, ties counting half.

    >>> area(np.array([False, True, True]), np.array([0.1, 0.1, 0.9]))
    0.75
    """
    order = np.argsort(score, kind="stable")
    _, start, count = np.unique(score[order], return_index=True, return_counts=True)
    rank = np.repeat(start + (count + 1) / 2, count)
    positives = int(truth.sum())
    negatives = len(truth) - positives
    # Mann-Whitney: the rank sum of the positives, less its smallest possible value
    return float((rank[truth[order]].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def _may_be_reversed(is_positive: Array, score: Array) -> bool:
    """Whether positive rows have the lower mean score, or one class is not there to compare."""
    if is_positive.all() or not is_positive.any():
        return True
    largest = float(np.abs(score).max()) or 1.0  # sums of scores near 1e308 would be infinite
    return float((score[is_positive] / largest).mean()) < float((score[~is_positive] / largest).mean())


def check_direction(
    origin: Origin,
    truth_name: str,
    labels: Sequence[Label],
    positive: int,
    *,
    truth: Array,
    score: Array,
    given: bool,
) -> tuple[Check, ...]:
    """Raise if scores are clearly higher for the negative class; note it instead if the positive class was given.

    Clearly: 30 rows or more, an AUC below 0.35 that is also three standard errors below 1/2.
    """
    sample = slice(None, None, max(len(truth) // FIRST_LOOK, 1))
    if not _may_be_reversed(truth[sample] == positive, score[sample]):
        return ()
    is_positive = truth == positive
    positives = int(is_positive.sum())
    negatives = len(truth) - positives
    if len(truth) < 30 or not positives or not negatives:
        return ()
    with np.errstate(over="ignore", invalid="ignore"):  # sums of scores near 1e308 are infinite
        mean = float(score[is_positive].mean())
        other_mean = float(score[~is_positive].mean())
    if not mean < other_mean:
        return ()
    auc = area(is_positive, score)
    # (n + 1) / (12 n+ n-) is the variance of the AUC where scores do not depend on the class
    if auc >= 0.35 or 0.5 - auc <= 3 * np.sqrt((len(truth) + 1) / (12 * positives * negatives)):
        return ()
    return reversed_scores(origin, truth_name, labels, positive, means=(mean, other_mean), auc=auc, given=given)


def reversed_scores(
    origin: Origin,
    truth_name: str,
    labels: Sequence[Label],
    positive: int,
    *,
    means: tuple[float, float],
    auc: float,
    given: bool,
) -> tuple[Check, ...]:
    """Raise that the positive class has the lower mean score; note it instead if the positive class was given."""
    mean, other_mean = means
    name, other = labels[positive], labels[1 - positive]
    averages = f"scores average {other_mean:.3g} for {quoted(other)} and {mean:.3g} for {quoted(name)}"
    if given:
        text = f"{averages}, though {quoted(name)} is the positive class: AUC is {auc:.3f}"
        return (Check(code="H103", text=text),)
    raise origin.error(
        f"the positive class is ambiguous: {truth_name} has {listed(labels)}, and {averages}",
        code="H103",
        fix=f"choose the positive class: {origin.option('positive', other)} if the score is for {quoted(other)} "
        f"(AUC {1 - auc:.3f}), {origin.option('positive', name)} if it is for {quoted(name)} (AUC {auc:.3f})",
    )
