"""Two models on the same rows where nothing, or hardly anything, differs; limits between tests; tests by name."""

from __future__ import annotations

from itertools import product
from math import isnan

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats
from sklearn.metrics import f1_score

import heldout
from heldout.formulas import METRICS
from heldout.inputs import from_arrays
from heldout.intervals.unit_spread import skew_adjusted_pvalue, skew_adjusted_t
from heldout.stats.outcome import no_difference
from heldout.stats.paired_means import sign_flip
from heldout.verbs.compare.model_pair import Both
from heldout.verbs.compare.paired_difference import TESTS, apart_of, difference
from heldout.verbs.compare.unpaired_difference import INDEPENDENT_TESTS
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

RNG = np.random.default_rng


def measured(truth, said=None, *, level=0.95, draws=2000, seed=0, **more):
    return Measurement(from_arrays(truth, said, **more).batch, Settings(level=level, draws=draws, seed=seed))


def numbers(truth, said, **more):
    return measured(truth, said, task="regression", **more)


def ends(found):
    return found.low, found.high


def in_files(table, folder, *cuts):
    folder.mkdir()
    for at, (first, last) in enumerate(zip([0, *cuts], [*cuts, table.num_rows], strict=True)):
        pq.write_table(table.slice(first, last - first), folder / f"{at}.parquet")
    return folder


def test_no_prediction_moves_prevalence():
    """Also where sums of weights in another order differ in their last digit."""
    truth = RNG(1).integers(0, 2, 40)
    for weight in (None, RNG(1).exponential(size=40)):
        a, b = (
            measured(truth, np.where(RNG(10 + k).random(40) < 0.8, truth, 1 - truth), pos_label=1, sample_weight=weight)
            for k in (2, 3)
        )
        found = difference(METRICS["prevalence"], a, b)
        assert (found.value, found.pvalue, found.test) == (0.0, 1.0, "paired influence")
        assert found.notes == ("the difference is the same in every row",)
        worth = 1.0 if weight is None else weight.sum() ** 2 / (40 * np.sum(weight**2))
        rare = min(np.bincount(truth, weights=None if weight is None else weight / weight.mean()))
        assert ends(found) == pytest.approx(ends(no_difference("", units=worth * rare)))


def test_mean_errors_that_differ_by_rounding_are_the_same():
    rng = RNG(4)
    truth, noise = rng.normal(size=60), 1e-6 * rng.normal(size=60)
    noise += 3e-10 - noise.mean()
    found = difference(METRICS["mean_error"], numbers(truth, truth + 1e4), numbers(truth, truth + 1e4 + noise))
    assert (found.value, found.test) == (0.0, "paired t")
    assert found.notes == (
        "the difference is the same in every row",
        "no error was seen that could bound the difference",
    )
    near = difference(METRICS["mean_error"], numbers(truth, truth + 1.0), numbers(truth, truth + 1.0 + noise))
    assert near.value == pytest.approx(noise.mean(), rel=1e-3)


def test_losses_that_are_the_same_in_every_row_though_predictions_differ():
    """The logarithmic loss sees the probability of the true class only."""
    rng = RNG(5)
    truth = np.tile([0, 1, 2], 12)
    right, share = rng.uniform(0.2, 0.5, 36), rng.uniform(0.1, 0.9, 36)
    chances = []
    for split in (share, 1 - share):
        one = np.zeros((36, 3))
        one[np.arange(36), truth] = right
        one[np.arange(36), (truth + 1) % 3] = (1 - right) * split
        one[np.arange(36), (truth + 2) % 3] = (1 - right) * (1 - split)
        chances.append(one)
    a, b = (measured(truth, y_proba=one, level=0.8) for one in chances)
    assert not np.array_equal(a.batch.prediction, b.batch.prediction)
    found = difference(METRICS["log_loss"], a, b)
    assert found.notes == ("log_loss is the same for both models in every row",)
    same = difference(METRICS["log_loss"], a, a)
    assert same.notes == ("identical predictions",)
    losses = -np.log(right)
    want = no_difference("", units=36, span=float(np.ptp(losses)), level=0.8)
    assert ends(found) == pytest.approx(ends(want), rel=1e-6)
    assert ends(same) == pytest.approx(ends(want), rel=1e-6)


