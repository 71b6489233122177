"""More than two models: who is best, who cannot be told from it, and what picking the best has added."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from heldout import compare
from heldout.errors import DataError
from heldout.formulas import METRICS
from heldout.inputs import from_arrays
from heldout.intervals.long_run import joint_long_run
from heldout.stats.best_of_many import joint_of, joint_of_sums, max_t, on_few_units, winner
from heldout.verbs.compare.many_models import best_of_many, deciding_metric
from heldout.verbs.compare.model_pair import carriers_of
from heldout.verbs.influence import unit_influence
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

ROWS = 400


def measured(shares, seed=1):
    """Models that are right in these shares of the rows, independently of each other."""
    rng = np.random.default_rng(seed)
    truth = np.arange(ROWS) % 2
    found = {}
    for name, share in shares.items():
        said = np.where(rng.permutation(ROWS) < share * ROWS, truth, 1 - truth)
        found[name] = Measurement(batch_of(truth, said), Settings())
    return found


def batch_of(truth, said):
    return from_arrays(truth, said, pos_label=1).batch


def test_the_best_and_those_not_told_from_it():
    models = measured({"good": 0.9, "alike": 0.89, "bad": 0.6})
    found = best_of_many(METRICS["accuracy"], models, "good")
    assert found.best == "good"
    assert found.indistinguishable == ("good", "alike")
    assert found.adjusted["bad"] < 0.001
    assert found.adjusted["alike"] > 0.2
    assert set(found.adjusted) == {"alike", "bad"}


def test_models_are_not_judged_together_by_a_metric_that_no_unit_moves_smoothly():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=60)
    found = compare(truth, {name: truth + rng.normal(size=60) for name in "abc"}, primary="median_absolute_error")
    assert found.best_of_many is None


def test_lower_is_better_where_the_metric_says_so():
    models = measured({"good": 0.9, "bad": 0.6, "worse": 0.5})
    found = best_of_many(METRICS["error_rate"], models, "bad")
    assert found.best == "good"
    assert found.value >= models["good"].value(METRICS["error_rate"])  # the correction makes an error larger


def test_picking_among_equals_adds_and_picking_a_clear_winner_does_not():
    equals = best_of_many(METRICS["accuracy"], measured({f"m{at}": 0.8 for at in range(8)}, seed=2), "m0")
    clear = best_of_many(METRICS["accuracy"], measured({"good": 0.95, "b": 0.5, "c": 0.5}, seed=2), "b")
    assert equals.optimism > 0.01
    assert clear.optimism < 0.002
    assert equals.low <= equals.value <= equals.high


def test_intervals_of_more_models_are_wider_to_hold_together():
    few, many = (
        best_of_many(METRICS["accuracy"], measured({f"m{at}": 0.8 for at in range(count)}), "m0").wider
        for count in (3, 8)
    )
    assert 1.05 < few < many < 1.6


def test_a_metric_that_is_no_number_for_some_model_judges_nobody():
    rng = np.random.default_rng(3)
    truth = np.arange(60) % 2
    models = {
        "silent": Measurement(batch_of(truth, np.zeros(60, int)), Settings()),
        "other": Measurement(batch_of(truth, rng.integers(0, 2, 60)), Settings()),
        "third": Measurement(batch_of(truth, rng.integers(0, 2, 60)), Settings()),
    }
    assert best_of_many(METRICS["precision"], models, "other") is None


def test_the_deciding_metric_is_the_primary_metric_or_the_first_that_is_printed():
    every = measured({"a": 0.8, "b": 0.8})["a"].metrics()
    assert deciding_metric(every, "f1").name == "f1"
    assert deciding_metric(every, None).printed
    assert deciding_metric(every, "rmse") is None
    hidden, neutral = replace(METRICS["mcc"], printed=False), replace(METRICS["mcc"], better=None)
    for one in (hidden, neutral):
        assert deciding_metric([one, METRICS["f1"]], None).name == "f1"


def winners(wrong: int):
    """Three models on 100 rows, the first with so many errors."""
    truth = np.arange(100) % 2
    rng = np.random.default_rng(4)
    said = {"best": np.where(np.arange(100) < wrong, 1 - truth, truth)}
    said |= {name: np.where(rng.random(100) < 0.6, truth, 1 - truth) for name in ("b", "c")}
    return truth, said


@pytest.mark.parametrize("name", ["accuracy", "error_rate", "recall", "f1"])
@pytest.mark.parametrize("wrong", [0, 1, 2, 5])
def test_the_bound_of_the_best_is_not_beyond_the_end_of_its_own_interval(name, wrong):
    truth, said = winners(wrong)
    models = {model: Measurement(batch_of(truth, one), Settings()) for model, one in said.items()}
    metric = METRICS[name]
    found, own = best_of_many(metric, models, "b"), models["best"].one(metric)
    assert found.best == "best"
    if metric.better == "higher":
        assert found.low <= own.low < found.value
    else:
        assert found.high >= own.high > found.value


def test_the_bound_of_a_perfect_winner_is_that_of_wilson():
    truth, said = winners(0)
    result = compare(truth, said, baseline="b", primary="accuracy")
    assert result.document().verdict[-1].endswith("corrected for selection: 1.000, at least 0.963 (97.5% bound).")
    truth, said = winners(1)
    result = compare(truth, said, baseline="b", primary="accuracy")
    assert result.document().verdict[-1].endswith(", at least 0.946 (97.5% bound).")


def test_models_of_scores_beside_a_model_of_labels():
    """All are judged together by a metric that every one of them has."""
    truth = np.arange(80) % 2
    scores = np.clip(0.3 * truth + 0.7 * np.random.default_rng(0).random(80), 0, 1)
    models = {"a": scores, "b": scores[::-1], "c": (scores > 0.5).astype(int)}
    found = compare(truth, models, pos_label=1)  # named, because the scores of b point away from it
    assert (found.best_of_many.metric, found.best_of_many.best) == ("accuracy", "a")
    compared = {name: {one.metric for one in found.differences if one.model == name} for name in ("b", "c")}
    assert "roc_auc" in compared["b"] - compared["c"]
    assert "accuracy" in compared["b"] & compared["c"]
    with pytest.raises(DataError) as error:
        compare(truth, models, pos_label=1, primary="roc_auc")
    assert str(error.value) == (
        "[H106] the primary metric roc_auc cannot be computed from the predictions of c\n"
        "  Fix: choose a metric that all models have, or give every model what it needs, such as scores"
    )


def together(metric, models, base, joint, draws):
    """What `best_of_many` should say, from what units move all values together."""
    values = np.array([one.value(metric) for one in models.values()])
    at = list(models).index(base)
    others = np.delete(np.arange(len(models)), at)
    higher = metric.better == "higher"
    found = max_t(joint.against(at), values[others] - values[at], 0.95, draws=draws, seed=0)
    won = winner(joint, values, 0.95, higher=higher, draws=draws, seed=0)
    return found.pvalue, found.critical / stats.t.ppf(0.975, joint.units - 1), won.optimism


def moved(metric, models):
    label = 1 if metric.one_class else None
    return np.stack([unit_influence(one, metric, label) for one in models.values()], axis=1)


def shown(found):
    return list(found.adjusted.values()), found.wider, found.optimism


@pytest.mark.parametrize("name", ["accuracy", "error_rate"])
@pytest.mark.parametrize("draws", [100, 3000])
def test_rows_are_judged_by_their_joint_influence(name, draws):
    """By 2,000 draws at least."""
    metric = METRICS[name]
    models = {
        model: Measurement(one.batch, Settings(draws=draws))
        for model, one in measured({"a": 0.8, "b": 0.82, "c": 0.79}).items()
    }
    found = best_of_many(metric, models, "a")
    pvalue, wider, optimism = together(metric, models, "a", joint_of(moved(metric, models)), max(draws, 2000))
    assert found.adjusted == {"b": pytest.approx(pvalue[0]), "c": pytest.approx(pvalue[1])}
    assert (found.wider, found.optimism) == pytest.approx((wider, optimism))
    assert (found.better, found.best) == (metric.better, "b")
    assert optimism > 0
    sign = -1 if metric.better == "higher" else 1
    assert found.value == pytest.approx(models["b"].value(metric) + sign * optimism)


def test_clusters_are_judged_by_those_that_carry_the_metric():
    rng = np.random.default_rng(5)
    metric = METRICS["recall"]
    unit = np.arange(150) // 5
    for carrying in (1, 6):
        truth = (unit < carrying).astype(int)
        models = {
            name: Measurement(
                from_arrays(truth, np.where(rng.random(150) < 0.7, truth, 1 - truth), pos_label=1, groups=unit).batch,
                Settings(),
            )
            for name in "abc"
        }
        found, few = best_of_many(metric, models, "a"), carriers_of(metric, *models.values())
        if carrying == 1:
            assert (found, few.too_few) == (None, True)
            continue
        assert few.seen < 1
        joint = on_few_units(joint_of(moved(metric, models)), few.df, few.seen)
        pvalue, wider, optimism = together(metric, models, "a", joint, 2000)
        assert shown(found) == (pytest.approx(list(pvalue)), pytest.approx(wider), pytest.approx(optimism))


@pytest.mark.parametrize("horizon", [None, 6])
def test_times_are_judged_by_their_joint_long_run_covariance(horizon):
    rng = np.random.default_rng(6)
    metric, truth = METRICS["mae"], rng.normal(size=60)
    shared = np.convolve(rng.normal(size=65), np.ones(6), "valid")
    models = {
        name: Measurement(
            from_arrays(
                truth, truth + shared + rng.normal(size=60), task="regression", time=np.arange(60), horizon=horizon
            ).batch,
            Settings(),
        )
        for name in "abc"
    }
    covariance, df = joint_long_run(moved(metric, models), horizon)
    units = round(df) + 1
    joint = joint_of_sums(units, np.zeros(3), covariance * (units - 1) / units)
    pvalue, wider, optimism = together(metric, models, "a", joint, 2000)
    assert shown(best_of_many(metric, models, "a")) == (
        pytest.approx(list(pvalue)), pytest.approx(wider), pytest.approx(optimism),
    )  # fmt: skip
