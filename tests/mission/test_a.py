"""The error of one hypothesis: rows A1 to A3 of what the system must do."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

import heldout

TRUTH = np.repeat([1, 0], [20, 20])
PREDICTION = np.concatenate([np.repeat([1, 0], [15, 5]), np.repeat([0, 1], [13, 7])])  # 12 wrong of 40
Z = {0.50: 0.67, 0.68: 1.00, 0.80: 1.28, 0.90: 1.64, 0.95: 1.96, 0.98: 2.33, 0.99: 2.58}


def test_A1_sample_error(command, file):
    counted = heldout.evaluate_counts(wrong=12, of=40)
    rows = heldout.evaluate(TRUTH, PREDICTION)
    for found in (counted, rows):
        assert (found["error_rate"], found["accuracy"]) == (pytest.approx(0.30), pytest.approx(0.70))
        assert (found["error_rate"].low, found["error_rate"].high) == pytest.approx((0.1807, 0.4543), abs=5e-5)
        assert found["error_rate"].count == (12, 40)
    shown = command("--wrong", 12, "--of", 40)["estimates"]
    assert (shown["error_rate"]["value"], shown["accuracy"]["value"]) == (0.30, 0.70)
    assert [shown["error_rate"][end] for end in ("low", "high")] == pytest.approx([0.1807, 0.4543], abs=5e-5)
    read = command(file(y_true=TRUTH, y_pred=PREDICTION))["estimates"]
    assert (read["error_rate"]["value"], read["accuracy"]["value"]) == (0.30, 0.70)


def test_A2_normal_interval_at_any_level(command):
    error = heldout.evaluate_counts(wrong=12, of=40, method="normal")["error_rate"]
    assert (error.high - error.low) / 2 == pytest.approx(0.142, abs=5e-4)
    assert (error.low, error.high) == pytest.approx((0.1580, 0.4420), abs=5e-5)
    for level, z in Z.items():
        at = heldout.evaluate_counts(wrong=12, of=40, method="normal", confidence_level=level)["error_rate"]
        assert (at.high - at.low) / 2 / sqrt(0.3 * 0.7 / 40) == pytest.approx(z, abs=0.006)
        assert at.level == level
    shown = command("--wrong", 12, "--of", 40, "--method", "wald", "--level", 0.68)["estimates"]["error_rate"]
    assert shown["high"] - 0.30 == pytest.approx(0.0725, abs=5e-4)


@pytest.mark.parametrize("method", ["normal", "wilson", "exact", "midp", "blaker", "jeffreys", "logit"])
@pytest.mark.parametrize("level", [0.90, 0.95, 0.99])
def test_A2_a_one_sided_bound_is_a_two_sided_one_of_a_lower_level(method, level):
    def error(**options):
        return heldout.evaluate_counts(wrong=12, of=40, method=method, **options)["error_rate"]

    both = error(confidence_level=2 * level - 1)
    upper, lower = (error(confidence_level=level, side=side) for side in ("upper", "lower"))
    assert (upper.low, upper.high) == (0.0, pytest.approx(both.high, abs=1e-12))
    assert (lower.low, lower.high) == (pytest.approx(both.low, abs=1e-12), 1.0)
    assert upper.method == f"{both.method}, upper bound"
    assert upper.level == lower.level == level


def test_A2_one_sided_on_the_command_line(command):
    both = command("--wrong", 12, "--of", 40, "--level", 0.90)["estimates"]["error_rate"]
    upper = command("--wrong", 12, "--of", 40, "--level", 0.95, "--side", "upper")["estimates"]["error_rate"]
    assert upper["high"] == pytest.approx(both["high"], abs=1e-12)
    assert upper["low"] == 0.0


@pytest.mark.parametrize(
    "method",
    [
        "auto",
        "wilson",
        "wilson_cc",
        "exact",
        "midp",
        "blaker",
        "likelihood_ratio",
        "logit",
        "jeffreys",
        "agresti_coull",
        "normal",
    ],
)
@pytest.mark.parametrize("wrong", [0, 20])
def test_A3_no_errors_never_give_a_zero_width_interval(method, wrong):
    error = heldout.evaluate_counts(wrong=wrong, of=20, method=method)["error_rate"]
    assert error.high - error.low > 0.05
    assert error.low <= error.value <= error.high


def test_A3_a_better_default_and_a_warning_where_normal_is_forced(command):
    error = heldout.evaluate_counts(wrong=0, of=20)["error_rate"]
    assert (error.low, error.high, error.method) == (0.0, pytest.approx(0.1611, abs=5e-5), "Wilson")
    assert error.notes == ("fewer than 30 rows: the guaranteed (Clopper-Pearson) interval is [0.000, 0.168]",)
    shown = command("--wrong", 0, "--of", 20, "--method", "normal")["estimates"]["error_rate"]
    said = "the normal interval is not valid here ({}; it needs 30 and 5): it covers too rarely, use wilson"
    assert shown["notes"] == [
        said.format("n = 20, n p (1 - p) = 0"),
        "the normal interval has no width here; Wilson's is shown",
    ]
    assert shown["high"] == error.high
    few = heldout.evaluate_counts(wrong=2, of=100, method="normal")["error_rate"]  # n p (1 - p) < 5
    assert few.notes[0] == said.format("n = 100, n p (1 - p) = 1.96")
    assert heldout.evaluate_counts(wrong=12, of=40, method="normal")["error_rate"].notes == ()


def test_A3_the_simulated_rate_of_the_normal_interval_is_its_own(command):
    """At 0 of n Wilson's interval is shown in its place; a rate that counted it would say the normal one covers."""
    (plain,) = heldout.lab.coverage("normal", "coin:p=0.15", 20)
    assert plain.coverage == pytest.approx(0.8185, abs=5e-5)
    rows = heldout.lab.coverage("normal", "labels:prevalence=0.05,precision=0.7,recall=0.7", 20, metrics="error_rate")
    (coin,) = heldout.lab.coverage("normal", "coin:p=0.97", 20, metrics="error_rate")
    assert rows[0].truth == pytest.approx(coin.truth)
    assert rows[0].coverage == pytest.approx(coin.coverage)
    assert coin.coverage < 0.5
    shown = command("--wrong", 3, "--of", 20, "--method", "normal")["estimates"]["error_rate"]
    assert shown["card"]["rate"] < 0.9
    for wrong in (0, 1, 3):
        card = heldout.evaluate_counts(wrong=wrong, of=20, method="normal")["error_rate"].card
        assert card is None or card.rate < 0.9
