from __future__ import annotations

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import heldout
from heldout.errors import DataError, UsageError
from heldout.inputs import from_arrays
from heldout.intervals.means import mean_of_counts
from heldout.intervals.over_splits import cross_fitted
from heldout.report import FORMATS, rendered
from heldout.report.schema import schema
from heldout.verbs.evaluate.threshold_choice import _drawn


def rows(n=200, seed=0, positive=0.2):
    rng = np.random.default_rng(seed)
    truth = (np.arange(n) < positive * n).astype(int)
    score = rng.normal(1.5 * truth)
    return truth, score, 1 / (1 + np.exp(-(1.5 * score - 1.125 + np.log(positive / (1 - positive)))))


def test_given_folds_choose_as_cross_fitting_does():
    truth, score, _ = rows()
    folds = np.arange(200) % 5
    found = heldout.choose_threshold(truth, score, fp=1, fn=4, folds=folds)
    expected = cross_fitted(score, truth == 1, folds, fp=1, fn=4)
    assert found.cost.value == pytest.approx(expected.costs.mean())
    assert (found.threshold, found.apparent) == (expected.threshold, expected.apparent)
    assert found.thresholds == tuple(expected.thresholds.tolist())
    values, counts = np.unique(expected.costs, return_counts=True)
    known = mean_of_counts(counts, values, 0.95)
    assert (found.cost.low, found.cost.high) == pytest.approx(known)
    assert found.optimism == found.cost.value - found.apparent
    assert found.drawn is False
    assert found.cost.target == "a threshold chosen from about 160 rows, for these scores"


def test_the_threshold_is_the_cheapest_there_is():
    truth, score, _ = rows()
    found = heldout.choose_threshold(truth, score, fp=2, fn=7)
    costs = [np.mean(np.where(truth == 1, 7 * (score < t), 2 * (score >= t))) for t in [*score, np.inf]]
    assert found.apparent == pytest.approx(min(costs))
    at = np.mean(np.where(truth == 1, 7 * (score < found.threshold), 2 * (score >= found.threshold)))
    assert at == pytest.approx(found.apparent)


def test_probabilities_need_no_choosing():
    truth, _, probability = rows()
    found = heldout.choose_threshold(truth, probability, fp=1, fn=4)
    assert found.at == 0.2
    paid = np.where(truth == 1, 4.0 * (probability < 0.2), 1.0 * (probability >= 0.2))
    assert found.calibrated.value == pytest.approx(paid.mean())
    assert found.difference.value == pytest.approx(found.cost.value - found.calibrated.value)
    assert found.difference.low < found.difference.value < found.difference.high
    assert (found.difference.model, found.difference.baseline, found.difference.better) == (
        "chosen",
        "calibrated",
        "lower",
    )


def test_scores_that_are_no_probabilities_have_nothing_beside():
    truth, score, _ = rows()
    found = heldout.choose_threshold(truth, score, fp=1, fn=4)
    assert found.calibrated is None
    assert found.difference is None
    assert "scores are not probabilities, so no threshold is known without choosing" in str(found)


def test_groups_share_a_fold_and_widen_the_interval():
    truth, score, _ = rows(50)
    alone = heldout.choose_threshold(truth, score, fp=1, fn=4, folds=5)
    again = heldout.choose_threshold(
        np.tile(truth, 4), np.tile(score, 4), fp=1, fn=4, folds=5, groups=np.tile(np.arange(50), 4)
    )
    assert (again.rows, again.units) == (200, 50)
    assert again.apparent == pytest.approx(alone.apparent)
    assert again.cost.value == pytest.approx(alone.cost.value)
    assert again.cost.high - again.cost.low > 0.8 * (alone.cost.high - alone.cost.low)


def test_drawn_folds_are_even_and_keep_groups_whole():
    truth, score, _ = rows()
    batch = from_arrays(truth, y_score=score, groups=np.arange(200) // 2).batch
    folds = _drawn(batch, 10, 0, given=False)
    assert np.array_equal(folds[::2], folds[1::2])
    assert set(np.bincount(folds).tolist()) == {20}
    assert set(np.bincount(folds, weights=truth).tolist()) == {4.0}


def test_as_many_folds_as_the_rarer_class_has_rows():
    truth, score, _ = rows(100, positive=0.04)
    assert len(heldout.choose_threshold(truth, score, fp=1, fn=4).thresholds) == 4


def test_the_positive_label_turns_the_costs():
    truth, score, _ = rows()
    words = np.array(["ham", "spam"])[truth]
    found = heldout.choose_threshold(words, score, fp=1, fn=4, pos_label="spam", folds=5)
    assert found.positive == "spam"
    assert found.to_dict() == heldout.choose_threshold(truth, score, fp=1, fn=4, folds=5).to_dict() | {
        "positive": "spam"
    }


def test_a_threshold_may_call_no_row_positive():
    truth, score, _ = rows(60)
    found = heldout.choose_threshold(truth, -score, fp=100, fn=1, pos_label=1)
    assert found.threshold == np.inf
    assert found.to_dict()["threshold"] is None
    assert "no row is predicted positive" in " ".join(str(found).split())


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        ({"fn": 0}, UsageError, "fn is 0, which is not a positive cost\n  Fix: give a positive number"),
        ({"fn": 1e308}, UsageError, "fn is 1e+308, whose square is lost in rounding\n  Fix: give it in another unit"),
        (
            {"folds": 1},
            UsageError,
            "folds is 1, but must be 2 or more, or one name per row\n  Fix: leave it out for 10",
        ),
        (
            {"folds": [0, 1]},
            DataError,
            "[H112] 200 rows have 2 folds\n  Fix: name the fold of every row",
        ),
        (
            {"folds": 50},
            DataError,
            "[H310] 40 rows have the rarer class, and 50 folds need one each\n  Fix: take 40 folds or fewer",
        ),
        (
            {"folds": np.arange(200) % 2, "groups": np.arange(200) // 4},
            DataError,
            (
                "[H202] 50 of 50 groups are in more than one fold (one of them in '0' and '1')\n"
                "  Fix: make folds that keep groups whole, or leave the folds out"
            ),
        ),
        (
            {"folds": np.zeros(200)},
            DataError,
            "[H310] all 200 rows are in one fold\n  Fix: use at least two folds",
        ),
    ],
)
def test_what_is_refused(given, kind, said):
    truth, score, _ = rows()
    with pytest.raises(kind) as caught:
        heldout.choose_threshold(truth, score, **{"fp": 1, "fn": 4, **given})
    assert str(caught.value) == said


