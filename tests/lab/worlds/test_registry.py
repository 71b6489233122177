"""Worlds: their words, what they draw, and that what they call true is what many rows show."""

from __future__ import annotations

import numpy as np
import pytest

from heldout import lab
from heldout.errors import UsageError
from heldout.formulas import metric
from heldout.lab.worlds import Pair, moved, one_model, several_models, world
from heldout.lab.worlds.registry import FAMILIES
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

ROWS = 40_000
WORDS = (
    "coin:p=0.2",
    "labels:prevalence=0.3,precision=0.6,recall=0.7",
    "classes:right=0.7",
    "binormal:auc=0.8,prevalence=0.1",
    "binormal:auc=0.9,fixed=1,weights=0.5",
    "columns:apart=1.5",
    "probabilities:prevalence=0.1,noise=0.5",
    "probabilities:slope=2,shift=0.3",
    "logistic:strength=2",
    "numbers:noise=laplace,own=0.5",
    "numbers:noise=skewed",
    "numbers:noise=exponential,own=0.3,knows=0.6",
    "clustered-labels:size=4",
)
DRAWN = ("eer", "ks", "partial_auc", "lift@10%", "gain@10%", "median_absolute_error", "rms_calibration_error_debiased")
"""Metrics whose intervals take long; their true values are looked at without one."""


@pytest.mark.parametrize("word", WORDS)
def test_many_rows_come_near_every_true_value(word):
    found = one_model(word)
    measured = Measurement(found.draw(ROWS, np.random.default_rng(1)), Settings(draws=100))
    off = {}
    for name, truth in found.values.items():
        if np.isfinite(truth) and name not in DRAWN and not name.startswith("cost"):
            one = measured.one(metric(name))
            reach = max((one.high - one.low) / 2, 1e-9)
            if abs(one.value - truth) > 2.5 * reach:  # five standard errors
                off[name] = (truth, float(one.value))
    assert off == {}


def test_true_values_of_textbooks():
    assert one_model("binormal:auc=0.9").truth("gini") == pytest.approx(0.8)
    errors = {1: 0.325143, 2: 0.222010, 4: 0.128780, 5**0.5: 0.205371}
    found = {strength: one_model(f"logistic:strength={strength}").recipe.bayes_error for strength in errors}
    assert found == pytest.approx(errors, abs=2e-6)
    assert one_model("logistic:strength=2").truth("error_rate") == pytest.approx(0.222010, abs=2e-5)
    assert one_model("numbers").truth("mae") == pytest.approx(np.sqrt(2 / np.pi), abs=1e-5)
    assert one_model("numbers").truth("median_absolute_error") == pytest.approx(0.674490, abs=1e-5)
    assert one_model("numbers:noise=t3").truth("mae") == pytest.approx(2 / np.pi, abs=1e-3)


def test_the_area_among_probabilities_without_noise_is_that_of_all_orders_of_them():
    calm, stretched = (one_model(f"probabilities:slope={slope},shift=1") for slope in (1, 3))
    assert calm.truth("roc_auc") == pytest.approx(stretched.truth("roc_auc"), abs=1e-6)
    assert calm.truth("log_loss") < stretched.truth("log_loss")