def test_the_smallest_class_of_several_bounds_what_identical_predictions_show():
    truth = np.repeat([0, 1, 2], [30, 20, 1])
    a = measured(truth, np.where(np.arange(51) % 9 == 0, 0, truth))
    found = difference(METRICS["f1_macro"], a, a)
    assert ends(found) == pytest.approx(ends(no_difference("", units=1)))
    two = measured(truth[:50], np.where(np.arange(50) % 9 == 0, 0, truth[:50]))
    assert ends(difference(METRICS["f1_macro"], two, two)) == pytest.approx(ends(no_difference("", units=20)))
    score = RNG(0).uniform(0.1, 0.9, 50)
    chance = measured(truth[:50], y_proba=score, pos_label=1)
    loss = np.where(truth[:50] == 1, 1 - score, score) ** 2
    assert ends(difference(METRICS["brier"], chance, chance)) == pytest.approx(  # a mean of all rows
        ends(no_difference("", units=50, span=METRICS["brier"].range[1])), rel=1e-6
    )
    assert np.ptp(loss) < METRICS["brier"].range[1]


def test_rows_of_unequal_weight_are_worth_kishs_number():
    truth, weight = RNG(2).normal(size=40), RNG(4).exponential(size=40)
    a = numbers(truth, truth + RNG(3).normal(size=40), sample_weight=weight)
    low, high = METRICS["d2_absolute_error"].range
    assert not np.isfinite(high - low)
    found = difference(METRICS["mae"], a, a)
    losses = np.abs(a.batch.truth - a.batch.prediction)
    moved = 40 * weight / weight.sum() * (losses - np.average(losses, weights=weight))
    worth = weight.sum() ** 2 / np.sum(weight**2)
    assert ends(found) == pytest.approx(ends(no_difference("", units=worth, span=float(np.ptp(moved)))), rel=1e-6)


def test_identical_forecasts_say_nothing_of_autocorrelation():
    truth = RNG(6).normal(size=4)
    one = truth + RNG(7).normal(size=4)
    found = heldout.compare(
        truth, {"a": one, "b": one.copy()}, time=np.arange(4), metrics=["mae"], task="regression"
    )["mae"]  # fmt: skip
    alike = (
        "all times have the same influence, so autocorrelation cannot be estimated: the interval assumes that they are"
    )
    assert found.notes == ("identical predictions", f"{alike} independent")


def test_identical_models_in_chunks(tmp_path):
    """Sums of weights over other chunks differ in their last digit, which is no difference."""
    rng = RNG(8)
    truth = rng.normal(size=500)
    table = pa.table(
        {"id": np.arange(500), "y": truth, "y_pred": truth + rng.normal(size=500), "weight": rng.random(500)}
    )
    models = {"old": in_files(table, tmp_path / "old", 200), "new": in_files(table, tmp_path / "new", 1, 77, 400)}
    found = heldout.compare(
        models, metrics="mae,rmse,r2,mse", truth="y", task="regression", sample_weight="weight", engine="local"
    )  # fmt: skip
    for one in found.differences:
        assert (one.value, one.pvalue, isnan(one.low)) == (0.0, 1.0, True), one.metric
        assert one.notes == ("identical predictions", "the interval needs all rows in memory")


def test_scores_in_chunks(tmp_path):
    """Identical models differ in the last digits of their sums; of others a note says how far bins may be off."""
    rng = RNG(8)
    truth = rng.integers(0, 2, 3000)
    score = 0.7 * rng.random(3000) + 0.3 * truth
    weight = rng.random(3000)
    table = pa.table({"y": truth, "score": score, "weight": weight})
    other = pa.table({"y": truth, "score": np.clip(score + 0.05 * rng.normal(size=3000), 0, 1), "weight": weight})
    old, same = in_files(table, tmp_path / "old", 200), in_files(table, tmp_path / "same", 1, 77, 400)
    options = {"truth": "y", "sample_weight": "weight", "engine": "local", "pos_label": 1}
    found = heldout.compare({"old": old, "same": same}, metrics="roc_auc,brier,accuracy,f1", **options)
    assert [(one.value, one.pvalue, one.test) for one in found.differences] == [(0.0, 1.0, "identical")] * 4
    assert [note.split(" within")[0] for note in found["roc_auc"].notes if "binned" in note] == [
        "binned: the exact difference lies"
    ]
    new = in_files(other, tmp_path / "new", 900)
    found = heldout.compare({"old": old, "new": new}, metrics="roc_auc,brier", **options)
    assert found["roc_auc"].notes[-1].startswith("binned: the exact difference lies within ±")
    assert found["brier"].notes == ()


