"""Figures measured elsewhere, measured again: coverage at nominal 95% for AUC, F1, paired differences and means.

Where samples can be counted the figure must lie within the other's error; else within four errors of both together.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln, xlogy

from heldout.lab import coverage
from heldout.stats.mcnemar_tests import agresti_min, tango

pytestmark = pytest.mark.simulation

ELSEWHERE = 2000
"""Repetitions behind the figures."""


def agrees(found, known):
    """Whether two simulated shares differ by chance only."""
    errors = np.sqrt(known * (1 - known) * (1 / ELSEWHERE + 1 / found.repeats))
    print(f"{found.world} n={found.n} {found.method} {found.metric}: {found.coverage:.3f}, elsewhere {known:.3f}")
    return abs(found.coverage - known) <= 4 * errors


@pytest.mark.parametrize(
    ("rows", "prevalence", "auc", "logit", "newcombe"),
    [
        (20, 0.5, 0.7, 0.966, 0.954),
        (20, 0.5, 0.9, 0.979, 0.966),
        (20, 0.5, 0.97, 0.978, 0.958),
        (40, 0.5, 0.9, 0.957, 0.971),
        (100, 0.1, 0.9, 0.912, 0.968),
    ],
)
def test_areas(rows, prevalence, auc, logit, newcombe):
    world = f"binormal:auc={auc},prevalence={prevalence},fixed=1"
    found = coverage(["delong_logit", "newcombe"], world, rows, metrics="roc_auc", repeats=1500)
    assert agrees(found[0], logit)
    assert agrees(found[1], newcombe)


@pytest.mark.parametrize(
    ("rows", "prevalence", "rates", "wilson", "exact"),
    [(50, 0.2, 0.8, 0.947, 0.977), (30, 0.5, 0.95, 0.955, 0.983)],
)
def test_f1(rows, prevalence, rates, wilson, exact):
    world = f"labels:prevalence={prevalence},precision={rates},recall={rates}"
    found = coverage(["auto", "clopper_pearson"], world, rows, metrics="f1", repeats=2000)
    assert agrees(found[0], wilson)
    assert agrees(found[1], exact)


@pytest.mark.parametrize(
    ("n", "more", "less", "score", "added"), [(30, 0.10, 0.05, 0.968, 0.970), (100, 0.02, 0.005, 0.988, 0.985)]
)
def test_paired_differences(n, more, less, score, added):
    b, c = np.divmod(np.arange((n + 1) ** 2), n + 1)
    b, c = b[b + c <= n], c[b + c <= n]
    ways = gammaln(n + 1) - gammaln(b + 1) - gammaln(c + 1) - gammaln(n - b - c + 1)
    chance = np.exp(ways + xlogy(b, more) + xlogy(c, less) + xlogy(n - b - c, 1 - more - less))
    kept = chance > 1e-9
    for interval, known in ((tango, score), (agresti_min, added)):
        ends = np.array([interval(int(x), int(y), n, 0.95) for x, y in zip(b[kept], c[kept], strict=True)])
        held = float(chance[kept] @ ((ends[:, 0] <= more - less) & (more - less <= ends[:, 1])))
        print(f"{interval.__name__} n={n}: {held:.4f}, elsewhere {known}")
        assert held == pytest.approx(known, abs=4 * np.sqrt(known * (1 - known) / ELSEWHERE))


def test_means_of_squared_normals():
    methods = {"normal": 0.867, "t": 0.882, "percentile": 0.868, "bootstrap_t": 0.931, "bca": 0.886}
    found = coverage(list(methods), "numbers", 20, metrics="mse", repeats=800, n_resamples=400)
    assert [one.method for one in found if not agrees(one, methods[one.method])] == []
