"""Were two parts drawn alike? Each column by itself, and all together by a classifier that tries to tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite, nan, sqrt
from typing import Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.inputs.checks.leakage import feature_columns
from heldout.inputs.columns.column_values import Column
from heldout.inputs.columns.number_parsing import numbers_or_none
from heldout.inputs.reading import Check
from heldout.intervals.auc import delong_logit, newcombe as score_interval
from heldout.intervals.scales import critical_z
from heldout.stats.independent_samples import newcombe
from heldout.stats.multiplicity import holm

MOST_VALUES = 50
"""Distinct values of a categorical column that are kept apart; rarer ones count as one."""
FEW_VALUES = 10
"""Numbers with no more distinct values are counted as classes are: ties would blunt the largest gap."""
MOST_ROWS = 4000
"""Rows that the classifier is shown; more are drawn from."""
MOST_CROSSED, ROWS_EACH = 20, 10
"""The classifier sees products of pairs of so many columns at most, with so many rows for each number it learns."""
FOLDS = 5
ENOUGH = 5
"""Where so many rows are expected everywhere, chi-square is taken as it is; with fewer, rows are shuffled."""
ROUNDING = 1e-9
"""Scores of the classifier, which are about 0 and 1, that differ by less are equal: it sees the same in both rows."""
NAMED = 3
"""Columns that a note names; a table has all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """How far two parts are apart in a column, or in all together (name "")."""

    name: str
    test: str
    gap: float
    """Largest gap between the two distributions, or between the shares of a value; the area less one half."""
    pvalue: float
    adjusted: float
    """For all columns and the whole at once."""
    measure: Literal["mean", "share", "auc"]
    """What `size` is: a difference of means in standard deviations, of shares of `of`, or the classifier's area."""
    of: str = ""
    """The value whose share changed most."""
    before: float = nan
    """Mean or share in the first part."""
    after: float = nan
    """Mean or share in the second part."""
    size: float = nan
    low: float = nan
    high: float = nan

    def to_dict(self) -> dict[str, Any]:
        """Plain values; what is not defined is None."""
        return {key: None if isinstance(one, float) and not isfinite(one) else one for key, one in asdict(self).items()}


def shifts(
    train: Any,
    test: Any,
    *,
    names: Sequence[str] | None = None,
    draws: int = 999,
    seed: int = 0,
    level: float = 0.95,
) -> list[Shift]:
    """Tests of every column that both parts have, and of the whole: p-values that hold together, as halves of an error.

    Numbers: Kolmogorov and Smirnov's largest gap, missing ones lowest. Other values: chi-square of the counts when rows
    change sides. The whole: area of a cross-fitted least-squares classifier when rows change sides. Rows must be
    independent draws: of grouped rows give one per group. Intervals of sizes have the level, each for itself.

    >>> rng = np.random.default_rng(1)
    >>> found = shifts({"age": rng.normal(0, 1, 90)}, {"age": rng.normal(1, 1, 60)})
    >>> [(one.name, one.adjusted < 0.05) for one in found]
    [('age', True), ('', True)]
    """
    ours, theirs = ({one.name: one for one in feature_columns(side)} for side in (test, train))
    shared = [name for name in (theirs if names is None else names) if name in ours and name in theirs]
    if not shared or not len(ours[shared[0]]) or not len(theirs[shared[0]]):
        return []
    rng = np.random.default_rng([seed, 31])
    of_columns, features = [], []
    for name in shared:
        one, drawn = _column(name, theirs[name], ours[name], draws, rng, level)
        of_columns.append(one)
        features.append(drawn)
    sides = np.repeat([0, 1], [len(theirs[shared[0]]), len(ours[shared[0]])])
    whole = told_apart(np.column_stack(features), sides, draws=draws, seed=seed, level=level)
    together = np.minimum(2 * holm(np.array([one.pvalue for one in of_columns])), 1.0)
    found = [replace(one, adjusted=float(both)) for one, both in zip(of_columns, together, strict=True)]
    return [*found, replace(whole, adjusted=min(2 * whole.pvalue, 1.0))]


