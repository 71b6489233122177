"""How often intervals over splits hold the truth where it is known in closed form. Small, seeded; `-s` prints."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from heldout.comparisons.resampled import corrected_resampled_t, naive_fold_t
from heldout.intervals.cross_fitted import cross_fitted
from heldout.intervals.nested import nested
from heldout.intervals.over_splits import all_pairs, conservative_z, corrected_t, holdout, naive_fold_interval
from heldout.intervals.selected import bootstrap_corrected, tibshirani

pytestmark = pytest.mark.simulation

RNG = np.random.default_rng
ROWS, COLUMNS, WORLDS = 100, 20, 120
TRUTH = 1 + (COLUMNS + 1) / (ROWS - COLUMNS - 2)
"""Expected squared error of least squares on noise of variance 1: 1.2692."""
COVERS = {
    "all pairs": 0.833, "corrected t": 0.866, "naive": 0.565, "holdout": 0.862, "nested": 0.980, "conservative z": 0.997
}  # fmt: skip
"""Measured with 3000 data sets at level 0.9."""


def squared(x, y, training):
    """Squared errors of all rows (columns) under least squares fitted to the training rows of each split (lines)."""
    outer = (x[:, :, None] * x[:, None, :]).reshape(len(x), -1)
    gram = (training @ outer).reshape(-1, x.shape[1], x.shape[1])
    beta = np.linalg.solve(gram, (training @ (x * y[:, None]))[:, :, None])[:, :, 0]
    return (y - beta @ x.T) ** 2


def fold_masks(folds, repeats, rng, rows=ROWS):
    """The fold of every row, a line per repetition."""
    return np.array([rng.permutation(np.arange(rows) % folds) for _ in range(repeats)])


def split_means(x, y, tested, among=None):
    """Mean test loss of every split; trained on the rows that are not tested (of those among)."""
    training = ~tested if among is None else ~tested & among
    return np.where(tested, squared(x, y, training.astype(float)), 0).sum(axis=1) / tested.sum(axis=1)


def subsets(rng, splits, test, among):
    """Test rows drawn at random among some of the rows, a line per split."""
    ranks = np.where(among, rng.random((splits, len(among))), 2).argsort(axis=1).argsort(axis=1)
    return ranks < test


def nested_of(x, y, rng, folds=5, repeats=25):
    """Losses of nested cross-validation, every pair of folds fitted once."""
    place = fold_masks(folds, repeats, rng)
    first, second = np.meshgrid(np.arange(folds), np.arange(folds), indexing="ij")
    out = (place[:, None, None, :] == first[..., None]) | (place[:, None, None, :] == second[..., None])
    losses = squared(x, y, (~out).reshape(-1, ROWS).astype(float)).reshape(out.shape)
    inner = (place[:, None, None, :] == second[..., None]) & (first != second)[..., None]
    outer = (place[:, None, None, :] == first[..., None]) & (first == second)[..., None]
    turn = np.broadcast_to(np.arange(repeats)[:, None, None, None] * folds + first[..., None], out.shape)
    chosen = inner | outer
    return nested(losses[chosen], turn[chosen], inner[chosen], 0.9, folds=folds, rows=ROWS)


def conservative(x, y, rng, splits=10, halvings=10):
    everyone = np.ones(ROWS, bool)
    value = split_means(x, y, subsets(rng, splits, 10, everyone))
    pairs = []
    for _ in range(halvings):
        half = rng.permutation(ROWS) < ROWS // 2
        pairs.append([split_means(x, y, subsets(rng, splits, 10, one), one).mean() for one in (half, ~half)])
    return conservative_z(value, pairs, 0.9)


def one_world(seed):
    rng = RNG(seed)
    x = np.column_stack([np.ones(ROWS), rng.normal(size=(ROWS, COLUMNS))])
    y = rng.normal(size=ROWS)
    place = fold_masks(10, 1, rng)[0]
    losses = squared(x, y, (place != np.arange(10)[:, None]).astype(float))[place, np.arange(ROWS)]
    values = split_means(x, y, subsets(rng, 25, 10, np.ones(ROWS, bool)))
    test = np.arange(ROWS) < 20
    return {
        "all pairs": all_pairs(losses, 0.9),
        "corrected t": corrected_t(values, 0.9, ratio=1 / 9),
        "naive": naive_fold_interval(values, 0.9),
        "holdout": holdout(squared(x, y, (~test)[None].astype(float))[0][test], 0.9),
        "nested": nested_of(x, y, rng),
        "conservative z": conservative(x, y, rng),
    }


def test_least_squares_on_noise():
    found = [one_world(seed) for seed in range(WORLDS)]
    held = {name: np.mean([one[name].low <= TRUTH <= one[name].high for one in found]) for name in COVERS}
    for name, share in held.items():
        mean, half = (np.mean([f(one[name]) for one in found]) for f in (lambda o: o.value, lambda o: o.high - o.value))
        print(f"{name:16s} mean {mean:.3f} half-width {half:.3f} covers {share:.3f}, of 3000 {COVERS[name]:.3f}")
    errors = {name: 3 * sqrt(p * (1 - p) / WORLDS) + 1 / WORLDS for name, p in COVERS.items()}
    assert {name: share for name, share in held.items() if abs(share - COVERS[name]) > errors[name]} == {}


def test_the_naive_t_rejects_equally_good_learners_half_of_the_time():
    """Least squares on either of two exchangeable blocks of columns, 10 x 10 folds: learners that are equally good."""
    rejected = {"naive": 0, "corrected": 0}
    for seed in range(100):
        rng = RNG(seed)
        x, y = rng.normal(size=(ROWS, 10)), rng.normal(size=ROWS)
        y = y + x.sum(axis=1) / 3
        place = fold_masks(10, 10, rng)
        tested = (place[:, None, :] == np.arange(10)[:, None]).reshape(-1, ROWS)
        d = split_means(x[:, :5], y, tested) - split_means(x[:, 5:], y, tested)
        rejected["naive"] += naive_fold_t(d, 0.95).p < 0.05
        rejected["corrected"] += corrected_resampled_t(d, 0.95, ratio=1 / 9).p < 0.05
    print(rejected)
    assert rejected["naive"] > 40
    assert rejected["corrected"] <= 15


@pytest.mark.parametrize(
    ("rows", "configurations", "want"), [(20, 50, (0.142, 0.060, -0.016)), (40, 500, (0.102, 0.053, -0.016))]
)
def test_the_winner_is_optimistic_and_its_bootstrap_is_not(rows, configurations, want):
    """Accuracies are Beta(9, 6), 10 folds; biases as accuracies: the winner's own, Tibshirani's, BBC-CV's."""
    biases, covered = [], []
    for seed in range(100):
        rng = RNG(seed)
        right = rng.beta(9, 6, configurations)
        losses = (rng.random((rows, configurations)) > right).astype(float)
        found = bootstrap_corrected(losses, 0.95, draws=200, seed=seed)
        truth = 1 - right[found.chosen]
        other = tibshirani(losses, np.arange(rows) % 10)
        biases.append((truth - found.apparent, truth - other.value, truth - found.value))
        covered.append(found.low <= truth <= found.high)
    means, errors = np.mean(biases, axis=0), 3 * np.std(biases, axis=0) / 10
    print(rows, configurations, means.round(3), "covers", np.mean(covered))
    assert np.all(np.abs(means - want) < errors)
    assert np.mean(covered) > 0.88


