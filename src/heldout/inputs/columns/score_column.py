"""Scores and probabilities: within their range, summing to one, not decisions, and pointing the right way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import DataError
from heldout.inputs.columns.column import Column
from heldout.inputs.reading import Check, Parts, fault, option
from heldout.inputs.wording import listed, quoted

ROUNDING = 1e-9
"""How far beyond 0 or 1 a probability may lie and still be taken as rounding."""
LAST_DIGITS = 1e-12
"""What adding up leaves: probabilities this close to summing to one stay as they are."""
LOOK_AT = 100_000
"""About so many rows are looked at first to see which way scores point."""
SUM_ROUNDING = 1e-6
"""How far the probabilities of a row may be from summing to one."""


def within(values: Array) -> bool:
    """Whether all values lie in [0, 1], but for rounding."""
    return values.size == 0 or between(float(values.min()), float(values.max()))


def between(low: float, high: float) -> bool:
    """Whether values between these lie in [0, 1], but for rounding."""
    return low >= -ROUNDING and high <= 1 + ROUNDING


def clipped(values: Array) -> Array:
    """Probabilities without the rounding beyond 0 and 1."""
    return np.clip(values, 0.0, 1.0) if values.size and (values.min() < 0 or values.max() > 1) else values


def in_range(parts: Parts, columns: Sequence[Column]) -> None:
    """Raise where a column that should hold probabilities lies outside [0, 1]."""
    outside = [column for column in columns if not between(*column.bounds)]
    if not outside:
        return
    low, high = min(c.bounds[0] for c in outside), max(c.bounds[1] for c in outside)
    first = outside[0]
    at = int(np.flatnonzero((first.values < -ROUNDING) | (first.values > 1 + ROUNDING))[0])
    if low < -ROUNDING:
        look = "these look like logits" if high > 1 or low < -1 else "a probability is never negative"
        fix = f"pass probabilities, or {option(parts, 'link', 'logit')} if these are logits"
    else:
        look = "these look like percentages" if high > 2 else "a probability is never above one"
        fix = "divide percentages by 100" if high > 2 else "check how the probabilities were computed"
    raise fault(
        parts,
        f"probabilities are outside [0, 1] (min {low:.6g}, max {high:.6g}): {first.name} is {first.values[at]:.6g} "
        f"in row {parts.row(at)}; {look}",
        code="H306",
        fix=fix,
    )


def sum_to_one(parts: Parts, matrix: Array, names: Sequence[str]) -> Array:
    """Rows of probabilities that sum to one: rounding is taken away, and more than rounding is an error."""
    sums = matrix.sum(axis=1)
    off = np.abs(sums - 1) > SUM_ROUNDING
    if off.any():
        at = int(np.flatnonzero(off)[0])
        more = f" ({int(off.sum()):,} such rows)" if off.sum() > 1 else ""
        raise fault(
            parts,
            f"the probabilities of row {parts.row(at)} ({', '.join(names[:4])}{', …' if len(names) > 4 else ''}) "
            f"sum to {sums[at]:.6g}, not to 1{more}",
            code="H306",
            fix=f"export one probability for every class, or {option(parts, 'link', 'logit')} if these are logits",
        )
    rounded = np.abs(sums - 1) > LAST_DIGITS
    # row by row, so that what a row means does not depend on the rows beside it
    return matrix / np.where(rounded, sums, 1.0)[:, None] if rounded.any() else matrix


def logistic(values: Array) -> Array:
    """The probability a logit means: 1 / (1 + exp(-x)).

    >>> logistic(np.array([0.0])).tolist()
    [0.5]
    """
    from scipy.special import expit

    found: Array = expit(values)
    return found


def shares(values: Array) -> Array:
    """The probabilities logits mean, row by row: exp(x) / Σ exp(x).

    >>> shares(np.zeros((1, 2))).tolist()
    [[0.5, 0.5]]
    """
    from scipy.special import softmax

    found: Array = softmax(values, axis=1)
    return found


def not_decisions(parts: Parts, column: Column) -> None:
    """Raise where a score column holds nothing but zeros and ones, of both at least one, in more than two rows."""
    values = column.values
    if len(values) > 2 and column.bounds == (0, 1) and np.isin(values, (0, 1)).all():
        raise decisions(parts, column.name)


def decisions(parts: Parts, name: str) -> DataError:
    """What to say where the column of scores holds nothing but zeros and ones."""
    as_labels = option(parts, "pred", name) if parts.door == "table" else "y_pred=… instead"
    return fault(
        parts,
        f"{name} has only the values 0 and 1. AUC, calibration and log loss need scores, not decisions",
        code="H102",
        fix=f"export predict_proba[:, 1] as {name}, or pass {as_labels} for label metrics only",
    )


def area(truth: Array, score: Array) -> float:
    """Chance that a positive row scores above a negative one, ties counting half.

    >>> area(np.array([False, True, True]), np.array([0.1, 0.1, 0.9]))
    0.75
    """
    order = np.argsort(score, kind="stable")
    _, start, count = np.unique(score[order], return_index=True, return_counts=True)
    rank = np.repeat(start + (count + 1) / 2, count)
    positives = int(truth.sum())
    negatives = len(truth) - positives
    return float((rank[truth[order]].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def _turned(is_positive: Array, score: Array) -> bool:
    """Whether positive rows have lower scores on average."""
    if is_positive.all() or not is_positive.any():
        return True
    return float(score[is_positive].mean()) < float(score[~is_positive].mean())


def pointing(
    parts: Parts, labels: Sequence[Label], positive: int, *, truth: Array, score: Array, given: bool
) -> tuple[Check, ...]:
    """Raise, or note where the positive class was given, that scores are higher for the other class.

    Only where chance is no explanation: 30 rows or more, an AUC below 0.35 and three standard errors below one half.
    """
    few = slice(None, None, max(len(truth) // LOOK_AT, 1))
    if not _turned(truth[few] == positive, score[few]):
        return ()
    is_positive = truth == positive
    positives = int(is_positive.sum())
    negatives = len(truth) - positives
    if len(truth) < 30 or not positives or not negatives:
        return ()
    mean = float(score[is_positive].mean())
    other_mean = float(score[~is_positive].mean())
    if not mean < other_mean:
        return ()
    auc = area(is_positive, score)
    if auc >= 0.35 or 0.5 - auc <= 3 * np.sqrt((len(truth) + 1) / (12 * positives * negatives)):
        return ()
    return turned(parts, labels, positive, means=(mean, other_mean), auc=auc, given=given)


def turned(
    parts: Parts, labels: Sequence[Label], positive: int, *, means: tuple[float, float], auc: float, given: bool
) -> tuple[Check, ...]:
    """Raise, or note where the positive class was given, that its mean score is the lower one of the two."""
    mean, other_mean = means
    name, other = labels[positive], labels[1 - positive]
    averages = f"scores average {other_mean:.3g} for {quoted(other)} and {mean:.3g} for {quoted(name)}"
    if given:
        text = f"{averages}, though {quoted(name)} is the positive class: AUC is {auc:.3f}"
        return (Check(code="H103", text=text),)
    raise fault(
        parts,
        f"positive class is ambiguous: {parts.truth[0].name} has {listed(labels)}, and {averages}",
        code="H103",
        fix=f"{option(parts, 'positive', other)} (or the score holds P({quoted(other)})), or "
        f"{option(parts, 'positive', name)} if that is meant; AUC would be {auc:.3f} or {1 - auc:.3f} by this",
    )
