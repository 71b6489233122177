"""Regression and the user's own losses: rows D1 and D3 of what the system must do."""

from __future__ import annotations

import numpy as np
import pytest

import heldout

TRUTH = np.array([3.0, -0.5, 2.0, 7.0, 4.0, 1.0, -2.0, 5.0])
SAID = np.array([2.5, 0.0, 2.0, 8.0, 3.0, 1.5, -3.0, 6.0])
OFF = TRUTH - SAID
EXPECTED = {
    "mae": np.mean(np.abs(OFF)),
    "mse": np.mean(OFF**2),
    "rmse": np.sqrt(np.mean(OFF**2)),
    "mape": np.mean(np.abs(OFF / TRUTH)),
    "mspe": np.mean((OFF / TRUTH) ** 2),
    "rmspe": np.sqrt(np.mean((OFF / TRUTH) ** 2)),
    "wmape": np.sum(np.abs(OFF)) / np.sum(np.abs(TRUTH)),
    "r2": 1 - np.sum(OFF**2) / np.sum((TRUTH - TRUTH.mean()) ** 2),
    "median_absolute_error": np.median(np.abs(OFF)),
    "max_error": np.max(np.abs(OFF)),
    "mean_error": np.mean(OFF),
    "pinball@0.9": np.mean(np.maximum(0.9 * OFF, -0.1 * OFF)),
}
ZERO = "row 2 has a target of zero, so {} divides by zero (1 such rows)"


@pytest.fixture
def own_metric():
    """Define a metric; its name is used in one test only."""
    return heldout.define


@pytest.mark.parametrize(("name", "value"), EXPECTED.items(), ids=list(EXPECTED))
def test_D1_each_metric_has_an_interval(name, value):
    found = heldout.evaluate(TRUTH, SAID, task="regression", metrics=name)[name]
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.low <= found.value <= found.high
    assert found.low < found.high
    assert found.method


def test_D1_on_the_command_line(command, file):
    shown = command(file(y_true=TRUTH, y_pred=SAID), "--task", "regression")["estimates"]
    named = command(file(y_true=TRUTH, y_pred=SAID), "--task", "regression", "--metric", "pinball@0.9")["estimates"]
    for name, value in EXPECTED.items():
        assert (shown | named)[name]["value"] == pytest.approx(value, abs=1e-12), name


def test_D1_several_targets(command, file):
    truth, said = np.stack([TRUTH, TRUTH**2], axis=1), np.stack([SAID, TRUTH**2 + 1], axis=1)
    found = heldout.evaluate(truth, said, task="regression")
    assert found["mae"].value == pytest.approx((EXPECTED["mae"] + 1) / 2)
    assert found["rmse"].value == pytest.approx((EXPECTED["rmse"] + 1) / 2)
    assert found["median_absolute_error"].value == pytest.approx((EXPECTED["median_absolute_error"] + 1) / 2)
    assert found.classes["0"]["r2"].value == pytest.approx(EXPECTED["r2"])
    assert found.classes["1"]["mae"].value == pytest.approx(1.0)
    assert all(one.low <= one.value <= one.high for one in found.estimates.values())
    path = file(a=TRUTH, b=TRUTH**2, a_said=SAID, b_said=TRUTH**2 + 1)
    frame = heldout.evaluate(str(path), truth=["a", "b"], y_pred=["a_said", "b_said"], task="regression")
    assert frame["mae"].value == found["mae"].value


@pytest.mark.parametrize("name", ["mape", "mspe", "rmspe"])
def test_D1_a_zero_target_is_an_error_that_names_the_row(name, file, refusal):
    truth, said = [1.5, 0.0, 2.0], [1.0, 0.5, 2.5]
    with pytest.raises(heldout.DataError) as refused:
        heldout.evaluate(truth, said, metrics=name)
    assert str(refused.value) == f"[H307] {ZERO.format(name)}\n  Fix: use wmape, which divides by the total, or mae"
    assert refusal(file(y_true=truth, y_pred=said), "--metric", name) == (
        f"error[H307] {ZERO.format(name)}\n  Fix: use wmape, which divides by the total, or mae\n  See: heldout "
        f"explain H307\n"
    )


@pytest.mark.filterwarnings("error")
def test_D1_a_zero_target_leaves_the_other_metrics(command, file):
    found = heldout.evaluate([1.5, 0.0, 2.0], [1.0, 0.5, 2.5])
    assert found["mae"].value == pytest.approx(0.5)
    assert found["mape"].notes[0] == f"undefined: {ZERO.format('mape')}"
    assert [check.code for check in found.checks if "zero" in check.text] == ["H307"]
    shown = command(file(y_true=[1.5, 0.0, 2.0], y_pred=[1.0, 0.5, 2.5]))
    assert shown["estimates"]["mape"]["value"] is None


