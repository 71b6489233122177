"""Which classes count in an average, and what stands in the place of 0/0."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn import metrics as peer

from heldout import metrics
from heldout.errors import UsageError
from heldout.metrics.class_averages import AVERAGES

RNG = np.random.default_rng(7)
TRUTH = RNG.choice(["a", "b", "c"], 120)
SAID = np.where(RNG.random(120) < 0.7, TRUTH, RNG.choice(["a", "b", "c"], 120))
MARKS, MARKED = (RNG.random((90, 4)) < 0.4).astype(int), (RNG.random((90, 4)) < 0.4).astype(int)
PAIRS = [(metrics.precision_score, peer.precision_score), (metrics.f1_score, peer.f1_score)]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("labels", [None, ["a", "c"], ["b"], ["c", "a", "b"]])
def test_averages_over_chosen_classes(ours, theirs, average, labels):
    found = ours(TRUTH, SAID, average=average, labels=labels)
    assert float(found) == pytest.approx(theirs(TRUTH, SAID, average=average, labels=labels), abs=1e-12)
    assert found.low < found < found.high


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
@pytest.mark.parametrize("average", [*AVERAGES[1:]])
def test_averages_over_columns_of_labels(ours, theirs, average):
    options = {"average": average, "zero_division": 0}
    found, known = ours(MARKS, MARKED, **options), theirs(MARKS, MARKED, **options)
    assert np.array(found, float) == pytest.approx(known, abs=1e-12)


@pytest.mark.parametrize("zero_division", [0, 1, np.nan])
@pytest.mark.parametrize("average", ["macro", "weighted", None])
def test_a_class_without_a_row_is_what_zero_division_says(zero_division, average):
    options = {"average": average, "labels": ["a", "b", "never"], "zero_division": zero_division}
    found, known = metrics.recall_score(TRUTH, SAID, **options), peer.recall_score(TRUTH, SAID, **options)
    assert np.array(found, float) == pytest.approx(known, abs=1e-12, nan_ok=True)
    note = found[2].notes[-1] if average is None else found.notes[-1]
    if average is not None:
        left = "left out" if np.isnan(zero_division) else f"{zero_division:g} is put in its place"
        assert note == f"recall is 0/0 for 'never': {left}"


def test_a_warning_says_which_class_is_undefined():
    with pytest.warns(metrics.UndefinedMetricWarning, match="recall is 0/0 for 'never': 0 is put in its place"):
        metrics.recall_score(TRUTH, SAID, average="macro", labels=["a", "never"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metrics.recall_score(TRUTH, SAID, average="macro", labels=["a", "never"], zero_division=0)


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ((TRUTH, SAID), {}, "average is 'binary', and there are 3 classes"),
        ((MARKS, MARKED), {}, "average is 'binary', and there are 4 labels per row"),
        ((TRUTH, SAID), {"average": "samples"}, "average is 'samples', which is for several 0/1 labels per row"),
        (
            (MARKS, MARKED),
            {"average": "macro", "labels": [0, 4]},
            "labels is [0, 4], but the columns of y_true are 0 to 3",
        ),
    ],
)
def test_averages_that_do_not_fit_the_rows(arguments, options, said):
    with pytest.raises(UsageError) as refused:
        metrics.f1_score(*arguments, **options)
    assert str(refused.value).startswith(said)
