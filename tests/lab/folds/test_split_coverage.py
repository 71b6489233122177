"""Intervals over splits in worlds where the error of the learner is known."""

from __future__ import annotations

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from heldout import lab
from heldout.errors import UsageError
from heldout.intervals.over_splits import nested
from heldout.lab.folds.split_interval_methods import INNER, LAYOUTS, METHODS, Seen, methods
from heldout.lab.folds.test_rows import Layout
from heldout.lab.folds.true_errors import expected_error, ground, noise, true_errors
from heldout.lab.folds.vectorised_fits import discriminants, planes
from heldout.lab.learning.gaussian_world import error_of
from heldout.lab.learning.small_learners import linear
from heldout.report.schema import schema

RNG = np.random.default_rng
QUICK = {"n": 60, "repeats": 10, "world": "noise:features=5"}


def seen(layout, losses):
    return Seen(layout=layout, losses=losses, every=lambda: np.array([[0.0, 1.0], [1.0, 0.0]]))


def test_the_error_of_planes_on_noise():
    """1 + |b|², and on average (1 + 1 / n) (1 + p / (n - p - 2))."""
    X, y = noise(features=3).sample(20, RNG(0))
    part = np.ones((1, 20), int)
    slopes = planes(X, y, part)

    def said(at):
        return slopes[:, :1] + slopes[:, 1:] @ at.T

    assert true_errors(noise(features=3), said, RNG(0)) == pytest.approx(1 + (slopes**2).sum(axis=1))
    drawn = np.array([(planes(*noise(features=3).sample(20, RNG(at)), part) ** 2).sum() for at in range(4000)])
    known = expected_error("least_squares", "noise:features=3", 20).value - 1
    assert drawn.mean() == pytest.approx(known, abs=4 * drawn.std() / np.sqrt(4000))


def test_the_error_of_rules_of_classes():
    world = ground("gaussian:distance=1.5,dimensions=5")
    X, y = world.sample(50, RNG(0))
    exact, _ = error_of(world, linear().fit(X, y), RNG(0))
    drawn = [true_errors(world, discriminants(X, y, np.ones((1, 50), int)), RNG(at))[0] for at in range(30)]
    assert np.mean(drawn) == pytest.approx(exact, abs=4 * np.std(drawn) / np.sqrt(30))
    assert np.std(drawn) < 0.004


def test_nested_losses_are_put_together_by_turn():
    """Against the same by loops: every turn has its fold under the model without it, and the others under pairs."""
    layout = LAYOUTS["nested:25x5"](20, RNG(0))
    losses = RNG(1).exponential(size=layout.tested.shape)
    first, second = np.triu_indices(INNER)
    line = {frozenset(pair): at for at, pair in enumerate(zip(first.tolist(), second.tolist(), strict=True))}
    parts = []
    for repeat, place in enumerate(layout.places):
        for turn in range(INNER):
            for row, fold in enumerate(place.tolist()):
                loss = losses[repeat * len(first) + line[frozenset((turn, fold))], row]
                parts.append((loss, repeat * INNER + turn, fold != turn))
    wanted = nested(*zip(*parts, strict=True), 0.9, folds=INNER, rows=20)
    (one,) = methods(["nested"])
    assert one.found(seen(layout, losses), 0.9) == wanted


def test_folds_give_every_row_once():
    layout = LAYOUTS["10"](40, RNG(0))
    losses = np.broadcast_to(np.arange(40.0), layout.tested.shape)
    by_row, place = seen(layout, losses).by_row
    assert by_row.tolist() == list(range(40))
    assert (layout.tested[place, np.arange(40)]).all()


def test_what_has_no_spread_has_no_interval():
    layout = LAYOUTS["10"](40, RNG(0))
    (one,) = methods(["all_pairs"])
    assert np.isnan(one.found(seen(layout, np.zeros(layout.tested.shape)), 0.95).low)


@pytest.mark.parametrize("one", METHODS, ids=lambda one: one.name)
def test_every_method_says_what_its_result_says(one):
    layout: Layout = LAYOUTS[one.splits](40, RNG(0))
    found = one.found(seen(layout, RNG(1).integers(0, 2, layout.tested.shape).astype(float)), 0.95)
    assert (found.method, found.target) == (one.words, one.target)


def test_what_is_asked_beside_a_method_does_not_change_it():
    (alone,) = lab.split_coverage("within_folds", **QUICK)
    assert alone in lab.split_coverage(["all_pairs", "within_folds", "corrected_t"], **QUICK)


def test_an_interval_of_the_model_is_held_against_the_model():
    """With next to no training the models differ much from the learner's mean."""
    (found,) = lab.split_coverage("holdout", n=60, world="noise:features=40", confidence_level=0.9, repeats=100)
    assert found.target == "this model"
    assert found.covers_target > found.covers_learner - 0.05
    assert found.truth == pytest.approx(expected_error("least_squares", "noise:features=40", 60).value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"methods": "nestd"},
            (
                "no interval over splits is named 'nestd'; did you mean 'nested'?\n"
                "  Fix: choose of all_pairs, within_folds, naive_fold_interval, corrected_t, holdout, nested,"
                " conservative_z, leave_one_out, out_of_bag, dot632, dot632_plus, with splits where there are"
                " several, as in corrected_t@10"
            ),
        ),
        ({"confidence_level": 1.0}, "level is 1, which is not between 0 and 1\n  Fix: write a number such as 0.95"),
        (
            {"models": "knn"},
            "knn learns classes, and noise:features=5 has none\n  Fix: take least_squares, or the world gaussian",
        ),
        (
            {"models": "knn", "world": "gaussian:classes=3"},
            "gaussian:distance=2,classes=3 has 3 classes, not two\n  Fix: leave out classes=",
        ),
        (
            {"world": "noise:features=58"},
            "least squares of 58 features on 60 rows has no mean error\n  Fix: take 61 or more",
        ),
        (
            {"world": "noise:features=0"},
            (
                "features of the world 'noise' is 0, but must be from 1 to 1,000\n"
                "  Fix: give features another value, or leave it out; heldout lab world lists the parameters"
            ),
        ),
    ],
)
def test_what_makes_no_sense_is_refused(given, message):
    with pytest.raises(UsageError) as caught:
        lab.split_coverage(given.pop("methods", ()), **{**QUICK, **given})
    assert str(caught.value) == message


def test_the_facts_keep_to_their_schema():
    found = lab.split_coverage(("all_pairs", "holdout"), **QUICK)
    result = found.to_dict()
    assert (result["level"], result["seed"]) == (0.95, 0)
    assert result["results"] == [one.to_dict() for one in found]
    Draft202012Validator(schema("heldout.split-coverage/1")).validate(result)