def test_as_many_wins_as_losses_are_enough_to_test():
    truth = np.tile([0, 1], 50)
    first, second = truth.copy(), truth.copy()
    first[:20], second[50:70] = 1 - first[:20], 1 - second[50:70]
    found = difference(METRICS["accuracy"], measured(truth, first), measured(truth, second))
    assert (found.test, found.notes, found.value) == ("McNemar mid-p, 20 vs 20", (), 0.0)


@pytest.mark.parametrize(("n", "words"), [(1000, "rank swaps, paired BCa"), (1001, "paired influence")])
def test_rankings_of_few_rows_are_swapped(n, words):
    rng = RNG(9)
    truth = np.arange(n) % 2
    a, b = (measured(truth, y_score=rng.normal(truth, 1), pos_label=1, draws=50) for _ in range(2))
    assert difference(METRICS["ks"], a, b).test == words


@pytest.mark.parametrize(("positives", "told"), [(9, True), (10, False)])
def test_rankings_have_the_error_of_their_resamples_and_name_few_rows(positives, told):
    rng = RNG(16)
    truth = np.repeat([1, 0], [positives, 60])
    a, b = (measured(truth, y_score=rng.normal(truth, 1), pos_label=1) for _ in range(2))
    found = difference(METRICS["ks"], a, b)
    values = []
    for _ in range(300):
        at = rng.integers(0, len(truth), len(truth))
        if 0 < truth[at].sum() < len(at):
            each = [
                stats.ks_2samp(one.batch.score[at][truth[at] == 1], one.batch.score[at][truth[at] == 0])
                for one in (a, b)
            ]
            values.append(each[0].statistic - each[1].statistic)
    assert found.error == pytest.approx(np.std(values), rel=0.2)  # 300 resamples know it to 4%
    assert found.pvalue * 1000 == pytest.approx(round(found.pvalue * 1000), abs=1e-9)  # of 999 swaps
    simulated = "the simulated type I error of this test is up to 15% ± 1.1 (nominal 5%)"
    assert found.notes == ((f"9 positive rows: with so few, {simulated}",) if told else ())


def test_rankings_in_chunks_are_not_swapped(tmp_path):
    rng = RNG(10)
    truth = np.arange(200) % 2
    models = {
        name: in_files(pa.table({"y": truth, "score": rng.uniform(0.3 * truth, 1)}), tmp_path / name, 90)
        for name in ("old", "new")
    }
    found = heldout.compare(models, metrics="roc_auc,average_precision", engine="local", truth="y", pos_label=1)
    assert found["average_precision"].test == "paired influence"


@pytest.mark.parametrize(("power", "long"), [(1.0, False), (1.5, True)])
def test_few_losses_have_long_tails_from_half_of_the_largest_skewness(power, long):
    """16 losses: the largest possible skewness is about 4, and 2 is long."""
    losses = RNG(0).exponential(size=16) ** power
    a, b = numbers(np.zeros(16), losses), numbers(np.zeros(16), RNG(1).random(16))
    skewness = stats.skew(losses)
    assert (skewness > 4 / 2) == long
    assert skewness > 4 / 3
    note = f"16 losses with a skewness of {skewness:.1f}: with long tails, the simulated type I error of this test is "
    assert difference(METRICS["mae"], a, b).notes == ((f"{note}up to 32% ± 0.6 (nominal 5%)",) if long else ())


@pytest.mark.parametrize(("power", "long"), [(1.7, False), (2.0, True)])
def test_many_losses_have_long_tails_from_a_skewness_of_four(power, long):
    losses = RNG(2).exponential(size=400) ** power
    skewness = stats.skew(losses)
    assert (4 < skewness < 5) if long else skewness < 4
    found = difference(METRICS["mae"], numbers(np.zeros(400), losses), numbers(np.zeros(400), RNG(1).random(400)))
    assert bool(found.notes) == long