def _column(  # noqa: PLR0917
    name: str, train: Column, test: Column, draws: int, rng: np.random.Generator, level: float
) -> tuple[Shift, Array]:
    """The test of one column, and the numbers by which the classifier sees it."""
    a, b = numbers_or_none(train), numbers_or_none(test)
    if a is not None and b is not None and len(np.unique(np.concatenate([a, b]))) > FEW_VALUES:
        gap, p = _largest_gap(a, b)
        both = np.concatenate([a, b])
        finite = np.isfinite(both)
        filled = np.where(finite, both, both[finite].mean() if finite.any() else 0.0)
        made = Shift(name=name, test="Kolmogorov-Smirnov", gap=gap, pvalue=p, adjusted=p, **_means(a, b, level))
        return made, np.column_stack([filled, ~finite])
    numeric = a is not None and b is not None
    words = np.concatenate([a, b] if numeric else [_spelled(train), _spelled(test)])
    values, codes, counts = np.unique(words, return_inverse=True, return_counts=True)
    labels = [f"{value:g}" if numeric else str(value) for value in values]
    if len(values) > MOST_VALUES:  # by the counts of both parts together, so that the sides do not choose
        kept = np.argsort(-counts, kind="stable")[: MOST_VALUES - 1]
        place = np.full(len(values), MOST_VALUES - 1)
        place[kept] = np.arange(MOST_VALUES - 1)
        codes, labels = place[codes], [*(labels[at] for at in kept), "other values"]
    gap, p = _counts_apart(codes, len(train), draws, rng)
    made = Shift(
        name=name, test="chi-square", gap=gap, pvalue=p, adjusted=p, **_shares(codes, len(train), labels, level)
    )
    return made, np.eye(int(codes.max()) + 1)[codes]


def _means(a: Array, b: Array, level: float) -> dict[str, Any]:
    """Means of both parts, and their difference in standard deviations: Cohen's d with its large-sample error."""
    first, second = (side[np.isfinite(side)] for side in (a, b))
    if min(len(first), len(second)) < 2:
        return {"measure": "mean"}
    n, m = len(first), len(second)
    spread = sqrt(((n - 1) * first.var(ddof=1) + (m - 1) * second.var(ddof=1)) / (n + m - 2))
    known = {"measure": "mean", "before": float(first.mean()), "after": float(second.mean())}
    if not spread > 0:
        return known
    size = float(second.mean() - first.mean()) / spread
    reach = critical_z(level) * sqrt(1 / n + 1 / m + size**2 / (2 * (n + m)))
    return {**known, "size": size, "low": size - reach, "high": size + reach}


def _shares(codes: Array, first: int, labels: Sequence[str], level: float) -> dict[str, Any]:
    """The value whose share changed most, its shares, and their difference with Newcombe's interval."""
    totals = np.bincount(codes)
    before, n = np.bincount(codes[:first], minlength=len(totals)), len(codes)
    after, m = totals - before, n - first
    most = int(np.abs(after / m - before / first).argmax())
    x, y = int(after[most]), int(before[most])
    low, high = newcombe(x, m, y, first, level)
    facts = {"of": labels[most], "before": y / first, "after": x / m, "size": x / m - y / first}
    return {"measure": "share", **facts, "low": low, "high": high}


def _spelled(column: Column) -> Array:
    if column.words is None:
        return column.values.astype(str)
    return np.array([*column.words.to_pylist(), ""], dtype=str)[column.values]


def _largest_gap(a: Array, b: Array) -> tuple[float, float]:
    """D = max |F_a - F_b| and its limiting p-value, which errs on the safe side in small samples and with ties."""
    from scipy.special import kolmogorov

    first, second = (np.sort(np.where(np.isnan(side), -np.inf, side)) for side in (a, b))
    at = np.concatenate([first, second])
    gap = np.abs(
        np.searchsorted(first, at, side="right") / len(first) - np.searchsorted(second, at, side="right") / len(second)
    ).max()
    return float(gap), float(kolmogorov(gap * np.sqrt(len(first) * len(second) / len(at))))


