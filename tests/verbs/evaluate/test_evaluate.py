from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import heldout

rng = np.random.default_rng(0)
TRUTH = rng.integers(0, 2, 300)
CHANCE = np.round(np.clip(0.2 * rng.standard_normal(300) + 0.35 + 0.3 * TRUTH, 0.01, 0.99), 3)
SITE = np.array(["east", "west", "tiny"])[np.minimum(np.arange(300) // 140, 2)]


def said(call):
    with pytest.raises(heldout.HeldoutError) as refused:
        call()
    return str(refused.value)


def test_everything_that_fits_is_estimated():
    found = heldout.evaluate(TRUTH, y_proba=CHANCE, n_resamples=200)
    assert {"roc_auc", "log_loss", "accuracy", "calibration_slope", "eer", "mcc"} <= set(found.estimates)
    assert "cost" not in found.estimates
    assert (found.task, found.rows, found.units, found.threshold, found.positive) == ("binary", 300, 300, 0.5, 1)
    assert found["sensitivity"] == found["recall"]
    only = heldout.evaluate(TRUTH, y_score=1000 * CHANCE, n_resamples=200)  # not probabilities, no threshold
    assert "accuracy" not in only.estimates
    assert "log_loss" not in only.estimates
    assert only["roc_auc"].value == pytest.approx(found["roc_auc"].value)


def test_only_what_was_asked_for():
    found = heldout.evaluate(TRUTH, y_proba=CHANCE, metrics="auc, f1")
    assert list(found.estimates) == ["roc_auc", "f1"]
    assert list(heldout.evaluate(TRUTH, y_proba=CHANCE, metrics=["f1", "f1"]).estimates) == ["f1"]


def test_segments_hold_together():
    found = heldout.evaluate(TRUTH, y_proba=CHANCE, segments={"site": SITE}, metrics="accuracy", confidence_level=0.9)
    parts = found.segments["site"]
    assert list(parts.shown) == ["east", "west"]
    assert parts.folded == (1, 20)
    assert parts.level == pytest.approx(0.95)  # two intervals at 95% hold together at 90%
    rows, units, estimates = parts.shown["east"]
    alone = heldout.evaluate(TRUTH[:140], y_proba=CHANCE[:140], metrics="accuracy", confidence_level=0.95)["accuracy"]
    assert (rows, units) == (140, 140)
    assert (estimates["accuracy"].value, estimates["accuracy"].low) == (alone.value, alone.low)


def test_segments_with_few_events_have_metrics_of_all_rows_only():
    truth = np.append(np.tile([0, 1], 60), np.append(np.zeros(55, int), np.ones(5, int)))
    site = np.repeat(["one", "other", "rare", "tiny"], [60, 60, 55, 5])
    score = np.clip(truth * 0.3 + np.random.default_rng(0).random(180) * 0.7, 0, 1)
    by_site = heldout.evaluate(truth, y_score=score, segments=site, metrics=["accuracy", "roc_auc"]).segments["segment"]
    assert {name: list(estimates) for name, (_, _, estimates) in by_site.shown.items()} == {
        "one": ["accuracy", "roc_auc"],
        "other": ["accuracy", "roc_auc"],
        "rare": ["accuracy"],
    }
    assert by_site.small == {"rare": (55, "0 rows of 1, fewer than 10"), "tiny": (5, "fewer than 30 rows")}
    assert by_site.folded == (2, 60)
    assert by_site.level == pytest.approx(1 - 0.05 / 3)
    assert list(by_site.heterogeneity) == ["accuracy", "roc_auc"]
    only = heldout.evaluate(truth, y_score=score, segments=site, metrics="roc_auc").segments["segment"]
    assert (list(only.shown), only.small) == (["one", "other"], by_site.small)


def test_small_segments_are_named_in_every_format():
    truth = np.append(np.tile([0, 1], 60), np.append(np.zeros(294, int), np.ones(6, int)))
    site = np.repeat(["north", "west", "east"], [110, 10, 300])
    score = np.clip(truth * 0.3 + np.random.default_rng(0).random(420) * 0.7, 0, 1)
    found = heldout.evaluate(truth, y_score=score, segments={"site": site}, metrics="accuracy, roc_auc")
    other = np.random.default_rng(1).random(420)
    compared = heldout.compare(truth, {"a": score, "b": other}, segments={"site": site}, metrics="accuracy, roc_auc")
    reason = "6 rows of 1, fewer than 10"
    for result in (found, compared):
        for form in (result.to_text, result.to_markdown, result.to_latex, result.to_html, result.to_json):
            written = " ".join(form().split())
            assert reason in written, form
            assert "fewer than 30 rows" in written, form
    assert reason in found.to_csv()
    assert found.segments["site"].shown["east"][2]["accuracy"].count == (
        found.segments["site"].shown["east"][2]["accuracy"].count[0],
        300,
    )
    frame = found.to_frame()
    small = frame[frame["metric"] == "too_small"]
    assert small["segment"].tolist() == ["site=east", "site=west"]
    assert (compared.segments["site"][0].shown.keys(), list(compared.segments["site"][0].shown["east"][2])) == (
        {"east", "north"},
        ["accuracy"],
    )


def test_groups_are_units():
    found = heldout.evaluate(TRUTH, y_proba=CHANCE, groups=np.arange(300) // 3, n_resamples=200)
    assert found.units == 100
    assert {one.units for one in found.estimates.values()} == {100}


@pytest.mark.parametrize("name", ["groups", "sample_weight", "time", "series", "segments"])
def test_an_array_beside_a_frame_is_refused_by_its_name(name):
    frame = pl.DataFrame({"y_true": TRUTH, "y_pred": TRUTH, "patient": np.arange(len(TRUTH)) // 2, "site": SITE})
    assert said(lambda: heldout.evaluate(frame, **{name: frame["patient"].to_numpy()})) == (
        f"{name} is an array, but a file or frame was given\n"
        f"  Fix: name its column: {name}='…', or pass the truth as an array"
    )


def test_it_is_plain_values():
    found = heldout.evaluate(TRUTH, y_proba=CHANCE, segments={"site": SITE}, n_resamples=200)
    plain = found.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["schema"] == "heldout.evaluation/1"
    assert set(plain) == {
        *(
            "schema",
            "heldout",
            "inputs",
            "unit",
            "shifts",
            "columns",
            "task",
            "rows",
            "units",
            "level",
            "seed",
            "threshold",
            "labels",
        ),
        *("engine", "chunks", "class_tables"),
        *(
            "positive",
            "positives",
            "confusion",
            "estimates",
            "classes",
            "segments",
            "baseline",
            "operating_point",
            "chosen_threshold",
            "checks",
        ),
    }


def test_it_is_a_frame():
    found = heldout.evaluate(TRUTH, y_proba=CHANCE, segments={"site": SITE}, metrics="accuracy,roc_auc")
    frame = found.to_frame()
    assert frame["metric"].tolist() == [*["accuracy", "roc_auc"] * 3, "too_small"]
    assert frame["segment"].tolist() == ["", "", "site=east", "site=east", "site=west", "site=west", "site=tiny"]
    assert frame["value"][0] == found["accuracy"].value
    assert found.to_frame("polars").shape == frame.shape


def test_it_prints_on_one_screen():
    text = str(heldout.evaluate(TRUTH, y_proba=CHANCE, n_resamples=200))
    assert len(text.splitlines()) < 45
    assert max(map(len, text.splitlines())) <= 80


def test_classes_one_by_one():
    truth = rng.integers(0, 3, 90)
    found = heldout.evaluate(np.array(["a", "b", "c"])[truth], np.array(["a", "b", "c"])[np.roll(truth, 1)])
    assert list(found.classes) == ["a", "b", "c"]
    hits = np.sum((truth == 0) & (np.roll(truth, 1) == 0))
    assert found.classes["a"]["recall"].value == pytest.approx(hits / np.sum(truth == 0))
    assert found.classes["a"]["recall"].count == (hits, np.sum(truth == 0))


def test_baselines():
    labels = heldout.evaluate(TRUTH, y_proba=CHANCE, n_resamples=200).baseline
    share = TRUTH.mean()
    assert labels.values["roc_auc"] == 0.5
    assert labels.values["brier"] == pytest.approx(share * (1 - share))
    assert labels.values["log_loss"] == pytest.approx(-(share * np.log(share) + (1 - share) * np.log(1 - share)))
    assert labels.beaten["roc_auc"] is True
    numbers = heldout.evaluate([1.0, 2.0, 6.0], [1.0, 2.5, 5.0], task="regression").baseline
    assert (numbers.name, numbers.values["mae"], numbers.values["r2"]) == (
        "always predicts the mean",
        pytest.approx(2.0),
        pytest.approx(0.0),
    )


def test_no_better_than_the_mean():
    noise = rng.standard_normal(50)
    found = heldout.evaluate(rng.standard_normal(50), noise, task="regression")
    assert found.baseline.name == "always predicts the mean"
    assert any(
        check.code == "H309" and check.text.startswith("r2 ") and check.text.endswith("the dummy model (0.000)")
        for check in found.checks
    )


def test_one_class_is_said():
    found = heldout.evaluate([1, 1, 1], [1, 0, 1], labels=[0, 1])
    assert ("H104", "y_true has one class only (3 x 1): recall or specificity, and AUC, are undefined") in [
        (check.code, check.text) for check in found.checks
    ]
    assert found["specificity"].notes == ("specificity is 0/0: no row is negative",)
    assert (found["specificity"].low, found["specificity"].high) == (0.0, 1.0)
    assert found["recall"].value == pytest.approx(2 / 3)


def test_what_cannot_be_understood_is_refused():
    two, said_two = [0, 1], [0, 1]
    assert said(lambda: heldout.evaluate(two, said_two, confidence_level=95)) == (
        "the level is 95, but must lie between 0 and 1\n  Fix: for 95% write 0.95"
    )
    assert said(lambda: heldout.evaluate(two, said_two, side="left")) == (
        "the side is 'left', but must be 'two-sided', 'lower' or 'upper'\n  Fix: leave it out for a two-sided interval"
    )
    assert said(lambda: heldout.evaluate(two, said_two, side="lower", confidence_level=0.4)) == (
        "a one-sided bound needs a level above 0.5, not 0.4\n  Fix: for 95% write 0.95"
    )
    assert said(lambda: heldout.evaluate(two, said_two, n_resamples=10)) == (
        "10 resamples are too few for an interval\n  Fix: use at least 100, better 1000 or more"
    )
    assert said(lambda: heldout.evaluate(two, said_two, random_state=-1)).startswith(
        "random_state is -1, but must be a whole number from 0 to 4294967295, or a numpy.random.Generator"
    )
    assert said(lambda: heldout.evaluate(two, said_two, truth="y")) == (
        "truth names columns of a file or frame, but arrays were given\n  Fix: pass the arrays themselves"
    )
    assert said(lambda: heldout.evaluate(two, said_two, metrics="accuracy,f1")["acuracy"]) == (
        "no estimate is named 'acuracy'; did you mean 'accuracy'?\n  Fix: choose one of accuracy, f1"
    )


def test_what_the_data_lacks_is_named():
    scores = {"y_score": [3.0, 4.0]}
    assert said(lambda: heldout.evaluate([0, 1], [0, 1], metrics="roc_auc")) == (
        "[H106] roc_auc needs a score column\n  Fix: name the scores: y_score=, or leave out roc_auc"
    )
    assert said(lambda: heldout.evaluate([0, 1], [0, 1], metrics="cost")) == (
        "[H106] cost needs a cost matrix\n  Fix: name its file: cost=, or leave out cost"
    )
    assert said(lambda: heldout.evaluate([0, 1], **scores, metrics="log_loss")) == (
        "[H106] log_loss needs probabilities\n"
        "  Fix: give scores between 0 and 1, or logits with link='logit', or leave out log_loss"
    )
    assert said(lambda: heldout.evaluate([0, 1], **scores, metrics="accuracy")) == (
        "[H106] accuracy needs predicted labels\n"
        "  Fix: name a column of predictions, or set a threshold for the scores: threshold=, or leave out accuracy"
    )
    three = {"y_proba": np.eye(3) * 0.4 + 0.2}
    assert said(lambda: heldout.evaluate([0, 1, 2], **three, metrics="roc_auc")) == (
        "roc_auc is not a metric for multiclass data\n  Fix: ask for roc_auc_ovr or roc_auc_ovo"
    )
    assert said(lambda: heldout.evaluate([0, 1, 2], **three, metrics="brier")) == (
        "brier is not a metric for multiclass data\n  Fix: ask for quadratic_loss"
    )


def test_costs_must_fit_the_classes():
    assert said(lambda: heldout.evaluate([0, 1], [0, 1], cost=np.ones((3, 3)))) == (
        "the cost matrix is 3 x 3, but the classes are [0, 1]\n"
        "  Fix: give one row and one column per class, in this order"
    )
    assert said(lambda: heldout.evaluate([0.5, 1.5], [0.5, 1.0], cost=np.eye(2), task="regression")) == (
        "costs are for classes, not for regression data\n  Fix: leave out cost="
    )


def test_a_generator_is_a_seed():
    first, second = (
        heldout.evaluate(TRUTH, y_proba=CHANCE, metrics="eer", random_state=np.random.default_rng(5)) for _ in range(2)
    )
    assert first.seed == second.seed
    assert (first["eer"].low, first["eer"].high) == (second["eer"].low, second["eer"].high)


def test_what_does_not_matter_is_not_read():
    """Rows in arrays, a frame, a mapping: the same numbers."""
    import pandas as pd
    import polars as pl

    columns = {"y_true": TRUTH, "y_prob": CHANCE}
    arrays = heldout.evaluate(TRUTH, y_proba=CHANCE, metrics="roc_auc,log_loss")
    for table in (pd.DataFrame(columns), pl.DataFrame(columns), columns):
        found = heldout.evaluate(table, metrics="roc_auc,log_loss")
        for name in ("roc_auc", "log_loss"):
            assert (found[name].value, found[name].low, found[name].high) == (
                arrays[name].value,
                arrays[name].low,
                arrays[name].high,
            )


def test_an_infinite_loss_leaves_the_others_their_intervals():
    rng = np.random.default_rng(0)
    truth, chance = rng.integers(0, 2, 120_000), rng.random(120_000)
    chance[np.flatnonzero(truth)[0]] = 0.0
    found = heldout.evaluate(truth, y_score=chance, metrics=["log_loss", "brier"])
    assert found["log_loss"].value == np.inf
    assert 0.32 < found["brier"].low < found["brier"].value < found["brier"].high < 0.35


def test_rows_of_no_weight_at_the_top_change_no_interval():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 600)
    score = rng.normal(truth)
    weight = rng.choice([1.0, 2.0], 600)
    named = {"metrics": "average_precision", "sample_weight": weight}
    alone = heldout.evaluate(truth, y_score=score, **named)["average_precision"]
    more = heldout.evaluate(
        np.append(truth, [0, 1]),
        y_score=np.append(score, [50.0, 60.0]),
        metrics="average_precision",
        sample_weight=np.append(weight, [0.0, 0.0]),
    )["average_precision"]
    assert more.value == pytest.approx(alone.value)
    assert (more.low, more.high) == pytest.approx((alone.low, alone.high), abs=2e-3)


def test_what_was_asked_for_by_name_is_in_the_short_table():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60)
    named = heldout.evaluate(truth, y_score=rng.random(60), metrics="ks,f2")
    assert all(one.printed for one in named.estimates.values())
    assert all(f"\n{name} " in str(named) for name in ("ks", "f2"))
    assert not heldout.evaluate(truth, y_score=rng.random(60))["ks"].printed


def test_numbers_whose_squares_are_lost_are_refused():
    """Once an rmse of 0 beside a mean absolute error of 1e-201."""
    truth = np.linspace(1, 2, 30)
    with pytest.raises(heldout.DataError, match="the largest number of y_true and y_pred is 2e-200: squares of errors"):
        heldout.evaluate(truth * 1e-200, truth[::-1] * 1e-200)
    small = heldout.evaluate(truth * 1e-40, truth[::-1] * 1e-40)
    assert small["rmse"].low < small["rmse"].value < small["rmse"].high
    assert heldout.evaluate(np.zeros(30), np.zeros(30), task="regression")["rmse"].value == 0


@pytest.mark.parametrize("rows", [("ab", "ac"), ("a" * 100 + "c" * 400, "b" * 100 + "c" * 400)])
def test_a_correlation_that_no_row_moves_has_an_interval_of_some_width(rows):
    found = heldout.evaluate(*map(list, rows))["mcc"]
    assert found.value == pytest.approx(0.5)
    assert found.high - found.low > 0.02


def test_resamples_that_cannot_resolve_the_level_are_noted():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60)
    said = np.where(rng.random(60) < 0.8, truth, 1 - truth)
    few = heldout.evaluate(truth, said, metrics="f1", method="percentile", confidence_level=0.9999)["f1"]
    assert any("2000 resamples cannot resolve the level 99.99%" in note and "19999" in note for note in few.notes)
    enough = heldout.evaluate(truth, said, metrics="f1", method="percentile", confidence_level=0.999)["f1"]
    assert not any("resolve" in note for note in enough.notes)