@pytest.mark.parametrize("name", ["precision", "npv"])
def test_predictive_values_vary_by_more_than_their_rows_show(name):
    truth = np.arange(80) % 2
    said = [np.where(np.arange(80) < few, truth, 1 - side) for side, few in ((1, 10), (0, 30)) for _ in (0,)]
    both = Both(*(measured(truth, one, pos_label=1) for one in said))
    assert apart_of(METRICS[name], both).spread.variance > both.apart(METRICS[name]).spread.variance


def test_long_tails_of_losses_of_probabilities_are_named():
    rng = RNG(11)
    truth = np.arange(60) % 2
    score = np.where(truth == 1, 0.9, 0.1)
    sure = score.copy()
    sure[0] = 1 - 1e-9
    a, b = (
        measured(truth, y_proba=one, pos_label=1) for one in (sure, np.clip(score + 0.05 * rng.normal(size=60), 0, 1))
    )
    (note,) = difference(METRICS["log_loss"], a, b).notes
    assert note.startswith("60 losses with a skewness of 7.")


def test_four_clusters_are_too_few():
    rng = RNG(12)
    truth, unit = rng.normal(size=40), np.arange(40) // 10
    a, b = (numbers(truth, truth + rng.normal(size=40), groups=unit) for _ in range(2))
    found = difference(METRICS["mae"], a, b)
    assert (found.notes, isnan(found.pvalue)) == (("4 clusters: too few for a test (needs 5)",), True)


@pytest.mark.parametrize(("name", "test"), [("roc_auc", "delong"), ("roc_auc", "t")])
def test_tests_by_name_need_clusters_that_carry_the_metric(name, test):
    """Positive rows lie in one of 30 clusters."""
    rng = RNG(13)
    unit = np.repeat(np.arange(30), 5)
    truth = (unit == 0).astype(int)
    a, b = (measured(truth, y_proba=rng.uniform(0.3 * truth, 1), groups=unit, pos_label=1) for _ in range(2))
    found = difference(METRICS[name], a, b, test)
    words = {"delong": "DeLong, paired, clustered, z", "t": "paired t on influence"}
    assert (found.test, isnan(found.pvalue), isnan(found.low)) == (words[test], True, True)
    assert found.notes == (f"{name} rests on 1.0 effective clusters: too few for a test (needs 3)",)


def test_few_times_that_carry_a_metric_are_named():
    rng = RNG(14)
    truth = np.zeros(60, int)
    truth[30] = 1
    models = {name: np.where(rng.random(60) < 0.7, truth, 1 - truth) for name in "ab"}
    found = heldout.compare(truth, models, time=np.arange(60), metrics=["recall"], primary="recall", pos_label=1)
    assert found["recall"].notes[0] == "recall rests on 1.0 effective times: too few for a test (needs 3)"
    assert found["recall"].test == "HAC t"


def test_several_labels_per_row_are_drawn_and_not_swapped():
    rng = RNG(15)
    truth = rng.integers(0, 2, (50, 3))
    several = measured(truth, np.where(rng.random((50, 3)) < 0.8, truth, 1 - truth), task="multilabel")
    known = {one.name: one for one in several.metrics()}
    assert known["f1_micro"].reads == "marks"
    assert [TESTS[test][0](known["f1_micro"], several) for test in ("bootstrap", "permutation")] == [True, False]
    for tests in (TESTS, INDEPENDENT_TESTS):
        assert [tests["t"][0](METRICS[name], several) for name in ("f1", "max_error", "ece")] == [True, False, False]


def test_sign_flips_and_resamples_are_as_many_as_asked_for():
    rng = RNG(17)
    truth = rng.normal(size=30)
    a, b = (numbers(truth, truth + rng.normal(size=30), draws=199, seed=5) for _ in range(2))
    losses = [np.abs(one.batch.truth - one.batch.prediction) for one in (a, b)]
    found = difference(METRICS["mae"], a, b, "permutation")
    assert found.pvalue == sign_flip(losses[0] - losses[1], n_resamples=199, random_state=5)
    far = difference(METRICS["mae"], a, numbers(truth, truth + 5 + rng.normal(size=30)), "bootstrap")
    assert far.pvalue == 2 / (199 + 1)  # the least that as many resamples can show
    two = difference(METRICS["mae"], *(numbers(truth, one.batch.prediction, draws=2) for one in (a, b)), "bootstrap")
    assert two.error > 0


