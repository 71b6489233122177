"""Several looks at growing data in `compare` and `gate`: false verdicts, what is refused, what is printed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, norm, skew

import heldout
from heldout.batch import Batch
from heldout.errors import HeldoutError
from heldout.formulas import METRICS
from heldout.intervals.confidence_sequences import asymptotic, begins_at, betting, betting_pvalue
from heldout.stats.group_sequential import boundaries, repeated_pvalue
from heldout.stats.outcome import Outcome, untested
from heldout.verbs.compare.model_pair import Both
from heldout.verbs.compare.repeated_looks import (
    ASYMPTOTIC,
    BETTING,
    Looks,
    planned_fractions,
    planned_outcome,
    sequential_outcome,
)
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import settings


def scored(rng, n, skill=1.0, positive=0.5):
    """Truth and scores of two models that are equally good."""
    truth = (rng.random(n) < positive).astype(int)
    shared = rng.normal(size=n)
    logits = [skill * (2 * truth - 1) + shared + rng.normal(size=n) for _ in range(2)]
    return truth, {name: 1 / (1 + np.exp(-one)) for name, one in zip("ab", logits, strict=True)}


def measured(truth, score, asked):
    batch = Batch(
        task="binary", truth=truth, prediction=(score >= 0.5).astype(int), score=score, probabilities=True,
        labels=(0, 1), positive=1,
    )  # fmt: skip
    return Measurement(batch, asked)


@pytest.fixture(scope="module")
def models():
    return scored(np.random.default_rng(1), 600)


def said(*given, **options):
    with pytest.raises(HeldoutError) as caught:
        heldout.compare(*given, **options)
    return str(caught.value)


def test_metrics_that_are_bounded_means_bet_and_all_others_are_asymptotic(models):
    found = heldout.compare(*models, sequential=True)
    tests = {one.metric: one.test for one in found.differences}
    bounded = {"accuracy", "error_rate", "recall", "specificity", "fpr", "fnr", "brier", "quadratic_loss"}
    assert {name for name, test in tests.items() if test == BETTING} == bounded
    assert {tests[name] for name in ("roc_auc", "log_loss", "f1", "mcc", "precision")} == {ASYMPTOTIC}
    assert all(one.wider > 1.4 for one in found.differences if one.low > -np.inf)
    assert found.to_dict()["looks"]["kind"] == "sequential"


def test_groups_and_weights_are_asymptotic(models):
    truth, two = models
    groups = np.arange(600) // 3
    found = heldout.compare(truth, two, metrics="accuracy", sequential=True, groups=groups)
    assert (found["accuracy"].test, found.units) == (ASYMPTOTIC, 200)
    weighted = heldout.compare(truth, two, metrics="accuracy", sequential=True, sample_weight=1 + groups % 2)
    assert weighted["accuracy"].test == ASYMPTOTIC
    few = heldout.compare(truth, two, primary="accuracy", sequential=True, groups=np.arange(600) // 10)["accuracy"]
    assert (few.verdict, few.pvalue) == ("UNDECIDED", 1.0)
    assert few.notes == ("an asymptotic sequence begins at 100 clusters, and there are 60",)


def test_means_of_several_labels_bet_where_every_row_counts():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, (300, 3))
    two = {name: rng.integers(0, 2, (300, 3)) for name in "ab"}
    found = heldout.compare(truth, two, sequential=True, metrics="hamming_loss,subset_accuracy,precision_samples")
    assert [one.test for one in found.differences] == [BETTING, BETTING, ASYMPTOTIC]


def test_the_interval_of_a_share_is_that_of_its_rows():
    truth = np.array([1] * 60 + [0] * 40)
    a = truth.copy()
    a[:10] = 0
    b = truth.copy()
    b[5:8] = 0
    b[60:70] = 1
    found = heldout.compare(truth, {"a": a, "b": b}, sequential=True, metrics="recall,specificity,error_rate")
    recall = np.r_[[1.0] * 5, [0.0] * 3, [1.0] * 2, [0.0] * 50]
    assert (found["recall"].low, found["recall"].high) == pytest.approx(betting(recall, 0.95))
    assert found["specificity"].high == pytest.approx(betting(np.r_[[-1.0] * 10, [0.0] * 30], 0.95)[1])
    assert found["error_rate"].value == pytest.approx(0.03)
    wrong = np.r_[[-1.0] * 5, [0.0] * 3, [-1.0] * 2, [0.0] * 50, [1.0] * 10, [0.0] * 30]
    assert (found["error_rate"].low, found["error_rate"].high) == pytest.approx(betting(wrong, 0.95))


def test_the_order_of_rows_changes_nothing(models):
    truth, two = models
    order = np.random.default_rng(3).permutation(600)
    one = heldout.compare(truth, two, sequential=True, metrics="brier,roc_auc")
    other = heldout.compare(
        truth[order], {k: v[order] for k, v in two.items()}, sequential=True, metrics="brier,roc_auc"
    )
    for name in ("brier", "roc_auc"):
        assert (one[name].low, one[name].high) == pytest.approx((other[name].low, other[name].high), rel=1e-9)


@pytest.mark.parametrize(("metric", "positive"), [("roc_auc", 0.5), ("roc_auc", 0.1), ("f1", 0.2), ("log_loss", 0.5)])
def test_looks_at_equal_models_rarely_give_a_verdict(metric, positive):
    """Eight looks at each of 40 samples, by the function that `compare` calls."""
    rng, false, repeats = np.random.default_rng(4), 0, 40
    asked = settings(metrics=metric)
    for _ in range(repeats):
        truth, two = scored(rng, 1500, positive=positive)
        for n in np.linspace(100, 1500, 8).astype(int):
            a, b = (measured(truth[:n], one[:n], asked) for one in two.values())
            (chosen,) = a.metrics()
            if sequential_outcome(chosen, Both(a, b), 0.95, named=True).pvalue < 0.05:
                false += 1
                break
    assert false <= binom.ppf(0.999, repeats, 0.05)


def test_a_gate_at_its_margin_passes_rarely_over_many_looks():
    """The candidate is worse by exactly the margin; PASS at any of six looks is false."""
    rng, false, repeats = np.random.default_rng(5), 0, 50
    for _ in range(repeats):
        u = rng.random(2000)
        right = (u > 0.09) | (u < 0.02)  # of the rows, 2% only the candidate has right, 7% only the baseline
        baseline = u > 0.02
        truth = np.ones(2000, int)
        truth[::2] = 0
        for n in range(50, 2001, 390):
            gate = heldout.gate(
                truth[:n],
                {"old": np.where(baseline, truth, 1 - truth)[:n], "new": np.where(right, truth, 1 - truth)[:n]},
                primary="accuracy", margin=0.05, sequential=True,
            )  # fmt: skip
            if gate.verdict == "PASS":
                false += 1
                break
    assert false <= binom.ppf(0.999, repeats, 0.05)


def test_identical_predictions_pass_once_there_are_rows_enough():
    truth = np.array([0, 1] * 400)
    same = {"old": truth, "new": truth}
    assert heldout.gate(truth, same, primary="accuracy", margin=0.01, sequential=True).verdict == "PASS"
    few = {name: one[:200] for name, one in same.items()}
    assert heldout.gate(truth[:200], few, primary="accuracy", margin=0.01, sequential=True).verdict == "INCONCLUSIVE"


def test_equivalence_needs_a_sequence_within_the_margin(models):
    truth, two = models
    near = heldout.compare(truth, two, primary="accuracy", margin=0.2, sequential=True)
    assert near.verdict == "EQUIVALENT"
    assert heldout.compare(truth, two, primary="accuracy", margin=0.03, sequential=True).verdict == "UNDECIDED"


# ---- planned looks


def test_a_planned_look_has_the_interval_of_its_own_level(models):
    found = heldout.compare(*models, primary="roc_auc", metrics="roc_auc", looks=5, look=2)
    nominal = found.to_dict()["looks"]["nominal_alpha"]
    single = heldout.compare(*models, primary="roc_auc", metrics="roc_auc", confidence_level=1 - nominal)
    assert found.level == 0.95
    assert (found["roc_auc"].low, found["roc_auc"].high) == pytest.approx(
        (single["roc_auc"].low, single["roc_auc"].high)
    )
    assert found["roc_auc"].pvalue >= single["roc_auc"].pvalue
    assert found.estimates["a"]["roc_auc"].level == 0.95
    assert found["roc_auc"].wider == pytest.approx(3.357 / 1.96, abs=0.001)


def test_the_looks_of_a_plan_are_those_of_compare(models):
    plan = heldout.plan.looks([0.3, 0.7, 1], spending="pocock")
    for look, boundary in enumerate(plan.boundaries, start=1):
        found = heldout.compare(*models, metrics="brier", looks=[0.3, 0.7, 1], look=look, spending="pocock")
        assert found.to_dict()["looks"]["boundary"] == pytest.approx(boundary)


def test_planned_looks_at_equal_models_keep_the_error_rate():
    rng, false, repeats = np.random.default_rng(6), 0, 50
    for _ in range(repeats):
        truth = rng.integers(0, 2, 500)
        two = {name: np.where(rng.random(500) < 0.3, 1 - truth, truth) for name in "ab"}
        for look in range(1, 5):
            n = 125 * look
            found = heldout.compare(
                truth[:n], {name: one[:n] for name, one in two.items()}, primary="accuracy", metrics="accuracy",
                looks=4, look=look, spending="pocock",
            )  # fmt: skip
            if found.verdict != "UNDECIDED":
                false += 1
                break
    assert false <= binom.ppf(0.999, repeats, 0.05)


def test_several_metrics_share_the_error_rate_of_a_look(models):
    truth, two = models
    better = {"a": two["a"], "b": np.clip(two["b"] + 0.3 * (truth - 0.5), 0, 1)}
    found = heldout.compare(truth, better, metrics="brier,log_loss,roc_auc", looks=3, look=2)
    assert {one.correction for one in found.differences} == {"holm"}
    assert all(one.pvalue_adjusted >= one.pvalue for one in found.differences)


def test_many_models_are_corrected_by_holm_and_none_is_called_the_best(models):
    truth, two = models
    three = {**two, "c": two["b"] ** 2}
    for options in ({"sequential": True}, {"looks": 3, "look": 1}):
        found = heldout.compare(truth, three, primary="roc_auc", metrics="roc_auc", **options)
        assert found.best_of_many is None
        assert {one.correction for one in found.differences} == {"holm"}


def test_gate_at_a_planned_look(models):
    truth, two = models
    late, single = (
        heldout.gate(truth, two, primary="roc_auc", margin=0.05, **options) for options in ({"looks": 5, "look": 5}, {})
    )
    assert late.hurdles[0].bound < single.hurdles[0].bound
    assert late.to_dict()["looks"]["boundary"] == pytest.approx(1.74, abs=0.01)  # one-sided 5% over five looks
    assert "look 5 of 5, O'Brien-Fleming spending" in str(late)


def test_unpaired_models_at_a_planned_look():
    rng = np.random.default_rng(8)
    samples = {name: (rng.integers(0, 2, 200), rng.integers(0, 2, 200)) for name in "ab"}
    found = heldout.compare(samples, paired=False, metrics="accuracy", looks=3, look=1)
    single = heldout.compare(samples, paired=False, metrics="accuracy")
    assert found["accuracy"].high - found["accuracy"].low > 1.5 * (single["accuracy"].high - single["accuracy"].low)


# ---- what is refused


def test_options_that_exclude_each_other(models):
    assert said(*models, sequential=True, looks=3) == (
        "sequential and looks exclude each other: a sequence holds at any number of looks, looks are planned\n"
        "  Fix: leave out sequential=True or looks="
    )
    assert said(*models, sequential=True, test="permutation") == (
        "test has no effect with sequential: its tests are confidence sequences\n"
        "  Fix: leave out test=, or plan the looks: looks=K and look=k"
    )
    assert said(*models, sequential=True, look=2) == (
        "look has no effect with sequential: it holds at any number of looks\n"
        "  Fix: leave out look=, or plan the looks: looks=K and look=k"
    )
    assert said(*models, spending="pocock") == (
        "spending has no effect without the number of planned looks\n"
        "  Fix: add looks=K and look=k, or leave out spending="
    )
    assert said(*models, look=2) == (
        "look has no effect without the number of planned looks\n  Fix: add looks=K, or leave out look="
    )
    assert said(*models, sequential=True, spending="pocock") == (
        "spending has no effect with sequential: it holds at any number of looks\n"
        "  Fix: leave out spending=, or plan the looks: looks=K and look=k"
    )
    assert said(*models, looks=3) == (
        "which look this is was not said, and 3 looks are planned\n  Fix: say which one this is: look=1 for the first"
    )
    assert said(*models, looks=3, look=4).startswith("look is 4, and 3 looks are planned")
    assert said(*models, looks=3, look=1, spending="pocok") == (
        "no spending function is named 'pocok'; did you mean 'pocock'?\n  Fix: choose one of obrien-fleming, pocock"
    )
    assert said(*models, sequential=True, segments={"s": models[0]}) == (
        "subgroups are tested at a single look, and several looks were asked for\n"
        "  Fix: leave out segments=, or sequential=True"
    )
    assert said(*models, sequential="yes").startswith("sequential is 'yes', but must be True or False")


def test_metrics_without_influence_are_refused_by_name(models):
    assert said(*models, sequential=True, metrics="ece") == (
        "ece has no confidence sequence: it has no influence of single rows\n"
        "  Fix: choose a metric that each row moves smoothly, such as log_loss, or plan looks: looks=K"
    )


def test_samples_of_their_own_have_no_sequence():
    samples = {name: ([0, 1] * 30, [0, 1] * 30) for name in "ab"}
    assert said(samples, paired=False, sequential=True).startswith(
        "confidence sequences are for models on the same rows"
    )


def test_rows_in_chunks_are_refused(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("y,p\n" + "0,0.2\n1,0.7\n" * 400, encoding="utf-8")
    files = {name: str(tmp_path / f"{name}.csv") for name in "ab"}
    assert said(files, memory=2000, sequential=True) == (
        "sequential needs all rows in memory, and these are read in chunks\n"
        "  Fix: give the rows all the memory they need: memory='1M', or leave out sequential="
    )
    assert said(files, memory=2000, looks=3, look=1) == (
        "looks needs all rows in memory, and these are read in chunks\n"
        "  Fix: give the rows all the memory they need: memory='1M', or leave out looks="
    )


MANY_SHARES = [at / 51 for at in range(1, 52)]


@pytest.mark.parametrize(
    "looks", [1, 51, [1.0], [0.5, 0.5, 1], [0.5, 1.5], [0.5, 0.9, 1.5], MANY_SHARES, "x", [0.0, 1.0], True]
)
def test_plans_that_are_none(looks):
    with pytest.raises(HeldoutError, match="looks"):
        planned_fractions(looks)


def test_plans_of_two_to_fifty_looks():
    assert planned_fractions(2) == (0.5, 1.0)
    assert planned_fractions(50) == planned_fractions([at / 50 for at in range(1, 51)])
    assert planned_fractions([0.2, 0.4]) == (0.2, 0.4)


def test_looks_as_plain_values():
    planned = Looks(kind="planned", look=2, fractions=(0.5, 1.0), spending="pocock")
    bound = boundaries((0.5, 1.0), 0.05, "pocock")[1]
    assert planned.to_dict(0.05) == {
        "kind": "planned", "look": 2, "of": 2, "fractions": [0.5, 1.0], "spending": "pocock", "boundary": bound,
        "nominal_alpha": pytest.approx(2 * norm.sf(bound)),
    }  # fmt: skip
    sequence = Looks(kind="sequential").to_dict(0.05)
    assert sequence == dict.fromkeys(sequence) | {"kind": "sequential"}
    assert set(sequence) == set(planned.to_dict(0.05))


def test_the_outcome_of_a_planned_look_is_that_of_its_own_level():
    looks = Looks(kind="planned", look=2, fractions=(0.4, 0.7, 1.0), spending="pocock")

    def at_level(level):
        reach = norm.ppf((1 + level) / 2)
        return Outcome(value=1.8, low=1.8 - reach, high=1.8 + reach, pvalue=2 * norm.sf(1.8), test="z", error=1.0)

    found = planned_outcome(looks, 0.9, at_level)
    bound = boundaries(looks.fractions, 0.1, "pocock")[1]
    assert (found.low, found.high) == pytest.approx((1.8 - bound, 1.8 + bound))
    assert found.pvalue == repeated_pvalue(2 * norm.sf(1.8), looks.fractions, 2, "pocock")
    assert found.pvalue > at_level(0.9).pvalue
    wider = boundaries(looks.fractions, 0.01, "pocock")[1]
    assert found.interval_at(0.99) == pytest.approx((1.8 - wider, 1.8 + wider))
    assert found.wider == pytest.approx(bound / norm.ppf(0.95))
    assert planned_outcome(looks, 0.9, lambda _: untested(0.3, "no test")) == untested(0.3, "no test")


def sequence_of(metric, truth, scores, level=0.95):
    a, b = (measured(truth, score, settings()) for score in scores)
    return sequential_outcome(METRICS[metric], Both(a, b), level, named=True)


@pytest.mark.parametrize(("metric", "span"), [("brier", 1.0), ("quadratic_loss", 2.0)])
def test_the_sequence_of_a_mean_of_losses_is_that_of_its_rows(models, metric, span):
    truth, two = models
    better = np.clip(two["b"] + 0.1 * (truth - 0.5), 0, 1)
    rows = span * ((two["a"] - truth) ** 2 - (better - truth) ** 2)
    assert 1e-6 < betting_pvalue(rows, span=span) < 0.5
    found = sequence_of(metric, truth, (two["a"], better), 0.9)
    assert (found.low, found.high) == pytest.approx(betting(rows, 0.9, span=span), abs=1e-6)
    assert found.interval_at(0.5) == pytest.approx(betting(rows, 0.5, span=span), abs=1e-6)
    assert found.pvalue == pytest.approx(betting_pvalue(rows, span=span), rel=1e-5)
    assert found.error == pytest.approx(rows.std() / np.sqrt(600), rel=1e-6)
    assert found.wider == pytest.approx((found.high - found.low) / 2 / (norm.ppf(0.95) * found.error))


def test_an_asymptotic_sequence_at_every_level(models):
    truth, two = models
    found = sequence_of("log_loss", truth, (two["a"], two["b"]), 0.9)
    rows = [-np.log(np.where(truth == 1, one, 1 - one)) for one in two.values()]
    apart = rows[0] - rows[1]
    for level, ends in ((0.9, (found.low, found.high)), (0.5, found.interval_at(0.5))):
        want = asymptotic(apart.mean(), apart.std(ddof=1) / np.sqrt(600), 600, skew(apart), level)
        assert ends == pytest.approx(want, rel=1e-4)


def test_a_sequence_needs_a_value_of_both_models(models):
    truth, two = models
    for scores in ((np.zeros(600), two["a"]), (two["a"], np.zeros(600))):
        found = sequence_of("precision", truth, scores)
        assert (found.test, found.notes) == ("none", ("precision is undefined for a model",))


def test_means_over_rows_that_some_models_leave_out_do_not_bet():
    """Precision of a row without a predicted label is undefined, and left out."""
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, (200, 3))
    full, gaps = rng.integers(0, 2, (200, 3)), rng.integers(0, 2, (200, 3))
    full[:, 0], other = 1, full.copy()
    other[:, 0] = 1
    other[:, 1] = 1 - full[:, 1]
    some = other.copy()
    some[0] = 0  # one row without a predicted label
    options = {"sequential": True, "metrics": "precision_samples"}
    tests = [
        heldout.compare(truth, {"a": one, "b": two}, **options)["precision_samples"].test
        for one, two in ((full, other), (full, gaps), (gaps, full), (full, some), (some, full))
    ]
    assert tests == [BETTING, *[ASYMPTOTIC] * 4]


def test_an_asymptotic_sequence_names_the_skewness_that_delays_it():
    rng = np.random.default_rng(9)
    truth, said = np.zeros(150), rng.exponential(size=150) ** 3
    a, b = (
        Measurement(Batch(task="regression", truth=truth, prediction=one, labels=("y",)), settings())
        for one in (said, rng.random(150))
    )
    found = sequential_outcome(METRICS["mae"], Both(a, b), 0.95, named=True)
    skewness = skew(np.abs(a.batch.prediction) - np.abs(b.batch.prediction))
    first = f"an asymptotic sequence begins at {begins_at(skewness):,.0f} rows at a skewness of {skewness:.1f}"
    assert found.notes == (f"{first}, and there are 150",)
    lone = (
        Measurement(Batch(task="regression", truth=truth[:1], prediction=one[:1], labels=("y",)), settings())
        for one in (said, said + 1)
    )
    assert sequential_outcome(METRICS["mae"], Both(*lone), 0.95, named=True).notes == ("no variance between units",)
    hundred = (
        Measurement(Batch(task="regression", truth=truth[:100], prediction=rng.random(100), labels=("y",)), settings())
        for _ in range(2)
    )
    assert sequential_outcome(METRICS["mae"], Both(*hundred), 0.95, named=True).notes == ()
    alike = (
        Measurement(Batch(task="regression", truth=truth, prediction=said + off, labels=("y",)), settings())
        for off in (0.0, 1.0)
    )
    assert sequential_outcome(METRICS["mse"], Both(a, a), 0.95, named=True).notes == ("no variance between units",)
    assert sequential_outcome(METRICS["mae"], Both(*alike), 0.95, named=True).test == ASYMPTOTIC


@pytest.mark.parametrize(
    ("looks", "message"),
    [
        ([1e-300, 1], "the look at 1e-300 of the planned rows is 1e-300 of them after the start"),
        (
            [0.1, 0.100000000001, 1],
            "the look at 0.100000000001 of the planned rows is 1e-12 of them after the look at 0.1",
        ),
    ],
)
def test_looks_too_near_each_other(looks, message):
    with pytest.raises(HeldoutError) as caught:
        planned_fractions(looks)
    assert str(caught.value) == (f"{message}, but must be at least 0.002\n  Fix: leave the look at {looks[-2]!r} out")
