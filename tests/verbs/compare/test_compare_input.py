"""What `compare` refuses, with the sentence it says; and what looks like a mistake but is none."""

from __future__ import annotations

import numpy as np
import pytest

import heldout

TRUTH = np.tile([0, 1, 1, 0, 1], 8)
SCORES = np.round(np.random.default_rng(0).random((2, 40)), 3)
FOLDS = (
    "not predictions: folds share training rows, so a t-test over them is not valid\n"
    "  Fix: pass out-of-fold predictions: one line for each row, with its truth; or for a corrected test of the scores "
    "heldout compare --fold-scores a.txt b.txt --n-train 1800 --n-test 200 (heldout.compare_fold_scores)"
)


def frame(score=SCORES[0], **columns):
    return {"id": np.arange(len(score)), "y_true": TRUTH[: len(score)], "y_score": score, **columns}


def said(*given, **options):
    with pytest.raises(heldout.HeldoutError) as refused:
        heldout.compare(*given, **options)
    return str(refused.value)


def test_ids_that_occur_twice():
    twice = frame(id=[*range(39), 3])
    assert said({"a": twice, "b": twice}) == (
        "[H105] a: 1 id occurs more than once (at most 2 times): id 3 is in rows 4, 40, and these are not independent\n"
        "  Fix: groups='id' for cluster-robust intervals, or remove the duplicates"
    )
    assert heldout.compare({"a": twice, "b": twice}, groups="id", metrics="accuracy").units == 39


def test_different_truths_are_named_by_their_id():
    other = frame(id=np.arange(100, 140), y_true=np.where(np.arange(40) == 7, 1 - TRUTH, TRUTH))
    assert said({"a": frame(id=np.arange(100, 140)), "b": other}) == (
        "[H101] a and b have different truths in 1 row (first: id 107, 1 and 0)\n"
        "  Fix: use one truth for all models, and check that the rows are the same"
    )
    without = {name: {key: part for key, part in one.items() if key != "id"} for name, one in
               {"a": frame(), "b": frame(y_true=1 - TRUTH)}.items()}  # fmt: skip
    assert said(without, on_nan="error", pos_label=1).startswith(
        "[H101] a and b have different truths in 40 rows (first: row 1, 0 and 1)\n"
    )


def test_a_gap_in_one_model_only():
    gap = np.where(np.arange(40) == 5, np.nan, SCORES[1])
    fix = "  Fix: complete the values, or drop these rows with "
    assert said(TRUTH, {"old": SCORES[0], "new": gap}) == (
        f"[H305] new: y_score is missing in row 6. Rows are never dropped silently\n{fix}on_nan='drop'"
    )
    assert said({"old": frame(), "new": frame(gap)}) == (
        f"[H305] new: y_score is missing in row 6. Rows are never dropped silently\n{fix}on_nan='drop'"
    )


def test_rows_that_were_dropped_are_not_matched_by_position():
    gaps = [np.where(np.arange(40) == at, np.nan, score) for at, score in zip((5, 9), SCORES, strict=True)]
    assert said(TRUTH, {"old": gaps[0], "new": gaps[1]}, on_nan="drop") == (
        "[H101] rows of old were dropped, and without ids the others cannot be matched\n"
        "  Fix: complete the values, or give every model an id column and on_missing='intersect'"
    )
    found = heldout.compare(
        {"old": frame(gaps[0]), "new": frame(gaps[1])}, on_nan="drop", on_missing="intersect", metrics="accuracy"
    )
    assert (found.rows, found.only) == (38, {"old": 1, "new": 1})


def test_scores_of_folds():
    ten = [0.81, 0.79, 0.84, 0.8, 0.82, 0.77, 0.83, 0.8, 0.79, 0.81]
    arrays = {"a": ten, "b": ten[::-1]}
    assert said(arrays) == f"[H301] the models look like scores of folds (10 numbers each), {FOLDS}"
    assert said(TRUTH, arrays) == f"[H301] the models look like scores of folds (10 numbers each), {FOLDS}"
    table = {"fold": range(10), "score": ten}
    assert said({"a": table, "b": table}) == (f"[H301] a looks like scores of folds (it has a column 'fold'), {FOLDS}")
    assert said({"a": {"forest": ten}, "b": {"forest": ten}}) == (
        f"[H301] a looks like scores of folds (10 numbers per model), {FOLDS}"
    )


@pytest.mark.parametrize(
    "table",
    [
        {"id": range(10), "y_score": [0.1] * 10},  # predictions whose truth was left out
        {"name": ["x"] * 10, "size": range(10)},
        {"size": np.arange(101)},
    ],
)
def test_other_tables_without_truth_are_not_called_folds(table):
    assert said({"a": table, "b": table}).startswith("[H106] a has no column for the truth: ")


def test_a_row_too_few_is_not_called_folds():
    assert said(TRUTH, {"a": SCORES[0][:39], "b": SCORES[1][:39]}) == (
        "[H112] a: y_true has 40 rows and y_score has 39\n  Fix: pass columns of one length"
    )


