"""Compiled loops and the NumPy code beside their callers give the same bits."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from heldout import compiled, weights
from heldout.boxes.image_resamples import weighed
from heldout.boxes.matching import coco_matches
from heldout.formulas.ranking import roc_auc, roc_auc_moves, roc_auc_of_counts
from tests.boxes.scenes import scene

pytestmark = pytest.mark.skipif(compiled._library() is None, reason="the package was built without a compiler")
rng = np.random.default_rng(0)


def same(function):
    """The result, if it has the same bits with the compiled loops as without; small data takes them, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "FEWEST_ROWS", 0)
        fast = function()
        patch.setattr(compiled, "_library", lambda: None)
        plain = function()
    assert (fast.dtype, fast.shape) == (plain.dtype, plain.shape)
    assert fast.tobytes() == plain.tobytes()
    return fast


EDGES = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, 5e-324, -5e-324, np.nextafter(1, 2), np.nextafter(-1, 0)]


@given(
    score=arrays(float, st.integers(2, 60), elements=st.sampled_from(EDGES) | st.floats(allow_nan=False)),
    data=st.data(),
)
def test_placements_of_any_scores(score, data):
    positive = data.draw(arrays(bool, len(score)))
    if 0 < positive.sum() < len(score):
        moved = same(lambda: roc_auc_moves(score, positive))
        above = (score[positive][:, None] > score[~positive]) + (score[positive][:, None] == score[~positive]) / 2
        assert moved[positive] == pytest.approx((above.mean(axis=1) - above.mean()) / positive.sum(), abs=1e-14)


MANY_SCORES = {
    "probabilities": rng.random,
    "of both signs": rng.standard_normal,
    "single precision": lambda n: rng.standard_normal(n, dtype=np.float32),
    "of more digits than double precision": lambda n: 1 + rng.random(n).astype(np.longdouble) * 2**-50,
    "ties": lambda n: np.round(rng.standard_normal(n), 1),
    "neighbours in the last bits": lambda n: 1 + rng.integers(0, 2 * n, n) * 2.0**-52,
    "few neighbours in the last bits": lambda n: np.repeat(rng.random(n // 4), 4) + rng.integers(0, 3, n) * 2.0**-53,
    "every other row": lambda n: rng.random(2 * n)[::2],
    "all equal": np.ones,
}


@pytest.mark.parametrize("name", MANY_SCORES)
def test_placements_of_many_scores(name):
    score, positive = MANY_SCORES[name](40_000), rng.random(40_000) < 0.3
    same(lambda: roc_auc_moves(score, positive))


@given(
    counts=arrays(int, st.integers(1, 40), elements=st.integers(0, 5)),
    draws=st.integers(1, 30),
    seed=st.integers(0, 2**32),
)
def test_counts_of_resamples(counts, draws, seed):
    if counts.any():
        drawn = [same(block) for block in weights.bootstrap(counts, draws, [seed, 1])]
        assert sum(len(block) for block in drawn) == draws


@pytest.mark.parametrize("rows", [2, 3, 65_536, 100_003, 1_000_000])
def test_counts_of_resamples_of_many_rows(rows):
    for block in weights.bootstrap(np.ones(rows), 3, [7]):
        same(block)
    for block in weights.bootstrap(rng.integers(0, 4, rows) if rows > 3 else np.array([1, 1]), 3, [7]):
        same(block)


@given(
    counts=arrays(np.int32, st.tuples(st.just(2), st.integers(0, 5), st.integers(1, 30)), elements=st.integers(0, 9))
)
def test_areas_of_counts(counts):
    positives, negatives = counts
    with np.errstate(invalid="ignore", divide="ignore"):
        found = same(lambda: roc_auc_of_counts(positives, negatives))
        assert found.tobytes() == roc_auc(positives.astype(float), negatives.astype(float)).tobytes()


@pytest.mark.parametrize("points", ["101", "11", "all", "steps"])
@pytest.mark.parametrize("draws", [1, 5, 64, 150])
def test_average_precision_in_resamples_of_images(draws, points):
    objects, detections = scene(draws, images=6)
    m = coco_matches(objects, detections)
    weight = rng.multinomial(m.images, np.full(m.images, 1 / m.images), size=draws).T
    same(lambda: weighed(m, weight, points=points).precision)
    same(lambda: weighed(m, weight, points=points).recall[10])


def test_average_precision_of_many_objects():
    """Recalls that lie on the grid, and detections that count though they are of another size, or do not count."""
    objects, detections = scene(3, images=40, objects=800, detections=6000)
    m = coco_matches(objects, detections)
    weight = rng.integers(0, 3, (m.images, 100))
    assert np.nanmax(same(lambda: weighed(m, weight).precision)) > 0


CHILD = """
import numpy as np, heldout
from heldout.compiled import kernel
rng = np.random.default_rng(3)
y = rng.random(30_000) < 0.3
odds = 2 * y - 1 + rng.standard_normal((2, len(y)))
one, other = np.round(1 / (1 + np.exp(-odds)), 3)
print(heldout.evaluate(y, y_score=one).to_json())
print(heldout.evaluate(y, y_score=odds[0], metrics="roc_auc", method="bca").to_json())
print(heldout.compare(y, {"one": one, "other": other}, metrics=["roc_auc", "gini"]).to_json())
print(kernel("placements") is not None)
"""


def test_whole_results_are_the_same_without_compiled_loops():
    texts = []
    for setting in ("1", "0"):
        run = subprocess.run(
            [sys.executable, "-c", CHILD],
            env={**os.environ, "HELDOUT_COMPILED": setting},
            capture_output=True,
            text=True,
            check=True,
        )
        texts.append(run.stdout.splitlines())
    assert [lines.pop() for lines in texts] == ["True", "False"]
    assert texts[0] == texts[1]
