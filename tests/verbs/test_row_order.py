"""Rows in the order of time: intervals and tests that allow for dependence, and the note where times are missing."""

from __future__ import annotations

import json
from math import sqrt

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from scipy import stats
from scipy.signal import lfilter

import heldout
from heldout.cli import verbs
from heldout.errors import HeldoutError
from heldout.intervals.long_run import long_run
from heldout.verbs.row_order import neighbours_alike


def linked(rng, rho, n):
    return lfilter([1.0], [1.0, -rho], rng.standard_normal(n + 100))[100:] * sqrt(1 - rho**2)


@pytest.fixture
def forecasts():
    rng = np.random.default_rng(5)
    truth = rng.normal(10, 2, 150)
    return pd.DataFrame(
        {
            "day": pd.date_range("2024-01-01", periods=150).astype(str),
            "y": truth,
            "old": truth + linked(rng, 0.8, 150),
            "new": truth + 0.8 * linked(rng, 0.8, 150),
        }
    )


@pytest.fixture
def decisions():
    rng = np.random.default_rng(6)
    drift = linked(rng, 0.8, 240)
    truth = (drift + linked(rng, 0.5, 240) > 0).astype(int)
    return truth, 1 / (1 + np.exp(-2 * drift)), 1 / (1 + np.exp(-drift - rng.normal(size=240)))


def said(call):
    with pytest.raises(HeldoutError) as error:
        call()
    return str(error.value)


MODELS = {"old": "old", "new": "new"}


def test_the_difference_of_two_means_is_a_t_test_with_the_long_run_variance(forecasts):
    found = heldout.compare(forecasts, MODELS, truth="y", metrics="mae", time="day")["mae"]
    apart = np.abs(forecasts["new"] - forecasts["y"]) - np.abs(forecasts["old"] - forecasts["y"])
    known = long_run(apart.to_numpy() / 150)
    t = apart.mean() / sqrt(known.variance)
    assert found.pvalue == pytest.approx(2 * stats.t.sf(abs(t), known.df))
    assert found.high - found.low == pytest.approx(2 * stats.t.ppf(0.975, known.df) * sqrt(known.variance))
    assert found.test == "HAC t"
    assert found.time["autocorrelation"] == pytest.approx(known.autocorrelation)
    assert found.time["effective_n"] == pytest.approx(known.effective)


def test_intervals_are_wider_than_those_of_independent_rows_and_values_are_the_same(forecasts, decisions):
    truth, score, _ = decisions
    for call in (
        lambda **time: heldout.evaluate(forecasts["y"], forecasts["old"], **time),
        lambda **time: heldout.evaluate(truth, y_score=score, **time),
    ):
        plain, linked_rows = call(), call(time=range(len(truth) if call().task == "binary" else 150))
        assert {name: float(one) for name, one in plain.estimates.items()} == pytest.approx(
            {name: float(one) for name, one in linked_rows.estimates.items()}, nan_ok=True
        )
        shown = [
            name for name, one in plain.estimates.items() if one.printed and name not in ("ece", "average_precision")
        ]
        for name in shown:
            wide, narrow = linked_rows[name], plain[name]
            # that of a mean loss of independent rows allows for skewness as well
            least = 0.95 if name in ("log_loss", "brier") else 1.0
            assert wide.high - wide.low > least * (narrow.high - narrow.low), name
            assert "HAC" in wide.method
            assert wide.card is None or "rho=" in wide.card.world


def test_the_order_of_the_rows_does_not_matter_where_times_are_given(forecasts, decisions):
    truth, score, other = decisions
    mixed = np.random.default_rng(1).permutation(240)
    for call in (
        lambda at: heldout.evaluate(truth[at], y_score=score[at], time=at).to_dict()["estimates"],
        lambda at: heldout.compare(truth[at], {"a": score[at], "b": other[at]}, time=at).to_dict()["differences"],
    ):
        first, second = (json.loads(json.dumps(call(at))) for at in (np.arange(240), mixed))
        assert _rounded(first) == _rounded(second)


