from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import heldout
from heldout.intervals.means import mean_of_counts
from heldout.report.schema import schema


def said(call):
    with pytest.raises(heldout.HeldoutError) as refused:
        call()
    return str(refused.value)


def test_counts_are_rows():
    """A confusion matrix and the rows behind it give the same label metrics."""
    counts = np.array([[40, 6, 4], [5, 30, 5], [3, 4, 23]])
    truth, said_ = (np.repeat(axis.ravel(), counts.ravel()) for axis in np.indices((3, 3)))
    rows, counted = heldout.evaluate(truth, said_, n_resamples=200), heldout.evaluate_confusion(counts, n_resamples=200)
    for name, one in counted.estimates.items():
        assert (one.value, one.low, one.high) == pytest.approx((rows[name].value, rows[name].low, rows[name].high)), (
            name
        )
    assert counted.classes.keys() == rows.classes.keys()
    for label, part in counted.classes.items():
        for name, one in part.items():
            assert one.low == pytest.approx(rows.classes[label][name].low), (label, name)


def test_cost_of_counts():
    found = heldout.evaluate_confusion([[50, 10], [5, 35]], cost=[[0, 1], [10, 0]])["cost"]
    paid = np.repeat([0, 1, 10, 0], [50, 10, 5, 35])
    assert found.value == pytest.approx(paid.mean())
    known = mean_of_counts(np.array([85, 10, 5]), np.array([0.0, 1.0, 10.0]), 0.95)
    assert (found.low, found.high) == pytest.approx(known)


def test_two_counts_may_have_other_metrics():
    assert list(heldout.evaluate_counts(wrong=1, of=9, metrics="accuracy").estimates) == ["accuracy"]
    assert heldout.evaluate_counts(wrong=0, of=1)["error_rate"].high == pytest.approx(0.793450, abs=5e-6)


def test_what_cannot_be_is_refused():
    assert said(lambda: heldout.evaluate_counts(wrong=5, of=4)) == (
        "[H110] 5 wrong of 4 cannot be\n  Fix: give whole numbers, 0 <= wrong <= of, and of at least 1"
    )
    assert said(lambda: heldout.evaluate_counts(wrong=0, of=0)) == (
        "[H110] 0 wrong of 0 cannot be\n  Fix: give whole numbers, 0 <= wrong <= of, and of at least 1"
    )
    assert said(lambda: heldout.evaluate_confusion([[1, 2, 3], [1, 2, 3]])) == (
        "[H110] a confusion matrix must be square, not 2 x 3\n  Fix: give truth by row and prediction by column"
    )
    assert said(lambda: heldout.evaluate_confusion([[1, -2], [1, 2]])) == (
        "[H110] the confusion matrix: -2 rows of 0 predicted as 1, and a count is zero or more\n"
        "  Fix: count rows; weighted or normalised tables cannot be evaluated"
    )
    assert said(lambda: heldout.evaluate_confusion([[1, 2], [1, 2]], labels=["a"])) == (
        "1 labels were given for 2 classes\n  Fix: give 2 labels"
    )
    assert said(lambda: heldout.evaluate_class_counts({"a": (1, 2)})) == (
        "[H110] each class needs three or four counts\n"
        "  Fix: give (TP, FP, FN) or (TP, FP, FN, TN) for each class, of all classes alike"
    )
    assert said(lambda: heldout.evaluate_class_counts({"a": (1, 2, 3), "b": (1, -2, 0)})) == (
        "[H110] FP of class 'b' is -2, but a count is a whole number of zero or more\n  Fix: give counts of rows"
    )
    assert said(lambda: heldout.evaluate_class_counts({"a": (0, 0, 0)})) == (
        "[H110] every count is zero\n  Fix: count at least one row"
    )
    assert said(lambda: heldout.evaluate_class_counts([(1, 2, 3)])).startswith(
        "[H110] counts per class must be a mapping of class to counts, or a file\n"
    )
    assert said(lambda: heldout.evaluate_counts(wrong=1, of=4, metrics="f1")) == (
        "f1 cannot be computed from two counts\n"
        "  Fix: ask for error_rate or accuracy, or give all counts: --confusion FILE (evaluate_confusion)"
    )


