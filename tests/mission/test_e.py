"""Comparisons and tests: rows E1, E2, E4 and E5 of what the system must do."""

from __future__ import annotations

import json
import re
from math import erfc, sqrt

import numpy as np
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

import heldout
from heldout.cli import verbs
from heldout.stats import mcnemar, textbook_z
from heldout.test import binomial, chi_square, likelihood_ratio

TESTS = (
    "binomial 15 --of 20 --share 0.5 --alternative greater --alpha 0.01",
    "chi2 10 15 8 20",
    "lr 0.3 -1.2 2.2 0.8 -1.9 0.1 2.7 -0.4 --sigma0 1 --sigma1 2",
    "proportions 30 100 20 100",
)


def printed(arguments, *more):
    result = CliRunner().invoke(verbs, ["test", *arguments.split(), *more])
    assert result.exit_code == 0, result.output
    return result.stdout


def answer(arguments):
    return json.loads(printed(arguments, "--format", "json"))


@pytest.fixture
def scored():
    """A truth and two correlated scores, of which the second is better."""
    rng = np.random.default_rng(5)
    truth = np.tile([0, 1], 100)
    noise = rng.normal(size=200)
    first, second = (1 / (1 + np.exp(-(strength * (truth - 0.5) + noise))) for strength in (0.8, 2.0))
    return truth, first, second


def test_E1_textbook_difference():
    found = textbook_z(30, 100, 20, 100, 0.95)
    assert found.value == pytest.approx(0.1)
    assert found.value / found.statistic == pytest.approx(0.0608, abs=5e-5)  # the standard error
    assert round(found.statistic, 2) == 1.64
    assert 1 - found.pvalue / 2 == pytest.approx(0.95, abs=5e-4)  # one-sided: P(d > 0)
    assert (round(found.low, 4), round(found.high, 4)) == (-0.0192, 0.2192)