def test_swaps_of_predictions_are_counted_out():
    """Of 12 rows with 7 discordant ones, all 128 swaps: P(|D| > |d|) + P(|D| = |d|) / 2."""
    rng = RNG(18)
    truth = np.arange(12) % 2
    first, second = (np.where(rng.random(12) < right, truth, 1 - truth) for right in (0.9, 0.6))
    apart = np.flatnonzero(first != second)
    sizes = []
    for swap in product((False, True), repeat=len(apart)):
        one, other = first.copy(), second.copy()
        one[apart[list(swap)]], other[apart[list(swap)]] = second[apart[list(swap)]], first[apart[list(swap)]]
        sizes.append(abs(f1_score(truth, one) - f1_score(truth, other)))
    seen = sizes[0]
    want = np.mean([0.5 if abs(size - seen) < 1e-9 else float(size > seen) for size in sizes])
    found = difference(METRICS["f1"], *(measured(truth, said, pos_label=1) for said in (first, second)), "permutation")
    assert (found.test, found.pvalue) == ("swaps, counted", pytest.approx(want))


def test_swaps_of_predictions_have_the_error_of_resamples():
    rng = RNG(19)
    truth = np.arange(200) % 2
    first, second = (np.where(rng.random(200) < right, truth, 1 - truth) for right in (0.9, 0.8))
    found = difference(METRICS["accuracy"], measured(truth, first), measured(truth, second), "permutation")
    apart = (first == truth).astype(float) - (second == truth)
    assert found.error == pytest.approx(apart.std() / np.sqrt(200), rel=0.1)  # 2000 resamples know it to 2%


def test_resamples_that_do_not_move_a_difference_show_nothing():
    """One model has all rows in order, the other none: so has every resample."""
    truth = np.repeat([1, 0], [5, 7])
    scores = 0.1 + 0.6 * truth + 0.01 * np.arange(12)
    perfect, turned = (measured(truth, y_score=one, pos_label=1) for one in (scores, 1 - scores))
    found = difference(METRICS["ks"], perfect, turned)
    assert (found.value, isnan(found.low), isnan(found.pvalue)) == (1.0, True, True)
    assert found.notes == ("no resample moves the difference",)


def test_error_rates_that_no_resample_of_clusters_moves_have_no_bootstrap_interval():
    """Every cluster has the same rows, and so has every resample."""
    truth, cluster = np.tile([1, 1, 0, 0], 6), np.repeat(np.arange(6), 4)
    scores = np.tile([0.9, 0.3, 0.4, 0.1], 6), np.tile([0.9, 0.8, 0.4, 0.1], 6)
    a, b = (measured(truth, y_score=one, pos_label=1, groups=cluster, draws=50) for one in scores)
    found = difference(METRICS["eer"], a, b, "bootstrap")
    assert (found.value, isnan(found.pvalue), found.notes) == (0.5, True, ("no variance between units",))


def test_from_a_hundred_units_a_bootstrap_has_no_note():
    rng = RNG(20)
    truth = rng.normal(size=100)
    a, b = (numbers(truth, truth + rng.normal(size=100)) for _ in range(2))
    assert difference(METRICS["mae"], a, b, "bootstrap").notes == ("the p-value inverts the interval",)


def equal_models(rng, positives, rows, share):
    """One model errs among the few positive rows, the other among the negative ones: both have the same true value."""
    truth = np.repeat([1, 0], [positives, rows - positives])
    wrong = rng.random((2, rows)) < share
    return truth, wrong[0] & (truth == 1), wrong[1] & (truth == 0)


@pytest.mark.parametrize("metric", ["balanced_accuracy", "roc_auc", "gini"])
def test_models_that_err_in_different_classes_rarely_differ_where_one_class_shows_no_error(metric):
    """Of 10 positive rows none may be wrong: 36% of such samples were significant."""
    rejected, samples = 0, 100
    for seed in range(samples):
        truth, one, other = equal_models(RNG(seed), 10, 200, 0.1)
        noise = RNG(1000 + seed).random((2, 200)) / 10
        if metric == "balanced_accuracy":
            models = {"a": np.where(one, 0, truth), "b": np.where(other, 1, truth)}
        else:
            models = {
                "a": np.where(one, 0, 0.2 + truth / 2) + noise[0],
                "b": np.where(other, 0.9, 0.2 + truth / 2) + noise[1],
            }
        rejected += heldout.compare(truth, models, metrics=[metric], pos_label=1)[metric].pvalue < 0.05
    assert rejected <= 10


