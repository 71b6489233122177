"""Planned power and simulation agree: where 80% were planned, the test finds the difference in 77% to 83% of draws.

Every design is drawn anew in the world that the plan assumes, and judged by the test that `compare` makes; for areas
and F1 a short form of it, first checked to be the same. With 1,500 draws the Monte Carlo error is 0.010. `pytest -s`
prints the figures.
"""

from __future__ import annotations

from functools import cache
from math import sqrt

import numpy as np
import pytest
from scipy.special import ndtri

from heldout import plan
from heldout.batch import Batch
from heldout.formulas import metric
from heldout.intervals.scales import critical_t, critical_z
from heldout.intervals.shares import wilson
from heldout.stats.independent_samples import newcombe, unpaired_areas, welch
from heldout.stats.mcnemar_tests import mcnemar
from heldout.stats.paired_means import paired_mean
from heldout.verbs.compare.paired_difference import difference
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

pytestmark = pytest.mark.simulation
DRAWS = 1500


def kept(tag, found, low=0.77, high=0.83):
    """Print what was measured, and hold it against the promise."""
    measured = float(np.mean(found))
    print(f"{tag:60s} measured {measured:.3f} of {len(found)}")
    assert low <= measured <= high, tag


def model(truth, score, prediction=None):
    said = score > 0.5 if prediction is None else prediction
    labels = {"labels": (0, 1), "positive": 1}
    return Measurement(
        Batch(task="binary", truth=truth, score=score, prediction=said.astype(int), **labels), Settings()
    )


@pytest.mark.parametrize(
    ("share", "gain", "disagree"), [(0.85, 0.05, 0.1), (0.7, 0.1, 0.3), (0.95, 0.03, 0.05), (0.45, 0.1, 0.999)]
)
def test_shares_paired(share, gain, disagree):
    planned = plan.difference("accuracy", share, gain=gain, disagree=disagree)
    chances = [(disagree + gain) / 2, (disagree - gain) / 2, 1 - disagree]
    counts = np.random.default_rng(1).multinomial(planned.rows, chances, 4000)
    test = cache(mcnemar)
    found = [b > c and test(b, c) <= 0.05 for b, c, _ in counts.tolist()]
    kept(f"accuracy {share} +{gain}, disagree {disagree}, n={planned.rows}, paired", found)


@pytest.mark.parametrize(("share", "gain"), [(0.85, 0.05), (0.5, 0.2), (0.95, 0.03), (0.02, 0.03)])
def test_shares_unpaired(share, gain):
    rows = plan.difference("accuracy", share, gain=gain)["unpaired"].rows
    rng = np.random.default_rng(2)
    drawn = zip(rng.binomial(rows, share + gain, 4000).tolist(), rng.binomial(rows, share, 4000).tolist(), strict=True)
    found = [newcombe(x2, rows, x1, rows, 0.95)[0] > 0 for x2, x1 in drawn]
    kept(f"accuracy {share} +{gain}, n={rows} each, unpaired", found)


@pytest.mark.parametrize("correlation", [0.0, 0.7])
def test_means(correlation):
    planned = plan.difference("mae", 1.0, gain=0.1, sd=0.6, correlation=correlation)
    rng = np.random.default_rng(3)
    spread, found = 0.6 * sqrt(2 * (1 - correlation)), []
    assert planned.rows >= 100
    for _ in range(DRAWS):
        one = paired_mean(rng.normal(0.1, spread, planned.rows), 0.95, n_resamples=100, random_state=0)
        found.append(one.pvalue <= 0.05 and one.value > 0)
    kept(f"mae +0.1, sd 0.6, correlation {correlation}, n={planned.rows}, paired", found)
    rows = planned["unpaired"].rows
    found = []
    for _ in range(DRAWS):
        a, b = rng.normal(1.1, 0.6, rows), rng.normal(1.0, 0.6, rows)
        found.append(welch(a.mean(), a.var(ddof=1), rows, b.mean(), b.var(ddof=1), rows, confidence_level=0.95).low > 0)
    kept(f"mae +0.1, sd 0.6, n={rows} each, unpaired", found)


def placements(positive, negative):
    """For each positive how many negatives it beats, for each negative by how many it is beaten, as shares."""
    low, high = np.sort(negative), np.sort(positive)
    return np.searchsorted(low, positive) / len(low), 1 - np.searchsorted(high, negative) / len(high)


def placed_variance(above, below):
    return above.var(ddof=1) / len(above) + below.var(ddof=1) / len(below)


def normal_scores(rng, rows, prevalence, areas, correlation):
    """Two columns of scores, and how many of the rows are positive; these come first."""
    positives = int(rng.binomial(rows, prevalence))
    scores = rng.normal(size=(rows, 2))
    scores[:, 1] = correlation * scores[:, 0] + sqrt(1 - correlation**2) * scores[:, 1]
    scores[:positives] += sqrt(2) * ndtri(areas)
    return scores, positives


def paired_areas(scores, positives):
    """The difference of the areas and its variance, by DeLong."""
    columns = [placements(scores[:positives, i], scores[positives:, i]) for i in (0, 1)]
    above, below = columns[1][0] - columns[0][0], columns[1][1] - columns[0][1]
    return above.mean(), placed_variance(above, below)


