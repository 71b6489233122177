"""Were two parts drawn alike? Each column by itself, and all together by a classifier that tries to tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.inputs.checks.leakage import feature_columns
from heldout.inputs.columns.column_values import Column
from heldout.inputs.columns.number_parsing import numbers_or_none
from heldout.inputs.reading import Check
from heldout.stats.multiplicity import holm

MOST_VALUES = 50
"""Distinct values of a categorical column that are kept apart; rarer ones count as one."""
FEW_VALUES = 10
"""Numbers with no more distinct values are counted as classes are: ties would blunt the largest gap."""
MOST_ROWS = 4000
"""Rows that the classifier is shown; more are drawn from."""
FOLDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """How far two parts are apart in a column, or in all together (name "")."""

    name: str
    test: str
    value: float
    """Largest gap between the two distributions, of the shares of a value, or the classifier's area."""
    pvalue: float
    adjusted: float
    """For all columns and the whole at once."""


def shifts(
    train: Any, test: Any, *, names: Sequence[str] | None = None, draws: int = 999, seed: int = 0
) -> list[Shift]:
    """Tests of every column that both parts have, and of the whole: p-values that hold together, as halves of an error.

    Numbers: Kolmogorov and Smirnov's largest gap, missing ones lowest. Other values: chi-square of the counts when rows
    change sides. The whole: area of a cross-fitted least-squares classifier when rows change sides. Rows must be
    independent draws: of grouped rows give one per group.

    >>> rng = np.random.default_rng(1)
    >>> found = shifts({"age": rng.normal(0, 1, 90)}, {"age": rng.normal(1, 1, 60)})
    >>> [(one.name, one.adjusted < 0.05) for one in found]
    [('age', True), ('', True)]
    """
    ours, theirs = ({one.name: one for one in feature_columns(side)} for side in (test, train))
    shared = [name for name in (theirs if names is None else names) if name in ours and name in theirs]
    if not shared:
        return []
    rng = np.random.default_rng([seed, 31])
    of_columns, features = [], []
    for name in shared:
        one, drawn = _column(name, theirs[name], ours[name], draws, rng)
        of_columns.append(one)
        features.append(drawn)
    sides = np.repeat([0, 1], [len(theirs[shared[0]]), len(ours[shared[0]])])
    area, p = told_apart(np.column_stack(features), sides, draws=draws, seed=seed)
    together = np.minimum(2 * holm(np.array([one.pvalue for one in of_columns])), 1.0)
    found = [
        Shift(name=one.name, test=one.test, value=one.value, pvalue=one.pvalue, adjusted=float(both))
        for one, both in zip(of_columns, together, strict=True)
    ]
    return [*found, Shift(name="", test="classifier", value=area, pvalue=p, adjusted=min(2 * p, 1.0))]