A_TO_D = {"A": (1, 1, 1, 1), "B": (10, 90, 80, 10), "C": (1, 1, 1, 1), "D": (1, 1, 1, 1)}
MATRIX = np.array([[40, 6, 4], [5, 30, 5], [3, 4, 23]])


def class_counts(matrix, *, negatives=False):
    """TP, FP and FN of each class of a confusion matrix, and TN."""
    right, total = np.diag(matrix), matrix.sum()
    false, missed = matrix.sum(axis=0) - right, matrix.sum(axis=1) - right
    lines = np.stack([right, false, missed, total - right - false - missed], axis=1)
    return {"abcdef"[k]: tuple(line if negatives else line[:3]) for k, line in enumerate(lines.tolist())}


def test_pooled_counts_rest_on_their_own_denominator():
    """Precision of 13 / 106 is not accuracy of 96 rows where rows have no one label each."""
    found = heldout.evaluate_class_counts(A_TO_D)
    for name, right, of in (("precision_micro", 13, 106), ("recall_micro", 13, 96), ("jaccard_micro", 13, 189)):
        known = heldout.stats.wilson(right, of)
        assert (found[name].low, found[name].high, found[name].count) == (*map(pytest.approx, known), (right, of))
    share = heldout.stats.wilson(13, 189)
    assert (found["f1_micro"].low, found["f1_micro"].high) == pytest.approx([2 * q / (1 + q) for q in share])
    assert found["precision_micro"].low < found["f2_micro"].low < found["recall_micro"].low
    none = heldout.evaluate_class_counts({"a": (0, 3, 2, 5), "b": (0, 4, 1, 5)})
    assert none["precision_micro"].high == pytest.approx(heldout.stats.wilson(0, 7)[1])
    assert none["f2_micro"].low == 0
    assert none["f2_micro"].high < 1


def test_counts_per_class_of_one_label_are_those_of_a_confusion_matrix():
    """Every value is the same; so are the intervals of accuracy and of what is a function of it."""
    whole = heldout.evaluate_confusion(MATRIX, labels=["a", "b", "c"])
    for negatives in (False, True):
        found = heldout.evaluate_class_counts(class_counts(MATRIX, negatives=negatives))
        assert found.names == whole.names
        assert found.rows == 120
        for name, one in found.estimates.items():
            assert one.value == pytest.approx(whole[name].value), name
            assert (one.low, one.high) == pytest.approx((whole[name].low, whole[name].high), abs=0.004), name
        for name in ("accuracy", "error_rate", "f1_micro", "jaccard_micro"):
            assert (found[name].low, found[name].high) == pytest.approx((whole[name].low, whole[name].high)), name
        assert found.confusion is None
        assert [check.code for check in found.checks] == ["H320"]
        assert found.baseline.values == pytest.approx(whole.baseline.values)
        assert found.classes["a"]["specificity"].value == pytest.approx(whole.classes["a"]["specificity"].value)
    two = heldout.evaluate_class_counts({"yes": (6, 1, 2), "no": (3, 2, 1)})
    assert two.confusion.tolist() == [[6, 2], [1, 3]]


def test_counts_that_no_confusion_matrix_has_are_independent_tables():
    """All errors of one class cannot be false positives of the same class."""
    found = heldout.evaluate_class_counts({"a": (5, 3, 3), "b": (5, 1, 1)})
    assert found["precision_micro"].count == (10, 14)
    assert "no confusion matrix has these counts" in found.checks[0].text
    other = heldout.evaluate_class_counts({"a": (5, 1, 1, 9), "b": (5, 1, 1, 3)})
    assert other["precision_micro"].count == (10, 12)
    assert found.baseline is None  # without true negatives nothing tells how rare the classes are
    assert "specificity" not in found.classes["a"]
    assert other.baseline.values["recall_macro"] == 0.5  # "b" is more often there than not