def test_equal_seeds_draw_equal_rows():
    place = one_model("binormal")
    one, same, other = (place.draw(50, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert np.array_equal(one.score, same.score)
    assert not np.array_equal(one.score, other.score)


def test_models_of_a_pair_share_truth_weights_and_units():
    drawn = several_models("clustered-pair-labels:size=5,weights=0.4,models=3").draw(100, np.random.default_rng(0))
    assert list(drawn) == ["a", "b", "c"]
    first = drawn["a"]
    assert first.units == 20
    assert all(np.array_equal(first.truth, one.truth) for one in drawn.values())
    assert all(one.weight is first.weight for one in drawn.values())
    assert not np.array_equal(first.prediction, drawn["b"].prediction)


def test_the_correlation_is_that_of_what_models_have_of_their_own():
    for asked in (0.0, 0.6, 0.95):
        drawn = several_models(f"pair-numbers:own=1,correlation={asked}").draw(20_000, np.random.default_rng(2))
        errors = [one.prediction - drawn["a"].truth for one in drawn.values()]
        own = [error - np.mean(errors, axis=0) for error in errors]  # what they share beyond the truth
        assert np.var(own[0]) == pytest.approx((1 - asked) / 2, abs=0.02)


def test_a_gain_makes_the_later_models_better():
    assert several_models("pair-coin:p=0.8,gain=0.05").truth("accuracy") == pytest.approx(0.05)
    assert several_models("pair-binormal:auc=0.8,gain=0.03").truth("roc_auc") == pytest.approx(0.03)
    assert several_models("pair-numbers:own=1,gain=0.5").truth("rmse") == pytest.approx(1.25**0.5 - 2**0.5)
    assert several_models("pair-probabilities:noise=1,gain=0.5").truth("log_loss") < 0
    assert several_models("pair-labels").truth("f1") == 0


def test_classes_of_fixed_size():
    place = one_model("binormal:prevalence=0.1,fixed=1")
    assert {int(place.draw(100, np.random.default_rng(seed)).truth.sum()) for seed in range(5)} == {10}


def test_digits_make_ties():
    score = one_model("binormal:digits=0").draw(100, np.random.default_rng(0)).score
    assert len(np.unique(score)) < 15


def test_rows_of_a_unit_are_alike():
    right = one_model("clustered-coin:p=0.5,icc=0.8,size=2").draw(20_000, np.random.default_rng(0)).prediction
    pairs = right.reshape(-1, 2)
    # two normals of correlation r exceed 0 together with chance 1/4 + asin(r) / 2 pi
    assert np.mean(pairs.all(axis=1)) == pytest.approx(0.25 + np.arcsin(0.8) / (2 * np.pi), abs=0.015)


def test_every_family_draws_and_knows_its_first_metric():
    for family in FAMILIES:
        assert one_model(family).draw(10, np.random.default_rng(0)).rows == 10
        assert isinstance(world(f"pair-{family}:gain=0"), Pair)


def test_moving_a_world():
    assert moved("coin", 1.2) == "coin:p=0.88"
    assert moved("labels:precision=0.7,recall=0.4", 0.5) == "labels:precision=0.7,recall=0.2"
    assert moved("numbers:noise=t3,own=2", 2) == "numbers:noise=t3,own=4"


FIX = f"  Fix: choose one of {', '.join(FAMILIES)}, with pair- or clustered- before it if you like"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: world("coyn:p=1"), f"no world is named 'coyn'; did you mean 'coin'?\n{FIX}"),
        (lambda: world("pairs"), f"no world is named 'pairs'; did you mean 'pair-'?\n{FIX}"),
        (
            lambda: world("coin:q=0.5"),
            ("the world 'coin' has no parameter 'q'\n"
            "  Fix: it has p, icc, size, largest, weights, hard, heavy, rho, digits, ties, fixed"),
        ),
        (
            lambda: world("coin:p"),
            "the world 'coin:p' has 'p', which is not a parameter\n  Fix: write name=value",
        ),
        (lambda: world("coin:p=half"), ("the parameter p of the world 'coin' is 'half', but must be a number\n"
"  Fix: give p such a value; heldout lab world lists the parameters")),
        (lambda: world("numbers:noise=3"), ("the parameter noise of the world 'numbers' is 3.0, but must be a word\n"
"  Fix: give noise such a value; heldout lab world lists the parameters")),
        (
            lambda: world("numbers:noise=laplce"),
            ("no noise is named 'laplce'; did you mean 'laplace'?\n"
            "  Fix: choose one of normal, t3, laplace, skewed, lognormal, exponential, gamma, zeros"),
        ),
        (lambda: world("coin:p=1.5"), "the p of a world is 1.5, but must lie between 0 and 1\n  Fix: such as p=0.5"),
        (
            lambda: world("coin:icc=2"),
            ("icc of the world 'coin:icc=2' is 2, but must be from 0 to below 1\n"
"  Fix: give icc another value, or leave it out; heldout lab world lists the parameters"),
        ),
        (
            lambda: world("pair-coin:models=1"),
            ("models of the world 'pair-coin:models=1' is 1, but must be from 2 to 1,000\n"
"  Fix: give models another value, or leave it out; heldout lab world lists the parameters"),
        ),
        (
            lambda: one_model("pair-coin"),
            ("the world 'pair-coin' has 2 models, and one is wanted\n"
            "  Fix: leave out pair-, or ask for its size: heldout lab size --world pair-coin"),
        ),
        (
            lambda: several_models("coin"),
            "the world 'coin' has one model, and two are wanted\n  Fix: write pair-coin",
        ),
        (
            lambda: one_model("coin").truth("roc_auc"),
            "the world coin does not know its roc_auc\n  Fix: it knows accuracy, error_rate, recall",
        ),
    ],
)  # fmt: skip
def test_messages(call, message):
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == message


def test_rows_that_depend_on_those_before_have_times():
    """Their intervals are those of time series: without times they covered 71% at rho 0.8, with them 95%."""
    drawn = world("coin:p=0.7,rho=0.8").draw(30, np.random.default_rng(0))
    assert drawn.time is not None
    assert drawn.unit.tolist() == list(range(30))
    (found,) = lab.coverage("auto", "classes:right=0.7,rho=0.8", 150, metrics="accuracy", repeats=400)
    assert found.coverage > 0.93 - 3 * found.error


def test_rows_have_times_or_clusters():
    with pytest.raises(UsageError, match="has both rho and clusters"):
        world("clustered-coin:p=0.7,rho=0.5")
