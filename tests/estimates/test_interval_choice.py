from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.estimates.interval_choice import KINDS, known_method
from heldout.formulas import METRICS
from heldout.intervals.shares import ALIASES, SHARES

SCORES = [
    0.9,
    0.8,
    0.7,
    0.6,
    0.55,
    0.54,
    0.53,
    0.52,
    0.51,
    0.505,
    0.4,
    0.39,
    0.38,
    0.37,
    0.36,
    0.35,
    0.34,
    0.33,
    0.30,
    0.1,
]
TRUTH = [int(mark == "p") for mark in "ppnpppnnpnpnpnnnpnpn"]
RATED = np.repeat([1, 2, 3, 4, 5, 1, 2, 3, 4, 5], [33, 6, 6, 11, 2, 3, 2, 2, 11, 33])
ILL = np.repeat([0, 1], [58, 51])
COUNTS = [[73, 3], [6, 18]]


def area(truth, score, **options):
    return heldout.evaluate(truth, y_score=score, metrics="roc_auc", **options)["roc_auc"]


def ends(one):
    return (one.low, one.high)


def test_every_metric_has_a_kind_of_interval():
    assert {one.interval for one in METRICS.values()} <= set(KINDS)
    assert all("auto" in methods for methods in KINDS.values())


def test_areas_of_fawcett():
    assert area(TRUTH, SCORES).value == pytest.approx(0.68)
    assert ends(area(TRUTH, SCORES, method="delong")) == pytest.approx((0.431, 0.929), abs=5e-4)
    assert ends(area(TRUTH, SCORES, method="delong_logit")) == pytest.approx((0.4036, 0.8696), abs=5e-5)
    plain = area(TRUTH, SCORES, method="delong")
    assert (plain.high - plain.low) / 2 / 1.959964 == pytest.approx(0.127017, abs=5e-7)
    default = area(TRUTH, SCORES)
    assert default.method == "Newcombe score"  # ten rows in each class
    # DeLong's variance is larger than the one Newcombe's form assumes, so that rows are worth fewer
    named = area(TRUTH, SCORES, method="newcombe")
    assert default.low < named.low < named.high < default.high


def test_areas_of_hanley_and_mcneil():
    found = area(ILL, RATED, method="delong")
    assert found.value == pytest.approx(0.893171, abs=5e-7)
    assert (found.high - found.low) / 2 / 1.959964 == pytest.approx(0.030724, abs=5e-7)
    assert area(ILL, RATED).method == "DeLong, logit"
    theirs = area(ILL, RATED, method="hanley_mcneil")
    spread = 0.032487 / (0.893171 * (1 - 0.893171))
    odds = np.log(0.893171 / (1 - 0.893171))
    assert ends(theirs) == pytest.approx(
        tuple(1 / (1 + np.exp(-odds + z * spread)) for z in (1.959964, -1.959964)), abs=2e-6
    )


def test_f1_is_wilson_through_the_overlap():
    f1 = heldout.evaluate_confusion(COUNTS)["f1"]
    assert (f1.value, *ends(f1)) == pytest.approx((0.80, 0.6470, 0.8972), abs=5e-5)
    assert f1.method == "Wilson of jaccard"
    plain = heldout.evaluate_confusion(COUNTS, metrics="f1", method="percentile")["f1"]
    assert plain.method == "bootstrap percentile, 2000 resamples of jaccard"


def test_mcc_is_on_fishers_scale():
    mcc = heldout.evaluate_confusion(COUNTS)["mcc"]
    assert (mcc.value, *ends(mcc)) == pytest.approx((0.745023, 0.5448, 0.8649), abs=5e-5)
    assert mcc.method == "Fisher z"
    plain = heldout.evaluate_confusion(COUNTS, method="normal")["mcc"]
    assert (plain.high - plain.low) / 2 / 1.959964 == pytest.approx(0.079616, abs=5e-7)


@pytest.mark.parametrize("counts", [[[40, 0], [2, 6]], [[40, 2], [0, 6]], [[40, 2], [2, 6]]])
def test_ratios_with_an_empty_cell_count_the_half_rows_they_add(counts):
    """Half a row in every cell: ln LR has the variance 1/tp - 1/(tp + fn) + 1/fp - 1/(fp + tn) of these [haldane56]."""
    found = heldout.evaluate_confusion(counts)["lr_positive"]
    (tn, fp), (fn, tp) = np.array(counts) + (0.5 if np.any(np.array(counts) == 0) else 0.0)
    ratio = (tp / (tp + fn)) / (fp / (fp + tn))
    reach = 1.959964 * np.sqrt(1 / tp - 1 / (tp + fn) + 1 / fp - 1 / (fp + tn))
    assert found.low == pytest.approx(ratio * np.exp(-reach), rel=1e-4)
    assert found.high == (np.inf if counts[0][1] == 0 else pytest.approx(ratio * np.exp(reach), rel=1e-4))


@pytest.mark.parametrize(
    ("alias", "name"), [*ALIASES.items(), ("clopper-pearson", "clopper_pearson"), ("wilson", "wilson")]
)
def test_methods_by_every_name(alias, name):
    assert known_method(alias) == name
    first = heldout.evaluate_counts(wrong=12, of=40, method=alias)["error_rate"]
    second = heldout.evaluate_counts(wrong=12, of=40, method=name)["error_rate"]
    assert (*ends(first), first.method) == (*ends(second), second.method)
    assert ends(first) == pytest.approx(SHARES[name](12, 40, 0.95))