def test_D3_a_loss_of_ones_own(own_metric):
    def lateness(truth, prediction):
        """Mean of how much too early the prediction was."""
        return np.maximum(truth - prediction, 0)

    own_metric("lateness", lateness)
    rng = np.random.default_rng(0)
    truth, said, site = rng.normal(10, 2, 200), rng.normal(10, 2, 200), np.repeat(["east", "west"], 100)
    found = heldout.evaluate(truth, said, metrics="lateness", groups=np.arange(200) // 4, segments={"site": site})
    late = np.maximum(truth - said, 0)
    assert found["lateness"].value == pytest.approx(late.mean())
    assert found["lateness"].low < late.mean() < found["lateness"].high
    assert (found["lateness"].units, found["lateness"].better) == (50, "lower")
    shown = found.segments["site"].shown
    assert {name: part[2]["lateness"].value for name, part in shown.items()} == {
        "east": pytest.approx(late[:100].mean()),
        "west": pytest.approx(late[100:].mean()),
    }
    assert "lateness" in str(found)
    assert "Mean of how much too early the prediction was." in heldout.explain("lateness")


def test_D3_the_same_interval_as_the_built_in_one(own_metric):
    """A loss that is the absolute error answers as mae does, alone, in groups and with weights."""
    own_metric("distance", lambda truth, prediction: np.abs(truth - prediction), range=(0, np.inf))
    rng = np.random.default_rng(1)
    truth, said = rng.normal(size=300), rng.normal(size=300)
    for options in ({}, {"groups": np.arange(300) // 2}, {"sample_weight": rng.random(300)}):
        found = heldout.evaluate(truth, said, metrics=["distance", "mae"], **options)
        mine, built_in = found["distance"], found["mae"]
        assert (mine.value, mine.low, mine.high, mine.method) == (
            pytest.approx(built_in.value, abs=1e-14),
            pytest.approx(built_in.low, abs=1e-12),
            pytest.approx(built_in.high, abs=1e-12),
            built_in.method,
        )


def test_D3_a_formula_on_sums(own_metric):
    """Total shortfall as a share of the total: not a mean over rows."""
    own_metric(
        "shortfall",
        sums={"short": lambda truth, said: np.maximum(truth - said, 0), "total": lambda truth, said: truth},
        formula=lambda short, total: short / total,
    )
    rng = np.random.default_rng(2)
    truth, said, weight = rng.gamma(3, 1, 150), rng.gamma(3, 1, 150), rng.random(150) + 0.5
    for options, w in (({}, np.ones(150)), ({"sample_weight": weight}, weight)):
        found = heldout.evaluate(truth, said, metrics="shortfall", **options)["shortfall"]
        assert found.value == pytest.approx(np.sum(w * np.maximum(truth - said, 0)) / np.sum(w * truth))
        assert found.low < found.value < found.high
    grouped = heldout.evaluate(truth, said, metrics="shortfall", groups=np.arange(150) // 5)["shortfall"]
    assert grouped.units == 30


def test_D3_labels_arrive_as_they_were_given(own_metric):
    own_metric("misses", lambda truth, said: (truth == "ill") & (said == "well"), range=(0, 1))
    found = heldout.evaluate(["ill", "ill", "well", "ill"], ["ill", "well", "well", "well"], metrics="misses")
    assert found["misses"].value == 0.5


def test_D3_a_score_may_be_used(own_metric):
    own_metric("exponential", lambda truth, score: np.exp(-score * (2 * truth - 1)), uses="score")
    found = heldout.evaluate([1, 0, 1], y_score=[2.0, -1.0, -0.5], metrics="exponential")
    assert found["exponential"].value == pytest.approx(np.mean(np.exp([-2.0, -1.0, 0.5])))


def test_D3_mistakes_are_named(own_metric):
    def said(call):
        with pytest.raises(heldout.HeldoutError) as refused:
            call()
        return str(refused.value)

    assert (
        said(lambda: heldout.define("x")) == "'x' needs either a loss per row, or sums and a formula on them\n"
        "  Fix: give a function of truth and prediction, or sums= and formula="
    )
    assert said(lambda: heldout.define("x", formula=lambda a: a)) == (
        "'x' has a formula but no sums\n  Fix: give sums={'name': function of truth and prediction}"
    )
    assert said(lambda: heldout.define("mae", abs)) == "'mae' is a built-in metric\n  Fix: choose another name"
    assert said(lambda: heldout.define("x", sums={"a": np.add}, formula=lambda b: b)) == (
        "the formula of 'x' needs ['b'], but the sums are ['a']\n"
        "  Fix: name the parameters of the formula after the sums"
    )
    own_metric("odd", lambda truth, prediction: 1.0)
    assert said(lambda: heldout.evaluate([1.5, 2.5], [1.0, 2.0], metrics="odd")) == (
        "'odd' gave () numbers for 2 rows, but one per row is needed\n"
        "  Fix: let its function return an array as long as what it is given"
    )
    own_metric("broken", lambda truth, prediction: np.sqrt(prediction - truth))
    with np.errstate(invalid="ignore"):
        assert said(lambda: heldout.evaluate([1.5, 2.5], [2.0, 2.0], metrics="broken")) == (
            "[H305] 'broken' gave nan in row 2\n"
            "  Fix: let its function give a number for every row, or leave out such rows"
        )