def _rounded(thing):
    if isinstance(thing, dict):
        return {key: _rounded(value) for key, value in thing.items()}
    if isinstance(thing, list):
        return [_rounded(value) for value in thing]
    return float(f"{thing:.6g}") if isinstance(thing, float) else thing


def test_times_are_an_order_and_nothing_else(forecasts):
    kinds = [range(150), np.arange(150) ** 2, forecasts["day"], pd.to_datetime(forecasts["day"])]
    found = {str(heldout.evaluate(forecasts["y"], forecasts["old"], time=times)["mae"]) for times in kinds}
    assert len(found) == 1


def test_series_at_the_same_times_are_added_up_before_times_are_judged():
    rng = np.random.default_rng(2)
    shock = linked(rng, 0.5, 60)
    errors = (shock[:, None] + 0.3 * rng.standard_normal((60, 5))).ravel()
    truth = rng.normal(size=300)
    times, shops = np.repeat(np.arange(60), 5), np.tile(list("abcde"), 60)
    found = heldout.evaluate(truth, truth + errors, time=times, series=shops, metrics="mean_error")
    known = long_run(errors.reshape(60, 5).sum(axis=1) / 300)
    one = found["mean_error"]
    assert one.high - one.low == pytest.approx(2 * stats.t.ppf(0.975, known.df) * sqrt(known.variance))
    assert (found.units, found.to_dict()["unit"]) == (60, "time")
    assert "300 rows, 60 times" in str(found)
    same = heldout.evaluate(truth, truth + errors, time=times, groups=shops, series=shops, metrics="mean_error")
    assert same["mean_error"].high == one.high


@pytest.mark.parametrize("metric", ["median_absolute_error", "max_error"])
def test_metrics_that_no_row_moves_smoothly_do_not_take_rows_for_independent(forecasts, metric):
    plain = heldout.evaluate(forecasts["y"], forecasts["old"], metrics=metric)[metric]
    found = heldout.evaluate(forecasts["y"], forecasts["old"], metrics=metric, time=range(150))[metric]
    if metric == "max_error":
        assert found.notes == (
            "no upper bound from these rows, and none on what a new row may exceed where rows depend on each other",
        )
    else:
        assert found.low < plain.low <= plain.high < found.high
        assert found.method == "Woodruff, HAC"


def test_several_classes_and_several_models():
    rng = np.random.default_rng(9)
    truth = rng.integers(0, 3, 200)
    scores = {name: rng.dirichlet(np.ones(3), 200) + 0.5 * np.eye(3)[truth] for name in "abc"}
    scores = {name: score / score.sum(axis=1, keepdims=True) for name, score in scores.items()}
    found = heldout.evaluate(truth, y_proba=scores["a"], time=range(200))
    assert all("HAC" in one.method for name, one in found.estimates.items() if "calibration" not in name)
    many = heldout.compare(truth, scores, time=range(200), primary="log_loss")
    assert many.best_of_many.metric == "log_loss"
    assert {one.test for one in many.differences} == {"HAC t"}
    assert [one.correction for one in many.differences if one.metric == "log_loss"] == ["max-t", "max-t"]


def test_diebold_and_mariano_by_name(forecasts):
    found = heldout.compare(forecasts, MODELS, truth="y", metrics="mse", time="day", horizon=3, test="diebold_mariano")[
        "mse"
    ]
    errors = [(forecasts[name] - forecasts["y"]) ** 2 for name in ("new", "old")]
    want = heldout.stats.diebold_mariano(errors[0] - errors[1], horizon=3)
    assert (found.value, found.pvalue, found.low) == pytest.approx((want.value, want.pvalue, want.low))
    assert found.test == "Diebold-Mariano, h=3"


