"""Mission H: planning, learning and what a model could reach at best."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.special import ndtri, stdtrit

import heldout
from heldout import plan
from heldout.cli import verbs
from heldout.stats import mcnemar, textbook_z


def planned(*arguments):
    """The designs that `heldout plan` names, each with its rows."""
    result = CliRunner().invoke(verbs, ["plan", *map(str, arguments), "--format", "json"])
    assert result.exit_code == 0, result.output
    return {one["name"]: one["rows"] for one in json.loads(result.stdout)["designs"]}


@pytest.mark.parametrize(("share", "half_width"), [(0.85, 0.02), (0.5, 0.05), (0.97, 0.01)])
def test_H6_an_interval_of_the_planned_rows_has_the_planned_width(share, half_width):
    rows = planned("interval", "accuracy", share, "--half-width", half_width)["one model"]
    right = round(share * rows)
    found = heldout.evaluate([1] * rows, [1] * right + [0] * (rows - right), metrics="accuracy", pos_label=1)
    assert (found["accuracy"].high - found["accuracy"].low) / 2 == pytest.approx(half_width, rel=0.02)


@pytest.mark.parametrize("method", ["binormal", "hanley_mcneil"])
def test_H6_an_interval_of_an_area_has_the_planned_width(method):
    asked = ("roc_auc", 0.8, "--half-width", 0.02, "--prevalence", 0.25, "--method", method)
    rows = planned("interval", *asked)["one model"]
    truth, rng, widths = np.arange(rows) % 4 == 0, np.random.default_rng(6), []
    for _ in range(16):  # the width of one draw varies by 3%
        score = rng.normal(ndtri(0.8) * 2**0.5 * truth)
        if method == "hanley_mcneil":
            score = rng.exponential(np.where(truth, 4.0, 1.0))
        found = heldout.evaluate(truth.astype(int), y_score=score, metrics="roc_auc")["roc_auc"]
        widths.append((found.high - found.low) / 2)
    assert np.mean(widths) == pytest.approx(0.02, rel=0.03)


@pytest.mark.parametrize(
    ("value", "gain", "disagree"), [(0.85, 0.02, 0.08), (0.7, 0.1, 0.3), (0.9, 0.03, 0.04), (0.6, 0.15, 0.2)]
)
def test_H6_planned_power_80_is_measured_paired(value, gain, disagree):
    """E2: McNemar on the same rows."""
    rows = planned("difference", "accuracy", value, "--gain", gain, "--power", 0.8, "--disagree", disagree)["paired"]
    better, worse = (disagree + gain) / 2, (disagree - gain) / 2
    drawn = np.random.default_rng(6).multinomial(rows, [better, worse, 1 - disagree], 5000)
    found = [b > c and mcnemar(b, c) <= 0.05 for b, c, _ in drawn.tolist()]
    assert 0.77 <= np.mean(found) <= 0.83


@pytest.mark.parametrize(("value", "gain"), [(0.85, 0.02), (0.7, 0.1), (0.5, 0.2)])
def test_H6_planned_power_80_is_measured_unpaired(value, gain):
    """E1: two independent samples."""
    rows = planned("difference", "accuracy", value, "--gain", gain, "--power", 0.8)["unpaired"]
    rng = np.random.default_rng(6)
    first, second = (rng.binomial(rows, share, 5000).tolist() for share in (value, value + gain))
    found = [y > x and textbook_z(y, rows, x, rows, 0.95).pvalue <= 0.05 for x, y in zip(first, second, strict=True)]
    assert 0.77 <= np.mean(found) <= 0.83


def power_for_areas(prevalence, exponential, method):
    """The measured power of DeLong's test on the same rows (E2), for unrelated models with areas 0.7 and 0.82."""
    asked = ("roc_auc", 0.7, "--gain", 0.12, "--prevalence", prevalence, "--method", method)
    rows = planned("difference", *asked)["paired"]
    positives, rng, draws = round(rows * prevalence), np.random.default_rng(6), 1500
    by_positive, by_negative = 0.0, 0.0
    for area, sign in ((0.7, -1), (0.82, 1)):
        shapes = (draws, positives, 1), (draws, 1, rows - positives)
        if exponential:
            positive, negative = rng.exponential(area / (1 - area), shapes[0]), rng.exponential(1.0, shapes[1])
        else:
            positive, negative = rng.normal(ndtri(area) * 2**0.5, 1.0, shapes[0]), rng.normal(0.0, 1.0, shapes[1])
        ahead = positive > negative
        by_positive, by_negative = by_positive + sign * ahead.mean(axis=2), by_negative + sign * ahead.mean(axis=1)
    variance = by_positive.var(axis=1, ddof=1) / positives + by_negative.var(axis=1, ddof=1) / (rows - positives)
    return np.mean(by_positive.mean(axis=1) / np.sqrt(variance) > 1.959964)