def test_a_class_of_one_row_does_not_decide_macro_recall():
    """Two equal models differed significantly in 40% of samples: one row moves the mean of the classes by a quarter."""
    rejected = 0
    for seed in range(100):
        rng = RNG(seed)
        truth = rng.integers(0, 3, 100)
        truth[0] = 3
        a, b = (np.where(rng.random(100) < 0.3, rng.integers(0, 4, 100), truth) for _ in range(2))
        found = heldout.compare(truth, {"a": a, "b": b}, metrics=["recall_macro"])["recall_macro"]
        rejected += found.pvalue < 0.05
    assert rejected <= 10


def test_a_class_without_discordant_rows_adds_the_same_variance_in_chunks(tmp_path):
    truth, _, other = equal_models(RNG(4), 10, 200, 0.1)
    models = {"a": truth, "b": np.where(other, 1, truth)}
    files = {
        name: in_files(pa.table({"y": truth, "y_pred": said}), tmp_path / name, 90) for name, said in models.items()
    }
    whole, chunked = (
        heldout.compare(files, metrics="balanced_accuracy", truth="y", pos_label=1, **more)["balanced_accuracy"]
        for more in ({}, {"engine": "local"})
    )
    assert ends(whole) == pytest.approx(ends(chunked), rel=1e-12)
    seen = [measured(truth, said, pos_label=1) for said in models.values()]
    found = apart_of(METRICS["balanced_accuracy"], Both(*seen))
    bare = Both(*seen).apart(METRICS["balanced_accuracy"])
    # spans of 1 / (2 * 10) and 1 / (2 * 190): of the larger variance, 2 / 12 is not seen, and the share is 190 / 200
    assert found.error**2 - bare.error**2 == pytest.approx(2 / 12 * 10 / 20**2 * 190 / 200)


def test_rounding_of_weighted_areas_of_models_without_an_error_decides_nothing():
    """A gate passed two models of 20 rows at a margin that no such sample can show."""
    rng = RNG(1)
    truth = np.arange(20) % 2
    a, b = (truth / 2 + 0.2 + rng.random(20) / 10 for _ in range(2))
    weight = rng.uniform(1, 2, 20)
    for metric in ("roc_auc", "gini", "ks", "average_precision"):
        found = heldout.compare(truth, {"a": a, "b": b}, metrics=[metric], sample_weight=weight)[metric]
        assert found.value == 0
        assert found.pvalue == 1
        assert found.low < -0.1
        assert found.high > 0.1
        assert any("is 1 for both models" in note or "identical" in note for note in found.notes), found.notes
    assert heldout.gate(truth, {"a": a, "b": b}, primary="roc_auc", margin=0.05, sample_weight=weight).verdict != "PASS"


def more_variance(metric, a, b):
    """What is added to the variance of a difference for what a class does not show."""
    both = Both(a, b)
    return apart_of(METRICS[metric], both).spread.variance - both.apart(METRICS[metric]).spread.variance


def by_hand(rows, alike, spans):
    """Of each class without discordant rows: its share of the largest variance, times 2 of rows + 2 discordant."""
    largest = np.asarray(rows) * np.asarray(spans) ** 2
    added = sum(largest[c] ** 2 * 2 / (rows[c] + 2) for c in alike) / largest.sum()
    return pytest.approx(added, rel=1e-6)


WRONG = {"both right": (0, 0), "both wrong": (1, 1), "first right": (0, 1), "second right": (1, 0)}