def test_a_gate_in_time(forecasts):
    plain = heldout.gate(forecasts, MODELS, truth="y", primary="mae", margin=0.1)
    found = heldout.gate(forecasts, MODELS, truth="y", primary="mae", margin=0.1, time="day")
    one = found.to_dict()["hurdles"][0]
    assert one["high"] - one["low"] > plain.hurdles[0].high - plain.hurdles[0].low
    assert one["test"] == "HAC t"
    assert 0 < one["time"]["effective_n"] < 150


def test_every_format_has_autocorrelation_and_effective_number(forecasts):
    found = heldout.evaluate(forecasts, y_pred="old", truth="y", time="day")
    compared = heldout.compare(forecasts, MODELS, truth="y", time="day")
    gated = heldout.gate(forecasts, MODELS, truth="y", time="day", primary="mae", margin=0.1)
    for result in (found, compared, gated):
        d = result.to_dict()
        Draft202012Validator(heldout.schema(d["schema"])).validate(d)
        assert "effective_n" in result.to_csv().splitlines()[0]
        assert "n eff" in result.to_markdown()
    assert "n eff" in found.to_html()
    assert "method, HAC" in str(found)
    assert "r(1) autocorrelation at lag 1; n eff: independent times that these are worth" in str(found)


def test_few_independent_times_are_warned_of():
    wander = linked(np.random.default_rng(3), 0.95, 60)
    found = heldout.evaluate(np.zeros(60) + 1.5, 1.5 + wander, time=range(60), metrics="mean_error", task="regression")
    (note,) = found["mean_error"].notes
    assert note == (
        "60 times with autocorrelation 0.82 are worth about 2.3 independent ones: too few to know how uncertain "
        "the value is, do not rely on this interval"
    )


def test_what_cannot_be_seen_is_said():
    truth = np.random.default_rng(1).integers(0, 2, 40)
    assert heldout.evaluate(truth, truth, time=range(40))["accuracy"].notes == (
        (
            "all times have the same influence, so autocorrelation cannot be estimated: the interval assumes that "
            "they are independent"
        ),
    )
    assert heldout.evaluate(truth, 1 - truth, time=np.zeros(40))["accuracy"].notes == (
        "only 1 time: too few to estimate their autocorrelation, do not rely on this interval",
    )


def test_curves_and_tests_of_subgroups_do_not_allow_for_time_and_say_so(decisions):
    truth, score, other = decisions
    options = {"time": range(240), "segments": {"site": np.arange(240) % 2}}
    evaluated = heldout.evaluate(truth, y_score=score, **options)
    compared = heldout.compare(truth, {"a": score, "b": other}, primary="brier", **options)
    for result in (evaluated, compared):
        assert [check.text for check in result.checks if check.code == "H319"] == [
            (
                "bands of curves and of the threshold explorer take rows of different times for independent; "
                "the intervals of metrics do not"
            ),
            "whether subgroups differ is not tested: rows of one time in several of them are not independent",
        ]
    assert np.isnan(evaluated.segments["site"].heterogeneity["accuracy"].pvalue)
    assert {one.test for _, _, found in compared.segments["site"][0].shown.values() for one in found.values()} == {
        "HAC t"
    }


def test_weights_and_subgroups_go_with_times(decisions):
    truth, score, _ = decisions
    ones = heldout.evaluate(truth, y_score=score, time=range(240), sample_weight=np.full(240, 3.0))
    plain = heldout.evaluate(truth, y_score=score, time=range(240))
    assert {name: str(one) for name, one in ones.estimates.items()} == {
        name: str(one) for name, one in plain.estimates.items()
    }
    heavy = heldout.evaluate(truth, y_score=score, time=range(240), sample_weight=np.where(truth == 1, 3.0, 1.0))
    assert "HAC" in heavy["accuracy"].method