def test_one_row_of_a_class_is_too_few():
    with pytest.raises(DataError) as caught:
        heldout.choose_threshold([0, 0, 0, 1], [0.1, 0.2, 0.3, 0.4], fp=1, fn=4)
    assert str(caught.value) == (
        "[H310] 1 row has the rarer class, and 2 folds need one each\n  Fix: give more rows of it"
    )


def test_in_an_evaluation():
    truth, _, probability = rows()
    folds = np.arange(200) % 5
    found = heldout.evaluate(truth, y_score=probability, choose_threshold=(1, 4), folds=folds, metrics="roc_auc")
    alone = heldout.choose_threshold(truth, probability, fp=1, fn=4, folds=folds)
    assert found.chosen_threshold == alone
    d = found.to_dict()
    Draft202012Validator(schema("heldout.evaluation/1")).validate(d)
    for form in FORMATS:
        assert rendered(d, form)
    assert "chosen_threshold.cost" in list(found.to_frame()["metric"])
    assert "chosen_threshold.calibrated" in rendered(d, "csv")


def test_a_column_of_folds_is_no_segment_unless_it_was_asked_for():
    truth, _, probability = rows()
    frame = {"y_true": truth, "y_score": probability, "fold": np.arange(200) % 5}
    found = heldout.evaluate(frame, choose_threshold=(1, 4), folds="fold", metrics="roc_auc")
    assert found.chosen_threshold.thresholds == (
        heldout.choose_threshold(truth, probability, fp=1, fn=4, folds=frame["fold"]).thresholds
    )
    assert found.segments == {}
    assert found.columns["fold"] == "fold"
    both = heldout.evaluate(frame, choose_threshold=(1, 4), folds="fold", segments=["fold"], metrics="roc_auc")
    assert list(both.segments) == ["fold"]


@pytest.mark.parametrize(
    ("data", "given", "said"),
    [
        (
            {"y_true": [0, 1, 0, 1], "y_score": [0.1, 0.9, 0.2, 0.8]},
            {"folds": [0, 1, 0, 1], "choose_threshold": (1, 4)},
            (
                "folds is an array, but a file or frame was given\n"
                "  Fix: name its column: folds='…', or pass the truth as an array"
            ),
        ),
        (
            {"y_true": [0, 1, 0, 1], "y_score": [0.1, 0.9, 0.2, 0.8], "k": [0, 1, 0, 1]},
            {"folds": "k"},
            (
                "folds are there to choose a threshold across, and none is to be chosen\n"
                "  Fix: pass choose_threshold=(fp, fn), or leave out the folds"
            ),
        ),
        (
            {"y_true": [0, 1, 0, 1], "y_score": [0.1, 0.9, 0.2, 0.8]},
            {"choose_threshold": 5},
            (
                "choose_threshold is 5, but must be a pair (false_positive_cost, false_negative_cost)\n"
                "  Fix: for a false negative that costs ten false positives write choose_threshold=(1, 10)"
            ),
        ),
        (
            {"y_true": ["a", "b", "c"], "y_pred": ["a", "b", "b"]},
            {"choose_threshold": (1, 4)},
            (
                "a threshold is chosen between two classes, not for multiclass data\n"
                "  Fix: cost=…: decisions with the lowest expected cost need no threshold"
            ),
        ),
        (
            {"y_true": [0, 1, 0, 1], "y_pred": [0, 1, 0, 1]},
            {"choose_threshold": (1, 4)},
            "[H106] there are no scores to choose a threshold among\n  Fix: give a score column",
        ),
        (
            {"y_true": [0, 1, 0, 1], "y_score": [0.1, 0.9, 0.2, 0.8], "weight": [1, 2, 1, 1]},
            {"choose_threshold": (1, 4), "sample_weight": "weight"},
            (
                "the threshold is chosen by counting rows, but they have weights\n"
                "  Fix: leave out the weights, or the choice"
            ),
        ),
    ],
)
def test_what_an_evaluation_refuses(data, given, said):
    with pytest.raises(heldout.HeldoutError) as caught:
        heldout.evaluate(data, **given)
    assert str(caught.value) == said
