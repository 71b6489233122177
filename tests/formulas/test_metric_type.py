"""What a metric says of itself, and its derivative by every sum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from heldout.formulas import MARK_METRICS, METRICS, metric_type
from heldout.formulas.metric_type import Metric


def test_metrics_of_labels_look_at_no_scores():
    for name in ("accuracy", "f1", "subset_accuracy", "hamming_loss", "cost", "kappa_linear"):
        assert METRICS[name].of_labels, name
    for name in ("roc_auc", "log_loss", "hinge_loss", "mae", "ece", "roc_auc_ovr", "max_error", "cost_minimum_risk"):
        assert not METRICS[name].of_labels, name
    marks = replace(METRICS["f1_macro"], reads="marks")
    assert marks.of_labels


def test_metrics_of_all_rows_need_no_rows_of_one_class():
    for name in ("accuracy", "error_rate", "subset_accuracy", "log_loss", "cost", "top_2_accuracy", "brier"):
        assert METRICS[name].of_all_rows, name
    others = ("recall", "mcc", "roc_auc", "d2_log_loss", "kappa_linear", "mae", "balanced_accuracy", "jaccard", "fpr")
    for name in others:
        assert not METRICS[name].of_all_rows, name
    assert not replace(METRICS["recall"], share=("tp", "fn")).of_all_rows  # of one class
    assert not replace(METRICS["accuracy"], reads="marks").of_all_rows
    assert not replace(METRICS["accuracy"], interval="unit").of_all_rows


def test_a_metric_in_words():
    assert repr(METRICS["recall"]) == (
        "recall: Share of the positives that are found (sensitivity, TPR): TP / (TP + FN).\n"
        "higher is better, from 0 to 1, for binary data\n[Metric: .formula, .needs, .range, .aliases]"
    )
    assert "\nneither way is better, from -inf to inf, for regression data\n" in repr(METRICS["mean_error"])
    plain = Metric(name="mine", formula=lambda tp: tp, reads="labels", tasks=("binary",), interval="unit")
    assert (plain.definition, plain.needs) == ("mine", ("tp",))


def test_what_cannot_be_divided_is_undefined_or_infinite_without_a_warning():
    zero, one = np.float64(0), np.float64(1)
    assert np.isnan(METRICS["precision"]({"tp": zero, "fp": zero}))
    assert METRICS["diagnostic_odds_ratio"]({"tp": one, "fp": zero, "fn": one, "tn": one}) == np.inf
    assert METRICS["r2"]({"squared_errors": 1e300, "targets": 1e200, "squared_targets": 1.0, "rows": one}) is not None


def quotient(up, down):
    """(u1 + 2 u2) / (d1 d2): its derivatives are known."""
    return (up[..., 0] + 2 * up[..., 1]) / (down[..., 0] * down[..., 1])


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("up", [(3.0, 4.0), (0.0, 4.0), (0.0, 0.0)])
def test_derivatives_of_a_known_function(up, scale):
    one = Metric(name="q", formula=quotient, reads="numbers", tasks=(), interval="mean")
    down = scale * np.array([2.0, 5.0])
    found = one.gradient({"up": scale * np.array(up), "down": down})
    top, bottom = scale * (up[0] + 2 * up[1]), down[0] * down[1]
    assert found["up"] == pytest.approx(np.array([1.0, 2.0]) / bottom, rel=1e-8)
    assert found["down"] == pytest.approx(-top / bottom / down, rel=1e-8, abs=1e-9 / bottom)


def test_derivatives_of_sums_of_different_shapes_and_in_blocks(monkeypatch):
    def formula(counts, total, table):
        return counts.sum(axis=-1) * total**2 + table[..., 1, 0] * table[..., 0, 1] ** 3

    one = Metric(name="q", formula=formula, reads="numbers", tasks=(), interval="mean")
    sums = {"counts": np.array([1, 0, 3]), "total": np.array(2), "table": np.array([[1.0, 2.0], [5.0, 0.0]])}
    for most in (metric_type.MOVED_AT_ONCE, 4 * 8 * 3, 1):
        monkeypatch.setattr(metric_type, "MOVED_AT_ONCE", most)
        found = one.gradient(sums)
        assert found["counts"] == pytest.approx(np.full(3, 4.0), rel=1e-9)
        assert float(found["total"]) == pytest.approx(16.0, rel=1e-9)
        assert found["table"] == pytest.approx(np.array([[0.0, 60.0], [8.0, 0.0]]), rel=1e-9, abs=1e-9)
        assert found["table"].shape == (2, 2)


def test_a_rare_class_keeps_its_derivative_beside_a_large_one():
    tp, fn = np.array([2.0, 3e9]), np.array([1.0, 1e9])
    found = METRICS["recall_macro"].gradient({"tp": tp, "fn": fn})
    assert found["tp"] == pytest.approx(fn / (tp + fn) ** 2 / 2, rel=1e-6)
    for few in (2.0, 0.5):  # rows, or the weight of one
        empty = METRICS["recall_macro"].gradient({"tp": np.array([0.0, 3e9]), "fn": np.array([few, 1e9])})
        assert empty["tp"] == pytest.approx(np.array([1 / few, 1e9 / 16e18]) / 2, rel=1e-6)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_a_sum_of_zero_moves_by_as_much_as_the_others_are_large(scale):
    """Sums of different shapes: d / (s + c), by c, is -d / s^2 where c is 0."""
    one = Metric(
        name="q", formula=lambda counts, total: total / (total + counts.sum(axis=-1)), reads="numbers", tasks=(),
        interval="mean",
    )  # fmt: skip
    found = one.gradient({"counts": np.zeros(2), "total": np.array(scale)})
    assert found["counts"] == pytest.approx(np.full(2, -1 / scale), rel=1e-8)


def test_means_and_shares_of_losses_need_no_rows_of_a_class():
    whole = {name for name, one in METRICS.items() if one.reads == "losses" and one.of_all_rows}
    assert whole == {
        "log_loss", "log_loss_bits", "brier", "quadratic_loss", "hinge_loss", "top_2_accuracy", "subset_accuracy",
        "dcg", "coverage_error", "cost", "cost_minimum_risk",
    }  # fmt: skip


POSITIVES, NEGATIVES = ("tp", "fn"), ("tn", "fp")
RANKED = (("positives",), ("negatives",))
CARRIERS = {
    **dict.fromkeys(("roc_auc", "eer", "ks", "partial_auc", "gini", "calibration_slope", "roc_auc_macro"), RANKED),
    **dict.fromkeys(("average_precision", "lift@10%", "gain@10%", "average_precision_macro"), (("positives",),)),
    **dict.fromkeys(("roc_auc_ovr", "roc_auc_ovo"), (("positives",),)),
    **dict.fromkeys(("youden_j", "lr_positive", "diagnostic_odds_ratio"), (POSITIVES, NEGATIVES)),
    **dict.fromkeys(("mcc", "kappa"), (POSITIVES, ("tp", "fp"))),
    **dict.fromkeys(("recall", "recall_macro", "balanced_accuracy"), (POSITIVES,)),
    "specificity": (NEGATIVES,),
    "npv": (("tn", "fn"),),
    "f1": (("tp", "fp", "fn"),),
    "prevalence": (("tp", "fp", "fn", "tn"),),
    **dict.fromkeys(("roc_auc_micro", "roc_auc_weighted", "roc_auc_ovo_weighted", "average_precision_micro"), ()),
    **dict.fromkeys(("accuracy", "f1_micro", "recall_weighted", "log_loss", "ndcg", "mae", "max_error", "ece"), ()),
    **dict.fromkeys(("brier", "kappa_linear", "r2", "d2_log_loss", "hamming_loss"), ()),
}


@pytest.mark.parametrize("name", CARRIERS)
def test_the_rows_that_a_metric_cannot_do_without(name):
    assert METRICS[name].carriers == CARRIERS[name]


@pytest.mark.parametrize("name", ["precision_macro", "f1_macro", "jaccard_macro"])
def test_where_rows_have_several_labels_an_average_needs_those_of_each(name):
    assert MARK_METRICS[name].carriers == METRICS[name].carriers == (METRICS[name].needs,)


@pytest.mark.parametrize("name", [name for name, one in CARRIERS.items() if one and METRICS[name].one_class])
def test_without_these_rows_the_value_is_undefined(name):
    for rows in CARRIERS[name]:
        cells = {part: 0.0 if part in rows else 3.0 for part in ("tp", "fp", "fn", "tn")}
        assert not np.isfinite(METRICS[name](cells))