def test_the_command_line(forecasts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    forecasts.to_csv("rows.csv", index=False)
    for name in ("old", "new"):
        forecasts[["day", "y"]].assign(y_pred=forecasts[name]).to_csv(f"{name}.csv", index=False)

    def run(*words):
        return CliRunner().invoke(verbs, list(words)).output

    assert "method, HAC" in run("evaluate", "rows.csv", "--truth", "y", "--pred", "old", "--time", "day")
    assert "HAC t" in run("compare", "old.csv", "new.csv", "--time", "day", "--format", "csv")
    gated = run("gate", "old.csv", "new.csv", "--primary", "mae", "--margin", "1", "--time", "day", "--horizon", "2")
    assert "(HAC t, n=150)" in gated
    assert "horizon has no effect without times" in run("evaluate", "old.csv", "--horizon", "2")
    assert "Diebold-Mariano" in run("explain", "diebold_mariano")
    assert "(word)" in run("explain", "autocorrelation")


# ---- what does not go together


def test_what_takes_rows_for_independent_is_refused(forecasts, decisions):
    truth, score, other = decisions
    time = range(240)
    assert said(lambda: heldout.evaluate(truth, y_score=score, time=time, method="bca")) == (
        "the method bca assumes independent rows, but these have times\n"
        "  Fix: leave out method=: intervals then allow for dependence in time"
    )
    assert said(lambda: heldout.evaluate(truth, y_score=score, time=time, max_fpr=0.1)) == (
        "max_fpr counts independent rows, and these have times\n"
        "  Fix: leave out max_fpr=, or leave out time= and give rows that are far apart"
    )
    assert said(lambda: heldout.evaluate(truth, y_score=score, time=time, choose_threshold=(1, 5))) == (
        "choose_threshold counts independent rows, and these have times\n"
        "  Fix: leave out choose_threshold=, or leave out time= and give rows that are "
        "far apart"
    )
    models = {"a": score, "b": other}
    assert said(lambda: heldout.compare(truth, models, time=time, test="mcnemar")) == (
        "the test mcnemar assumes independent rows, but these have times\n"
        "  Fix: choose one of t, diebold_mariano, or leave out the test"
    )
    assert said(lambda: heldout.compare(truth, models, test="diebold_mariano")) == (
        "the test diebold_mariano is for rows in the order of time, and no times were given\n"
        "  Fix: name the times with time=range(n) for rows in order"
    )
    assert said(lambda: heldout.compare(truth, models, test="diebold_mariano", time=time, primary="accuracy")) == (
        "the test diebold_mariano suits means of losses of rows with times, such as mae and mse, but not accuracy\n"
        "  Fix: choose a metric it suits, or leave out the test"
    )
    assert said(lambda: heldout.compare(truth, models, time=time, sequential=True)) == (
        "several looks are for independent rows, and these have times\n"
        "  Fix: leave out time=, or sequential=True and looks="
    )
    samples = {name: (truth, values) for name, values in models.items()}
    assert said(lambda: heldout.compare(None, samples, paired=False, time=time)) == (
        "time is for models on the same rows, and these are independent samples\n"
        "  Fix: compare on the same rows, or leave out time="
    )


def test_rows_in_chunks_have_no_times(forecasts, tmp_path):
    path = tmp_path / "forecasts.csv"
    forecasts.to_csv(path, index=False)
    message = said(lambda: heldout.evaluate(str(path), y_pred="old", truth="y", time="day", engine="local"))
    assert message.startswith("time needs all rows in memory, in order, and these are read in chunks\n  Fix: give the")
    message = said(lambda: heldout.compare(str(path), MODELS, truth="y", time="day", engine="local"))
    assert message.startswith("time needs all rows in memory, in order, and these are read in chunks\n  Fix: give the")


def test_models_with_other_times_are_refused(forecasts):
    frames = {name: forecasts.rename(columns={name: "y_pred"})[["y", "y_pred", "day"]] for name in ("old", "new")}
    frames["new"] = frames["new"].assign(day=frames["new"]["day"].to_numpy()[::-1])
    assert said(lambda: heldout.compare(frames, time="day")) == (
        "[H101] old and new have different times in 150 rows (first: row 1)\n"
        "  Fix: use one time for all models, and check that the rows are the same"
    )


# ---- the note without times


def noted(result):
    return [check.text for check in result.checks if check.code == "H318"]


def test_neighbouring_losses_that_are_alike_are_noted(forecasts):
    plain = forecasts[["y", "old", "new"]]
    (alone,) = noted(heldout.evaluate(plain["y"], plain["old"]))
    assert alone == (
        "squared errors of neighbouring rows are alike: autocorrelation 0.58 at lag 1 in row order, more than chance "
        "allows. If this is the order of time, intervals should be about 1.7 times as wide: --time COLUMN "
        "(time=range(n) for rows in order); if neighbours are of one patient, document or the like, name it as the "
        "group"
    )
    (compared,) = noted(heldout.compare(plain["y"], {"old": plain["old"], "new": plain["new"]}))
    assert compared.startswith("differences of squared errors of neighbouring rows are alike: autocorrelation 0.")
    (with_dates,) = noted(heldout.evaluate(forecasts, y_pred="old", truth="y"))
    assert "--time day (time='day')" in with_dates


def test_dates_are_noted_where_neighbours_are_not_alike():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=100)
    days = pd.date_range("2024-01-01", periods=100)
    frame = pd.DataFrame({"y": truth, "yhat": truth + rng.normal(size=100), "day": days})
    assert noted(heldout.evaluate(frame)) == [
        (
            "day holds dates, and rows are assumed to be independent; if errors depend on those before: --time day "
            "(time='day')"
        )
    ]
    assert noted(heldout.evaluate(frame, time="day")) == []
    assert noted(heldout.evaluate(frame, groups="day")) == []


