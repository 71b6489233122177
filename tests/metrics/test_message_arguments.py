"""Messages of a function name no argument that it does not have, and no function that is not there."""

from __future__ import annotations

import re
import warnings
from inspect import isfunction, signature

import numpy as np
import pytest

from heldout import HeldoutError, UsageError, metrics
from tests.metrics import calls

FUNCTIONS = {
    name: getattr(metrics, name)
    for name in metrics.__all__
    if isfunction(getattr(metrics, name)) and name not in ("define", "metric")
}
NAN = np.array([0.0, 1.0, np.nan, 1.0])
BAD = {
    "a missing truth": (NAN, [0, 1, 1, 1]),
    "a missing prediction": ([0, 1, 1, 1], NAN),
    "an infinite prediction": ([0, 1, 1, 1], [0.5, np.inf, 1, 1]),
    "fractions": ([0, 1, 1, 0], [0.2, 0.7, 0.4, 0.3]),
    "logits": ([0, 1, 1, 0], [-2.0, 0.7, 3.0, 1.0]),
    "logits of classes": ([0, 1, 2, 0], np.array([[-2.0, 0.7, 3.0]] * 4)),
    "sums": ([0, 1, 2, 0], np.array([[0.2, 0.3, 0.1]] * 4)),
    "percentages": ([0, 1, 1, 0], [20.0, 70, 30, 10]),
    "decisions": ([0, 1, 1, 0], [0, 1, 0, 0]),
    "fractions in the truth": ([0.2, 1.7, 1.1, 0.4], [0, 1, 1, 0]),
    "lengths": ([0, 1, 1, 0], [0, 1, 1]),
    "no rows": ([], []),
    "words": (["a", "b", "a", "b"], ["c", "d", "c", "d"]),
    "words as predictions": ([0, 1, 1, 0], ["x", "y", "x", "y"]),
    "words and numbers": (["a", "b", "a", "b"], [0.1, 0.2, 0.8, 0.3]),
    "many columns": ([0, 1, 1, 0], np.full((4, 3), 1 / 3)),
    "columns of truth": (np.eye(4, dtype=int), [0, 1, 2, 3]),
    "columns with fractions": (np.eye(4), np.full((4, 4), 0.3)),
    "three dimensions": ([0, 1], np.zeros((2, 2, 2))),
    "reversed": (np.arange(60) % 2, 1 - np.arange(60) % 2 * 0.5),
}
KEYWORD = re.compile(r"(?<![\w.])([a-z]\w*)=")
ROWS = re.compile(r"\b(y_\w+|y1|y2|pred_decision)\b")


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("fault", BAD)
def test_every_argument_that_a_message_names_exists(name, fault):
    function = FUNCTIONS[name]
    own = set(signature(function).parameters)
    beta = {"beta": 2} if name == "fbeta_score" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*BAD[fault], **beta)
        except HeldoutError as error:
            text = str(error)
        else:
            return
    assert set(KEYWORD.findall(text)) <= own, text
    assert set(ROWS.findall(text)) <= own, text
    for named in re.findall(r"\b(?!y_)\w+_(?:score|loss|error)\b", text):
        assert named in FUNCTIONS, text


SENTENCES = [
    (
        "accuracy_score",
        (NAN, [0, 1, 1, 1]),
        {},
        (
            "[H305] y_true is missing in row 3. Rows are never dropped silently\n"
            "  Fix: complete the values, or drop these rows from all arrays"
        ),
    ),
    (
        "accuracy_score",
        ([0, 1, 1], [0.2, 0.7, 0.4]),
        {},
        (
            "[H107] y_true has the labels 0, 1, and y_pred holds fractions such as 0.2\n"
            "  Fix: pass predicted labels as y_pred, or call a function of scores (roc_auc_score, log_loss) or of "
            "numbers (mean_squared_error)"
        ),
    ),
    (
        "log_loss",
        ([0, 1, 1], ["x", "y", "y"]),
        {},
        "[H108] y_proba is of type <U1, and y_proba must have numbers\n  Fix: pass probabilities",
    ),
    (
        "log_loss",
        ([0, 1, 1], [-2.0, 0.7, 3.0]),
        {},
        (
            "[H306] probabilities are outside [0, 1] (min -2, max 3): y_proba[:, 0] is 3 in row 1; these look like "
            "logits\n  Fix: pass probabilities; of logits, scipy.special.expit(y_proba), or of several columns "
            "scipy.special.softmax of each row"
        ),
    ),
]


@pytest.mark.parametrize(("name", "rows", "options", "sentence"), SENTENCES)
def test_the_fix_is_one_for_this_function(name, rows, options, sentence):
    with pytest.raises(HeldoutError) as refused:
        getattr(metrics, name)(*rows, **options)
    assert str(refused.value) == sentence


def test_a_misspelled_average_gets_the_nearest_one_that_fits():
    three = calls.LABELS["classes"]
    for rows, average, nearest in (
        (three, "makro", "macro"),
        (three, "wieghted", "weighted"),
        (three, "binary_", "macro"),
        (three, "none", "macro"),
        (calls.LABELS["binary"], "bin", "binary"),
    ):
        with pytest.raises(UsageError) as refused:
            metrics.f1_score(*rows, average=average)
        assert refused.value.fix == f"pass average={nearest!r}"