def test_the_dummy_model_stands_beside_counts_as_beside_rows():
    truth, said_ = (np.repeat(axis.ravel(), MATRIX.ravel()) for axis in np.indices((3, 3)))
    costs = {"cost": [[0, 1, 2], [1, 0, 5], [3, 1, 0]]}
    rows, counted = heldout.evaluate(truth, said_, **costs), heldout.evaluate_confusion(MATRIX, **costs)
    assert counted.baseline.name == rows.baseline.name
    assert counted.baseline.values == pytest.approx(rows.baseline.values)
    assert counted.baseline.beaten == rows.baseline.beaten
    useless = heldout.evaluate_confusion([[80, 10], [9, 1]])
    assert [check.code for check in useless.checks] == ["H309"]


def test_counts_give_every_metric_of_labels_by_name():
    truth, said_ = (np.repeat(axis.ravel(), MATRIX.ravel()) for axis in np.indices((3, 3)))
    names = ["kappa", "kappa_linear", "kappa_quadratic", "f3_macro", "f3_micro", "error_rate", "cost"]
    costs = {"cost": [[0, 1, 2], [1, 0, 5], [3, 1, 0]], "metrics": names}
    rows, counted = heldout.evaluate(truth, said_, **costs), heldout.evaluate_confusion(MATRIX, **costs)
    for name in names:
        assert (counted[name].value, counted[name].low, counted[name].high) == pytest.approx(
            (rows[name].value, rows[name].low, rows[name].high)
        ), name
        assert counted[name].printed


def test_micro_averages_of_two_counts():
    found = heldout.evaluate_counts(wrong=3, of=20, metrics="accuracy,f1_micro,jaccard_micro")
    assert found["f1_micro"].value == found["accuracy"].value
    assert found["jaccard_micro"].value == pytest.approx(17 / 23)
    assert (found["f1_micro"].low, found["f1_micro"].high) == (found["accuracy"].low, found["accuracy"].high)


def test_more_data_never_leaves_the_range():
    """At a quarter of the rows the arms are twice as long, but no F1 is below 0, and no cost below the least."""
    shares = [heldout.evaluate_class_counts(A_TO_D, metrics=name) for name in ("f1_macro", "f2_micro", "f3_micro")]
    paid = heldout.evaluate_confusion([[9, 1], [2, 3]], cost=[[0, 1], [5, 0]], metrics="cost")
    for result, most in (*((one, 1) for one in shares), (paid, 5)):
        widths = result.figures()["more_data"].parts["widths"]
        assert widths["low"].min() >= 0, result.names
        assert widths["high"].max() <= most, result.names
    assert paid.to_dict()["estimates"]["cost"]["bounds"] == [0.0, 5.0]


def test_results_of_counts_fit_the_schema():
    for result in (
        heldout.evaluate_confusion(MATRIX, cost=[[0, 1, 2], [1, 0, 5], [3, 1, 0]]),
        heldout.evaluate_class_counts(A_TO_D),
        heldout.evaluate_class_counts(class_counts(MATRIX)),
        heldout.evaluate_counts(wrong=3, of=20),
    ):
        Draft202012Validator(schema("heldout.evaluation/1")).validate(result.to_dict())


def test_averages_of_independent_classes_cover():
    laws = {"a": ([0.2, 0.1, 0.1, 0.6], 40), "b": ([0.1, 0.2, 0.15, 0.55], 190), "c": ([0.3, 0.05, 0.1, 0.55], 30)}
    names = ["precision_macro", "precision_micro", "f1_macro", "f1_micro"]
    true = heldout.evaluate_class_counts(
        {name: np.rint(1e5 * rows * np.array(law)) for name, (law, rows) in laws.items()}, metrics=names
    )
    rng, held = np.random.default_rng(1), dict.fromkeys(names, 0)
    for _ in range(200):
        drawn = {name: rng.multinomial(rows, law) for name, (law, rows) in laws.items()}
        found = heldout.evaluate_class_counts(drawn, metrics=names)
        for name in names:
            held[name] += found[name].low <= true[name].value <= found[name].high
    assert all(180 <= count <= 200 for count in held.values()), held