def _column(name: str, train: Column, test: Column, draws: int, rng: np.random.Generator) -> tuple[Shift, Array]:
    """The test of one column, and the numbers by which the classifier sees it."""
    a, b = numbers_or_none(train), numbers_or_none(test)
    if a is not None and b is not None and len(np.unique(np.concatenate([a, b]))) > FEW_VALUES:
        gap, p = _largest_gap(a, b)
        both = np.concatenate([a, b])
        return Shift(name=name, test="Kolmogorov-Smirnov", value=gap, pvalue=p, adjusted=p), np.column_stack(
            [np.where(np.isnan(both), np.nanmean(both), both), np.isnan(both)]
        )
    numeric = a is not None and b is not None
    words = np.concatenate([a, b] if numeric else [_spelled(train), _spelled(test)])
    values, codes, counts = np.unique(words, return_inverse=True, return_counts=True)
    if len(values) > MOST_VALUES:  # by the counts of both parts together, so that the sides do not choose
        kept = np.argsort(-counts, kind="stable")[: MOST_VALUES - 1]
        place = np.full(len(values), MOST_VALUES - 1)
        place[kept] = np.arange(MOST_VALUES - 1)
        codes = place[codes]
    gap, p = _counts_apart(codes, len(train), draws, rng)
    return Shift(name=name, test="chi-square", value=gap, pvalue=p, adjusted=p), np.eye(int(codes.max()) + 1)[codes]


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
    """The largest gap between shares, and the p-value of chi-square given both margins [freeman51]."""
    totals = np.bincount(codes)
    seen, n = np.bincount(codes[:first], minlength=len(totals)), len(codes)
    drawn = rng.multivariate_hypergeometric(totals, first, size=draws)
    expected = totals * (first / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.nansum((np.vstack([seen, drawn]) - expected) ** 2 / expected, axis=1)
    gap = np.abs(seen / first - (totals - seen) / (n - first)).max()
    return float(gap), float((1 + np.sum(distance[1:] >= distance[0] * (1 - 1e-9))) / (draws + 1))


def told_apart(features: Array, sides: Array, *, draws: int = 999, seed: int = 0) -> tuple[float, float]:
    """Area of a cross-fitted least-squares classifier of the sides, and how often changed sides give as much.

    Folds do not look at the sides, so that the p-value is exact. Squares of the columns let it see spreads [fisher36].

    >>> x = np.random.default_rng(0).normal(size=(100, 2))
    >>> told_apart(x + np.repeat([[0], [2]], 50, axis=0), np.repeat([0, 1], 50), draws=99)[1]
    0.01
    """
    rng = np.random.default_rng([seed, 32])
    chosen = rng.permutation(len(sides))[:MOST_ROWS]
    z, labels = features[chosen].astype(float), sides[chosen].astype(float)
    z = (z - z.mean(axis=0)) / np.where(z.std(axis=0) > 0, z.std(axis=0), 1.0)
    design = np.column_stack([np.ones(len(z)), z, z**2])
    lines = np.column_stack([labels, rng.permuted(np.tile(labels[:, None], draws), axis=0)])
    areas = np.zeros(draws + 1)
    fold = np.arange(len(z)) % FOLDS
    for at in range(FOLDS):
        out = fold == at
        gram = design[~out].T @ design[~out] + np.eye(design.shape[1])
        score = design[out] @ np.linalg.solve(gram, design[~out].T @ lines[~out])
        areas += _areas(score, lines[out]) / FOLDS
    return float(areas[0]), float((1 + np.sum(areas[1:] >= areas[0] - 1e-12)) / (draws + 1))


def _areas(score: Array, labels: Array) -> Array:
    """The area of every column of scores; half where a column has one side only."""
    rank = np.empty_like(score)
    np.put_along_axis(rank, np.argsort(score, axis=0, kind="stable"), np.arange(1.0, len(score) + 1)[:, None], axis=0)
    hits = labels.sum(axis=0)
    pairs = hits * (len(labels) - hits)
    above = (rank * labels).sum(axis=0) - hits * (hits + 1) / 2
    return np.where(pairs > 0, above / np.maximum(pairs, 1), 0.5)


def shift_checks(found: Sequence[Shift], *, level: float = 0.05, target: str = "") -> tuple[Check, ...]:
    """Notes (H205) on what differs between training and test part; `level` is the chance of any where there is none.

    >>> shift_checks([Shift(name="age", test="Kolmogorov-Smirnov", value=0.4, pvalue=0.001, adjusted=0.004)])[0].text
    'age differs between training and test part (Kolmogorov-Smirnov, gap 0.40, adjusted p = 0.0040)'
    """
    checks = []
    for one in found:
        if not one.adjusted < level:
            continue
        p = f"adjusted p = {one.adjusted:.4f}" if one.adjusted >= 0.0001 else "adjusted p < 0.0001"
        if one.name:
            what = f"{one.name} (the target)" if one.name == target else one.name
            text = f"{what} differs between training and test part ({one.test}, gap {one.value:.2f}, {p})"
        else:
            text = f"a classifier tells training and test rows apart (area {one.value:.2f}, {p})"
        checks.append(Check(code="H205", text=text))
    return tuple(checks)