def test_one_class_leaves_what_can_be_compared():
    truth = np.ones(40, int)
    found = heldout.compare(truth, {"old": SCORES[0], "new": SCORES[1]}, pos_label=1, labels=[0, 1], threshold=0.5)
    assert "H104" in [check.code for check in found.checks]
    assert "roc_auc" not in [one.metric for one in found.differences]
    assert found["accuracy"].test.startswith("McNemar")
    options = {"pos_label": 1, "labels": [0, 1], "threshold": 0.5}
    assert said(truth, {"old": SCORES[0], "new": SCORES[1]}, primary="roc_auc", **options) == (
        "[H104] the primary metric roc_auc is undefined for old: the truth has one class (40 x 1)\n"
        "  Fix: add rows of the other class, or choose a metric such as accuracy"
    )


def test_different_predictions_that_never_disagree():
    truth = ["a", "b", "c", "a"] * 5
    wrong = [*truth[:-2], "a", "b"], [*truth[:-2], "b", "c"]
    found = heldout.compare(truth, {"old": wrong[0], "new": wrong[1]}, primary="accuracy", margin=0.01)
    one = found["accuracy"]
    assert (one.value, one.pvalue, one.test) == (0, 1, "McNemar mid-p, 0 vs 0")
    assert (round(one.low, 4), round(one.high, 4)) == (-0.1611, 0.1611)
    assert found.verdict == "UNDECIDED"  # none of 20 is no proof of being within 0.01
    assert one.notes == ("0 discordant rows: no test at this level can reject (needs 5)",)
    other = heldout.compare(truth, {"old": wrong[0], "new": wrong[1]}, metrics="recall_macro")["recall_macro"]
    assert (other.value, other.notes) == (0, ("no variance between units",))
    assert np.isnan([other.low, other.high, other.pvalue]).all()


def test_options_that_mean_nothing_here_are_not_passed_over():
    models = {"a": SCORES[0], "b": SCORES[1]}
    for name in ("log", "id", "truth", "y_pred", "y_score", "prob_prefix"):
        assert said(TRUTH, models, **{name: "lm-eval"}) == (
            f"{name} is for files and frames, and the models are arrays beside one truth\n  Fix: leave out {name}"
        )
    assert said(TRUTH, models, groups="lm-eval") == (
        "groups is the name of a column, and the models are arrays beside one truth\n"
        "  Fix: pass an array, or leave out groups"
    )
    assert said({"a": frame(), "b": frame()}, groups=TRUTH) == (
        "groups is an array, and the models are files, frames or samples of their own\n"
        "  Fix: name a column of every file or frame: groups='…', or leave out groups"
    )


def test_a_metric_that_was_named_is_shown_also_where_it_cannot_be_tested():
    truth, wrong = ["z", "z", "x"] * 5, ["z", "z", "y"] * 5
    clusters = np.repeat(np.arange(5), 3)
    found = heldout.compare(truth, {"a": wrong, "b": truth}, metrics=["mcc", "accuracy", "f1_macro"], groups=clusters)
    assert list(found) == ["mcc", "accuracy", "f1_macro"]
    assert [found[name].verdict for name in ("mcc", "f1_macro")] == [None, None]
    shown = str(found)
    assert "note no variance between units (mcc, accuracy)" in shown
    assert "note f1_macro  f1_macro is undefined for a model" in shown


def test_a_variance_at_rounding_level_decides_nothing():
    """No cluster moves the difference of two values of mcc: with three rows p was 1.9e-24, and the verdict BETTER."""
    truth, wrong = ["z", "z", "x"] * 5, ["z", "z", "y"] * 5
    clusters = np.repeat(np.arange(5), 3)
    found = heldout.compare(truth, {"a": wrong, "b": truth}, metrics="mcc", groups=clusters)
    assert (found["mcc"].value, found["mcc"].notes) == (0.5, ("no variance between units",))
    assert found.verdict == "UNDECIDED"


def test_a_class_that_one_model_has_always_wrong_is_not_taken_for_certain():
    """5 discordant rows, all of one class: about as much evidence as McNemar's test has in them."""
    truth, wrong = ["z", "z", "x"] * 5, ["z", "z", "y"] * 5
    found = heldout.compare(truth, {"a": wrong, "b": truth}, metrics=["mcc", "accuracy"])
    assert 0.01 < found["mcc"].pvalue < found["accuracy"].pvalue == 0.03125


def test_two_rows_decide_nothing():
    """Errors of 0.5 and 0.52 beside none: p was 0.012, and the verdict BETTER."""
    found = heldout.compare([1.5, 2.5], {"a": [2.0, 3.02], "b": [1.5, 2.5]}, metrics="mae", task="regression")
    assert (found.verdict, found["mae"].notes) == ("UNDECIDED", ("2 rows: too few for a test (needs 5)",))


@pytest.mark.parametrize("metric", ["partial_auc", "ks", "eer"])
def test_three_positive_rows_decide_nothing_about_a_ranking(metric):
    """One model ranks all three first, the other last: the interval of partial_auc had no width, and BETTER."""
    y_true = [1] * 3 + [0] * 40
    good = [2 - at / 100 for at in range(43)]
    found = heldout.compare(
        y_true, {"bad": good[::-1], "good": good}, metrics=metric, pos_label=1, confidence_level=0.9
    )
    assert found.verdict == "UNDECIDED"
    assert found[metric].notes == ("3 rows of the rarer class: too few for a test (needs 5)",)