def test_on_noise_the_winner_of_fifty_claims_what_is_not_there():
    apart = []
    for seed in range(100):
        found = bootstrap_corrected(RNG(seed).integers(0, 2, (100, 50)), 0.95, draws=200, seed=seed)
        apart.append((found.apparent, found.value))
    apparent, value = np.mean(apart, axis=0)
    print(f"apparent {apparent:.3f}, BBC {value:.3f}")
    assert apparent < 0.41
    assert value == pytest.approx(0.5, abs=3 * np.std(np.array(apart)[:, 1]) / 10)


def test_a_threshold_chosen_on_its_own_rows_looks_cheaper_than_it_is():
    """Binormal, d' = 1.5, prevalence 0.1, a miss costs 10: apparent .359, true .460, cross-fitted .463 at 200 rows."""
    from scipy.special import ndtr

    seen = []
    for seed in range(300):
        rng = RNG(seed)
        y = rng.random(200) < 0.1
        found = cross_fitted(rng.normal(size=200) + 1.5 * y, y, rng.permutation(np.arange(200) % 10), fp=1, fn=10)
        true = 0.1 * 10 * ndtr(found.threshold - 1.5) + 0.9 * ndtr(-found.threshold)
        seen.append((found.apparent, true, found.costs.mean()))
    means, errors = np.mean(seen, axis=0), 3 * np.std(seen, axis=0) / sqrt(300)
    print(means)
    assert np.all(np.abs(means - [0.359, 0.460, 0.463]) < errors + 0.005)
