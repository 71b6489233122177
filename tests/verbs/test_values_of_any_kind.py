"""Values of any kind in the arguments of the verbs: each is read, or refused in heldout's own words."""

from __future__ import annotations

from contextlib import suppress
from datetime import time, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout import metrics
from heldout.errors import DataError, HeldoutError, UsageError

ROWS = 20
TRUTH = np.tile([0, 1], ROWS // 2)
SCORES = np.random.default_rng(0).random((ROWS, 2))
FRAME = pd.DataFrame(
    {"a": SCORES[:, 0], "b": SCORES[:, 1], "y": TRUTH, "fold": np.arange(ROWS) % 4, "site": np.arange(ROWS) // 10}
)

ODD = {
    "lists": [[1, 0]] * ROWS,
    "ragged lists": [[1], [1, 0]] * (ROWS // 2),
    "one list": [1] * (ROWS - 1) + [[1]],
    "deep lists": [[[1]]] * ROWS,
    "fractions": [Fraction(1, 3), Fraction(2, 3)] * (ROWS // 2),
    "a fraction": [Fraction(1, 3), 0.5] * (ROWS // 2),
    "durations": [timedelta(at) for at in range(ROWS)],
    "durations of numpy": np.arange(ROWS).astype("m8[s]"),
    "a decimal nan": [Decimal("NaN")] + [Decimal(1)] * (ROWS - 1),
    "a signalling nan": [Decimal("sNaN")] + [Decimal(1)] * (ROWS - 1),
    "an infinite decimal": [Decimal("Infinity")] + [Decimal(1)] * (ROWS - 1),
    "complex": np.ones(ROWS) * 1j,
    "objects": [object()] * ROWS,
    "bytes": [b"a", b"b"] * (ROWS // 2),
    "times of a day": [time(3)] * ROWS,
    "dicts": [{}] * ROWS,
    "nothing": [None] * ROWS,
    "mixed": [1, "a"] * (ROWS // 2),
    "no dimension": np.array(3),
    "a number": 3,
    "text without dimension": np.array("y"),
    "no rows": [],
    "periods": pd.period_range("2020", periods=ROWS),
    "intervals": pd.interval_range(0, ROWS),
    "records": np.zeros(ROWS, dtype=[("a", int), ("b", int)]),
    "a set": set(range(ROWS)),
    "a function": len,
    "three dimensions": np.zeros((ROWS, 2, 2)),
    "raw bytes": np.zeros(ROWS, "V4"),
    "sparse": sp.csr_matrix(np.eye(ROWS)),
    "huge": [10**400] * ROWS,
    "beyond 64 bits": [2**70] * ROWS,
    "views": {"a": [1] * ROWS}.values(),
    "an index": pd.Index(["a", "b"]),
    "names": np.array(["site", "fold"]),
    "number names": [3],
    "no name": [None],
    "text": "nothing",
    "plain bytes": b"fold",
    "a dict": {"a": 1},
}
ARGUMENTS = {
    "y_true": lambda odd: heldout.evaluate(odd, TRUTH),
    "y_pred": lambda odd: heldout.evaluate(TRUTH, odd),
    "y_score": lambda odd: heldout.evaluate(TRUTH, y_score=odd),
    "y_proba": lambda odd: heldout.evaluate(TRUTH, y_proba=odd),
    "sample_weight": lambda odd: heldout.evaluate(TRUTH, TRUTH, sample_weight=odd),
    "groups": lambda odd: heldout.evaluate(TRUTH, TRUTH, groups=odd),
    "time": lambda odd: heldout.evaluate(TRUTH, TRUTH, time=odd),
    "segments": lambda odd: heldout.evaluate(TRUTH, TRUTH, segments=odd),
    "folds": lambda odd: heldout.evaluate(TRUTH, y_score=SCORES[:, 0], choose_threshold=(1, 2), folds=odd),
    "models": lambda odd: heldout.compare(TRUTH, {"a": TRUTH, "b": odd}),
    "X": lambda odd: heldout.validate(GaussianNB(), odd, TRUTH, cv=2),
    "y": lambda odd: heldout.validate(GaussianNB(), SCORES, odd, cv=2),
    "groups of rows": lambda odd: heldout.validate(GaussianNB(), SCORES, TRUTH, cv=2, groups=odd),
    "weights of rows": lambda odd: heldout.validate(GaussianNB(), SCORES, TRUTH, cv=2, sample_weight=odd),
    "folds of rows": lambda odd: heldout.validate(GaussianNB(), SCORES, TRUTH, folds=odd),
    "times of rows": lambda odd: heldout.validate(GaussianNB(), SCORES, TRUTH, cv="time", time=odd),
    "strata of rows": lambda odd: heldout.validate(GaussianNB(), SCORES, TRUTH, cv=2, strata=odd),
    "strata of a table": lambda odd: heldout.validate(GaussianNB(), FRAME, "y", cv=2, strata=odd),
    "folds of a table": lambda odd: heldout.validate(GaussianNB(), FRAME, "y", folds=odd),
    "drop": lambda odd: heldout.validate(GaussianNB(), FRAME, "y", cv=2, drop=odd),
    "drop beside arrays": lambda odd: heldout.validate(GaussianNB(), SCORES, TRUTH, cv=2, drop=odd),
    "strata of a split": lambda odd: heldout.split(FRAME, strata=odd),
    "groups of a split": lambda odd: heldout.split(FRAME, groups=odd),
    "time of a split": lambda odd: heldout.split(FRAME, time=odd),
    "folds of a split": lambda odd: heldout.split(FRAME, folds=odd),
    "labels of a metric": lambda odd: metrics.accuracy_score(TRUTH, odd),
    "scores of a metric": lambda odd: metrics.roc_auc_score(TRUTH, odd),
    "probabilities of a metric": lambda odd: metrics.log_loss(TRUTH, odd),
    "numbers of a metric": lambda odd: metrics.mean_squared_error(SCORES[:, 0], odd),
    "weights of a metric": lambda odd: metrics.accuracy_score(TRUTH, TRUTH, sample_weight=odd),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("argument", ARGUMENTS)
def test_values_are_read_or_refused_in_a_sentence(argument):
    for name, odd in ODD.items():
        try:
            with suppress(HeldoutError):
                ARGUMENTS[argument](odd)
        except Exception as error:
            raise AssertionError(f"{argument} given {name} ends in {error!r}") from error


@pytest.mark.parametrize("given", [pd.Index(["fold", "site"]), np.array(["fold", "site"]), ("fold", "site")])
def test_names_of_columns_come_in_an_index_an_array_or_a_tuple(given):
    listed = ["fold", "site"]
    first, same = (heldout.validate(GaussianNB(), FRAME, "y", cv=2, drop=names) for names in (listed, given))
    assert first.to_json() == same.to_json()
    first, same = (heldout.validate(GaussianNB(), FRAME, "y", cv=2, strata=names) for names in (listed, given))
    assert first.to_json() == same.to_json()
    wide = pd.concat([FRAME] * 3)
    assert heldout.split(wide, strata=given).to_json() == heldout.split(wide, strata=listed).to_json()


def test_one_column_is_named_by_its_text():
    one, same = (heldout.validate(GaussianNB(), FRAME, "y", cv=2, drop=names) for names in ("fold", ["fold"]))
    assert one.to_json() == same.to_json()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: heldout.validate(GaussianNB(), FRAME, "y", cv=2, drop=[["a"]]),
            "drop is [['a']], but must be a list of names of columns\n  Fix: write drop=['column']",
        ),
        (
            lambda: heldout.split(FRAME, strata=5.5),
            "strata is 5.5, but must be a list of names of columns\n  Fix: write strata=['column']",
        ),
        (
            lambda: heldout.validate(GaussianNB(), 3, TRUTH, cv=2),
            "X is 3, but must be a table or a matrix with one line per row\n  Fix: pass a frame or a 2D array",
        ),
    ],
)
def test_what_names_no_columns_is_refused(call, said):
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: heldout.validate(GaussianNB(), SCORES, ODD["ragged lists"], cv=2),
            "[H112] the rows of y differ in length\n  Fix: pass a rectangular array",
        ),
        (
            lambda: heldout.validate(GaussianNB(), SCORES, TRUTH, folds=ODD["durations"]),
            (
                "[H107] folds holds durations (duration[us]), which are neither labels nor numbers\n"
                "  Fix: write folds as numbers of one unit, such as seconds"
            ),
        ),
        (
            lambda: heldout.evaluate(TRUTH, y_score=SCORES[:, 0], choose_threshold=(1, 2), folds=[None] + [1] * 19),
            "[H305] folds is missing in row 1\n  Fix: complete it, or leave the row out",
        ),
        (
            lambda: heldout.validate(GaussianNB(), SCORES, TRUTH, cv=2, strata=3),
            (
                "[H107] strata is of type int, and one value per row is needed\n"
                "  Fix: pass strata as a list, an array or a series"
            ),
        ),
    ],
)
def test_what_has_no_value_per_row_is_refused(call, said):
    with pytest.raises(DataError) as caught:
        call()
    assert str(caught.value) == said