def wrong(count, rows):
    """A truth, and predictions of which so many are wrong."""
    truth = np.tile([0, 1], rows // 2)
    return truth, np.where(np.arange(rows) < count, 1 - truth, truth)


def test_E1_two_models_on_samples_of_their_own():
    models = {"second": wrong(20, 100), "first": wrong(30, 100)}
    found = heldout.compare(models, paired=False, primary="error_rate", test="z")["error_rate"]
    assert (round(found.value, 3), round(found.low, 4), round(found.high, 4)) == (0.1, -0.0192, 0.2192)
    assert found.test == "z, textbook"
    assert "z = 1.64; one-sided, P(d > 0) = 0.950" in found.notes
    default = heldout.compare(models, paired=False, primary="error_rate")["error_rate"]
    assert default.test == "Newcombe"
    assert default.low < 0 < default.high


def test_E1_on_the_command_line():
    found = answer("proportions 30 100 20 100 --textbook")
    assert (round(found["statistic"], 2), round(1 - found["pvalue"] / 2, 2)) == (1.64, 0.95)
    assert (round(found["effect"]["low"], 4), round(found["effect"]["high"], 4)) == (-0.0192, 0.2192)


def test_E2_errors_by_mcnemar():
    truth = np.ones(100, int)
    truth[60:] = 0
    first, second = truth.copy(), truth.copy()
    second[:25] = 1 - second[:25]  # right by the first model only
    first[70:85] = 1 - first[70:85]  # right by the second model only
    found = heldout.compare(truth, {"second": second, "first": first}, primary="accuracy")["accuracy"]
    assert found.test == "McNemar mid-p, 25 vs 15"
    assert found.value == pytest.approx(0.10)
    assert found.low < found.value < found.high
    assert found.pvalue == mcnemar(25, 15, method="midp") == pytest.approx(0.117275, abs=1e-6)
    assert mcnemar(25, 15, method="exact") == pytest.approx(0.153860, abs=1e-6)
    assert mcnemar(25, 15, method="asymptotic") == pytest.approx(0.113846, abs=1e-6)
    assert mcnemar(25, 15, method="corrected") == pytest.approx(0.154729, abs=1e-6)


def test_E2_areas_by_delong(scored):
    truth, first, second = scored
    models = {"first": first, "second": second}
    default = heldout.compare(truth, models, primary="roc_auc", metrics="roc_auc")["roc_auc"]
    found = heldout.compare(truth, models, primary="roc_auc", metrics="roc_auc", test="delong")["roc_auc"]
    wins = [np.sign(s[truth == 1][:, None] - s[truth == 0]) / 2 + 0.5 for s in (first, second)]
    apart = wins[1] - wins[0]
    error = sqrt(apart.mean(axis=1).var(ddof=1) / 100 + apart.mean(axis=0).var(ddof=1) / 100)
    assert (default.test, found.test) == ("DeLong, paired", "DeLong, paired, z")
    assert default.value == found.value == pytest.approx(apart.mean())
    assert (default.low, default.high) == pytest.approx((found.low, found.high), rel=0.02)  # t, a little wider
    assert (found.low, found.high) == pytest.approx(apart.mean() + 1.959964 * error * np.array([-1, 1]), abs=1e-6)
    assert found.pvalue == pytest.approx(erfc(apart.mean() / error / sqrt(2)), rel=1e-6)


@pytest.mark.parametrize(
    ("name", "test", "p"),
    [
        ("accuracy", "mcnemar", 0.117275),
        ("accuracy", "exact", 0.153860),
        ("error_rate", "asymptotic", 0.113846),
        ("error_rate", "corrected", 0.154729),
    ],
)
def test_E2_errors_by_name(name, test, p):
    truth = np.tile([0, 1], 50)
    first, second = truth.copy(), truth.copy()
    second[:25], first[70:85] = 1 - second[:25], 1 - first[70:85]
    found = heldout.compare(truth, {"second": second, "first": first}, primary=name, test=test)[name]
    assert found.pvalue == pytest.approx(p, abs=1e-6)
    assert found.low < found.value < found.high


@pytest.mark.parametrize("name", ["f1", "mcc", "log_loss", "brier", "average_precision", "recall"])
def test_E2_any_measure(scored, name):
    truth, first, second = scored
    found = heldout.compare(truth, {"first": first, "second": second}, primary=name, metrics=name, n_resamples=200)[
        name
    ]
    assert found.low < found.value < found.high
    assert 0 <= found.pvalue <= 1
    assert found.test


def test_E4_binomial():
    found = binomial(15, 20, 0.5, alternative="greater", alpha=0.01)
    assert (round(found.pvalue, 4), found.decision) == (0.0207, "fail to reject")
    shown = answer(TESTS[0])
    assert (round(shown["pvalue"], 4), shown["decision"], shown["alpha"]) == (0.0207, "fail to reject", 0.01)
    text = printed(TESTS[0])
    assert text.startswith(
        "effect  value  99% CI          p       test\n"
        "share   0.750  [0.468, 1.000]  0.0207  exact binomial, greater, x 15\n"
        "\n"
        "DECISION  fail to reject that the share is 0.5, against: the share is greater\n"
        "          than 0.5 (alpha 0.01)\n"
    )


def test_E4_chi_square():
    found = chi_square(np.array([10, 15, 8, 20]))
    assert (round(found.statistic, 3), round(found.pvalue, 3), found.decision) == (6.547, 0.088, "fail to reject")
    shown = answer(TESTS[1])
    assert (round(shown["statistic"], 3), round(shown["pvalue"], 3)) == (6.547, 0.088)


def test_E4_likelihood_ratio():
    data = np.array([0.3, -1.2, 2.2, 0.8, -1.9, 0.1, 2.7, -0.4])
    found = likelihood_ratio(data, 1, 2)
    likelihoods = [np.sum(-np.log(sigma) - data**2 / (2 * sigma**2)) for sigma in (1, 2)]
    assert found.likelihood.log_ratio == pytest.approx(likelihoods[1] - likelihoods[0])
    shown = answer(TESTS[2])
    assert (shown["log_ratio"], shown["power"]) == (found.likelihood.log_ratio, found.found.power)
    assert shown["decision"] == "reject"


def test_E4_size_and_power_are_as_stated():
    rng = np.random.default_rng(7)
    found = likelihood_ratio(np.ones(8), 1, 2)
    sums = (rng.normal(size=(20_000, 8)) ** 2).sum(axis=1)
    assert np.mean(sums >= found.likelihood.critical) == pytest.approx(0.05, abs=0.005)
    assert np.mean(4 * sums >= found.likelihood.critical) == pytest.approx(found.found.power, abs=0.01)
    assert found.found.beta == pytest.approx(1 - found.found.power)


@pytest.mark.parametrize("arguments", TESTS)
def test_E5_no_p_without_effect_and_interval(arguments):
    shown = answer(arguments)
    assert shown["effect"]["low"] <= shown["effect"]["value"] <= shown["effect"]["high"]
    assert shown["effect"]["low"] < shown["effect"]["high"]
    Draft202012Validator(heldout.schema("heldout.test/1")).validate(shown)
    del shown["effect"]
    assert not Draft202012Validator(heldout.schema("heldout.test/1")).is_valid(shown)
    heads, values = (re.split(" {2,}", line) for line in printed(arguments).splitlines()[:2])
    assert [re.sub(r"^\d+%", "", head) for head in heads[:4]] == ["effect", "value", " CI", "p"]
    assert all(values[:4])
    assert values[2].startswith("[")


@pytest.mark.parametrize(
    ("paired", "test"),
    [(True, None), (True, "t"), (True, "bootstrap"), (True, "permutation"), (False, None), (False, "t")],
)
def test_E5_whatever_the_test(scored, paired, test):
    truth, first, second = scored
    models = {"first": (truth, first), "second": (truth, second)}
    names = ["accuracy", "f1", "roc_auc", "brier"]
    found = heldout.compare(models, paired=paired, metrics=names, test=test, n_resamples=100)
    assert [one.metric for one in found.differences] == names
    for one in found.differences:
        assert 0 < one.pvalue < 1
        assert one.low < one.value < one.high


def test_E5_differences_of_models(scored):
    truth, first, second = scored
    names = ["accuracy", "recall", "f1", "mcc", "roc_auc", "average_precision", "brier", "log_loss"]
    found = heldout.compare(truth, {"first": first, "second": second}, metrics=names, n_resamples=100)
    tested = [one for one in found.differences if np.isfinite(one.pvalue)]
    assert [one.metric for one in tested] == names
    assert [one.metric for one in tested if not np.isfinite([one.value, one.low, one.high]).all()] == []