@pytest.mark.parametrize("prevalence", [0.2, 0.5, 0.8])
@pytest.mark.parametrize(("exponential", "method"), [(False, "binormal"), (True, "hanley_mcneil")])
def test_H6_planned_power_80_is_measured_for_areas(prevalence, exponential, method):
    assert 0.77 <= power_for_areas(prevalence, exponential, method) <= 0.83


@pytest.mark.parametrize(("prevalence", "measured"), [(0.2, 0.88), (0.5, 0.80), (0.8, 0.72)])
def test_H6_where_normal_scores_are_planned_for_as_exponential_the_plan_is_off_and_says_so(prevalence, measured):
    found = power_for_areas(prevalence, exponential=False, method="hanley_mcneil")
    assert found == pytest.approx(measured, abs=0.035)
    said = plan.difference("roc_auc", 0.7, gain=0.12, prevalence=prevalence, method="hanley_mcneil").assumptions
    assert (
        "scores are spread exponentially; where they are normal and the classes uneven, the simulated power "
        "is 60% to 91% (planned 80%): a pilot is safer"
    ) in said


def test_H6_a_plan_for_areas_says_what_scores_it_is_for():
    said = plan.difference("roc_auc", 0.7, gain=0.12, prevalence=0.2).assumptions
    assert any(one.startswith("scores are normal, with equal spread in both classes; ") for one in said)


def test_H6_planned_power_80_is_measured_for_means():
    rows = planned("difference", "mae", 1.0, "--gain", 0.3, "--sd", 0.8, "--correlation", 0.5)["paired"]
    apart = np.random.default_rng(6).normal(0.3, 0.8, (5000, rows))
    t = apart.mean(axis=1) / apart.std(axis=1, ddof=1) * np.sqrt(rows)
    assert rows < 65
    assert 0.77 <= np.mean(t > stdtrit(rows - 1, 0.975)) <= 0.83


def test_H6_a_comparison_that_is_undecided_asks_for_the_rows_that_are_planned():
    truth = np.tile([0, 1], 250)
    first, second = truth.copy(), truth.copy()
    first[:75] = 1 - first[:75]  # right on 85%
    second[25:90] = 1 - second[25:90]  # right on 87%; one only on 25 + 15 of 500 rows
    found = heldout.compare(truth, {"first": first, "second": second}, primary="accuracy")["accuracy"]
    rows = plan.difference("accuracy", 0.85, gain=0.02, disagree=0.08).rows
    assert (found.verdict, round(found.value, 12)) == ("UNDECIDED", 0.02)
    assert found.rows_needed == pytest.approx(rows, rel=0.03)


@pytest.mark.parametrize(("value", "gain", "disagree"), [(0.85, 0.02, 0.08), (0.7, 0.1, 0.3), (0.6, 0.15, 0.2)])
def test_H6_rows_and_power_are_a_round_trip(value, gain, disagree):
    asked = ("accuracy", value, "--gain", gain, "--disagree", disagree)
    rows = planned("difference", *asked, "--power", 0.9)
    for name in ("paired", "unpaired"):
        reached = plan.power("accuracy", value, rows=rows[name], gain=gain, disagree=disagree)[name].power
        fewer = plan.power("accuracy", value, rows=round(0.95 * rows[name]), gain=gain, disagree=disagree)[name].power
        assert fewer < 0.9 <= reached < 0.91


@pytest.mark.simulation
def test_H6_compare_finds_the_gain_as_often_as_planned():
    """E2 through the door that a user takes: `compare` on as many rows as `plan` asks for."""
    rows = planned("difference", "accuracy", 0.6, "--gain", 0.2, "--disagree", 0.3)["paired"]
    rng, found = np.random.default_rng(6), []
    for _ in range(300):
        truth, luck = rng.integers(0, 2, rows), rng.random(rows)
        # both are right on 55% of the rows, only the old model on 5%, only the new one on 25%
        right = (luck >= 0.45) | (luck < 0.05), (luck >= 0.45) | ((luck >= 0.05) & (luck < 0.30))
        models = {name: np.where(of, truth, 1 - truth) for name, of in zip(("old", "new"), right, strict=True)}
        found.append(heldout.compare(truth, models, primary="accuracy", metrics="accuracy").verdict)
    assert np.mean([verdict == "BETTER" for verdict in found]) == pytest.approx(0.8, abs=3 * (0.16 / 300) ** 0.5)
    assert "WORSE" not in found
