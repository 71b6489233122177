"""Is one model better than another: `compare` on arrays, frames and files."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.errors import UsageError

rng = np.random.default_rng(0)


def rows(n=400):
    truth = (rng.random(n) < 0.4).astype(int)
    shared = rng.standard_normal(n)

    def model(strength):
        return 1 / (1 + np.exp(-(strength * truth + 0.7 * shared + 0.7 * rng.standard_normal(n) - 0.7)))

    return truth, model(0.6), model(1.6)


def test_a_better_model_is_called_better():
    truth, old, new = rows()
    found = heldout.compare(truth, {"old": old, "new": new}, primary="roc_auc")
    area = found["roc_auc"]
    assert (found.verdict, area.model, area.baseline, area.test) == ("BETTER", "new", "old", "DeLong, paired")
    assert area.low < area.value < area.high
    assert area.pvalue_adjusted == area.pvalue
    assert heldout.compare(truth, {"new": new, "old": old}, primary="roc_auc").verdict == "WORSE"


def test_a_loss_that_falls_is_better():
    truth, old, new = rows()
    found = heldout.compare(truth, {"old": old, "new": new}, primary="log_loss")["log_loss"]
    assert found.value < 0
    assert found.verdict == "BETTER"


def test_paired_delong_agrees_with_a_double_loop():
    truth, a, b = rows(80)
    found = heldout.compare(truth, {"b": b, "a": a}, metrics="roc_auc", test="delong")["roc_auc"]
    high, low = truth == 1, truth == 0

    def placements(score):
        above = np.array([[float(p > q) + (p == q) / 2 for q in score[low]] for p in score[high]])
        return above.mean(axis=1), above.mean(axis=0)

    (p1, q1), (p2, q2) = placements(a), placements(b)
    error = np.sqrt(np.var(p1 - p2, ddof=1) / high.sum() + np.var(q1 - q2, ddof=1) / low.sum())
    assert found.value == pytest.approx(p1.mean() - p2.mean())
    assert (found.high - found.low) / 2 == pytest.approx(1.959964 * error, rel=1e-6)


def test_errors_are_compared_by_their_discordant_rows():
    truth = np.zeros(100, int)
    truth[:50] = 1
    a, b = truth.copy(), truth.copy()
    a[:15] = 1 - a[:15]
    b[50:75] = 1 - b[50:75]
    found = heldout.compare(truth, {"b": b, "a": a}, metrics="accuracy")["accuracy"]
    assert found.test == "McNemar mid-p, 25 vs 15"
    assert found.pvalue == pytest.approx(0.117275, abs=1e-6)
    assert found.value == pytest.approx(0.10)


def test_identical_predictions_differ_by_nothing():
    truth, old, _ = rows()
    found = heldout.compare(truth, {"a": old, "b": old})
    assert found.verdict == "UNDECIDED"
    assert {(one.value, one.pvalue) for one in found.differences} == {(0.0, 1.0)}
    assert all(one.low < 0 < one.high and one.low == -one.high for one in found.differences)
    verdicts = [heldout.compare(truth, {"a": old, "b": old}, primary="roc_auc", margin=m).verdict for m in (0.01, 0.2)]
    assert verdicts == ["UNDECIDED", "EQUIVALENT"]


def test_identical_predictions_of_numbers_differ_by_no_more_than_their_errors_do():
    truth, said = np.arange(50.0), np.arange(50.0) + np.tile([1.0, 3.0], 25)
    found = heldout.compare(truth, {"a": said, "b": said}, metrics="mae,r2,rmse", task="regression")
    unseen = 1.959964**2 / (50 + 1.959964**2)
    assert (found["mae"].low, found["mae"].high) == pytest.approx((-2 * unseen, 2 * unseen))
    assert all(0 < one.high < 1 for one in found.differences)


def test_a_shift_of_scores_changes_no_ranking_test():
    truth, old, new = rows(200)
    first = heldout.compare(truth, {"old": old, "new": new}, metrics="average_precision")["average_precision"]
    second = heldout.compare(truth, {"old": old, "new": 5 + new}, metrics="average_precision")["average_precision"]
    assert (first.pvalue, first.low, first.high) == (second.pvalue, second.low, second.high)


def test_a_margin_for_all_is_left_out_where_it_is_too_wide_for_a_metric_that_nobody_asked_for():
    truth, old, new = rows()
    models = {"old": old, "new": new}
    found = heldout.compare(truth, models, margin=0.1)
    assert (found["roc_auc"].margin, found["partial_auc"].margin) == (0.1, None)
    assert found["partial_auc"].notes == ("the margin of 0.1 is left out: no two models can differ by as much",)
    with pytest.raises(UsageError) as error:
        heldout.compare(truth, models, metrics="roc_auc,partial_auc", margin=0.1)
    assert str(error.value) == (
        "the margin of partial_auc is 0.1, but no two models can differ by more than 0.1\n"
        "  Fix: write 0.02 for two points in a hundred"
    )


def test_a_margin_shows_equivalence():
    truth, old, _ = rows(2000)
    again = np.clip(old + 1e-3 * rng.standard_normal(2000), 0, 1)
    found = heldout.compare(truth, {"old": old, "again": again}, primary="roc_auc", margin=0.02)
    assert found.verdict == "EQUIVALENT"


def test_an_open_question_says_how_many_rows_would_settle_it():
    truth, old, _ = rows(60)
    shaken = np.clip(old + 0.03 * rng.choice([-1, 1], 60), 0, 1)
    found = heldout.compare(truth, {"old": old, "shaken": shaken}, primary="brier")
    assert found.verdict == "UNDECIDED"
    assert found["brier"].rows_needed > 60


def test_without_a_primary_metric_all_are_corrected():
    truth, old, new = rows()
    found = heldout.compare(truth, {"old": old, "new": new})
    tested = [one for one in found.differences if one.printed]
    assert "H303" in [check.code for check in found.checks]
    assert all(one.pvalue_adjusted >= one.pvalue for one in tested)


def test_groups_widen_the_interval():
    truth, old, new = (np.repeat(part, 5) for part in rows(80))
    alone = heldout.compare(truth, {"old": old, "new": new}, metrics="accuracy")["accuracy"]
    grouped = heldout.compare(truth, {"old": old, "new": new}, metrics="accuracy", groups=np.arange(400) // 5)[
        "accuracy"
    ]
    assert grouped.high - grouped.low > 1.5 * (alone.high - alone.low)


def test_rows_are_matched_by_id():
    truth, old, new = rows(60)
    order = rng.permutation(60)
    first = {"id": np.arange(60), "y_true": truth, "y_score": old}
    second = {"id": np.arange(60)[order], "y_true": truth[order], "y_score": new[order]}
    found = heldout.compare({"old": first, "new": second}, metrics="roc_auc")
    assert found.matched == "id"
    straight = heldout.compare(truth, {"old": old, "new": new}, metrics="roc_auc")["roc_auc"]
    assert found["roc_auc"].value == pytest.approx(straight.value)


def test_many_models_are_judged_together():
    truth, old, new = rows()
    twins = {f"twin {k}": np.clip(old + 0.05 * rng.standard_normal(400), 0, 1) for k in range(3)}
    found = heldout.compare(truth, {"old": old, **twins, "new": new}, primary="roc_auc")
    assert found.best_of_many is not None
    assert (found.best_of_many.best, found.best_of_many.indistinguishable) == ("new", ("new",))
    judged = {one.model: one for one in found.differences if one.metric == "roc_auc"}
    assert judged["new"].verdict == "BETTER"
    assert all(judged[name].pvalue_adjusted >= judged[name].pvalue for name in twins)
    equal = heldout.compare(truth, {"old": old, **twins}, primary="roc_auc").best_of_many
    assert equal is not None
    assert len(equal.indistinguishable) > 1
    assert equal.optimism > 0
    assert equal.low <= equal.value <= equal.high


def test_several_rows_of_one_id_are_matched_in_order():
    first = {"id": [1, 1, 2, 2], "y": [1, 1, 1, 0], "yhat": [1, 1, 0, 0]}
    found = heldout.compare({"a": first, "b": {**first, "yhat": [1, 0, 0, 1]}}, groups="id", metrics="accuracy")
    assert {name: one["accuracy"].value for name, one in found.estimates.items()} == {"a": 0.75, "b": 0.25}
    assert found["accuracy"].value == -0.5


def said(call):
    with pytest.raises(heldout.HeldoutError) as refused:
        call()
    return str(refused.value)


def test_what_does_not_match_is_named():
    truth, old, new = rows(40)
    first = {"id": np.arange(40), "y_true": truth, "y_score": old}
    short = {"id": np.arange(39), "y_true": truth[:39], "y_score": new[:39]}
    other = {"id": np.arange(40), "y_true": np.where(np.arange(40) == 3, 1 - truth, truth), "y_score": new}
    assert said(lambda: heldout.compare({"a": first, "b": short})) == (
        "[H101] ids do not match: 40 in a, 39 in b (1 without a partner, such as 39)\n"
        "  Fix: score the same rows with every model, or pass on_missing='intersect'"
    )
    assert heldout.compare({"a": first, "b": short}, on_missing="intersect").rows == 39
    assert said(lambda: heldout.compare({"a": first, "b": other})).startswith(
        "[H101] a and b have different truths in 1 row (first: id 3, "
    )
    assert said(lambda: heldout.compare(truth, {"a": old})) == (
        "1 model was given, and a comparison needs two\n  Fix: name another model or file"
    )
    with pytest.raises(TypeError, match="unexpected keyword argument 'treshold'"):
        heldout.compare(truth, {"a": old, "b": new}, treshold=0.5)


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("metric", "times"),
    [("accuracy", 120), ("f1", 120), ("mcc", 120), ("brier", 120), ("roc_auc", 120), ("average_precision", 25)],
)
def test_no_difference_is_found_too_often(metric, times):
    """Two models of equal strength: at 5%, no more than three Monte-Carlo errors above that."""
    found = 0
    for seed in range(times):
        local = np.random.default_rng(seed)
        truth = (local.random(150) < 0.4).astype(int)
        shared = local.standard_normal(150)
        scores = [1 / (1 + np.exp(-(truth + 0.6 * shared + 0.8 * local.standard_normal(150) - 0.5))) for _ in range(2)]
        one = heldout.compare(truth, {"a": scores[0], "b": scores[1]}, metrics=metric, n_resamples=200)[metric]
        found += one.pvalue < 0.05
    assert found / times <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / times)
