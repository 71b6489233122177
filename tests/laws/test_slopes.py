"""A metric's gradient is the derivative of its value: for every smooth formula, and for the order of scores."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.formulas import METRICS, metric
from heldout.tallies.scores import tally_scores

rng = np.random.default_rng(0)
SMOOTH = [name for name, one in METRICS.items() if one.reads in ("labels", "losses", "numbers")]
RANKED = [name for name, one in METRICS.items() if one.slopes is not None]
SHAPES = {"labels": (3,), "losses": (), "numbers": ()}


def sums_of(one):
    """Random positive sums of the right shape; of a square of counts where all classes are needed at once."""
    if one.reads == "labels" and not one.one_class:
        counts = rng.integers(3, 20, (3, 3)).astype(float)
        hit, actual, said = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
        found = {"tp": hit, "fp": said - hit, "fn": actual - hit, "tn": counts.sum() - actual - said + hit}
    else:
        found = {name: np.float64(size) for name, size in zip(("tp", "fp", "fn", "tn"), (30, 7, 9, 50), strict=True)}
        found |= {name: np.float64(rng.uniform(5, 20)) for name in one.needs if name not in found}
        found |= {"rows": np.float64(40), "targets": np.float64(3), "squared_targets": np.float64(90)}
    return {name: found[name] for name in one.needs}


@pytest.mark.parametrize("name", SMOOTH)
def test_gradients_agree_with_finite_differences(name):
    one = METRICS[name]
    sums = sums_of(one)
    gradient = one.gradient(sums)
    for part, slope in gradient.items():
        for at in np.ndindex(np.shape(sums[part])):
            step = 1e-5 * float(np.asarray(sums[part])[at])
            more, less = ({**sums, part: np.array(sums[part], dtype=float)} for _ in range(2))
            more[part][at] += step
            less[part][at] -= step
            numeric = (float(one(more)) - float(one(less))) / (2 * step)
            assert float(np.asarray(slope)[at]) == pytest.approx(numeric, rel=1e-4, abs=1e-8), (part, at)


@pytest.mark.parametrize("name", SMOOTH)
def test_a_value_does_not_hang_on_the_number_of_rows(name):
    """Twice of every sum is the same value, so by Euler the gradient times the sums is zero."""
    one = METRICS[name]
    sums = sums_of(one)
    assert float(one({part: 2 * total for part, total in sums.items()})) == pytest.approx(float(one(sums)), rel=1e-12)
    moved = sum(float(np.sum(np.asarray(slope) * sums[part])) for part, slope in one.gradient(sums).items())
    assert moved == pytest.approx(0, abs=1e-7 * max(1.0, abs(float(one(sums)))))


def ranked_sums(rows=400, ties=False):
    truth = rng.random(rows) < 0.4
    score = rng.standard_normal(rows) + truth
    return tally_scores(np.round(score, 1) if ties else score, truth).sums


@pytest.mark.parametrize(
    ("name", "ties"),
    [("roc_auc", False), ("roc_auc", True), ("average_precision", False), ("average_precision", True), ("ks", False)],
)
def test_slopes_of_ranking_metrics_are_derivatives_by_weight(name, ties):
    one, sums = METRICS[name], ranked_sums(ties=ties)
    found = one.slopes(**sums)
    step = 1e-4
    for part in ("positives", "negatives"):
        for at in range(0, len(sums[part]), 7):
            more, less = ({**sums, part: sums[part].copy()} for _ in range(2))
            more[part][at] += step
            less[part][at] -= step
            numeric = (float(one(more)) - float(one(less))) / (2 * step)
            assert found[part][at] == pytest.approx(numeric, rel=1e-5, abs=1e-9), (part, at)


@pytest.mark.parametrize("name", ["eer", "partial_auc", "lift@10%", "gain@10%"])
def test_slopes_at_a_threshold_have_the_spread_of_fresh_rows(name):
    """These hang on a threshold, so the derivative row by row is rough; what is used is their sum of squares."""
    one = METRICS[name]
    local = np.random.default_rng(1)

    def fresh():
        truth = local.random(2000) < 0.3
        return tally_scores(local.standard_normal(2000) + 1.2 * truth, truth)

    several = [fresh() for _ in range(200)]
    claimed = np.mean([tally.variance(one.slopes(**tally.sums)) for tally in several[:40]])
    assert np.sqrt(claimed) == pytest.approx(np.std([float(one(tally.sums)) for tally in several]), rel=0.2)


@pytest.mark.parametrize("name", RANKED)
@pytest.mark.parametrize("ties", [False, True])
def test_slopes_sum_to_zero(name, ties):
    sums = ranked_sums(ties=ties)
    found = METRICS[name].slopes(**sums)
    within = [float(found[part] @ sums[part]) for part in ("positives", "negatives")]
    assert sum(within) == pytest.approx(0, abs=0.02 * METRICS[name].range[1])


@pytest.mark.parametrize("score", ["lift@40%", "gain@40%", "lift@10%"])
def test_slopes_where_the_cut_falls_between_two_scores_that_many_share(score):
    """Three scores only: the share of positives above the cut is a plain share, and so is its error."""
    positives, negatives = np.array([200.0, 400.0, 400.0]), np.array([599_800.0, 299_600.0, 99_600.0])
    one = metric(score)
    found = one.slopes(positives, negatives)
    share = 0.4 if "10%" in score else 0.8
    scale = {"lift@40%": 2.5, "gain@40%": 1.0, "lift@10%": 10.0}[score]
    variance = float(positives @ found["positives"] ** 2 + negatives @ found["negatives"] ** 2)
    assert np.sqrt(variance) == pytest.approx(scale * np.sqrt(share * (1 - share) / 1000), rel=0.05)


def test_delong_is_a_double_loop():
    truth = rng.random(60) < 0.5
    score = rng.integers(0, 12, 60) + 3.0 * truth
    tally = tally_scores(score, truth)
    above = score[truth][:, None] - score[~truth]
    wins = (above > 0) + (above == 0) / 2
    over_negatives, over_positives = wins.mean(axis=1), wins.mean(axis=0)
    naive = over_negatives.var(ddof=1) / len(over_negatives) + over_positives.var(ddof=1) / len(over_positives)
    assert tally.variance(METRICS["roc_auc"].slopes(**tally.sums)) == pytest.approx(naive, rel=1e-12)


def test_jackknife_agrees_with_delong():
    truth = np.arange(80) % 3 == 0
    score = rng.standard_normal(80) + truth
    one = METRICS["roc_auc"]
    whole = tally_scores(score, truth)

    def without(at):
        kept = np.arange(80) != at
        return float(one(tally_scores(score[kept], truth[kept]).sums))

    value = float(one(whole.sums))
    moved = np.array([value - without(at) for at in range(80)])
    sizes = np.where(truth, truth.sum(), (~truth).sum())
    jackknife = sum(((size - 1) / size) * np.sum(moved[sizes == size] ** 2) for size in np.unique(sizes))
    assert whole.variance(one.slopes(**whole.sums)) == pytest.approx(jackknife, rel=1e-9)