@pytest.mark.parametrize(
    ("last", "alike"),
    [
        (("both right",) * 4, True),
        (("both right", "both wrong", "both right", "both wrong"), True),
        (("both wrong",) * 4, True),
        (("first right",) * 4, True),
        (("second right",) * 4, True),
        (("first right", "both right", "both right", "both right"), False),
        (("second right", "both wrong", "both wrong", "both wrong"), False),
        (("first right", "second right", "first right", "second right"), False),
    ],
)
def test_a_class_without_discordant_rows_adds_to_the_variance(last, alike):
    """Macro recall: a row of a class of n rows moves it by 1 / (3 n)."""
    rows = (20, 10, 4)
    truth = np.repeat([0, 1, 2], rows)
    wrong = np.zeros((2, 34), int)
    wrong[0, [0, 1, 21]] = wrong[1, [5, 22, 23]] = 1
    wrong[:, 30:] = np.array([WRONG[word] for word in last]).T
    a, b = (measured(truth, (truth + one) % 3) for one in wrong)
    spans = 1 / (3 * np.array(rows))
    assert more_variance("recall_macro", a, b) == by_hand(rows, [2] if alike else [], spans)


def test_two_classes_without_discordant_rows_add_both():
    rows = (20, 10, 4)
    truth = np.repeat([0, 1, 2], rows)
    first, second = truth.copy(), truth.copy()
    first[:3], second[5:7] = 1, 2
    assert more_variance("recall_macro", *(measured(truth, one) for one in (first, second))) == by_hand(
        rows, [1, 2], 1 / (3 * np.array(rows))
    )


def test_a_row_moves_a_metric_of_classes_as_far_as_in_the_model_that_it_moves_more():
    truth = np.repeat([0, 1], [30, 8])
    first, second = truth.copy(), truth.copy()
    first[:2], second[:9] = 1, 1
    a, b = (measured(truth, one, pos_label=1) for one in (first, second))
    # slopes of f1 = 2 tp / (2 tp + fp + fn) with tp = 8 and fn = 0, from tn to fp and from tp to fn
    steps = [[16 / (16 + fp) ** 2, (16 + 2 * fp) / (16 + fp) ** 2] for fp in (2, 9)]
    assert more_variance("f1", a, b) == by_hand((30, 8), [1], np.max(steps, axis=0))


@pytest.mark.parametrize(("metric", "span"), [("roc_auc", 1.0), ("gini", 2.0)])
def test_a_class_in_which_two_rankings_agree_adds_to_the_variance_of_areas(metric, span):
    """One positive row moves, past both negative rows of two: only the positive rows show a difference."""
    truth = np.repeat([0, 1], [2, 30])
    first = np.concatenate([[0.1, 0.1], np.linspace(0.2, 0.9, 30)])
    second = first.copy()
    second[2] = 0.05
    a, b = (measured(truth, y_score=one, pos_label=1) for one in (first, second))
    assert more_variance(metric, a, b) == by_hand((2, 30), [0], span / np.array([2.0, 30.0]))
    c = measured(truth, y_score=np.where(np.arange(32) == 0, 0.5, first), pos_label=1)
    assert more_variance(metric, a, c) == 0.0


def test_fifty_classes_are_looked_at_one_by_one_and_more_are_not():
    for classes, looked in ((50, True), (51, False)):
        truth = np.repeat(np.arange(classes), 2)
        said = truth.copy()
        said[0] = 1
        a, b = measured(truth, truth), measured(truth, said)
        assert bool(more_variance("recall_macro", a, b)) == looked