def _counts_apart(codes: Array, first: int, draws: int, rng: np.random.Generator) -> tuple[float, float]:
    """The largest gap between shares, and the p-value of chi-square; of few rows given both margins [freeman51]."""
    from scipy.special import chdtrc

    totals = np.bincount(codes)
    totals = totals[totals > 0]
    codes = np.unique(codes, return_inverse=True)[1]
    seen, n = np.bincount(codes[:first], minlength=len(totals)), len(codes)
    gap = float(np.abs(seen / first - (totals - seen) / (n - first)).max())
    expected = totals * (first / n)
    if len(totals) < 2:  # one value, on both sides
        return gap, 1.0
    if (totals * (min(first, n - first) / n)).min() >= ENOUGH:
        return gap, float(chdtrc(len(totals) - 1, np.sum((seen - expected) ** 2 / expected) * n / (n - first)))
    drawn = rng.multivariate_hypergeometric(totals, first, size=draws)
    distance = np.sum((np.vstack([seen, drawn]) - expected) ** 2 / expected, axis=1)
    return gap, float((1 + np.sum(distance[1:] >= distance[0] * (1 - 1e-9))) / (draws + 1))


def told_apart(features: Array, sides: Array, *, draws: int = 999, seed: int = 0, level: float = 0.95) -> Shift:
    """Classifier two-sample test: the area of a cross-fitted least-squares classifier of the sides [lopez17].

    The p-value is how often changed sides give as much; folds do not look at the sides, so that it is exact. Squares of
    the columns let the classifier see spreads [fisher36], and products let it see how two columns go together. The
    interval is of these classifiers: DeLong's variance in each fold, times what changed sides show the areas to vary
    more than if folds were independent, which they are not.

    >>> x = np.random.default_rng(0).normal(size=(100, 2))
    >>> told_apart(x + np.repeat([[0], [2]], 50, axis=0), np.repeat([0, 1], 50), draws=99).pvalue
    0.01
    """
    rng = np.random.default_rng([seed, 32])
    chosen = rng.permutation(len(sides))[:MOST_ROWS]
    design, labels = _design(features[chosen]), sides[chosen].astype(float)
    lines = np.column_stack([labels, rng.permuted(np.tile(labels[:, None], draws), axis=0)])
    areas, variance, independent = np.zeros(draws + 1), 0.0, 0.0
    fold = np.arange(len(design)) % FOLDS
    for at in range(FOLDS):
        out = fold == at
        gram = design[~out].T @ design[~out] + np.eye(design.shape[1])
        score = design[out] @ np.linalg.solve(gram, design[~out].T @ lines[~out])
        areas += _areas(score, lines[out]) / FOLDS
        variance += _variance(score[:, 0], labels[out]) / FOLDS**2
        independent += _null_variance(labels[out]) / FOLDS**2
    p = float((1 + np.sum(areas[1:] >= areas[0] - 1e-12)) / (draws + 1))
    area, test_rows = float(areas[0]), float(labels.sum())
    drawn = float(areas[1:].var())
    variance *= max(1.0, drawn / independent) if independent > 0 else 1.0
    variance = max(variance, 4 * area * (1 - area) * drawn)  # DeLong's is rough with few rows in a fold
    known = variance > 0  # an area of 0 or 1 has none
    low, high = (
        delong_logit(area, variance, level)
        if known
        else score_interval(area, test_rows, len(labels) - test_rows, level)
    )
    return Shift(
        name="", test="classifier", gap=area - 0.5, pvalue=p, adjusted=p, measure="auc", size=area, low=low, high=high
    )


def _design(features: Array) -> Array:
    """A constant, the standardised columns that vary, squares of those with more than two values, and products.

    Products of two columns are there for few columns and enough rows; with more, they would hide what one column says.
    """
    z = features.astype(float)
    z = z[:, z.std(axis=0) > 0]
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    several = np.array([len(np.unique(column)) > 2 for column in z.T], dtype=bool)
    design = np.column_stack([np.ones(len(z)), z, z[:, several] ** 2])
    first, second = np.triu_indices(z.shape[1], 1)
    if z.shape[1] > MOST_CROSSED or ROWS_EACH * (design.shape[1] + len(first)) > len(z):
        return design
    products = z[:, first] * z[:, second]
    return np.column_stack([design, products])