def test_rows_sorted_by_class_score_or_target_are_not_taken_for_a_series():
    rng = np.random.default_rng(2)
    truth = np.sort(rng.integers(0, 2, 300))
    score = np.clip(rng.normal(0.3 + 0.3 * truth, 0.2), 0, 1)
    assert noted(heldout.evaluate(truth, y_score=score)) == []
    at = np.argsort(score)
    assert noted(heldout.evaluate(truth[at], y_score=score[at])) == []
    numbers = np.sort(rng.exponential(size=300))
    assert noted(heldout.evaluate(numbers, numbers * rng.lognormal(size=300), task="regression")) == []


def test_false_alarms_are_one_in_a_thousand_even_of_rare_and_heavy_losses():
    rng = np.random.default_rng(3)
    makers = [
        lambda: (rng.random(200) < 0.02).astype(float),
        lambda: (rng.random(100) < 0.4).astype(float),
        lambda: rng.standard_cauchy(60) ** 2,
    ]
    for make in makers:
        alarms = sum(neighbours_alike(make()) < 0.001 for _ in range(2000))
        assert alarms <= stats.binom.ppf(0.999, 2000, 0.001)
    found = sum(neighbours_alike(linked(rng, 0.8, 150) ** 2) < 0.001 for _ in range(200))
    assert found > 150
    assert np.isnan(neighbours_alike(np.array([np.inf, 1.0, 2.0])))
    assert neighbours_alike(np.zeros(30)) == 1.0


# ---- the claims


def test_intervals_and_tests_keep_their_claims_under_autocorrelation():
    """Taken for independent, such rows give 43% false differences and intervals that cover 64%."""
    repeats, rejected, covered = 400, 0, 0
    truth = np.linspace(0, 1, 100)[np.random.default_rng(0).permutation(100)]
    mean = sqrt(2 / np.pi)
    for seed in range(repeats):
        rng = np.random.default_rng([11, seed])
        models = {name: truth + linked(rng, 0.8, 100) for name in "ab"}
        found = heldout.compare(truth, models, metrics="mae", primary="mae", time=range(100), task="regression")
        rejected += found["mae"].pvalue < 0.05
        one = found.estimates["a"]["mae"]
        covered += one.low <= mean <= one.high
    assert rejected <= stats.binom.ppf(0.999, repeats, 0.06)
    assert covered >= stats.binom.ppf(0.001, repeats, 0.93)