def test_areas_are_judged_as_by_compare():
    scores, positives = normal_scores(np.random.default_rng(4), 200, 0.3, (0.8, 0.9), 0.5)
    truth = (np.arange(200) < positives).astype(int)
    value, variance = paired_areas(scores, positives)
    found = difference(metric("roc_auc"), model(truth, scores[:, 1]), model(truth, scores[:, 0]))
    assert found.value == pytest.approx(value)
    # each row is left out in turn, and the variance of areas is raised where few rows rank wrong: a bit more
    assert found.error == pytest.approx(sqrt(variance), rel=0.01)


@pytest.mark.parametrize("prevalence", [0.1, 0.5])
@pytest.mark.parametrize(("area", "gain"), [(0.7, 0.1), (0.9, 0.04)])
def test_areas(area, gain, prevalence):
    areas, z = (area, area + gain), critical_z(0.95)
    rng = np.random.default_rng(5)
    for correlation in (0.0, 0.6):
        planned = plan.difference("roc_auc", area, gain=gain, prevalence=prevalence, correlation=correlation)
        found = []
        for _ in range(DRAWS):
            value, variance = paired_areas(*normal_scores(rng, planned.rows, prevalence, areas, correlation))
            found.append(value > z * sqrt(variance))
        tag = f"roc_auc {area} +{gain}, prevalence {prevalence}, r {correlation}"
        kept(f"{tag}, n={planned.rows}, paired", found)
    rows, found = planned["unpaired"].rows, []
    for _ in range(DRAWS):
        drawn = [normal_scores(rng, rows, prevalence, areas, 0.0) for _ in areas]
        columns = [placements(s[:m, i], s[m:, i]) for i, (s, m) in enumerate(drawn)]
        (a1, v1), (a2, v2) = ((above.mean(), placed_variance(above, below)) for above, below in columns)
        found.append(unpaired_areas(a2, v2, a1, v1, rows, rows, level=0.95).low > 0)
    kept(f"roc_auc {area} +{gain}, prevalence {prevalence}, n={rows} each, unpaired", found)


CELLS = np.array([(y, a, b) for y in (0, 1) for a in (0, 1) for b in (0, 1)])
TABLE = np.array([0.5, 0.06, 0.05, 0.04, 0.04, 0.08, 0.03, 0.2])
"""How often truth and two models say what `CELLS` says; the second model is the better one."""


def f1_differences(counts):
    """F1 of the second model less that of the first, and its standard error by influence, for each line of counts."""
    rows, moved, values = counts.sum(axis=1), [], []
    for said in (1, 2):
        hit, asked = CELLS[:, 0] * CELLS[:, said], CELLS[:, 0] + CELLS[:, said]
        tp, both = counts @ hit, counts @ asked
        values.append(2 * tp / both)
        moved.append((2 * hit - values[-1][:, None] * asked) / both[:, None])
    apart = moved[1] - moved[0]
    return values[1] - values[0], np.sqrt(np.sum(counts * apart**2, axis=1) * rows / (rows - 1))


def spread_out(counts):
    truth, first, second = np.repeat(CELLS, counts, axis=0).T
    return truth, first, second


def test_f1_is_judged_as_by_compare():
    counts = np.random.default_rng(6).multinomial(400, TABLE)
    truth, first, second = spread_out(counts)
    found = difference(metric("f1"), model(truth, second * 1.0, second), model(truth, first * 1.0, first), "t")
    value, error = f1_differences(counts[None])
    assert found.value == pytest.approx(value[0])
    assert found.error == pytest.approx(error[0], rel=0.005)  # each row is left out in turn, which is a bit more


def test_any_metric_through_the_influence_of_a_pilot():
    rng = np.random.default_rng(7)
    gain = float(f1_differences(TABLE[None] * 1e9)[0][0])
    truth, first, second = spread_out(rng.multinomial(20_000, TABLE))
    pilot = {name: {"y_true": truth, "y_pred": said} for name, said in (("a", first), ("b", second))}
    rows = plan.difference("f1", pilot=pilot, gain=gain).rows
    values, errors = f1_differences(rng.multinomial(rows, TABLE, 20_000))
    kept(f"f1 +{gain:.3f}, pilot of 20,000 rows, n={rows}, paired", values > critical_t(0.95, rows - 1) * errors)


@pytest.mark.parametrize(("share", "bound", "prevalence"), [(0.9, 0.8, 0.15), (0.97, 0.94, 0.5), (0.7, 0.5, 0.05)])
def test_the_lower_limit_clears_the_bound(share, bound, prevalence):
    rows = plan.bound("sensitivity", share, lower_bound=bound, prevalence=prevalence).rows
    rng = np.random.default_rng(8)
    positives = rng.binomial(rows, prevalence, 4000)
    limits = [wilson(x, m, 0.95)[0] for x, m in zip(rng.binomial(positives, share), positives, strict=True)]
    kept(f"sensitivity {share} above {bound}, prevalence {prevalence}, n={rows}", np.array(limits) > bound)
