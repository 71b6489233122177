"""Rows B7, F8, F9 and F11: what a chosen threshold costs, the choice of K, scores of folds, error against rows."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.special import ndtr

import heldout
from heldout.cli import verbs

FEATURES = 4


class LeastSquares:
    """Ordinary least squares without an intercept: its error at m rows is known, 1 + p / (m - p - 1)."""

    def fit(self, X, y):
        self.weights = np.linalg.lstsq(X, y, rcond=None)[0]
        return self

    def predict(self, X):
        return X @ self.weights


def ols_world(rng, n):
    """Normal features, and a target with noise of variance 1."""
    X = rng.normal(size=(n, FEATURES))
    return X, X.sum(axis=1) + rng.normal(size=n)


def expected_error(m):
    return 1 + FEATURES / (m - FEATURES - 1)


def near(values, truth, errors=3.5):
    """Whether the mean of independent values is within so many standard errors of the truth."""
    values = np.asarray(values)
    return abs(values.mean() - truth) <= errors * values.std(ddof=1) / np.sqrt(len(values))


def true_cost(threshold, fp=1, fn=10, shift=1.5, share=0.1):
    return fn * share * ndtr(threshold - shift) + fp * (1 - share) * ndtr(-threshold)


@pytest.mark.parametrize(("n", "repeats", "optimism"), [(50, 150, 0.15), (200, 100, 0.06)])
def test_B7_choosing_and_paying_on_the_same_rows_is_optimistic(n, repeats, optimism):
    rng = np.random.default_rng(n)
    apparent, honest, truth = [], [], []
    for _ in range(repeats):
        positive = np.arange(n) < max(rng.binomial(n, 0.1), 2)  # each fold's choice needs one
        found = heldout.choose_threshold(positive.astype(int), rng.normal(1.5 * positive), fp=1, fn=10)
        apparent.append(found.apparent)
        honest.append(found.cost.value)
        truth.append(true_cost(np.array(found.thresholds)).mean())
    assert np.mean(truth) - np.mean(apparent) > optimism
    assert near(np.subtract(honest, truth), 0)


def test_B7_the_interval_of_the_honest_cost_holds_the_true_one():
    rng = np.random.default_rng(7)
    held = []
    for seed in range(60):
        truth = np.arange(300) < 30
        found = heldout.choose_threshold(truth.astype(int), rng.normal(1.5 * truth), fp=1, fn=10, random_state=seed)
        held.append(found.cost.low <= true_cost(found.threshold) <= found.cost.high)
    assert np.mean(held) >= 0.85  # 93% of 300 in a larger run


def test_B7_from_the_command_line(tmp_path):
    rng = np.random.default_rng(1)
    positive = rng.random(300) < 0.2
    score = 1 / (1 + np.exp(-rng.normal(2 * positive - 1.5)))
    lines = [f"{int(y)},{s:.6f},{at % 5}" for at, (y, s) in enumerate(zip(positive, score, strict=True))]
    file = tmp_path / "scored.csv"
    file.write_text("\n".join(["y_true,y_score,fold", *lines]), encoding="utf-8")
    told = CliRunner().invoke(
        verbs, ["evaluate", str(file), "--choose-threshold", "1:5", "--fold", "fold", "--format", "json"]
    )
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)["chosen_threshold"]
    assert found["cost"]["value"] > found["apparent"]
    assert found["optimism"] == found["cost"]["value"] - found["apparent"]
    assert found["cost"]["low"] < found["cost"]["value"] < found["cost"]["high"]
    assert (len(found["thresholds"]), found["drawn"]) == (5, False)
    assert found["at"] == pytest.approx(1 / 6)


def test_F8_bias_of_the_estimate_against_k_is_what_fewer_rows_cost():
    rng = np.random.default_rng(8)
    biases = []
    for seed in range(12):
        X, y = ols_world(rng, 40)
        found = heldout.choose_folds(LeastSquares(), X, y, folds=[2, 10], repeats=5, metrics="mse", random_state=seed)
        two, ten = found.learners["LeastSquares"]
        assert two.deviation > ten.deviation
        assert (two.training_rows, ten.training_rows) == (20, 36)
        biases.append(two.bias)
    assert near(biases, expected_error(20) - expected_error(36))


def test_F8_the_choice_is_a_picture():
    X, y = ols_world(np.random.default_rng(0), 60)
    found = heldout.choose_folds(LeastSquares(), X, y, folds=[2, 5, 10], repeats=2, metrics="mse")
    figure = found.plot.figures()["fold_choice"]
    assert figure.parts["folds"]["folds"].tolist() == [2, 5, 10]
    drawn = found.plot.figures()["fold_bias"].parts["folds"]
    points = found.learners["LeastSquares"]
    assert drawn["bias"].tolist() == [point.bias for point in points]
    assert drawn["spread"].tolist() == pytest.approx([point.deviation for point in points])
    assert "from that of 10 folds" in found.plot.figures()["fold_bias"].caption
    assert "between divisions of the same rows" in " ".join(str(found).split())


def test_F9_scores_of_folds_have_a_corrected_test_and_predictions_none_of_them(tmp_path):
    rng = np.random.default_rng(9)
    common = rng.normal(0.8, 0.02, 100)
    scores = {name: common + rng.normal(shift, 0.01, 100) for name, shift in (("a", 0), ("b", 0.005))}
    for name, values in scores.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(map(repr, values.tolist())), encoding="utf-8")
    paths = [str(tmp_path / f"{name}.txt") for name in scores]
    refused = CliRunner().invoke(verbs, ["compare", *paths])
    assert refused.exit_code == 2
    assert "heldout compare --fold-scores a.txt b.txt --n-train 1800 --n-test 200" in refused.stderr
    sizes = ["--n-train", "90", "--n-test", "10", "--format", "json"]
    (told,) = json.loads(CliRunner().invoke(verbs, ["compare", "--fold-scores", *paths, *sizes]).stdout)["differences"]
    naive = heldout.compare_fold_scores(dict(zip(scores, paths, strict=True)), test="kfold_t").difference.pvalue
    assert naive < 0.05  # what a plain t-test over 10 x 10 folds would print
    assert told["pvalue"] > 0.05
    assert (told["verdict"], told["test"]) == ("UNDECIDED", "corrected resampled t")


def test_F11_error_against_training_size_with_intervals():
    rng = np.random.default_rng(11)
    values, training, held = [], [], []
    for seed in range(25):
        X, y = ols_world(rng, 60)
        found = heldout.learning_curve(
            LeastSquares(), X, y, train_sizes=[12, 54], repeats=8, metrics="mse", random_state=seed
        )
        assert found.sizes == (12, 54)
        points = found.points("mse")
        values.append([point.estimate.value for point in points])
        training.append([point.training for point in points])
        held.append([one.estimate.low <= expected_error(one.rows) <= one.estimate.high for one in points])
    values, training = np.array(values), np.array(training)
    for at, m in enumerate((12, 54)):
        assert near(values[:, at], expected_error(m))
        assert near(training[:, at], 1 - FEATURES / m)
    assert (values[:, 0] > values[:, 1]).mean() > 0.8
    assert np.mean(held) >= 0.85


def test_F11_the_curve_is_a_picture_and_a_file():
    X, y = ols_world(np.random.default_rng(0), 60)
    found = heldout.learning_curve({"ols": LeastSquares()}, X, y, train_sizes=[0.5, 1.0], repeats=3, metrics="mse")
    columns = found.plot.figures()["learning_curve"].parts["curve"]
    assert columns["rows"].tolist() == [27, 54]
    assert columns["value"].tolist() == [point.estimate.value for point in found.points()]
    assert json.loads(json.dumps(found.to_dict()))["models"]["ols"]["mse"][0]["rows"] == 27