def test_what_depends_adds_nothing():
    truth = np.repeat([0, 1], [30, 8])
    said = np.where(np.arange(38) < 3, 1, truth)
    for more in ({"groups": np.arange(38) // 2}, {"sample_weight": RNG(0).uniform(1, 2, 38)}):
        a, b = (measured(truth, one, pos_label=1, **more) for one in (truth, said))
        assert more_variance("balanced_accuracy", a, b) == 0.0


@pytest.mark.parametrize("weight", [None, RNG(3).uniform(1, 2, 40)])
def test_two_models_at_the_end_of_a_range_differ_by_nothing(weight):
    """Areas of 1, and of -1 of gini; one model at the end and the other inside it do differ."""
    truth = np.repeat([0, 1], 20)
    rising, other = truth + 0.5 * RNG(1).random(40), truth + 0.5 * RNG(2).random(40)
    first, second = (measured(truth, y_score=one, pos_label=1, sample_weight=weight) for one in (rising, other))
    falling = [measured(truth, y_score=-one, pos_label=1, sample_weight=weight) for one in (rising, other)]
    for a, b in ((first, second), falling):
        for metric in ("roc_auc", "gini"):
            found = difference(METRICS[metric], a, b)
            assert (found.value, found.pvalue, found.test) == (0.0, 1.0, "identical"), metric
    near = measured(truth, y_score=np.where(np.arange(40) == 20, 0.1, rising), pos_label=1, sample_weight=weight)
    apart = difference(METRICS["roc_auc"], first, near)
    assert apart.value > 0
    assert apart.test != "identical"


# ---- roots of means near zero


def wrong_rows(rows, errors):
    """A truth of zeros, and predictions that are off in the first rows."""
    return numbers(np.zeros(rows), np.concatenate([errors, np.zeros(rows - len(errors))]))


@pytest.mark.parametrize(("root", "square"), [("rmse", "mse"), ("rmsle", "msle")])
def test_a_root_is_no_surer_than_its_square_where_one_model_is_exact(root, square):
    """Three wrong rows of one model, and none of the other: t is 1.7 for squares, and was 3.5 for roots."""
    exact, other = wrong_rows(50, []), wrong_rows(50, [1.0, 1.0, 1.0])
    for a, b in ((exact, other), (other, exact)):
        of_root, of_square = (difference(METRICS[name], a, b) for name in (root, square))
        assert (of_root.pvalue, of_root.statistic) == (of_square.pvalue, of_square.statistic)
        assert of_root.pvalue > 0.05
        assert of_root.low < 0 < of_root.high


def test_signs_of_squares_are_flipped_not_of_roots():
    exact, other = wrong_rows(50, []), wrong_rows(50, [1.0, 1.0, 1.0])
    found = [difference(METRICS[name], other, exact, "permutation").pvalue for name in ("rmse", "mse")]
    assert found[0] == found[1] > 0.2


def test_the_ends_of_a_difference_of_roots_beside_an_exact_model():
    """Of four rows with the same error: the upper end as the delta method has it, the lower one by both."""
    a, b = wrong_rows(100, [1.0] * 4), wrong_rows(100, [])
    found, squares = difference(METRICS["rmse"], a, b), difference(METRICS["mse"], a, b)
    apart = apart_of(METRICS["rmse"], Both(a, b))
    low, high = skew_adjusted_t(0.2, apart.spread, 0.95)
    flat = squares.low / 0.2
    assert found.low == pytest.approx(0.2 * flat / (0.2 - low + flat))
    assert found.high == pytest.approx(high)
    assert found.interval_at(1 - found.pvalue)[0] == pytest.approx(0, abs=1e-9)


def test_ordinary_roots_are_those_of_the_delta_method():
    """Within a hundredth of the standard error with 2,000 rows."""
    rng = RNG(9)
    truth, said = rng.normal(size=2000), rng.normal(size=(2, 2000))
    a, b = (numbers(truth, truth + part) for part in said * [[1.0], [1.05]])
    found = difference(METRICS["rmse"], a, b)
    apart = apart_of(METRICS["rmse"], Both(a, b))
    assert ends(found) == pytest.approx(skew_adjusted_t(found.value, apart.spread, 0.95), abs=0.01 * apart.error)
    assert found.pvalue == pytest.approx(skew_adjusted_pvalue(found.value, apart.spread), rel=0.02)


@pytest.mark.parametrize("grouped", [False, True])
def test_roots_by_name_in_chunks_are_those_in_memory(tmp_path, grouped):
    """Also where squares are not asked for."""
    columns = {"y_true": np.zeros(50), "old": np.zeros(50), "new": np.repeat([1.0, 0.0], [3, 47])}
    if grouped:
        columns["group"] = np.arange(50)
    folder = in_files(pa.table(columns), tmp_path / "rows", 20)
    models = {"old": "old", "new": "new"}
    for name in ("rmse", "rmsle"):
        asked = {"metrics": [name], "task": "regression"} | ({"groups": "group"} if grouped else {})
        memory = heldout.compare(pa.table(columns), models, **asked)
        chunks = heldout.compare(folder, models, engine="local", **asked)
        assert [one.metric for one in chunks.differences] == [name]
        assert chunks.differences[0].pvalue == pytest.approx(memory.differences[0].pvalue)
        assert ends(chunks.differences[0]) == pytest.approx(ends(memory.differences[0]))
        assert memory.differences[0].pvalue > 0.05
