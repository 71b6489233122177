"""Mission H1, A8 and H7: what an error is made of, what its estimates are worth, and how good anyone could be."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

from heldout import lab
from heldout.cli import verbs


def asked(*arguments):
    """What `heldout lab` says, read back from JSON."""
    result = CliRunner().invoke(verbs, ["lab", *map(str, arguments), "--format", "json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def parts_of(answer, at=0):
    return {part["name"]: part["value"] for part in answer["decompositions"][at]["parts"]}


def test_H1_a_fixed_line_has_no_variance():
    words = ["--learner", "fixed-line:slope=-1,intercept=0.5", "--world", "sine:noise=0.3", "--n", 10]
    answer = asked("bias-variance", *words, "--repeats", 100)
    parts = parts_of(answer)
    x = np.linspace(0, 1, 10)
    assert parts["variance"] == 0
    assert parts["noise"] == pytest.approx(0.09)
    assert parts["bias²"] == pytest.approx(np.mean((0.5 - x - np.sin(2 * np.pi * x)) ** 2), rel=1e-12)
    assert [point["variance"] for point in answer["curve"]] == [0] * 10


@pytest.mark.parametrize("word", ["interpolate", "poly:degree=9"])
def test_H1_a_polynomial_through_all_points_has_no_bias_and_the_variance_of_the_noise(word):
    answer = asked("bias-variance", "--learner", word, "--world", "sine:noise=0.3", "--n", 10, "--repeats", 500)
    errors = {part["name"]: part["error"] for part in answer["decompositions"][0]["parts"]}
    parts = parts_of(answer)
    assert abs(parts["bias²"]) < 4 * errors["bias²"] < 0.002
    assert parts["variance"] == pytest.approx(0.3**2, abs=4 * errors["variance"])
    for point in answer["curve"]:  # at every training point: 500 draws of a variance of .09, give or take .006
        assert point["variance"] == pytest.approx(0.09, abs=0.025)
        assert abs(point["bias2"]) < 0.0025


@pytest.mark.parametrize(
    "words",
    [
        ["--learner", "poly:degree=3", "--world", "sine:noise=0.3", "--design", "random"],
        ["--learner", "knn:k=1", "--world", "gaussian:distance=2", "--points", 100],
        ["--learner", "linear", "--world", "gaussian:distance=1,prevalence=0.2", "--points", 100],
    ],
)
def test_H1_the_parts_add_up_to_the_expected_loss(words):
    answer = asked("bias-variance", *words, "--repeats", 100)
    for one in answer["decompositions"]:
        assert sum(part["value"] for part in one["parts"]) == pytest.approx(answer["expected_loss"]["value"], rel=1e-12)


def test_H1_by_resampling_the_parts_add_up_to_the_error_on_rows_left_out(file):
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, 60)
    y = (x + rng.normal(0, 0.3, 60) > 0.5).astype(int)
    answer = asked("bias-variance", "--learner", "knn:k=3", "--data", file(x=x, y=y), "--target", "y", "--repeats", 60)
    assert (answer["design"], answer["loss"], answer["measured"]) == ("bootstrap", "zero-one", None)
    for one in answer["decompositions"]:
        assert sum(part["value"] for part in one["parts"]) == pytest.approx(answer["expected_loss"]["value"], rel=1e-12)


@pytest.mark.parametrize("word", ["linear", "knn:k=1"])
def test_A8_training_error_is_optimistic_and_holdout_unbiased(word):
    answer = asked("estimation-bias", "--learner", word, "--n", 60, "--repeats", 100)
    training, tested, _ = answer["estimators"]
    assert training["bias"]["value"] < -3 * training["bias"]["error"]
    assert abs(tested["bias"]["value"]) < 3 * tested["bias"]["error"]
    assert tested["variance"]["value"] > training["variance"]["value"]


def test_A8_the_memoriser_learns_nothing_of_its_error_from_its_rows():
    training = asked("estimation-bias", "--learner", "knn:k=1", "--repeats", 30)["estimators"][0]
    assert training["mean"] == {"value": 0, "error": 0}


@pytest.mark.parametrize("dimensions", [1, 2, 10])
def test_H7_the_upper_bound_holds_in_any_number_of_dimensions(dimensions):
    world = lab.gaussian(distance=2, dimensions=dimensions)
    least = world.truth("error_rate")
    held = 0
    for seed in range(100):
        X, y = world.sample(80, np.random.default_rng(seed))
        held += lab.ceiling(X, y, random_state=seed).upper.high >= least
    assert held >= 95  # 97.5 of 100 are promised at least, the rule being no better than the best one


def test_H7_the_lower_bound_holds_in_few_dimensions_and_not_in_many():
    held = {}
    for dimensions in (2, 10):
        world = lab.gaussian(distance=2, dimensions=dimensions)
        least = world.truth("error_rate")
        samples = (world.sample(300, np.random.default_rng(seed)) for seed in range(30))
        held[dimensions] = sum(lab.ceiling(X, y).lower.low <= least for X, y in samples)
    assert held[2] >= 28
    assert held[10] < 27  # that is why it is flagged


def test_H7_the_floor_of_repeated_rows_holds():
    least = 0.5 * 0.1 + 0.5 * 0.3
    held = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (120, 1))
        y = (rng.random(120) < np.where(X[:, 0] == 1, 0.7, 0.1)).astype(int)
        held += lab.ceiling(X, y, random_state=seed).repeats.floor.low <= least
    assert held >= 97


def test_H7_bounds_from_a_file(tmp_path):
    X, y = lab.gaussian(distance=2, dimensions=6).sample(100, np.random.default_rng(1))
    path = tmp_path / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", *(f"x{at}" for at in range(6)), "kind"])
        writer.writerows([f"row {at}", *line, "ab"[label]] for at, (line, label) in enumerate(zip(X, y, strict=True)))
    answer = asked("ceiling", "--data", path, "--target", "kind", "--drop", "id")
    assert (answer["dimensions"], answer["labels"], answer["lower"]["trustworthy"]) == (6, ["a", "b"], False)
    assert (answer["lower"]["asymptotic"], answer["upper"]["method"]) == (True, "Clopper-Pearson")