def test_the_head_of_counts_per_class_does_not_call_added_counts_rows():
    several = {"A": (1, 1, 1, 1), "B": (10, 90, 80, 10), "C": (1, 1, 1, 1), "D": (1, 1, 1, 1)}
    found = heldout.evaluate_class_counts(several)
    head = found.to_text().splitlines()[0]
    assert "202 rows" not in head
    assert "202 counts of 4 classes, each class by itself" in head
    (note,) = (check.text for check in found.checks if check.code == "H320")
    assert "'B' has 190 rows, 'A' 4" in note


def test_the_note_on_several_labels_names_the_class():
    (note,) = heldout.evaluate_class_counts({"a": (5, 3, 3), "b": (5, 1, 1), "c": (5, 0, 0)}).checks
    assert "class 'a' has 6 of 4 errors" in note.text


def test_labels_of_rows_and_columns_that_differ_are_named(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("true,a,b,c\na,5,1,2\nb,1,6,1\nd,0,2,7\n")
    with pytest.raises(heldout.DataError, match="'d' names a row and no column, 'c' a column and no row") as caught:
        heldout.evaluate_confusion(path)
    assert "square:" not in caught.value.message


def test_a_positive_class_of_three_is_refused_as_for_rows():
    with pytest.raises(heldout.UsageError, match=r"a positive class \('a'\) was given for 3 classes: 'a', 'b', 'c'"):
        heldout.evaluate_confusion([[5, 1, 2], [1, 6, 1], [0, 2, 7]], labels=["a", "b", "c"], pos_label="a")


def test_a_small_class_beside_large_ones_has_the_slopes_of_its_own_counts():
    """F1 of the first class has the denominator 2 + 4 + fn: a step of three false negatives would leave nothing."""
    found = heldout.evaluate_confusion([[1, 0, 0, 0], [0, 2, 0, 0], [4, 0, 1, 1], [0, 1000, 2000, 501]])["f1_macro"]
    near = heldout.evaluate_confusion([[1, 0, 0, 0], [0, 2, 0, 0], [4, 0, 1, 1], [0, 900, 1900, 501]])["f1_macro"]
    assert (found.low, found.high) == pytest.approx((near.low, near.high), abs=0.01)


def test_values_from_counts_per_class_are_those_of_the_counts():
    rng = np.random.default_rng(0)
    made = [np.array([[888, 0, 2146], [4, 5, 0], [52, 0, 21]])]  # one class is in every error
    for _ in range(60):
        size = int(rng.integers(3, 7))
        drawn = rng.integers(0, rng.choice([2, 6, 3000]), (size, size)) * (rng.random((size, size)) < 0.6)
        drawn[int(rng.integers(size))] *= int(rng.choice([1, 500]))
        drawn[:, int(rng.integers(size))] *= int(rng.choice([1, 500]))
        made.append(drawn + np.eye(size, dtype=int))
    for one in made:
        right, false, missed = one.diagonal(), one.sum(axis=0) - one.diagonal(), one.sum(axis=1) - one.diagonal()
        given = {f"c{k}": (*counts,) for k, counts in enumerate(zip(right, false, missed, strict=True))}
        found = heldout.evaluate_class_counts(given, metrics=["recall_macro", "precision_macro", "f1_macro"])
        for name, parts in (("recall_macro", missed), ("precision_macro", false), ("f1_macro", (missed + false) / 2)):
            pairs = zip(right.tolist(), parts.tolist(), strict=True)
            exact = sum(Fraction(hits) / (hits + Fraction(other)) for hits, other in pairs) / len(one)
            assert found[name].value == pytest.approx(float(exact), abs=1e-9), (name, one)


@pytest.mark.parametrize(("wrong", "of"), [(1.5, 3), (1, 3.5)])
def test_fractions_of_rows_are_no_counts(wrong, of):
    with pytest.raises(heldout.DataError, match=rf"{wrong} wrong of {of} cannot be"):
        heldout.evaluate_counts(wrong=wrong, of=of)