def _variance(score: Array, labels: Array) -> float:
    """DeLong's variance of the area in one fold; 0 where a side has fewer than two rows."""
    above, below = np.sort(score[labels == 1]), np.sort(score[labels == 0])
    if min(len(above), len(below)) < 2:
        return 0.0
    wins = (np.searchsorted(below, above) + np.searchsorted(below, above, "right")) / (2 * len(below))
    losses = (np.searchsorted(above, below) + np.searchsorted(above, below, "right")) / (2 * len(above))
    return float(wins.var(ddof=1) / len(above) + losses.var(ddof=1) / len(below))


def _null_variance(labels: Array) -> float:
    """The variance of an area where both sides are alike: (m + k + 1) / (12 m k) [mann47]."""
    above = float(labels.sum())
    below = len(labels) - above
    return (len(labels) + 1) / (12 * above * below) if above and below else 0.0


def _areas(score: Array, labels: Array) -> Array:
    """The area of every column of scores; half where a column has one side only."""
    ranks = _ranks(score)
    hits = labels.sum(axis=0)
    pairs = hits * (len(labels) - hits)
    above = (ranks * labels).sum(axis=0) - hits * (hits + 1) / 2
    return np.where(pairs > 0, above / np.maximum(pairs, 1), 0.5)


def _ranks(score: Array) -> Array:
    """Ranks within every column, 1 the lowest; scores equal but for rounding share the mean of their ranks."""
    order = np.argsort(score, axis=0)
    ordered = np.take_along_axis(score, order, axis=0)
    place = np.broadcast_to(np.arange(len(score))[:, None], score.shape)
    new = np.diff(ordered, axis=0, prepend=-np.inf) > ROUNDING
    last = np.vstack([new[1:], np.ones((1, score.shape[1]), bool)])
    first = np.maximum.accumulate(np.where(new, place, 0))
    end = np.minimum.accumulate(np.where(last, place, len(score))[::-1])[::-1]
    ranks = np.empty_like(score)
    np.put_along_axis(ranks, order, (first + end) / 2 + 1, axis=0)
    return ranks


def shift_checks(
    found: Sequence[Shift], *, alpha: float = 0.05, target: str = "", against: str = "the training rows"
) -> tuple[Check, ...]:
    """A note (H205) that the test rows are not like others; `alpha` is the chance of one where there is no shift.

    >>> one = Shift(name="age", test="Kolmogorov-Smirnov", gap=0.4, pvalue=0.001, adjusted=0.004, measure="mean",
    ...             before=40.0, after=45.0, size=0.6, low=0.3, high=0.9)
    >>> shift_checks([one])[0].text
    'the test rows are not like the training rows: age (mean 40 → 45, +0.60 sd [+0.30, +0.90], adjusted p = 0.0040)'
    """
    changed = [one for one in found if one.adjusted < alpha]
    if not changed:
        return ()
    columns = sorted((one for one in changed if one.name), key=lambda one: (one.pvalue, -one.gap))
    texts = [
        f"{one.name}{' (the target)' if one.name == target else ''} ({size_words(one)}, {_p(one)})"
        for one in columns[:NAMED]
    ]
    texts += [f"{len(columns) - NAMED} more columns"] if len(columns) > NAMED else []
    texts += [
        f"a classifier distinguishes them (AUC {one.size:.2f} [{one.low:.2f}, {one.high:.2f}], {_p(one)})"
        for one in changed
        if not one.name
    ]
    return (Check(code="H205", text=f"the test rows are not like {against}: {'; '.join(texts)}"),)


def size_words(one: Shift) -> str:
    """How far a column moved, in words."""
    if one.measure == "share":
        ends = f"[{100 * one.low:+.1f}, {100 * one.high:+.1f}]"
        moved = f"{100 * one.before:.1f}% → {100 * one.after:.1f}%, {100 * one.size:+.1f} points {ends}"
        return f"share of {one.of or 'missing'!s} {moved}"
    if not isfinite(one.size):
        return f"largest gap {one.gap:.2f}"
    return f"mean {one.before:.4g} → {one.after:.4g}, {one.size:+.2f} sd [{one.low:+.2f}, {one.high:+.2f}]"


def _p(one: Shift) -> str:
    return f"adjusted p = {one.adjusted:.4f}" if one.adjusted >= 0.0001 else "adjusted p < 0.0001"
