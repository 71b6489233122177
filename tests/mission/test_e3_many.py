"""Many models at once: row E3 of what the system must do, in seeded simulations through `compare`."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np
import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import verbs

pytestmark = pytest.mark.simulation

EQUAL = (0.2, 0.2, 0.2, 0.2, 0.2)
ONE_BETTER = (0.2, 0.2, 0.15, 0.2, 0.4)
REPEATS = {EQUAL: 300, ONE_BETTER: 100}


def drawn(rng, errors, rows=150):
    """A truth and models with these error rates, whose errors are correlated."""
    truth = (rng.random(rows) < 0.3).astype(int)
    together = rng.random(rows)
    models = {}
    for place, error in enumerate(errors):
        hard = np.where(rng.random(rows) < 0.4, together, rng.random(rows))
        models[f"m{place}"] = np.where(hard < error, 1 - truth, truth)
    return truth, models


@lru_cache(maxsize=4)
def compared(errors):
    """Comparisons of five models, over and over."""
    rng = np.random.default_rng(1)
    return [
        heldout.compare(
            *drawn(rng, errors), primary="accuracy", metrics="accuracy", n_resamples=500, random_state=place
        )
        for place in range(REPEATS[errors])
    ]


def share(holds):
    return float(np.mean(list(holds)))


def luck(errors):
    """Three Monte Carlo errors of a share of 5%."""
    return 3 * (0.05 * 0.95 / REPEATS[errors]) ** 0.5


def test_E3_the_family_wise_error_is_held():
    """All models are equally good: a verdict on any of the four differences is an error."""
    found = compared(EQUAL)
    wrong = share(any(one.verdict != "UNDECIDED" for one in each.differences) for each in found)
    uncorrected = share(any(one.pvalue < 0.05 for one in each.differences) for each in found)
    assert wrong <= 0.05 + luck(EQUAL) < uncorrected


@pytest.mark.parametrize("errors", [EQUAL, ONE_BETTER])
def test_E3_the_intervals_hold_together(errors):
    """All four true differences lie in their intervals at once, as often as the level says."""
    true = {f"m{place}": errors[0] - error for place, error in enumerate(errors)}
    held = share(all(one.low <= true[one.model] <= one.high for one in each.differences) for each in compared(errors))
    assert held >= 0.95 - luck(errors)


def test_E3_corrected_p_values_are_never_below_the_plain_ones():
    every = [one for each in compared(EQUAL) for one in each.differences]
    assert all(one.pvalue <= one.pvalue_adjusted <= 1 for one in every)


def test_E3_a_model_that_is_worse_is_still_found():
    found = compared(ONE_BETTER)
    assert share(each.differences[-1].verdict == "WORSE" for each in found) > 0.9


@pytest.mark.parametrize("errors", [EQUAL, ONE_BETTER])
def test_E3_the_set_not_told_from_the_best_holds_the_best(errors):
    """Where all are equally good, each of them is the best; the third stands for them."""
    found = [each.best_of_many.indistinguishable for each in compared(errors)]
    assert share("m2" in members for members in found) >= 0.95 - luck(errors)


def test_E3_the_set_leaves_out_what_is_clearly_worse():
    found = [each.best_of_many.indistinguishable for each in compared(ONE_BETTER)]
    assert share("m4" in members for members in found) < 0.05


def test_E3_the_winner_is_freed_of_its_optimism():
    """Of five equal models the best one seen looks better than it is; the corrected value much less so."""
    found = [each.best_of_many for each in compared(EQUAL)]
    seen = np.mean([one.value + one.optimism for one in found]) - 0.8
    left = np.mean([one.value for one in found]) - 0.8
    assert seen > 0.02
    assert abs(left) < seen / 2
    assert share(one.low <= 0.8 for one in found) >= 0.975 - luck(EQUAL)


def test_E3_on_the_command_line(file):
    """The five files of a user, and what is said about them together."""
    truth, models = drawn(np.random.default_rng(1), ONE_BETTER)
    paths = [file(f"{name}.csv", truth=truth, prediction=said) for name, said in models.items()]
    options = ["--primary", "accuracy", "--format", "json"]
    result = CliRunner().invoke(verbs, ["compare", *map(str, paths), *options])
    assert result.exit_code == 0, result.output
    shown = json.loads(result.stdout)
    best = shown["best_of_many"]["best"]
    assert best in shown["best_of_many"]["indistinguishable"]
    assert shown["best_of_many"]["optimism"] > 0
    assert shown["best_of_many"]["corrected"]["value"] < shown["estimates"][best]["accuracy"]["value"]
    deciding = [one for one in shown["differences"] if one["metric"] == "accuracy"]
    assert len(deciding) == 4
    assert all(one["pvalue"] <= one["pvalue_adjusted"] for one in deciding)