@pytest.mark.parametrize(
    ("kind", "name"),
    [(one.interval, one.name) for one in METRICS.values() if one.reads == "labels" and one.via is None],
)
def test_every_method_of_a_kind_answers(kind, name):
    table = [[40, 6, 4], [5, 30, 5], [3, 4, 23]] if METRICS[name].tasks == ("multiclass",) else [[50, 9], [8, 33]]
    for method in KINDS[kind]:
        one = heldout.evaluate_confusion(table, metrics=name, method=method, n_resamples=200)[name]
        assert one.low < one.value < one.high, (method, one)
        assert not any("keeps its default" in note for note in one.notes)


def refused(call):
    with pytest.raises(heldout.UsageError) as error:
        call()
    return str(error.value)


def test_unknown_names_are_guessed():
    assert refused(lambda: heldout.evaluate_counts(wrong=1, of=4, method="wilsn")) == (
        "no interval method is named 'wilsn'; did you mean 'wilson'?\n  Fix: heldout explain methods lists all"
    )
    assert refused(lambda: heldout.evaluate([0, 1], [0, 1], metrics="acuracy")) == (
        "no metric is named 'acuracy'; did you mean 'accuracy'?\n  Fix: heldout explain metrics lists all"
    )
    assert refused(lambda: heldout.evaluate([0, 1], [0, 1], metrics="zzz")) == (
        "no metric is named 'zzz'\n  Fix: heldout explain metrics lists all"
    )


def test_a_method_that_does_not_suit_leaves_the_default():
    found = heldout.evaluate_counts(wrong=12, of=40, method="delong")["error_rate"]
    assert found.notes == ("delong is not for error_rate; it keeps its default",)
    assert found.method == "Wilson"


def test_few_rows_get_the_guaranteed_interval_beside():
    found = heldout.evaluate_counts(wrong=5, of=29)["error_rate"]
    assert found.notes == ("fewer than 30 rows: the guaranteed (Clopper-Pearson) interval is [0.058, 0.358]",)
    assert heldout.evaluate_counts(wrong=5, of=30)["error_rate"].notes == ()


def test_few_units_are_said():
    truth = [0, 1] * 20

    def notes(size):
        return heldout.evaluate(truth, [0, 1, 1, 1] * 10, groups=np.arange(40) // size, metrics="accuracy")[
            "accuracy"
        ].notes

    assert notes(10)[-1] == "only 4 units: too few to estimate their variance, do not rely on this interval"
    assert notes(5)[-1] == "only 8 units: the interval is rough"
    assert not any("units" in note for note in notes(4))


def test_methods_say_what_was_done_about_weights_and_units():
    truth, said = [0, 1] * 20, [0, 1, 1, 1] * 10
    weighted = heldout.evaluate(truth, said, sample_weight=np.arange(1, 41))
    grouped = heldout.evaluate(truth, said, groups=np.arange(40) // 2)
    assert (weighted["accuracy"].method, grouped["accuracy"].method) == ("Wilson, weighted", "Wilson, clustered")
    assert (weighted["mcc"].method, grouped["mcc"].method) == ("Fisher z, weighted", "Fisher z, clustered")
    assert (weighted["f1"].method, grouped["f1"].method) == (
        "Wilson of jaccard, weighted",
        "Wilson of jaccard, clustered",
    )
    assert (weighted["accuracy"].units, grouped["accuracy"].units) == (40, 20)


def test_weights_count_as_fewer_rows():
    """n = (sum w)² / sum w² in Wilson."""
    truth, said, weight = [0, 1] * 50, ([0, 1] * 40 + [1, 0] * 10), np.tile([1.0, 3.0], 50)
    found = heldout.evaluate(truth, said, sample_weight=weight, metrics="accuracy")["accuracy"]
    trials = weight.sum() ** 2 / (weight**2).sum()
    assert found.value == pytest.approx(0.8)
    assert ends(found) == pytest.approx(SHARES["wilson"](0.8 * trials, trials, 0.95))


def test_units_count_as_fewer_rows():
    """deff = variance over units / (p (1 - p) / n), and the ratio of t to z pays for few units."""
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(12), 10)
    right = (rng.random(120) < rng.beta(4, 2, 12)[unit]).astype(int)
    found = heldout.evaluate(np.ones(120, int), right, groups=unit, labels=[0, 1], metrics="accuracy")["accuracy"]
    share, totals = right.mean(), np.bincount(unit, weights=right - right.mean())
    variance = 12 / 11 * np.sum(totals**2) / 120**2
    deff = max(1.0, variance / (share * (1 - share) / 120))
    trials = 120 / deff * (1.959964 / 2.200985) ** 2
    assert ends(found) == pytest.approx(SHARES["wilson"](share * trials, trials, 0.95), abs=1e-6)


def test_the_largest_error_has_no_upper_bound():
    found = heldout.evaluate([1.0, 2.0, 3.0], [1.5, 2.0, 5.0], task="regression", metrics="max_error")["max_error"]
    assert (found.value, found.low, found.high) == (2.0, 2.0, np.inf)
    assert found.notes == ("no upper bound from these rows; a new row exceeds 2 with probability at most 0.632",)


def test_heavy_tails_are_said():
    truth = np.append(np.linspace(0, 1, 99), 50.0)
    found = heldout.evaluate(truth, np.zeros(100), task="regression", metrics="rmse")["rmse"]
    (said,) = found.notes
    assert said.startswith("the losses are very skewed (skewness 9.8 in 100 rows): rare large losses")


def test_draws_without_a_value_are_counted():
    """Two of thirty rows are called positive: some draws have none, and precision is 0/0 there."""
    found = heldout.evaluate_confusion([[20, 1], [8, 1]], metrics="precision", method="percentile")["precision"]
    left = int(found.notes[0].split()[0])
    assert found.notes[0] == f"{left} of 2000 resamples were undefined and were left out"
    assert left / 2000 == pytest.approx((28 / 30) ** 30, abs=0.03)
