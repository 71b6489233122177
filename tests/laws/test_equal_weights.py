"""Equal weights are no weights: weights of one change nothing at all, other equal weights only rounding."""

from __future__ import annotations

import re
from itertools import cycle, product

import numpy as np
import pyarrow as pa
import pytest
from sklearn.neighbors import KNeighborsClassifier

import heldout
from heldout.batch import differing_weights
from tests.laws.chunked_tables import KINDS, table, written_in_files
from tests.laws.data import WORLDS, binary, multiclass, regression
from tests.laws.test_stream_comparisons import MODELS, two_models

ROWS = 120
NOT_COMPARED = ("columns", "inputs")
"""Facts that name the column of weights, or the file that it is in."""
FOR_GROUPS = (None, "t", "permutation", "bootstrap", "delong")
MEGABYTES = re.compile(r"\d+M")
"""How large the file is, which a column more makes larger."""
SCALES = (1.0, 0.25, 3.0, 0.1)


def with_scales(*axes):
    """Every combination, each with weights of one and the next of the other scales."""
    return [(*values, (1.0, other)) for values, other in zip(product(*axes), cycle(SCALES[1:]), strict=False)]


def same(plain, weighted, scale):
    """Whether two results say the same: exactly with weights of one, to rounding with other equal weights."""
    _same(plain.to_dict(), weighted.to_dict(), 0.0 if scale == 1.0 else 1e-9, "")


def _same(first, second, tolerance, place):
    assert type(first) is type(second), (place, first, second)
    if isinstance(first, dict):
        assert first.keys() == second.keys(), place
        for key, part in first.items():
            if key not in NOT_COMPARED:
                _same(part, second[key], tolerance, f"{place}.{key}")
    elif isinstance(first, list | tuple):
        assert len(first) == len(second), place
        for at, (one, other) in enumerate(zip(first, second, strict=True)):
            _same(one, other, tolerance, f"{place}[{at}]")
    elif isinstance(first, float) and tolerance:
        assert second == pytest.approx(first, rel=tolerance, abs=tolerance, nan_ok=True), place
    elif isinstance(first, str):
        assert MEGABYTES.sub("", first) == MEGABYTES.sub("", second), place
    else:
        assert first == second or first != first, place  # noqa: PLR0124 nan differs from itself


@pytest.mark.parametrize(("task", "grouped", "scales"), with_scales(WORLDS, (False, True)))
def test_evaluate(task, grouped, scales):
    rows = WORLDS[task](np.random.default_rng(5), ROWS) | {"n_resamples": 100}
    if grouped:
        rows["groups"] = np.repeat(np.arange(ROWS // 3), 3)
    plain = heldout.evaluate(**rows)
    assert len(plain.estimates) > 5
    for scale in scales:
        same(plain, heldout.evaluate(**rows, sample_weight=np.full(ROWS, scale)), scale)


@pytest.mark.parametrize("method", ["normal", "wilson", "percentile", "bca", "bootstrap_t", "delong"])
@pytest.mark.parametrize("task", WORLDS)
def test_every_method(task, method):
    rows = WORLDS[task](np.random.default_rng(6), ROWS) | {"n_resamples": 100, "method": method}
    same(heldout.evaluate(**rows), heldout.evaluate(**rows, sample_weight=np.ones(ROWS)), 1.0)


@pytest.mark.parametrize("scale", SCALES)
def test_segments(scale):
    rng = np.random.default_rng(7)
    rows = binary(rng, 400) | {"n_resamples": 100, "segments": {"site": rng.integers(0, 3, 400)}}
    plain = heldout.evaluate(**rows)
    assert plain.segments["site"].heterogeneity
    same(plain, heldout.evaluate(**rows, sample_weight=np.full(400, scale)), scale)


def test_equal_weights_inside_a_segment_of_weighted_rows():
    """A subgroup whose own weights are equal has the intervals that it has by itself."""
    rng = np.random.default_rng(8)
    rows = binary(rng, 400)
    site = np.repeat([0, 1], 200)
    whole = heldout.evaluate(
        **rows, sample_weight=np.where(site == 0, 1.0, 2.5), segments={"site": site}, metrics="average_precision"
    )
    alone = {name: np.asarray(column)[site == 1] for name, column in rows.items()}
    level = whole.segments["site"].level
    expected = heldout.evaluate(**alone, metrics="average_precision", confidence_level=level)["average_precision"]
    in_segment = whole.segments["site"].shown["1"][2]["average_precision"]
    assert (in_segment.low, in_segment.high) == (expected.low, expected.high)


@pytest.mark.parametrize(
    ("test", "grouped", "scales"),
    [*with_scales(FOR_GROUPS, (True,)), *with_scales((*FOR_GROUPS, "mcnemar", "kosinski"), (False,))],
)
def test_compare(test, grouped, scales):
    rng = np.random.default_rng(9)
    rows = binary(rng, ROWS)
    other = np.round(np.clip(rows["y_proba"] + 0.2 * rng.standard_normal(ROWS), 0.01, 0.99), 2)
    options = {"test": test, "n_resamples": 100} | ({"groups": np.repeat(np.arange(ROWS // 3), 3)} if grouped else {})
    models = {"old": rows["y_proba"], "new": other}
    plain = heldout.compare(rows["y_true"], models, **options)
    assert len(plain.differences) > 5
    for scale in scales:
        same(plain, heldout.compare(rows["y_true"], models, **options, sample_weight=np.full(ROWS, scale)), scale)


@pytest.mark.parametrize(("world", "scales"), with_scales((multiclass, regression)))
def test_compare_other_tasks(world, scales):
    rng = np.random.default_rng(10)
    rows = world(rng, ROWS)
    output = rows["y_pred"] if "y_pred" in rows else rows["y_proba"]
    models = {"old": output, "new": output[rng.permutation(ROWS)], "third": output[::-1]}
    options = {"n_resamples": 100} | ({"task": rows["task"]} if "task" in rows else {})
    plain = heldout.compare(rows["y_true"], models, **options)
    for scale in scales:
        same(plain, heldout.compare(rows["y_true"], models, **options, sample_weight=np.full(ROWS, scale)), scale)


@pytest.mark.parametrize(("kind", "groups", "scales"), with_scales(KINDS, (False, True)))
def test_evaluate_in_chunks(kind, groups, scales, tmp_path):
    whole = table(kind, 11, rows=1600, groups=groups)
    options = {"engine": "local", "n_resamples": 100}
    plain = heldout.evaluate(written_in_files(whole, tmp_path / "plain", 3), **options)
    for scale in scales:
        heavy = whole.append_column("weight", pa.array(np.full(whole.num_rows, scale)))
        same(plain, heldout.evaluate(written_in_files(heavy, tmp_path / f"times {scale}", 3), **options), scale)


@pytest.mark.parametrize(
    ("kind", "groups", "scales"), with_scales(("scores", "labels", "classes", "numbers"), (False, True))
)
def test_compare_in_chunks(kind, groups, scales, tmp_path):
    whole = two_models(kind, 12, groups=groups)
    options = {"engine": "local", "n_resamples": 100}
    plain = heldout.compare(written_in_files(whole, tmp_path / "plain", 3), MODELS, **options)
    for scale in scales:
        heavy = whole.append_column("weight", pa.array(np.full(whole.num_rows, scale)))
        same(plain, heldout.compare(written_in_files(heavy, tmp_path / f"times {scale}", 3), MODELS, **options), scale)


def test_chunks_whose_weights_differ_from_those_of_other_chunks_are_weighted(tmp_path):
    """Inside each file all weights are equal; across files they are not."""
    whole = table("scores", 13, rows=1600)
    weight = np.repeat([1.0, 4.0], 800)
    folder = tmp_path / "two"
    for at in range(2):
        part = whole.slice(800 * at, 800).append_column("weight", pa.array(weight[800 * at : 800 * at + 800]))
        written_in_files(part, folder / str(at), 3, files=1)
    streamed = heldout.evaluate(sorted(folder.rglob("*.parquet")), engine="local", n_resamples=100)
    exact = heldout.evaluate(whole.append_column("weight", pa.array(weight)), n_resamples=100)
    assert "weighted" in exact["average_precision"].method
    for name in ("accuracy", "log_loss", "average_precision", "f1"):
        assert streamed[name].method == exact[name].method
        assert streamed[name].low == pytest.approx(exact[name].low, abs=1e-4)


def test_weights_that_differ_only_in_later_chunks_are_noticed(tmp_path):
    """The rows that decide what columns mean weigh the same; the certified rate and the card need all rows."""
    whole = two_models("scores", 13)
    weight = np.where(np.arange(whole.num_rows) < 5000, 1.0, 7.0)
    folder = written_in_files(whole.append_column("weight", pa.array(weight)), tmp_path, 3, files=1)
    with pytest.raises(heldout.UsageError, match="certified by counting rows, but they have weights"):
        heldout.evaluate(folder, y_score="old", engine="local", max_fpr=0.1, n_resamples=100)
    compared = heldout.compare(folder, MODELS, engine="local", n_resamples=100)
    assert len(compared.differences) > 5
    cards = [one.card for one in compared.differences if one.card is not None]
    assert cards
    assert all("weights=" in card.world or "hard=" in card.world for card in cards)


@pytest.mark.parametrize(
    ("cv", "scales"), [*with_scales((None, 5, "3x4", "nested:2x3", "boot:10")), ("select", SCALES)], ids=str
)
def test_validate_and_select(cv, scales):
    """A learner that takes no weights: only the evaluation of its predictions sees them."""
    rng = np.random.default_rng(14)
    X = rng.normal(size=(ROWS, 3))
    y = (X[:, 0] + rng.normal(size=ROWS) > 0).astype(int)
    learners = {"1": KNeighborsClassifier(1), "9": KNeighborsClassifier(9)}
    options = (
        {"metrics": "accuracy"} if cv == "select" else {"cv": cv, "metrics": ["accuracy", "average_precision", "f1"]}
    )
    verb = heldout.select if cv == "select" else heldout.validate
    plain = verb(learners, X, y, **options)
    for scale in scales:
        same(plain, verb(learners, X, y, **options, sample_weight=np.full(ROWS, scale)), scale)


@pytest.mark.parametrize("scale", SCALES)
def test_thresholds(scale):
    rows = binary(np.random.default_rng(15), 200)
    columns = {"y_true": rows["y_true"], "y_score": rows["y_proba"]}
    for options in ({"choose_threshold": (1, 5)}, {"max_fpr": 0.2}):
        plain = heldout.evaluate(columns, **options, n_resamples=100)
        same(plain, heldout.evaluate(columns | {"weight": np.full(200, scale)}, **options, n_resamples=100), scale)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", ["roc", "precision_recall", "gain", "lift", "calibration", "cost", "convex_hull"])
def test_curves(name, scale):
    rows = binary(np.random.default_rng(16), 200)
    plain, weighted = (
        getattr(heldout.curves, name)(rows["y_true"], rows["y_proba"], **options)
        for options in ({}, {"sample_weight": np.full(200, scale)})
    )
    for part in ("points", "band"):
        first, second = getattr(plain, part), getattr(weighted, part)
        assert first.keys() == second.keys()
        for column, values in first.items():
            np.testing.assert_array_equal(second[column], values, err_msg=f"{part} {column}")


def test_weights_are_dropped_only_where_all_are_equal():
    assert differing_weights(None) is None
    assert differing_weights(np.full(3, 0.1)) is None
    weight = np.array([1.0, 1.0, np.nextafter(1.0, 2.0)])
    assert differing_weights(weight) is weight


def test_a_bin_of_rows_that_weigh_nothing_changes_no_calibration_error():
    rng = np.random.default_rng(4)
    score = np.concatenate([0.9 * rng.random(200), 0.95 + 0.04 * rng.random(20)])
    truth = (rng.random(220) < score).astype(int)
    weight = np.where(score < 0.9, 1.0 + rng.random(220), 0.0)
    every = heldout.evaluate(truth, y_score=score, sample_weight=weight, metrics="ece")["ece"]
    kept = score < 0.9
    some = heldout.evaluate(truth[kept], y_score=score[kept], sample_weight=weight[kept], metrics="ece")["ece"]
    assert (every.value, every.low, every.high) == pytest.approx((some.value, some.low, some.high), abs=0.002)


@pytest.mark.parametrize("seed", range(8))
def test_weights_of_rows_that_are_all_predicted_positive_leave_no_negative_predictions(seed):
    """Sums of weights that cancel left a last digit, and npv was 1 or -1e15 instead of 0/0."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 9))
    truth = np.r_[0, 1, rng.integers(0, 2, rows - 2)]
    options = {"sample_weight": rng.gamma(1, 1, rows).round(1) + 0.1, "pos_label": 1}
    options |= {"groups": rng.integers(0, 3, rows)} if seed % 2 else {}
    score = 0.5 + rng.random(rows).round(1) / 2
    found = heldout.evaluate(truth, y_score=score, **options)
    assert np.isnan(found["npv"].value)
    assert found["npv"].notes[0] == "npv is 0/0: no row was predicted negative"
    assert found["specificity"].value == 0
    both = heldout.compare(truth, {"a": score, "b": score[::-1]}, **options)
    assert all(not one.metric.startswith("npv") or np.isnan(one.value) for one in both.differences)
